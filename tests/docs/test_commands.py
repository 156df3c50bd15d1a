"""Every command that the documentation shows is one: its options exist, and its expressions can be read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from understudy.cli.main import command
from understudy.core.matching import compile_expression

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "examples" / "storefront" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
ASSIGNMENT = re.compile(r"[A-Z_]+=.*")


def shown(page: Path) -> Iterator[tuple[str, list[str]]]:
    """The place and the arguments of every call of `understudy` behind a prompt."""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith("$ "):
            continue
        words = shlex.split(line[2:], comments=True)
        while words and ASSIGNMENT.fullmatch(words[0]):
            words.pop(0)
        if words and Path(words[0]).name == "understudy":
            yield f"{page.relative_to(ROOT)}:{number}", words[1:]


COMMANDS = dict(place for page in PAGES for place in shown(page))


def parsed(arguments: list[str]) -> dict[str, Any]:
    """What click makes of the arguments of a command, which is not run."""
    found: click.Command = command
    context = click.Context(found)
    while isinstance(found, click.Group):
        child = found.get_command(context, arguments[0])
        assert child is not None, arguments[0]
        found, arguments = child, arguments[1:]
    return found.make_context(found.name, list(arguments)).params


def test_there_are_commands_to_check() -> None:
    assert len(COMMANDS) >= 10


@pytest.mark.parametrize(("place", "arguments"), COMMANDS.items(), ids=COMMANDS)
def test_a_command_of_the_documentation_can_be_read(place: str, arguments: list[str]) -> None:
    options = parsed(arguments)
    for expression in (options.get("keyword"), options.get("tags")):
        if expression:
            compile_expression(expression)
