"""`understudy run`: everything that the project declares, one report."""

from __future__ import annotations

from typing import Any

import click

from understudy.cli.options import run_arguments, run_options
from understudy.cli.rehearse import rehearse
from understudy.project.project import load_project


@click.command("run")
@click.argument("path", required=False)
@run_options
def command(path: str | None, **options: Any) -> int:
    """Run everything that the project at PATH (or the one around this folder) declares."""
    arguments = run_arguments(options)
    project = load_project(path, environment=arguments.environment, seed=arguments.seed)
    return rehearse(project, arguments, ["understudy", "run", *([path] if path else [])])
