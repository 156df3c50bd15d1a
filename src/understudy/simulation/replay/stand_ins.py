"""What takes the place of clock, ids, chance and environment during a run: the same, but heard by the run's witness."""

from __future__ import annotations

import datetime
import os
import random
import secrets
import sys
import time
import uuid
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from functools import partial
from types import FrameType, ModuleType
from typing import Any, Protocol

from understudy.simulation.replay.record import ReadKind


class Hear(Protocol):
    """Reads the real thing, or what is imposed in its place, and remembers who did."""

    def __call__(
        self, kind: ReadKind, name: str, real: Callable[..., Any], args: Any, kwargs: Any, frame: FrameType
    ) -> Any:
        """The value that is read."""
        ...


_NO_WORDS: dict[str, Any] = {}
_TIMES = tuple(
    f"{name}{unit}"
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time", "clock_gettime")
    for unit in ("", "_ns")
    if hasattr(time, f"{name}{unit}")
)
_BYTES = tuple(name for name in ("urandom", "getrandom") if hasattr(os, name))
_NEEDS_MOMENT = {"gmtime": 0, "localtime": 0, "ctime": 0, "strftime": 1}
_SECRETS = ("token_bytes", "token_hex", "token_urlsafe", "randbelow", "randbits", "choice")
_MAKERS = (
    "combine",
    "fromisocalendar",
    "fromisoformat",
    "fromordinal",
    "fromtimestamp",
    "strptime",
    "utcfromtimestamp",
)
_NOT_CHANCE = ("seed", "getstate", "setstate", "Random", "SystemRandom")


@dataclass(frozen=True, slots=True)
class StandIns:
    """By the identity of the real thing: what replaces it everywhere, and what only in the user's own modules."""

    everywhere: dict[int, Any] = field(default_factory=dict)
    own_only: dict[int, Any] = field(default_factory=dict)
    modules: dict[str, ModuleType] = field(default_factory=dict)


def make_stand_ins(hear: Hear) -> StandIns:
    """The stand-ins of a process; without a witness around they do what the real things do."""
    stand_ins = StandIns()
    _functions(stand_ins, hear, time, "clock", _TIMES)
    for name, given in _NEEDS_MOMENT.items():
        _add(stand_ins, time, name, _unless_given(hear, "clock", f"time.{name}", getattr(time, name), given))
    _functions(stand_ins, hear, uuid, "id", ("uuid1", "uuid4"))
    chance = [n for n in random.__all__ if n not in _NOT_CHANCE]
    _functions(stand_ins, hear, random, "random", chance)
    _add(stand_ins, random, "Random", _random_class(hear))
    of_system = _system_random_class(hear)
    _add(stand_ins, random, "SystemRandom", of_system)
    _functions(stand_ins, hear, secrets, "random", _SECRETS)
    _add(stand_ins, secrets, "SystemRandom", of_system)
    _add(stand_ins, datetime, "datetime", _datetime_class(hear))
    _add(stand_ins, datetime, "date", _date_class(hear))
    _functions(stand_ins, hear, os, "random", _BYTES)
    real_getenv = os.getenv
    own = StandIns(stand_ins.own_only, {}, stand_ins.modules)
    _functions(own, hear, os, "process", ("getpid",))
    _add(own, os, "environ", _Environment(os.environ, hear))

    def getenv(key: str, default: Any = None) -> Any:
        return hear("environment", f"os.environ[{key!r}]", real_getenv, (key, default), {}, sys._getframe(1))

    _add(own, os, "getenv", getenv)
    for module in stand_ins.modules.values():
        target = stand_ins.own_only if module.__name__ == "os" else stand_ins.everywhere
        target[id(sys.modules[module.__name__])] = module
    return stand_ins


def _functions(stand_ins: StandIns, hear: Hear, module: ModuleType, kind: ReadKind, names: Any) -> None:
    for name in names:
        _add(stand_ins, module, name, _heard(hear, kind, f"{module.__name__}.{name}", getattr(module, name)))


def _add(stand_ins: StandIns, module: ModuleType, name: str, stand_in: Any) -> None:
    stand_ins.everywhere[id(getattr(module, name))] = stand_in
    if module.__name__ not in stand_ins.modules:
        stand_ins.modules[module.__name__] = _ModuleStandIn(module)
    stand_ins.modules[module.__name__].__dict__[name] = stand_in


def _heard(hear: Hear, kind: ReadKind, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        return hear(kind, name, real, args, kwargs, sys._getframe(1))

    stand_in.__name__ = stand_in.__qualname__ = name.rpartition(".")[2]
    return stand_in


def _unless_given(hear: Hear, kind: ReadKind, name: str, real: Any, given: int) -> Callable[..., Any]:
    """A function that reads the clock only if it is called without the moment that it is about."""

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        if len(args) > given:
            return real(*args, **kwargs)
        now = hear("clock", name, time.time, (), {}, sys._getframe(1))
        return real(*args, time.localtime(now) if given else now)

    return stand_in


class _ModuleStandIn(ModuleType):
    """A module with some of its names replaced; what is set on it is set on the real one too."""

    def __init__(self, real: ModuleType) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update(real.__dict__)
        self.__dict__["_real_module"] = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_real_module"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_real_module"], name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["_real_module"], name)
        super().__delattr__(name)


def _class_like(real: type) -> type:
    """A metaclass whose classes pass for `real` wherever they are compared, hashed, or asked for instances."""

    class Same(type):
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, real)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, real)

        def __eq__(cls, other: object) -> bool:
            return other is real or other is cls

        def __hash__(cls) -> int:
            return hash(real)

    return Same


def _datetime_class(hear: Hear) -> type:
    real = datetime.datetime

    def now(cls: Any, tz: Any = None) -> Any:
        return hear("clock", "datetime.now", real.now, (tz,), {}, sys._getframe(1))

    def utcnow(cls: Any) -> Any:
        return hear("clock", "datetime.utcnow", real.utcnow, (), {}, sys._getframe(1))

    def today(cls: Any) -> Any:
        return hear("clock", "datetime.today", real.today, (), {}, sys._getframe(1))

    return _moment_class(real, {"now": now, "utcnow": utcnow, "today": today})


def _date_class(hear: Hear) -> type:
    real = datetime.date

    def today(cls: Any) -> Any:
        return hear("clock", "date.today", real.today, (), {}, sys._getframe(1))

    return _moment_class(real, {"today": today})


def _moment_class(real: Any, methods: dict[str, Callable[..., Any]]) -> type:
    """A class that makes instances of the real one, so that nothing of the stand-in outlives the run."""

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return real(*args, **kwargs) if cls is made else real.__new__(cls, *args, **kwargs)

    def core_schema(cls: Any, source: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(real)  # a model that pydantic completes during the run has fields of the real type

    # What else makes moments makes real ones at once, and need not go through `new`.
    makers = {name: getattr(real, name) for name in _MAKERS if hasattr(real, name)}
    names = {**makers, **{name: classmethod(method) for name, method in methods.items()}}
    body = {
        "__new__": new,
        "__module__": "datetime",
        "__get_pydantic_core_schema__": classmethod(core_schema),
    }
    made: type = _class_like(real)(real.__name__, (real,), {**body, **names})
    return made


def _random_class(hear: Hear) -> type:
    real = random.Random

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if cls is not made:
            return real.__new__(cls, *args, **kwargs)
        if args or kwargs:
            return real(*args, **kwargs)
        return hear("random", "random.Random", real, (), {}, sys._getframe(1))

    made: type = _class_like(real)("Random", (real,), {"__new__": new, "__module__": "random"})
    return made


def _system_random_class(hear: Hear) -> type:
    """All that it draws comes through two methods."""
    real = random.SystemRandom

    def drawn(self: Any) -> float:
        return float(
            hear("random", "random.SystemRandom.random", partial(real.random, self), (), {}, sys._getframe(1))
        )

    def bits(self: Any, k: int) -> int:
        name = "random.SystemRandom.getrandbits"
        return int(hear("random", name, partial(real.getrandbits, self), (k,), {}, sys._getframe(1)))

    methods = {"random": drawn, "getrandbits": bits, "__module__": "random"}
    made: type = _class_like(real)("SystemRandom", (real,), methods)
    return made


class _Environment(MutableMapping[str, str]):
    """The environment, whose variables are heard when they are read."""

    def __init__(self, real: Any, hear: Hear) -> None:
        self._real = real
        self._hear = hear

    def _read(self, key: Any, read: Callable[..., Any], frame: FrameType) -> Any:
        return self._hear("environment", f"os.environ[{key!r}]", read, (key,), {}, frame)

    def __getitem__(self, key: str) -> str:
        value: str | None = self._read(key, self._real.get, sys._getframe(1))
        if value is None:
            raise KeyError(key)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        name = f"os.environ[{key!r}]"
        value = self._hear("environment", name, self._real.get, (key,), _NO_WORDS, sys._getframe(1))
        return default if value is None else value

    def __contains__(self, key: object) -> bool:
        return self._read(key, self._real.get, sys._getframe(1)) is not None

    def __setitem__(self, key: str, value: str) -> None:
        self._real[key] = value

    def __delitem__(self, key: str) -> None:
        del self._real[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._real)

    def __len__(self) -> int:
        return len(self._real)

    def copy(self) -> dict[str, str]:
        """The whole environment, as the real one gives it."""
        return dict(self._real)

    def __or__(self, other: Any) -> dict[str, str]:
        return {**self._real, **other}

    def __ror__(self, other: Any) -> dict[str, str]:
        return {**other, **self._real}
