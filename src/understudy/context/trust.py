"""How far somebody is trusted: three levels with an order, and what becomes of a claim to more."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name


class TrustLevel(StrEnum):
    """A level of trust. They compare by trust, and not by the alphabet as other texts do.

    >>> TrustLevel.TRUSTED_INTERNAL > TrustLevel.SEMI_TRUSTED > TrustLevel.UNTRUSTED_EXTERNAL
    True
    >>> TrustLevel("semi_trusted").allows("untrusted_external")
    True
    """

    TRUSTED_INTERNAL = "trusted_internal"
    SEMI_TRUSTED = "semi_trusted"
    UNTRUSTED_EXTERNAL = "untrusted_external"

    @classmethod
    def _missing_(cls, value: object) -> TrustLevel:
        names = [level.value for level in cls]
        near = closest_name(value[:100], names) if isinstance(value, str) else ""
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(names)}"
        raise InputError([Problem(f"{brief(value)} is no level of trust", hint=hint)])

    @property
    def rank(self) -> int:
        """A number that is greater for more trust."""
        return _RANKS[self.value]

    def allows(self, other: TrustLevel | str) -> bool:
        """True if who is trusted this far may do what asks for `other`."""
        return self.rank >= TrustLevel(other).rank

    def at_most(self, other: TrustLevel | str) -> TrustLevel:
        """The lower of the two levels."""
        return min(self, TrustLevel(other))

    # Strings compare with any string, so that a comparison with a level's text has to be by trust as well.
    def __lt__(self, other: Any) -> bool:
        return self.rank < TrustLevel(other).rank

    def __le__(self, other: Any) -> bool:
        return self.rank <= TrustLevel(other).rank

    def __gt__(self, other: Any) -> bool:
        return self.rank > TrustLevel(other).rank

    def __ge__(self, other: Any) -> bool:
        return self.rank >= TrustLevel(other).rank


_RANKS = {"trusted_internal": 3, "semi_trusted": 2, "untrusted_external": 1}
