"""Keeps one app process: stops it and its whole group when told to, when it is asked to end, or when we die.

Run as a script of its own, `keeper.py DESCRIPTOR SECONDS COMMAND...`, with nothing but the standard library. The
descriptor is the reading end of a pipe that only our process holds open: when the pipe ends, for whatever reason,
SIGKILL of our process included, the app is stopped.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress


def keep(descriptor: int, grace: float, command: list[str]) -> int:
    """Start the command in a session of its own and wait for it or for the end of the pipe."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    try:
        app = subprocess.Popen(command, start_new_session=True)  # noqa: S603 - the command of the project file
    except OSError as error:
        print(f"cannot start {command[0]!r}: {error.strerror}", file=sys.stderr)  # noqa: T201 - the app's output
        return 127
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        while app.poll() is None:
            ready = {key.fd for key, _ in selector.select()}
            if descriptor in ready:
                break
            if wake_read in ready and set(os.read(wake_read, 64)) - {signal.SIGCHLD}:
                break
    _stop(app, grace)
    return app.returncode


def _stop(app: subprocess.Popen[bytes], grace: float) -> None:
    """TERM to the group, time to comply, then KILL to whatever of the group is left."""
    _signal_group(app.pid, signal.SIGTERM)
    end = time.monotonic() + grace
    while time.monotonic() < end and (app.poll() is None or _group_lives(app.pid)):
        time.sleep(0.01)
    _signal_group(app.pid, signal.SIGKILL)
    app.wait()


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    code = keep(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
    sys.exit(code if code >= 0 else 128 - code)
