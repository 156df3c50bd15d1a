"""What the gateway answers: a decision that is a refusal unless it says plainly that it is an approval."""

from __future__ import annotations

from dataclasses import dataclass

from understudy.governance.actions import APPROVED, PENDING, REJECTED

_STATUSES = frozenset({APPROVED, PENDING, REJECTED})


@dataclass(frozen=True, slots=True)
class Decision:
    """Approved, pending or rejected. Only an approved one is true, so that `if decision:` fails closed.

    >>> bool(Decision("pending")), bool(Decision("approved", approved_by="ann"))
    (False, True)
    """

    status: str
    review_id: str = ""
    approved_by: str = ""
    reason: str = ""
    binding: str = ""
    arguments_hash: str = ""

    def __post_init__(self) -> None:
        if self.status not in _STATUSES:
            raise ValueError(f"a decision is approved, pending or rejected, not {self.status!r}")

    def __bool__(self) -> bool:
        return self.status == APPROVED
