"""Cursors: where a page of a listing ended, as a text that the next page is asked for with."""

from __future__ import annotations

import base64
import json
import re
from contextlib import suppress
from dataclasses import dataclass

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.simulation.ordering import Key, read_key, written_key

_KEY_LIMIT = 2_000
_CURSOR = re.compile(r"after-(\d{1,18})(?:\.(-?\d{1,19}))?(?:-skip-(\d{1,18}))?(?:-key-([\w-]+=*))?")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last object of a page: its position, which version it is, and in an ordered listing how many were read
    with it and what it was ordered by.

    >>> Cursor.read("after-7.1-skip-3") == Cursor(7, 1, 3)
    True
    >>> str(Cursor(7))
    'after-7'
    """

    position: int
    number: int = 0
    read_before: int = 0
    key: Key | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in the order of arrival."""
        return self.position, self.number

    def __str__(self) -> str:
        text = f"after-{self.position}" + (f".{self.number}" if self.number else "")
        if self.read_before:
            text += f"-skip-{self.read_before}"
        if self.key is not None:
            with suppress(ValueError):  # of a number with more digits than Python writes
                written = json.dumps(written_key(self.key)).encode()
                if len(written) <= _KEY_LIMIT:
                    text += f"-key-{base64.urlsafe_b64encode(written).decode()}"
        return text

    @classmethod
    def read(cls, text: object) -> Cursor:
        """The cursor that was written so. Raises InputError for what is none."""
        match = _CURSOR.fullmatch(text) if isinstance(text, str) else None
        try:
            if match is not None:
                key = read_key(json.loads(base64.urlsafe_b64decode(match[4]))) if match[4] else None
                return cls(int(match[1]), int(match[2] or 0), int(match[3] or 0), key)
        except (ValueError, RecursionError):
            pass
        hint = "give the next_cursor of the page before, as it is"
        raise InputError([Problem(f"{brief(text)} is no cursor of a connector", hint=hint)])
