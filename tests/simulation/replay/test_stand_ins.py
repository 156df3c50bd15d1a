"""Whatever a pipeline reads of clock, ids and chance is named as a cause when it differs, and can be imposed."""

from __future__ import annotations

import datetime
import os
import random
import secrets
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from understudy.context import ExecutionContext
from understudy.simulation import Deterministic
from understudy.simulation.replay.runner import ReplayRunner

Objects = list[dict[str, Any]]


def shuffled() -> list[int]:
    items = list(range(50))
    random.shuffle(items)
    return items


SOURCES: dict[str, Callable[[], Any]] = {
    "datetime.now()": lambda: datetime.datetime.now().isoformat(),
    "time.time_ns()": lambda: time.time_ns(),
    "time.monotonic_ns()": lambda: time.monotonic_ns(),
    "time.perf_counter_ns()": lambda: time.perf_counter_ns(),
    "time.process_time_ns()": lambda: time.process_time_ns(),
    "time.thread_time_ns()": lambda: time.thread_time_ns(),
    "time.clock_gettime_ns()": lambda: time.clock_gettime_ns(time.CLOCK_REALTIME),
    "uuid.uuid1()": lambda: str(uuid.uuid1()),
    "uuid.uuid4()": lambda: str(uuid.uuid4()),
    "random.random()": lambda: random.random(),
    "random.shuffle()": shuffled,
    "random.Random()": lambda: random.Random().random(),
    "random.SystemRandom.random()": lambda: random.SystemRandom().random(),
    "random.SystemRandom.getrandbits()": lambda: secrets.SystemRandom().randrange(10**12),
    "secrets.token_urlsafe()": lambda: secrets.token_urlsafe(),
    "os.urandom()": lambda: os.urandom(8).hex(),
    "os.getrandom()": lambda: os.getrandom(8).hex(),
}


def of(source: Callable[[], Any]) -> Callable[[ExecutionContext], Objects]:
    return lambda ctx: [{"id": "indicator--1", "value": source()}]


def replayed(source: Callable[[], Any], impose: Deterministic | None = None) -> Any:
    runner = ReplayRunner(of(source), compare="content", impose=impose)
    ids = runner.run_first()
    return runner.replay(runner.last_execution_log, ids, check=False)


@pytest.mark.parametrize("name", SOURCES)
def test_what_differs_has_its_source_as_the_cause(name: str) -> None:
    result = replayed(SOURCES[name])
    assert not result.ok
    assert [read.name for read in result.causes] == [name]
    assert result.causes[0].site.file.endswith("test_stand_ins.py")


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_imposed_is_the_same_again(name: str) -> None:
    result = replayed(SOURCES[name], Deterministic())
    assert (result.ok, result.causes) == (True, ())


def test_a_class_of_random_numbers_passes_for_the_real_one_during_a_run() -> None:
    def checks(ctx: ExecutionContext) -> Objects:
        mine = random.SystemRandom()
        assert isinstance(mine, random.SystemRandom)
        assert isinstance(mine, random.Random)
        assert mine.choice([1, 2]) in (1, 2)
        return [{"id": "a"}]

    assert ReplayRunner(checks).run_first() == ["a"]


def test_a_difference_without_a_cause_that_was_seen_says_where_to_look() -> None:
    kept: list[int] = []

    def counts() -> int:
        kept.append(1)
        return len(kept)

    said = str(replayed(counts))
    assert "nothing that it read of clock, ids, chance or environment explains the difference" in said
    assert "what an earlier run left" in said


def test_a_difference_that_is_explained_says_no_more() -> None:
    assert "nothing that it read" not in str(replayed(SOURCES["uuid.uuid4()"]))
