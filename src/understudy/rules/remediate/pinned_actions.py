"""Workflow files with the tags of their actions replaced by the commits that the tags name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import quote

from understudy.core.errors import InputError
from understudy.documents.yaml import load_yaml
from understudy.rules.remediate.context import Fetch
from understudy.trees import Tree, TreeError

FOLDER = ".github/workflows"
_CONFIGURATIONS = (".frizbee.yml", ".frizbee.yaml")
_USES = re.compile(r"(uses:\s*)(\S+)")
_COMMIT_LENGTH = 40
_FILES = 10_000


def pinned_workflows(tree: Tree, excluded: Collection[str], fetch: Fetch | None) -> dict[str, str]:
    """The workflow files that change, each with its new text: `uses: a/b@v1` becomes `uses: a/b@<commit> # v1`.

    As in Minder, an action whose tag (or branch) cannot be found stays as it is, and so do local actions, images
    and what is excluded, by name or as it is written.
    """
    resolver = _Resolver(excluded, fetch)
    changed: dict[str, str] = {}
    for number, (path, kind) in enumerate(tree.walk(FOLDER)):
        if kind != "file" or number > _FILES or not path.endswith((".yml", ".yaml")):
            continue
        text = tree.read(path).decode("utf-8", "replace")
        pinned = "".join(map(resolver.line, text.splitlines(keepends=True)))
        if pinned != text:
            changed[path] = pinned
    return changed


def excluded_actions(tree: Tree, profile: Mapping[str, Any], written: list[str]) -> list[str]:
    """What is left as it is: what the repository's own configuration says, else the profile, else the rule."""
    for path in _CONFIGURATIONS:
        found = _configured(tree, path)
        if found is not None:
            return found
    from_profile = profile.get("exclude")
    if isinstance(from_profile, list) and all(isinstance(entry, str) for entry in from_profile):
        return from_profile
    return written


def _configured(tree: Tree, path: str) -> list[str] | None:
    try:
        text = tree.read(path).decode("utf-8", "replace")
        data = load_yaml(path, text=text).data
    except (TreeError, InputError):
        return None
    actions = data.get("ghactions") if isinstance(data, Mapping) else None
    found = actions.get("exclude") if isinstance(actions, Mapping) else None
    return [str(entry) for entry in found] if isinstance(found, list) else None


class _Resolver:
    """Finds the commits of tags, asking for each just once."""

    def __init__(self, excluded: Collection[str], fetch: Fetch | None) -> None:
        self._excluded = frozenset(excluded)
        self._fetch = fetch
        self._known: dict[str, str] = {}

    def line(self, line: str) -> str:
        if "uses:" not in line or line.lstrip().startswith("#"):
            return line
        return _USES.sub(lambda found: found[1] + self._reference(found[2]), line)

    def _reference(self, written: str) -> str:
        name, separator, tag = written.partition("@")
        parts = name.split("/")
        if (
            not separator
            or not tag
            or "@" in tag
            or len(parts) < 2
            or name.startswith((".", '"', "'", "docker://"))
        ):
            return written
        if written in self._excluded or name in self._excluded or len(tag) == _COMMIT_LENGTH:
            return written
        if written not in self._known:
            self._known[written] = self._commit(parts[0], parts[1], tag)
        commit = self._known[written]
        return f"{name}@{commit} # {tag}" if commit else written

    def _commit(self, owner: str, repository: str, tag: str) -> str:
        for kind in ("tags", "heads"):
            if self._fetch is None:
                return ""
            url = f"/repos/{quote(owner)}/{quote(repository)}/git/refs/{kind}/{quote(tag)}"
            status, data = self._fetch("GET", url, None)
            if status < 300 and isinstance(data, Mapping):
                target = data.get("object")
                commit = target.get("sha") if isinstance(target, Mapping) else None
                if isinstance(commit, str) and commit:
                    return commit
        return ""
