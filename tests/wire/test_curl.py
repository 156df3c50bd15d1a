"""The line of shell really sends, through a real curl, what our transport sends."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from understudy.wire.curl import curl_command
from understudy.wire.messages import Request
from understudy.wire.target import Tls

from .authority import Authority
from .conftest import Ask
from .hostile import HostileServer, Recorded

IGNORED = ("host", "accept-encoding", "connection")
NASTY = 'it\'s $HOME `id` \\n \\012 %s %% "q" ;|&<>*?~#! \u20ac'


def run_in_shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run one line in a POSIX shell."""
    assert shutil.which("curl"), "these tests need curl: install it, for instance with apt-get install curl"
    assert "\n" not in line
    return subprocess.run(
        ["sh", "-c", line], capture_output=True, text=True, errors="replace", timeout=30, check=False
    )


def essence(sent: Recorded) -> tuple[str, str, list[tuple[str, str]], bytes]:
    headers = sorted((name.lower(), value) for name, value in sent.headers if name.lower() not in IGNORED)
    return sent.method, sent.target, headers, sent.body


@pytest.mark.parametrize(
    ("method", "path", "headers", "body"),
    [
        ("GET", "/items/1?q=a%20b&x=[1]{2}", (), None),
        ("GET", "/items/1", (("X-Trace", NASTY), ("X-Empty", ""), ("User-Agent", "mine")), None),
        ("GET", '/a b/{x}/caf\u00e9|^`"?y=\'{}`"<>|', (), None),
        ("HEAD", "/items/1", (), None),
        ("DELETE", "/items/1", (), None),
        ("POST", "/items", (), None),
        ("POST", "/items", (("Content-Type", "application/json"),), b'{"name":"it\'s"}'),
        ("POST", "/items", (), NASTY.encode()),
        ("PUT", "/items", (("Content-Type", "text/plain"),), b"two\nlines\r\n\ttab \\012 %d\x01"),
        ("PATCH", "/items", (), b"@/etc/passwd"),
        ("POST", "/items", (("Accept", "a/b"), ("X-Twice", "1"), ("X-Twice", "2")), bytes(range(256)) * 8),
        ("POST", "/items", (("Content-Type", "text/plain"),), b"x" * 300_000),
        ("GET", "/items", (("Content-Type", "text/plain"),), b"a get with a body"),
        ("PROPFIND", "/items", (), None),
    ],
)
def test_curl_sends_what_the_transport_sends(
    server: HostileServer,
    ask: Ask,
    method: str,
    path: str,
    headers: tuple[tuple[str, str], ...],
    body: bytes | None,
) -> None:
    transport_headers = tuple((n, v) for n, v in headers if v != NASTY)
    line = curl_command(Request(method, server.url(path), headers, body))
    if len(line) < 100_000:
        result = run_in_shell(line)
    else:
        assert "\n" not in line
        result = subprocess.run(["sh"], input=line, capture_output=True, text=True, timeout=30, check=False)
    assert result.returncode == 0, result.stderr
    by_curl = server.last
    ask(server.url(path), method, transport_headers, body)
    if transport_headers != headers:
        assert by_curl.header("X-Trace") == NASTY.encode().decode("latin-1")
        by_curl = Recorded(
            by_curl.method,
            by_curl.target,
            tuple(pair for pair in by_curl.headers if pair[0] != "X-Trace"),
            by_curl.body,
        )
    assert essence(by_curl) == essence(server.last)


def test_the_answer_is_shown_with_its_headers_and_unpacked(server: HostileServer) -> None:
    result = run_in_shell(curl_command(Request("GET", server.url("/gzip"))))
    assert result.stdout.startswith("HTTP/1.1 200 OK")
    assert result.stdout.endswith("unpacked")


def test_redirects_are_followed_only_if_asked_for(server: HostileServer) -> None:
    request = Request("POST", server.url("/status/302?to=/echo"), (), b"x")
    run_in_shell(curl_command(request))
    assert [(sent.method, sent.target[:5]) for sent in server.requests] == [
        ("POST", "/stat"),
        ("GET", "/echo"),
    ]
    run_in_shell(curl_command(request, follow_redirects=False))
    assert len(server.requests) == 3


def test_paths_with_dot_segments_are_sent_as_they_are(server: HostileServer) -> None:
    run_in_shell(curl_command(Request("GET", server.url("/a/../b/./c"))))
    assert server.last.target == "/a/../b/./c"


@pytest.mark.parametrize(
    "request_",
    [
        Request("GET", "http://127.0.0.1:1/$(touch pwned)`touch pwned`;touch pwned"),
        Request("GET", "-K/etc/passwd\n-o pwned"),
        Request("G\n; touch pwned", "http://127.0.0.1:1/", (("X\n; touch pwned", "a\n'; touch pwned; '"),)),
        Request("POST", "http://127.0.0.1:1/", (), b"'; touch pwned; '\n$(touch pwned)\x00`touch pwned`"),
    ],
)
def test_nothing_in_a_request_runs_as_a_command(request_: Request, tmp_path: Path) -> None:
    line = curl_command(request_)
    assert "\n" not in line
    subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, timeout=30, check=False)
    assert list(tmp_path.iterdir()) == []


def test_tls_files_and_proxy_are_used(authority: Authority) -> None:
    certificate, key = authority.certificate("it's me", client=True)
    tls = Tls(str(authority.ca_file), str(certificate), str(key))
    with (
        HostileServer(authority.server_context(ask_client=True)) as server,
        HostileServer(proxy_credentials="dTpw") as proxy,
    ):
        url = proxy.base_url.replace("//", "//u:p@")
        result = run_in_shell(curl_command(Request("GET", server.url("/echo")), tls=tls, proxy=url))
        assert result.returncode == 0, result.stderr
        assert server.last.target == "/echo"
        assert proxy.last.method == "CONNECT"


def test_proxies_of_the_environment_are_not_used(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert run_in_shell(curl_command(Request("GET", server.url("/echo")))).returncode == 0
