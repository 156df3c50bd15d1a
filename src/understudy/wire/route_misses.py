"""Says of a request that no pattern matches which ones are nearest, and why each of them does not match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nsmallest

from understudy.core.brief import visible
from understudy.wire.route_pattern import PartGlob, RoutePattern, Segment, Wild
from understudy.wire.route_url import Location

_LOOKED_AT = 30
_SHOWN = 60
_METHOD, _HOST, _SEGMENT, _QUERY, _SLASH = 0.8, 1.5, 1.0, 0.4, 0.3


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A pattern that nearly matched: its number in the table, its text, and what stands in the way."""

    number: int
    text: str
    reasons: tuple[str, ...]
    label: str = ""

    @property
    def reason(self) -> str:
        """All that stands in the way, in one line."""
        return "; ".join(self.reasons)

    def __str__(self) -> str:
        place = f" ({self.label})" if self.label else ""
        return f'"{visible(self.text)}"{place}: {self.reason}'


@dataclass(slots=True)
class _Fault:
    words: str
    cost: float


def near_misses(
    patterns: Iterable[RoutePattern], method: str, location: Location, limit: int = 3, noun: str = "route"
) -> list[NearMiss]:
    """The patterns that lack least to match, best first; those that do match are left out.

    >>> from understudy.wire.route_globs import parse_glob
    >>> from understudy.wire.route_url import locate
    >>> [miss] = near_misses([parse_glob("GET /repos/*/main")], "POST", locate("/repos/a/dev"), noun="mock")
    >>> miss.reason
    "method is POST, the mock has GET; segment 3 is 'dev', the pattern has 'main'"
    """
    numbered = list(enumerate(patterns))
    # counting first, as likeness takes time: only those that lack little are looked at closely
    nearest = nsmallest(
        max(limit, _LOOKED_AT),
        numbered,
        key=lambda item: (
            sum(fault.cost for fault in _faults(item[1], method, location, noun)),
            item[1].text,
        ),
    )
    judged = []
    for number, pattern in nearest:
        faults = _faults(pattern, method, location, noun, is_close=True)
        if faults:
            judged.append((sum(fault.cost for fault in faults), pattern.text, number, faults))
    judged.sort(key=lambda item: item[:3])
    return [
        NearMiss(number, text, tuple(fault.words for fault in faults))
        for _, text, number, faults in judged[:limit]
    ]


def _faults(
    pattern: RoutePattern, method: str, location: Location, noun: str, *, is_close: bool = False
) -> list[_Fault]:
    faults: list[_Fault] = []
    if pattern.methods and method not in pattern.methods:
        faults.append(_Fault(f"method is {_shown(method)}, the {noun} has {pattern.methods[0]}", _METHOD))
    faults += _host_faults(pattern, location, noun, is_close)
    faults += _path_faults(pattern.segments, location.segments, pattern.adds_slash, is_close)
    faults += _query_faults(pattern, location, noun)
    return faults


def _host_faults(pattern: RoutePattern, location: Location, noun: str, is_close: bool) -> list[_Fault]:
    if pattern.host:
        if pattern.host in location.host_keys:
            return []
        scheme, gap, authority = pattern.host.partition("//")
        wanted = authority if gap else scheme
        scheme = scheme.rstrip(":") if gap else ""
    elif pattern.host_labels:
        scheme, *labels, port = (
            str(label.value if isinstance(label, Wild) else label) for label in pattern.host_labels
        )
        wanted = ".".join(labels) + (port if port != ":" else "")
        scheme = "" if scheme == "*" else scheme
        found = (location.scheme, *location.host.split("."), f":{location.port}")
        if len(found) == len(pattern.host_labels) and all(map(_fits, pattern.host_labels, found)):
            return []
    else:
        return []
    if not location.host:
        return [_Fault(f"the request names no host, the {noun} has {wanted!r}", _HOST)]
    actual = location.authority
    if wanted == actual:
        return [_Fault(f"scheme is {location.scheme or 'missing'}, the {noun} has {scheme}", _SLASH)]
    cost = _HOST * (_unlikeness(wanted, actual) if is_close else 1)
    return [_Fault(f"host differs: it is {_shown(actual)!r}, the {noun} has {_shown(wanted)!r}", cost)]


def _path_faults(
    wanted: tuple[Segment, ...], actual: tuple[str, ...], adds_slash: bool, is_close: bool
) -> list[_Fault]:
    """What differs in the path: compared from the left, and from the right behind a MANY."""
    if Wild.MANY in wanted:
        return _many_faults(wanted, actual, is_close)
    if adds_slash and actual[-1] != "" and wanted[-1] in ("", Wild.REST) and len(actual) == len(wanted) - 1:
        actual = (*actual, "")
    has_rest = wanted[-1] is Wild.REST
    if has_rest and len(actual) >= len(wanted):
        return _segment_faults(wanted[:-1], actual, 0, is_close)
    faults = _segment_faults(wanted, actual, 0, is_close)
    lacking = len(wanted) - len(actual)
    if has_rest:
        return [*faults, _Fault(f"the path ends too early for {_path_text(wanted)!r}", _SEGMENT * lacking)]
    if wanted != actual and ("",) in (wanted, actual):
        words = f"the path is {_shown(_path_text(actual))!r}, the pattern has {_shown(_path_text(wanted))!r}"
        return [_Fault(words, _SEGMENT * (abs(lacking) + 1))]
    if lacking == -1 and actual[-1] == "":
        faults.append(_Fault("the path ends with '/', the pattern does not", _SLASH))
    elif lacking == 1 and wanted[-1] == "":
        faults.append(_Fault("the path does not end with '/', the pattern does", _SLASH))
    elif lacking:
        words = f"the path has {_segments(len(actual))}, the pattern {len(wanted)}"
        if lacking < 0 and Wild.ONE in wanted:
            words += " ('*' is one segment, '**' any number of them)"
        faults.append(_Fault(words, _SEGMENT * abs(lacking)))
    return faults


def _many_faults(wanted: tuple[Segment, ...], actual: tuple[str, ...], is_close: bool) -> list[_Fault]:
    if _fits_many(wanted, actual):
        return []
    first = wanted.index(Wild.MANY)
    last = len(wanted) - 1 - wanted[::-1].index(Wild.MANY)
    head, tail = wanted[:first], wanted[last + 1 :]
    if len(actual) < len(head) + len(tail):
        lacking = len(head) + len(tail) - len(actual)
        words = (
            f"the path has {_segments(len(actual))}, the pattern asks for {len(head) + len(tail)} at least"
        )
        return [*_segment_faults(head, actual, 0, is_close), _Fault(words, _SEGMENT * lacking)]
    faults = _segment_faults(head, actual[: len(head)], 0, is_close)
    start = len(actual) - len(tail)
    faults += _segment_faults(tail, actual[start:], start, is_close)
    return faults or [_Fault(f"what stands between is not as in {_path_text(wanted)!r}", _SEGMENT)]


def _fits_many(wanted: tuple[Segment, ...], actual: tuple[str, ...]) -> bool:
    """Does the whole path match? Position by position, as a MANY may end anywhere."""
    reached = {0}
    for segment in wanted:
        if segment is Wild.MANY:
            reached = set(range(min(reached), len(actual) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(actual) and _fits(segment, actual[at])}
        if not reached:
            return False
    return len(actual) in reached


def _segment_faults(
    wanted: tuple[Segment, ...], actual: tuple[str, ...], offset: int, is_close: bool
) -> list[_Fault]:
    faults = []
    for number, (segment, text) in enumerate(zip(wanted, actual, strict=False), offset + 1):
        if _fits(segment, text):
            continue
        written = str(segment.value if isinstance(segment, Wild) else segment)
        cost = _SEGMENT * (0.3 + 0.7 * _unlikeness(written, text) if is_close else 1)
        faults.append(
            _Fault(f"segment {number} is {_shown(text)!r}, the pattern has {_shown(written)!r}", cost)
        )
    return faults


def _fits(segment: Segment, text: str) -> bool:
    if isinstance(segment, str):
        return segment == text
    if isinstance(segment, PartGlob):
        return text != "" and segment.matches(text)
    return segment is not Wild.ONE or text != ""


def _query_faults(pattern: RoutePattern, location: Location, noun: str) -> list[_Fault]:
    faults = []
    for name, wanted in pattern.query:
        values = [value for key, value in location.query if key == name]
        if not values:
            faults.append(_Fault(f"query {_shown(name)} is missing", _QUERY))
        elif not any(
            value == wanted if isinstance(wanted, str) else wanted.matches(value) for value in values
        ):
            words = f"query {_shown(name)} is {_shown(values[0])!r}, the {noun} has {_shown(str(wanted))!r}"
            faults.append(_Fault(words, _QUERY))
    return faults


def _unlikeness(one: str, other: str) -> float:
    return 1 - SequenceMatcher(None, one[:200], other[:200], autojunk=False).ratio()


def _path_text(segments: Sequence[Segment]) -> str:
    texts = (segment.value if isinstance(segment, Wild) else str(segment) for segment in segments)
    return "/" + "/".join("" if text == "..." else text for text in texts)


def _segments(count: int) -> str:
    return f"{count} segment" if count == 1 else f"{count} segments"


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
