"""What a reviewer of a test says to a question, and when: yes, no, or nothing until the time is over."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.governance.identity import checked_name
from understudy.governance.review_text import display
from understudy.governance.reviews import ReviewItem, ReviewStatus

MOCK_REVIEWER = "mock-reviewer"
_ANSWERS = (ReviewStatus.APPROVED, ReviewStatus.REJECTED, ReviewStatus.PENDING)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: `approved`, `rejected`, or `pending` for none; `after` is how many seconds the reviewer thinks."""

    status: ReviewStatus
    reviewer: str = MOCK_REVIEWER
    reason: str = ""
    after: float = 0.0

    def __post_init__(self) -> None:
        checked_name(self.reviewer, "reviewer")
        if not isinstance(self.status, ReviewStatus) or self.status not in _ANSWERS:
            raise InputError(
                [Problem(f"no reviewer answers {brief(self.status)}", hint="use approve() or reject()")]
            )
        if not isinstance(self.reason, str):
            raise InputError(f"a reviewer's reason is a text, not a {type(self.reason).__name__}")
        seconds = self.after
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
            raise InputError(
                [Problem(f"a reviewer cannot answer after {brief(seconds)} seconds", hint="0 is at once")]
            )


Reviewer = Callable[[ReviewItem], Answer]


def approve(reviewer: str = MOCK_REVIEWER, reason: str = "", *, after: float = 0.0) -> Answer:
    """Yes.

    >>> approve("ann", after=90).reviewer
    'ann'
    """
    return Answer(ReviewStatus.APPROVED, reviewer, reason, after)


def reject(reason: str = "the test says no", reviewer: str = MOCK_REVIEWER, *, after: float = 0.0) -> Answer:
    """No.

    >>> reject("too much").reason
    'too much'
    """
    return Answer(ReviewStatus.REJECTED, reviewer, reason, after)


def no_answer() -> Answer:
    """Nothing: the question stays open until its time is over, which refuses it.

    >>> no_answer().status
    <ReviewStatus.PENDING: 'pending'>
    """
    return Answer(ReviewStatus.PENDING)


class ScriptedReviewer:
    """People who answer one question after the other as a test wrote down; a question too many is an error.

    >>> people = ScriptedReviewer(approve("ann"), reject("too much", "bob"))
    >>> people(ReviewItem("r1")).reviewer, people.left
    ('ann', 1)
    >>> people.assert_finished()
    Traceback (most recent call last):
    AssertionError: the script has 1 more answer, the next one by 'bob', and nobody asked for it
    """

    def __init__(self, *answers: Answer) -> None:
        self._answers = _checked(answers)
        self._lock = threading.Lock()
        self._given = 0

    def __call__(self, item: ReviewItem) -> Answer:
        with self._lock:
            if self._given >= len(self._answers):
                raise AssertionError(
                    f"the script has {_answers(len(self._answers))}, and somebody is asked once more:\n{display(item)}"
                )
            self._given += 1
            return self._answers[self._given - 1]

    @property
    def left(self) -> int:
        """How many answers were not asked for yet."""
        return len(self._answers) - self._given

    def assert_finished(self) -> None:
        """Fail if answers were not asked for."""
        if self.left:
            who = self._answers[self._given].reviewer
            raise AssertionError(
                f"the script has {_answers(self.left, 'more ')}, the next one by {who!r}, and nobody asked for it"
            )


def _checked(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    found = tuple(answers)
    for answer in found:
        if not isinstance(answer, Answer):
            hint = "use approve(...), reject(...) or no_answer(), one argument for each answer"
            raise InputError([Problem(f"{brief(answer)} is no answer of a reviewer", hint=hint)])
    return found


def _answers(count: int, more: str = "") -> str:
    return f"{count} {more}answer{'' if count == 1 else 's'}"
