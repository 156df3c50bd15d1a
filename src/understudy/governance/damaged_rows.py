"""Rows that somebody damaged: said to be so, in one clear error, wherever a store is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from understudy.core.brief import brief
from understudy.core.errors import UnderstudyError
from understudy.store.errors import store_error

if TYPE_CHECKING:
    from understudy.store import Store


@contextmanager
def readable(store: Store, what: str, hint: str) -> Iterator[None]:
    """Make a StoreError of whatever comes of reading a row that cannot be read.

    >>> from understudy.store import open_store
    >>> with open_store("sqlite://") as store, readable(store, "an action", "delete it"):
    ...     raise ValueError("no such moment")
    Traceback (most recent call last):
    understudy.store.errors.StoreError: sqlite://: an action is damaged: "no such moment" (delete it)
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        if isinstance(error, UnderstudyError):
            raise
        raise store_error(f"{what} is damaged: {brief(str(error))}", store.url, hint=hint) from error
