"""Ten thousand pending reviews: each is found, decided and expired as if it were the only one."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.core.clock import CountingIds, FixedClock
from understudy.governance import HITLGateway, ReviewItem, ReviewService, ReviewStatus
from understudy.store import open_store

MANY = 10_000
WHAT = ("triage-bot", "delete_stix", "indicator--1")


def test_ten_thousand_wait_and_each_is_decided_for_itself() -> None:
    clock = FixedClock()
    reviews = ReviewService(clock=clock, new_id=CountingIds("review"))
    gateway = HITLGateway(reviews, clock=clock)
    asked = [gateway.submit(*WHAT, "high", {"number": number}).review_id for number in range(MANY)]

    reviews.approve(asked[7_777], "ann")
    assert not gateway.redeem(asked[7_777], *WHAT, {"number": 7_776})
    assert not gateway.redeem(asked[7_776], *WHAT, {"number": 7_777})
    assert gateway.redeem(asked[7_777], *WHAT, {"number": 7_777})
    assert len(reviews.list("pending")) == MANY - 1
    clock.advance(3600)
    assert reviews.list("pending") == []
    assert reviews.expire() == MANY - 1
    assert reviews.expire() == 0


def test_ten_thousand_in_a_store_are_paged_through_and_expired(tmp_path: Path) -> None:
    clock = FixedClock()
    with open_store(tmp_path / "store.sqlite") as store:
        reviews = ReviewService(store, clock=clock)
        with store.write() as connection:
            connection.exec_driver_sql(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
                "INSERT INTO reviews (id, item_type, payload, submitter, priority, submitted_at, expires_at, binding,"
                " status, reason, version) SELECT printf('review-%05d', i), 'export', '{}', 'bot', 'normal',"
                " '2026-01-01T00:00:00.000000+00:00', '2026-01-01T01:00:00.000000+00:00', 'b1', 'pending', '', 0"
                " FROM n",
                (MANY,),
            )
        seen: list[ReviewItem] = []
        while page := reviews.list("pending", limit=1_000, after=seen[-1] if seen else None):
            seen += page
        assert [item.id for item in seen] == [f"review-{number:05}" for number in range(1, MANY + 1)]

        reviews.approve("review-05000", "ann")
        clock.advance(3600)
        assert reviews.list("pending") == []
        assert reviews.expire() == MANY - 1
        assert len(reviews.list("expired")) == MANY - 1
        assert reviews.get("review-05000").status is ReviewStatus.APPROVED
        assert [event.event for event in reviews.trail("review-10000")] == ["expired"]


def test_a_store_finds_a_review_without_reading_the_others(tmp_path: Path) -> None:
    with open_store(tmp_path / "store.sqlite") as store, store.read() as connection:
        for query in (
            "SELECT * FROM reviews WHERE id = 'x'",
            "SELECT * FROM review_events WHERE review_id = 'x' ORDER BY sequence",
        ):
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all()
            assert "SEARCH" in str(plan), plan
            assert "SCAN" not in str(plan), plan


@pytest.mark.parametrize("limit", [0, 1, MANY])
def test_a_page_holds_what_was_asked_for(limit: int) -> None:
    reviews = ReviewService(new_id=CountingIds("review"))
    for _ in range(3):
        reviews.submit("export", {}, "bot")

    assert len(reviews.list(limit=limit)) == min(limit, 3)
