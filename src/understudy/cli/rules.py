"""`understudy rules`: tests of policy rules, from the project file or for folders on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from understudy.cli.lazy_group import LazyGroup
from understudy.cli.options import run_arguments, run_options
from understudy.rules.cells import started_early

if TYPE_CHECKING:
    from understudy.project.project import Project

# What they bring in is more than what testing takes: they are imported when they are used.
COMMANDS = {
    "check": ("understudy.cli.rules_check", "Run the rules against a git repository."),
    "coverage": ("understudy.cli.rules_coverage", "Show what the rule tests reach of every rule."),
    "mutate": ("understudy.cli.rules_mutate", "List the small changes of rules that no test notices."),
}


@click.group("rules", cls=LazyGroup, modules=COMMANDS)
def command() -> None:
    """Test policy rules offline: Starlark tests over Rego and jq."""


def _test_options(function: Any) -> Any:
    options = [
        click.argument("paths", nargs=-1),
        click.option(
            "--dir", "dirs", multiple=True, metavar="DIR", help="Search this folder; may be repeated."
        ),
        click.option(
            "--root", default="", metavar="DIR", help="What files may reach; default: the project's folder."
        ),
        click.option(
            "--coverage",
            type=click.FloatRange(0, 100),
            default=None,
            metavar="PERCENT",
            help="Fail if fewer of the rules' lines are reached.",
        ),
        click.option(
            "--test-timeout",
            type=click.FloatRange(0, 3600, min_open=True),
            default=None,
            metavar="SECONDS",
            help="Stop a test that runs longer.",
        ),
        click.option(
            "--watch", is_flag=True, help="Stay, and run again what a changed file concerns; Ctrl-C ends it."
        ),
        click.option(
            "--project", "path", default=None, metavar="PATH", help="The project, if no folder is given."
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@command.command("test")
@_test_options
@run_options
def test(
    paths: tuple[str, ...],
    dirs: tuple[str, ...],
    root: str,
    coverage: float | None,
    test_timeout: float | None,
    watch: bool,
    path: str | None,
    **options: Any,
) -> int:
    """Run the rule tests (*.star) in PATHS, in --dir, or of the project."""
    arguments = run_arguments(options)
    words = ["understudy", "rules", "test", *paths]
    words += [word for name in dirs for word in ("--dir", name)]
    words += ["--root", root] if root else []
    words += ["--project", path] if path else []
    changes: dict[str, Any] = {"tests": True, "check": None, "mutation": 0.0}
    if coverage is not None:
        changes["coverage"] = coverage
    if test_timeout is not None:
        changes["test_timeout"] = test_timeout
        words += ["--test-timeout", f"{test_timeout:g}"]

    # The tests' own process starts first: what it imports takes as long as all that is imported here.
    started = None if watch else started_early()
    from understudy.cli.rehearse import rehearse
    from understudy.cli.rules_project import rules_project
    from understudy.rules.act import RulesAct

    def load() -> Project:
        return rules_project([*paths, *dirs], root, path, arguments, changes)

    if watch:
        from understudy.cli import rules_watch

        rules_watch.refuse_contradictions(arguments)
        return rules_watch.watch(load, arguments, words)
    project = load()
    act = project.acts["rules"]
    if isinstance(act, RulesAct) and started is not None:
        act.begin_in(started)
    return rehearse(project, arguments, words)
