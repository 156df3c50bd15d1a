"""The places that every test of the store is run against: a SQLite file, and a database of a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.postgres_server import PostgresServer, postgres_server
from understudy.store import Store, open_store
from understudy.store.reach import Reach, reached

KINDS = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """The server of this test process."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of database that a test is run against."""
    return str(request.param)


@pytest.fixture
def place(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Where a store can be made: a path that does not exist, or the URL of an empty schema."""
    if kind == "sqlite":
        return str(tmp_path / "store.sqlite")
    server: PostgresServer = request.getfixturevalue("server")
    return server.new_place()


@pytest.fixture
def ready_place(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Where a store can be opened soon: on the server its tables are there already."""
    if kind == "sqlite":
        return str(tmp_path / "store.sqlite")
    server: PostgresServer = request.getfixturevalue("server")
    return server.empty_place()


@pytest.fixture
def store(ready_place: str) -> Iterator[Store]:
    """A store that is open."""
    with open_store(ready_place) as store:
        yield store


@pytest.fixture
def reach(ready_place: str) -> Iterator[Reach]:
    """A store as the command line reaches it."""
    with reached(ready_place) as reach:
        yield reach
