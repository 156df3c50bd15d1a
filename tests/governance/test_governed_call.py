"""One action through the whole of governance: one line on record, whatever comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from governance.simple_reviews import SimpleReviews
from understudy.core.clock import CountingIds, FixedClock
from understudy.core.errors import InputError
from understudy.governance import (
    AgentAction,
    AgentGovernor,
    AgentPermissionDenied,
    Decision,
    HITLGateway,
    RateLimitExceeded,
    ReviewService,
    govern,
    hash_arguments,
)


class Desk:
    """A governor and a gateway on one clock."""

    def __init__(self, reviews: Any = None, limit: int = 100) -> None:
        self.clock = FixedClock()
        self.reviews = reviews or ReviewService(clock=self.clock, new_id=CountingIds("review"))
        self.governor = AgentGovernor(limit, clock=self.clock, new_id=CountingIds("action"))
        self.gateway = HITLGateway(self.reviews, clock=self.clock, action_types=self.governor.action_types)

    def govern(self, action: str = "ingest", impact: str = "low", arguments: Any = None) -> Decision:
        return govern(
            self.governor,
            self.gateway,
            "bot",
            action,
            "semi_trusted",
            "feed-1",
            impact,
            arguments,
            context_id="c1",
        )

    @property
    def log(self) -> list[tuple[str, str]]:
        return [(action.status, action.reason) for action in self.governor.get_action_log()]


def test_what_may_be_done_is_approved_and_recorded_with_everything() -> None:
    desk = Desk()
    decision = desk.govern(arguments={"limit": 5})

    assert decision.approved_by == "policy"
    assert desk.governor.get_action_log() == [
        AgentAction(
            "bot",
            "ingest",
            "feed-1",
            "low",
            "semi_trusted",
            "approved",
            arguments_hash=hash_arguments({"limit": 5}),
            reviewed_by="policy",
            context_id="c1",
            recorded_at=desk.clock.now(),
            action_id="action-1",
        )
    ]


def test_what_waits_is_recorded_with_its_review() -> None:
    desk = Desk()
    decision = desk.govern(impact="critical")

    assert decision.status == "pending"
    (action,) = desk.governor.get_action_log()
    assert (action.status, action.review_id) == ("pending", decision.review_id)


def test_what_is_not_permitted_is_recorded_and_nobody_is_asked() -> None:
    desk = Desk()
    with pytest.raises(AgentPermissionDenied):
        desk.govern("export", "critical")

    assert [status for status, _ in desk.log] == ["denied"]
    assert desk.governor.get_action_log()[0].target_ref == "feed-1"
    assert desk.reviews.list() == []


def test_what_comes_too_often_is_recorded_and_nobody_is_asked() -> None:
    desk = Desk(limit=1)
    desk.govern()
    with pytest.raises(RateLimitExceeded):
        desk.govern(impact="high")

    assert [status for status, _ in desk.log] == ["approved", "rate_limited"]
    assert desk.reviews.list() == []


def test_what_is_denied_does_not_count_against_the_limit() -> None:
    desk = Desk(limit=1)
    for _ in range(3):
        with pytest.raises(AgentPermissionDenied):
            desk.govern("export")

    assert desk.govern()


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        ({"action": "ingets"}, "denied", "unknown action type"),
        ({"impact": "hihg"}, "rejected", "unknown impact level"),
        ({"impact": None}, "rejected", "unknown impact level"),
        ({"arguments": {"when": object()}}, "rejected", "a value of type object"),
    ],
)
def test_bad_input_is_refused_and_recorded(given: dict[str, Any], status: str, says: str) -> None:
    desk = Desk()
    with pytest.raises(InputError, match=says):
        desk.govern(**given)

    ((recorded, reason),) = desk.log
    assert recorded == status
    assert says in reason


def test_a_queue_that_cannot_be_written_stops_the_action_and_is_recorded() -> None:
    class Broken(SimpleReviews):
        def submit(self, *given: Any, **named: Any) -> Any:
            raise OSError("disk full")

    desk = Desk(Broken())
    with pytest.raises(OSError, match="disk full"):
        desk.govern(impact="high")

    assert desk.log == [("rejected", 'OSError: "disk full"')]


def test_a_queue_that_answers_nonsense_is_a_refusal_on_record() -> None:
    class Nonsense(SimpleReviews):
        def submit(self, *given: Any, **named: Any) -> Any:
            return "approved"

    desk = Desk(Nonsense())
    assert not desk.govern(impact="high")

    ((status, reason),) = desk.log
    assert (status, reason) == (
        "rejected",
        'the review service answered "approved", which is no entry in its queue',
    )


def test_an_action_type_that_only_the_governor_knows_says_how_to_share_it() -> None:
    governor = AgentGovernor()
    governor.register_action_type("refund_order", ["semi_trusted"])

    with pytest.raises(InputError, match=r"the gateway does not know .* action_types=governor\.action_types"):
        govern(governor, HITLGateway(), "bot", "refund_order", "semi_trusted")
    (action,) = governor.get_action_log()
    assert action.status == "rejected"
