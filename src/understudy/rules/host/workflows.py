"""The actions that workflow files use, found line by line as Minder finds them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from understudy.core.errors import missing_extra
from understudy.rules.evaluate.functions import HostError
from understudy.trees.tree import Tree

LINE_LIMIT = 64 << 10
_PREFIX = "uses: "
_IMAGE = "docker://"


def action_names(tree: Tree, path: str) -> list[str]:
    """The names of all actions that the YAML files (and Dockerfiles) at and below a path use, sorted.

    Minder does not parse the files: a line that is no comment and says `uses: owner/name@version` counts, even in
    a broken file. Names have no version; an image keeps neither `docker://` nor its tag. Local actions, which have
    no version, are not among them. A path where nothing is uses nothing.

    >>> from understudy.trees import memory_tree
    >>> text = "steps:\\n  - uses: actions/checkout@v4 # main\\n  - uses: ./local\\n  - uses: docker://alpine:3"
    >>> action_names(memory_tree({"w/ci.yml": text}), "w")
    ['actions/checkout', 'alpine']
    """
    names: set[str] = set()
    for found, kind in tree.walk(path):
        if kind != "folder" and _may_use_actions(found.rpartition("/")[2]):
            names.update(_actions_in(found, tree.read(found)))
    return sorted(names)


def _may_use_actions(name: str) -> bool:
    return name.endswith((".yml", ".yaml")) or "dockerfile" in name.lower()


def _actions_in(path: str, data: bytes) -> Iterator[str]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) >= LINE_LIMIT:
            raise HostError(
                f"{path}:{number} is longer than {LINE_LIMIT:,} bytes, which is all that Minder reads"
            )
        if b"uses:" not in line or line.lstrip(b" \t\r").startswith(b"#"):
            continue
        for reference in _references().findall(line.decode("utf-8", "replace")):
            name = _name(reference)
            if name is not None:
                yield name


def _name(reference: str) -> str | None:
    reference = reference.removeprefix(_PREFIX)
    separator = "@"
    if _IMAGE in reference:
        reference = reference.removeprefix(_IMAGE)
        if "@" not in reference and ":" in reference:
            separator = ":"
    parts = reference.split(separator)
    return parts[0] if len(parts) == 2 else None


@lru_cache(maxsize=1)
def _references() -> Any:
    # Go's engine, because a line of a stranger's file can keep Python's busy for hours.
    try:
        import re2  # type: ignore[import-untyped]  # has no hints
    except ImportError:
        raise missing_extra("rules", "google-re2") from None
    return re2.compile(r"uses:\s*[^\s]+/[^\s]+@[^\s]+|uses:\s*docker://[^\s]+:[^\s]+")
