"""Whether a second run did the same as the first: ids, contents, order, side effects; what differs is named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from understudy.core.brief import brief
from understudy.core.canonical import canonical, content_hash
from understudy.core.diff import differences
from understudy.core.text_diff import text_diff
from understudy.simulation.replay.record import Run, Write
from understudy.simulation.replay.snapshot import Content, text_of

Kind = Literal["missing", "added", "repeated", "changed", "order", "write", "lost", "error", "empty"]
Compare = Literal["ids", "content"]
FINDINGS_SHOWN = 50
FINDINGS_KEPT = 200
_ALWAYS = ("missing", "error")
_DIFFERENT = frozenset({"missing", "added", "repeated", "changed", "order", "error"})
_IDS_SHOWN = 40
_NAMED = 3
_NAME_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which two runs differ. `texts` are what was different, as text, to find its cause by.

    What `is_own` is the pipeline's own doing, such as writing twice, at its line `site`: nothing that it read is the
    cause.
    """

    kind: Kind
    message: str
    expected: Any = None
    actual: Any = None
    diff: str = ""
    texts: tuple[str, ...] = ()
    is_own: bool = False
    site: str = ""

    def __str__(self) -> str:
        return self.message


def judge_ids(expected: Iterable[str], actual: Iterable[str], *, ordered: bool = False) -> Iterator[Finding]:
    """Ids that are missing, added, or there more or less often than before; and their order, if it matters.

    >>> [finding.message for finding in judge_ids(["a", "b"], ["b", "c"])]
    ['1 id is missing: "a"', '1 id was added: "c"']
    """
    expected, actual = list(expected), list(actual)
    if expected == actual:
        return
    before, after = [_text(one) for one in expected], [_text(one) for one in actual]
    was, is_now = Counter(before), Counter(after)
    missing = [name for name in was if name not in is_now]
    added = [name for name in is_now if name not in was]
    if missing:
        pair = len(missing) == len(added) == 1
        shown = text_diff(missing[0], added[0]) if pair else _listed("-", missing)
        text = f"{_count(missing, 'is', 'are')} missing: {_names(missing)}"
        yield Finding("missing", text, missing[:_IDS_SHOWN], added[:_IDS_SHOWN], shown, tuple(missing))
    if added:
        text = f"{_count(added, 'was', 'were')} added: {_names(added)}"
        diff = _listed("+", added)
        yield Finding("added", text, missing[:_IDS_SHOWN], added[:_IDS_SHOWN], diff, tuple(added))
    for name in (name for name in was if name in is_now and was[name] != is_now[name]):
        text = f"{brief(name)} was yielded {_times(is_now[name])}, and {_times(was[name])} in the first run"
        yield Finding(
            "repeated", text, was[name], is_now[name], f"-{_times(was[name])}\n+{_times(is_now[name])}"
        )
    if ordered and before != after and was == is_now:
        place = next(n for n, (one, other) in enumerate(zip(before, after, strict=True)) if one != other)
        text = f"the order is another one: object {place + 1} was {brief(before[place])}, is {brief(after[place])}"
        yield Finding(
            "order", text, before[place], after[place], text_diff("\n".join(before), "\n".join(after))
        )


def judge_contents(expected: Mapping[str, Content], actual: Mapping[str, Content]) -> Iterator[Finding]:
    """Objects that are there in both runs, but are not the same: by JSON path, with both values.

    Of very many, the last are only counted.
    """
    told = others = 0
    for name, kept in expected.items():
        again = actual.get(name)
        if again is None or again == kept:
            continue
        before, after = text_of(kept), text_of(again)
        if before == after:
            continue
        if told >= FINDINGS_KEPT:
            others += 1
            continue
        for finding in _changed(name, before, after):
            told += 1
            yield finding
    if others:
        text = f"{others:,} more {'object has' if others == 1 else 'objects have'} changed"
        yield Finding("changed", text, 0, others, f"+{text}")


def _kept(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings; of very many, the last are only counted."""
    others, last = 0, None
    for number, finding in enumerate(findings, 1):
        if number <= FINDINGS_KEPT:
            yield finding
        else:
            others, last = others + 1, finding
    if last is not None:
        text = f"{others:,} more {'finding' if others == 1 else 'findings'} of the kind above"
        yield Finding(last.kind, text, 0, others, f"+{text}", is_own=last.is_own)


def _changed(name: str, before: str, after: str) -> Iterator[Finding]:
    shown = brief(name, _NAME_WIDTH)[1:-1] if len(name) > _NAME_WIDTH else name
    try:
        found = differences(json.loads(before), json.loads(after))
    except RecursionError:
        text = f"{shown} has changed, and is nested too deeply to say where"
        yield Finding("changed", text, content_hash(before), content_hash(after), "-before\n+after", (name,))
        return
    if not found:  # such as 1 and 1.0
        return
    lines = [str(one) for one in found[:FINDINGS_SHOWN]]
    texts = tuple(_text(side) for one in found for side in (one.expected, one.actual))
    others = len(found) - 1
    more = f" (and {others:,} more {'difference' if others == 1 else 'differences'})" if others else ""
    text = f"{shown} has changed at {lines[0]}{more}"
    yield Finding("changed", text, found[0].expected, found[0].actual, "\n".join(lines), texts)


def judge_unnamed(expected: Mapping[str, Content], actual: Mapping[str, Content]) -> Iterator[Finding]:
    """Objects without an id have only their number to be missed by."""
    before = [name for name in expected if name.endswith("has no id")]
    after = [name for name in actual if name.endswith("has no id")]
    if len(before) != len(after):
        text = (
            f"{len(after)} object{'s'[len(after) == 1 :]} without an id, and {len(before)} in the first run"
        )
        yield Finding(
            "missing" if len(after) < len(before) else "added",
            text, len(before), len(after), f"-{len(before)}\n+{len(after)}",
        )  # fmt: skip


def judge_replayed_writes(first: Sequence[Write], again: Sequence[Write]) -> Iterator[Finding]:
    """Writes of a replay that are neither suppressed nor idempotent.

    Idempotent is a write with the key and the content that it had in the first run, made no more often than then,
    unless its entry says of it that it is not (`details={"idempotent": False}`).
    """
    if first == again and not any(one.is_once_only or not one.key for one in again):
        return
    allowed = Counter((one.subject, one.operation, one.key, one.content_hash) for one in first)
    contents = {(one.subject, one.operation, one.key): one for one in first}
    for write in again:
        identity = (write.subject, write.operation, write.key, write.content_hash)
        before = contents.get(identity[:3])
        is_own = True
        if not write.key:
            why = "it has no key, so that it is there twice now: suppress it when ctx.is_replay, or give it a key"
        elif before is None:
            why, is_own = "the first run did not make it", False
        elif write.is_once_only:
            why = "it is not idempotent, so that it has happened twice now: suppress it when ctx.is_replay"
        elif allowed[identity] > 0:
            allowed[identity] -= 1
            continue
        elif before.content_hash != write.content_hash:
            why, is_own = f"the first run wrote something else there ({before})", False
        else:
            why = "it was made more often than in the first run"
        yield _write(f"the replay made {write}: {why}", before, write, is_own=is_own)


def judge_repeats(writes: Sequence[Write]) -> Iterator[Finding]:
    """Writes that one run makes twice, with nothing in between that would have changed what is there."""
    last: dict[tuple[str, str], Write] = {}
    for write in writes:
        if not write.key:
            continue
        before = last.get((write.subject, write.key))
        last[write.subject, write.key] = write
        if before is None or not write.content_hash:  # such as a deletion, which may be repeated
            continue
        if (before.operation, before.content_hash) == (write.operation, write.content_hash):
            at = f" at {write.site}" if write.site else ""
            text = f"one run wrote the same twice: {before}, and again as write {write.step}{at}"
            yield Finding(
                "write", text, "once", "twice", f" {before}\n+{write}", (write.key,), True, write.site
            )


def failing_of(findings: Iterable[Finding], compare: Compare, *, ordered: bool) -> tuple[Finding, ...]:
    """The findings that make a replay fail: all of them by content, or what no replay may do."""
    kinds = {*_ALWAYS, *(["order"] if ordered else [])}
    return tuple(finding for finding in findings if compare == "content" or finding.kind in kinds)


def differs(findings: Iterable[Finding]) -> bool:
    """True if a replay yielded something else, as it would in any process."""
    return any(finding.kind in _DIFFERENT for finding in findings)


def judge_runs(first: Run, again: Run, *, ordered: bool = False) -> list[Finding]:
    """Everything in which two runs differ, and the side effects of the second that must not be."""
    found = [*_kept(judge_ids(first.ids, again.ids, ordered=ordered))]
    found += judge_contents(first.contents, again.contents)
    found += judge_unnamed(first.contents, again.contents)
    found += _kept(judge_replayed_writes(first.writes, again.writes))
    found += _kept(judge_repeats(first.writes))
    return found


def _write(message: str, before: Write | None, write: Write, *, is_own: bool) -> Finding:
    expected = "no such write" if is_own or before is None else f"{before.name} {before.content_hash[:19]}"
    actual = f"{write.name} {write.content_hash[:19]}".rstrip()
    diff = f"-{expected}\n+{actual}"
    return Finding("write", message, expected, actual, diff, (write.key,), is_own, write.site)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)


def _names(names: list[str]) -> str:
    shown = ", ".join(brief(name, _NAME_WIDTH) for name in names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED:,} more" if len(names) > _NAMED else shown


def _listed(sign: str, names: list[str]) -> str:
    """Names as the lines of a diff."""
    lines = [f"{sign}{name}" for name in sorted(names)[:_IDS_SHOWN]]
    more = len(names) - len(lines)
    return "\n".join([*lines, *([f"… and {more:,} more"] if more else [])])


def _count(names: list[str], one: str, many: str) -> str:
    return f"1 id {one}" if len(names) == 1 else f"{len(names):,} ids {many}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
