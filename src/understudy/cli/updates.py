"""Shows what `--update` would write, as a diff, and writes it."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from understudy.core.files import atomic_write
from understudy.engine.act import FileChange


def offer_changes(changes: Sequence[FileChange], root: Path, *, ask: bool) -> None:
    """Show every change first; then write them all, after asking if somebody is there to answer."""
    if not changes:
        click.echo("--update: no expectation of a script could be settled by what was observed")
        return
    for change in changes:
        name = os.path.relpath(change.path, root)
        diff = difflib.unified_diff(
            change.before.splitlines(keepends=True),
            change.after.splitlines(keepends=True),
            f"{name} (as it is)",
            f"{name} (as observed)",
        )
        click.echo("".join(line if line.endswith("\n") else line + "\n" for line in diff), nl=False)
    if ask and sys.stdin.isatty() and not click.confirm(f"write {len(changes)} file(s)?"):
        click.echo("nothing was written")
        return
    for change in changes:
        atomic_write(change.path, change.after)
    click.echo(f"--update: wrote {', '.join(os.path.relpath(change.path, root) for change in changes)}")
