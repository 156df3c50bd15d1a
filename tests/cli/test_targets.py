"""Environments from the command line: TLS files beside the project, a proxy, headers, cookies and variables."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from cli.command import Command, suite_of
from wire.authority import Authority
from wire.hostile import HostileServer

TESTBED = '[testbed]\nsuites = ["shop.json"]\n'


@pytest.fixture
def project(here: Path) -> Path:
    """A project in a folder below the one that the command is run in."""
    folder = here / "shop"
    folder.mkdir()
    (folder / "shop.json").write_text(suite_of(("a", "/a", {"status": 200})))
    return folder


def test_tls_files_are_found_beside_the_project_file(command: Command, project: Path) -> None:
    authority = Authority(project)
    certificate, key = authority.certificate("client", client=True)
    with HostileServer(authority.server_context(ask_client=True)) as server:
        text = f'{TESTBED}[environments.local]\nbase_url = "{server.base_url}"\n[environments.local.tls]\n'
        ca = f'ca = "{authority.ca_file.name}"\n'
        (project / "understudy.toml").write_text(
            f'{text}{ca}client_cert = "{certificate.name}"\nclient_key = "{key.name}"\n'
        )
        assert command("run", "shop").code == 0
        (project / "understudy.toml").write_text(text + ca)
        without_certificate = command("run", "shop")
        (project / "understudy.toml").write_text(text)
        untrusted = command("run", "shop")
    assert (without_certificate.code, untrusted.code) == (1, 1)
    assert "1 errored" in without_certificate.out
    assert "set ca to" in untrusted.out


def test_a_proxy_is_used_with_its_credentials_from_the_environment(
    command: Command, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = b64encode(b"bob:pass-for-proxy").decode()
    with HostileServer() as server, HostileServer(proxy_credentials=credentials) as proxy:
        monkeypatch.setenv("SHOP_PROXY", proxy.base_url.replace("://", "://bob:pass-for-proxy@"))
        (project / "understudy.toml").write_text(
            f'{TESTBED}[environments.local]\nproxy = {{env = "SHOP_PROXY"}}\n'
            f'base_url = "http://behind.invalid:{server.port}"\n'
        )
        assert command("run", "shop").code == 0
        assert proxy.requests
        assert server.last.header("Via") == "hostile"
        monkeypatch.setenv("SHOP_PROXY", proxy.base_url.replace("://", "://bob:wrong-password@"))
        done = command("run", "shop")
    assert done.code == 1
    assert "1 errored" in done.out
    assert "wrong-password" not in done.text


def test_the_proxy_of_the_shell_is_not_used(
    command: Command, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for the cases nor for the health check: only what the project file says is."""
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with HostileServer() as server:
        (project / "understudy.toml").write_text(
            f'{TESTBED}[environments.local]\nbase_url = "{server.base_url}"\n'
        )
        assert command("run", "shop").code == 0


@pytest.mark.parametrize("chosen", [["--env", "staging"], []], ids=["named", "by the file"])
def test_headers_cookies_variables_and_prefix_go_with_every_request(
    command: Command, project: Path, chosen: list[str]
) -> None:
    suite = suite_of(("a", "/a", {"status": 200}), ("b", "/b", {"status": 200}))
    asking = suite.replace(
        '"name": "a", "expect"', '"name": "a", "input": {"query": {"q": "${customer}"}}, "expect"'
    )
    (project / "shop.json").write_text(asking)
    with HostileServer() as server:
        (project / "understudy.toml").write_text(
            f'environment = "staging"\n{TESTBED}'
            '[environments.other]\nbase_url = "http://127.0.0.1:9"\n'
            f'[environments.staging]\nbase_url = "{server.base_url}/prefix/"\n'
            'variables = {customer = "ada"}\nheaders = {X-Customer = "${customer}"}\ncookies = {who = "${customer}"}\n'
        )
        assert command("run", "shop", *chosen).code == 0
        assert [request.target for request in server.requests] == ["/prefix/a?q=ada", "/prefix/b"]
        for request in server.requests:
            assert request.header("X-Customer") == "ada"
            assert request.header("Cookie") == "who=ada"
        assert command("run", "shop", "--env", "other").code == 1
