"""Why two runs differ: what they read that was not the same, those first whose value shows in the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from understudy.simulation.replay.judge import Finding
from understudy.simulation.replay.record import Read, Run, Site

CAUSES_SHOWN = 10
_SHORTEST = 3
_TEXT_SEARCHED = 1 << 20


def likely_causes(
    first: Run, again: Run, texts: Iterable[str], pipeline: Site, others: Sequence[Read] = ()
) -> tuple[Read, ...]:
    """The reads that may have made two runs different, the most likely first.

    What gave the same values in both runs is no cause. What is left is ordered: its value stands in the
    difference; it was read by the pipeline's own line; it was read through a library.
    """
    difference = "\n".join(texts).lower()[:_TEXT_SEARCHED]
    before = {(read.site, read.name, read.through): read for read in first.reads}
    suspects = [*_of_context(first, again, pipeline, difference), *others]
    for read in again.reads:
        earlier = before.get((read.site, read.name, read.through))
        if earlier is None or _may_differ(earlier, read):
            suspects.append(_both(earlier, read))
    later = {(read.site, read.name, read.through) for read in again.reads}
    suspects += [read for key, read in before.items() if key not in later]
    ranked = sorted(enumerate(suspects), key=lambda pair: (_rank(pair[1], difference), pair[0]))
    return tuple(read for _, read in ranked[:CAUSES_SHOWN])


def causes_for(finding: Finding, causes: Sequence[Read]) -> tuple[Read, ...]:
    """Those of the causes that may have made this finding: the ones whose value stands in it, or else all."""
    if finding.is_own or not finding.texts:
        return ()
    text = "\n".join(finding.texts).lower()[:_TEXT_SEARCHED]
    return tuple(cause for cause in causes if shows_in(cause, text)) or tuple(causes)


def shows_in(read: Read, difference: str) -> bool:
    """True if a value that was read stands in the difference (which is in lower case), in one of its usual forms."""
    return any(form in difference for value in read.values for form in forms_of(value))


def forms_of(value: Any) -> Iterator[str]:
    """How a value usually looks within an id or a field, in lower case.

    >>> "20260102t030405" in list(forms_of(datetime(2026, 1, 2, 3, 4, 5)))
    True
    """
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, datetime):
        yield from (value.isoformat().lower(), str(value), f"{value:%Y%m%d%H%M%S}", f"{value:%Y%m%dt%H%M%S}")
        yield from (f"{value:%Y-%m-%dt%H:%M:%S}", f"{value:%Y-%m-%d %H:%M:%S}", f"{value:%Y-%m-%d}")
        yield from (
            f"{value:%Y%m%d}",
            str(int(value.timestamp())),
            str(value.timestamp()),
            f"{value:%H:%M:%S}",
        )
    elif isinstance(value, date):
        yield from (value.isoformat(), f"{value:%Y%m%d}")
    elif isinstance(value, UUID):
        yield from (str(value), value.hex, value.hex[:8])
    elif isinstance(value, bytes):
        yield value.hex()
    elif isinstance(value, float):
        yield repr(value)
        if abs(value) > 1e6:
            yield from (str(int(value)), str(int(value * 1000)))
            yield from forms_of(datetime.fromtimestamp(value)) if 1e8 < value < 1e10 else ()
    else:
        text = str(value).lower()
        if len(text) >= _SHORTEST:
            yield text
        if isinstance(value, int) and value > 10**15:  # nanoseconds
            yield str(value // 10**9)


def _may_differ(earlier: Read, read: Read) -> bool:
    """True if two reads at one place were not the same, or tell nothing of what they were, as a shuffle does."""
    says_nothing = read.kind == "random" and all(value is None for value in read.values)
    return says_nothing or earlier.values != read.values or earlier.count != read.count or not read.values


def _rank(read: Read, difference: str) -> tuple[int, int]:
    if read.kind in ("thread", "order"):
        return (2, 0)
    return (0 if shows_in(read, difference) else 1, 1 if read.through else 0)


def _both(earlier: Read | None, read: Read) -> Read:
    """One read with the values of both runs."""
    values = (*(earlier.values if earlier else ()), *read.values)
    return Read(read.kind, read.name, read.site, read.count, values, read.through)


def _of_context(first: Run, again: Run, pipeline: Site, difference: str) -> Iterator[Read]:
    """The context's own id is another one in every run, and nobody needs to read anything for it."""
    read = Read("id", "ctx.context_id", pipeline, 1, (first.context_id, again.context_id))
    if first.context_id and shows_in(read, difference):
        yield read


def described(causes: Sequence[Read]) -> str:
    """The causes as one text, a line each."""
    return "\n".join(str(read) for read in causes)
