"""Of several routes that match the most specific is meant, hits are counted, and near misses say why."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from understudy.wire.route_pattern import rank
from understudy.wire.routes import Route, RouteError, RouteTable, parse_glob, parse_mux

HOST = "https://api.github.com"


def table_of(*patterns: str) -> RouteTable[str]:
    return RouteTable(
        [
            Route(parse_glob(pattern), pattern, f"rule.star:{line}")
            for line, pattern in enumerate(patterns, 1)
        ],
        noun="mock",
    )


@pytest.mark.parametrize(
    ("patterns", "url", "best"),
    [
        (["/*", "/**/c", "/a/**", "/a/*/c", "/a/b/c"], f"{HOST}/a/b/c", "/a/b/c"),
        (["/*", "/**/c", "/a/**", "/a/*/c"], f"{HOST}/a/b/c", "/a/*/c"),
        (["/*", "/a/**", "/a/b/**"], f"{HOST}/a/b/c", "/a/b/**"),
        (["/v*", "/v1*", "/*/**"], "/v12", "/v1*"),
        (["/**", "/*/**", "/**/*/*"], "/a/b", "/**/*/*"),
        (["/a/*", "/*/b"], "/a/b", "/a/*"),
        (["/a", "GET /a", f"{HOST}/a", f"GET {HOST}/a"], f"{HOST}/a", f"GET {HOST}/a"),
        (["/a", "GET /a", f"{HOST}/a"], f"{HOST}/a", f"{HOST}/a"),
        (["/a", "https://*.github.com/a", f"{HOST}/a"], f"{HOST}/a", f"{HOST}/a"),
        (["/a", "https://*.github.com/a", "https://api.*.com/a"], f"{HOST}/a", "https://*.github.com/a"),
        ([f"{HOST}/**", "/a/b"], f"{HOST}/a/b", "/a/b"),
        (["/a", "/a?x=1", "/a?x=*", "/a?x=1&y=2"], "/a?y=2&x=1", "/a?x=1&y=2"),
        (["/a", "/a?x=1", "/a?x=*"], "/a?y=2&x=1", "/a?x=1"),
        (["/a", "/a?x=*"], "/a?x=9", "/a?x=*"),
        (["GET /a", "/a?x=1"], "/a?x=1", "/a?x=1"),
    ],
)
def test_the_most_specific_route_is_meant_in_whatever_order_they_are_given(
    patterns: list[str], url: str, best: str
) -> None:
    for order in itertools.islice(itertools.permutations(patterns), 24):
        found = table_of(*order).match("GET", url)
        assert found is not None
        assert found.value == best


def test_hits_are_counted_and_what_is_never_hit_is_found() -> None:
    table = table_of("/a", "/b", "/*")
    for url in ("/a", "/a", "/c"):
        table.match("GET", url)
    assert [route.hits for route in table.routes] == [2, 0, 1]
    assert [(route.pattern.text, route.label) for route in table.dead()] == [("/b", "rule.star:2")]


@pytest.mark.parametrize(
    ("first", "second"),
    [("/a/b", "/a/b"), ("/a/b", "/a/%62"), ("/*", "/**"), ("GET /a", "get /a"), ("/a?x=1&y=2", "/a?y=2&x=1")],
)
def test_two_routes_for_the_same_requests_are_refused(first: str, second: str) -> None:
    with pytest.raises(RouteError, match=r"matches the same requests as .* \(remove one of the two\)"):
        table_of(first, second)


@pytest.mark.parametrize(
    ("pattern", "request_line", "reasons"),
    [
        ("GET /a", "POST /a", ["method is POST, the mock has GET"]),
        ("/repos/acme/x/main", "GET /repos/acme/x/dev", ["segment 4 is 'dev', the pattern has 'main'"]),
        ("/a?page=2", "GET /a", ["query page is missing"]),
        ("/a?page=2", "GET /a?page=3", ["query page is '3', the mock has '2'"]),
        ("/a", "GET /a/", ["the path ends with '/', the pattern does not"]),
        ("/a/", "GET /a", ["the path does not end with '/', the pattern does"]),
        ("/a/b", "GET /a", ["the path has 1 segment, the pattern 2"]),
        ("/", "GET /a", ["the path is '/a', the pattern has '/'"]),
        (
            "/a/*",
            "GET /a/b/c",
            ["the path has 3 segments, the pattern 2 ('*' is one segment, '**' any number of them)"],
        ),
        ("/v*.json", "GET /v1.yaml", ["segment 1 is 'v1.yaml', the pattern has 'v*.json'"]),
        ("/a/**/z", "GET /a/b/y", ["segment 3 is 'y', the pattern has 'z'"]),
        ("/a/**/b/c", "GET /a", ["the path has 1 segment, the pattern asks for 3 at least"]),
        ("/**/a/**/z", "GET /b/c/z", ["what stands between is not as in '/**/a/**/z'"]),
        (
            f"{HOST}/a",
            "GET https://gitlab.com/a",
            ["host differs: it is 'gitlab.com', the mock has 'api.github.com'"],
        ),
        (f"{HOST}/a", "GET http://api.github.com/a", ["scheme is http, the mock has https"]),
        (f"{HOST}/a", "GET /a", ["the request names no host, the mock has 'api.github.com'"]),
        ("https://*.a.com/x", "GET https://b.com/x", ["host differs: it is 'b.com', the mock has '*.a.com'"]),
        (
            "POST /a/b",
            "GET /a/c",
            ["method is GET, the mock has POST", "segment 2 is 'c', the pattern has 'b'"],
        ),
    ],
)
def test_a_near_miss_says_why_it_did_not_match(pattern: str, request_line: str, reasons: list[str]) -> None:
    method, url = request_line.split(" ")
    table = table_of(pattern)
    assert table.match(method, url) is None
    (miss,) = table.near_misses(method, url)
    assert list(miss.reasons) == reasons
    assert str(miss) == f'"{pattern}" (rule.star:1): {"; ".join(reasons)}'


def test_near_misses_come_best_first_and_only_so_many() -> None:
    table = table_of(
        "https://other.test/x/y", "GET /repos/acme/widgets/branches/main", "POST /repos/acme/widgets/branches/dev",
        "GET /repos/acme/widgets/branch/dev", "/licenses", "GET /repos/acme/widgets/branches/dev?page=2",
    )  # fmt: skip
    misses = table.near_misses("GET", f"{HOST}/repos/acme/widgets/branches/dev")
    assert [miss.text for miss in misses] == [
        "GET /repos/acme/widgets/branch/dev",
        "GET /repos/acme/widgets/branches/dev?page=2",
        "POST /repos/acme/widgets/branches/dev",
    ]
    assert table.near_misses("GET", "/x", limit=1)[0].text == "/licenses"


def test_near_misses_among_very_many_are_still_found() -> None:
    table = table_of(*(f"/repos/org{number}/a/b/c" for number in range(3_000)), "/repos/acme/widgets")
    assert table.near_misses("GET", "/repos/acme/widgetts")[0].text == "/repos/acme/widgets"


def test_no_request_however_strange_makes_a_table_stumble() -> None:
    table = RouteTable([Route(parse_glob("/a/**/b?x=1"), 1), Route(parse_glob("https://*.test/*"), 2)])
    urls = [
        "",
        "?",
        "//",
        "///",
        "https://",
        "https://[::1",
        "http://h:port/a",
        "/%zz/%ff",
        "/a/" + "x/" * 5_000 + "b",
    ]
    urls += [
        "/a?" + "&".join(f"x={number}" for number in range(20_000)),
        "https://" + "é" * 500 + "/",
        "\x00",
    ]
    for url in urls:
        assert table.match("GET", url) is None
        table.near_misses("GET", url)


def test_a_table_of_many_stars_answers_at_once() -> None:
    """Every branch of the tree matches here, in very many ways; a search that tried each would not end."""
    chance = random.Random(7)
    patterns = {"/" + "/".join(chance.choices(["a", "*", "**"], k=12)) for _ in range(500)} | {"/**/a" * 6}
    unique = {parse_glob(pattern).identity: pattern for pattern in sorted(patterns)}
    table = table_of(*unique.values())
    began = time.process_time()
    assert table.match("GET", "/" + "/".join(["a"] * 60)) is not None
    assert time.process_time() - began < 5


def test_a_parameter_given_many_times_is_found_by_any_of_its_values() -> None:
    table = table_of(*(f"/a?x={number}&y={number}" for number in range(50)))
    values = "&".join(f"x={number}&y={number}" for number in range(40, 100))
    found = table.match("GET", f"/a?{values}")
    assert found is not None
    assert found.value == "/a?x=40&y=40"


def test_the_names_of_a_pattern_have_the_texts_of_the_request() -> None:
    table = RouteTable([Route(parse_mux("/repos/{owner}/{name}/contents/{path...}"), 0)])
    found = table.match("GET", "/repos/ann%2Fbob/lamp/contents/src/a%20b.py")
    assert found is not None
    assert found.names == {"owner": "ann/bob", "name": "lamp", "path": "src/a b.py"}


def test_a_route_whose_requests_another_answers_too_comes_before_it() -> None:
    """Tried on every path of up to three segments, with patterns by chance."""
    chance = random.Random(7)
    texts = ["a", "b", "ab", "aab", "ba", "abb", "zz", "bzb"]
    paths = [path for size in range(1, 4) for path in itertools.product(texts, repeat=size)]
    patterns = {
        "/" + "/".join(chance.choices(["a", "b", "ab", "*", "**", "a*", "*b", "a*b"], k=chance.randint(1, 4)))
        for _ in range(60)
    }
    answered = {
        pattern: frozenset(path for path in paths if table_of(pattern).match("GET", "/" + "/".join(path)))
        for pattern in {parse_glob(pattern).identity: pattern for pattern in sorted(patterns)}.values()
    }
    pairs = [(one, other) for one in answered for other in answered if answered[one] < answered[other]]
    assert len(pairs) > 100
    for one, other in pairs:
        if answered[one]:
            assert rank(parse_glob(one)) < rank(parse_glob(other)), (one, other)
