"""Servers, certificates and a short way to send one request, for the tests of the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from understudy.wire.messages import Headers, Request, Response
from understudy.wire.pyreqwest_transport import open_transport
from understudy.wire.target import Tls

from .authority import Authority
from .hostile import HostileServer


class Ask(Protocol):
    """Sends one request through a transport of its own."""

    def __call__(
        self,
        url: str,
        method: str = "GET",
        headers: Headers = (),
        body: bytes | None = None,
        *,
        tls: Tls | None = None,
        proxy: str = "",
        limit: int = 1 << 20,
        timeout: float = 10.0,
        follow_redirects: bool = True,
    ) -> Response: ...


@pytest.fixture
def server() -> Iterator[HostileServer]:
    """A hostile server."""
    with HostileServer() as running:
        yield running


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """A certificate authority of this test's own."""
    return Authority(tmp_path)


@pytest.fixture
def ask() -> Ask:
    """Sends one request and gives the response."""

    def send_one(
        url: str,
        method: str = "GET",
        headers: Headers = (),
        body: bytes | None = None,
        *,
        tls: Tls | None = None,
        proxy: str = "",
        limit: int = 1 << 20,
        timeout: float = 10.0,
        follow_redirects: bool = True,
    ) -> Response:
        async def send() -> Response:
            transport = open_transport(tls or Tls(), proxy)
            try:
                return await transport.send(
                    Request(method, url, headers, body),
                    limit=limit,
                    timeout=timeout,
                    follow_redirects=follow_redirects,
                )
            finally:
                await transport.aclose()

        return asyncio.run(send())

    return send_one
