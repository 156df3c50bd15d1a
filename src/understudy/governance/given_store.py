"""The store that somebody gives: refused at once if it is none, and not when the first row is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem

if TYPE_CHECKING:
    from understudy.store import Store


def checked_store(given: Any) -> Store:
    """The store itself, if it is one.

    >>> checked_store("reviews.sqlite3")
    Traceback (most recent call last):
    understudy.core.errors.InputError: "reviews.sqlite3" is no store (open one: open_store("reviews.sqlite3"))
    """
    from understudy.store import Store  # late: it needs SQLAlchemy

    if not isinstance(given, Store):
        example = brief(given) if isinstance(given, str) and given else '"reviews.sqlite3"'
        raise InputError([Problem(f"{brief(given)} is no store", hint=f"open one: open_store({example})")])
    return given
