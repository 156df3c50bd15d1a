"""Patterns for paths, with the meaning that they have in Go's filepath.Match and filepath.Glob."""

from __future__ import annotations

import re
from functools import lru_cache

from understudy.rules.evaluate.functions import HostError
from understudy.trees.paths import join
from understudy.trees.tree import Tree, TreeError

_MATCHES = 200_000


def glob(tree: Tree, pattern: str) -> list[str]:
    """The paths in a tree that match a pattern, in order.

    A pattern without `*`, `?` and `[` is given back as it was written, if something is there. What cannot be
    looked into matches nothing. Raises HostError for a pattern that is none.

    >>> from understudy.trees import memory_tree
    >>> glob(memory_tree({"a/README.md": "", "a/x.txt": ""}), "*/[Rr]*.md")
    ['a/README.md']
    """
    names: list[str] = []
    folder = pattern
    while _has_meta(folder):
        before, slash, name = folder.rpartition("/")
        if slash and not name:
            raise HostError(f"the pattern {pattern!r} ends a wildcard's name with '/' (remove the '/')")
        names.append(name)
        folder = before or slash or "."
    matches = [folder] if _is_there(tree, folder) else []
    for name in reversed(names):
        matches = [found for folder in matches for found in _matching(tree, folder, name)]
        if len(matches) > _MATCHES:
            raise HostError(f"the pattern {pattern!r} matches more than {_MATCHES:,} paths")
    return matches


def matches(pattern: str, name: str) -> bool:
    """Whether a name without slashes matches a pattern, as Go's filepath.Match decides.

    >>> matches("*.y*ml", "ci.yaml"), matches("[^a-c]?", "ax"), matches("**", "a")
    (True, False, True)
    """
    return _compiled(pattern).matches(name)


def _has_meta(text: str) -> bool:
    return "*" in text or "?" in text or "[" in text


def _is_there(tree: Tree, path: str) -> bool:
    try:
        return tree.kind(path, follow=False) is not None
    except TreeError:
        return False


def _matching(tree: Tree, folder: str, name: str) -> list[str]:
    try:
        entries = tree.entries(folder) if tree.kind(folder) == "folder" else ()
    except TreeError:
        return []
    # As in Go, a pattern is only looked at when there is a name to compare it with.
    pattern = _compiled(name) if entries else None
    return [join(folder, entry) for entry in entries if pattern is not None and pattern.matches(entry)]


class _Pattern:
    """Pieces of fixed length with a star between any two, so that matching never goes back over a star."""

    def __init__(self, pieces: list[list[str]]) -> None:
        self._pieces = [(re.compile("".join(piece), re.DOTALL), len(piece)) for piece in pieces]

    def matches(self, name: str) -> bool:
        first, length = self._pieces[0]
        if not first.match(name):
            return False
        if len(self._pieces) == 1:
            return len(name) == length
        position = length
        for piece, _ in self._pieces[1:-1]:
            found = piece.search(name, position)
            if found is None:
                return False
            position = found.end()
        last, length = self._pieces[-1]
        return len(name) - length >= position and last.match(name, len(name) - length) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> _Pattern:
    """The pieces of a pattern. Raises HostError where Go says ErrBadPattern."""
    pieces: list[list[str]] = [[]]
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "*":
            pieces.append([])
        elif character == "?":
            pieces[-1].append("[^/]")
        elif character == "[":
            members, position = _class(pattern, position)
            pieces[-1].append(members)
        else:
            if character == "\\":
                if position == len(pattern):
                    raise _bad(pattern, "ends in a '\\' that escapes nothing")
                character = pattern[position]
                position += 1
            pieces[-1].append(re.escape(character))
    return _Pattern(pieces)


def _class(pattern: str, position: int) -> tuple[str, int]:
    """The regular expression of a `[...]`, and where the pattern goes on."""
    is_negated = pattern[position : position + 1] == "^"
    position += is_negated
    ranges: list[str] = []
    while not (ranges and pattern[position : position + 1] == "]"):
        low, position = _member(pattern, position)
        high = low
        if pattern[position : position + 1] == "-":
            high, position = _member(pattern, position + 1)
        # A range from a later to an earlier character holds none, and a regular expression cannot say so.
        ranges.append(f"{re.escape(low)}-{re.escape(high)}" if low <= high else "")
    members = "".join(ranges)
    if not members:
        return ("." if is_negated else "(?!)."), position + 1
    return f"[{'^' if is_negated else ''}{members}]", position + 1


def _member(pattern: str, position: int) -> tuple[str, int]:
    if pattern[position : position + 1] in ("", "-", "]"):
        raise _bad(pattern, "has a '[' without the ']' or the characters that belong to it")
    position += pattern[position] == "\\"
    if position + 1 >= len(pattern):
        raise _bad(pattern, "has a '[' without its ']'")
    return pattern[position], position + 1


def _bad(pattern: str, why: str) -> HostError:
    return HostError(f"the pattern {pattern!r} {why}")
