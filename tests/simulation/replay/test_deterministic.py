"""Imposed sources are the same in every run, go on within it, and look like the real ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from understudy.core.clock import FixedClock
from understudy.simulation.replay.deterministic import Deterministic
from understudy.simulation.replay.own_code import OwnCode
from understudy.simulation.replay.witness import Witness

WriteModule = Callable[..., ModuleType]
MOMENT = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)

SOURCES = [
    ("import datetime", "datetime.datetime.now()"),
    ("import datetime", "datetime.datetime.now(datetime.UTC)"),
    ("import datetime", "datetime.date.today()"),
    ("import time", "time.time()"),
    ("import time", "time.time_ns()"),
    ("import time", "time.monotonic()"),
    ("import time", "time.gmtime()"),
    ("import time", "time.localtime()"),
    ("import time", "time.strftime('%H:%M:%S')"),
    ("import time", "time.perf_counter_ns()"),
    ("import uuid", "uuid.uuid4()"),
    ("import uuid", "uuid.uuid1()"),
    ("import os", "os.urandom(4)"),
    ("import os", "os.getpid()"),
    ("import random", "random.random()"),
    ("import random", "random.choice('abc')"),
    ("import random", "random.sample(range(9), 3)"),
    ("import random", "random.Random().random()"),
    ("import secrets", "secrets.token_hex(4)"),
    ("import secrets", "secrets.token_urlsafe()"),
    ("import secrets", "secrets.token_bytes(3)"),
    ("import secrets", "secrets.randbelow(9)"),
    ("import secrets", "secrets.choice('abc')"),
]


def drawn(call: Callable[[], Any], plan: Deterministic, root: Path) -> Any:
    """What a call gives when sources are imposed, and what was noted of it."""
    witness = Witness(OwnCode(str(root)), plan.begin())
    with witness.listening():
        value = call()
    assert witness.reads() == (), "what is imposed is the same every time, and so no cause"
    return value


@pytest.mark.parametrize(("imports", "call"), SOURCES, ids=[source[1] for source in SOURCES])
def test_a_source_is_the_same_in_every_run_and_of_the_real_kind(
    imports: str, call: str, module: WriteModule, tmp_path: Path
) -> None:
    made = module(f"{imports}\ndef work():\n    return [{call}, {call}, {call}]\n")
    plan = Deterministic(FixedClock(MOMENT), seed=5)

    first = drawn(made.work, plan, tmp_path)

    assert drawn(made.work, plan, tmp_path) == first
    assert type(first[0]) is type(made.work()[0])


def test_the_clock_begins_at_its_moment_and_goes_on_at_each_look(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        from datetime import datetime, UTC, timedelta, timezone
        import time
        def work():
            east = timezone(timedelta(hours=2))
            return datetime.now(UTC), datetime.now(east), datetime.fromtimestamp(time.time(), UTC)
        """
    )
    first, east, third = drawn(made.work, Deterministic(FixedClock(MOMENT), tick=1.0), tmp_path)

    assert (first, east) == (MOMENT + timedelta(seconds=1), MOMENT + timedelta(seconds=2))
    assert east.utcoffset() == timedelta(hours=2)
    assert third == MOMENT + timedelta(seconds=3)


def test_a_loop_that_waits_for_a_deadline_ends(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        import time
        def work():
            end = time.monotonic() + 1
            looks = 0
            while time.monotonic() < end:
                looks += 1
            return looks
        """
    )
    assert drawn(made.work, Deterministic(tick=0.25), tmp_path) == 3


def test_another_seed_draws_something_else(module: WriteModule, tmp_path: Path) -> None:
    made = module("import uuid\ndef work():\n    return uuid.uuid4()\n")
    one, other = (drawn(made.work, Deterministic(seed=seed), tmp_path) for seed in (1, 2))

    assert one != other
    assert (one.version, other.version) == (4, 4)


def test_an_imposed_environment_is_all_there_is(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        import os
        def work():
            return os.environ.get("REGION"), os.getenv("PATH", "none"), "PATH" in os.environ
        """
    )
    plan = Deterministic(environment={"REGION": "eu"})

    assert drawn(made.work, plan, tmp_path) == ("eu", "none", False)
    assert made.work()[1] == os.environ["PATH"]


def test_without_an_environment_the_real_one_is_read_and_noted(module: WriteModule, tmp_path: Path) -> None:
    made = module("import os\ndef work():\n    return os.environ['PATH']\n")
    witness = Witness(OwnCode(str(tmp_path)), Deterministic().begin())
    path = os.environ["PATH"]
    with witness.listening():
        assert made.work() == path

    assert [read.name for read in witness.reads()] == ["os.environ['PATH']"]
