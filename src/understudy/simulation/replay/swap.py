"""Puts stand-ins in the place of names that modules have imported, and the real things back, whatever happens.

Nothing in the standard library's own namespaces changes but where it makes random ids for others: what is exchanged
are the names in the modules that use it, so that event loops, logging and pickling go on as before.
"""

from __future__ import annotations

import builtins
import sys
import threading
from collections.abc import Callable, Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any

from understudy.simulation.replay.own_code import OwnCode, keeps_our_books
from understudy.simulation.replay.stand_ins import StandIns

# Where the standard library draws what others get from it under another name, such as a default factory.
DRAWERS = ("uuid", "secrets")
_LEFT_ALONE = frozenset(
    {"pytest", "_pytest", "pluggy", "xdist", "execnet", "coverage", "hypothesis", "_hypothesis"}
)
_STANDARD = sys.stdlib_module_names


class Swap:
    """The exchange of names in this process, counted so that runs may overlap; the last one puts all back."""

    def __init__(self, make: Callable[[], StandIns]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._users = 0
        self._is_for_good = False
        self._stand_ins = StandIns()
        self._changed: list[tuple[dict[str, Any], str, Any, Any]] = []
        self._cells: list[tuple[CellType, Any, Any]] = []
        self._seen: set[int] = set()
        self._undo: list[Callable[[], None]] = []

    def enter(
        self,
        own: OwnCode,
        in_place: Callable[[], Callable[[], None]],
        *,
        functions: Iterable[FunctionType] = (),
        for_good: bool = False,
    ) -> None:
        """Exchange the names in all modules; `in_place` patches the rest and returns how it is undone.

        `functions` have names that may belong to no module: those of a notebook, or of the function around them.
        `for_good`: the top level of a module that is imported gets the stand-ins too, and keeps them.
        """
        with self._lock:
            self._is_for_good = for_good
            if not self._users:
                self._stand_ins = self._make()
                self._undo = [in_place(), self._watch_imports(own)]
            self._users += 1
            self._exchange_all(own)
            for function in functions:
                self._exchange_names_of(function, set())

    def leave(self) -> None:
        """Put everything back, if nobody else needs it."""
        with self._lock:
            self._users -= 1
            if self._users:
                return
            for undo in reversed(self._undo):
                undo()
            for names, name, real, stand_in in reversed(self._changed):
                if names.get(name) is stand_in:
                    names[name] = real
            for cell, real, stand_in in reversed(self._cells):
                if _content(cell) is stand_in:
                    cell.cell_contents = real
            self._changed.clear()
            self._cells.clear()
            self._seen.clear()

    def _exchange_all(self, own: OwnCode) -> None:
        for name, module in list(sys.modules.items()):
            if isinstance(module, ModuleType) and id(module) not in self._seen and not _is_half_made(module):
                self._seen.add(id(module))
                if name in DRAWERS:
                    self._exchange(
                        module.__dict__, {**self._stand_ins.everywhere, **self._stand_ins.own_only}
                    )
                elif self._is_of_interest(name):
                    self._exchange(module.__dict__, self._table(module, own))

    def _table(self, module: ModuleType, own: OwnCode) -> dict[int, Any]:
        file = getattr(module, "__file__", None) or ""
        if module.__name__ == "__main__" or (file and own.is_own(file)):
            return {**self._stand_ins.everywhere, **self._stand_ins.own_only}
        return self._stand_ins.everywhere

    def _exchange(self, names: dict[str, Any], table: dict[int, Any]) -> None:
        for name, value in list(names.items()):
            stand_in = table.get(id(value))
            if stand_in is not None:
                names[name] = stand_in
                self._changed.append((names, name, value, stand_in))

    def _exchange_names_of(self, function: FunctionType, seen: set[int]) -> None:
        """Exchange what a function finds around it, and what the functions find that it finds there."""
        if id(function) in seen or keeps_our_books(function.__module__ or ""):
            return
        seen.add(id(function))
        table = {**self._stand_ins.everywhere, **self._stand_ins.own_only}
        self._exchange(function.__globals__, table)
        for cell in function.__closure__ or ():
            content = _content(cell)
            if id(content) in table:
                cell.cell_contents = table[id(content)]
                self._cells.append((cell, content, cell.cell_contents))
            elif isinstance(content, FunctionType):
                self._exchange_names_of(content, seen)

    @staticmethod
    def _is_of_interest(name: str) -> bool:
        top = name.partition(".")[0]
        return top not in _STANDARD and top not in _LEFT_ALONE and not keeps_our_books(name)

    def _watch_imports(self, own: OwnCode) -> Callable[[], None]:
        """An import within a function finds the stand-ins; a module that is imported now is exchanged at once."""
        real, modules = builtins.__import__, self._stand_ins.modules

        def import_(
            name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0
        ) -> Any:
            before = len(sys.modules)
            module = real(name, globals_, locals_, fromlist, level)
            if len(sys.modules) != before:
                with self._lock:
                    if self._users:
                        self._exchange_all(own)
            # Libraries import within functions too, thousands of times: most are done with after one look.
            stand_in = modules.get(name if fromlist else name.partition(".")[0])
            if stand_in is None or level or not globals_:
                return module
            in_function = locals_ is None or self._is_for_good
            return stand_in if in_function and self._is_own_importer(globals_, own) else module

        builtins.__import__ = import_  # type: ignore[assignment]  # it passes on what it is given

        def undo() -> None:
            if builtins.__import__ is import_:
                builtins.__import__ = real

        return undo

    def _is_own_importer(self, names: dict[str, Any], own: OwnCode) -> bool:
        file = names.get("__file__") or ""
        return names.get("__name__") == "__main__" or not file or own.is_own(file)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing is in it yet
        return None


def _is_half_made(module: ModuleType) -> bool:
    """True while a module's own code runs for the first time: the names that it will import are not there yet."""
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))
