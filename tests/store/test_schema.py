"""A store is brought to our schema, whatever it stands at; one that we do not know is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from store.test_store import entry
from understudy.core.clock import SystemClock
from understudy.store import Store, StoreError, open_store
from understudy.store.address import parse_address
from understudy.store.revisions import HEAD, REVISIONS, VERSION_TABLE
from understudy.store.tables import metadata

MIGRATIONS = Path(open_store.__code__.co_filename).with_name("migrations")


def raw_store(place: str) -> Store:
    """A store that nobody has prepared."""
    return Store(parse_address(place), SystemClock(), 5.0)


def migrate(connection: Connection, to: str, way: Any = command.upgrade) -> None:
    """Bring a database to one of our revisions, as the version that knew no later one did."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    way(config, to)


def revision(store: Store) -> Any:
    """The revision that a database says it has."""
    with store.read() as connection:
        return connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()


def test_migrations_lead_to_the_tables_that_we_use(store: Store) -> None:
    assert revision(store) == HEAD
    with store.write() as connection:
        options = {"version_table": VERSION_TABLE, "compare_type": store.engine.dialect.name != "sqlite"}
        migrated = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(migrated, metadata) == []


@pytest.mark.parametrize("older", REVISIONS[:-1])
def test_an_older_schema_is_migrated_and_its_rows_are_kept(place: str, older: str) -> None:
    with raw_store(place) as store, store.write() as connection:
        migrate(connection, older)
        connection.execute(
            text(
                "INSERT INTO runs (id, project, started_at, finished_at, stopped, summary, plan)"
                " VALUES ('r', 'shop', '2026', '2026', '', '{\"total\": 1}', '{}')"
            )
        )
        connection.execute(
            text(
                "INSERT INTO outcomes (run_id, position, case_id, act, name, status, reason, parent,"
                " duration_ms, record) VALUES ('r', 0, 'a::b', 'a', 'b', 'passed', '', '', 1.5, '{}')"
            )
        )
    with open_store(place) as store:
        assert revision(store) == HEAD
        with store.read() as connection:
            run = connection.execute(store.tables.runs.select()).mappings().one()
            outcome = connection.execute(store.tables.outcomes.select()).mappings().one()
    assert (run["id"], run["summary"], run["environment"]) == ("r", {"total": 1}, "")
    assert (outcome["case_id"], outcome["duration_ms"], outcome["known"]) == ("a::b", 1.5, False)


def test_every_migration_can_be_taken_back(place: str) -> None:
    with raw_store(place) as store, store.write() as connection:
        migrate(connection, "head")
        migrate(connection, "base", command.downgrade)
        assert set(inspect(connection).get_table_names()) == {VERSION_TABLE}
        migrate(connection, "head")


def test_a_newer_schema_is_refused_and_left_as_it_is(place: str) -> None:
    with open_store(place) as store:
        store.append(store.tables.execution_log, [entry()])
        with store.write() as connection:
            connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(StoreError) as caught:
        open_store(place)
    assert "was written by a newer Understudy: its schema is '9999', and this version knows" in str(
        caught.value
    )
    assert "update with: pip install --upgrade understudy; or name another store" in str(caught.value)
    with raw_store(place) as store:
        assert revision(store) == "9999"


def test_tables_of_somebody_else_are_not_touched(place: str) -> None:
    with raw_store(place) as store, store.write() as connection:
        connection.execute(text("CREATE TABLE runs (distance INTEGER)"))
        connection.execute(text("INSERT INTO runs VALUES (42)"))
    with pytest.raises(StoreError, match=r"has other tables than ours: .* give the store a database"):
        open_store(place)
    with raw_store(place) as store, store.read() as connection:
        assert inspect(connection).get_table_names() == ["runs"]
        assert connection.execute(text("SELECT distance FROM runs")).scalar() == 42


def test_the_names_of_revisions_are_those_of_the_migrations() -> None:
    files = sorted((MIGRATIONS / "versions").glob("r*.py"))
    assert tuple(file.name[1:5] for file in files) == REVISIONS
