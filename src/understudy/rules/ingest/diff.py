"""The diff ingest of pull requests: changed lines, or added dependencies, in the shape of Minder's messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.dependencies.scan import packages_below
from understudy.rules.host.glob import matches
from understudy.rules.ingest.diff_dependencies import GO, NPM, PYPI, added_dependencies, dependency
from understudy.rules.ingest.diff_patch import changed_files
from understudy.trees.tree import Tree, TreeError

TYPES = ("dep", "new-dep", "full")
_HUNK = re.compile(r"@@ -\d+,\d+ \+(\d+),\d+ @@")
_NUMBERS = {"npm": NPM, "golang": GO, "pypi": PYPI}


def ingest_diff(
    settings: Mapping[str, Any] | None, entity: Mapping[str, Any], head: Tree, base: Tree
) -> dict[str, Any]:
    """What a rule with `ingest.diff` ingests from the state after (`head`) and before a change (`base`).

    `full` gives the added lines of every changed file; `dep` the dependencies that the patches of the files named
    in `ecosystems` add; `new-dep` those that the state after names and the one before does not. What is empty is
    left out, as Go does. Raises InputError for settings that Minder refuses, and for files that cannot be read.

    >>> from understudy.trees import memory_tree
    >>> head, base = memory_tree({"a.txt": "1\\n2\\n"}), memory_tree({"a.txt": "1\\n"})
    >>> ingest_diff({"type": "full"}, {"number": 1}, head, base)["files"]
    [{'name': 'a.txt', 'patch_lines': [{'line_number': 2, 'content': '2'}]}]
    """
    settings = settings or {}
    form = settings.get("type") or "dep"
    if form not in TYPES:
        nearest = closest_name(form, TYPES) if isinstance(form, str) else ""
        hint = f"did you mean {nearest!r}?" if nearest else f"write one of: {', '.join(TYPES)}"
        raise InputError([Problem(f"ingest.diff.type {brief(form)} is unknown", hint=hint)])
    try:
        if form == "full":
            name, found = "files", list(_changed_lines(entity, head, base))
        elif form == "dep":
            name, found = "deps", list(_patched_dependencies(_ecosystems(settings), entity, head, base))
        else:
            name, found = "deps", list(_new_dependencies(head, base))
    except (TreeError, HostError) as error:
        raise InputError([Problem(f"the change cannot be read: {error}")]) from None
    return {"pr": dict(entity), **({name: found} if found else {})}


def _changed_lines(entity: Mapping[str, Any], head: Tree, base: Tree) -> Iterator[dict[str, Any]]:
    for file in changed_files(head, base):
        changed = {"name": file.name, "file_patch_url": _raw_url(entity, file.name)}
        lines = [
            {key: value for key, value in (("line_number", number), ("content", line)) if value}
            for number, line in added_lines(file.patch)
        ]
        yield {key: value for key, value in {**changed, "patch_lines": lines}.items() if value}


def added_lines(patch: str) -> Iterator[tuple[int, str]]:
    """The number and text of every line that a patch adds, counted as Minder counts them.

    It takes every line that is neither added nor removed for one that is there, `\\ No newline at end of file` too.

    >>> list(added_lines("@@ -1,2 +1,2 @@\\n a\\n-b\\n+c"))
    [(2, 'c')]
    """
    number = 0
    for line in patch.split("\n") if patch else ():
        hunk = _HUNK.search(line)
        if hunk:
            number = int(hunk[1])
        elif line.startswith("+"):
            yield number, line[1:].removesuffix("\r")
            number += 1
        elif not line.startswith("-"):
            number += 1


def _patched_dependencies(
    ecosystems: list[tuple[str, str]], entity: Mapping[str, Any], head: Tree, base: Tree
) -> Iterator[dict[str, Any]]:
    for file in changed_files(head, base) if ecosystems else ():
        last = file.name.rpartition("/")[2]
        ecosystem = next((name for name, pattern in ecosystems if _is_match(pattern, last)), "")
        place = {"name": file.name, "patch_url": _raw_url(entity, file.name)}
        for found in added_dependencies(ecosystem, file.patch):
            yield {"dep": found, "file": {key: value for key, value in place.items() if value}}


def _new_dependencies(head: Tree, base: Tree) -> Iterator[dict[str, Any]]:
    known = set(packages_below(base, ""))
    for package in packages_below(head, ""):
        if package not in known:
            number = _NUMBERS.get(package.ecosystem, 0)
            for file in package.files:
                yield {"dep": dependency(number, package.name, package.version), "file": {"name": file}}


def _ecosystems(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The names of ecosystems, and the patterns of the files that are theirs."""
    entries = settings.get("ecosystems") or []
    if not isinstance(entries, list):
        message = f"ingest.diff.ecosystems must be a list, and is {brief(entries)}"
        raise InputError([Problem(message, hint="write '- name: npm' and 'depfile: package-lock.json'")])
    ecosystems = []
    for index, entry in enumerate(entries):
        name = entry.get("name") if isinstance(entry, Mapping) else None
        pattern = entry.get("depfile") if isinstance(entry, Mapping) else None
        if not isinstance(name, str) or not isinstance(pattern, str):
            message = f"ingest.diff.ecosystems[{index}] has no name and depfile"
            raise InputError([Problem(message, hint="write 'name: npm' and 'depfile: package-lock.json'")])
        ecosystems.append((name, pattern))
    return ecosystems


def _is_match(pattern: str, name: str) -> bool:
    try:
        return matches(pattern, name)
    except HostError:
        return False  # Minder passes over a pattern that is none


def _raw_url(entity: Mapping[str, Any], name: str) -> str:
    """Where GitHub shows the file; '' for an entity that does not say where it is."""
    parts = [entity.get(key) for key in ("repo_owner", "repo_name", "commit_sha")]
    if not all(isinstance(part, str) and part for part in parts):
        return ""
    owner, repository, commit = parts
    return f"https://github.com/{owner}/{repository}/raw/{commit}/{quote(name, safe='')}"
