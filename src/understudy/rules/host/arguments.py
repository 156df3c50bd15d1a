"""What a policy passed to a host function, if it is what the function takes."""

from __future__ import annotations

from typing import Any

from understudy.core.brief import brief, json_type
from understudy.rules.evaluate.functions import HostError


def text_argument(value: Any, meaning: str) -> str:
    """A string; anything else is a HostError that says what is wanted.

    >>> text_argument("a", "a path")
    'a'
    """
    if isinstance(value, str):
        return value
    raise HostError(
        f"wants {meaning} as a string, and got {brief(value)}, which is of type {json_type(value)}"
    )


def texts_argument(value: Any, meaning: str) -> list[str]:
    """A list of strings."""
    if not isinstance(value, list | tuple):
        raise HostError(
            f"wants a list of {meaning}, and got {brief(value)}, which is of type {json_type(value)}"
        )
    return [text_argument(entry, f"each of the {meaning}") for entry in value]
