"""`understudy schema`: the JSON Schemas of our files, for editors."""

from __future__ import annotations

import json
from pathlib import Path

import click

from understudy.cli.schemas import SCHEMAS, make_schema
from understudy.core.errors import InputError, Problem
from understudy.core.files import atomic_write
from understudy.core.nearness import closest_name


@click.command("schema")
@click.argument("name", required=False)
@click.option("--out", "folder", default="", metavar="FOLDER", help="Write all of them into this folder.")
def command(name: str | None, folder: str) -> None:
    """Print the schema of one kind of file (NAME), write all with --out, or list the names."""
    if name and name not in SCHEMAS:
        near = closest_name(name, SCHEMAS)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(SCHEMAS)}"
        raise InputError([Problem(f"no schema is called {name!r}", hint=hint)])
    if folder:
        _make(folder)
        for each in [name] if name else SCHEMAS:
            path = Path(folder) / f"{each}.schema.json"
            atomic_write(path, json.dumps(make_schema(each), indent=2, ensure_ascii=False) + "\n")
            click.echo(path)
    elif name:
        click.echo(json.dumps(make_schema(name), indent=2, ensure_ascii=False))
    else:
        for each, schema in SCHEMAS.items():
            click.echo(f"{each:12} {schema.what}")


def _make(folder: str) -> None:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"the folder cannot be made: {reason}"
        raise InputError([Problem(message, folder, hint="name another with --out")]) from None
