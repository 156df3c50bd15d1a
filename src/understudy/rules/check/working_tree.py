"""The files of a working tree as git would commit them: what it tracks, and what is new and not ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from understudy.trees.folder import FolderStore
from understudy.trees.paths import child, parent
from understudy.trees.stored import StoredTree
from understudy.trees.tree import Kind, Tree


def working_tree(
    folder: str, tracked: Iterable[str], modules: Iterable[str], ignores: Callable[[str], bool]
) -> Tree:
    """The tree of a folder without what git ignores there.

    `tracked` are the paths that git knows, `modules` those of submodules, which are empty folders as they are in a
    commit. `ignores` says of a path (of a folder with a slash at its end) whether a pattern ignores it.
    """
    return StoredTree(WorkingStore(folder, tracked, modules, ignores))


class WorkingStore:
    """Files below a folder, but for those that git would not take."""

    may_have_links = True

    def __init__(
        self, folder: str, tracked: Iterable[str], modules: Iterable[str], ignores: Callable[[str], bool]
    ) -> None:
        self.label = f"the working tree {folder}"
        self._below = FolderStore(folder)
        self._modules = frozenset(modules)
        self._known = set(self._modules)
        for path in tracked:
            while path and path not in self._known:
                self._known.add(path)
                path = parent(path)
        for path in self._modules:
            while path := parent(path):
                self._known.add(path)
        self._ignores = ignores
        self._ignored_folders: dict[str, bool] = {"": False}

    def kind(self, path: str) -> Kind | None:
        """What stands at a path."""
        if not path:
            return "folder"
        kind = None if self._is_in_module(path) else self._below.kind(path)
        return None if kind is None or self._is_ignored(path, kind) else kind

    def entries(self, path: str) -> tuple[str, ...]:
        """The sorted names in a folder."""
        if path in self._modules:
            return ()
        names = self._below.entries(path)
        return tuple(name for name in names if self.kind(child(path, name)) is not None)

    def read(self, path: str, limit: int, start: int | None) -> bytes:
        """The bytes of a file."""
        return self._below.read(path, limit, start)

    def target(self, path: str) -> str:
        """Where a link leads."""
        return self._below.target(path)

    def _is_in_module(self, path: str) -> bool:
        if not self._modules:
            return False
        while path := parent(path):
            if path in self._modules:
                return True
        return False

    def _is_ignored(self, path: str, kind: Kind) -> bool:
        if path in self._known:
            return False
        if self._is_ignored_folder(parent(path)):
            return True
        return self._is_ignored_folder(path) if kind == "folder" else self._ignores(path)

    def _is_ignored_folder(self, path: str) -> bool:
        """By patterns alone: in an ignored folder in which git tracks one file, others are ignored all the same."""
        unknown: list[str] = []
        while path not in self._ignored_folders:
            unknown.append(path)
            path = parent(path)
        is_ignored = self._ignored_folders[path]
        for below in reversed(unknown):
            is_ignored = is_ignored or self._ignores(f"{below}/")
            self._ignored_folders[below] = is_ignored
        return is_ignored
