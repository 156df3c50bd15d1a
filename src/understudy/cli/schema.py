"""`understudy schema`: the JSON Schemas of our files, for editors."""

from __future__ import annotations

import json
from pathlib import Path

import click

from understudy.cli.schemas import SCHEMAS, make_schema
from understudy.core.errors import InputError
from understudy.core.files import atomic_write


@click.command("schema")
@click.argument("name", required=False)
@click.option("--out", "folder", default="", metavar="FOLDER", help="Write all of them into this folder.")
def command(name: str | None, folder: str) -> None:
    """Print the schema of one kind of file (NAME), write all with --out, or list the names."""
    if name and name not in SCHEMAS:
        raise InputError(f"no schema {name!r}; there are {', '.join(SCHEMAS)}")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for each in [name] if name else SCHEMAS:
            path = Path(folder) / f"{each}.schema.json"
            atomic_write(path, json.dumps(make_schema(each), indent=2, ensure_ascii=False) + "\n")
            click.echo(path)
    elif name:
        click.echo(json.dumps(make_schema(name), indent=2, ensure_ascii=False))
    else:
        for each, schema in SCHEMAS.items():
            click.echo(f"{each:12} {schema.what}")
