"""Which files change while we wait: looked at again and again, which works on every file system and in containers."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

INTERVAL = 0.2
QUIET = 0.1
# Looking at very many files takes its time, and must not take all of it.
_SHARE = 10

Stamp = tuple[int, int, int]
Look = dict[str, Stamp]


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Paths that were written to, that are new, and that are gone."""

    changed: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.changed or self.new or self.gone)

    @property
    def paths(self) -> list[str]:
        """All of them, sorted."""
        return sorted(self.changed | self.new | self.gone)


def look_at(
    folders: Iterable[str], files: Iterable[str] = (), passed_over: Collection[str] = frozenset()
) -> Look:
    """What stands below folders now, and the files that are named beside; what is not there is left out.

    Folders called as in `passed_over` are not entered, nor are links to folders.
    """
    found: dict[str, Stamp] = {}
    for folder in folders:
        for here, below, names in os.walk(folder):
            below[:] = [name for name in below if name not in passed_over]
            _add(found, (os.path.join(here, name) for name in names))
    _add(found, files)
    return found


def _add(found: dict[str, Stamp], paths: Iterable[str]) -> None:
    for path in paths:
        try:
            seen = os.stat(path)
        except OSError:  # gone in the meantime, or a link to nowhere
            continue
        if stat.S_ISREG(seen.st_mode):
            found[path] = (seen.st_mtime_ns, seen.st_size, seen.st_ino)


def changes_between(before: Look, after: Look) -> FileChanges:
    """What is different.

    >>> found = changes_between({"a": (1, 5, 7), "b": (1, 1, 8)}, {"a": (2, 5, 7), "c": (1, 1, 9)})
    >>> sorted(found.changed), sorted(found.new), sorted(found.gone)
    (['a'], ['c'], ['b'])
    """
    return FileChanges(
        changed=frozenset(path for path in before if path in after and before[path] != after[path]),
        new=frozenset(after.keys() - before.keys()),
        gone=frozenset(before.keys() - after.keys()),
    )


def next_changes(
    before: Look, look: Callable[[], Look], pause: Callable[[float], object] = time.sleep
) -> tuple[FileChanges, Look]:
    """Wait until something is different, and then until nothing moves any more; what it is, and how it is now.

    Editors write a file in several steps and save several files at once, which is one change and not many.
    """
    while True:
        began = time.monotonic()
        now = look()
        if now != before:
            break
        pause(max(INTERVAL, _SHARE * (time.monotonic() - began)))
    while True:
        pause(QUIET)
        later = look()
        if later == now:
            break
        now = later
    found = changes_between(before, now)
    # What moved and came to rest as it was before is no change.
    return (found, now) if found else next_changes(now, look, pause)
