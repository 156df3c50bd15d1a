"""Targets from the project file to the wire: headers, cookies, login, variables, TLS, client certificates, proxy."""

from __future__ import annotations

import ssl
import sys
from pathlib import Path

import pytest

from e2e.small_project import SmallProject, case, route
from testbed.recording_server import Answer, RecordingServer
from wire.authority import Authority

JSON = "report.json"


def test_headers_and_cookies_of_the_environment_are_on_every_request(
    small: SmallProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_SESSION", "s3ss10n-of-ada")
    small.project(
        environment='headers = {X-Tenant = "green", X-Version = "2"}\ncookies = {session = {env = "SHOP_SESSION"}}',
        testbed='scripts = ["more.yaml"]',
    )
    small.suite(
        route("plain", case("a")),
        route("own", case("b", input={"headers": {"x-tenant": "blue"}})),
        graphql={"endpoints": [{"name": "shop", "path": "/graphql"}]},
    )
    small.write("more.yaml", 'graphql:\n  - {endpoint: shop, name: asks, query: "{a}"}\n')
    small.answers(plain=200, own=200, graphql=200)
    assert small.run().code == 0
    plain, own, graphql = small.server.seen
    for seen in (plain, graphql):
        assert (seen.headers["x-tenant"], seen.headers["x-version"]) == ("green", "2")
    assert own.headers["x-tenant"] == "blue"
    assert {seen.headers["cookie"] for seen in small.server.seen} == {"session=s3ss10n-of-ada"}


def test_the_environment_is_chosen_by_name(small: SmallProject) -> None:
    small.write(
        "understudy.toml",
        f'[environments.here]\nbase_url = "{small.server.url}"\nvariables = {{size = 3}}\n'
        f'[environments.staging]\nbase_url = "{small.server.url}/staging"\nvariables = {{size = 9}}\n'
        '[testbed]\nsuites = ["suite.json"]\n',
    )
    small.suite(route("items", case("a", input={"query": {"size": "${size}"}})))
    small.server.answers["/staging/items"] = small.server.answers["/items"] = Answer()
    assert small.run("--env", "staging").code == 0
    assert small.run("--env", "here", "--workers", "1").code == 0
    assert [seen.target for seen in small.server.seen] == ["/staging/items?size=9", "/items?size=3"]
    wrong = small.run("--env", "stagin")
    assert (wrong.code, "did you mean 'staging'?" in wrong.err) == (2, True)


@pytest.mark.parametrize("way", [[], ["--workers", "2"]])
def test_what_the_login_captures_is_used_by_headers_and_cases(
    small: SmallProject, monkeypatch: pytest.MonkeyPatch, way: list[str]
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "open-sesame-77")
    small.project(
        environment=(
            'headers = {Authorization = "Bearer ${token}"}\n'
            'variables = {customer = "ada", password = {env = "SHOP_PASSWORD"}}'
        ),
        testbed=(
            '[testbed.login]\npath = "/login"\nbody = {user = "${customer}", pass = "${password}"}\n'
            'capture = {token = "$.token", cart = "$.cart.id"}'
        ),
    )
    small.suite(
        route("items", *(case(f"n{n}") for n in range(4))),
        route("cart", case("c"), path="/carts/{id}", params=["id"]),
    )
    small.suite(
        route("items", *(case(f"n{n}") for n in range(4))),
        route("cart", case("c", input={"params": {"id": "${cart}"}}), path="/carts/{id}", params=["id"]),
    )
    small.answers(login=Answer({"token": "t0ken-of-ada", "cart": {"id": 41}}), items=200)
    small.server.answers["/carts/41"] = Answer()
    result = small.run(*way)
    assert result.code == 0, result.out
    login = small.server.seen[0]
    assert (login.method, login.json) == ("POST", {"user": "ada", "pass": "open-sesame-77"})
    assert "authorization" not in login.headers
    others = [seen for seen in small.server.seen if seen.path != "/login"]
    assert len(others) == 5
    assert {seen.headers["authorization"] for seen in others} == {"Bearer t0ken-of-ada"}


def test_a_login_that_fails_is_told_by_every_case_and_asked_once(small: SmallProject) -> None:
    small.project(testbed='[testbed.login]\npath = "/login"\ncapture = {token = "$.token"}')
    small.suite(route("items", case("a"), case("b")))
    small.answers(login=401, items=200)
    result = small.run("--json", str(small.path(JSON)))
    assert result.code == 1
    assert small.asked == ["login"]
    assert set(small.outcomes().values()) == {"errored"}
    assert "the login step (POST /login) failed: status is 401" in result.out


class TlsServer(RecordingServer):
    """The recording server over TLS."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__()
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    @property
    def url(self) -> str:
        return super().url.replace("http:", "https:")


def over_tls(
    small: SmallProject, context: ssl.SSLContext, tls: str, tmp_path: Path
) -> tuple[int, str, list[str]]:
    server = TlsServer(context)
    try:
        server.answers["/items"] = Answer()
        small.write(
            "understudy.toml",
            f'[environments.here]\nbase_url = "{server.url}"\n{tls}\n[testbed]\nsuites = ["suite.json"]\n',
        )
        small.suite(route("items", case("a")))
        result = small.run("--json", str(small.path(JSON)))
        return result.code, result.out, [seen.path for seen in server.seen]
    finally:
        server.close()


def test_a_server_is_trusted_that_the_ca_file_vouches_for(small: SmallProject, tmp_path: Path) -> None:
    authority = Authority(small.folder)
    tls = f'tls = {{ca = "{authority.ca_file.name}"}}'
    assert over_tls(small, authority.server_context(), tls, tmp_path)[::2] == (0, ["/items"])


def test_a_server_is_not_trusted_without_the_ca_file(small: SmallProject, tmp_path: Path) -> None:
    code, out, seen = over_tls(small, Authority(small.folder).server_context(), "", tmp_path)
    assert (code, seen) == (1, [])
    assert set(small.outcomes().values()) == {"errored"}
    assert "certificate" in out.lower()


def test_a_client_certificate_is_shown_to_a_server_that_asks(small: SmallProject, tmp_path: Path) -> None:
    authority = Authority(small.folder)
    certificate, key = authority.certificate("client", client=True)
    tls = f'tls = {{ca = "{authority.ca_file.name}", client_cert = "{certificate.name}", client_key = "{key.name}"}}'
    context = authority.server_context(ask_client=True)
    assert over_tls(small, context, tls, tmp_path)[::2] == (0, ["/items"])
    without = f'tls = {{ca = "{authority.ca_file.name}"}}'
    code, _, seen = over_tls(small, authority.server_context("other", ask_client=True), without, tmp_path)
    assert (code, seen) == (1, [])


def test_requests_go_through_the_proxy(small: SmallProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PROXY", small.server.url.replace("http://", "http://ada:pr0xy-secret@"))
    small.write(
        "understudy.toml",
        '[environments.here]\nbase_url = "http://shop.invalid/api"\nproxy = {env = "SHOP_PROXY"}\n'
        '[testbed]\nsuites = ["suite.json"]\n',
    )
    small.suite(route("items", case("a"), case("b", 404)))
    small.server.answers["/api/items"] = Answer()
    result = small.run("--json", str(small.path(JSON)))
    assert small.outcomes() == {"http/items/a": "passed", "http/items/b": "failed"}
    assert {seen.target for seen in small.server.seen} == {"http://shop.invalid/api/items"}
    assert all(seen.headers["proxy-authorization"].startswith("Basic ") for seen in small.server.seen)
    assert "pr0xy-secret" not in result.out + small.read(JSON)


def test_a_secret_that_is_not_set_stops_the_run_before_it_begins(
    small: SmallProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOT_SET", raising=False)
    small.project(environment='headers = {Authorization = {env = "NOT_SET"}}')
    small.suite(route("items", case("a")))
    result = small.run()
    assert result.code == 2
    assert "environment variable NOT_SET is not set" in result.err
    assert "understudy.toml:3:" in result.err
    assert small.run("--list").code == 0
    assert small.asked == []


def test_a_missing_extra_is_told_once_before_anything_runs(
    small: SmallProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.project()
    small.suite(route("first", case("one"), case("two")))
    for name in ("pyreqwest", "pyreqwest.client"):
        monkeypatch.setitem(sys.modules, name, None)
    result = small.run()
    assert (result.code, result.out) == (2, "")
    assert (
        result.err
        == "error: pyreqwest is not installed (install it with: pip install 'understudy[testbed]')\n"
    )
