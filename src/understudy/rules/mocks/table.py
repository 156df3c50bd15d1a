"""The mocks of one evaluation: which of them answers a request, and how often each did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from understudy.core.brief import brief, json_type
from understudy.core.errors import Problem
from understudy.rules.mocks.specs import MISUSE, MockAnswer, MockError, mock_error, read_spec
from understudy.rules.web import Answer, TimedOut, UnmatchedRequest
from understudy.wire.messages import Headers
from understudy.wire.route_misses import near_misses
from understudy.wire.routes import (
    RouteError,
    RouteIndex,
    RoutePattern,
    index_patterns,
    locate,
    parse_glob,
    parse_mux,
)

MOCKS_LIMIT = 100_000
NOT_FOUND = b"404 page not found\n"

_CACHED_KEYS = 64
_NOT_FOUND_HEADERS = (("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff"))
_NEAREST = 3

Mocks = Mapping[str, Any] | Iterable[tuple[str, Any]] | None


class MockTable:
    """Mocks by key. Several answers of one mock are given one after the other, and the last one ever after.

    >>> table = MockTable.first_dialect({"GET /items/*": {"mock": "response", "status": 200, "body": {"id": 7}}})
    >>> table.answer("GET", "https://api.shop.test/items/7").body, table.hits()
    (b'{"id":7}', {'GET /items/*': 1})
    """

    __slots__ = ("_answers", "_hits", "_index", "_is_strict", "_keys", "_optional")

    def __init__(
        self, mocks: Mocks, indexed: Callable[[tuple[str, ...]], RouteIndex], *, is_strict: bool
    ) -> None:
        pairs = _pairs(mocks)
        self._keys = tuple([key for key, _ in pairs])
        self._index = indexed(self._keys)
        self._is_strict = is_strict
        self._hits = [0] * len(pairs)
        self._answers: list[tuple[MockAnswer, ...]] = []
        optional: list[str] = []
        for key, spec in pairs:
            answers, is_optional = read_spec(key, spec)
            self._answers.append(answers)
            if is_optional:
                optional.append(key)
        self._optional = frozenset(optional)

    @classmethod
    def first_dialect(cls, mocks: Mocks) -> MockTable:
        """Keys with globs; a request that none matches is an UnmatchedRequest. Raises MockError."""
        return cls(mocks, _glob_index, is_strict=True)

    @classmethod
    def second_dialect(cls, mocks: Mocks) -> MockTable:
        """Keys as http.ServeMux reads them; a request that none matches is answered 404. Raises MockError."""
        return cls(mocks, _mux_index, is_strict=False)

    def answer(
        self, method: str, url: str, headers: Headers = (), body: bytes | None = None, *, relative: str = ""
    ) -> Answer:
        """The answer to a request: that of the mock that matches best, by URL or else by the relative one.

        Raises TimedOut if the mock says so, and in the first dialect UnmatchedRequest.
        """
        number = self._index.find(method, locate(url))
        if number is None and relative:
            number = self._index.find(method, locate(f"/{relative.lstrip('/')}"))
        if number is None:
            return self._unmatched(method, url)
        hit = self._hits[number]
        self._hits[number] = hit + 1
        answers = self._answers[number]
        answer = answers[hit if hit < len(answers) else -1]
        if answer.is_timeout:
            raise TimedOut(f"{method} {url}: timed out, as the mock {self._keys[number]!r} says")
        return answer.answer(url)

    def fresh(self) -> MockTable:
        """The same mocks, none of them hit: what a test writes again and again need be read only once."""
        table = object.__new__(MockTable)
        table._keys, table._index, table._answers = self._keys, self._index, self._answers
        table._is_strict, table._optional = self._is_strict, self._optional
        table._hits = [0] * len(self._keys)
        return table

    def hits(self) -> dict[str, int]:
        """How often each mock was hit, by its key, in the order in which they were given."""
        return dict(zip(self._keys, self._hits, strict=True))

    @property
    def optional(self) -> frozenset[str]:
        """The keys of the mocks that need not be hit."""
        return self._optional

    @property
    def is_strict(self) -> bool:
        """Whether a request that no mock matches is an error: whether this is the first dialect."""
        return self._is_strict

    def _unmatched(self, method: str, url: str) -> Answer:
        if not self._is_strict:
            return Answer(404, _NOT_FOUND_HEADERS, NOT_FOUND, url)
        misses = near_misses(self._index.patterns, method, locate(url), _NEAREST, "mock")
        raise UnmatchedRequest(method, url, misses, len(self._keys) - len(misses))


def _pairs(mocks: Mocks) -> Sequence[tuple[str, Any]]:
    if mocks is None:
        return ()
    if isinstance(mocks, Mapping):
        if mocks.get("mock") == "wrong":  # how the host says that it is no mapping at all
            mocks_type, shown = mocks.get("type"), mocks.get("shown")
            raise MockError(
                f"mocks must be a mapping of keys to answers, not {mocks_type}: {shown} ({MISUSE})"
            )
        pairs: Sequence[tuple[str, Any]] = list(mocks.items())
    elif isinstance(mocks, list | tuple):
        pairs = mocks
    else:
        raise MockError(f"mocks must be a mapping of keys to answers, not {json_type(mocks)}: {brief(mocks)}")
    if len(pairs) > MOCKS_LIMIT:
        raise MockError(f"{len(pairs):,} mocks are given, and at most {MOCKS_LIMIT:,} are kept")
    return pairs


def _index_of(keys: tuple[str, ...], parse: Callable[[str], RoutePattern]) -> RouteIndex:
    problems: list[Problem] = []
    patterns = []
    for key in keys:
        if not isinstance(key, str):
            raise mock_error(
                str(key), f"has a key that is {json_type(key)}, not text", "write a URL or a path"
            )
        try:
            patterns.append(parse(key))
        except RouteError as error:
            problems += error.problems
    if not problems:
        try:
            return index_patterns(patterns)
        except RouteError as error:
            problems += error.problems
    raise MockError([replace(problem, message=f"the mock {problem.message}") for problem in problems])


def _indexed_by(parse: Callable[[str], RoutePattern]) -> Callable[[tuple[str, ...]], RouteIndex]:
    """Indexes keys; tests give the same few keys again and again, so those are kept."""
    kept = lru_cache(maxsize=2_048)(lambda keys: _index_of(keys, parse))

    def indexed(keys: tuple[str, ...]) -> RouteIndex:
        return kept(keys) if len(keys) <= _CACHED_KEYS else _index_of(keys, parse)

    return indexed


_glob_index = _indexed_by(parse_glob)
_mux_index = _indexed_by(parse_mux)
