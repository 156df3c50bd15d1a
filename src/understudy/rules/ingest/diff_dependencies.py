"""The dependencies that a patch of a lock or requirements file adds, read from its lines as Minder reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

_VERSION_AT = re.compile(r"(>=|<=|==|>|<|!=)\s*(\d+(?:\.\d+)*\*?)")
_COMPARISON = re.compile(r">=|<=|==|>|<|!=")
_NPM_VERSION = re.compile(r'\+\s*"version"\s*:\s*"([^"\n]*)"\s*(?:,|$)')
_NPM_NAME = re.compile(r'"([^"]+)"\s*:\s*\{')
_STEPS = 5_000_000

NPM, GO, PYPI = 1, 2, 3
Added = Iterator[tuple[str, str]]


def added_dependencies(ecosystem: str, patch: str) -> list[dict[str, Any]]:
    """What a patch adds: `npm`, `go` or `pypi` says how it is read; of another ecosystem nothing is known.

    What is empty is left out, as Go does.

    >>> added_dependencies("pypi", "+Foo_Bar>=1.2 # why\\n+plain\\n-gone==1")
    [{'ecosystem': 3, 'name': 'foo-bar', 'version': '1.2'}, {'ecosystem': 3, 'name': 'plain'}]
    """
    found = _READERS.get(ecosystem.lower())
    if found is None:
        return []
    number, read = found
    return [dependency(number, name, version) for name, version in read(patch)]


def dependency(ecosystem: int, name: str, version: str) -> dict[str, Any]:
    """A dependency as Minder's message is written to JSON."""
    fields = {"ecosystem": ecosystem, "name": name, "version": version}
    return {key: value for key, value in fields.items() if value}


def _requirements(patch: str) -> Added:
    for line in patch.split("\n"):
        line = line.strip()
        if not line.startswith("+"):
            continue
        line = line[1:].partition("#")[0].strip()
        if not line:
            continue
        versions = _VERSION_AT.findall(line)
        version = versions[0][1] if versions else ""
        for comparison, lower in versions:
            if comparison in (">", ">=", "=="):
                version = lower
        name = _COMPARISON.split(line, maxsplit=1)[0].strip() if versions else line
        yield re.sub(r"[-_.]+", "-", name).lower(), version


def _go_mod(patch: str) -> Added:
    seen: set[tuple[str, str]] = set()
    for line in patch.split("\n"):
        if not line.startswith("+") or line.startswith("+++") or "// indirect" in line:
            continue
        fields = line[1:].split()
        if len(fields) >= 3 and fields[0] == "require" and fields[1] != "(":
            module = fields[1], fields[2]
        elif line.startswith("+\t") and len(fields) >= 2 and fields[0] != "require":
            module = fields[0], fields[1]
        elif len(fields) >= 5 and fields[0] == "replace" and "=>" in line:
            module = fields[3], fields[4]
        else:
            continue
        if module not in seen:
            seen.add(module)
            yield module


def _package_lock(patch: str) -> Added:
    lines = patch.split("\n")
    steps = _STEPS
    for index, line in enumerate(lines):
        found = _NPM_VERSION.match(line)
        if not found:
            continue
        name, used = _npm_name(lines, index, steps)
        steps -= used
        if name:
            yield name, found[1]


def _npm_name(lines: list[str], index: int, steps: int) -> tuple[str, int]:
    """The name of the package whose version stands at a line ('' for the project itself), and the lines looked at."""
    closed = 0
    first = max(index - steps, 0)
    for place in range(index - 1, first - 1, -1):
        line = lines[place]
        closed += "}" in line
        if "{" not in line:
            continue
        if not closed:
            found = _NPM_NAME.search(line)
            return (_package_at(found[1]) if found else ""), index - place
        closed -= 1
    return "", index - first


def _package_at(path: str) -> str:
    """The package at a path such as `node_modules/@scope/name`."""
    folder, _, name = path.rstrip("/").rpartition("/")
    scope = folder.rpartition("/")[2]
    return f"{scope}/{name}" if scope.startswith("@") else name


_READERS: dict[str, tuple[int, Callable[[str], Added]]] = {
    "npm": (NPM, _package_lock),
    "go": (GO, _go_mod),
    "pypi": (PYPI, _requirements),
}
