"""Packages in the files of Python's tools: requirements files, Pipfile.lock, poetry.lock, uv.lock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from understudy.rules.host.dependencies.packages import NotReadable, Package, Read
from understudy.rules.host.dependencies.structured import json_object, tables, toml_table
from understudy.trees.paths import join, parent

_COMMENT = re.compile(r"(?:^|\s)#.*$")
_VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")
_OPTIONS = re.compile(r"(?:--hash|--global-option|--config-settings|-C).*")
_EXTRAS = re.compile(r"\[[^\[\]]*\]")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]+")
_OPEN_ENDED = re.compile(r"\*|<[^=]|,|!=")
_COMPARISONS = ("===", "==", ">=", "<=", "~=")
_FILES_LIMIT = 100


def requirements(text: str, path: str, read: Read) -> Iterator[Package]:
    """The packages of a requirements file, and of those that it includes with `-r`.

    The version is the one that a single `==`, `>=`, `<=` or `~=` names; with anything else there is none.
    """
    seen, waiting = {path}, [path]
    while waiting:
        current = waiting.pop(0)
        if current != path:
            try:
                text = read(current)
            except NotReadable:
                continue
        for line in _requirement_lines(text):
            if line.startswith("-r"):
                other = join(parent(current), line[2:])
                if other not in seen and len(seen) < _FILES_LIMIT:
                    seen.add(other)
                    waiting.append(other)
            elif not line.startswith("-"):
                package = _requirement(line)
                if package is not None:
                    yield package if current == path else replace(package, files=(current,))


def _requirement_lines(text: str) -> Iterator[str]:
    joined = ""
    for line in text.split("\n"):
        line = _COMMENT.sub("", line)
        if _VARIABLE.search(line):
            joined = ""
            continue
        if line.endswith("\\"):
            joined += line[:-1]
            continue
        line, joined = joined + line, ""
        line = re.sub(r"[ \t\r]", "", _OPTIONS.sub("", line)).partition(";")[0]
        line = _EXTRAS.sub("", line)
        if line:
            yield line


def _requirement(line: str) -> Package | None:
    name, version = line, ""
    if _OPEN_ENDED.search(line):
        name = re.split("|".join((*_COMPARISONS, "!=", "<")), line, maxsplit=1)[0]
    else:
        for comparison in _COMPARISONS:
            if comparison in line:
                name, _, version = line.partition(comparison)
                if not version:
                    return None
                break
    return Package(name, version, "pypi") if _NAME.fullmatch(name) else None


def pipfile_lock(text: str, path: str, read: Read) -> Iterator[Package]:
    """The packages of a Pipfile.lock that are pinned."""
    lock = json_object(text)
    for group in ("default", "develop"):
        packages = lock.get(group)
        for name, entry in (packages if isinstance(packages, dict) else {}).items():
            version = entry.get("version") if isinstance(entry, dict) else None
            if isinstance(version, str) and version.startswith("==") and len(version) > 2:
                yield Package(name, version[2:], "pypi")


def poetry_lock(text: str, path: str, read: Read) -> Iterator[Package]:
    """The packages of a poetry.lock."""
    for name, version, _ in tables(toml_table(text), "package"):
        yield Package(name, version, "pypi")


def uv_lock(text: str, path: str, read: Read) -> Iterator[Package]:
    """The packages of a uv.lock, without the project itself."""
    for name, version, table in tables(toml_table(text), "package"):
        source: Any = table.get("source")
        if not (isinstance(source, dict) and source.get("virtual") == "."):
            yield Package(name, version, "pypi")
