"""What a policy may call in its host: named functions over JSON data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class HostError(Exception):
    """A host function cannot give a value: the expression that called it is undefined, as in OPA."""


@dataclass(frozen=True, slots=True)
class HostFunction:
    """One function: its dotted name in Rego, how many arguments it takes, and what it does with them.

    Arguments and result are plain JSON data. The list that a function with `gives_set` returns is a set in Rego.
    Raising HostError makes the calling expression undefined.
    """

    name: str
    arity: int
    call: Callable[..., Any]
    gives_set: bool = False
