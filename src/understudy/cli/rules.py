"""`understudy rules`: tests of policy rules, from the project file or for folders on the command line."""

from __future__ import annotations

from typing import Any

import click

from understudy.cli.options import RunArguments, run_arguments, run_options
from understudy.cli.rehearse import rehearse
from understudy.cli.rules_check import command as check
from understudy.cli.rules_coverage import command as coverage
from understudy.cli.rules_mutate import command as mutate
from understudy.core.errors import InputError, Problem
from understudy.project.project import Project, load_project
from understudy.project.rules_project import ACT, project_of_rules


@click.group("rules")
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

    def load() -> Project:
        return rules_project([*paths, *dirs], root, path, arguments, changes)

    if watch:
        from understudy.cli import rules_watch  # late: it brings the room in

        rules_watch.refuse_contradictions(arguments)
        return rules_watch.watch(load, arguments, words)
    return rehearse(load(), arguments, words)


def rules_project(
    names: list[str], root: str, path: str | None, arguments: RunArguments, changes: dict[str, Any]
) -> Project:
    """The project that is meant: folders on the command line, or the rules of a project file."""
    if not names:
        if root:
            raise InputError("--root says what folders on the command line may reach; name one with --dir")
        project = load_project(path, environment=arguments.environment, seed=arguments.seed, only=ACT)
        if ACT not in project.acts:
            raise InputError([Problem("has no [rules] table", project.file, hint="name a folder with --dir")])
        if changes:
            settings = project.act_settings[ACT]
            project.act_settings = {ACT: settings.model_copy(update=changes)}
        return project
    if path is not None:
        raise InputError("--project has no meaning beside folders on the command line")
    return project_of_rules(names, root, changes, arguments.seed)


command.add_command(check)
command.add_command(coverage)
command.add_command(mutate)
