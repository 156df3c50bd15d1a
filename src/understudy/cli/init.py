"""`understudy init`: writes a first project that can be run at once, and never over what is there already."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

import click

from understudy.core.errors import InputError, Problem
from understudy.core.files import atomic_write
from understudy.project.locate import locate

# Where each file goes; all of them stand as they are in the package, beside this module.
FILES = {
    "understudy.toml": "understudy.toml",
    "rehearsal/app.py": "app.py",
    "rehearsal/example.suite.json": "example.suite.json",
    "rehearsal/example.yaml": "example.yaml",
    "rehearsal/clerk.py": "clerk.py",
    "rehearsal/feed.py": "feed.py",
    "rehearsal/policies/readme.yaml": "readme.yaml",
    "rehearsal/policies/readme.star": "readme.star",
    ".github/workflows/understudy.yml": "workflow.yml",
}


@click.command("init")
@click.argument("path", default=".")
def command(path: str) -> None:
    """Write a first project into the folder PATH (or this one): understudy.toml, an example suite and script with
    a little app to try them on, a policy with its tests, an agent, a pipeline, and a CI workflow for GitHub. Files
    that exist are left as they are.
    """
    folder = Path(path)
    _refuse_second_project(folder)
    source = files("understudy.cli").joinpath("first_project")
    written = 0
    for name, original in FILES.items():
        target = folder / name
        if os.path.lexists(target):
            click.echo(f"kept   {target} (it exists)")
            continue
        _make(target.parent)
        atomic_write(target, source.joinpath(original).read_bytes())
        click.echo(f"wrote  {target}")
        written += 1
    where = "" if path == "." else f" {path}"
    if written:
        click.echo(
            f"\nNow try: understudy run{where}\nThen let [app] start in understudy.toml start your own app."
        )
    else:
        click.echo("\nEverything was there already; nothing was written.")


def _refuse_second_project(folder: Path) -> None:
    """An understudy.toml would take the place of a table in pyproject.toml without a word."""
    if not folder.is_dir():
        return
    try:
        place = locate(folder)
    except InputError:
        return  # none yet, which is what we are here for
    if place.table:
        message = "this folder is a project already, by its table [tool.understudy]"
        hint = "run it with `understudy run`; or init another folder"
        raise InputError([Problem(message, str(place.file), hint=hint)])


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"the folder cannot be made: {reason}"
        raise InputError([Problem(message, str(folder), hint="give another folder")]) from None
