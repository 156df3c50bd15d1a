"""A process that is told to stay offline reaches this machine and nothing else."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable

import pytest

from understudy.simulation.replay.offline import NetworkRefused, is_local, stay_offline

Hook = Callable[[str, tuple[object, ...]], None]


@pytest.fixture(name="hook")
def _hook(monkeypatch: pytest.MonkeyPatch) -> Hook:
    """What listens in a process that stays offline; here it does not, for no process can be rid of it again."""
    hooks: list[Hook] = []
    monkeypatch.setattr(sys, "addaudithook", hooks.append)
    stay_offline()
    return hooks[0]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost", b"localhost", "", None])
def test_this_machine_is_local(host: object) -> None:
    assert is_local(host)


@pytest.mark.parametrize(
    "host", ["192.0.2.1", "10.0.0.1", "0.0.0.1", "example.com", "localhost.example.com", "::2"]
)
def test_everything_else_is_not(host: str) -> None:
    assert not is_local(host)


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("socket.getaddrinfo", ("example.com", 80, 0, 0, 0)),
        ("socket.connect", (None, ("192.0.2.1", 80))),
        ("socket.connect", (None, ("2001:db8::1", 80, 0, 0))),
        ("socket.sendto", (None, ("192.0.2.1", 53))),
    ],
)
def test_reaching_out_is_refused_with_what_to_do(
    event: str, arguments: tuple[object, ...], hook: Hook
) -> None:
    with pytest.raises(NetworkRefused, match=r"give it a simulated connector, or write allow_network = true"):
        hook(event, arguments)


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("socket.connect", (None, ("127.0.0.1", 80))),
        ("socket.connect", (None, "/tmp/socket")),
        ("socket.getaddrinfo", ("localhost", 80, 0, 0, 0)),
        ("open", ("192.0.2.1", "r", 0)),
    ],
)
def test_what_stays_here_is_let_through(event: str, arguments: tuple[object, ...], hook: Hook) -> None:
    hook(event, arguments)


def test_the_refusal_is_an_error_of_the_system_for_the_pipeline() -> None:
    assert issubclass(NetworkRefused, OSError)
    assert not issubclass(NetworkRefused, socket.gaierror)
