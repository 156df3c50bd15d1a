"""The child process of a cell, which may be started before it is known what is to work in it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

_COMMAND = (sys.executable, "-m", "understudy.engine.cells.child")


class CellProcess:
    """A process that waits for a plan. What `preload` names, a module, is imported meanwhile.

    Nobody need remember to end it: it ends with the last reference to this.
    """

    def __init__(self, preload: str = "", environment: Mapping[str, str] | None = None) -> None:
        ours, theirs = socket.socketpair()
        heard, rung = socket.socketpair()
        lifeline, held = os.pipe()
        for end in (ours, heard, rung):
            end.setblocking(False)
        self.end, self.bell = ours, heard
        self.said = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process lives
        try:
            self.process = subprocess.Popen(  # noqa: S603 - our own module, in our own interpreter
                (*_COMMAND, str(theirs.fileno()), str(lifeline), str(rung.fileno()), preload),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self.said,
                pass_fds=[theirs.fileno(), lifeline, rung.fileno()],
                start_new_session=True,
                # A trace through native code says nothing to users, and hides the line that does.
                env={**os.environ, "RUST_BACKTRACE": "0", **(environment or {})},
            )
        except BaseException:
            os.close(held)
            raise
        finally:
            theirs.close()
            rung.close()
            os.close(lifeline)
        self.kill = weakref.finalize(self, _ended, self.process, (self.end, self.bell, self.said), held)


def _ended(
    process: subprocess.Popen[bytes], ours: Sequence[socket.socket | IO[bytes]], lifeline: int
) -> None:
    if (
        process.returncode is None
    ):  # also if it has ended: until it is waited for, the group is known by its number
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for each in ours:
        each.close()
    os.close(lifeline)
