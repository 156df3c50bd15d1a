"""A tree of a folder on disk. What is not text in UTF-8, and what git keeps for itself, has no name in it."""

from __future__ import annotations

import os
import stat

from understudy.core.errors import InputError, Problem
from understudy.trees.stored import StoredTree
from understudy.trees.tree import Kind, Tree, TreeError, too_large

_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


def folder_tree(path: str | os.PathLike[str]) -> Tree:
    """The tree of a folder, read as it is asked for. `.git` is left out, and so are pipes, sockets and devices.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(os.path.join(folder, "a.txt"), "w") as file:
    ...         _ = file.write("text")
    ...     folder_tree(folder).read("a.txt")
    b'text'
    """
    name = os.fspath(path)
    try:
        status = os.stat(name)
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError)
        message = "does not exist" if missing else f"cannot be read: {getattr(error, 'strerror', error)}"
        raise InputError([Problem(message, name, hint="name a folder")]) from None
    if not stat.S_ISDIR(status.st_mode):
        raise InputError([Problem("is not a folder", name, hint="name a folder")])
    return StoredTree(FolderStore(name))


class FolderStore:
    """Files below a folder. Reading never follows a link at the end of a path, whatever replaced it meanwhile."""

    may_have_links = True

    def __init__(self, root: str) -> None:
        self.label = root
        self._root = os.path.realpath(root)

    def kind(self, path: str) -> Kind | None:
        """What stands at a path."""
        if ".git" in path and ".git" in path.split("/"):
            return None
        try:
            return _KINDS.get(stat.S_IFMT(os.lstat(self._at(path)).st_mode))
        except (OSError, ValueError):
            return None

    def entries(self, path: str) -> tuple[str, ...]:
        """The sorted names in a folder."""
        try:
            with os.scandir(self._at(path)) as found:
                names = [entry.name for entry in found]
        except OSError as error:
            raise _unreadable(path, error) from None
        return tuple(sorted(name for name in names if name != ".git" and _is_utf8(name)))

    def read(self, path: str, limit: int, start: int | None) -> bytes:
        """The bytes of a file."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(self._at(path), flags | getattr(os, "O_BINARY", 0))
            with open(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    raise TreeError(path, "missing", "is no file any more")
                if start is not None:
                    return file.read(start)
                if status.st_size > limit:
                    raise too_large(path, status.st_size, limit)
                return file.read(limit + 1)
        except OSError as error:
            raise _unreadable(path, error) from None

    def target(self, path: str) -> str:
        """Where a link leads."""
        try:
            target = os.readlink(self._at(path))
        except OSError as error:
            raise _unreadable(path, error) from None
        return target.replace(os.sep, "/")

    def _at(self, path: str) -> str:
        return os.path.join(self._root, path) if path else self._root


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _unreadable(path: str, error: OSError) -> TreeError:
    if isinstance(error, FileNotFoundError):
        return TreeError(path, "missing", "does not exist")
    return TreeError(path, "unreadable", f"cannot be read: {error.strerror or error}")
