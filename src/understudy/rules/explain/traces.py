"""Evaluating a traced policy: what it reached, in order, within a limit of steps and time."""

from __future__ import annotations

import time
from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyEngine, PolicyResult, PolicyText
from understudy.rules.explain.instrument import TRACE, Instrumented

_STEPS = 50_000
_SECONDS = 2.0


class TooLong(Exception):
    """The evaluation is larger than what is worth to be explained."""


@dataclass(frozen=True, slots=True)
class Event:
    """A call of a trace: its number, and a list for each of its probes."""

    number: int
    values: Sequence[Sequence[Any]]


class _Enough(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Subject:
    """What is evaluated again. `functions` makes them anew, and the first that has one answers.

    `names` are those of data sources.
    """

    source: PolicyText
    document: Mapping[str, Any]
    functions: Callable[[], Sequence[Mapping[str, HostFunction]]]
    names: Sequence[str]
    wanted: Sequence[str]


def trace(engine: PolicyEngine, subject: Subject, policy: Instrumented) -> tuple[list[Event], PolicyResult]:
    """The events of an evaluation and its result; raises TooLong, and InputError if the engine refuses."""
    events: list[Event] = []
    ends = time.monotonic() + _SECONDS

    def note(number: int, values: Sequence[Sequence[Any]], _: object) -> bool:
        events.append(Event(number, values))
        if len(events) > _STEPS or time.monotonic() > ends:
            raise _Enough
        return True

    functions = ChainMap({TRACE: HostFunction(TRACE, 3, note)}, *map(_read_only, subject.functions()))
    source = PolicyText(subject.source.file, policy.text(), subject.source.line, subject.source.indent)
    compiled = engine.compile(source, [*subject.names, TRACE])
    try:
        result = compiled.evaluate(subject.document, functions, subject.wanted)
    except _Enough:
        raise TooLong(f"it takes more than {_STEPS:,} steps or {_SECONDS:g} s") from None
    return events, result


def _read_only(functions: Mapping[str, HostFunction]) -> MutableMapping[str, HostFunction]:
    """For a ChainMap, which writes to none but its first mapping, whatever its types say."""
    return cast("MutableMapping[str, HostFunction]", functions)
