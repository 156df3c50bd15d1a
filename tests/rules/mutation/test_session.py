"""Mutants are tried once, in a stable order, and a run goes on where another one ended."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rules.mutation.small_folder import ENDLESS, LOOPS, RULE, TESTS
from understudy.rules.mutation.bench import Verdict
from understudy.rules.mutation.ledger import FILE, Ledger
from understudy.rules.mutation.score import total
from understudy.rules.mutation.session import MutationSession, Wanted
from understudy.rules.settings import RulesSettings


class Sessions:
    """Runs one session after the other over the same folder, each as a process of its own would."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tried = 0

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.root / name.replace("_", ".")).write_text(text, "utf-8")

    def run(self, *, stop_after: int = 0, fresh: bool = False, **wanted: Any) -> MutationSession:
        settings = RulesSettings(dirs=["."], test_timeout=1)
        self.tried = 0

        tasks: list[asyncio.Future[None]] = []

        def progress(done: int, _: int) -> None:
            self.tried = done
            if done == stop_after:
                tasks[0].cancel()

        session = MutationSession(
            self.root, settings, Wanted(**wanted), Ledger(self.root, is_fresh=fresh), progress
        )

        async def work() -> None:
            tasks.append(asyncio.ensure_future(session.run()))
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run(work())
        return session


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    sessions = Sessions(tmp_path)
    sessions.write(small_yaml=RULE, small_star=TESTS)
    return sessions


def results(session: MutationSession) -> dict[str, str]:
    """What each mutant is, and what came of it."""
    return {
        f"{tried.mutant.kind} {tried.mutant.before} -> {tried.mutant.after}": tried.verdict.result
        if tried.verdict
        else "left"
        for rule in session.rules
        for tried in rule.mutants
    }


def test_every_mutant_is_noticed_by_a_test_or_survives(sessions: Sessions) -> None:
    session = sessions.run()
    assert session.problems == []
    found = results(session)
    assert {name for name, result in found.items() if result == "survived"} == {
        "statement not input.ingested.archived -> ",
    }
    assert found["negate not input.ingested.archived -> input.ingested.archived"] == "noticed"
    assert found["schema-default 3 -> 4"] == "noticed"
    assert total(session.rules).percent == pytest.approx(100 * (len(found) - 1) / len(found), abs=0.1)
    (survivor,) = [
        tried.mutant
        for tried in session.rules[0].mutants
        if tried.verdict and tried.verdict.result == "survived"
    ]
    assert (survivor.line, survivor.column) == (18, 11)
    assert survivor.diff == "-  not input.ingested.archived\n+  true"


def test_what_is_known_is_not_tried_again_until_something_changes(sessions: Sessions) -> None:
    first = sessions.run()
    assert sessions.tried == len(results(first)) > 5
    second = sessions.run()
    assert (sessions.tried, results(second)) == (0, results(first))
    assert sessions.run(fresh=True).rules[0].plan.key == first.rules[0].plan.key
    assert sessions.tried == len(results(first))
    sessions.write(small_star=TESTS + '    check.eq(status(count = 1, archived = True), "fail")\n')
    third = sessions.run()
    assert sessions.tried == len(results(first))
    assert set(results(third).values()) == {"noticed"}


def test_a_run_that_is_stopped_keeps_what_it_found_and_the_next_goes_on(sessions: Sessions) -> None:
    stopped = sessions.run(stop_after=3, workers=1)
    assert Counter(results(stopped).values())["left"] == len(results(stopped)) - 3
    whole = sessions.run(workers=1)
    assert sessions.tried == len(results(whole)) - 3
    assert "left" not in results(whole).values()


def test_damage_to_what_is_known_is_begun_anew(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.add("key", Verdict("survived"))
    ledger.save()
    assert Ledger(tmp_path).find("key") == Verdict("survived")
    assert Ledger(tmp_path, is_fresh=True).find("key") is None
    file = tmp_path / FILE
    good = file.read_text()
    for text in ("", "{", "[]", '{"schema": "other"}', good.replace("survived", "perhaps"), "[" * 100_000):
        file.write_text(text)
        damaged = Ledger(tmp_path)
        assert damaged.find("key") is None
        damaged.add("other", Verdict("noticed", "a.star::test_a", "failed"))
        damaged.save()
        assert Ledger(tmp_path).find("other") == Verdict("noticed", "a.star::test_a", "failed")


def test_a_mutant_that_makes_the_tests_endless_is_told_apart(sessions: Sessions) -> None:
    sessions.write(small_yaml=LOOPS, small_star=ENDLESS)
    mutant = "statement input.ingested.small -> "
    listed = sessions.run(
        skip=("negate", "constant", "comparison", "default", "schema-default", "body", "message")
    )
    assert results(listed)[mutant] == "overdue"
    assert total(listed.rules).overdue >= 1


def test_tests_that_fail_without_any_change_prove_nothing(sessions: Sessions) -> None:
    sessions.write(small_star=TESTS.replace('"fail"', '"skip"'))
    (rule,) = sessions.run().rules
    assert rule.problem == "its tests fail without any change: small.star::test_few"
    assert sessions.tried == 0


def test_files_that_cannot_be_read_are_problems_and_the_others_are_tried(sessions: Sessions) -> None:
    sessions.write(
        bad_star="def test_it(:\n", other_yaml=RULE.replace("small", "[").replace("package", "pack")
    )
    session = sessions.run()
    assert sorted(problem.partition(":")[0] for problem in session.problems) == ["bad.star", "other.yaml"]
    assert sessions.tried > 5


def test_a_budget_that_is_too_small_to_look_at_the_tests_says_so(sessions: Sessions) -> None:
    session = sessions.run(budget=0.001)
    assert session.rules == []
    assert "the budget of 0.001 s was spent before every test was run once" in session.problems[0]
