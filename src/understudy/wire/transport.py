"""The seam through which every HTTP request of ours goes."""

from __future__ import annotations

from typing import Protocol

from understudy.wire.messages import Request, Response

DEFAULT_TIMEOUT = 10.0
DEFAULT_RESPONSE_LIMIT = 1 << 20
MAX_RESPONSE_LIMIT = 1 << 30
MAX_REDIRECTS = 10


class Transport(Protocol):
    """Sends a request and reads the response, bounded in size and time."""

    async def send(
        self,
        request: Request,
        *,
        limit: int = DEFAULT_RESPONSE_LIMIT,
        timeout: float = DEFAULT_TIMEOUT,
        follow_redirects: bool = True,
    ) -> Response:
        """Send one request. Raises TransportError if there is no whole response to show for it."""
        ...

    async def aclose(self) -> None:
        """Give the connections back."""
        ...
