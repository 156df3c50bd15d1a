"""A tree over any store: links are followed within the root, sizes and depth are bounded, walking is in order."""

from __future__ import annotations

from collections.abc import Iterator

from understudy.core.files import READ_LIMIT
from understudy.trees.paths import below_root, child, join, parent
from understudy.trees.tree import Kind, Store, TreeError, too_large

LINK_LIMIT = 40
PATH_LIMIT = 4_096
WALK_LIMIT = 200_000


class StoredTree:
    """The one implementation of `Tree`, so that the same content gives the same answers wherever it is kept."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __repr__(self) -> str:
        return f"<tree: {self.label}>"

    @property
    def label(self) -> str:
        """What the tree is, for messages."""
        return self._store.label

    def kind(self, path: str, *, follow: bool = True) -> Kind | None:
        """What stands at a path; None if nothing does, or a link leads to nothing or out of the root."""
        located = self._located(path, follow=follow, strict=False)
        return None if located is None else self._store.kind(located)

    def resolve(self, path: str) -> str | None:
        """The path without links behind a path, '' for the root; None if nothing is there."""
        located = self._located(path, follow=True, strict=False)
        return located if located is not None and self._store.kind(located) is not None else None

    def entries(self, path: str) -> tuple[str, ...]:
        """The sorted names in a folder."""
        located, kind = self._there(path, follow=True)
        if kind != "folder":
            raise TreeError(path, "no folder", "is a file, not a folder")
        return self._store.entries(located)

    def read(self, path: str, *, limit: int = READ_LIMIT, start: int | None = None) -> bytes:
        """The bytes of a file, or its first ones."""
        located, kind = self._there(path, follow=True)
        if kind == "folder":
            raise TreeError(path, "folder", "is a folder, not a file")
        data = self._store.read(located, limit, start)
        if start is not None:
            return data[:start]
        if len(data) > limit:
            raise too_large(path, len(data), limit)
        return data

    def link_target(self, path: str) -> str:
        """Where a link leads, as it is written."""
        located, kind = self._there(path, follow=False)
        if kind != "link":
            raise TreeError(path, "no link", f"is a {kind}, not a link")
        return self._store.target(located)

    def walk(self, path: str = "") -> Iterator[tuple[str, Kind]]:
        """A path and everything below it, each folder before what it holds; links are not followed."""
        located = self._located(path, follow=False, strict=True)
        kind = None if located is None else self._store.kind(located)
        if located is None or kind is None:
            return
        waiting: list[tuple[str, str, Kind]] = [(path or ".", located, kind)]
        count = 0
        while waiting:
            shown, stored, kind = waiting.pop()
            count += 1
            if count > WALK_LIMIT:
                message = f"holds more than {WALK_LIMIT:,} files and folders, which is all that is walked"
                raise TreeError(path, "too large", message)
            yield shown, kind
            if kind != "folder":
                continue
            below = []
            for name in self._store.entries(stored):
                inner = child(stored, name)
                inner_kind = self._store.kind(inner)
                if inner_kind is not None:
                    below.append((join(shown, name), inner, inner_kind))
            waiting.extend(reversed(below))

    def _there(self, path: str, *, follow: bool) -> tuple[str, Kind]:
        located = self._located(path, follow=follow, strict=True)
        kind = None if located is None else self._store.kind(located)
        if located is None or kind is None:
            raise TreeError(path, "missing", "does not exist")
        return located, kind

    def _located(self, path: str, *, follow: bool, strict: bool) -> str | None:
        """Where a path leads, with every link but perhaps the last one followed; None if nowhere.

        A path that leaves the root is an error. So is a link that does, or a loop, if `strict`: who only asks
        whether something is there is told that nothing is.
        """
        if len(path) > PATH_LIMIT or "\0" in path:
            if strict:
                raise TreeError(path[:80], "missing", "is no usable path")
            return None
        cleaned = below_root(path)
        if cleaned is None:
            raise TreeError(path, "outside", "leads out of the root of the files")
        if not self._store.may_have_links:
            return cleaned
        try:
            return self._without_links(path, cleaned, follow)
        except TreeError:
            if strict:
                raise
            return None

    def _without_links(self, path: str, cleaned: str, follow: bool) -> str | None:
        ahead = cleaned.split("/")[::-1] if cleaned else []
        located, followed = "", 0
        while ahead:
            step = ahead.pop()
            if step == "..":
                if not located:
                    raise TreeError(path, "outside", "is a link that leads out of the root of the files")
                located = parent(located)
                continue
            candidate = child(located, step)
            kind = self._store.kind(candidate)
            if kind is None or (kind == "file" and ahead):
                return None
            if kind != "link" or not (ahead or follow):
                located = candidate
                continue
            followed += 1
            if followed > LINK_LIMIT:
                raise TreeError(path, "loop", f"follows more than {LINK_LIMIT} links: they lead in a circle")
            target = self._store.target(candidate)
            if target.startswith("/") or len(target) > PATH_LIMIT:
                raise TreeError(path, "outside", "is a link that leads out of the root of the files")
            ahead.extend(part for part in reversed(target.split("/")) if part not in ("", "."))
        return located
