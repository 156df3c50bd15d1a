"""Every log keeps what it was given, in order, apart by context, and gives out copies."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from understudy.context import ExecutionContext, ExecutionLog, MemoryLog, StoredLog
from understudy.core.portable import portable_text
from understudy.store import StoreError, open_store
from unmeasured import unmeasured

MakeContext = Callable[..., ExecutionContext]


@pytest.fixture
def context(log: ExecutionLog) -> ExecutionContext:
    return ExecutionContext.create("ann", "ingestion", log=log)


def test_steps_come_back_in_order_with_all_that_was_recorded(context: ExecutionContext) -> None:
    entries = [
        context.record(
            f"step {number}",
            subject="feed",
            kind="write",
            target_ref=f"indicator--{number}",
            content={"n": number},
            units=number,
            status="error" if number == 3 else "ok",
            details={"number": number, "list": [None, True, 1.5, "é"]},
        )
        for number in range(5)
    ]
    found = context.log.query(context.context_id)
    assert [{**each, "sequence": 0} for each in found] == [{**each, "sequence": 0} for each in entries]
    numbers = [each["sequence"] for each in found]
    assert numbers == sorted(set(numbers))


def test_contexts_do_not_see_each_others_steps(context: ExecutionContext) -> None:
    child = context.child()
    context.record("of the parent")
    child.record("of the child")
    assert [each["operation"] for each in context.log.query(context.context_id)] == ["of the parent"]
    assert [each["operation"] for each in context.log.query(child.context_id)] == ["of the child"]
    assert context.log.query("nobody's") == []


def test_security_events_are_found_by_context_and_all_together(context: ExecutionContext) -> None:
    other = context.child()
    event = context.security_event("odd", subject="feed", claimed="a", actual="b", details={"n": 1})
    other.security_event("odder", subject="feed", claimed="a", actual="b")
    (found,) = context.log.security_events(context.context_id)
    assert {**found, "sequence": 0} == {**event, "sequence": 0}
    assert [each["kind"] for each in context.log.security_events()] == ["odd", "odder"]


def test_what_is_given_out_is_a_copy(context: ExecutionContext) -> None:
    context.record("step", details={"list": [1]})
    (found,) = context.log.query(context.context_id)
    found["details"]["list"].append(2)
    found["operation"] = "changed"
    (again,) = context.log.query(context.context_id)
    assert (again["operation"], again["details"]) == ("step", {"list": [1]})


def test_what_is_recorded_does_not_change_when_its_source_does(context: ExecutionContext) -> None:
    details: dict[str, Any] = {"list": [1]}
    context.record("step", details=details)
    details["list"].append(2)
    (found,) = context.log.query(context.context_id)
    assert found["details"] == {"list": [1]}


@pytest.mark.parametrize("text", ["\0", "\ud800", "'); DROP TABLE execution_log; --", "x" * 5000], ids=repr)
def test_hostile_text_is_recorded(context: ExecutionContext, text: str) -> None:
    child = context.child(initiated_by=text)
    child.record(text, target_ref=text, details={text: text})
    (found,) = context.log.query(child.context_id)
    assert portable_text(found["operation"]) == portable_text(text)
    assert found["details"] == {text: text}


def test_threads_share_a_log(context: ExecutionContext) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: context.record(str(number)), range(200)))
    found = [each["operation"] for each in context.log.query(context.context_id)]
    assert sorted(found, key=int) == [str(number) for number in range(200)]


def test_a_stored_log_outlives_its_process(tmp_path: Path) -> None:
    file = tmp_path / "log.sqlite"
    with open_store(file) as store:
        context = ExecutionContext.create("ann", "x", log=StoredLog(store))
        context.record("step")
    with open_store(file) as store, StoredLog(store) as log:
        assert [each["operation"] for each in log.query(context.context_id)] == ["step"]


def test_a_closed_log_takes_nothing_more(tmp_path: Path) -> None:
    with open_store(tmp_path / "log.sqlite") as store:
        with StoredLog(store) as log:
            context = ExecutionContext.create("ann", "x", log=log)
            context.record("step")
        with pytest.raises(StoreError, match="the batch writer is closed"):
            context.record("another")
        assert len(StoredLog(store).query(context.context_id)) == 1


def test_secrets_in_details_are_not_written(tmp_path: Path) -> None:
    file = tmp_path / "log.sqlite"
    with open_store(file) as store:
        context = ExecutionContext.create("ann", "x", log=StoredLog(store))
        details = {
            "headers": {"Authorization": "Bearer abcdef0123456789"},
            "password": "hunter2hunter2",
            "n": 1,
        }
        context.record("call", details=details)
        context.security_event("odd", subject="feed", claimed="a", actual="b", details=details)
        found = context.log.query(context.context_id) + context.log.security_events()
    assert [set(each["details"]) for each in found] == [{"headers", "password", "n"}] * 2
    assert found[0]["details"]["n"] == 1
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"hunter2" not in kept
    assert b"abcdef0123456789" not in kept


CAUGHT = """
import os, signal, sys
from understudy.context import ExecutionContext, StoredLog
from understudy.store import open_store
context = ExecutionContext.create("stranger", "x", trust_level="untrusted_external",
                                  log=StoredLog(open_store(sys.argv[1])))
context.child(trust_level="trusted_internal")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_security_event_is_kept_even_if_its_cause_kills_us_next(tmp_path: Path) -> None:
    file = tmp_path / "log.sqlite"
    done = subprocess.run([sys.executable, "-c", CAUGHT, str(file)], env=unmeasured())
    assert done.returncode == -signal.SIGKILL
    with open_store(file) as store:
        (event,) = StoredLog(store).security_events()
    assert (event["kind"], event["subject"], event["claimed"]) == (
        "trust_claim",
        "stranger",
        "trusted_internal",
    )


def test_a_log_in_memory_numbers_what_it_keeps() -> None:
    log = MemoryLog()
    for name in "ab":
        log.append({"context_id": name, "operation": "x"})
    assert [log.query(name)[0]["sequence"] for name in "ab"] == [1, 2]
