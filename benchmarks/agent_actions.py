"""How many decisions a second a governor puts on record in SQLite by batching, with nothing lost that was acknowledged.

The floor is the same rows written by hand, in the same number of rows to a transaction, with the same promise: they are
on disk when the transaction has ended.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from benchmarks.claims import Claim, report
from benchmarks.measuring import rounds, show
from understudy.governance import AgentGovernor, StoredActions
from understudy.store import Store, open_store
from understudy.store.batches import MAX_ROWS

ROUNDS = 7
ACTIONS = 20_000
AGENT, ACTION, TRUST = "triage-bot", "enrich", "semi_trusted"
COLUMNS = "action_id, agent_id, action_type, trust_level, status, recorded_at"


def ours(folder: Path) -> float:
    """Decisions a second, from the first until the last is acknowledged."""
    file = _new(folder)
    with open_store(file) as store, StoredActions(store) as actions:
        governor = AgentGovernor(recorder=actions)
        began = time.perf_counter()
        for _ in range(ACTIONS):
            governor.can_act(AGENT, ACTION, TRUST)
        actions.flush()
        took = time.perf_counter() - began
        _check(file, {action.action_id for action in governor.get_action_log()})
    return ACTIONS / took


def by_hand(folder: Path) -> float:
    """Rows a second with nothing around them."""
    file = _new(folder)
    with open_store(file) as store:
        synchronous = _synchronous(store)
    moment = "2026-01-01T00:00:00.000000+00:00"
    rows = [(str(number), AGENT, ACTION, TRUST, "allowed", moment) for number in range(ACTIONS)]
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        began = time.perf_counter()
        for start in range(0, ACTIONS, MAX_ROWS):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                f"INSERT INTO agent_actions ({COLUMNS}, target_ref, impact_level, reason, arguments_hash, details) "
                "VALUES (?, ?, ?, ?, ?, ?, '', '', '', '', '{}')",
                rows[start : start + MAX_ROWS],
            )
            connection.execute("COMMIT")
        took = time.perf_counter() - began
    _check(file, {row[0] for row in rows})
    return ACTIONS / took


def _synchronous(store: Store) -> int:
    """How careful our own connections are, so that the floor promises as much."""
    with store.read() as connection:
        return int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())


def _new(folder: Path) -> Path:
    return folder / f"store-{len(list(folder.glob('*.sqlite')))}.sqlite"


def _check(file: Path, acknowledged: set[str]) -> None:
    """Nothing that was acknowledged is missing, as another connection sees it."""
    with closing(sqlite3.connect(file)) as connection:
        kept = {row[0] for row in connection.execute("SELECT action_id FROM agent_actions")}
    if kept != acknowledged or len(kept) != ACTIONS:
        raise SystemExit(f"{len(acknowledged - kept)} of {len(acknowledged)} actions were lost")


def main() -> int:
    """Measure, show, and judge the claim."""
    with tempfile.TemporaryDirectory() as name:
        contenders: dict[str, Callable[[], float]] = {
            "governed and recorded": partial(ours, Path(name)),
            "rows by hand": partial(by_hand, Path(name)),
        }
        rates = rounds(contenders, ROUNDS)
    show(f"{ACTIONS:,} actions into SQLite, {MAX_ROWS} rows a transaction", rates, "/s")
    slowest = min(rates["governed and recorded"])
    return report(
        Claim("agent actions recorded in SQLite, slowest round", slowest, at_least=5_000, unit="/s")
    )


if __name__ == "__main__":
    sys.exit(main())
