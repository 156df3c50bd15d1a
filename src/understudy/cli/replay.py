"""`understudy replay`: the pipelines that a project declares, or one that is named on the command line."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from understudy.cli.options import RunArguments, run_arguments, run_options
from understudy.cli.rehearse import rehearse
from understudy.core.errors import InputError, Problem
from understudy.project.project import Project, load_project
from understudy.project.single import single_act_project

ACT = "replay"
_FUNCTION = re.compile(r"[\w.]+:[\w.]+")


@click.command(ACT)
@click.argument("what", required=False, metavar="[PATH | MODULE:FUNCTION]")
@click.option("--world", default="", metavar="MODULE:FUNCTION", help="What makes the pipeline's world.")
@click.option("--ids", is_flag=True, help="Fail only for missing ids, not for everything that differs.")
@click.option("--ordered", is_flag=True, help="Another order is a difference too.")
@click.option("--explore", is_flag=True, help="Also explore what crashes and repeated deliveries do to it.")
@run_options
def command(what: str | None, world: str, ids: bool, ordered: bool, explore: bool, **options: Any) -> int:
    """Run pipelines, run them again as replays, and name what differs and why.

    Without MODULE:FUNCTION, they are those of the project at PATH, or of the one around this folder. With it, the
    module is looked for in this folder.
    """
    arguments = run_arguments(options)
    words = ["understudy", ACT, *([what] if what else [])]
    flags = {"--ids": ids, "--ordered": ordered, "--explore": explore}
    if what is not None and _FUNCTION.fullmatch(what) and not os.path.exists(what):
        words += ["--world", world] if world else []
        words += [name for name, is_given in flags.items() if is_given]
        pipeline: dict[str, Any] = {
            "run": what,
            "compare": "ids" if ids else "content",
            "ordered": ordered,
            "explore": explore,
        }
        return rehearse(_single(pipeline, world, arguments), arguments, words)
    given = [name for name, value in {"--world": world, **flags}.items() if value]
    if given:
        hint = "name one, or write it under [[replay.pipelines]]"
        raise InputError([Problem(f"{given[0]} is for a pipeline on the command line", hint=hint)])
    project = load_project(what, environment=arguments.environment, seed=arguments.seed, only=ACT)
    if ACT not in project.acts:
        hint = "write it, or name a pipeline as module:function"
        raise InputError([Problem("has no [replay] table", project.file, hint=hint)])
    return rehearse(project, arguments, words)


def _single(pipeline: dict[str, Any], world: str, arguments: RunArguments) -> Project:
    """A project of this one pipeline, in the folder that we are in."""
    for name, is_given in (("--env", arguments.environment), ("--rerun-failed", arguments.rerun_failed)):
        if is_given:
            hint = "leave the pipeline out to replay those of the project"
            raise InputError([Problem(f"{name} has no meaning for one on the command line", hint=hint)])
    if world:
        pipeline["world"] = world
    return single_act_project(ACT, {"pipelines": [pipeline]}, [], seed=arguments.seed, root=os.getcwd())
