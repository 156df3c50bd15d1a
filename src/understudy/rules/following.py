"""What works in a cell while tests are watched: runs them as always, and tells which files each test file needs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from understudy.core.events import Evidence
from understudy.engine.act import CaseRef, Item
from understudy.rules.listing import Listed
from understudy.rules.mutation.opened import OpenedFiles
from understudy.rules.workbench import Workbench

SERVANT = "understudy.rules.following:FollowedBench"


class FollowedBench:
    """The servant of a cell. What is kept warm is kept for one test file, so that what it opens is its own.

    The names of the rules of a folder are found out beforehand: that every rule was glanced at says nothing.
    """

    def __init__(self, root: str, providers: Mapping[str, str] | None = None, cover: bool = False) -> None:
        self._root = Path(root).resolve()
        self._providers = providers or {}
        self._cover = cover
        self._opened = OpenedFiles(self._root)
        self._bench: tuple[str, Workbench] | None = None

    def list_tests(self, file: str) -> Iterator[Listed]:
        """What is in a test file."""
        return self._new_bench().list_tests(file)

    def run_test(self, file: str, ref: CaseRef) -> Iterator[Item]:
        """Run one test function, and tell which files its test file needed up to here."""
        bench = self._bench_of(file)
        yield from bench.run_test(file, ref)
        needed = {file, *self._opened.names, *map(self._shown, bench.used)}
        yield Evidence({"followed": {file: [ref.name]}, "needed": {file: sorted(needed)}})

    def measure_rules(self, folder: str) -> Iterator[Evidence]:
        """What there is to be reached in the rules of a folder."""
        return self._new_bench().measure_rules(folder)

    def _bench_of(self, file: str) -> Workbench:
        if self._bench is None or self._bench[0] != file:
            bench = self._new_bench()
            bench.glance_at_rules((self._root / file).parent)
            self._opened.forget()
            self._bench = file, bench
        return self._bench[1]

    def _new_bench(self) -> Workbench:
        return Workbench(str(self._root), self._providers, self._cover)

    def _shown(self, path: Path) -> str:
        return Path(os.path.relpath(os.path.realpath(path), self._root)).as_posix()
