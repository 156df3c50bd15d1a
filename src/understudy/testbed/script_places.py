"""Finds where in a script an expectation of a case stands; the script is read again, since only failures ask."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from understudy.core.errors import InputError
from understudy.core.outcome import Location
from understudy.documents.positions import Document
from understudy.documents.yaml import load_yaml
from understudy.testbed.cases import ScriptSource
from understudy.testbed.findings import Where

# Keys of a case that stand beside `expect` in a script; what a case has under `input` stands beside them, too.
_SECTIONS = ("http", "websocket", "graphql", "grpc", "queue")


def entry_path(path: Path, source: ScriptSource) -> tuple[Document, tuple[str | int, ...]] | None:
    """The document and the place in it of the entry that a case was made of; None if the script has changed."""
    try:
        document = _read(str(path), path.stat().st_mtime_ns)
    except (InputError, OSError):
        return None
    for section in _SECTIONS:
        entries = document.data.get(section) if isinstance(document.data, dict) else None
        for number in range(len(entries) if isinstance(entries, list) else 0):
            if document.positions.value((section, number)) == (source.line, source.column):
                return document, (section, number)
    return None


def finding_location(path: Path, file: str, source: ScriptSource, where: Where) -> Location:
    """Line and column of the expectation at `where` in a case; the entry's own if it is written nowhere."""
    found = entry_path(path, source)
    if found is None:
        return Location(file, source.line or None, source.column or None)
    document, entry = found
    line, column = document.positions.value((*entry, *where))
    return Location(file, line, column)


@lru_cache(maxsize=16)
def _read(path: str, changed: int) -> Document:
    return load_yaml(path)
