"""Runs a command of the project file for what it prints: bounded in time and size, with all that it starts."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from understudy.core.errors import UnderstudyError
from understudy.core.redact import Redactor
from understudy.project.held_signals import held_signals

OUTPUT_LIMIT = 64 << 10
_POLL_SECONDS = 0.05


class CommandFailed(UnderstudyError):
    """The command gave nothing that could be used; `hint` is what it said about that."""

    def __init__(self, message: str, hint: str = "run it by hand to see why") -> None:
        super().__init__(message)
        self.hint = hint


def printed_by(command: str, folder: Path, seconds: float) -> str:
    """What the command prints, trimmed. The command and its whole session are gone afterwards.

    >>> printed_by("echo hello", Path("."), 10)
    'hello'
    """
    with held_signals() as let_go, _started(shlex.split(command), folder) as process:
        try:
            let_go()
            output, complaint = _read(process, seconds)
            code = process.wait()
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
    said = (complaint.decode("utf-8", "replace").strip().splitlines() or [""])[-1]
    hint = f"it said: {Redactor().text(said)}" if said else "run it by hand to see why"
    if code:
        raise CommandFailed(f"ended with exit code {code}", hint)
    try:
        text = output.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise CommandFailed("printed something that is not UTF-8", "it must print text") from None
    if not text:
        raise CommandFailed("printed nothing", hint)
    return text


def _started(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - a command of the user's own project file
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise CommandFailed(f"cannot be run: there is no {words[0]!r}", "install it, or correct it") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CommandFailed(f"cannot be run: {reason}") from None


def _read(process: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, bytes]:
    """Both outputs to their ends, or to the end of the process if something else still holds them open."""
    end = time.monotonic() + seconds
    outputs = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for stream in outputs:
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, outputs[stream])
        while selector.get_map() or process.poll() is None:
            if time.monotonic() > end:
                raise CommandFailed(f"did not end within {seconds:g} s")
            ready = selector.select(_POLL_SECONDS)
            if not ready and process.poll() is not None:
                break
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    selector.unregister(key.fileobj)
                key.data.extend(chunk)
                if len(key.data) > OUTPUT_LIMIT:
                    limit = f"more than {OUTPUT_LIMIT >> 10} KiB"
                    raise CommandFailed(f"printed {limit}", "it must print the value and nothing else")
    output, complaint = outputs.values()
    return bytes(output), bytes(complaint)
