"""Ids that a run draws anew: what bears one is the same effect as in another run, but not the same object."""

from __future__ import annotations

import re
from collections.abc import Collection

DRAWN = "<drawn id>"
_LIKE_AN_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{16,}")


def without_drawn(text: str, drawn: Collection[str]) -> str:
    """The text with the ids that were drawn blotted out.

    >>> without_drawn("note--00000000000000ab", {"00000000000000ab"})
    'note--<drawn id>'
    """
    if not drawn:
        return text
    return _LIKE_AN_ID.sub(lambda found: DRAWN if found[0] in drawn else found[0], text)
