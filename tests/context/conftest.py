"""The logs that every test of a log is run against: one in memory, and one in a store of either kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.postgres_server import PostgresServer, postgres_server
from understudy.context import ExecutionLog, MemoryLog, StoredLog
from understudy.store import open_store


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """A server for the logs of this process."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ExecutionLog]:
    """A log that is empty."""
    if request.param == "memory":
        yield MemoryLog()
        return
    place = str(tmp_path / "log.sqlite")
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("server")
        place = server.empty_place()
    with open_store(place) as store:
        yield StoredLog(store)
