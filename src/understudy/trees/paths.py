"""What a path in a tree means: cleaned and joined as Go does it, and never above the root."""

from __future__ import annotations

from posixpath import normpath


def clean(path: str) -> str:
    """The shortest path that means the same, as Go's filepath.Clean gives it.

    >>> clean("./a//b/../c/"), clean(""), clean("//a"), clean("a/../..")
    ('a/c', '.', '/a', '..')
    """
    cleaned = normpath(path)
    return cleaned[1:] if cleaned.startswith("//") else cleaned


def join(*elements: str) -> str:
    """The elements with slashes between them, cleaned; empty ones are left out, as Go's filepath.Join does.

    >>> join(".", "a"), join("a/b", "../c"), join("", "")
    ('a', 'a/c', '')
    """
    present = [element for element in elements if element]
    return clean("/".join(present)) if present else ""


def below_root(path: str) -> str | None:
    """A path as a tree's stores know it: cleaned, without a slash in front, '' for the root; None if it leaves.

    A slash in front means the root of the tree, above which there is nothing.

    >>> below_root("/a/./b"), below_root("."), below_root("/../a"), below_root("a/../../b")
    ('a/b', '', 'a', None)
    """
    cleaned = clean(path)
    if cleaned == ".." or cleaned.startswith("../"):
        return None
    return "" if cleaned == "." else cleaned.removeprefix("/")


def parent(path: str) -> str:
    """The folder of a store's path; that of a name in the root is ''.

    >>> parent("a/b"), parent("a")
    ('a', '')
    """
    return path.rpartition("/")[0]


def child(folder: str, name: str) -> str:
    """The path of a name in a store's folder.

    >>> child("", "a"), child("a", "b")
    ('a', 'a/b')
    """
    return f"{folder}/{name}" if folder else name
