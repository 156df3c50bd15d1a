"""Whether objects are valid STIX 2.1, schema and patterns: every problem, told by the path of the property."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem

__all__ = ["StixWarning", "Validation", "validator"]

Validation = Literal["strict", "warn"] | None
_OURS = ("understudy.simulation", "contextlib")
Check = Callable[[Mapping[str, Any], str], None]


class StixWarning(UserWarning):
    """An object is not valid STIX 2.1, and is kept nevertheless."""


def validator(mode: Validation) -> Check | None:
    """What objects are checked with as they come in; None if they are not. Raises InputError for another mode.

    >>> check = validator("strict")
    >>> check({"type": "tool"}, "fixture 3")
    Traceback (most recent call last):
    understudy.core.errors.InputError: fixture 3 (tool): $.spec_version is missing
    fixture 3 (tool): $.id is missing
    fixture 3 (tool): $.created is missing
    fixture 3 (tool): $.modified is missing
    fixture 3 (tool): $.name is missing
    """
    if mode is None:
        return None
    if mode not in ("strict", "warn"):
        hint = "it is 'strict', 'warn' or None"
        raise InputError([Problem(f"validate={brief(mode)} is no way to validate", hint=hint)])
    from understudy.simulation.stix_schema import stix_problems

    def check(obj: Mapping[str, Any], name: str) -> None:
        problems = stix_problems(obj)
        if not problems:
            return
        label = f"{name} ({obj.get('id') or obj.get('type') or 'without id and type'})"
        found = [Problem(f"{label}: {path} {said}") for path, said in problems]
        if mode == "strict":
            raise InputError(found)
        warnings.warn("\n".join(map(str, found)), StixWarning, stacklevel=_outside())

    return check


def _outside() -> int:
    """How far up the stack it was called from code that is not ours: that is where a warning belongs."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame, level = frame.f_back, level + 1
    return level
