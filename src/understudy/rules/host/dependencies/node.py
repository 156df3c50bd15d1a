"""Packages in npm's files: package-lock.json of every version, and package.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from understudy.rules.host.dependencies.packages import Package, Read
from understudy.rules.host.dependencies.structured import json_object


def package_lock(text: str, path: str, read: Read) -> Iterator[Package]:
    """The packages of a package-lock.json. One inside of node_modules is not the project's."""
    if "node_modules" in path.split("/")[:-1]:
        return
    lock = json_object(text)
    packages = lock.get("packages")
    if isinstance(packages, dict):
        for place, entry in packages.items():
            if place and isinstance(entry, dict):
                yield Package(_text(entry.get("name")) or _name_at(place), _text(entry.get("version")), "npm")
    else:
        yield from _nested(lock.get("dependencies"))


def package_json(text: str, path: str, read: Read) -> Iterator[Package]:
    """The package that a package.json describes: what it depends on has no version there.

    Extensions of editors and of Unity, which have a package.json too, are no packages of npm.
    """
    package = json_object(text)
    name, version = _text(package.get("name")), _text(package.get("version"))
    engines = package.get("engines")
    is_extension = isinstance(engines, dict) and "vscode" in engines
    if (
        name
        and version
        and not (is_extension or package.get("contributes") is not None or package.get("unity"))
    ):
        yield Package(name, version, "npm")


def _nested(dependencies: Any) -> Iterator[Package]:
    waiting = [dependencies]
    while waiting:
        level = waiting.pop()
        for name, entry in (level if isinstance(level, dict) else {}).items():
            if not isinstance(entry, dict):
                continue
            waiting.append(entry.get("dependencies"))
            version = _text(entry.get("version"))
            if version.startswith("npm:"):
                alias, _, version = version.removeprefix("npm:").rpartition("@")
                name = alias or name
            elif version.startswith("file:"):
                version = ""
            yield Package(name, version, "npm")


def _name_at(place: str) -> str:
    """The name of a package at `node_modules/@scope/name`."""
    folder, _, name = place.rstrip("/").rpartition("/")
    scope = folder.rpartition("/")[2]
    return f"{scope}/{name}" if scope.startswith("@") else name


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
