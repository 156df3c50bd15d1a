"""What git ignores in a working tree, asked folder by folder from the top, at the cost of one folder each."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from understudy.trees.paths import parent

if TYPE_CHECKING:
    from dulwich.ignore import IgnoreFilter
    from dulwich.repo import Repo

# A file of patterns, and the length of what stands in front of the paths that it speaks of.
_Placed = tuple[int, "IgnoreFilter"]


def ignored_by(repo: Repo) -> Callable[[str], bool]:
    """Says of a path, none of whose folders is ignored, whether a pattern ignores it; folders end with a slash.

    dulwich's own manager looks at all folders above again for each of them, which takes a deep tree minutes.
    """
    from dulwich.ignore import IgnoreFilter, default_user_ignore_filter_path

    config = repo.get_config_stack()
    ignorecase = config.get_boolean((b"core",), b"ignorecase", False)

    def read(file: str) -> IgnoreFilter | None:
        # A file of patterns that cannot be read ignores nothing.
        with suppress(OSError, ValueError):
            return IgnoreFilter.from_path(file, ignorecase)
        return None

    shared = [
        os.path.join(repo.controldir(), "info", "exclude"),
        os.path.expanduser(default_user_ignore_filter_path(config)),
    ]
    everywhere = tuple((0, patterns) for file in shared if (patterns := read(file)) is not None)
    placed: dict[str, tuple[_Placed, ...]] = {}

    def of(folder: str) -> tuple[_Placed, ...]:
        unknown: list[str] = []
        while folder not in placed:
            unknown.append(folder)
            if not folder:
                break
            folder = parent(folder)
        for below in reversed(unknown):
            above = placed[parent(below)] if below else everywhere
            own = read(os.path.join(repo.path, below, ".gitignore"))
            placed[below] = above if own is None else (*above, (len(below) + 1 if below else 0, own))
        return placed[unknown[0] if unknown else folder]

    def ignores(path: str) -> bool:
        is_folder = path.endswith("/")
        name = path.rstrip("/")
        for length, patterns in reversed(of(parent(name))):
            relative = os.fsencode(name[length:])
            for pattern in reversed(patterns.patterns):
                if pattern.matches(relative, is_folder):
                    return bool(pattern.is_exclude)
        return False

    def ignores_whatever_it_is_called(path: str) -> bool:
        try:
            return ignores(path)
        except (ValueError, UnicodeError):
            return False

    return ignores_whatever_it_is_called
