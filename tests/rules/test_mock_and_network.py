"""The network is asked as mocks are, and the user's token goes to the provider's own host only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from understudy.core.errors import InputError
from understudy.rules.providers import Provider, find_provider
from understudy.rules.web import BODY_LIMIT, TimedOut, TooLarge, WebError, WebRequest
from understudy.rules.web_network import NetworkWeb
from understudy.wire.messages import Request, Response


class Api(BaseHTTPRequestHandler):
    """Tells what it was asked; `/large`, `/slow` and `/to?url` do what their names say."""

    asked: ClassVar[list[tuple[str, str]]] = []
    stop: ClassVar[threading.Event] = threading.Event()

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Authorization", "")))
        if self.path == "/slow":
            self.stop.wait(10)
        status, body = 200, b'{"ok": true}'
        if self.path == "/large":
            body = b"x" * (BODY_LIMIT + 1)
        if self.path == "/missing":
            status = 404
        self.send_response(302 if self.path.startswith("/to?") else status)
        if self.path.startswith("/to?"):
            self.send_header("Location", self.path.partition("?")[2])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None: ...


@contextmanager
def api(host: str) -> Iterator[tuple[str, type[Api]]]:
    class OneApi(Api):
        asked: ClassVar[list[tuple[str, str]]] = []
        stop: ClassVar[threading.Event] = threading.Event()

    with ThreadingHTTPServer((host, 0), OneApi) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://{host}:{server.server_port}", OneApi
        finally:
            OneApi.stop.set()
            server.shutdown()
            thread.join()


@pytest.fixture
def provider() -> Iterator[tuple[str, type[Api]]]:
    with api("127.0.0.1") as running:
        yield running


@contextmanager
def web_at(base: str) -> Iterator[NetworkWeb]:
    web = NetworkWeb(Provider("shop", base, token="t0ken"))
    try:
        yield web
    finally:
        web.close()


def test_a_relative_url_is_asked_of_the_provider_with_the_token(provider: tuple[str, type[Api]]) -> None:
    base, handler = provider
    with web_at(f"{base}/api/v4") as web:
        answer = web.send(WebRequest("GET", "/projects/7", with_token=True))
        web.send(WebRequest("GET", "/projects/8"))
        assert web.send(WebRequest("GET", f"{base}/missing")).status == 404
    assert (answer.status, answer.body) == (200, b'{"ok": true}')
    assert handler.asked == [
        ("/api/v4/projects/7", "Bearer t0ken"),
        ("/api/v4/projects/8", ""),
        ("/missing", ""),
    ]
    assert [str(request) for request in web.log.requests] == [
        f"GET {base}/api/v4/projects/7: answered 200",
        f"GET {base}/api/v4/projects/8: answered 200",
        f"GET {base}/missing: answered 404",
    ]


def test_the_token_is_kept_on_redirects_within_the_host_and_by_no_other(
    provider: tuple[str, type[Api]],
) -> None:
    base, handler = provider
    with web_at(base) as web:
        web.send(WebRequest("GET", "/to?/moved", with_token=True))
        kept = WebRequest("GET", "/to?/moved", with_token=True, follows_redirects=False)
        assert web.send(kept).status == 302
    assert handler.asked[1] == ("/moved", "Bearer t0ken")
    assert len(handler.asked) == 3


class Elsewhere:
    """A transport whose first answer leads to another host, a public one."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    async def send(self, request: Request, **_: Any) -> Response:
        authorization = [value for name, value in request.headers if name == "Authorization"]
        self.sent.append((request.url, "".join(authorization)))
        if len(self.sent) == 1:
            return Response(302, (("Location", "https://93.184.216.34/b"),), b"")
        return Response(200, (), b"")

    async def aclose(self) -> None: ...


def test_the_token_goes_to_no_other_host() -> None:
    transport = Elsewhere()
    web = NetworkWeb(Provider("shop", "https://api.shop.test", token="t0ken"), transport=transport)
    web.send(WebRequest("GET", "/a", with_token=True))
    web.send(WebRequest("GET", "https://93.184.216.34/c", with_token=True))
    web.send(WebRequest("GET", "http://api.shop.test@93.184.216.34/d", with_token=True))
    assert transport.sent == [
        ("https://api.shop.test/a", "Bearer t0ken"),
        ("https://93.184.216.34/b", ""),
        ("https://93.184.216.34/c", ""),
        ("http://api.shop.test@93.184.216.34/d", ""),
    ]


def test_a_wait_is_the_caller_s_to_choose() -> None:
    waits: list[float] = []
    NetworkWeb(Provider("shop", "https://api.shop.test"), sleep=waits.append).pause(0.5)
    assert waits == [0.5]


def test_rules_may_ask_no_private_address_but_the_provider(provider: tuple[str, type[Api]]) -> None:
    base, _ = provider
    with api("127.0.0.2") as (other, others_handler), web_at(base) as web:
        for url in (f"{other}/a", f"{base}/to?{other}/a", "http://localhost:1/a", "http://[::1]:1/a"):
            with pytest.raises(WebError, match="is no public address: rules may ask only public ones"):
                web.send(WebRequest("GET", url, with_token=True))
    assert others_handler.asked == []


def test_a_body_that_is_too_large_and_a_server_that_hangs_are_told(provider: tuple[str, type[Api]]) -> None:
    base, _ = provider
    with web_at(base) as web:
        with pytest.raises(TooLarge, match="the body is larger than the 1,048,576 bytes that are read"):
            web.send(WebRequest("GET", "/large"))
        with pytest.raises(TimedOut, match=r"GET .*/slow was not answered within 0\.2 s"):
            web.send(WebRequest("GET", "/slow", timeout=0.2))
    assert [request.status for request in web.log.requests] == [None, None]


def test_nobody_there_is_told() -> None:
    with (
        web_at("http://127.0.0.1:1") as web,
        pytest.raises(WebError, match=r"GET http://127\.0\.0\.1:1/a: .*refused"),
    ):
        web.send(WebRequest("GET", "/a"))


@pytest.mark.parametrize(
    ("name", "environment", "base", "token"),
    [
        (
            "github",
            {"GITHUB_TOKEN": "gh-1", "GITLAB_TOKEN": "gl-1", "MINDER_AUTH_TOKEN": "any-1"},
            "https://api.github.com",
            "gh-1",
        ),
        (
            "gitlab",
            {"GITHUB_TOKEN": "gh-1", "MINDER_AUTH_TOKEN": " any-1\n"},
            "https://gitlab.com/api/v4",
            "any-1",
        ),
        ("our-forge", {"OUR_FORGE_TOKEN": "own-1"}, "https://forge.test", "own-1"),
        ("github", {"GITLAB_TOKEN": "gl-1"}, "https://api.github.com", ""),
    ],
)
def test_a_provider_has_its_base_and_its_token(
    name: str, environment: dict[str, str], base: str, token: str
) -> None:
    found = find_provider(name, {"our-forge": "https://forge.test"}, environment)
    assert (found.base, found.token) == (base, token)
    assert token == "" or token not in repr(found)


@pytest.mark.parametrize(
    ("name", "hint"), [("gihub", "did you mean 'github'"), ("zzz", "known are github, gitlab")]
)
def test_an_unknown_provider_is_told_which_there_are(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=f"the provider '{name}' is not known .*{hint}"):
        find_provider(name)


@pytest.mark.parametrize(
    ("url", "owned"),
    [
        ("https://api.github.com:443/user", True),
        ("https://API.github.com./user", True),
        ("http://api.github.com/user", False),
        ("https://api.github.com:8443/user", False),
        ("https://evil.api.github.com/user", False),
        ("https://api.github.com@evil.test/user", False),
        ("https://evil.test/api.github.com", False),
    ],
)
def test_only_the_provider_s_own_host_is_its_own(url: str, owned: bool) -> None:
    assert Provider("github", "https://api.github.com").owns(url) is owned
