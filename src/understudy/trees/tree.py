"""What a file tree answers, and what it says when it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Protocol

from understudy.core.errors import UnderstudyError
from understudy.core.files import READ_LIMIT

Kind = Literal["file", "folder", "link"]
Reason = Literal["missing", "folder", "no folder", "no link", "outside", "loop", "too large", "unreadable"]


class TreeError(UnderstudyError):
    """Something in a tree cannot be read: which path, and why, in words that a user can be shown."""

    def __init__(self, path: str, reason: Reason, message: str) -> None:
        super().__init__(f"{path or '.'} {message}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[type[TreeError], tuple[str, Reason, str]]:
        return type(self), (self.path, self.reason, str(self).removeprefix(f"{self.path or '.'} "))


class Tree(Protocol):
    """Files, folders and links below one root. Every path is cleaned first, and '' or '.' is the root.

    Raises TreeError for a path or link that leaves the root, and as said below.
    """

    @property
    def label(self) -> str:
        """What the tree is, for messages: its folder, say."""
        ...

    def kind(self, path: str, *, follow: bool = True) -> Kind | None:
        """What stands at a path; None if nothing does, or a link leads to nothing or out of the root.

        Links are followed, the last one only with `follow`.
        """
        ...

    def resolve(self, path: str) -> str | None:
        """The path without links behind a path, '' for the root; None if nothing is there."""
        ...

    def entries(self, path: str) -> tuple[str, ...]:
        """The names in a folder, sorted by their bytes. A TreeError if it is none."""
        ...

    def read(self, path: str, *, limit: int = READ_LIMIT, start: int | None = None) -> bytes:
        """The bytes of a file, or its first `start` ones. A TreeError if it is none, or is larger than `limit`."""
        ...

    def link_target(self, path: str) -> str:
        """Where a link leads, as it is written. A TreeError if it is no link."""
        ...

    def walk(self, path: str = "") -> Iterator[tuple[str, Kind]]:
        """A path and everything below it, each folder before what it holds, names in order; links not followed.

        The paths begin with the one that was asked for, as it was written. Nothing there is nothing to walk.
        """
        ...


class Store(Protocol):
    """Where a tree's content is. Its paths are clean, '' is the root, and no folder on the way is a link."""

    @property
    def label(self) -> str: ...

    @property
    def may_have_links(self) -> bool:
        """Whether links must be looked for."""
        ...

    def kind(self, path: str) -> Kind | None: ...

    def entries(self, path: str) -> tuple[str, ...]:
        """The sorted names in what is a folder."""
        ...

    def read(self, path: str, limit: int, start: int | None) -> bytes:
        """The bytes of what is a file; more than `limit` may come if that costs nothing."""
        ...

    def target(self, path: str) -> str:
        """Where what is a link leads."""
        ...


def too_large(path: str, size: int, limit: int) -> TreeError:
    """The error for a file of more than `limit` bytes."""
    return TreeError(path, "too large", f"is too large: {size:,} bytes, and at most {limit:,} are read")
