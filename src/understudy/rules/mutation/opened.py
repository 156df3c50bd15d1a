"""Which files below a folder are opened, so that what was found out is forgotten when one of them changes."""

from __future__ import annotations

import os
import sys
from pathlib import Path


class OpenedFiles:
    """Notes every file below a root that this process opens from now on. There is no way to stop listening."""

    def __init__(self, root: Path) -> None:
        self._root = str(root.resolve()) + os.sep
        self._names: set[str] = set()
        sys.addaudithook(self._note)

    @property
    def names(self) -> list[str]:
        """The files that are still there, relative to the root, sorted."""
        found = {os.path.realpath(name) for name in self._names}
        inside = (name.removeprefix(self._root) for name in found if name.startswith(self._root))
        return sorted(Path(name).as_posix() for name in inside if os.path.isfile(self._root + name))

    def forget(self) -> None:
        """Begin anew."""
        self._names.clear()

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        # Called for everything that Python audits, from whichever code: it must be quick, and never fail.
        if event == "open" and arguments and isinstance(arguments[0], str) and len(self._names) < 10_000:
            name = arguments[0]
            if name.startswith(self._root) or not os.path.isabs(name):
                self._names.add(name)
