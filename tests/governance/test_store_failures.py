"""A store that fails: what nobody can be sure to be approved is not done, and no approval is lost by it."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from store.postgres_server import postgres_server
from understudy.governance import AgentGovernor, HITLGateway, ReviewItem, ReviewService, govern
from understudy.store import Store, StoreError, open_store
from understudy.store.errors import store_error

WHAT = ("triage-bot", "delete_stix", "indicator--1")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def hasty(file: Path) -> Iterator[Store]:
    """A store that does not wait for others."""
    with open_store(file, patience=0.01) as store:
        yield store


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Somebody else holds the store and does not let go."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def approved(gateway: HITLGateway) -> str:
    review_id = gateway.submit(*WHAT, "high").review_id
    service = gateway.review_service
    assert isinstance(service, ReviewService)
    service.approve(review_id, "ann")
    return review_id


def test_a_store_that_fails_between_approval_and_action_lets_nothing_pass(hasty: Store, file: Path) -> None:
    gateway = HITLGateway(ReviewService(hasty))
    review_id = approved(gateway)
    with locked(file), pytest.raises(StoreError, match="locked"):
        gateway.redeem(review_id, *WHAT)

    assert gateway.redeem(review_id, *WHAT).approved_by == "ann"
    assert not gateway.redeem(review_id, *WHAT)


def test_a_question_that_cannot_be_kept_is_an_error_on_record(hasty: Store, file: Path) -> None:
    governor = AgentGovernor()
    reviews = ReviewService(hasty)
    with locked(file), pytest.raises(StoreError, match="locked"):
        govern(governor, HITLGateway(reviews), "bot", "ingest", "semi_trusted", "feed", "high")

    assert reviews.list() == []
    ((status, reason),) = [(action.status, action.reason) for action in governor.get_action_log()]
    assert status == "rejected"
    assert reason.startswith("StoreError")


def test_a_decision_that_cannot_be_kept_is_none(hasty: Store, file: Path) -> None:
    reviews = ReviewService(hasty)
    gateway = HITLGateway(reviews)
    review_id = gateway.submit(*WHAT, "high").review_id
    attempts: list[Callable[[], object]] = [
        lambda: reviews.approve(review_id, "ann"),
        lambda: reviews.reject(review_id, "no", "ann"),
    ]
    with locked(file):
        for attempt in attempts:
            with pytest.raises(StoreError, match="locked"):
                attempt()

    assert gateway.decision(review_id).status == "pending"
    assert [event.event for event in reviews.trail(review_id)] == ["submitted"]


class Forgetful(ReviewService):
    """A review service whose answer is lost on its way, after it has done its work."""

    def redeem(self, review_id: str, binding: str, by: str) -> ReviewItem:
        super().redeem(review_id, binding, by)
        raise store_error("the connection was lost")


def test_an_approval_whose_use_was_not_confirmed_is_not_used_again(hasty: Store) -> None:
    gateway = HITLGateway(Forgetful(hasty))
    review_id = approved(gateway)
    with pytest.raises(StoreError, match="the connection was lost"):
        gateway.redeem(review_id, *WHAT)

    assert HITLGateway(ReviewService(hasty)).redeem(review_id, *WHAT).reason == "was used already"


def test_a_server_that_dies_between_approval_and_action_lets_nothing_pass() -> None:
    with postgres_server() as server, open_store(server.new_database(), patience=0.2) as store:
        gateway = HITLGateway(ReviewService(store))
        review_id = approved(gateway)
        server.stop(signal.SIGQUIT)
        with pytest.raises(StoreError):
            gateway.redeem(review_id, *WHAT)
        server.start()

        assert gateway.redeem(review_id, *WHAT).approved_by == "ann"
        assert not gateway.redeem(review_id, *WHAT)


DAMAGES: dict[str, str] = {
    "status = 'yes'": "",
    "payload = '{'": "",
    "expires_at = 'never'": "",
    "submitted_at = ''": "",
    "status = 'approved', reviewed_by = NULL": "was approved by nobody in particular",
    "status = 'approved', reviewed_by = submitter": "was approved by who submitted it",
    "status = 'approved', reviewed_by = 'x', binding = ''": "was approved for another agent",
    "status = 'used', reviewed_by = 'x'": "was used already",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_row_that_somebody_damaged_is_no_approval(hasty: Store, file: Path, damage: str) -> None:
    reviews = ReviewService(hasty)
    gateway = HITLGateway(reviews)
    review_id = approved(gateway)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"UPDATE reviews SET {damage}")
        connection.commit()
    if DAMAGES[damage]:
        decision = gateway.redeem(review_id, *WHAT)
        assert not decision
        assert DAMAGES[damage] in decision.reason
        return
    attempts: list[Callable[[], object]] = [
        lambda: gateway.redeem(review_id, *WHAT),
        lambda: reviews.approve(review_id, "bob"),
        lambda: reviews.list(),
    ]
    for attempt in attempts:
        with pytest.raises(
            StoreError, match=r"is damaged: .*\(bring the row back from a backup, or delete it"
        ):
            attempt()
