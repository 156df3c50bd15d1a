"""`understudy rules check`: rules, or a whole profile, run against a real git repository."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from understudy.cli.options import RunArguments, run_arguments, run_options
from understudy.cli.rehearse import rehearse
from understudy.core.errors import InputError, Problem
from understudy.project.project import Project, load_project
from understudy.project.roots import enclosing_root
from understudy.project.rules_project import ACT, project_of_rules
from understudy.project.single import single_act_project

_OPTIONS = (
    click.argument("paths", nargs=-1),
    click.option("--dir", "dirs", multiple=True, metavar="DIR", help="Folder of rules; may be repeated."),
    click.option(
        "--repo", default="", metavar="PATH", help="The git repository; default: the current folder."
    ),
    click.option("--revision", default="", metavar="REV", help="Check this commit, not the working tree."),
    click.option(
        "--base", default="", metavar="REV", help="The state before a change, for pull request rules."
    ),
    click.option("--profile", default="", metavar="FILE", help="Run what this profile wants."),
    click.option("--mocks", default="", metavar="FILE", help="YAML file with the answers to HTTP requests."),
    click.option(
        "--allow-network",
        is_flag=True,
        help="Ask the real API, with GITHUB_TOKEN, GITLAB_TOKEN or MINDER_AUTH_TOKEN if they are set.",
    ),
    click.option(
        "--data-source", "sources", multiple=True, metavar="FILE", help="A data source; may be repeated."
    ),
    click.option(
        "--entity", default="", metavar="FILE", help="YAML or JSON file that says more of the entity."
    ),
    click.option(
        "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A field of the entity, as owner=acme."
    ),
    click.option(
        "--rule-timeout",
        type=click.FloatRange(0, 3600, min_open=True),
        default=None,
        metavar="SECONDS",
        help="Stop a rule that runs longer.",
    ),
    click.option(
        "--root", default="", metavar="DIR", help="What rule files may reach; default: the project's folder."
    ),
    click.option(
        "--project", "path", default=None, metavar="PATH", help="The project, if no folder of rules is given."
    ),
)


def _check_options(function: Any) -> Any:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command("check")
@_check_options
@run_options
def command(**options: Any) -> int:
    """Run the rules in PATHS, in --dir, or of the project against a git repository."""
    arguments = run_arguments(options)
    if options["mocks"] and options["allow_network"]:
        raise click.UsageError("--mocks and --allow-network contradict each other; give one of them")
    names = [*options["paths"], *options["dirs"]]
    if names and options["path"] is not None:
        raise InputError("--project has no meaning beside folders on the command line")
    if options["root"] and not names:
        raise InputError("--root says what folders on the command line may reach; name one with --dir")
    _refuse_missing(names, options)
    project = _project_of(names, options, arguments) if names else _project_of_file(options, arguments)
    return rehearse(project, arguments, _words(options))


def _project_of(names: list[str], options: dict[str, Any], arguments: RunArguments) -> Project:
    """Folders on the command line; what else a project file around them says of rules holds too."""
    first = Path(names[0])
    root = (
        Path(options["root"]).resolve()
        if options["root"]
        else enclosing_root(first if first.is_dir() else first.parent)
    )
    check = {"repo": str(Path.cwd()), **_changes(options, root)}
    return project_of_rules(names, str(root), {"tests": False, "check": check}, arguments.seed)


def _project_of_file(options: dict[str, Any], arguments: RunArguments) -> Project:
    """The rules and the check of a project file, over which the command line has its say."""
    project = load_project(options["path"], environment=arguments.environment, seed=arguments.seed, only=ACT)
    if ACT not in project.acts:
        raise InputError([Problem("has no [rules] table", project.file, hint="name a folder with --dir")])
    settings = project.act_settings[ACT]
    said = settings.check.model_dump(exclude_unset=True) if settings.check is not None else {}
    changes = _changes(options, project.root)
    if "mocks" in changes:
        said.pop("allow_network", None)
    if "allow_network" in changes:
        said.pop("mocks", None)
    if "profile" in changes:
        said.pop("rules", None)
    entity = {**said.pop("entity", {}), **changes.pop("entity", {})}
    table = {
        **settings.model_dump(exclude_unset=True),
        "tests": False,
        "check": {**said, **changes, "entity": entity},
    }
    made = single_act_project(ACT, table, [], seed=arguments.seed, root=str(project.root))
    project.act_settings, project.single = made.act_settings, made.single
    return project


def _changes(options: dict[str, Any], root: Path) -> dict[str, Any]:
    """What the command line says of the check; files are relative to the root from there on."""
    from understudy.rules.check.overrides import setting

    changes: dict[str, Any] = {
        "repo": str(Path(options["repo"]).resolve()) if options["repo"] else "",
        "revision": options["revision"],
        "base": options["base"],
        "profile": _relative(options["profile"], root),
        "mocks": _relative(options["mocks"], root),
        "allow_network": options["allow_network"],
        "data_sources": [_relative(name, root) for name in options["sources"]],
        "entity_file": _relative(options["entity"], root),
        "entity": dict(setting(text) for text in options["settings"]),
        "timeout": options["rule_timeout"],
    }
    return {name: value for name, value in changes.items() if value}


def _relative(name: str, root: Path) -> str:
    return Path(os.path.relpath(Path(name).resolve(), root)).as_posix() if name else ""


def _refuse_missing(names: list[str], options: dict[str, Any]) -> None:
    """Told by the name that the user gave."""
    problems = [
        Problem("no such file or folder", name, hint="check the path")
        for name in names
        if not os.path.exists(name)
    ]
    files = {"--profile": options["profile"], "--mocks": options["mocks"], "--entity": options["entity"]}
    given = [*files.items(), *(("--data-source", name) for name in options["sources"])]
    problems += [
        Problem(f"{option}: no such file", name, hint="check the path")
        for option, name in given
        if name and not os.path.isfile(name)
    ]
    if problems:
        raise InputError(problems)


def _words(options: dict[str, Any]) -> list[str]:
    """The command without the options that only this run is about, to which a rerun adds its case."""
    words = ["understudy", "rules", "check", *options["paths"]]
    words += [word for name in options["dirs"] for word in ("--dir", name)]
    for name in ("repo", "revision", "base", "profile", "mocks"):
        words += [f"--{name}", options[name]] if options[name] else []
    words += ["--allow-network"] if options["allow_network"] else []
    words += [word for name in options["sources"] for word in ("--data-source", name)]
    words += ["--entity", options["entity"]] if options["entity"] else []
    words += [word for text in options["settings"] for word in ("--set", text)]
    words += ["--rule-timeout", f"{options['rule_timeout']:g}"] if options["rule_timeout"] else []
    words += ["--root", options["root"]] if options["root"] else []
    words += ["--project", options["path"]] if options["path"] else []
    return words
