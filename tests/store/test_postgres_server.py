"""Where there is no PostgreSQL, tests that need it are skipped with the command that installs it; in CI they fail."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from project.processes import wait_until
from store import postgres_server
from store.postgres_server import PostgresServer

COMMAND = "apt-get update && apt-get install -y postgresql"


def start() -> None:
    with postgres_server.postgres_server():
        pass


@pytest.mark.parametrize(
    ("in_ci", "what", "raised"),
    [(False, "is skipped", pytest.skip.Exception), (True, "fails", pytest.fail.Exception)],
)
def test_without_a_server_a_test_says_how_to_get_one(
    in_ci: bool, what: str, raised: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_server, "_programs", lambda: None)
    monkeypatch.setenv("CI", "true" if in_ci else "")
    with pytest.raises(raised, match=COMMAND):
        start()


def test_a_server_is_no_root_and_listens_to_this_machine_alone(server: PostgresServer) -> None:
    folder = server.folder / "data"
    assert folder.stat().st_uid == (os.geteuid() or 65534)
    assert "listen_addresses" in postgres_server._SETTINGS
    kinds: list[Callable[[], str]] = [server.new_place, server.empty_place]
    assert all("@127.0.0.1:" in make() for make in kinds)


def test_a_port_that_somebody_has_for_a_moment_is_waited_for(server: PostgresServer) -> None:
    server.stop()
    taken = socket.create_server(("127.0.0.1", server.port))
    try:
        starting = threading.Thread(target=server.start)
        starting.start()
        wait_until(lambda: "Address already in use" in server._log(), "the server has met the other")
    finally:
        taken.close()
    starting.join()
    with psycopg.connect(server.url("postgres")) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
