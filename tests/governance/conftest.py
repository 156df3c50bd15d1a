"""Where reviews can be kept: in memory, in a SQLite file, and in a database of a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.postgres_server import PostgresServer, postgres_server
from understudy.core.clock import CountingIds, FixedClock
from understudy.governance import ReviewService
from understudy.store import Store, open_store


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """The server of this test process."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def postgresql(server: PostgresServer) -> Iterator[Store]:
    """A store in a database of that server."""
    with open_store(server.new_database()) as store:
        yield store


@pytest.fixture(scope="session")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store in a file."""
    with open_store(tmp_path_factory.mktemp("reviews") / "store.sqlite") as store:
        yield store


@pytest.fixture(params=("memory", "sqlite", "postgresql"))
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of place that a test is run against."""
    return str(request.param)


@pytest.fixture
def store(kind: str, request: pytest.FixtureRequest) -> Store | None:
    """A store that is open, without reviews, as making one takes longer than most tests; None for memory."""
    if kind == "memory":
        return None
    store: Store = request.getfixturevalue(kind)
    with store.write() as connection:
        for table in (store.tables.review_events, store.tables.reviews):
            connection.execute(table.delete())
    return store


@pytest.fixture
def clock() -> FixedClock:
    """A clock that a test moves."""
    return FixedClock()


@pytest.fixture
def reviews(store: Store | None, clock: FixedClock) -> ReviewService:
    """A review service with an empty queue."""
    return ReviewService(store, clock=clock, new_id=CountingIds("review"))
