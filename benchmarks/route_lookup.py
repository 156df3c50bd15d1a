"""What a lookup costs in a table of 10,000 routes, as a multiple of the same in one of 10."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from benchmarks.claims import Claim, report
from benchmarks.measuring import ratio, rounds, show
from understudy.wire.routes import Route, RouteTable, parse_glob, parse_mux

ROUNDS = 25
LOOKUPS = 2_000
FEW, MANY = 10, 10_000
HOST = "https://api.github.com"

GLOBS = (
    "GET {host}/repos/org{n}/*/branches/*/protection",
    "{host}/repos/*/app{n}/rules/**",
    "POST /graphql?operation=op{n}",
    "GET {host}/repos/**/file{n}.json",
    "GET {host}/orgs/team-{n}-*/members",
)
MUX = (
    "GET api.github.com/repos/org{n}/{{name}}/branches/{{branch}}/protection",
    "/orgs/org{n}/",
    "POST /users/user{n}/{{$}}",
    "/files/file{n}/{{path...}}",
    "PUT /items/{{kind}}/item{n}",
)
GLOB_REQUESTS = (
    ("GET", "{host}/repos/org{n}/lamp/branches/main/protection"),
    ("GET", "{host}/repos/ann/app{n}/rules/branches/main"),
    ("POST", "{host}/graphql?page=1&operation=op{n}"),
    ("GET", "{host}/repos/ann/lamp/contents/docs/file{n}.json"),
    ("GET", "{host}/orgs/team-{n}-core/members"),
)
MUX_REQUESTS = (
    ("GET", "{host}/repos/org{n}/lamp/branches/main/protection"),
    ("GET", "{host}/orgs/org{n}/members/7"),
    ("POST", "{host}/users/user{n}/"),
    ("GET", "{host}/files/file{n}/src/main.py"),
    ("PUT", "{host}/items/lamp/item{n}"),
)


def lookups(kind: str, count: int) -> Callable[[], float]:
    """The time in nanoseconds of one lookup in a table of so many routes, over requests spread through it."""
    parse, patterns, requests = (
        (parse_glob, GLOBS, GLOB_REQUESTS) if kind == "globs" else (parse_mux, MUX, MUX_REQUESTS)
    )
    texts = [patterns[n % 5].format(host=HOST, n=n // 5) for n in range(count)]
    table = RouteTable([Route(parse(text), text) for text in texts])
    step = max(count // FEW // 5, 1)
    asked = [
        (method, url.format(host=HOST, n=place * step))
        for place in range(FEW // 5)
        for method, url in requests
    ]
    for method, url in asked:
        if table.match(method, url) is None:
            raise SystemExit(f"{method} {url} matches nothing")
    return partial(_nanoseconds, table, asked * (LOOKUPS // len(asked)))


def _nanoseconds(table: RouteTable[str], asked: list[tuple[str, str]]) -> float:
    began = time.perf_counter_ns()
    for method, url in asked:
        table.match(method, url)
    return (time.perf_counter_ns() - began) / len(asked)


def main() -> int:
    """Measure, show, and judge the claims."""
    claims = []
    for kind in ("globs", "ServeMux"):
        few, many = f"{FEW} routes, {kind}", f"{MANY:,} routes, {kind}"
        times = rounds({few: lookups(kind, FEW), many: lookups(kind, MANY)}, ROUNDS)
        show(f"One lookup, patterns as {kind}", times, "ns")
        name = f"lookup among {MANY:,} routes ({kind}), by one among {FEW}"
        claims.append(Claim(name, ratio(times, many, few), at_most=1.3))
    return report(*claims)


if __name__ == "__main__":
    sys.exit(main())
