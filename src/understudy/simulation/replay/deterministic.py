"""A clock, ids and chance that are the same in every run, for pipelines that cannot be given their own."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from understudy.core.clock import Clock, FixedClock

_UUID_BYTES = 16


@dataclass(frozen=True, slots=True)
class Deterministic:
    """What a run reads in place of the real clock, ids, chance, and (where given) environment.

    The clock begins at the same moment in every run and goes on by `tick` seconds at each look at it, so that a
    loop which waits for a deadline ends.
    """

    clock: Clock = field(default_factory=FixedClock)
    seed: int = 0
    tick: float = 0.001
    environment: Mapping[str, str] | None = None

    def begin(self) -> Imposed:
        """The sources of one run."""
        return Imposed(self)


class Imposed:
    """The imposed sources during one run, by the names under which they are read; `drawn` are the ids it gave out."""

    def __init__(self, plan: Deterministic) -> None:
        self._moment = plan.clock.now()
        self._elapsed = plan.clock.monotonic()
        self._tick = plan.tick
        self._chance = random.Random(plan.seed)  # noqa: S311 - it has to be the same again
        self.environment = plan.environment
        self.drawn: set[str] = set()
        self._made: dict[str, Callable[..., Any]] = {
            "datetime.now": self._now,
            "datetime.utcnow": lambda: self._look().astimezone(UTC).replace(tzinfo=None),
            "datetime.today": self._now,
            "date.today": lambda: self._look().astimezone().date(),
            "time.time": lambda: self._look().timestamp(),
            "time.time_ns": lambda: int(self._look().timestamp() * 1e9),
            **dict.fromkeys(
                ("time.gmtime", "time.localtime", "time.ctime", "time.strftime"),
                lambda: self._look().timestamp(),
            ),
            "time.monotonic": self._seconds,
            "time.monotonic_ns": lambda: int(self._seconds() * 1e9),
            "time.perf_counter": self._seconds,
            "time.perf_counter_ns": lambda: int(self._seconds() * 1e9),
            "uuid.uuid1": lambda node=None, clock_seq=None: self._uuid(1),
            "uuid.uuid4": lambda: self._uuid(4),
            **dict.fromkeys(("time.process_time", "time.thread_time"), self._seconds),
            **dict.fromkeys(
                ("time.process_time_ns", "time.thread_time_ns"), lambda: int(self._seconds() * 1e9)
            ),
            "time.clock_gettime": lambda clock: self._look().timestamp(),
            "time.clock_gettime_ns": lambda clock: int(self._look().timestamp() * 1e9),
            "os.urandom": self._bytes,
            "os.getrandom": lambda size, flags=0: self._bytes(size),
            "os.getpid": lambda: 4242,
            "secrets.token_bytes": lambda nbytes=None: self._bytes(nbytes or 32),
            "secrets.token_hex": lambda nbytes=None: self._bytes(nbytes or 32).hex(),
            "secrets.token_urlsafe": lambda nbytes=None: self._bytes(nbytes or 32).hex(),
            "secrets.randbelow": self._chance.randrange,
            "secrets.randbits": self._chance.getrandbits,
            "secrets.choice": self._chance.choice,
        }

    def source(self, name: str) -> Callable[..., Any] | None:
        """What is read in place of `name`; None if that is not imposed."""
        found = self._made.get(name)
        if found is None and name.startswith("random."):
            if name == "random.Random":
                return lambda seed=None: random.Random(self._chance.random())  # noqa: S311 - as above
            return getattr(self._chance, name.rpartition(".")[2], None)
        return found

    def _look(self) -> datetime:
        self._moment += timedelta(seconds=self._tick)
        return self._moment

    def _seconds(self) -> float:
        self._elapsed += self._tick
        return self._elapsed

    def _now(self, tz: Any = None) -> datetime:
        moment = self._look()
        return moment.astimezone(tz) if tz is not None else moment.astimezone().replace(tzinfo=None)

    def _uuid(self, version: int) -> uuid.UUID:
        made = uuid.UUID(int=self._chance.getrandbits(128), version=version)
        self.drawn |= {str(made), made.hex}
        return made

    def _bytes(self, count: int) -> bytes:
        made = self._chance.randbytes(count)
        self.drawn.add(made.hex())
        if count == _UUID_BYTES:  # uuid4 makes its ids of these
            name = uuid.UUID(bytes=made, version=4)
            self.drawn |= {str(name), name.hex}
        return made
