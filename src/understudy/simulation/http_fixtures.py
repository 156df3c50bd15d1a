"""Answers for the HTTP connectors that are tested beside a simulated one: a `urllib3.PoolManager` that reaches nobody.

`http_answers` makes the answers, `http_connection` carries them, and here is what a test talks to.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem, UnderstudyError, missing_extra
from understudy.core.redact import Redactor
from understudy.simulation.http_answers import (
    Answer,
    Recipe,
    answer_bytes,
    as_recipe,
    mock_http_response,
)
from understudy.simulation.http_connection import StandInPool, stand_in_for
from understudy.wire.messages import Request, Response
from understudy.wire.routes import Route, RoutePattern, RouteTable, parse_glob

try:
    from urllib3 import PoolManager
    from urllib3.connectionpool import HTTPConnectionPool
except ImportError as error:
    raise missing_extra("stix", error.name or "urllib3") from error

__all__ = ["PoolManagerDouble", "UnansweredRequest", "mock_http_response", "mock_pool_manager"]

_NESTED = 10


class UnansweredRequest(UnderstudyError, AssertionError):
    """A request for which the test has no answer: what was asked, which answers are near, and what to do."""


@dataclass(slots=True)
class _Stock:
    """The answers to one pattern: one that is given each time, or several that are given once each."""

    pattern: RoutePattern
    recipes: list[Recipe]
    place: str
    times: int | None
    given: int = 0

    @property
    def size(self) -> int | None:
        """How many requests can be answered; None for any number."""
        return len(self.recipes) if len(self.recipes) > 1 else self.times

    def take(self) -> Recipe | None:
        """The answer to the next request; None if they are used up."""
        if self.size is not None and self.given >= self.size:
            return None
        recipe = self.recipes[self.given if len(self.recipes) > 1 else 0]
        self.given += 1
        return recipe


class PoolManagerDouble(PoolManager):
    """A pool manager that answers with what the test gave it, and keeps what it was asked.

    It is a `urllib3.PoolManager`, for code that is given one; `installed()` has it answer for all others too,
    those of `requests` included. It never asks a network.

    >>> manager = PoolManagerDouble()
    >>> manager.add("GET https://api.shop.test/items/*", {"id": 1})
    >>> manager.request("GET", "https://api.shop.test/items/1").json()
    {'id': 1}
    >>> [(request.method, request.url) for request in manager.requests]
    [('GET', 'https://api.shop.test/items/1')]
    """

    def __init__(self, **settings: Any) -> None:
        """Make a double; `settings` are those of a pool manager (`headers`, `retries` and so on)."""
        super().__init__(**settings)
        pools = {scheme: partial(self._pool, scheme) for scheme in ("http", "https")}
        self.pool_classes_by_scheme = pools  # type: ignore[assignment]  # what makes pools, which it only calls
        self._lock = threading.Lock()
        self._stocks: list[_Stock] = []
        self._queue: list[tuple[Recipe, str]] = []
        self._queued = 0
        self._table: RouteTable[_Stock] | None = None
        self._requests: list[Request] = []
        self._unanswered: list[str] = []

    @property
    def requests(self) -> list[Request]:
        """What was asked, in this order."""
        with self._lock:
            return list(self._requests)

    def add(self, pattern: str, *answers: Answer, times: int | None = None) -> None:
        """Answer the requests that a pattern matches: `GET https://host/items/*?page=2`.

        One answer is given to each of them (or to so many `times`), several are given one after the other. An
        answer is what `mock_http_response` makes, or makes a response of; an exception, which is raised where
        urllib3 would meet it; or a function of the request that gives one of these. Of several patterns that
        match, the most specific one is meant.
        """
        if not answers:
            raise _wrong(f"no answer is given for {brief(pattern)}", "give at least one after the pattern")
        if times is not None and (isinstance(times, bool) or not isinstance(times, int) or times < 1):
            raise _wrong(f"times={brief(times)} is no number of requests", "it is at least 1")
        if times is not None and len(answers) > 1:
            raise _wrong("several answers and times were given", "each of several answers is given once")
        place = _caller()
        stock = _Stock(parse_glob(pattern), [as_recipe(answer) for answer in answers], place, times)
        with self._lock:
            twin = next((one for one in self._stocks if one.pattern.identity == stock.pattern.identity), None)
            if twin is not None:
                hint = "give all answers to one of the two, one after the other"
                raise _wrong(f"{pattern!r} has answers already ({twin.place})", hint)
            routes = [Route(one.pattern, one, one.place) for one in (*self._stocks, stock)]
            self._table = RouteTable(routes, noun="answer")
            self._stocks.append(stock)

    def queue(self, *answers: Answer) -> None:
        """Answer the requests that no pattern matches, whatever they are, in this order and once each."""
        place = _caller()
        recipes = [(as_recipe(answer), place) for answer in answers]
        with self._lock:
            self._queue += recipes

    def assert_all_used(self) -> None:
        """Fail if an answer was never asked for, or if a request had none and the code passed over it."""
        __tracebackhide__ = True
        with self._lock:
            told = [*self._unanswered, *self._unused()]
        if told:
            raise AssertionError("\n".join(told))

    @contextmanager
    def installed(self) -> Iterator[PoolManagerDouble]:
        """Answer for every connection pool of urllib3 in this process until the block ends."""
        before = HTTPConnectionPool.urlopen

        def urlopen(pool: HTTPConnectionPool, *args: Any, **named: Any) -> Any:
            __tracebackhide__ = True  # what follows is a part of the way to the answer, and nobody's business
            return stand_in_for(pool, self._exchange).urlopen(*args, **named)

        HTTPConnectionPool.urlopen = urlopen  # type: ignore[method-assign,assignment]  # the seam of all of them
        try:
            yield self
        finally:
            HTTPConnectionPool.urlopen = before  # type: ignore[method-assign]  # put back

    def _pool(self, scheme: str, host: str, port: int | None, **settings: Any) -> StandInPool:
        return StandInPool(scheme, host, port, self._exchange, **settings)

    def _exchange(self, request: Request) -> bytes:
        __tracebackhide__ = True
        with self._lock:
            self._requests.append(request)
            recipe: Recipe = self._recipe_for(request)
        for _ in range(_NESTED):
            if isinstance(recipe, BaseException):
                raise recipe
            if isinstance(recipe, Response):
                return answer_bytes(recipe)
            recipe = as_recipe(recipe(replace(request)))
        raise _wrong("a function that answers gives functions without end", "give a response in the end")

    def _recipe_for(self, request: Request) -> Recipe:
        __tracebackhide__ = True
        match = self._table.match(request.method, request.url) if self._table else None
        used_up = ""
        if match is not None:
            recipe = match.value.take()
            if recipe is not None:
                return recipe
            stock = match.value
            given = f"was given {stock.given} times, and is used up"
            used_up = f"what there was for {stock.pattern.text!r} ({stock.place}) {given}"
        elif self._queued < len(self._queue):
            self._queued += 1
            return self._queue[self._queued - 1][0]
        told = Redactor().text(self._unanswered_text(request, used_up))
        self._unanswered.append(told)
        raise UnansweredRequest(told)

    def _unanswered_text(self, request: Request, used_up: str) -> str:
        lines = [f"no answer for {request.method} {request.url}"]
        if used_up:
            lines.append(f"  {used_up}")
            lines.append(
                "  give more answers there, one after the other, or a single one, which serves any number"
            )
            return "\n".join(lines)
        if self._queue:
            lines.append(f"  what was queued (last at {self._queue[-1][1]}) is used up")
        if self._table:
            lines += [f"  near: {miss}" for miss in self._table.near_misses(request.method, request.url)]
        method, url = request.method, request.url.partition("?")[0]
        lines.append(f'  give it one: mock_pool_manager.add("{method} {url}", {{...}})')
        return "\n".join(lines)

    def _unused(self) -> Iterator[str]:
        what = [(stock.pattern.text, stock.place, stock.given, stock.size or 1) for stock in self._stocks]
        if self._queue:
            what.append(("whatever is asked", self._queue[-1][1], self._queued, len(self._queue)))
        for pattern, place, given, size in what:
            if given < size:
                yield (
                    f"{pattern!r} ({place}): {given} of {size} answers were asked for; make the requests that the "
                    f"others are for, or remove them"
                )


@contextmanager
def mock_pool_manager(answers: Mapping[str, Answer] | None = None) -> Iterator[PoolManagerDouble]:
    """Answer for every connection pool of urllib3 until the block ends, which fails if an answer was not needed.

    >>> import urllib3
    >>> with mock_pool_manager({"GET https://api.shop.test/items": [{"id": 1}]}):
    ...     urllib3.PoolManager().request("GET", "https://api.shop.test/items").json()
    [{'id': 1}]
    """
    double = PoolManagerDouble()
    for pattern, answer in (answers or {}).items():
        double.add(pattern, answer)
    with double.installed():
        yield double
    double.assert_all_used()


def _caller() -> str:
    """The place in the test from which an answer was given."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename in (__file__, contextlib.__file__):
        frame = frame.f_back
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def _wrong(message: str, hint: str = "") -> InputError:
    return InputError([Problem(message, hint=hint)])
