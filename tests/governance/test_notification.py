"""Of critical actions somebody is told at once, and however that fails, the question is in the queue."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from governance.simple_reviews import SimpleReviews
from understudy.core.clock import CountingIds
from understudy.core.errors import InputError
from understudy.governance import HITLGateway, ReviewItem, ReviewService
from understudy.governance.notification import MOST_AT_ONCE

WHAT = ("triage-bot", "delete_stix", "indicator--1")


class Phone:
    """A notifier that does as it is told."""

    def __init__(self) -> None:
        self.rung: list[ReviewItem] = []
        self.hangs = False
        self.raises: BaseException | None = None
        self.picked_up = threading.Event()

    def __call__(self, item: ReviewItem) -> None:
        self.rung.append(item)
        if self.raises is not None:
            raise self.raises
        if self.hangs:
            self.picked_up.wait()


@pytest.fixture
def phone() -> Iterator[Phone]:
    phone = Phone()
    yield phone
    phone.picked_up.set()


@pytest.fixture
def service() -> ReviewService:
    return ReviewService(new_id=CountingIds("review"))


def notes(service: ReviewService, review_id: str) -> list[tuple[str, str, str]]:
    return [(event.event, event.actor, event.reason) for event in service.trail(review_id)][1:]


@pytest.mark.parametrize("fails", [False, True])
def test_an_async_notifier_is_awaited(service: ReviewService, fails: bool) -> None:
    rung = []

    async def phone(item: ReviewItem) -> None:
        rung.append(item.id)
        if fails:
            raise OSError("no line")

    gateway = HITLGateway(service, phone)
    review_id = gateway.submit(*WHAT, "critical").review_id

    assert gateway.settle()
    assert rung == [review_id]
    told = ("not notified", "gateway", 'the notifier raised OSError: "no line"')
    assert notes(service, review_id) == [told if fails else ("notified", "gateway", "")]


def test_a_notifier_that_cannot_be_called_is_refused_at_once(service: ReviewService) -> None:
    with pytest.raises(
        InputError, match=r'"ann@example\.com" cannot be called, which the notifier has to be'
    ):
        HITLGateway(service, "ann@example.com")  # type: ignore[arg-type]  # bad on purpose


def test_somebody_is_told_of_a_critical_action(service: ReviewService, phone: Phone) -> None:
    gateway = HITLGateway(service, notifier=phone)
    decision = gateway.submit(*WHAT, "critical")

    assert gateway.settle()
    assert [item.id for item in phone.rung] == [decision.review_id]
    assert notes(service, decision.review_id) == [("notified", "gateway", "")]


@pytest.mark.parametrize("impact", ["low", "medium", "high"])
def test_nobody_is_told_of_anything_less(service: ReviewService, phone: Phone, impact: str) -> None:
    gateway = HITLGateway(service, notifier=phone)
    gateway.submit(*WHAT, impact)

    assert gateway.settle()
    assert phone.rung == []


@pytest.mark.parametrize(
    "error", [ValueError("no such number"), SystemExit(1), KeyboardInterrupt(), GeneratorExit()]
)
def test_a_notifier_that_fails_leaves_the_question_in_the_queue(
    service: ReviewService, phone: Phone, error: BaseException
) -> None:
    phone.raises = error
    gateway = HITLGateway(service, notifier=phone)
    decision = gateway.submit(*WHAT, "critical")

    assert decision.status == "pending"
    assert gateway.settle()
    assert [item.id for item in service.list("pending")] == [decision.review_id]
    ((event, _, reason),) = notes(service, decision.review_id)
    assert event == "not notified"
    assert f"the notifier raised {type(error).__name__}" in reason


def test_a_notifier_that_hangs_is_told_of_and_in_nobodys_way(service: ReviewService, phone: Phone) -> None:
    phone.hangs = True
    gateway = HITLGateway(service, notifier=phone, notifier_patience=0.01)
    decision = gateway.submit(*WHAT, "critical")
    service.approve(decision.review_id, "ann")

    assert gateway.settle()
    assert gateway.redeem(decision.review_id, *WHAT)
    assert (
        "not notified",
        "gateway",
        "the notifier has not ended within 0.01 seconds",
    ) in notes(service, decision.review_id)


def test_notifiers_that_hang_are_bounded_in_number_and_every_question_is_kept(
    service: ReviewService, phone: Phone
) -> None:
    phone.hangs = True
    gateway = HITLGateway(service, notifier=phone, notifier_patience=0.01)
    asked = [gateway.submit(*WHAT, "critical").review_id for _ in range(MOST_AT_ONCE + 2)]
    assert gateway.settle()

    assert len(phone.rung) == MOST_AT_ONCE
    assert len(service.list("pending")) == len(asked)
    for review_id in asked[MOST_AT_ONCE:]:
        assert notes(service, review_id) == [
            ("not notified", "gateway", f"{MOST_AT_ONCE} notifications still run")
        ]


def test_once_notifiers_have_ended_others_are_told_again(service: ReviewService, phone: Phone) -> None:
    gateway = HITLGateway(service, notifier=phone)
    for _ in range(MOST_AT_ONCE + 2):
        gateway.submit(*WHAT, "critical")
        assert gateway.settle()

    assert len(phone.rung) == MOST_AT_ONCE + 2


def test_settling_says_that_it_takes_longer(service: ReviewService, phone: Phone) -> None:
    phone.hangs = True
    gateway = HITLGateway(service, notifier=phone)
    gateway.submit(*WHAT, "critical")

    assert not gateway.settle(0.01)
    phone.picked_up.set()
    assert gateway.settle()


def test_a_trail_that_cannot_be_written_is_in_nobodys_way(phone: Phone) -> None:
    class Torn(ReviewService):
        def note(self, review_id: str, event: str, actor: str, reason: str = "") -> None:
            raise OSError("disk full")

    service = Torn()
    gateway = HITLGateway(service, notifier=phone)
    decision = gateway.submit(*WHAT, "critical")

    assert gateway.settle()
    assert [item.id for item in service.list("pending")] == [decision.review_id]


def test_a_service_without_a_trail_has_its_notifier_called_too(phone: Phone) -> None:
    gateway = HITLGateway(SimpleReviews(), notifier=phone)
    gateway.submit(*WHAT, "critical")

    assert gateway.settle()
    assert [item.id for item in phone.rung] == ["review-1"]


def test_a_notifier_that_changes_what_it_was_given_changes_no_question(service: ReviewService) -> None:
    def meddling(item: ReviewItem) -> Any:
        payload: Any = item.payload
        payload["target_ref"] = "somebody-elses"

    gateway = HITLGateway(service, notifier=meddling)
    decision = gateway.submit(*WHAT, "critical")

    assert gateway.settle()
    assert service.get(decision.review_id).payload["target_ref"] == "indicator--1"


def test_without_threads_it_says_that_nobody_was_told(
    service: ReviewService, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    gateway = HITLGateway(service, notifier=phone)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        asked = [gateway.submit(*WHAT, "critical").review_id for _ in range(MOST_AT_ONCE + 1)]

    assert {notes(service, one)[0][::2] for one in asked} == {("not notified", "can't start new thread")}
    gateway.submit(*WHAT, "critical")
    assert gateway.settle()
    assert len(phone.rung) == 1
