"""Redirects are followed as Go's default client follows them."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from understudy.wire.messages import Headers, Request, Response, TooManyRedirects, TransportError
from understudy.wire.redirects import RedirectChain

from .conftest import Ask
from .hostile import HostileServer

SECRETS: Headers = (
    ("Authorization", "Bearer s"),
    ("Cookie", "a=b"),
    ("Cookie2", "x"),
    ("WWW-Authenticate", "x"),
    ("Proxy-Authorization", "x"),
    ("Proxy-Authenticate", "x"),
    ("X-Kept", "k"),
)


def redirect(location: str, status: int = 302) -> Response:
    return Response(status, (("location", location),), b"")


def following(first: Request, *steps: str | tuple[str, int]) -> Request:
    """The last request after these redirects."""
    chain = RedirectChain(first)
    request: Request | None = None
    for step in steps:
        location, status = step if isinstance(step, tuple) else (step, 302)
        request = chain.next_request(redirect(location, status))
    assert request is not None
    return request


def header(request: Request, name: str) -> str | None:
    return next((value for key, value in request.headers if key.lower() == name.lower()), None)


@pytest.mark.parametrize("status", [301, 302, 303])
@pytest.mark.parametrize(("method", "becomes"), [("POST", "GET"), ("PUT", "GET"), ("DELETE", "GET")])
def test_301_302_and_303_turn_into_get_without_body(
    server: HostileServer, ask: Ask, status: int, method: str, becomes: str
) -> None:
    headers = (("Content-Type", "text/plain"), ("Content-Language", "en"), ("X-Kept", "k"))
    response = ask(server.url(f"/status/{status}?to=/echo"), method, headers, b"body")
    first, second = server.requests
    assert (first.method, first.body) == (method, b"body")
    assert (second.method, second.target, second.body) == (becomes, "/echo", b"")
    assert second.header("Content-Type") is None
    assert second.header("Content-Language") is None
    assert second.header("Content-Length") is None
    assert second.header("X-Kept") == "k"
    assert response.redirects == (server.url(f"/status/{status}?to=/echo"),)
    assert response.url == server.url("/echo")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_head_stays_head(server: HostileServer, ask: Ask, status: int) -> None:
    ask(server.url(f"/status/{status}?to=/echo"), "HEAD")
    assert [sent.method for sent in server.requests] == ["HEAD", "HEAD"]


@pytest.mark.parametrize("status", [307, 308])
def test_307_and_308_keep_method_and_body(server: HostileServer, ask: Ask, status: int) -> None:
    ask(server.url(f"/status/{status}?to=/echo"), "PUT", (("Content-Type", "text/plain"),), b"body")
    second = server.last
    assert (second.method, second.body, second.header("Content-Type")) == ("PUT", b"body", "text/plain")


def test_a_body_once_dropped_stays_dropped() -> None:
    first = Request("POST", "http://a.test/", (("Content-Type", "text/plain"),), b"body")
    last = following(first, ("/b", 302), ("/c", 307))
    assert (last.method, last.body, header(last, "Content-Type")) == ("GET", None, None)


@pytest.mark.parametrize("status", [300, 301, 304, 305, 307])
def test_a_3xx_without_location_is_the_response(server: HostileServer, ask: Ask, status: int) -> None:
    response = ask(server.url(f"/status/{status}"))
    assert (response.status, response.redirects, len(server.requests)) == (status, (), 1)


@pytest.mark.parametrize("status", [300, 304, 305])
def test_other_3xx_are_not_followed_even_with_location(server: HostileServer, ask: Ask, status: int) -> None:
    assert ask(server.url(f"/status/{status}?to=/echo")).status == status


def test_a_caller_may_see_the_3xx_itself(server: HostileServer, ask: Ask) -> None:
    response = ask(server.url("/status/302?to=/echo"), follow_redirects=False)
    assert (response.status, response.header("Location")) == (302, "/echo")


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("c?x=1", "http://a.test/dir/c?x=1"),
        ("/c", "http://a.test/c"),
        ("../c", "http://a.test/c"),
        ("?x=1", "http://a.test/dir/b?x=1"),
        ("//b.test/c", "http://b.test/c"),
        ("https://b.test:8443/c", "https://b.test:8443/c"),
    ],
)
def test_locations_are_resolved_against_the_last_url(location: str, url: str) -> None:
    assert following(Request("GET", "http://a.test/dir/b"), location).url == url


def test_a_location_may_be_untidy_and_not_ascii(server: HostileServer, ask: Ask) -> None:
    location = quote("/x/../caf\u00e9 au lait")
    response = ask(server.url(f"/status/302?to={location}"))
    assert response.status == 200
    assert server.last.target == "/caf%C3%A9%20au%20lait"


def test_secrets_go_to_the_same_host_and_its_subdomains_only() -> None:
    first = Request("GET", "http://shop.test/", SECRETS)
    for location in ("/b", "http://shop.test:99/b", "https://api.shop.test/b", "http://SHOP.test/"):
        assert len(following(first, location).headers) >= len(SECRETS)
    for location in ("http://evil.test/", "http://evilshop.test/", "http://test/", "http://127.0.0.1/"):
        kept = [name for name, _ in following(first, location).headers]
        assert kept == ["X-Kept", "Referer"]


def test_secrets_once_dropped_stay_dropped() -> None:
    last = following(Request("GET", "http://shop.test/", SECRETS), "http://evil.test/", "http://shop.test/x")
    assert header(last, "Authorization") is None
    assert header(last, "X-Kept") == "k"


def test_secrets_are_dropped_on_the_wire(server: HostileServer, ask: Ask) -> None:
    there = server.url("/echo", host="localhost")
    ask(server.url(f"/status/307?to={there}"), headers=(("Authorization", "Bearer s"), ("X-Kept", "k")))
    assert (server.requests[0].header("Authorization"), server.last.header("Authorization")) == (
        "Bearer s",
        None,
    )
    assert server.last.header("X-Kept") == "k"


def test_userinfo_goes_along_only_where_the_url_still_has_it(server: HostileServer, ask: Ask) -> None:
    with_user = server.url("").replace("//", "//ann:pw@")
    ask(f"{with_user}/status/302?to=/echo")
    assert server.last.header("Authorization") == "Basic YW5uOnB3"
    ask(f"{with_user}/status/302?to={server.url('/echo')}")
    assert server.last.header("Authorization") is None


def test_referer_is_the_last_url_without_userinfo_and_fragment() -> None:
    last = following(Request("GET", "http://ann:pw@a.test/x#top"), "http://a.test/y", "/z")
    assert header(last, "Referer") == "http://a.test/y"
    assert (
        header(following(Request("GET", "http://ann:pw@a.test/x#top"), "/y"), "Referer") == "http://a.test/x"
    )


def test_referer_never_goes_from_https_to_http_and_a_given_one_stays() -> None:
    assert header(following(Request("GET", "https://a.test/x"), "http://a.test/y"), "Referer") is None
    own = Request("GET", "http://a.test/x", (("Referer", "http://own.test/"),))
    assert header(following(own, "/y"), "Referer") == "http://own.test/"


def test_a_given_host_header_goes_along_with_relative_locations_only() -> None:
    first = Request("GET", "http://127.0.0.1/", (("Host", "shop.test"),))
    assert header(following(first, "/b"), "Host") == "shop.test"
    assert header(following(first, "http://127.0.0.1/b"), "Host") is None


@pytest.mark.parametrize(
    "location", ["ftp://a.test/x", "javascript:alert(1)", "file:///etc/passwd", "mailto:a@b"]
)
def test_other_schemes_are_an_error(server: HostileServer, ask: Ask, location: str) -> None:
    with pytest.raises(TransportError, match="only http:// and https:// URLs are followed"):
        ask(server.url(f"/status/302?to={quote(location)}"))


def test_a_location_that_is_no_url_is_an_error(server: HostileServer, ask: Ask) -> None:
    with pytest.raises(TransportError, match="which is no URL"):
        ask(server.url(f"/status/302?to={quote('http://[::1/')}"))


def test_ten_redirects_are_followed(server: HostileServer, ask: Ask) -> None:
    response = ask(server.url("/chain/10"))
    assert (response.status, response.body, len(response.redirects)) == (200, b"arrived", 10)
    assert response.redirects[0] == server.url("/chain/10")


@pytest.mark.parametrize("path", ["/chain/11", "/loop"])
def test_an_eleventh_redirect_is_an_error_that_shows_the_chain(
    server: HostileServer, ask: Ask, path: str
) -> None:
    url = server.url(path).replace("//", "//ann:secret@")
    with pytest.raises(TooManyRedirects, match=re.escape("stopped after 10 redirects: http://127")) as caught:
        ask(url)
    assert len(server.requests) == 11
    assert " -> ... -> " in str(caught.value)
    assert "secret" not in str(caught.value)
