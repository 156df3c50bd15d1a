"""Archives of text files in one text, as Go's txtar writes them: `-- name --`, then the file's lines."""

from __future__ import annotations

import re

_MARKER = re.compile(r"^-- (.+?) --[ \t]*\r?$", re.MULTILINE)


class ArchiveError(ValueError):
    """The archive says something twice, or names what no file can be called."""


def parse_txtar(text: str) -> dict[str, str]:
    """The files of an archive by name, in their order; what stands above the first one is a comment.

    >>> parse_txtar("comment\\n-- a.txt --\\nhello\\n-- b/c.txt --\\n")
    {'a.txt': 'hello\\n', 'b/c.txt': ''}
    """
    files: dict[str, str] = {}
    name, start = "", 0
    for marker in _MARKER.finditer(text):
        next_name = marker[1].strip()
        if not next_name:
            continue
        if name:
            files[name] = _ended(text[start : marker.start()])
        if next_name in files or next_name == name:
            line = text.count("\n", 0, marker.start()) + 1
            raise ArchiveError(
                f"txtar: line {line}: the file {next_name!r} is in the archive twice; remove one"
            )
        name, start = next_name, min(marker.end() + 1, len(text))
    if name:
        files[name] = _ended(text[start:])
    return files


def _ended(text: str) -> str:
    """A file's last line ends with a line break, whether or not the archive's does."""
    return text if not text or text.endswith("\n") else text + "\n"
