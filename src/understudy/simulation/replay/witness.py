"""Who reads what: every read of clock, ids, chance and environment in a run is noted with the line that made it."""

from __future__ import annotations

import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType, FrameType, FunctionType
from typing import Any

from understudy.simulation.replay.deterministic import Imposed
from understudy.simulation.replay.own_code import OwnCode, keeps_our_books
from understudy.simulation.replay.record import Read, ReadKind, Site
from understudy.simulation.replay.stand_ins import make_stand_ins
from understudy.simulation.replay.swap import DRAWERS, Swap

_HANDS_OVER = (Future.set_result.__code__, Future.set_exception.__code__)
VALUES_KEPT = 200
_THREAD_MARK = "_understudy_witness"
_current: ContextVar[Witness | None] = ContextVar("understudy_witness", default=None)


class _Noted:
    """What is kept of one read at one place. `code` is kept so that its identity stays its own."""

    __slots__ = ("code", "count", "is_drawn", "kind", "name", "site", "through", "values")

    def __init__(
        self, kind: ReadKind, name: str, site: Site, through: str, code: CodeType | None = None
    ) -> None:
        self.code = code
        self.is_drawn = False
        self.kind = kind
        self.name = name
        self.site = site
        self.through = through
        self.count = 0
        self.values: list[Any] = []


class Witness:
    """Hears the reads of one run, wherever in its threads and tasks they are made."""

    def __init__(self, own: OwnCode | None = None, imposed: Imposed | None = None) -> None:
        self.own = own or OwnCode()
        self.imposed = imposed
        self.threads: list[tuple[threading.Thread, Site | None]] = []
        self.noted: dict[Any, _Noted] = {}
        self._ours: dict[tuple[int, int], tuple[CodeType, CodeType]] = {}

    @contextmanager
    def listening(
        self, functions: Iterable[FunctionType] = (), *, for_good: bool = False
    ) -> Iterator[Witness]:
        """Hear what is read in this block, by its own thread and those that it starts.

        `functions` are heard also if their names belong to no module.
        `for_good`: modules that are imported meanwhile are heard from their first line on, and keep the stand-ins;
        only for a process of our own.
        """
        _swap.enter(self.own, _patch_in_place, functions=functions, for_good=for_good)
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)
            _swap.leave()

    def reads(self) -> tuple[Read, ...]:
        """What was read, by place and in the order of the first time."""
        found: dict[tuple[Any, ...], Read] = {}
        for noted in list(self.noted.values()):
            key = (noted.site, noted.name, noted.through)
            before = found.get(key)
            count = noted.count + (before.count if before else 0)
            values = (*(before.values if before else ()), *noted.values)[:VALUES_KEPT]
            found[key] = Read(noted.kind, noted.name, noted.site, count, values, noted.through)
        return tuple(found.values())

    def unfinished_threads(self) -> list[Site | None]:
        """Where the threads were started that still do something; those of a pool that wait for work do not."""
        return [site for thread, site in self.threads if thread.is_alive() and not _is_idle(thread, self.own)]

    def hear(
        self, kind: ReadKind, name: str, real: Callable[..., Any], args: Any, kwargs: Any, frame: FrameType
    ) -> Any:
        """The value that is read; it is noted unless it is imposed, and so the same in every run."""
        code = frame.f_code
        key: Any = (id(code), frame.f_lasti, name)
        noted = self.noted.get(key)
        if noted is None:
            back = frame.f_back
            if back is not None and (id(code), id(back.f_code)) in self._ours:
                return real(*args, **kwargs)
            place = self._place(frame)
            if place is None:
                if back is not None and keeps_our_books(back.f_globals.get("__name__", "")):
                    self._ours[id(code), id(back.f_code)] = (code, back.f_code)
                return real(*args, **kwargs)
            module = frame.f_globals.get("__name__", "")
            said = f"{module}.{code.co_name}" if module in DRAWERS else name
            noted = _Noted(kind, said if kind == "environment" else f"{said}()", *place, code)
            noted.is_drawn = module in DRAWERS and said == "uuid.uuid4"
        if self.imposed is not None:
            source = self._imposed(kind, name, args)
            if source is not None:
                return source(*args, **kwargs)
        value = real(*args, **kwargs)
        if noted.through:
            key = (key, noted.site)  # through one line of a library come the reads of many lines
            noted = self.noted.setdefault(key, noted)
        else:
            self.noted[key] = noted
        noted.count += 1
        if noted.count <= VALUES_KEPT:
            noted.values.append(uuid.UUID(bytes=value, version=4) if noted.is_drawn else value)
        return value

    def note_thread(self, thread: threading.Thread, frame: FrameType) -> None:
        """A thread was started."""
        if keeps_our_books(frame.f_globals.get("__name__", "")):
            return
        site = self.own.site(frame)
        self.threads.append((thread, site))
        if site is not None:
            noted = self.noted.setdefault(("thread", site), _Noted("thread", "a thread", site, ""))
            noted.count += 1

    def _imposed(self, kind: ReadKind, name: str, args: Any) -> Callable[..., Any] | None:
        assert self.imposed is not None  # noqa: S101 - asked only then
        if kind != "environment":
            return self.imposed.source(name)
        environment = self.imposed.environment
        return None if environment is None else environment.get

    def _place(self, frame: FrameType) -> tuple[Site, str] | None:
        """The pipeline's line, and the library in between; None for what is read for our own books."""
        own, outer, last = self.own, frame, None
        while not own.is_own(outer.f_code.co_filename):
            name = outer.f_globals.get("__name__", "")
            if keeps_our_books(name):
                return None
            last = outer
            if outer.f_back is None:
                return None
            outer = outer.f_back
        site = own.named(outer.f_code.co_filename, outer.f_lineno)
        through = f"{last.f_globals.get('__name__', '')}.{last.f_code.co_qualname}" if last else ""
        return site, through


def _is_idle(thread: threading.Thread, own: OwnCode) -> bool:
    """True for a worker of a pool that waits, or is handing over what it has done: that is the pool's own work."""
    frame = sys._current_frames().get(thread.ident or 0)
    is_done = True
    while frame is not None:
        if frame.f_globals.get("__name__") == "concurrent.futures.thread":
            return is_done
        if own.is_own(frame.f_code.co_filename):  # what is told that it is done may be the pipeline's too
            return False
        is_done = frame.f_code in _HANDS_OVER
        frame = frame.f_back
    return False


def current_witness() -> Witness | None:
    """The witness of the run that this code belongs to."""
    return _current.get() or getattr(threading.current_thread(), _THREAD_MARK, None)


def _hear(
    kind: ReadKind, name: str, real: Callable[..., Any], args: Any, kwargs: Any, frame: FrameType
) -> Any:
    witness = _current.get() or getattr(threading.current_thread(), _THREAD_MARK, None)
    if witness is None:
        return real(*args, **kwargs)
    # What was read at this very place before takes a short cut, for pipelines do so thousands of times.
    noted = witness.noted.get((id(frame.f_code), frame.f_lasti, name))
    if noted is None or noted.is_drawn or witness.imposed is not None:
        return witness.hear(kind, name, real, args, kwargs, frame)
    value = real(*args, **kwargs)
    noted.count += 1
    if noted.count <= VALUES_KEPT:
        noted.values.append(value)
    return value


def _patch_in_place() -> Callable[[], None]:
    """Threads and numpy's global generator have one place each where they can be heard."""
    real_start = threading.Thread.start

    def start(self: threading.Thread) -> None:
        witness = current_witness()
        if witness is not None:
            setattr(self, _THREAD_MARK, witness)
            witness.note_thread(self, sys._getframe(1))
        real_start(self)

    threading.Thread.start = start  # type: ignore[method-assign]  # put back below
    replaced: list[tuple[Any, str, Any]] = [(threading.Thread, "start", real_start)]
    chance = sys.modules.get("numpy.random")
    for name in dir(chance) if chance is not None else ():
        real = getattr(chance, name)
        if name[0].islower() and callable(real) and not isinstance(real, type) and name != "seed":
            replaced.append((chance, name, real))
            setattr(chance, name, _numpy(name, real))

    def undo() -> None:
        for owner, name, real in reversed(replaced):
            setattr(owner, name, real)

    return undo


def _numpy(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        if name == "default_rng" and (args or kwargs):
            return real(*args, **kwargs)
        return _hear("random", f"numpy.random.{name}", real, args, kwargs, sys._getframe(1))

    return stand_in


_swap = Swap(lambda: make_stand_ins(_hear))
