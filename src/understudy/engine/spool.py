"""Outcomes on disk while a run goes on, read back in the order of the plan, so that memory stays flat."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

from understudy.core.outcome import Outcome
from understudy.core.report import outcome_from_json, outcome_to_json

Finish = Callable[[Outcome], Outcome]


class Spool:
    """A temporary file of outcomes. Iterating it gives them by their position, equal positions as they came.

    `finish` makes a fresh function for each reading, which every outcome passes on its way out; it is how
    secrets get their numbers in the order of the report and not in the order of execution.
    """

    def __init__(self, finish: Callable[[], Finish] | None = None) -> None:
        self._file = tempfile.TemporaryFile("w+b", prefix="understudy-")  # noqa: SIM115 - closed by close()
        self._finish = finish
        self._positions = array("Q")
        self._offsets = array("Q")
        self._end = 0
        self._at = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._offsets)

    def append(self, position: int, outcome: Outcome) -> None:
        """Keep an outcome."""
        line = json.dumps(outcome_to_json(outcome), ensure_ascii=False, separators=(",", ":"))
        data = line.encode("utf-8", "surrogatepass") + b"\n"
        self._positions.append(position)
        self._offsets.append(self._end)
        if self._at != self._end:
            self._file.seek(self._end)
        self._file.write(data)
        self._end = self._at = self._end + len(data)

    @property
    def positions(self) -> Sequence[int]:
        """The positions of what was spooled so far, in the order in which it is read back."""
        return array("Q", sorted(self._positions))

    def __iter__(self) -> Iterator[Outcome]:
        return self.read(self._finish() if self._finish else None)

    def read(self, finish: Finish | None = None) -> Iterator[Outcome]:
        """The outcomes by their position, each as `finish` gives it back."""
        self._file.flush()
        for index in sorted(range(len(self._offsets)), key=self._positions.__getitem__):
            if self._at != self._offsets[index]:
                self._file.seek(self._offsets[index])
            line = self._file.readline()
            self._at = self._offsets[index] + len(line)
            outcome = outcome_from_json(json.loads(line.decode("utf-8", "surrogatepass")))
            yield finish(outcome) if finish else outcome

    def close(self) -> None:
        """Delete the file; what was spooled can no longer be read."""
        self._file.close()
