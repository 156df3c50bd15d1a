"""Asks a TAXII server without a network, for the tests that are about what it answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from understudy.simulation import SimulationConnector
from understudy.simulation.taxii import TaxiiCollection, taxii_app
from understudy.wire.asgi import App

TYPE = "application/taxii+json;version=2.1"
OBJECTS = "/api/collections/indicators/objects/"
COLLECTION = TaxiiCollection("Indicators", alias="indicators")


@dataclass(frozen=True)
class Answered:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def said(self) -> str:
        """An error message as one text."""
        return f"{self.data['title']}: {self.data.get('description', '')}"


class Asking:
    """A connector behind a TAXII application, and short ways to ask it."""

    def __init__(
        self, connector: SimulationConnector, *collections: TaxiiCollection, **settings: Any
    ) -> None:
        self.connector = connector
        self.app: App = taxii_app(connector, collections or (COLLECTION,), **settings)

    def __call__(
        self,
        path: str,
        method: str = "GET",
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Answered:
        """Ask; a body that is no bytes is sent as JSON, and a header that is None is left out."""
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {
            "host": "taxii.test",
            "accept": TYPE,
            **({"content-type": TYPE} if content else {}),
            **(headers or {}),
        }
        raw, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "scheme": "http",
            "path": raw,
            "raw_path": raw.encode("latin-1"),
            "query_string": query.encode("latin-1"),
            "headers": [
                (name.encode(), value.encode("latin-1")) for name, value in sent.items() if value is not None
            ],
        }
        messages: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        async def ask() -> None:
            await self.app(scope, receive, send)

        asyncio.run(ask())
        start, end = messages
        return Answered(
            start["status"],
            {name.decode().lower(): value.decode("latin-1") for name, value in start["headers"]},
            end["body"],
        )

    def objects(self, query: str = "", collection: str = "indicators") -> Answered:
        """The objects of a collection."""
        return self(f"/api/collections/{collection}/objects/{query and '?'}{query}")

    def post(self, body: Any, collection: str = "indicators", **headers: str | None) -> Answered:
        """Add objects."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self(f"/api/collections/{collection}/objects/", "POST", body, named)


def ids(answered: Answered) -> list[str]:
    """The ids of the objects that came."""
    return [one["id"] for one in answered.data.get("objects", [])]


def indicator(number: int, **more: Any) -> dict[str, Any]:
    """An indicator with this number in its id."""
    return {
        "type": "indicator",
        "spec_version": "2.1",
        "id": f"indicator--00000000-0000-4000-8000-{number:012d}",
        "created": "2026-01-01T00:00:00.000Z",
        "modified": "2026-01-01T00:00:00.000Z",
        **more,
    }


def revised(number: int, day: int, **more: Any) -> dict[str, Any]:
    """A version of that indicator, from a day in January."""
    return indicator(number, modified=f"2026-01-{day:02d}T00:00:00.000Z", **more)


ONE = f"{OBJECTS}{indicator(1)['id']}/"
