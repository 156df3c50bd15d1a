"""Files laid over another tree, for what a change adds, replaces and removes."""

from __future__ import annotations

from collections.abc import Mapping

from understudy.trees.memory import Content, MemoryStore
from understudy.trees.paths import below_root, parent
from understudy.trees.stored import StoredTree
from understudy.trees.tree import Kind, Tree


def overlay(tree: Tree, files: Mapping[str, Content | None]) -> Tree:
    """The tree with these files in it; None removes a file or folder of it.

    >>> from understudy.trees.memory import memory_tree
    >>> base = memory_tree({"a": "1", "b/c": "2"})
    >>> changed = overlay(base, {"a": "one", "b": None, "d/e": "3"})
    >>> changed.entries("."), changed.read("a")
    (('a', 'd'), b'one')
    """
    return StoredTree(_Layers(tree, files))


class _Layers:
    may_have_links = True

    def __init__(self, base: Tree, files: Mapping[str, Content | None]) -> None:
        self.label = base.label
        self._base = base
        added = {name: content for name, content in files.items() if content is not None}
        self._added = MemoryStore(added, f"what is laid over {base.label}")
        self._removed = {below_root(name) for name, content in files.items() if content is None}

    def kind(self, path: str) -> Kind | None:
        kind = self._added.kind(path)
        if kind in ("file", "link") or self._is_hidden(path):
            return kind
        below = self._base.kind(path, follow=False)
        return "folder" if kind is not None else below

    def entries(self, path: str) -> tuple[str, ...]:
        added = self._added.entries(path) if self._added.kind(path) == "folder" else ()
        if self._is_hidden(path) or self._base.kind(path, follow=False) != "folder":
            return added
        names = {*added, *self._base.entries(path)}
        return tuple(sorted(name for name in names if self.kind(f"{path}/{name}" if path else name)))

    def read(self, path: str, limit: int, start: int | None) -> bytes:
        if self._added.kind(path) == "file":
            return self._added.read(path, limit, start)
        return self._base.read(path, limit=limit, start=start)

    def target(self, path: str) -> str:
        if self._added.kind(path) == "link":
            return self._added.target(path)
        return self._base.link_target(path)

    def _is_hidden(self, path: str) -> bool:
        """Whether what the base has at a path is removed, or lies below what is no folder any more."""
        while path:
            if path in self._removed or self._added.kind(path) in ("file", "link"):
                return True
            # An added folder in the place of a base's file or link hides what that link would lead to.
            path = parent(path)
            if path and self._added.kind(path) == "folder" and self._base.kind(path, follow=False) == "link":
                return True
        return False
