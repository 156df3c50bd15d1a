"""Writing a response: problems as application/problem+json, events as a stream, and entity tags."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from storefront.errors import ShopError


class ProblemResponse(JSONResponse):
    """An error that programs can read (RFC 9457)."""

    media_type = "application/problem+json"


def problem(status: int, title: str, code: str, detail: str, headers: Mapping[str, str]) -> Response:
    """An error response."""
    body = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}
    return ProblemResponse(body, status, headers=dict(headers))


async def refused(request: Request, error: Exception) -> Response:
    """What the shop refuses."""
    assert isinstance(error, ShopError)
    headers = {"WWW-Authenticate": "Bearer"} if error.status == HTTPStatus.UNAUTHORIZED else {}
    return problem(error.status, error.title, error.code, str(error), headers)


async def not_routed(request: Request, error: Exception) -> Response:
    """What has no route, or not with this method."""
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    detail = f"{request.method} {request.url.path}: {error.detail}"
    return problem(status, status.phrase, status.name, detail, error.headers or {})


def event(name: str, data: object) -> str:
    """One server-sent event.

    >>> event("status", {"id": 1})
    'event: status\\ndata: {"id":1}\\n\\n'
    """
    text = "" if data is None else " " + json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return f"event: {name}\ndata:{text}\n\n"


def event_stream(events: AsyncIterator[str]) -> Response:
    """A stream of server-sent events."""
    return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def entity_tag(view: Mapping[str, Any]) -> str:
    """A tag that changes when the view does."""
    text = json.dumps(view, sort_keys=True).encode()
    return f'"{hashlib.sha256(text).hexdigest()[:16]}"'


def is_unchanged(request: Request, tag: str) -> bool:
    """True if the client says that it has this version already."""
    known = [part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")]
    return "*" in known or tag in known
