"""Patterns of Go's http.ServeMux match, are preferred and are refused as Go has it."""

from __future__ import annotations

import itertools
import re

import pytest

from understudy.wire.routes import Route, RouteError, RouteTable, parse_mux

HOST = "https://api.shop.test"


def table_of(*patterns: str) -> RouteTable[str]:
    return RouteTable([Route(parse_mux(pattern), pattern) for pattern in patterns])


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("/items", "/items", True),
        ("/items", "/items/", False),
        ("/items", "/items?page=2", True),
        ("/items/", "/items/7/parts", True),
        ("/items/", "/items/", True),
        ("/items/", "/items", True),  # where Go redirects to the folder
        ("/items/{$}", "/items/", True),
        ("/items/{$}", "/items", True),
        ("/items/{$}", "/items/7", False),
        ("/", "/any/thing", True),
        ("/{$}", "/any", False),
        ("/items/{id}", "/items/7", True),
        ("/items/{id}", "/items/7/", False),
        ("/items/{id}", "/items/", False),
        ("/items/{id}/", "/items/7", True),
        ("/items/{path...}", "/items/a/b", True),
        ("/items/{path...}", "/items/", True),
        ("/items/*", "/items/7", False),  # a star means itself
        ("/items/*", "/items/%2A", True),
        ("/a%62", "/ab", True),
        ("/a/b", f"{HOST}//a/./b", True),
        # scheme and query of a key are dropped
        (f"{HOST}/items?page=1", f"{HOST}/items", True),
        (f"{HOST}/items", "http://api.shop.test/items", True),
        (HOST, f"{HOST}/any/thing", True),
        ("api.shop.test/items", f"{HOST}/items", True),
        ("api.shop.test/items", "https://API.shop.test:8443/items", True),
        ("api.shop.test:8443/items", f"{HOST}/items", False),
        ("api.shop.test/items", "https://shop.test/items", False),
        ("/items", f"{HOST}/items", True),
    ],
)
def test_a_pattern_matches_as_in_go(pattern: str, url: str, expected: bool) -> None:
    assert (table_of(pattern).match("GET", url) is not None) is expected


@pytest.mark.parametrize(
    ("pattern", "method", "expected"),
    [
        ("GET /a", "HEAD", True),
        ("HEAD /a", "GET", False),
        ("POST /a", "GET", False),
        ("PURGE \t https://h/a", "PURGE", True),
        ("/a", "PURGE", True),
    ],
)
def test_a_method_matches_as_in_go(pattern: str, method: str, expected: bool) -> None:
    assert (table_of(pattern).match(method, "https://h/a") is not None) is expected


@pytest.mark.parametrize(
    ("patterns", "url", "best"),
    [
        (["/items/new", "/items/{id}", "/items/", "/"], "/items/new", "/items/new"),
        (["/items/{id}", "/items/", "/"], "/items/7", "/items/{id}"),
        (["/items/{id}", "/items/", "/"], "/items/7/parts", "/items/"),
        (["/items/{id}", "/items/", "/"], "/else", "/"),
        (["/items/", "/"], "/items", "/items/"),
        (["/items/", "/{x}"], "/items", "/{x}"),
        (["/a/b", "api.shop.test/"], f"{HOST}/a/b", "api.shop.test/"),
        (["GET /a", "HEAD /a", "/a"], "/a", "GET /a"),
    ],
)
def test_the_most_specific_pattern_wins_as_in_go(patterns: list[str], url: str, best: str) -> None:
    for order in itertools.permutations(patterns):
        found = table_of(*order).match("GET", url)
        assert found is not None
        assert found.value == best


def test_head_is_answered_by_its_own_pattern_before_that_of_get() -> None:
    found = table_of("GET /a", "HEAD /a", "/a").match("HEAD", "/a")
    assert found is not None
    assert found.value == "HEAD /a"


@pytest.mark.parametrize(
    ("first", "second", "conflict"),
    [
        ("/a", "/a", True),
        ("/a", "h/a", False),
        ("/a/{x}", "/a/{y}", True),
        ("/a/{x}", "/{x}/b", True),
        ("/a/{x}", "/{x}/b/", False),
        ("/a/", "/{x}/b", True),
        ("/a/{x...}", "/a/", True),
        ("/a/{$}", "/a/", False),
        ("/a/{$}", "/a/{x}", False),
        ("/{y}/{$}", "/a/{x}", False),
        ("/a/b", "/a/{x}", False),
        ("GET /a/{x}", "/a/b", True),
        ("GET /a/b", "/a/{x}", False),
        ("GET /a", "HEAD /a", False),
        ("GET /a", "POST /a", False),
        ("GET /", "/index.html", True),
        ("https://h/a?x=1", "http://h/a", True),
    ],
)
def test_patterns_that_overlap_are_refused_as_in_go(first: str, second: str, conflict: bool) -> None:
    for pair in ([first, second], [second, first]):
        if conflict:
            with pytest.raises(RouteError, match=f"{re.escape(repr(pair[1]))} conflicts with"):
                table_of(*pair)
        else:
            table_of(*pair)


def test_a_conflict_says_where_both_patterns_were_written() -> None:
    routes = [Route(parse_mux("/a/{x}"), 0, "t.star:3"), Route(parse_mux("/{x}/b"), 0, "t.star:9")]
    with pytest.raises(RouteError) as caught:
        RouteTable(routes)
    assert str(caught.value) == (
        "'/{x}/b' (t.star:9) conflicts with '/a/{x}' (t.star:3): it matches some, but not all, of the requests of "
        "the other (make one of them more specific in every part, or less)"
    )


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "'' is empty"),
        ("banana", "'banana' has no '/' after its host (write 'banana/' or '/banana')"),
        ("GE;T /a", "begins with 'GE;T', which is no HTTP method"),
        ("/a//b", "has '//' in its path"),
        ("/a/../b", "has '..' in its path"),
        ("/a{x}/b", "has 'a{x}': a wildcard takes a whole segment"),
        ("/{x", "has '{x': a wildcard takes a whole segment"),
        ("/{$}/a", "has '{$}' before its end"),
        ("/{x...}/a", "has '{x...}' before its end"),
        ("/{}", "has '{}', whose name is no name"),
        ("/{x-y}", "has '{x-y}', whose name is no name"),
        ("/{x}/{x}", "has the name 'x' twice"),
        ("{h}/a", "has '{' in its host"),
    ],
)
def test_what_go_cannot_read_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(RouteError, match=re.escape(message)):
        parse_mux(pattern)


def test_many_patterns_are_searched_for_conflicts_quickly() -> None:
    table = table_of(*(f"GET /repos/org{number}/{{name}}/" for number in range(5_000)), "/")
    assert table.match("GET", "/repos/org4999/x/y") is not None
    with pytest.raises(RouteError, match="conflicts"):
        table_of(
            *(f"GET /repos/org{number}/{{name}}/" for number in range(1_000)), "/repos/{owner}/x/{rest...}"
        )
