"""Keeps what is printed from acting as GitHub's workflow commands: a response may hold `::add-path::` and worse."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from understudy.core.events import Event, RunFinished
from understudy.reporting.safe_output import SafeOutput

Handle = Callable[[Event], None]


class CommandsStopped:
    """GitHub reads no commands from `stop` to `resume`, which only who knows the token can write."""

    def __init__(self, out: TextIO) -> None:
        self._out = SafeOutput(out)
        self._token = ""

    def stop(self) -> None:
        """From here on nothing is a command."""
        self._token = secrets.token_hex(16)
        self._write(f"::stop-commands::{self._token}\n")

    def resume(self) -> None:
        """Commands are commands again. The token was shown now, so that it is never used again."""
        self._write(f"::{self._token}::\n")

    def except_for(self, handle: Handle) -> Handle:
        """The handler, whose commands at the end of the run GitHub is to follow."""

        def handle_with_commands(event: Event) -> None:
            if not isinstance(event, RunFinished):
                handle(event)
                return
            self.resume()
            try:
                handle(event)
            finally:
                self.stop()

        return handle_with_commands

    def _write(self, line: str) -> None:
        self._out.write(line)
        self._out.flush()


@contextmanager
def commands_stopped(out: TextIO) -> Iterator[CommandsStopped]:
    """Stop commands for as long as a run prints what others wrote."""
    stopped = CommandsStopped(out)
    stopped.stop()
    try:
        yield stopped
    finally:
        stopped.resume()
