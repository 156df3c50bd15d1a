"""The child process of a cell, which may be started before it is known what is to work in it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from contextlib import suppress
from typing import IO


class CellProcess:
    """A process that waits for a plan. What `preload` names, a module, is imported meanwhile.

    Nobody need remember to end it: it ends with the last reference to this.
    """

    def __init__(self, preload: str = "", environment: Mapping[str, str] | None = None) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self.end = ours
        self.said = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process lives
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - our own module, in our own interpreter
                (sys.executable, "-m", "understudy.engine.cells.child", str(theirs.fileno()), preload),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self.said,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                # A trace through native code says nothing to users, and hides the line that does.
                env={**os.environ, "RUST_BACKTRACE": "0", **(environment or {})},
            )
        self.kill = weakref.finalize(self, _ended, self.process, self.end, self.said)


def _ended(process: subprocess.Popen[bytes], end: socket.socket, said: IO[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    end.close()
    said.close()
