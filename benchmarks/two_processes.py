"""What a machine gives two processes at most: the same work in one, and shared by two that have nothing to do with
each other. Processors that share a core give less than twice as much, and so does a machine that others use.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

# Work of the kind that Python programs do: small objects made and dropped, some native code.
_WORKER = """
import json, sys
document = {"name": "main", "rules": [{"enabled": False, "count": number} for number in range(20)]}
for line in sys.stdin:
    for _ in range(int(line)):
        json.loads(json.dumps(document))
    print("done", flush=True)
"""
_ROUND_TRIPS = 6_000


class TwoProcesses:
    """Two processes that wait for work."""

    def __init__(self, workers: list[subprocess.Popen[str]]) -> None:
        self._workers = workers

    def one(self) -> float:
        """Milliseconds that the first one takes for all of the work."""
        return self._timed(self._workers[:1])

    def both(self) -> float:
        """Milliseconds that they take for half of the work each."""
        return self._timed(self._workers)

    def _timed(self, workers: list[subprocess.Popen[str]]) -> float:
        began = time.perf_counter()
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write(f"{_ROUND_TRIPS // len(workers)}\n")
            worker.stdin.flush()
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "done\n", "a worker is gone"
        return (time.perf_counter() - began) * 1000


@contextmanager
def two_processes() -> Iterator[TwoProcesses]:
    """Start them, and end them."""
    command = [sys.executable, "-c", _WORKER]
    with ExitStack() as stack:
        workers = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        for worker in workers:
            stack.enter_context(worker)  # which closes its input, on which it ends
        yield TwoProcesses(workers)
