"""Whatever agents, reviewers and clocks do in whatever order: a review goes its way once, and no other way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from understudy.core.clock import CountingIds, FixedClock
from understudy.governance import HITLGateway, ReviewError, ReviewService
from understudy.store import Store, open_store

EXPIRY = 100
AGENTS = st.sampled_from(["bot", "helper"])
REVIEWERS = st.sampled_from(["ann", "bob", "bot", "HELPER"])
ACTIONS = st.sampled_from(["export", "ingest"])
TARGETS = st.sampled_from(["", "x"])
ARGUMENTS: Any = st.sampled_from([None, {"all": True}, {"all": 1}])


@dataclass
class Question:
    """What the model knows of a review."""

    agent: str
    what: tuple[str, str, str, str]
    due: float
    state: str = "pending"
    events: list[str] = field(default_factory=lambda: ["submitted"])


class Lifecycle(RuleBasedStateMachine):
    """Reviews in memory, beside a model of a few lines."""

    asked = Bundle("asked")

    def __init__(self) -> None:
        super().__init__()
        self.clock = FixedClock()
        self.began = self.clock.moment
        self.reviews = ReviewService(self.store(), clock=self.clock, new_id=CountingIds("review"))
        self.gateway = HITLGateway(self.reviews, clock=self.clock, expiry_seconds=EXPIRY)
        self.questions: dict[str, Question] = {}

    def store(self) -> Store | None:
        return None

    def now(self) -> float:
        return max((self.clock.moment - self.began).total_seconds(), self.clock.elapsed)

    def closes(self, question: Question, event: str = "expired") -> bool:
        """Whether a question is over without an answer, which is on record from now on."""
        if question.state == "pending" and self.now() >= question.due:
            question.state = "expired"
            question.events.append(event)
            return True
        return False

    @rule(
        target=asked,
        agent=AGENTS,
        action=ACTIONS,
        place=TARGETS,
        arguments=ARGUMENTS,
        impact=st.sampled_from(["low", "medium", "high", "critical"]),
    )
    def ask(self, agent: str, action: str, place: str, arguments: Any, impact: str) -> Any:
        decision = self.gateway.submit(agent, action, place, impact, arguments)
        if impact in ("low", "medium"):
            assert decision.status == "approved"
            return multiple()
        assert decision.status == "pending"
        what = (agent, action, place, repr(arguments))
        self.questions[decision.review_id] = Question(agent, what, self.now() + EXPIRY)
        return decision.review_id

    @rule(review_id=asked, reviewer=REVIEWERS)
    def approve(self, review_id: str, reviewer: str) -> None:
        question = self.questions[review_id]
        may = reviewer.lower() != question.agent and question.state == "pending"
        if may and not self.closes(question):
            assert self.reviews.approve(review_id, reviewer).reviewed_by == reviewer
            question.state = "approved"
            question.events.append("approved")
        else:
            with pytest.raises(ReviewError):
                self.reviews.approve(review_id, reviewer)
            if not may:
                question.events.append("refused to approve")

    @rule(review_id=asked, reviewer=REVIEWERS)
    def reject(self, review_id: str, reviewer: str) -> None:
        question = self.questions[review_id]
        if question.state != "pending":
            with pytest.raises(ReviewError):
                self.reviews.reject(review_id, "no", reviewer)
            question.events.append("refused to reject")
        elif self.closes(question):
            with pytest.raises(ReviewError, match="has expired"):
                self.reviews.reject(review_id, "no", reviewer)
        else:
            self.reviews.reject(review_id, "no", reviewer)
            question.state = "rejected"
            question.events.append("rejected")

    @rule(review_id=asked, reviewer=REVIEWERS)
    def revoke(self, review_id: str, reviewer: str) -> None:
        question = self.questions[review_id]
        if question.state == "approved":
            self.reviews.revoke(review_id, "no", reviewer)
            question.state = "rejected"
            question.events.append("revoked")
        else:
            with pytest.raises(ReviewError, match="no approval to take back"):
                self.reviews.revoke(review_id, "no", reviewer)
            question.events.append("refused to revoke")

    @rule(review_id=asked, agent=AGENTS, action=ACTIONS, place=TARGETS, arguments=ARGUMENTS)
    def use(self, review_id: str, agent: str, action: str, place: str, arguments: Any) -> None:
        question = self.questions[review_id]
        self.closes(question)
        decision = self.gateway.redeem(review_id, agent, action, place, arguments)
        fits = question.what == (agent, action, place, repr(arguments))
        if question.state == "approved" and self.now() < question.due:
            assert bool(decision) is fits
            question.state = "used" if fits else question.state
            question.events.append("used" if fits else "refused to redeem")
        else:
            assert decision.status == ("pending" if question.state == "pending" else "rejected")

    @rule(review_id=asked)
    def look(self, review_id: str) -> None:
        question = self.questions[review_id]
        self.closes(question)
        decision = self.gateway.decision(review_id)
        in_time = self.now() < question.due
        wanted = {"approved": "approved" if in_time else "rejected", "pending": "pending"}
        assert decision.status == wanted.get(question.state, "rejected")

    @rule(review_id=consumes(asked))
    def use_as_asked(self, review_id: str) -> None:
        """So that approvals are used more often than by chance."""
        question = self.questions[review_id]
        agent, action, place, arguments = question.what
        given = {"None": None, "{'all': True}": {"all": True}, "{'all': 1}": {"all": 1}}[arguments]
        self.use(review_id, agent, action, place, given)

    @rule(seconds=st.integers(1, 60))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @rule(seconds=st.integers(-1_000, 1_000))
    def set_the_clock(self, seconds: int) -> None:
        self.clock.moment += timedelta(seconds=seconds)

    @rule()
    def sweep(self) -> None:
        due = [question for question in self.questions.values() if self.closes(question)]
        assert self.reviews.expire() == len(due)

    @invariant()
    def every_review_is_where_the_model_is(self) -> None:
        now = self.now()
        for review_id, question in self.questions.items():
            over = question.state == "pending" and now >= question.due
            assert self.reviews.get(review_id).status == ("expired" if over else question.state)

    def teardown(self) -> None:
        for review_id, question in self.questions.items():
            events = [event.event for event in self.reviews.trail(review_id)]
            assert events == question.events
            assert Counter(events)["used"] <= 1


class LifecycleInStore(Lifecycle):
    """The same with reviews in a database."""

    kept: Store

    def store(self) -> Store | None:
        with self.kept.write() as connection:
            for table in (self.kept.tables.review_events, self.kept.tables.reviews):
                connection.execute(table.delete())
        return self.kept


TestInMemory = Lifecycle.TestCase
TestInMemory.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
TestInStore = LifecycleInStore.TestCase
TestInStore.settings = settings(
    max_examples=20, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.fixture(autouse=True, scope="module")
def _kept() -> Any:
    with open_store("sqlite://") as store:
        LifecycleInStore.kept = store
        yield
