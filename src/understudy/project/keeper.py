"""Keeps one app process: stops it and all that it started when told to, when it is asked to end, or when we die.

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

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux
_KILL_SECONDS = 5.0


def keep(descriptor: int, grace: float, command: list[str]) -> int:
    """Start the command in a session of its own and wait for it or for the end of the pipe."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    _adopt_orphans()
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
    by_itself = app.poll()
    _stop(app, grace)
    if by_itself is not None:
        print(ended(by_itself), file=sys.stderr)  # noqa: T201 - the app's output
    return app.returncode


def ended(code: int) -> str:
    """What stands at the end of the output of an app that was not told to stop."""
    return f"[the app ended by itself, with exit code {code}]"


def _adopt_orphans() -> None:
    """Become the parent of what the app leaves behind outside of its group, such as daemons; Linux only."""
    with suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _stop(app: subprocess.Popen[bytes], grace: float) -> None:
    """TERM to the group and to what left it, time to comply, then KILL to whatever is left."""
    _signal_group(app.pid, signal.SIGTERM)
    for pid in _strays(app):
        # Some take a second TERM as an order to drop everything, so those of the group get no other.
        if _group_of(pid) != app.pid:
            _signal(pid, signal.SIGTERM)
    end = time.monotonic() + grace
    while time.monotonic() < end and (_strays(app) or app.poll() is None or _group_lives(app.pid)):
        time.sleep(0.01)
    _signal_group(app.pid, signal.SIGKILL)
    app.wait()
    # Who is killed leaves children behind, which come to us in turn.
    end = time.monotonic() + _KILL_SECONDS
    while (strays := _strays(app)) and time.monotonic() < end:
        for pid in strays:
            _signal(pid, signal.SIGKILL)
        time.sleep(0.001)


def _strays(app: subprocess.Popen[bytes]) -> set[int]:
    """Descendants of ours that live, but for the app itself; what has ended is reaped on the way."""
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        fresh = set(_children(waiting.pop())) - found
        found |= fresh
        waiting.extend(fresh)
    found.discard(app.pid)
    for pid in found:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return {pid for pid in found if not _has_ended(pid)}


def _group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found.extend(int(child) for child in file.read().split())
    return found


def _has_ended(pid: int) -> bool:
    """Whether the process is gone, or only waits for its parent to take notice."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True


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


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


if __name__ == "__main__":
    code = keep(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
    sys.exit(code if code >= 0 else 128 - code)
