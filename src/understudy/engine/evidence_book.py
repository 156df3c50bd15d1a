"""Evidence as it comes in from many units, merged at a cost that does not grow with what is already there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from understudy.core.evidence import merge_evidence


class EvidenceBook:
    """Merges pairs of equally large pieces, like the digits of a binary counter.

    >>> book = EvidenceBook()
    >>> for route in ("a", "b", "a"):
    ...     book.add({"hits": {route: 1}})
    >>> book.whole()
    {'hits': {'a': 2, 'b': 1}}
    """

    def __init__(self) -> None:
        self._levels: list[dict[str, Any] | None] = []

    def add(self, data: Mapping[str, Any]) -> None:
        """Take one more piece of evidence."""
        piece = dict(data)
        for level, held in enumerate(self._levels):
            if held is None:
                self._levels[level] = piece
                return
            piece = merge_evidence(held, piece)
            self._levels[level] = None
        self._levels.append(piece)

    def whole(self) -> dict[str, Any]:
        """All of it, merged."""
        merged: dict[str, Any] = {}
        for held in self._levels:
            if held is not None:
                merged = merge_evidence(merged, held)
        return merged


def hidden_in(data: Any, hidden: Callable[[str], str]) -> Any:
    """The evidence with every text in it redacted, names included; counts stay, whatever they are called.

    >>> hidden_in({"hits": {"GET /abc": 1}, "seen": ["abc"]}, lambda text: text.replace("abc", "<secret 1>"))
    {'hits': {'GET /<secret 1>': 1}, 'seen': ['<secret 1>']}
    """
    if isinstance(data, str):
        return hidden(data)
    if isinstance(data, Mapping):
        return {hidden(str(key)): hidden_in(value, hidden) for key, value in data.items()}
    if isinstance(data, list | tuple | set | frozenset):
        return [hidden_in(value, hidden) for value in data]
    return data
