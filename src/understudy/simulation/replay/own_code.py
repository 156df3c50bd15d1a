"""Whose code a frame runs: the user's own, or that of Python, of an installed library, or ours."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from types import FrameType
from typing import Any

import understudy
from understudy.simulation.replay.record import Site

_OURS = str(Path(understudy.__file__).parent) + os.sep
_INSTALLED = ("site-packages", "dist-packages")
_STANDARD = tuple(
    {sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")}
    | {str(Path(os.__file__).resolve().parent) + os.sep}
)


class OwnCode:
    """Tells the frames of the user's own code, and names their lines relative to a folder.

    `package` is the folder of the pipeline itself, which is the user's wherever it is installed.
    """

    def __init__(self, root: str | None = None, package: str = "") -> None:
        self._root = os.path.join(os.path.abspath(root or os.getcwd()), "")
        self._package = package
        self._known: dict[str, bool] = {}
        self._said: dict[tuple[str, int], str] = {}

    def is_own(self, file: str) -> bool:
        """True for a file that is the user's to change."""
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._judge(file)
        return known

    def _judge(self, file: str) -> bool:
        if self._package and file.startswith(self._package):
            return True
        if file.startswith("<"):
            return not file.startswith(("<frozen", "<string>"))  # the latter is what dataclasses generate
        if file.startswith(_OURS) or any(part in file for part in _INSTALLED):
            return False
        return not file.startswith(_STANDARD)

    def site(self, frame: FrameType | None) -> Site | None:
        """The innermost line of the user's own code from a frame outwards."""
        while frame is not None:
            if self.is_own(frame.f_code.co_filename):
                return self.named(frame.f_code.co_filename, frame.f_lineno)
            frame = frame.f_back
        return None

    def here(self) -> str:
        """The innermost line of the user's own code that is running now; '' if there is none."""
        frame: FrameType | None = sys._getframe(1)
        known = self._known
        while frame is not None:
            code = frame.f_code
            is_own = known.get(code.co_filename)
            if is_own or (is_own is None and self.is_own(code.co_filename)):
                line = (code.co_filename, frame.f_lineno)
                said = self._said.get(line)
                if said is None:
                    said = self._said[line] = str(self.named(*line))
                return said
            frame = frame.f_back
        return ""

    def named(self, file: str, line: int) -> Site:
        """A line, called by its path from the folder if it is inside."""
        return Site(file.removeprefix(self._root), line)


def keeps_our_books(module: str) -> bool:
    """True for the modules of Understudy: what they read is for its own logs, and not for the pipeline."""
    return module == "understudy" or module.startswith("understudy.")


def package_of(function: Any) -> str:
    """The folder of the top package that a function belongs to, or its file; '' where it has none."""
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    file = getattr(module, "__file__", None)
    if module is None or not file:
        return ""
    top = sys.modules.get(module.__name__.partition(".")[0])
    folder = getattr(top, "__path__", None)
    if top is module and not folder:
        return str(file)
    path = next(iter(folder), "") if folder else ""
    return os.path.join(path, "") if path else str(file)
