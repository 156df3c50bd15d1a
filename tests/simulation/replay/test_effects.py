"""Side effects of a pipeline's own are made once for their key, and are in the log of the run."""

from __future__ import annotations

import shelve
import threading
from pathlib import Path
from typing import Any

import pytest

from understudy.context import ExecutionContext
from understudy.simulation.replay.effects import EffectConflict, SideEffects
from understudy.simulation.replay.runner import ReplayRunner


def test_an_effect_is_made_once_for_its_key_and_its_result_is_kept() -> None:
    made: list[str] = []
    effects = SideEffects()

    def send() -> str:
        made.append("sent")
        return f"receipt {len(made)}"

    assert [effects.perform("invoice-1", {"to": "ada"}, send) for _ in range(3)] == ["receipt 1"] * 3
    assert (made, effects.is_made("invoice-1"), effects.is_made("invoice-2")) == (["sent"], True, False)


def test_an_effect_without_a_key_is_made_every_time() -> None:
    made: list[str] = []
    effects = SideEffects()
    for _ in range(2):
        effects.perform(None, "hello", lambda: made.append("sent"))

    assert made == ["sent", "sent"]


def test_one_key_for_two_payloads_is_refused_and_nothing_is_made() -> None:
    made: list[str] = []
    effects = SideEffects(name="mail")
    effects.perform("a", {"n": 1}, lambda: made.append("first"))

    with pytest.raises(EffectConflict, match=r"mail: the effect 'a' was made before with another payload"):
        effects.perform("a", {"n": 2}, lambda: made.append("second"))
    assert made == ["first"]


def test_an_effect_that_raises_was_not_made(tmp_path: Path) -> None:
    effects = SideEffects()

    def fail() -> None:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        effects.perform("a", 1, fail)
    assert not effects.is_made("a")
    assert effects.perform("a", 1, lambda: "made") == "made"


def test_a_ledger_that_outlives_the_process_is_gone_on_with(tmp_path: Path) -> None:
    made: list[str] = []
    for _ in range(2):
        with shelve.open(str(tmp_path / "ledger")) as ledger:
            SideEffects(ledger).perform("a", 1, lambda: made.append("sent"))

    assert made == ["sent"]


def test_threads_that_want_the_same_effect_get_one() -> None:
    made: list[str] = []
    effects = SideEffects()
    threads = [
        threading.Thread(target=effects.perform, args=("a", 1, lambda: made.append("sent"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert made == ["sent"]


def test_a_replay_sees_what_was_made_and_what_was_suppressed() -> None:
    def pipeline(ctx: ExecutionContext, effects: SideEffects) -> list[dict[str, Any]]:
        effects.perform("invoice-1", {"to": "ada"}, lambda: None, operation="send")
        effects.perform(None, {"to": "bob"}, lambda: None, operation="send")
        return [{"id": "invoice-1"}]

    runner = ReplayRunner(pipeline, world=lambda: SideEffects(name="mail"), other_process=False)
    result = runner.replay([], runner.run_first(), check=False)
    (keyless,) = runner.replay(runner.last_execution_log, ["invoice-1"], check=False).writes

    assert [write.name for write in result.first.writes] == []
    assert [(entry["operation"], entry["status"]) for entry in result.again.log[:-1]] == [
        ("send", "suppressed"),
        ("send", "ok"),
    ]
    assert "mail.send() at " in str(keyless)
    assert "it has no key" in str(keyless)
