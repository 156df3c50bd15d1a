"""Answers at the level of urllib3: made for a test as real responses, and written as the bytes that a server sends."""

from __future__ import annotations

import http
import json
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem, missing_extra
from understudy.wire.messages import Headers, Request, Response, TransportError
from understudy.wire.sendable import why_not_sendable

try:
    from urllib3 import HTTPHeaderDict, HTTPResponse
except ImportError as error:
    raise missing_extra("stix", error.name or "urllib3") from error

__all__ = ["Answer", "Recipe", "answer_bytes", "as_recipe", "mock_http_response"]

# A response, what one is made of, an exception to raise, or a function of the request that gives one of these.
Answer = Any
Recipe = Response | BaseException | Callable[[Request], Any]

_WITHOUT_BODY = (204, 304)
_CHUNK = 4096


def mock_http_response(
    body: Any = b"",
    status: int = 200,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
) -> HTTPResponse:
    """A real `urllib3.HTTPResponse`, as if a server had sent it.

    Bytes are the body as it stands on the wire, text is sent as UTF-8, and anything else as JSON. `headers` may
    have a name twice if they are given as pairs; Content-Type and Content-Length are added if they are not given.

    >>> response = mock_http_response({"id": 1}, status=201)
    >>> response.status, response.json(), response.headers["Content-Type"]
    (201, {'id': 1}, 'application/json')
    """
    recipe = _recipe(body, status, headers)
    pairs = HTTPHeaderDict()
    for name, value in recipe.headers:
        pairs.add(name, value)
    return HTTPResponse(
        BytesIO(recipe.body), pairs, status, version=11, reason=_reason(status), preload_content=False
    )


def as_recipe(answer: Answer) -> Recipe:
    """What is needed to give an answer again and again. Raises InputError for what is no answer.

    An HTTPResponse is read for it, as it can be read only once.
    """
    if isinstance(answer, type) and issubclass(answer, BaseException):
        return answer()
    if isinstance(answer, BaseException | Response):
        return answer
    if isinstance(answer, HTTPResponse):
        return _read(answer)
    if callable(answer):
        found: Callable[[Request], Any] = answer
        return found
    return _recipe(answer, 200, None)


def answer_bytes(recipe: Response) -> bytes:
    """An answer as a server sends it; http.client passes over the body where a request or a status has none."""
    lines = [f"HTTP/1.1 {recipe.status} {_reason(recipe.status)}"]
    lines += [f"{name}: {value}" for name, value in recipe.headers]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    if (recipe.header("transfer-encoding") or "").lower() == "chunked":
        return head + _chunked(recipe.body)
    return head + recipe.body


def _recipe(
    body: Any, status: int, headers: Mapping[str, str] | Iterable[tuple[str, str]] | None
) -> Response:
    if isinstance(status, bool) or not isinstance(status, int) or not 200 <= status <= 999:
        raise _wrong(f"{brief(status)} is no status of a response", "give a number from 200 to 999")
    if isinstance(body, int) and not isinstance(body, bool):
        raise _wrong(f"{body} is no body", f"write status={body}, or give the body as text: '{body}'")
    content, kind = _content(body)
    given = headers.items() if isinstance(headers, Mapping) else headers or ()
    pairs = [(str(name), str(value)) for name, value in given]
    names = {name.lower() for name, _ in pairs}
    if kind and "content-type" not in names:
        pairs.append(("Content-Type", kind))
    if not names & {"content-length", "transfer-encoding"} and status not in _WITHOUT_BODY:
        pairs.append(("Content-Length", str(len(content))))
    _refuse_unsendable(tuple(pairs))
    return Response(status, tuple(pairs), content)


def _content(body: Any) -> tuple[bytes, str]:
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body), ""
    if isinstance(body, str):
        return body.encode("utf-8"), "text/plain; charset=utf-8"
    try:
        return json.dumps(body, allow_nan=False).encode("utf-8"), "application/json"
    except (TypeError, ValueError) as error:
        hint = "give bytes, text, or what JSON has a form for"
        raise _wrong(f"{brief(body)} is no body: {error}", hint) from None


def _read(response: HTTPResponse) -> Response:
    """What stands in a response: as on the wire if nobody has read it yet, else as it was read and kept."""
    before = response.tell()
    raw = response.read(decode_content=False)
    headers: Headers = tuple(response.headers.items())
    if before and not raw:
        raw = response.data or b""  # kept when it was read, and decoded then
        if not raw:
            raise _wrong("the body of the response was read already", "give a fresh mock_http_response")
        headers = tuple(
            (name, value)
            for name, value in headers
            if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
        )
    return _recipe(raw, response.status, headers)


def _refuse_unsendable(headers: Headers) -> None:
    for name, value in headers:
        fault = why_not_sendable(Request("GET", "http://host", ((name, value),)), TransportError())
        try:
            value.encode("latin-1")
        except UnicodeEncodeError:
            fault = f"header {name}: {brief(value)} is not latin-1"
        if fault.startswith(("header", repr(name))):
            raise _wrong(fault, "encode it first")


def _chunked(body: bytes) -> bytes:
    parts = [body[start : start + _CHUNK] for start in range(0, len(body), _CHUNK)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def _reason(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return ""


def _wrong(message: str, hint: str = "") -> InputError:
    return InputError([Problem(message, hint=hint)])
