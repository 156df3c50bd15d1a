"""How many steps one pipeline can log a second in SQLite, every one of them on disk when it is acknowledged.

The peer is the same rows committed one by one, which is what each of them would cost without batches. The bare
driver, which writes the same rows in the same transactions and does nothing else, is shown as the floor.
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
from statistics import median

from benchmarks.claims import Claim, report
from benchmarks.measuring import ratio, rounds, show
from understudy.context import ExecutionContext, MemoryLog, StoredLog
from understudy.store import open_store
from understudy.store.batches import MAX_ROWS

ROUNDS = 7
ROWS = 10_000
ROWS_ONE_BY_ONE = 300
OURS, ALONE, BARE = "batched log", "each row committed alone", "the bare driver, in batches"


def content(number: int) -> dict[str, object]:
    """Something to log of, as a pipeline has it."""
    return {
        "type": "indicator",
        "id": f"indicator--{number:08}",
        "pattern": "[domain-name:value = 'evil.example']",
    }


def record(context: ExecutionContext, count: int) -> None:
    """Log so many steps."""
    for number in range(count):
        context.record(
            "upsert_object",
            subject="feed",
            kind="write",
            target_ref=f"indicator--{number:08}",
            content=content(number),
            units=1,
        )


def batched(folder: Path) -> float:
    """Rows a second, from the first step to the last acknowledgement; all of them must then be there."""
    file = folder / "batched.sqlite"
    with open_store(file) as store:
        log = StoredLog(store)
        context = ExecutionContext.create("bench", "ingestion", log=log)
        began = time.perf_counter()
        record(context, ROWS)
        log.flush()
        took = time.perf_counter() - began
        # Another connection sees what is on disk, and not what we still hold.
        with closing(sqlite3.connect(file)) as other:
            query = "SELECT COUNT(DISTINCT target_ref) FROM execution_log WHERE context_id = ?"
            kept = other.execute(query, (context.context_id,)).fetchone()[0]
    if kept != ROWS:
        raise SystemExit(f"{ROWS - kept} rows were acknowledged and are lost")
    return remove(file, ROWS / took)


def alone(folder: Path) -> float:
    """Rows a second if each one is a transaction."""
    file = folder / "alone.sqlite"
    with open_store(file) as store:
        memory = MemoryLog()
        context = ExecutionContext.create("bench", "ingestion", log=memory)
        record(context, ROWS_ONE_BY_ONE)
        rows = [
            {name: value for name, value in entry.items() if name != "sequence"}
            for entry in memory.query(context.context_id)
        ]
        began = time.perf_counter()
        for row in rows:
            store.append(store.tables.execution_log, [row])
        took = time.perf_counter() - began
    return remove(file, ROWS_ONE_BY_ONE / took)


def bare(folder: Path) -> float:
    """Rows a second of the driver alone: no context, no hashes, no threads."""
    file = folder / "bare.sqlite"
    open_store(file).close()
    memory = MemoryLog()
    context = ExecutionContext.create("bench", "ingestion", log=memory)
    record(context, ROWS)
    rows = [{**entry, "details": "{}"} for entry in memory.query(context.context_id)]
    statement = f"INSERT INTO execution_log ({', '.join(rows[0])}) VALUES ({', '.join(f':{name}' for name in rows[0])})"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        began = time.perf_counter()
        for first in range(0, ROWS, MAX_ROWS):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(statement, rows[first : first + MAX_ROWS])
            connection.execute("COMMIT")
        took = time.perf_counter() - began
    return remove(file, ROWS / took)


def remove(file: Path, result: float) -> float:
    """Leave nothing for the next round, which has to make its own."""
    for each in file.parent.glob(f"{file.name}*"):
        each.unlink()
    return result


def main() -> int:
    """Measure, show, and judge the claims."""
    with tempfile.TemporaryDirectory() as name:
        ways: dict[str, Callable[[Path], float]] = {OURS: batched, ALONE: alone, BARE: bare}
        contenders = {each: partial(way, Path(name)) for each, way in ways.items()}
        measures = rounds(contenders, ROUNDS)
    show(f"Rows a second into SQLite, synced ({ROWS:,} rows)", measures, "rows/s")
    return report(
        Claim("execution log, rows a second from one writer", median(measures[OURS]), at_least=5_000),
        Claim("execution log, batched by one by one", ratio(measures, OURS, ALONE), at_least=10),
    )


if __name__ == "__main__":
    sys.exit(main())
