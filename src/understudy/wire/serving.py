"""Serves an ASGI application on a real port, in a thread of its own, and stops for certain.

The server is uvicorn with its h11 protocol. Headers are limited to 64 KiB by it; a client that dawdles over them is
cut off by us.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from understudy.core.errors import InputError, Problem, UnderstudyError, missing_extra
from understudy.wire.asgi import App, Message, Receive, Scope, Send

if TYPE_CHECKING:
    import uvicorn

HEADER_PATIENCE = 10.0
STOP_PATIENCE = 2.0
# For what follows once patience has run out: cancelling tasks, the end of the application's lifespan.
_LAST_PATIENCE = 3.0
_START_PATIENCE = 60.0
_LOOKS = 4
_BETWEEN_LOOKS = 0.05


class ServingError(UnderstudyError):
    """The application could not be started or stopped; the message says why."""


@dataclass(frozen=True, slots=True)
class Served:
    """Where an application is served: `base_url` is without a slash at its end."""

    base_url: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class ServerTls:
    """The certificate that a server shows, with its chain, and its key (which may stand in the same file)."""

    certfile: str | os.PathLike[str]
    keyfile: str | os.PathLike[str] | None = None


@contextmanager
def serve(
    app: App,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    tls: ServerTls | None = None,
    header_patience: float = HEADER_PATIENCE,
    stop_patience: float = STOP_PATIENCE,
) -> Iterator[Served]:
    """Serve an ASGI application until the block ends; port 0 is any free one.

    It accepts requests when the block begins. When it ends, idle connections are closed at once, requests under
    way have `stop_patience` seconds, and are then cut off and cancelled. No signal handler is touched, and an
    event loop that runs around it is not used; in async code take `serve_async`, which does not block it.

    >>> from urllib.request import urlopen
    >>> async def hello(scope, receive, send):
    ...     await send({"type": "http.response.start", "status": 200, "headers": []})
    ...     await send({"type": "http.response.body", "body": b"hello"})
    >>> with serve(hello) as served:
    ...     with urlopen(served.base_url) as response:
    ...         response.read()
    b'hello'

    Raises InputError for a port that is taken, or a certificate that cannot be used, and ServingError if the
    application does not start or stop.
    """
    server = _Server(app, host, port, tls, header_patience, stop_patience)
    try:
        yield server.start()
    finally:
        server.stop()


@asynccontextmanager
async def serve_async(
    app: App,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    tls: ServerTls | None = None,
    header_patience: float = HEADER_PATIENCE,
    stop_patience: float = STOP_PATIENCE,
) -> AsyncIterator[Served]:
    """The async twin of `serve`: the application still has a thread and an event loop of its own."""
    server = _Server(app, host, port, tls, header_patience, stop_patience)
    try:
        yield await asyncio.to_thread(server.start)
    finally:
        await asyncio.shield(asyncio.to_thread(server.stop))


class _Server:
    """One application, the thread that serves it, and what went wrong there."""

    def __init__(
        self,
        app: App,
        host: str,
        port: int,
        tls: ServerTls | None,
        header_patience: float,
        stop_patience: float,
    ) -> None:
        self._app = app
        self._host = host
        self._port = port
        self._tls = tls
        self._header_patience = header_patience
        self._stop_patience = stop_patience
        self._settled = threading.Event()  # it accepts, or has failed
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._trouble = ""

    def start(self) -> Served:
        """Bind the port, and return when requests are accepted."""
        try:
            import uvicorn
        except ImportError:
            raise missing_extra("stix", "uvicorn") from None
        files = _checked_files(self._tls)
        listener = _bind(self._host, self._port)
        port = self._port = listener.getsockname()[1]
        config = uvicorn.Config(
            self._app_with_its_reason,
            interface="asgi3",
            http="h11",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_notify=0,
            callback_notify=self._accepting,
            # uvicorn passes the seconds on to asyncio; it only says that they are whole
            timeout_graceful_shutdown=self._stop_patience + _LAST_PATIENCE / 2,  # type: ignore[arg-type]
            **files,
        )
        server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._run, args=(server, listener), name=f"understudy-serving-{port}", daemon=True
        )
        self._thread.start()
        if not self._settled.wait(_START_PATIENCE):
            raise ServingError(f"the application was not ready to serve within {_START_PATIENCE:g} s")
        if self._trouble:
            raise ServingError(f"the application could not be served: {self._trouble}")
        shown = f"[{self._host}]" if ":" in self._host else self._host
        return Served(f"{'https' if self._tls else 'http'}://{shown}:{port}", self._host, port)

    def stop(self) -> None:
        """Stop, and return when the thread has ended; also after a start that failed."""
        if self._thread is None:
            return
        if self._loop is not None and self._stopping is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended by itself
                self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(self._stop_patience + _LAST_PATIENCE)
        if self._thread.is_alive():
            raise ServingError(
                f"the application at port {self._port} did not stop: something in it blocks its event "
                f"loop or a thread of it; let it wait with await, and end when it is cancelled"
            )

    def _run(self, server: uvicorn.Server, listener: socket.socket) -> None:
        try:
            asyncio.run(self._serve(server, listener))
        except (Exception, SystemExit) as error:  # uvicorn exits when the lifespan does not start
            self._trouble = self._trouble or f"{type(error).__name__}: {error}"
        finally:
            listener.close()
            self._settled.set()

    async def _serve(self, server: uvicorn.Server, listener: socket.socket) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        companions = [
            asyncio.create_task(self._stop_when_asked(server, self._stopping)),
            asyncio.create_task(_cut_off_dawdlers(server, self._header_patience)),
        ]
        try:
            await server.serve(sockets=[listener])
        finally:
            for companion in companions:
                companion.cancel()
            _abort_connections(server)
            await asyncio.gather(*companions, return_exceptions=True)

    async def _stop_when_asked(self, server: uvicorn.Server, stopping: asyncio.Event) -> None:
        await stopping.wait()
        # Before uvicorn closes them once more: asyncio cannot abort a connection that was closed twice under TLS.
        _abort_farewells(server)
        server.should_exit = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._stop_patience):
                while True:
                    await asyncio.sleep(_BETWEEN_LOOKS)
                    _abort_farewells(server)
        # A client that is gone is what an application knows to deal with; cancelling comes after that.
        _abort_connections(server)

    async def _accepting(self) -> None:
        self._settled.set()

    async def _app_with_its_reason(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application; it is noted what it says when it cannot start, which uvicorn would only log."""

        async def noting_send(message: Message) -> None:
            if message["type"] == "lifespan.startup.failed":
                self._trouble = message.get("message", "") or "its start-up failed"
            await send(message)

        await self._app(scope, receive, noting_send if scope["type"] == "lifespan" else send)


async def _cut_off_dawdlers(server: uvicorn.Server, patience: float) -> None:
    """Cut connections on which a request has begun that is not there within the time allowed.

    uvicorn knows no such limit: it closes connections that are idle, but a byte now and then keeps one open.
    """
    since: dict[tuple[Any, Any], int] = {}
    while True:
        await asyncio.sleep(patience / _LOOKS)
        before, since = since, {}
        for connection in list(server.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            if cycle is None or cycle.response_complete:
                looks = before.get((connection, cycle), 0) + 1
                since[connection, cycle] = looks
                if looks > _LOOKS:
                    _abort(connection)


def _abort_farewells(server: uvicorn.Server) -> None:
    """Cut connections that are closed but for the client's farewell, which under TLS an idle client never sends."""
    for connection in list(server.server_state.connections):
        transport = getattr(connection, "transport", None)
        if transport is not None and transport.is_closing() and not _unsent(transport):
            transport.abort()


def _unsent(transport: asyncio.Transport) -> int:
    """How many bytes are still to be sent; those of TLS that are encrypted already only its inner transport knows."""
    inner = getattr(getattr(transport, "_ssl_protocol", None), "_transport", None)
    unsent = transport.get_write_buffer_size()
    return unsent if inner is None else unsent + int(inner.get_write_buffer_size())


def _abort_connections(server: uvicorn.Server) -> None:
    for connection in list(server.server_state.connections):
        _abort(connection)


def _abort(connection: Any) -> None:
    transport = getattr(connection, "transport", None)
    if transport is not None:
        transport.abort()


def _bind(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65_535:  # some systems would wrap it around
        raise _not_bound(host, port, "a port is from 0 to 65,535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise _not_bound(host, port, str(error)) from None
    try:
        if os.name == "posix":  # elsewhere it would allow two servers on one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        is_taken = error.errno == errno.EADDRINUSE
        raise _not_bound(host, port, "the port is taken" if is_taken else str(error)) from None
    return listener


def _not_bound(host: str, port: int, reason: str) -> InputError:
    return InputError(
        [
            Problem(
                f"cannot serve at {host}, port {port}: {reason}",
                hint="give port 0 to take any free one, or stop what uses the port",
            )
        ]
    )


def _checked_files(tls: ServerTls | None) -> dict[str, Any]:
    if tls is None:
        return {}
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.certfile, tls.keyfile)
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        raise InputError(
            [
                Problem(
                    f"the certificate cannot be used: {error}",
                    os.fspath(tls.certfile),
                    hint="give a PEM file with the certificate, and its key there or in keyfile",
                )
            ]
        ) from None
    return {"ssl_certfile": tls.certfile, "ssl_keyfile": tls.keyfile}
