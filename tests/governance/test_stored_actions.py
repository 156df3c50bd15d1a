"""Actions in a store: nothing that was acknowledged is lost, whatever becomes of the process."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from understudy.core.clock import CountingIds, FixedClock
from understudy.core.errors import InputError
from understudy.governance import AgentAction, AgentGovernor, StoredActions
from understudy.store import Store, StoreError, open_store

TESTS = Path(__file__).parents[1]
ACTION = AgentAction(
    "bot",
    "export",
    "bundle--1",
    "high",
    "semi_trusted",
    "pending",
    "waits for a reviewer",
    "hash",
    "review-1",
    "ann",
    "context-1",
    datetime(2026, 1, 1, 12, 30, 0, 7, tzinfo=UTC),
    "action-1",
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def test_an_action_is_read_back_as_it_was(postgresql: Store, file: Path) -> None:
    with open_store(file) as sqlite:
        for store in (sqlite, postgresql):
            with StoredActions(store) as actions:
                actions.record(ACTION).wait()
                assert actions.of() == [ACTION]


def test_a_moment_of_another_zone_is_kept_in_utc(file: Path) -> None:
    there = AgentAction(
        "bot", "export", recorded_at=datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    )
    with open_store(file) as store, StoredActions(store) as actions:
        actions.record(there)
        (kept,) = actions.of()

    assert kept.recorded_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert str(kept.recorded_at).endswith("+00:00")


def test_actions_without_an_id_are_given_one(file: Path) -> None:
    with open_store(file) as store, StoredActions(store) as actions:
        for _ in range(3):
            actions.record(AgentAction("bot", "export", status="approved"))
        kept = actions.of()

    assert len({action.action_id for action in kept} - {""}) == 3


def test_a_governor_with_a_recorder_is_read_after_its_end(file: Path) -> None:
    with open_store(file) as store, StoredActions(store) as actions:
        governor = AgentGovernor(clock=FixedClock(), new_id=CountingIds("action"), recorder=actions)
        governor.can_act("ann", "enrich", "semi_trusted")
        governor.can_act("bob", "export", "semi_trusted")
        governor.can_act("ann", "delete_stix", "semi_trusted")
    with open_store(file) as store, StoredActions(store) as later:
        assert later.of() == governor.get_action_log()
        assert later.of("ann") == governor.get_action_log("ann")
        assert later.of("cid") == []


def test_actions_of_many_threads_are_all_kept(file: Path) -> None:
    with open_store(file) as store, StoredActions(store) as actions:
        governor = AgentGovernor(recorder=actions)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: governor.can_act(f"bot-{n % 5}", "export", "semi_trusted"), range(2_000)))
        actions.flush()

        assert {action.action_id for action in actions.of()} == {
            action.action_id for action in governor.get_action_log()
        }
        assert len(actions.of("bot-3")) == 400


def test_every_one_is_on_disk_before_it_is_done(file: Path) -> None:
    with open_store(file) as store, StoredActions(store, every_one=True) as actions:
        governor = AgentGovernor(recorder=actions)
        governor.can_act("bot", "enrich", "semi_trusted")
        with closing(sqlite3.connect(file)) as other:
            assert other.execute("SELECT count(*) FROM agent_actions").fetchone() == (1,)


def test_with_every_one_what_cannot_be_kept_is_not_allowed(file: Path) -> None:
    with open_store(file, patience=0.01) as store, StoredActions(store, every_one=True) as actions:
        governor = AgentGovernor(recorder=actions)
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="locked"):
                governor.can_act("bot", "enrich", "semi_trusted")
            other.execute("ROLLBACK")
        assert governor.get_action_log() == []
        with pytest.raises(StoreError, match="locked"):
            actions.flush()
        assert governor.can_act("bot", "enrich", "semi_trusted")


def test_what_could_not_be_kept_is_told_by_the_next_flush(file: Path) -> None:
    with open_store(file, patience=0.01) as store:
        actions = StoredActions(store)
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            ticket = actions.record(ACTION)
            with pytest.raises(StoreError, match="locked"):
                actions.flush()
            other.execute("ROLLBACK")
        with pytest.raises(StoreError, match="locked"):
            ticket.wait()
        actions.close()


@pytest.mark.parametrize(
    "text", ["before\0after", "a\ud800b", "\x1b[2K\u202e", "'); DROP TABLE agent_actions; --"]
)
def test_hostile_text_is_kept_as_data(file: Path, text: str) -> None:
    with open_store(file) as store, StoredActions(store) as actions:
        actions.record(AgentAction("bot", "export", text, reason=text))
        actions.record(ACTION)
        first, second = actions.of()

    assert first.target_ref == text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
    assert second == ACTION


@pytest.mark.parametrize("damage", ["recorded_at = 'soon'", "recorded_at = ''"])
def test_a_row_that_somebody_damaged_is_said_to_be_so(file: Path, damage: str) -> None:
    with open_store(file) as store, StoredActions(store) as actions:
        actions.record(ACTION).wait()
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(f"UPDATE agent_actions SET {damage}")
            connection.commit()
        with pytest.raises(StoreError, match=r"one of the actions is damaged: .*\(bring the row back"):
            actions.of()


KILLED = """
import sys
from understudy.governance import AgentGovernor, StoredActions
from understudy.store import open_store

with open_store(sys.argv[1]) as store, StoredActions(store) as actions:
    governor = AgentGovernor(10**6, recorder=actions)
    while True:
        for _ in range(50):
            governor.can_act("bot", "enrich", "semi_trusted")
        actions.flush()
        print(len(governor.get_action_log()), flush=True)
"""


def test_a_process_that_is_killed_has_kept_all_that_was_acknowledged(file: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(file)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS.parent / "src")},
    )
    assert process.stdout is not None
    for _ in range(5):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    acknowledged = [250, *map(int, process.stdout.read().split())][-1]
    process.wait()
    process.stdout.close()
    with open_store(file) as store, StoredActions(store) as actions:
        kept = actions.of("bot")

    assert len(kept) >= acknowledged
    assert len({action.action_id for action in kept}) == len(kept)


def test_what_is_no_action_is_refused_and_the_rest_is_kept(file: Path) -> None:
    cases: list[tuple[Any, str]] = [
        (None, "only an AgentAction can be recorded, not null"),
        (AgentAction(*([], *ACTION[1:])), r"the agent_id of an action is a text, not \[\]"),  # type: ignore[arg-type]  # bad
    ]
    with open_store(file) as store, StoredActions(store) as actions:
        actions.record(ACTION)
        for bad, says in cases:
            with pytest.raises(InputError, match=says):
                actions.record(bad)
        with pytest.raises(
            InputError, match=r"agent_id is the name of an agent, or None for all of them, not \[\]"
        ):
            actions.of([])  # type: ignore[arg-type]  # bad on purpose

        assert actions.of() == [ACTION]
