"""The sentences and figures that every report shares: counts, durations, values, and what was not run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from understudy.core.report import Report, Summary
from understudy.reporting.grouping import KINDS

_NAMES = {"known": "known failure"}
_ORDER = ("passed", "failed", "errored", "known", "skipped")
assert set(_ORDER) == set(KINDS)  # noqa: S101 - one table must not forget what the other has

_LOOKS_LIKE_ANOTHER = re.compile(r"-?[0-9.]{1,40}([eE][+-]?[0-9]{1,4})?|true|false|null")


def counts_of(summary: Summary) -> dict[str, int]:
    """How many outcomes there are of each kind, in the order in which they are told; all kinds are there."""
    return {kind: getattr(summary, kind) for kind in _ORDER}


def in_words(summary: Summary) -> str:
    """The counts as a sentence's part.

    >>> in_words(Summary(total=16, passed=12, failed=2, known=2))
    '12 passed, 2 failed, 2 known failures'
    """
    parts = [kind_in_words(kind, count) for kind, count in counts_of(summary).items() if count]
    return ", ".join(parts) or "no cases"


def kind_in_words(kind: str, count: int) -> str:
    """A count of one kind.

    >>> kind_in_words("known", 1), kind_in_words("passed", 1200)
    ('1 known failure', '1,200 passed')
    """
    name = _NAMES.get(kind, kind)
    return f"{count:,} {name}{'s' if kind in _NAMES and count != 1 else ''}"


def duration_in_words(milliseconds: float) -> str:
    """A duration as people say it.

    >>> [duration_in_words(ms) for ms in (0.42, 128.4, 800, 12_345, 125_000)]
    ['0.4 ms', '128 ms', '0.8 s', '12.3 s', '2 min 5 s']
    """
    if milliseconds < 10:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 500:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    return f"{minutes} min {seconds} s"


def cases_in_words(count: int) -> str:
    """A number of cases.

    >>> cases_in_words(1), cases_in_words(2000)
    ('1 case', '2,000 cases')
    """
    return f"{count:,} case" if count == 1 else f"{count:,} cases"


def stopped_in_words(report: Report, finished: int) -> str:
    """Why a run ended early and what it left out; empty if it did not. `finished` counts no rows."""
    if not report.stopped:
        return ""
    left = max(0, report.plan.cases - finished)
    missing = f": {left:,} of {cases_in_words(report.plan.cases)} not run" if left else ""
    return f"stopped early ({report.stopped}){missing}"


def shard_in_words(report: Report) -> str:
    """Which part of the whole this is; empty if it is the whole."""
    plan = report.plan
    return f"shard {plan.shard} of {plan.shards}" if plan.shards > 1 else ""


def value_text(value: Any, limit: int = 20_000) -> str:
    r"""Plain data as text to read: strings as they are, anything else as indented JSON, cut at `limit`.

    A string that would look like a number, a truth value or null is quoted.

    >>> value_text({"a": [1]}), value_text("11.50"), value_text("tea")
    ('{\n  "a": [\n    1\n  ]\n}', '"11.50"', 'tea')
    """
    is_text = isinstance(value, str) and not _LOOKS_LIKE_ANOTHER.fullmatch(value)
    return shortened(value if is_text else json.dumps(plain(value), indent=2, ensure_ascii=False), limit)


def shortened(text: str, limit: int) -> str:
    """The text, cut after `limit` characters with a note of what is missing.

    >>> shortened("abcdef", 4)
    'abcd… (2 more characters)'
    """
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def plain(value: Any, depth: int = 100) -> Any:
    """What JSON can hold of a value: unknown objects as text, no NaN or infinity, at most `depth` levels.

    >>> plain({1: (float("nan"), {"x"})})
    {'1': ['nan', ["'x'"]]}
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if depth and isinstance(value, Mapping):
        return {str(key): plain(entry, depth - 1) for key, entry in value.items()}
    if depth and isinstance(value, list | tuple):
        return [plain(entry, depth - 1) for entry in value]
    if depth and isinstance(value, set | frozenset):
        return sorted(repr(entry) for entry in value)
    return "…" if isinstance(value, Mapping | list | tuple) else repr(value)
