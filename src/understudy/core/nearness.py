"""What somebody may have meant: the nearest excerpt of a text and the nearest of several names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

_NEEDLE = 300
_GRAMS = 48
_HITS_PER_GRAM = 40
_CANDIDATES = 6
_NEAR_ENOUGH = 0.6
_WIDENED = 40
_HAYSTACK = 8 << 20
_NAME = 100
_NAMES = 5_000
_BREAKS = frozenset("\r\n,{}[]&;")


def nearest(needle: str, haystack: str) -> str:
    """The excerpt of `haystack` that is most like `needle`; '' if nothing in it is near.

    >>> nearest('"id":1', '{"name":"lamp","id": 7,"stock":3}')
    '…"id": 7…'
    """
    needle = needle.strip()[:_NEEDLE]
    haystack = haystack[:_HAYSTACK]
    folded_needle, folded = _fold(needle), _fold(haystack)
    best, found = _NEAR_ENOUGH, (0, 0)
    for start in _candidates(folded_needle, folded):
        score, span = _score(folded_needle, folded, start)
        if score > best or (score == best and not found[1]):
            best, found = score, span
    if found[1] <= found[0]:
        return ""
    first, last = _widen(haystack, *found)
    excerpt = haystack[first:last].strip()
    return f"{'…' if first else ''}{excerpt}{'…' if last < len(haystack) else ''}"


def closest_name(name: str, candidates: Iterable[str]) -> str:
    """The candidate that `name` is most likely a misspelling of; '' if none is near.

    >>> closest_name("body_contain", ["bodyContains", "streamContains"])
    'bodyContains'
    >>> closest_name("zebra", ["status", "headers"])
    ''
    """
    plain: dict[str, str] = {}
    for candidate in islice(candidates, _NAMES):
        plain.setdefault(_plain(candidate), candidate)
    wanted = _plain(name)
    matches = get_close_matches(wanted, plain, n=1, cutoff=_NEAR_ENOUGH)
    return plain[matches[0]] if matches else ""


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name[:_NAME]).lower() or name[:_NAME]


def _fold(text: str) -> str:
    folded = text.lower()
    return folded if len(folded) == len(text) else text  # positions must stay those of the text


def _candidates(needle: str, haystack: str) -> list[int]:
    """Where the needle may stand: the places that most short pieces of it point to.

    Every piece is searched in C and only its first places count, so that the time does not depend on how
    often a piece is repeated.
    """
    size = 4 if len(needle) >= 16 else 3 if len(needle) >= 8 else 2
    if len(needle) < size or not haystack:
        return []
    offsets = range(0, len(needle) - size + 1, max(1, (len(needle) - size + 1) // _GRAMS))
    slack = max(4, len(needle) // 4)
    votes: Counter[int] = Counter()
    places: dict[int, int] = {}
    for offset in offsets:
        piece, position = needle[offset : offset + size], -1
        for _ in range(_HITS_PER_GRAM):
            position = haystack.find(piece, position + 1)
            if position < 0:
                break
            start = max(position - offset, 0)
            votes[start // slack] += 1
            votes[start // slack + 1] += 1  # so that a place on the border of two buckets is not split
            places.setdefault(start // slack, start)
            places.setdefault(start // slack + 1, start)
    return [places[bucket] for bucket, _ in sorted(votes.items(), key=lambda v: (-v[1], v[0]))[:_CANDIDATES]]


def _score(needle: str, haystack: str, start: int) -> tuple[float, tuple[int, int]]:
    slack = max(4, len(needle) // 4)
    first = max(start - slack, 0)
    window = haystack[first : start + len(needle) + slack]
    blocks = [
        block
        for block in SequenceMatcher(None, window, needle, autojunk=False).get_matching_blocks()
        if block.size
    ]
    if not blocks:
        return 0.0, (0, 0)
    span = (blocks[0].a, blocks[-1].a + blocks[-1].size)
    matched = sum(block.size for block in blocks)
    return 2 * matched / (len(needle) + span[1] - span[0]), (first + span[0], first + span[1])


def _widen(text: str, first: int, last: int) -> tuple[int, int]:
    """Extend an excerpt to where a line, a field or a word ends, so that it can be read by itself."""
    found_first, found_last = first, last
    for index in range(first - 1, max(first - _WIDENED, 0) - 2, -1):
        if index < 0 or text[index] in _BREAKS:
            first = index + 1
            break
    else:
        while first > 0 and text[first - 1].isalnum() and found_first - first < _WIDENED:
            first -= 1
    for index in range(last, min(last + _WIDENED, len(text)) + 1):
        if index == len(text) or text[index] in _BREAKS:
            last = index
            break
    else:
        while last < len(text) and text[last].isalnum() and last - found_last < _WIDENED:
            last += 1
    return first, last
