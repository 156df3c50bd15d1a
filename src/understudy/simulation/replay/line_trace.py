"""Which of some lines are run: for a single run in a process of its own, for it makes Python slow."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from understudy.simulation.replay.own_code import OwnCode
from understudy.simulation.replay.record import Site


@contextmanager
def lines_run(sites: Iterable[Site], own: OwnCode) -> Iterator[set[Site]]:
    """In the block, the set that is given collects those of the sites that are run, in whatever thread."""
    wanted = frozenset(sites)
    files = {site.file for site in wanted}
    seen: set[Site] = set()
    short: dict[str, str] = {}

    def begin(frame: FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if file not in short:
            short[file] = own.named(file, 0).file
        return each if short[file] in files else None

    def each(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            site = Site(short[frame.f_code.co_filename], frame.f_lineno)
            if site in wanted:
                seen.add(site)
        return each

    before = sys.gettrace()
    sys.settrace(begin)
    threading.settrace(begin)
    try:
        yield seen
    finally:
        sys.settrace(before)
        threading.settrace(None)
