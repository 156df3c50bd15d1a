"""`understudy testbed run`: suites against a server, from the project file or from the command line alone."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import click

from understudy.cli.lazy_group import LazyGroup
from understudy.cli.options import RunArguments, run_arguments, run_options
from understudy.cli.rehearse import rehearse
from understudy.core.errors import InputError, Problem
from understudy.project.project import load_project
from understudy.project.single import single_act_project


@click.group("testbed", cls=LazyGroup, modules={})
def command() -> None:
    """Run suites of HTTP and GraphQL cases against a server."""


@command.command("run")
@click.argument("suites", nargs=-1)
@click.option(
    "--script", "scripts", multiple=True, metavar="FILE", help="Add the cases of this script (YAML)."
)
@click.option("--base-url", default="", metavar="URL", help="Where the server is.")
@click.option("--include-generated", is_flag=True, help="Also run generated cases beside scripted ones.")
@click.option(
    "--report", "v1_report", default="", metavar="FILE", help="Write the report as anvil.testbed.report.v1."
)
@click.option("--project", "path", default=None, metavar="PATH", help="The project, if no suites are given.")
@run_options
def run(
    suites: tuple[str, ...],
    scripts: tuple[str, ...],
    base_url: str,
    include_generated: bool,
    v1_report: str,
    path: str | None,
    **options: Any,
) -> int:
    """Run SUITES (JSON files) at --base-url, or the testbed of the project."""
    arguments = run_arguments(options)
    if len(suites) == 1 and path is None and _is_project(suites[0]):
        # As `understudy run PATH` has it.
        path, suites = suites[0], ()
    command_line = ["understudy", "testbed", "run", *suites]
    for script in scripts:
        command_line += ["--script", script]
    if base_url:
        command_line += ["--base-url", base_url]
    if include_generated:
        command_line.append("--include-generated")
    if suites:
        if not base_url:
            raise InputError("suites on the command line need --base-url; where is the server?")
        _refuse_project_options(path, arguments)
        settings = {"suites": list(suites), "scripts": list(scripts), "include_generated": include_generated}
        project = single_act_project("testbed", settings, [*suites, *scripts], base_url, arguments.seed)
    elif scripts or include_generated:
        raise InputError("--script and --include-generated need suites on the command line")
    else:
        project = load_project(path, environment=arguments.environment, seed=arguments.seed, only="testbed")
        if not project.acts:
            raise InputError(f"{project.file} has no [testbed] table")
        project = replace(project, base_url=base_url)
        command_line += ["--project", path] if path else []
    return rehearse(project, arguments, command_line, v1_report=v1_report)


def _is_project(path: str) -> bool:
    return path.endswith(".toml") or any(
        os.path.isfile(os.path.join(path, name)) for name in ("understudy.toml", "pyproject.toml")
    )


def _refuse_project_options(path: str | None, arguments: RunArguments) -> None:
    """What only a project file can answer must not be ignored silently."""
    given = {
        "--project": path is not None,
        "--env": bool(arguments.environment),
        "--rerun-failed": arguments.rerun_failed,
    }
    names = [name for name, is_given in given.items() if is_given]
    if names:
        hint = "leave the suites out to run the testbed of the project"
        raise InputError([Problem(f"{names[0]} has no meaning for suites on the command line", hint=hint)])
