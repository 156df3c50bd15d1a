"""Reviews are kept, decided once, in time, by somebody else, and all of it is on the trail: wherever they are kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from understudy.core.clock import FixedClock
from understudy.core.errors import InputError
from understudy.governance import ReviewError, ReviewItem, ReviewService, ReviewStatus, StoredActions
from understudy.store import Store, open_store

HOUR = timedelta(hours=1)
HOSTILE = {
    "NUL": "before\0after",
    "half a character": "a\ud800b",
    "escapes of a terminal": "\x1b[2K\x1b[31mapproved\x07",
    "turned direction": "gpj.\u202eexe",
    "HTML": "<script>alert(1)</script>&amp;",
    "SQL": "'); DROP TABLE reviews; --",
    "line breaks": "one\r\ntwo\u2028three",
    "beyond the plane": "\U0001f9ea\ufeff\ufffe",
}
Act = Callable[[ReviewService, str], object]
DECIDED: dict[str, tuple[Act, str]] = {
    "approved": (lambda reviews, one: reviews.approve(one, "ann"), "is approved by ann already"),
    "rejected": (lambda reviews, one: reviews.reject(one, "no", "ann"), "is rejected by ann already"),
    "used": (lambda reviews, one: approve_and_use(reviews, one), "is used by ann already"),
}


def asked(reviews: ReviewService, clock: FixedClock, **given: Any) -> ReviewItem:
    """A question that is open for an hour."""
    given = {"expires_at": clock.now() + HOUR, "binding": "b1", **given}
    return reviews.submit("agent_action", {"target_ref": "bundle--1"}, "triage-bot", "high", **given)


def approve_and_use(reviews: ReviewService, review_id: str) -> ReviewItem:
    reviews.approve(review_id, "ann")
    return reviews.redeem(review_id, "b1", "triage-bot")


def trail(reviews: ReviewService, review_id: str) -> list[tuple[str, str, str]]:
    return [(event.event, event.actor, event.reason) for event in reviews.trail(review_id)]


def test_what_was_submitted_is_read_back_as_it_was(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)

    assert reviews.get(item.id) == item
    assert item == ReviewItem(
        id="review-1",
        item_type="agent_action",
        payload={"target_ref": "bundle--1"},
        submitter="triage-bot",
        submitted_at=clock.now(),
        priority="high",
        expires_at=clock.now() + HOUR,
        binding="b1",
    )
    assert trail(reviews, item.id) == [("submitted", "triage-bot", "")]


def test_nobody_changes_what_a_reviewer_will_read(reviews: ReviewService) -> None:
    payload: dict[str, Any] = {"arguments": {"to": "ann"}, "ids": (1, 2)}
    item = reviews.submit("export", payload, "bot")
    payload["arguments"]["to"] = "mallory"
    for seen in (item, reviews.get(item.id), *reviews.list(), reviews.approve(item.id, "ann")):
        seen.payload["arguments"]["to"] = "mallory"

    assert reviews.get(item.id).payload == {"arguments": {"to": "ann"}, "ids": [1, 2]}


def test_an_approval_has_its_reviewer_reason_and_time(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)
    clock.advance(60)
    approved = reviews.approve(item.id, reviewer="ann", reason="known partner")

    assert reviews.get(item.id) == approved
    assert (approved.status, approved.reviewed_by, approved.reason) == (
        ReviewStatus.APPROVED,
        "ann",
        "known partner",
    )
    assert approved.reviewed_at == clock.now()
    assert trail(reviews, item.id)[1:] == [("approved", "ann", "known partner")]


def test_a_rejection_has_its_reviewer_and_reason(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)
    rejected = reviews.reject(item.id, "unknown partner", "ann")

    assert reviews.get(item.id) == rejected
    assert (rejected.status, rejected.reviewed_by, rejected.reason) == (
        ReviewStatus.REJECTED,
        "ann",
        "unknown partner",
    )
    assert trail(reviews, item.id)[1:] == [("rejected", "ann", "unknown partner")]


@pytest.mark.parametrize("state", DECIDED)
def test_what_is_decided_is_not_approved_again(reviews: ReviewService, clock: FixedClock, state: str) -> None:
    item = asked(reviews, clock)
    decide, why = DECIDED[state]
    decide(reviews, item.id)
    before = reviews.get(item.id)
    with pytest.raises(ReviewError, match=f"review 'review-1' {why}"):
        reviews.approve(item.id, "bob")

    assert reviews.get(item.id) == before
    assert trail(reviews, item.id)[-1] == ("refused to approve", "bob", why)


def test_what_is_rejected_is_not_rejected_again(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)
    reviews.reject(item.id, "no", "ann")
    with pytest.raises(ReviewError, match="is rejected by ann already"):
        reviews.reject(item.id, "no, no", "bob")

    assert reviews.get(item.id).reason == "no"


@pytest.mark.parametrize("name", ["triage-bot", "Triage-Bot", "TRIAGE-BOT"])
def test_nobody_approves_their_own_request(reviews: ReviewService, clock: FixedClock, name: str) -> None:
    item = asked(reviews, clock)
    with pytest.raises(ReviewError, match="cannot be approved by who submitted it"):
        reviews.approve(item.id, name)

    assert reviews.get(item.id).status is ReviewStatus.PENDING
    assert trail(reviews, item.id)[1:] == [
        ("refused to approve", name, "cannot be approved by who submitted it")
    ]


def test_who_asked_may_take_the_question_back(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)

    assert reviews.reject(item.id, "no longer needed", "triage-bot").status is ReviewStatus.REJECTED


@pytest.mark.parametrize("seconds", [3600, 3601, 10**8])
def test_what_nobody_decided_in_time_is_expired_for_good(
    reviews: ReviewService, clock: FixedClock, seconds: float
) -> None:
    item = asked(reviews, clock)
    clock.advance(seconds)
    assert reviews.get(item.id).status is ReviewStatus.EXPIRED
    with pytest.raises(ReviewError, match="has expired"):
        reviews.approve(item.id, "ann")
    with pytest.raises(ReviewError, match="is expired by ann already"):
        reviews.reject(item.id, "no", "bob")
    clock.moment -= timedelta(days=9999)

    assert reviews.get(item.id).status is ReviewStatus.EXPIRED
    assert trail(reviews, item.id)[1] == ("expired", "ann", "nobody decided in time")


def test_a_second_before_its_time_is_over_it_can_be_decided(
    reviews: ReviewService, clock: FixedClock
) -> None:
    item = asked(reviews, clock)
    clock.advance(3599)

    assert reviews.approve(item.id, "ann").status is ReviewStatus.APPROVED


def test_a_clock_that_is_set_back_keeps_nothing_open(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)
    clock.advance(1800)
    clock.moment -= timedelta(days=1)
    clock.advance(1800)
    with pytest.raises(ReviewError, match="has expired"):
        reviews.approve(item.id, "ann")

    assert reviews.get(item.id).status is ReviewStatus.EXPIRED


def test_expire_ends_what_is_due_and_nothing_else(reviews: ReviewService, clock: FixedClock) -> None:
    due = [asked(reviews, clock) for _ in range(3)]
    later = asked(reviews, clock, expires_at=clock.now() + 2 * HOUR)
    endless = asked(reviews, clock, expires_at=None)
    approved = asked(reviews, clock)
    reviews.approve(approved.id, "ann")
    clock.advance(3600)

    assert reviews.expire() == 3
    assert reviews.expire() == 0
    assert [item.id for item in reviews.list("expired")] == [item.id for item in due]
    assert [item.id for item in reviews.list("pending")] == [later.id, endless.id]
    assert trail(reviews, due[0].id)[1:] == [("expired", "clock", "nobody decided in time")]


def test_expire_can_look_from_another_moment(reviews: ReviewService, clock: FixedClock) -> None:
    asked(reviews, clock)
    moment = clock.now() + HOUR

    assert reviews.expire(now=moment - timedelta(microseconds=1), actor="sweeper") == 0
    assert reviews.expire(now=moment.astimezone(timezone(5 * HOUR)), actor="sweeper") == 1
    with pytest.raises(InputError, match="now must say its time zone"):
        reviews.expire(now=datetime(2026, 1, 1))


def test_a_single_review_can_be_ended_before_its_time(reviews: ReviewService, clock: FixedClock) -> None:
    one, other = asked(reviews, clock), asked(reviews, clock, expires_at=None)

    assert reviews.expire(other.id, actor="ann").status is ReviewStatus.EXPIRED
    assert [item.id for item in reviews.list("pending")] == [one.id]
    assert trail(reviews, other.id)[1:] == [("expired", "ann", "nobody decided in time")]
    with pytest.raises(ReviewError, match="is expired by ann already"):
        reviews.approve(other.id, "bob")


@pytest.mark.parametrize("state", ["approved", "rejected", "used"])
def test_what_is_decided_is_not_ended(reviews: ReviewService, clock: FixedClock, state: str) -> None:
    item = asked(reviews, clock)
    DECIDED[state][0](reviews, item.id)

    with pytest.raises(ReviewError, match=f"is {state} already"):
        reviews.expire(item.id)
    assert reviews.get(item.id).status == state
    assert trail(reviews, item.id)[-1] == ("refused to expire", "clock", f"is {state} already")


def test_an_approval_is_used_once(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)
    used = approve_and_use(reviews, item.id)
    assert (used.status, used.used_at, used.reviewed_by) == (ReviewStatus.USED, clock.now(), "ann")
    with pytest.raises(ReviewError, match="was used already"):
        reviews.redeem(item.id, "b1", "triage-bot")

    assert reviews.get(item.id) == used
    assert trail(reviews, item.id)[-2:] == [
        ("used", "triage-bot", ""),
        ("refused to redeem", "triage-bot", "was used already"),
    ]


@pytest.mark.parametrize("binding", ["b2", "", "B1", "b1 "])
def test_an_approval_is_good_only_for_what_it_is_bound_to(
    reviews: ReviewService, clock: FixedClock, binding: str
) -> None:
    item = asked(reviews, clock)
    reviews.approve(item.id, "ann")
    with pytest.raises(
        ReviewError, match="was approved for another agent, action, target or other arguments"
    ):
        reviews.redeem(item.id, binding, "triage-bot")

    assert reviews.redeem(item.id, "b1", "triage-bot").status is ReviewStatus.USED


def test_an_approval_that_is_bound_to_nothing_is_good_for_nothing(
    reviews: ReviewService, clock: FixedClock
) -> None:
    item = asked(reviews, clock, binding="")
    reviews.approve(item.id, "ann")
    with pytest.raises(ReviewError, match="was approved for another"):
        reviews.redeem(item.id, "", "triage-bot")


def test_an_approval_is_good_only_as_long_as_the_question_was(
    reviews: ReviewService, clock: FixedClock
) -> None:
    item = asked(reviews, clock)
    reviews.approve(item.id, "ann")
    clock.advance(3600)
    with pytest.raises(ReviewError, match="was approved, but is used too late"):
        reviews.redeem(item.id, "b1", "triage-bot")


def test_what_is_not_approved_is_not_used(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)
    with pytest.raises(ReviewError, match="is not decided yet"):
        reviews.redeem(item.id, "b1", "triage-bot")
    reviews.reject(item.id, "no", "ann")
    with pytest.raises(ReviewError, match="is rejected"):
        reviews.redeem(item.id, "b1", "triage-bot")


def test_an_approval_can_be_taken_back_until_it_is_used(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)
    reviews.approve(item.id, "ann")
    reviews.revoke(item.id, "a mistake", "bob")
    with pytest.raises(ReviewError, match="is rejected"):
        reviews.redeem(item.id, "b1", "triage-bot")

    assert trail(reviews, item.id)[2] == ("revoked", "bob", "a mistake")
    used = asked(reviews, clock)
    approve_and_use(reviews, used.id)
    with pytest.raises(ReviewError, match="is used and no approval to take back"):
        reviews.revoke(used.id, "too late", "bob")


def test_what_is_approved_is_not_rejected_by_the_next_one(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)
    reviews.approve(item.id, "ann")

    with pytest.raises(ReviewError, match="is approved by ann already"):
        reviews.reject(item.id, "no", "bob")
    assert reviews.get(item.id).status is ReviewStatus.APPROVED
    assert trail(reviews, item.id)[-1] == ("refused to reject", "bob", "is approved by ann already")


def test_only_an_approval_is_taken_back(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)

    with pytest.raises(ReviewError, match="is pending and no approval to take back"):
        reviews.revoke(item.id, "no", "bob")
    assert reviews.get(item.id).status is ReviewStatus.PENDING


@pytest.mark.parametrize("review_id", ["review-2", "", "review-1\0", "'; DROP TABLE reviews"])
def test_a_review_that_does_not_exist_is_an_error_whatever_is_done_with_it(
    reviews: ReviewService, clock: FixedClock, review_id: str
) -> None:
    asked(reviews, clock)
    attempts: list[Callable[[], object]] = [
        lambda: reviews.get(review_id),
        lambda: reviews.approve(review_id, "ann"),
        lambda: reviews.reject(review_id, "no", "ann"),
        lambda: reviews.redeem(review_id, "b1", "bot"),
        lambda: reviews.note(review_id, "seen", "ann"),
    ]
    for attempt in attempts:
        with pytest.raises(ReviewError, match="does not exist"):
            attempt()
    assert reviews.trail(review_id) == []


def test_an_id_that_comes_twice_does_not_replace_a_review(store: Store | None, clock: FixedClock) -> None:
    reviews = ReviewService(store, clock=clock, new_id=lambda: "the-same")
    first = asked(reviews, clock)
    with pytest.raises(ReviewError, match="review 'the-same' exists already"):
        asked(reviews, clock, binding="b2")

    assert reviews.get("the-same") == first
    assert len(reviews.trail("the-same")) == 1


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_kept_as_data_in_every_field(
    reviews: ReviewService, clock: FixedClock, text: str
) -> None:
    neighbour = asked(reviews, clock)
    item = reviews.submit(text, {"said": text, text: [text]}, "bot", binding=text)
    reviews.note(item.id, text, text, text)
    decided = reviews.reject(item.id, text, "ann")

    assert reviews.get(item.id) == decided
    for kept in (decided.item_type, decided.reason, decided.binding):
        assert "\0" not in kept
        assert kept.encode()
    assert reviews.get(neighbour.id) == neighbour
    noted = reviews.trail(item.id)[1]
    for kept in (noted.event, noted.actor, noted.reason):
        assert "\0" not in kept
        assert kept.encode()
    assert [event.event for event in reviews.trail(item.id)][-1] == "rejected"


def test_questions_are_paged_through_in_their_order(reviews: ReviewService, clock: FixedClock) -> None:
    clock.moment = datetime(2026, 1, 1, tzinfo=UTC)
    ids = []
    for number in range(30):
        ids.append(asked(reviews, clock).id)
        clock.advance(number % 2)  # some at the same moment
    pages: list[list[ReviewItem]] = [reviews.list("pending", limit=7)]
    while pages[-1]:
        pages.append(reviews.list("pending", limit=7, after=pages[-1][-1]))

    assert [len(page) for page in pages] == [7, 7, 7, 7, 2, 0]
    assert sorted(item.id for page in pages for item in page) == sorted(ids)
    assert [item for page in pages for item in page] == reviews.list()


def test_a_page_may_be_as_long_as_one_likes(reviews: ReviewService, clock: FixedClock) -> None:
    item = asked(reviews, clock)

    assert reviews.list(limit=10**400) == [item]


def test_lists_are_by_status(reviews: ReviewService, clock: FixedClock) -> None:
    pending, approved, rejected, used = (asked(reviews, clock) for _ in range(4))
    reviews.approve(approved.id, "ann")
    reviews.reject(rejected.id, "no", "ann")
    approve_and_use(reviews, used.id)

    listed = {status.value: [item.id for item in reviews.list(status)] for status in ReviewStatus}
    assert listed == {
        "pending": [pending.id],
        "approved": [approved.id],
        "rejected": [rejected.id],
        "expired": [],
        "used": [used.id],
    }


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"item_type": "export"}, [2, 3]),
        ({"submitter": "triage-bot"}, [1, 2]),
        ({"priority": "high"}, [1, 3]),
        ({"priority": "high", "item_type": "export"}, [3]),
        ({"priority": "high", "status": "rejected"}, [3]),
        ({"submitter": "nobody"}, []),
        ({"item_type": "export", "limit": 1}, [2]),
    ],
)
def test_lists_are_by_what_a_review_says(
    reviews: ReviewService, clock: FixedClock, wanted: dict[str, Any], found: list[int]
) -> None:
    for item_type, submitter, priority in (
        ("agent_action", "triage-bot", "high"),
        ("export", "triage-bot", "normal"),
        ("export", "reporter", "high"),
    ):
        clock.advance(1)
        reviews.submit(item_type, {}, submitter, priority)
    reviews.reject("review-3", "no", "ann")

    assert [item.id for item in reviews.list(**wanted)] == [f"review-{number}" for number in found]


NOT_KEPT: dict[str, tuple[Callable[[ReviewService], object], str]] = {
    "priority": (
        lambda reviews: reviews.submit("export", {}, "bot", "hihg"),
        r"unknown priority \"hihg\" \(did you mean 'high'\?\)",
    ),
    "payload": (
        lambda reviews: reviews.submit("export", "text", "bot"),  # type: ignore[arg-type]  # bad on purpose
        "a payload is a mapping, not a str",
    ),
    "payload without a text": (
        lambda reviews: reviews.submit("export", {"when": object()}, "bot"),
        "a payload cannot hold a value of type object",
    ),
    "submitter": (lambda reviews: reviews.submit("export", {}, " "), 'the submitter\'s name " " is empty'),
    "type": (lambda reviews: reviews.submit("", {}, "bot"), "the item_type has 0 characters"),
    "long type": (lambda reviews: reviews.submit("x" * 201, {}, "bot"), "the item_type has 201 characters"),
    "moment": (
        lambda reviews: reviews.submit("export", {}, "bot", expires_at=datetime(2026, 1, 1)),
        "expires_at must say its time zone",
    ),
    "reviewer": (lambda reviews: reviews.approve("review-1", ""), 'the reviewer\'s name "" is empty'),
    "hidden reviewer": (
        lambda reviews: reviews.reject("review-1", "", "ann\u200b"),
        "has characters that cannot be seen",
    ),
    "reason": (
        lambda reviews: reviews.approve("review-1", "ann", None),  # type: ignore[arg-type]  # bad on purpose
        "the reason is a text, not a NoneType",
    ),
    "long reason": (
        lambda reviews: reviews.approve("review-1", "ann", "x" * 100_001),
        "the reason has 100,001 characters",
    ),
    "id": (
        lambda reviews: reviews.get(7),  # type: ignore[arg-type]  # bad on purpose
        "the review id is a text, not a int",
    ),
    "one without a name": (
        lambda reviews: reviews.expire(7),  # type: ignore[call-overload]  # bad on purpose
        "the review id is a text, not a int",
    ),
    "listed priority": (lambda reviews: reviews.list(priority="hihg"), "did you mean 'high'"),
    "listed submitter": (
        lambda reviews: reviews.list(submitter=[]),  # type: ignore[arg-type]  # bad on purpose
        "the submitter is a text, not a list",
    ),
    "status": (lambda reviews: reviews.list("aproved"), "did you mean 'approved'"),
    "no moment": (
        lambda reviews: reviews.submit("export", {}, "bot", expires_at="soon"),  # type: ignore[arg-type]  # as above
        'expires_at is a datetime, not "soon"',
    ),
    "no present": (
        lambda reviews: reviews.expire(now=7),  # type: ignore[call-overload]  # bad on purpose
        "now is a datetime, not 7",
    ),
    "page": (
        lambda reviews: reviews.list(after="review-1"),  # type: ignore[arg-type]  # bad on purpose
        'after is the last review of the page before, not "review-1"',
    ),
    "trail": (
        lambda reviews: reviews.trail([]),  # type: ignore[arg-type]  # bad on purpose
        "the review id is a text, not a list",
    ),
    "limit": (lambda reviews: reviews.list(limit=-1), "limit is a whole number of at least 0, not -1"),
}


@pytest.mark.parametrize("what", NOT_KEPT)
def test_bad_input_is_refused_and_changes_nothing(
    reviews: ReviewService, clock: FixedClock, what: str
) -> None:
    item = asked(reviews, clock)
    attempt, says = NOT_KEPT[what]
    with pytest.raises(InputError, match=says):
        attempt(reviews)

    assert reviews.list() == [item]
    assert len(reviews.trail(item.id)) == 1


@pytest.mark.parametrize("make", [ReviewService, StoredActions])
@pytest.mark.parametrize("store", ["reviews.sqlite3", 5, open_store])
def test_what_is_no_store_is_refused_at_once(make: Callable[[Any], object], store: Any) -> None:
    with pytest.raises(InputError, match=r'is no store \(open one: open_store\("reviews.sqlite3"\)\)'):
        make(store)


def test_a_service_without_a_store_or_a_clock_can_be_used_at_once() -> None:
    reviews = ReviewService()
    item = reviews.submit("export", {}, "bot", expires_at=datetime.now(UTC) + HOUR)

    assert reviews.approve(item.id, "ann").status is ReviewStatus.APPROVED
