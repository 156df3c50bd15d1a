"""Small records that travel between processes by the thousand, pickled by their fields and nothing else."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")


def travelling(record: type[T]) -> type[T]:
    """A class decorator above `@dataclass(frozen=True, slots=True)`, which by itself pickles at a fifth of the speed.

    >>> from dataclasses import dataclass
    >>> import pickle
    >>> @travelling
    ... @dataclass(frozen=True, slots=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1, 2).__reduce__()[1]
    (1, 2)
    """
    names = [field.name for field in fields(record)]  # type: ignore[arg-type]  # it is a dataclass, as said
    values = attrgetter(*names)
    single = len(names) == 1

    def reduce(self: T) -> tuple[type[T], tuple[Any, ...]]:
        found = values(self)
        return record, ((found,) if single else found)

    record.__reduce__ = reduce  # type: ignore[method-assign,assignment]  # what pickling asks for
    return record
