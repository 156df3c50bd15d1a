"""Two at once, in threads and in processes: one decision counts, an approval is used once, and the trail says all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from store.postgres_server import PostgresServer
from understudy.governance import HITLGateway, ReviewError, ReviewService, ReviewStatus
from understudy.store import Store, open_store

WHAT = ("triage-bot", "delete_stix", "indicator--1")
ROUNDS = 15
TESTS = Path(__file__).parents[1]


def at_once(*acts: Callable[[], object]) -> list[object]:
    """What several did that began together; a refusal is None."""
    barrier = threading.Barrier(len(acts))
    results: list[object] = [None] * len(acts)

    def run(number: int, act: Callable[[], object]) -> None:
        barrier.wait(30)
        try:
            results[number] = act()
        except ReviewError:
            results[number] = None

    threads = [threading.Thread(target=run, args=one) for one in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def test_of_an_approval_and_a_rejection_at_once_one_counts(store: Store | None) -> None:
    reviews = ReviewService(store)
    for _ in range(ROUNDS):
        item = reviews.submit("export", {}, "bot")
        approval, rejection = at_once(
            lambda item=item: reviews.approve(item.id, "ann"),  # type: ignore[misc]  # bound as it is now
            lambda item=item: reviews.reject(item.id, "no", "bob"),  # type: ignore[misc]
        )
        events = [event.event for event in reviews.trail(item.id)][1:]

        assert (approval is None) is (rejection is not None)
        assert reviews.get(item.id).status is (ReviewStatus.APPROVED if approval else ReviewStatus.REJECTED)
        assert events == (
            ["approved", "refused to reject"] if approval else ["rejected", "refused to approve"]
        )


def test_of_two_approvals_at_once_one_counts(store: Store | None) -> None:
    reviews = ReviewService(store)
    for _ in range(ROUNDS):
        item = reviews.submit("export", {}, "bot")
        results = at_once(
            lambda item=item: reviews.approve(item.id, "ann", "mine"),  # type: ignore[misc]
            lambda item=item: reviews.approve(item.id, "bob", "his"),  # type: ignore[misc]
        )
        (counted,) = [result for result in results if result is not None]

        assert reviews.get(item.id) == counted
        assert [event.event for event in reviews.trail(item.id)] == [
            "submitted",
            "approved",
            "refused to approve",
        ]


def test_of_many_that_use_an_approval_at_once_one_may(store: Store | None) -> None:
    reviews = ReviewService(store)
    gateway = HITLGateway(reviews)
    for _ in range(5):
        review_id = gateway.submit(*WHAT, "high").review_id
        reviews.approve(review_id, "ann")
        decisions = at_once(*[lambda one=review_id: gateway.redeem(one, *WHAT)] * 6)

        assert Counter(map(bool, decisions)) == {True: 1, False: 5}
        assert [event.event for event in reviews.trail(review_id)].count("used") == 1


@pytest.mark.parametrize("place", ["sqlite", "postgresql"])
def test_processes_decide_and_use_every_review_once(
    place: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    where = str(tmp_path / "store.sqlite")
    if place == "postgresql":
        server: PostgresServer = request.getfixturevalue("server")
        where = server.new_database()
    with open_store(where) as store:
        reviews = ReviewService(store)
        gateway = HITLGateway(reviews)
        asked = {gateway.submit(*WHAT, "high").review_id for _ in range(40)}

        by_ann, by_bob = _in_processes(where, ("approve", "ann"), ("approve", "bob"))
        assert sorted(by_ann + by_bob) == sorted(asked)
        for item in reviews.list("approved"):
            assert item.id in (by_ann if item.reviewed_by == "ann" else by_bob)

        first, second, none = _in_processes(where, ("redeem", "one"), ("redeem", "two"), ("approve", "cid"))
        assert sorted(first + second) == sorted(asked)
        assert none == []
        assert len(reviews.list("used")) == 40
        trails = [Counter(event.event for event in reviews.trail(one)) for one in asked]
        assert all((trail["approved"], trail["used"]) == (1, 1) for trail in trails)


def _in_processes(where: str, *roles: tuple[str, str]) -> list[list[str]]:
    """What each of several processes succeeded with that began together."""
    running = [
        subprocess.Popen(
            [sys.executable, str(TESTS / "governance" / "reviewer_process.py"), where, *role],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(TESTS.parent / "src")},
        )
        for role in roles
    ]
    try:
        for process in running:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        said = [process.communicate(timeout=120)[0].split() for process in running]
    finally:
        for process in running:
            process.kill()
            process.wait()
    assert [process.returncode for process in running] == [0] * len(running)
    return said
