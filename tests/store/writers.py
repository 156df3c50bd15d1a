"""Processes that write to a store, and say on standard output what was acknowledged."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

from understudy.core.outcome import Outcome, Status
from understudy.core.report import Report, Summary
from understudy.store import BatchWriter, Retention, open_store
from understudy.store.reach import reached
from understudy.store.runs import keep_run
from unmeasured import unmeasured


def entry(**columns: Any) -> dict[str, Any]:
    """A row of the execution log."""
    return {"context_id": "c", "operation": "list", "recorded_at": "2026-01-01T00:00:00", **columns}


def start(how: str, place: str, name: str) -> subprocess.Popen[str]:
    """A process that writes in one of the ways below."""
    environment = unmeasured(PYTHONPATH=":".join(path for path in sys.path if path))
    command = [sys.executable, "-m", "store.writers", how, place, name]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def some(place: str, name: str) -> None:
    """Write 300 rows in batches, and one by one 20 more."""
    with open_store(place, patience=60) as store:
        table = store.tables.execution_log
        with BatchWriter(store, table, max_rows=50) as writer:
            for number in range(300):
                writer.add(entry(operation=f"{name}/{number}"))
        for number in range(300, 320):
            store.append(table, [entry(operation=f"{name}/{number}")])


def endlessly(place: str, name: str) -> None:
    """Write until somebody ends this; name every row as soon as it is acknowledged."""
    with open_store(place, patience=60) as store, BatchWriter(store, store.tables.execution_log) as writer:
        number = 0
        while True:
            tickets = {}
            for _ in range(40):
                tickets[number] = writer.add(entry(operation=f"{name}/{number}"))
                number += 1
            for each, ticket in tickets.items():
                ticket.wait()
                print(f"{name}/{each}", flush=True)


def without_closing(place: str, name: str) -> None:
    """Write a few rows and end, as a program does that forgets to close."""
    writer = BatchWriter(store := open_store(place), store.tables.execution_log, max_delay=60)
    for number in range(10):
        writer.add(entry(operation=f"{name}/{number}"))


def runs(place: str, name: str) -> None:
    """Keep one run of 2,000 outcomes after the other; say so as soon as each is kept."""
    outcomes = [Outcome(f"{name}::{number}", name, str(number), Status.PASSED) for number in range(2000)]
    began = datetime(2026, 1, 1, tzinfo=UTC)
    with reached(place, patience=60) as store:
        while True:
            began += timedelta(seconds=1)
            report = Report(Summary(total=2000, passed=2000), outcomes, started_at=began.isoformat())
            print(keep_run(store, report, name, retention=Retention(runs=5)), flush=True)


WAYS = {"some": some, "endlessly": endlessly, "without_closing": without_closing, "runs": runs}

if __name__ == "__main__":
    WAYS[sys.argv[1]](*sys.argv[2:])
