"""A way to the server on which the answer to a COMMIT can get lost: the rows are kept, and nobody hears of it."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self


class LosingProxy:
    """Passes bytes on, both ways. After `lose_next`, the connection ends with the answer to the next COMMIT."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.lost = threading.Event()
        self._losing = threading.Event()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _end(self._listener)
        self._threads[0].join()
        for each in self._sockets:
            _end(each)
        for thread in self._threads:
            thread.join()

    def lose_next(self) -> None:
        """Lose the answer to the next COMMIT."""
        self._losing.set()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._sockets += [client, server]
            doomed = threading.Event()
            for source, target, is_client in ((client, server, True), (server, client, False)):
                thread = threading.Thread(target=self._pass_on, args=(source, target, is_client, doomed))
                self._threads.append(thread)
                thread.start()

    def _pass_on(
        self, source: socket.socket, target: socket.socket, is_client: bool, doomed: threading.Event
    ) -> None:
        try:
            while data := source.recv(65536):
                if is_client and b"COMMIT" in data and self._losing.is_set():
                    self._losing.clear()
                    doomed.set()
                elif not is_client and doomed.is_set():
                    self.lost.set()
                    return
                target.sendall(data)
        except OSError:
            pass
        finally:
            _end(target)
            _end(source)


def _end(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()
