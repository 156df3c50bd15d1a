"""What a terminal can show beyond plain lines: whether there is colour, and in which escape sequences."""

from __future__ import annotations

import os
from collections.abc import Mapping

_CODES = {
    "passed": "32",
    "failed": "31",
    "errored": "35",
    "known": "33",
    "skipped": "36",
    "title": "1;31",
    "heading": "1",
    "message": "1",
    "minus": "31",
    "plus": "32",
    "hunk": "36",
    "faint": "2",
    "command": "36",
}


def can_redraw(is_terminal: bool, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a line can be drawn over: on a terminal that knows how.

    >>> can_redraw(True, {"TERM": "xterm"}), can_redraw(True, {"TERM": "dumb"})
    (True, False)
    """
    return is_terminal and environment.get("TERM") != "dumb"


def wants_color(is_terminal: bool, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to use colour: NO_COLOR and FORCE_COLOR decide if they are set, else it is for terminals.

    >>> wants_color(True, {"NO_COLOR": "1"}), wants_color(False, {"FORCE_COLOR": "1"}), wants_color(True, {})
    (False, True, True)
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    return can_redraw(is_terminal, environment)


def painted(text: str, style: str, color: bool) -> str:
    r"""The text in its style.

    >>> painted("no", "failed", True), painted("no", "failed", False)
    ('\x1b[31mno\x1b[0m', 'no')
    """
    code = _CODES.get(style)
    return f"\x1b[{code}m{text}\x1b[0m" if color and code and text else text
