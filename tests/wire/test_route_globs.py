"""Patterns with globs say what their rules say, and what cannot be read is told with what to do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.wire.routes import Route, RouteError, RouteTable, parse_glob

HOST = "https://api.github.com"
PROTECTION = f"{HOST}/repos/acme/widgets/branches/main/protection"


def matches(pattern: str, url: str, method: str = "GET") -> bool:
    return RouteTable([Route(parse_glob(pattern), None)]).match(method, url) is not None


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        # as the founding document writes its mocks
        (f"GET {PROTECTION}", PROTECTION, True),
        (f"GET {HOST}/repos/*/branches/*/protection", f"{HOST}/repos/acme/branches/main/protection", True),
        (f"GET {HOST}/repos/*/branches/*/protection", PROTECTION, False),
        (f"GET {HOST}/repos/*/*/branches/*/protection", PROTECTION, True),
        ("/*", f"{HOST}/repos/acme/widgets/security-advisories?state=open", True),
        ("repos/*/branches/*", f"{HOST}/repos/acme/branches/main", True),
        # `/*` alone is everything, of its method and host if it gives one
        ("/*", f"{HOST}/", True),
        ("/*", HOST, True),
        (f"{HOST}/*", PROTECTION, True),
        (f"{HOST}/*", "https://gitlab.com/x", False),
        ("POST /*", PROTECTION, False),
        # elsewhere `*` is one segment, and never an empty one
        ("/repos/*", "/repos/acme", True),
        ("/repos/*", "/repos/acme/widgets", False),
        ("/repos/*", "/repos/", False),
        ("/repos/*", "/repos", False),
        ("/v*.json", "/v12.json", True),
        ("/v*.json", "/v.json", True),
        ("/v*.json", "/v1/2.json", False),
        ("/a*b*c", "/aXbYc", True),
        ("/a*b*c", "/aXcYb", False),
        ("/ab*b", "/ab", False),
        # `**` is any number of segments
        ("/repos/**", "/repos/acme/widgets", True),
        ("/repos/**", "/repos", True),
        ("/repos/**", "/repos/", True),
        ("/repos/**", "/repository", False),
        ("/repos/**/protection", "/repos/a/b/c/protection", True),
        ("/repos/**/protection", "/repos/protection", True),
        ("/repos/**/protection", "/repos/protection/x", False),
        ("/**/a/**/a", "/a/x/a/y/a", True),
        ("/**/a/**/a", "/x/a", False),
        # a trailing slash counts
        ("/repos", "/repos/", False),
        ("/repos/", "/repos/", True),
        (HOST, f"{HOST}/", True),
        # the query, if the pattern gives one
        ("/search", "/search?q=x", True),
        ("/search?q=x", "/search?page=2&q=x", True),
        ("/search?q=x", "/search?q=y", False),
        ("/search?q=x", "/search", False),
        ("/search?q=a&q=b", "/search?q=b&q=a", True),
        ("/search?q=a&q=b", "/search?q=a", False),
        ("/search?q=*", "/search?q=", True),
        ("/search?q=*", "/search?page=1", False),
        ("/search?q=is:*", "/search?q=is:open", True),
        ("/search?q=a%20b", "/search?q=a+b", True),
        ("/search?flag", "/search?flag=", True),
        # what means the same is the same
        ("/a%62c", "/abc", True),
        ("/caf%C3%A9", "/café", True),
        ("/a%2Fb", "/a/b", False),
        ("/a%2fb", "/a%2Fb", True),
        ("/a%2A", "/a*", True),
        ("/a%2A", "/ab", False),
        ("/a/b", f"{HOST}//a///b", True),
        ("/a/b", "/a/./x/../b", True),
        ("/a/b", "/a/b#part", True),
        ("HTTPS://API.GitHub.com/a", f"{HOST}:443/a", True),
        (f"{HOST}:443/a", f"{HOST}/a", True),
        (f"{HOST}/a", f"{HOST}:8443/a", False),
        (f"{HOST}/a", "http://api.github.com/a", False),
        (f"{HOST}/a", "https://ann:secret@api.github.com/a", True),
        (f"{HOST}/a", "https://api.github.com./a", True),
        ("//api.github.com/a", f"{HOST}/a", True),
        ("http://[::1]:8080/a", "http://[0:0:0:0:0:0:0:1]:8080/a", True),
        ("http://[::1]/a", "http://[::1]:8080/a", False),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a", True),
        # a star in the host stays within a label
        ("https://*.github.com/a", f"{HOST}/a", True),
        ("https://*.github.com/a", "https://a.b.github.com/a", False),
        ("https://api-*.example.com/**", "https://api-eu.example.com/x/y", True),
        ("http://127.0.0.1:*/a", "http://127.0.0.1:9999/a", True),
        # a host is asked for only where the pattern names one
        ("/a", f"{HOST}/a", True),
        (f"{HOST}/a", "/a", False),
    ],
)
def test_a_glob_matches_what_its_rules_say(pattern: str, url: str, expected: bool) -> None:
    assert matches(pattern, url) is expected


@pytest.mark.parametrize(
    ("pattern", "method", "expected"),
    [("/a", "POST", True), ("POST /a", "POST", True), ("post  /a ", "POST", True), ("GET /a", "HEAD", False)],
)
def test_a_method_is_asked_for_only_where_the_pattern_names_one(
    pattern: str, method: str, expected: bool
) -> None:
    assert matches(pattern, "/a", method) is expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "'' is empty (write '/path', 'https://host/path'"),
        ("GET", "'GET' is no URL and no path (write 'GET https://host/path')"),
        ("banana", "'banana' is no URL and no path (begin it with '/' or 'https://')"),
        ("GTE /a", "'GTE /a' begins with 'GTE', which is no HTTP method (did you mean GET?)"),
        ("GET /a b", "'GET /a b' is no method and URL (write"),
        (
            "api.github.com/a",
            "begins with 'api.github.com', which may be a host or a folder (write 'https://api.",
        ),
        ("localhost:80/a", "begins with 'localhost:80', which may be a host or a folder"),
        ("https:///a", "'https:///a' has no host (write 'https://host/path')"),
        ("ftp://host/a", "'ftp://host/a' has the scheme 'ftp' (write http:// or https://)"),
        ("https://host:x1/a", "has no usable host: 'host:x1'"),
        ("https://**.host/a", "has '**' in its host"),
        ("/a#b", "'/a#b' has a fragment (#...), which is never sent (remove it, or write %23)"),
        ("/" + "a" * 20_000, "is longer than 10,000 characters"),
    ],
)
def test_what_is_no_pattern_is_refused_with_what_to_write(pattern: str, message: str) -> None:
    with pytest.raises(RouteError, match=re.escape(message)):
        parse_glob(pattern)


SEGMENTS = st.lists(st.sampled_from(["a", "b", "ab", "*", "**", "a*", "*b"]), min_size=1, max_size=5)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "aab"]), min_size=1, max_size=6)


def as_expression(segments: list[str]) -> re.Pattern[str]:
    """The same rules once more, as a regular expression over a path."""
    if segments == ["*"]:
        segments = ["**"]
    parts = {"*": "/[^/]+", "**": "(?:/[^/]+)*"}
    text = "".join(parts.get(segment) or "/" + segment.replace("*", "[^/]*") for segment in segments)
    return re.compile(text)


@given(st.lists(SEGMENTS, min_size=1, max_size=6), PATHS)
def test_a_table_finds_a_route_exactly_if_one_matches_by_itself(
    patterns: list[list[str]], path: list[str]
) -> None:
    unique = {parse_glob("/" + "/".join(pattern)).identity: pattern for pattern in patterns}.values()
    table = RouteTable(
        [Route(parse_glob("/" + "/".join(pattern)), as_expression(pattern)) for pattern in unique]
    )
    url = "/" + "/".join(path)
    found = table.match("GET", url)
    if found is None:
        assert not any(route.value.fullmatch(url) for route in table.routes)
        assert all(miss.reasons for miss in table.near_misses("GET", url, limit=10))
        assert len(table.near_misses("GET", url, limit=10)) == len(table.routes)
    else:
        assert found.value.fullmatch(url)
