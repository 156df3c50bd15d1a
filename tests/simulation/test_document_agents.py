"""Every code example about agents in the founding document runs as it stands there, but for its import lines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from understudy.governance import AgentActionType, ReviewItem, ReviewStatus
from understudy.simulation import AgentTestHarness


def test_an_action_goes_through_the_full_governance_stack() -> None:
    harness = AgentTestHarness(trust_level="semi_trusted")

    # Run an action through the full governance stack
    result = harness.run_action(
        agent_id="test-agent",
        action_type=AgentActionType.write_stix,
        target_ref="indicator--abc123",
        impact_level="high",
    )

    assert result["status"] == "approved"
    assert result["approved_by"] == "mock-reviewer"

    # Inspect all actions recorded during the test
    shown = []
    for action in harness.recorded_actions:
        shown.append((action.agent_id, action.action_type, action.status))
    assert shown == [("test-agent", "write_stix", "approved")]

    # Assert specific governance outcomes
    harness.assert_action_recorded(
        action_type=AgentActionType.write_stix,
        status="approved",
    )
    harness.assert_no_permission_denied()
    harness.assert_rate_limit_not_exceeded()


def test_a_policy_override_grants_what_is_normally_blocked() -> None:
    harness = AgentTestHarness(trust_level="untrusted_external")

    # Grant a normally-blocked action for this test
    harness.set_policy_override(
        agent_id="test-agent",
        action_type=AgentActionType.export,
        allowed=True,
    )

    result = harness.run_action(
        agent_id="test-agent",
        action_type=AgentActionType.export,
        target_ref="bundle--xyz",
        impact_level="medium",
    )
    assert result["status"] == "approved"


class _MockReviewService:
    """Auto-approves all submitted review items for use in tests."""

    def submit(
        self, item_type: str, payload: Mapping[str, Any], submitter: str, priority: str = "normal"
    ) -> ReviewItem:
        item_id = str(uuid4())
        return ReviewItem(
            id=item_id,
            item_type=item_type,
            payload=payload,
            submitter=submitter,
            status=ReviewStatus.APPROVED,
            submitted_at=datetime.utcnow(),
            reviewed_by="mock-reviewer",
            reviewed_at=datetime.utcnow(),
        )

    def get(self, review_id: str) -> ReviewItem:
        return ReviewItem(status=ReviewStatus.APPROVED)

    def reject(self, review_id: str, reason: str, reviewer: str) -> None:
        pass  # no-op in mock


class _RejectingReviewService(_MockReviewService):
    """What the trade-offs ask of a test of the rejection path: a service of its own."""

    def get(self, review_id: str) -> ReviewItem:
        return ReviewItem(status=ReviewStatus.REJECTED, reviewed_by="ann", reason="too much")

    def submit(
        self, item_type: str, payload: Mapping[str, Any], submitter: str, priority: str = "normal"
    ) -> ReviewItem:
        return ReviewItem(id=str(uuid4()), submitter=submitter, status=ReviewStatus.PENDING)


class _RejectingHarness(AgentTestHarness):
    def make_review_service(self) -> _RejectingReviewService:
        return _RejectingReviewService()


@pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow:DeprecationWarning")  # since Python 3.12
def test_the_documents_own_review_service_can_be_supplied() -> None:
    harness = AgentTestHarness(trust_level="semi_trusted", review_service=_MockReviewService())

    result = harness.run_action("test-agent", AgentActionType.write_stix, "indicator--abc123", "high")

    assert (result["status"], result["approved_by"]) == ("approved", "mock-reviewer")


def test_a_subclass_supplies_a_review_service_for_the_rejection_path() -> None:
    harness = _RejectingHarness(trust_level="semi_trusted")

    result = harness.run_action("test-agent", AgentActionType.write_stix, "indicator--abc123", "high")

    assert (result["status"], result["reason"]) == ("rejected", "was rejected by ann: too much")
    harness.assert_action_recorded(AgentActionType.write_stix, status="rejected")


def test_the_deferred_rejection_path_helper_rejects_one_action_type() -> None:
    harness = AgentTestHarness(trust_level="semi_trusted")
    harness.set_auto_reject(AgentActionType.write_stix)

    written = harness.run_action("test-agent", AgentActionType.write_stix, "indicator--abc123", "high")
    ingested = harness.run_action("test-agent", AgentActionType.ingest, "feed--1", "high")

    assert (written["status"], ingested["status"]) == ("rejected", "approved")
