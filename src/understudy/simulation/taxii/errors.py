"""What a TAXII server refuses, as the error message that the protocol has for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.wire.messages import Headers


class TaxiiError(UnderstudyError):
    """A request that is answered with an error message: `title` in short, `description` with what to do.

    >>> TaxiiError(404, "no such collection", "there is: indicators").resource()
    {'title': 'no such collection', 'description': 'there is: indicators', 'http_status': '404'}
    """

    def __init__(
        self,
        status: int,
        title: str,
        description: str = "",
        *,
        headers: Headers = (),
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{title}: {description}" if description else title)
        self.status = status
        self.title = title
        self.description = description
        self.headers = headers
        self.details = details

    def resource(self) -> dict[str, Any]:
        """The error message resource."""
        shown: dict[str, Any] = {"title": self.title}
        if self.description:
            shown["description"] = self.description
        shown["http_status"] = str(self.status)
        if self.details:
            shown["details"] = dict(self.details)
        return shown
