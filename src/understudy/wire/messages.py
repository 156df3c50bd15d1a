"""A request and a response as plain data, and the errors that stand between them."""

from __future__ import annotations

from dataclasses import dataclass

from understudy.core.errors import UnderstudyError

Headers = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Request:
    """What is to be sent: an absolute URL, headers in order, and a body (None and empty send nothing)."""

    method: str
    url: str
    headers: Headers = ()
    body: bytes | None = None


@dataclass(slots=True)
class Response:
    """What came back.

    `body` is decoded (gzip, brotli, zstd, deflate) and at most as long as the limit; `truncated` says that more
    came. `redirects` are the URLs that were asked before `url`, oldest first.
    """

    status: int
    headers: Headers
    body: bytes
    url: str = ""
    truncated: bool = False
    redirects: tuple[str, ...] = ()

    def header(self, name: str) -> str | None:
        """The first value of a header, its name compared without case."""
        folded = name.lower()
        return next((value for key, value in self.headers if key.lower() == folded), None)

    def header_values(self, name: str) -> list[str]:
        """Every value of a header, in order."""
        folded = name.lower()
        return [value for key, value in self.headers if key.lower() == folded]


class TransportError(UnderstudyError):
    """No response could be had; the message says why and what to do."""


class TransportTimeout(TransportError):
    """The time allowed ran out."""


class TooManyRedirects(TransportError):
    """The redirects did not end."""
