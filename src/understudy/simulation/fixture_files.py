"""Objects from JSON and JSONL files, each with its place; a broken line is told by its number, and the rest is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.documents.json import load_json

LINE_LIMIT = 16 << 20
_BY_LINE = (".jsonl", ".ndjson")
_BY_FILE = (".json", ".stix", ".stix2", ".taxii")


@dataclass(frozen=True, slots=True)
class Read:
    """Data from a file, and the name of the place where it stands."""

    data: Any
    place: str


def read_objects_file(path: Path) -> Iterator[Read | Problem]:
    """What a file holds: of JSON the whole, of JSONL each line by itself, and what is wrong with either."""
    if path.suffix.lower() in _BY_LINE:
        yield from _lines(path)
        return
    if trouble := _not_json(path):
        yield trouble
        return
    try:
        yield Read(load_json(path).data, str(path))
    except InputError as error:
        yield from error.problems


def _not_json(path: Path) -> Problem | None:
    try:
        if path.is_dir():
            return Problem("a folder is no fixture", str(path), hint="give the files in it")
        if path.suffix.lower() not in _BY_FILE and path.exists():
            names = ", ".join((*_BY_FILE, *_BY_LINE))
            hint = f"it has to end in {names}"
            return Problem("this is no file of fixtures by its name", str(path), hint=hint)
    except OSError as error:
        return _unreadable(path, error)
    return None


def _unreadable(path: Path, error: OSError) -> Problem:
    name = brief(str(path), 200)[1:-1]
    return Problem(f"cannot be read: {error.strerror}", name, hint="check the path and its permissions")


def _lines(path: Path) -> Iterator[Read | Problem]:
    try:
        with path.open("rb") as file:
            yield from _read_lines(file, str(path))
    except OSError as error:
        yield _unreadable(path, error)
    except ValueError as error:  # a name with a null byte
        yield Problem(f"is no usable path: {error}", brief(str(path)), hint="check the path")


def _read_lines(file: BinaryIO, name: str) -> Iterator[Read | Problem]:
    number = 0
    while line := file.readline(LINE_LIMIT + 1):
        number += 1
        if len(line) > LINE_LIMIT:
            hint = "every object stands on a line of its own"
            yield Problem(f"the line has more than {LINE_LIMIT:,} bytes", name, number, hint=hint)
            return
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            hint = "save the file as UTF-8"
            yield Problem(f"byte {error.start + 1} of the line is no UTF-8", name, number, hint=hint)
            continue
        if not text.strip():
            continue
        try:
            yield Read(load_json(name, text=text.rstrip("\r\n")).data, f"{name}:{number}")
        except InputError as error:
            yield from (replace(problem, line=number) for problem in error.problems)
