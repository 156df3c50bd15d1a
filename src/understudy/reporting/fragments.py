"""Pieces of text kept on disk while they are made, then written in another order: memory stays flat."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable
from types import TracebackType
from typing import Self, TextIO


class FragmentFile:
    """A temporary file of numbered texts.

    >>> import io
    >>> out = io.StringIO()
    >>> with FragmentFile() as fragments:
    ...     numbers = [fragments.add(text) for text in ("a", "b", "c")]
    ...     fragments.copy([2, 0, 1], out)
    >>> numbers, out.getvalue()
    ([0, 1, 2], 'cab')
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+b", prefix="understudy-")  # noqa: SIM115 - closed by __exit__
        self._ends = array("Q", [0])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, text: str) -> int:
        """Keep a text; its number is how many came before it. All are added before the first is copied."""
        data = text.encode("utf-8", "replace")
        self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))
        return len(self._ends) - 2

    def copy(self, numbers: Iterable[int], out: TextIO) -> None:
        """Write the texts with these numbers, in this order."""
        here = -1
        for number in numbers:
            start, end = self._ends[number], self._ends[number + 1]
            if start != here:
                self._file.seek(start)
            out.write(self._file.read(end - start).decode("utf-8"))
            here = end
