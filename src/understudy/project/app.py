"""The app under test: started on a free port, waited for, and always stopped, with all that it started."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from understudy.core.errors import UnderstudyError
from understudy.project import keeper
from understudy.project.ports import reserved_port
from understudy.project.settings import AppSettings
from understudy.wire.messages import Request, TransportError
from understudy.wire.pyreqwest_transport import open_transport
from understudy.wire.transport import Transport

OUTPUT_KEPT = 64 << 10
POLL_SECONDS = 0.02
LINES_SHOWN = 3


class AppFailed(UnderstudyError):
    """The app did not start, or did not become ready."""


@dataclass(slots=True)
class AppLog:
    """What the app printed, kept in a temporary file while it runs; only its end is ever read."""

    file: IO[bytes] | None = None
    _last: str = ""

    def tail(self, limit: int = OUTPUT_KEPT) -> str:
        """The last of the output, empty if there is none."""
        if self.file is None:
            return self._last
        size = os.fstat(self.file.fileno()).st_size
        data = os.pread(self.file.fileno(), limit, max(0, size - limit))
        text = data.decode("utf-8", "replace").rstrip("\n")
        return f"... {size - limit} bytes before this are left out\n{text}" if size > limit else text

    def close(self) -> None:
        """Keep the tail, and let go of the file."""
        self._last = self.tail()
        self.file = None


@asynccontextmanager
async def running_app(
    settings: AppSettings, root: Path, environment: Mapping[str, str], log: AppLog
) -> AsyncIterator[str]:
    """Start the app; yields its base URL once it is ready."""
    with reserved_port(str(root)) as port:
        async with _started(settings, root, environment, log, port) as base_url:
            yield base_url


@asynccontextmanager
async def _started(
    settings: AppSettings, root: Path, environment: Mapping[str, str], log: AppLog, port: int
) -> AsyncIterator[str]:
    command = [word.replace("{port}", str(port)) for word in shlex.split(settings.start)]
    folder = _folder(root, settings)
    with tempfile.TemporaryFile(prefix="understudy-app-") as output:
        log.file = output
        hold_read, hold_write = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-IS",
                keeper.__file__,
                str(hold_read),
                str(settings.stop_timeout),
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                cwd=folder,
                env=_environment(environment, port),
                pass_fds=[hold_read],
                start_new_session=True,
            )
        except BaseException:
            os.close(hold_write)
            log.close()
            raise
        finally:
            os.close(hold_read)
        try:
            base_path = settings.base_path.strip("/")
            base_url = f"http://127.0.0.1:{port}" + (f"/{base_path}" if base_path else "")
            await _ready(process, settings, port, base_url, log)
            yield base_url
        finally:
            os.close(hold_write)
            await process.wait()
            log.close()


def _folder(root: Path, settings: AppSettings) -> Path:
    folder = root / settings.cwd
    if not folder.is_dir():
        raise AppFailed(f"the app's folder {folder} does not exist; check [app] cwd")
    return folder


def _environment(extra: Mapping[str, str], port: int) -> dict[str, str]:
    """Our own environment, with this Python's folder first on the path so that `python` means this one."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {**os.environ, "PATH": path, "PORT": str(port), "PYTHONUNBUFFERED": "1", **extra}


async def _ready(
    process: asyncio.subprocess.Process, settings: AppSettings, port: int, base_url: str, log: AppLog
) -> None:
    """Wait until the app answers; the last answer is part of the error if it never does."""
    last = ""
    transport = open_transport()
    try:
        async with asyncio.timeout(settings.ready_timeout):
            while process.returncode is None:
                try:
                    last = await _ask(transport, settings, port, base_url)
                except TransportError as error:
                    last = str(error)
                except OSError:
                    last = f"nothing listens on port {port}; does its command use {{port}}, or the variable PORT?"
                if not last:
                    return
                await asyncio.sleep(POLL_SECONDS)
    except TimeoutError:
        what = f"was not ready within {settings.ready_timeout:g} s: {last or 'it has not answered yet'}"
    else:
        what = f"ended with exit code {process.returncode} before it was ready"
    finally:
        await transport.aclose()
    # Every case is told this, so it is short; the whole output is attached to the report.
    code = process.returncode
    text = log.tail(2048).removesuffix(keeper.ended(code)) if code is not None else log.tail(2048)
    said = text.strip().splitlines()[-LINES_SHOWN:]
    raise AppFailed(
        f"the app `{settings.start}` {what}\n"
        + (
            "it printed at last:\n" + "\n".join(f"  {line}" for line in said)
            if said
            else "it printed nothing"
        )
    )


async def _ask(transport: Transport, settings: AppSettings, port: int, base_url: str) -> str:
    """Empty if the app is ready, else what is wrong still."""
    if not settings.health:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        return ""
    url = base_url + "/" + settings.health.lstrip("/")
    response = await transport.send(Request("GET", url), timeout=2.0)
    return "" if response.status < 400 else f"{url} answered {response.status}"
