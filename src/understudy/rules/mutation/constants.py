"""Another constant for a constant."""

from __future__ import annotations

from typing import Any

OTHER_TEXT = "understudy"


def other(value: Any) -> Any:
    """A value of the same type that is not the same.

    >>> other(True), other(3), other("main"), other(""), other([1]), other([]), other({}), other(None)
    (False, 4, 'understudy', 'understudy', [], ['understudy'], {'understudy': True}, 'understudy')
    """
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [] if value else [OTHER_TEXT]
    if isinstance(value, dict):
        return {} if value else {OTHER_TEXT: True}
    return "" if value == OTHER_TEXT else OTHER_TEXT
