"""The ledger of a run has every entry once, in order, with the line that wrote it, from all threads."""

from __future__ import annotations

import threading

from understudy.context import ExecutionContext, MemoryLog
from understudy.simulation.replay.ledger import RunLog, is_write, writes_of


def test_entries_of_all_contexts_are_kept_and_found_by_context() -> None:
    log = RunLog()
    parent = ExecutionContext.create("ann", "ingestion", log=log)
    child = parent.child()
    parent.record("first")
    child.record("second")
    parent.record("third")

    assert [(entry["operation"], entry["sequence"]) for entry in log.entries] == [
        ("first", 1),
        ("second", 2),
        ("third", 3),
    ]
    assert [entry["operation"] for entry in log.query(parent.context_id)] == ["first", "third"]


def test_security_events_are_kept_and_passed_on() -> None:
    kept = MemoryLog()
    log = RunLog(kept)
    context = ExecutionContext.create("ann", "ingestion", log=log)
    context.security_event("trust_claim", subject="ann", claimed="much", actual="little")

    assert [event["claimed"] for event in log.security_events(context.context_id)] == ["much"]
    assert [event["claimed"] for event in kept.security_events()] == ["much"]
    assert log.security_events("another") == []


def test_threads_lose_nothing() -> None:
    log = RunLog()
    context = ExecutionContext.create("ann", "ingestion", log=log)

    def write(name: int) -> None:
        for number in range(200):
            context.record("write", kind="write", target_ref=f"{name}-{number}")

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [entry["sequence"] for entry in log.entries] == list(range(1, 801))
    assert len({write.key for write in writes_of(log.entries)}) == 800


def test_only_effects_that_were_made_are_writes() -> None:
    def entry(**columns: str) -> dict[str, str]:
        return {"kind": "write", "operation": "upsert", **columns}

    assert is_write(entry())
    assert is_write(entry(status="ok"))
    assert not is_write(entry(status="suppressed"))
    assert not is_write(entry(status="error"))
    assert not is_write(entry(kind="read"))


def test_writes_are_numbered_and_say_where_they_were_made() -> None:
    log = RunLog()
    log.site = lambda: "feed.py:7"
    context = ExecutionContext.create("ann", "ingestion", log=log)
    context.record("list", kind="read")
    context.record("upsert", subject="feed", kind="write", target_ref="a")
    context.record("send", kind="write", details={"idempotent": False})

    first, second = writes_of(log.entries)

    assert str(first) == "write 1, feed.upsert(a) at feed.py:7"
    assert (second.step, second.name, second.is_once_only) == (2, "send()", True)
    assert "site" not in log.entries[0]


def test_entries_from_elsewhere_may_have_less_in_them() -> None:
    (write,) = writes_of([{"kind": "write"}])

    assert (write.step, write.name, write.content_hash) == (1, "write()", "")
