"""A review as a person reads it: on plain lines, short, and with everything that cannot be seen written out."""

from __future__ import annotations

from typing import Any

from understudy.core.brief import brief, visible
from understudy.governance.review_shelf import stamp
from understudy.governance.reviews import ReviewItem

_TEXT = 300
_LINES = 60
_DEPTH = 6


def display(item: ReviewItem) -> str:
    """What a reviewer is shown. Line breaks, escapes of terminals, characters that turn the direction of text and all
    others that could make it look like something else appear as escapes, and what is long is cut and says so.
    It is plain text: a page in HTML escapes it as any other.

    >>> print(display(ReviewItem("r1", "agent_action", {"arguments": {"to": "a\\u202eb"}}, "triage-bot")))
    review r1 (agent_action), pending, priority normal
    submitter: triage-bot
    arguments.to: "a\\u202eb"
    """
    lines = [
        f"review {_cut(item.id)} ({_cut(item.item_type)}), {_cut(item.status)}, priority {_cut(item.priority)}",
        f"submitter: {_cut(item.submitter)}",
    ]
    if item.expires_at is not None:
        lines.append(f"expires: {stamp(item.expires_at)}")
    if item.reviewed_by:
        lines.append(f"reviewed by: {_cut(item.reviewed_by)}")
    if item.reason:
        lines.append(f"reason: {_cut(item.reason)}")
    found: list[str] = []
    more = _add(found, "", item.payload, _DEPTH)
    return "\n".join(
        [*lines, *found, *(["… and more, which is not shown: look at the payload"] if more else [])]
    )


def _add(lines: list[str], name: str, value: Any, depth: int) -> bool:
    """Add what a value holds, one line for each; True if there is more than is shown."""
    if len(lines) >= _LINES:
        return True
    if isinstance(value, dict) and value and depth:
        return any(
            _add(lines, f"{name}.{_key(key)}" if name else _key(key), entry, depth - 1)
            for key, entry in list(value.items())[: _LINES + 1]
        )
    if isinstance(value, list) and value and depth:
        entries = value[: _LINES + 1]
        return any(_add(lines, f"{name}[{n}]", entry, depth - 1) for n, entry in enumerate(entries))
    lines.append(f"{name or 'payload'}: {brief(value, _TEXT)}")
    return False


def _key(key: Any) -> str:
    """A key, quoted where it could be taken for the path around it."""
    text = str(key)
    return text if text.isidentifier() and len(text) <= _TEXT else brief(text, _TEXT)


def _cut(text: Any) -> str:
    shown = visible(str(text)[:_TEXT])
    return shown if len(str(text)) <= _TEXT else f"{shown}… ({len(str(text)):,} characters)"
