"""A function of a data source that asks an API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from understudy.core.errors import InputError
from understudy.rules.data_sources.arguments import ArgumentSchema
from understudy.rules.data_sources.models import RestFunction
from understudy.rules.data_sources.uri import read_template
from understudy.rules.evaluate.functions import HostError
from understudy.rules.web import DATA_SOURCE_TIMEOUT, Answer, Web, WebError, WebRequest
from understudy.rules.web_body import UnreadableBody, read_body

# A status of 429 is asked again after these seconds, which together stay below what a call may take.
PAUSES = (0.5, 1.0, 2.0)
TOO_MANY_REQUESTS = 429


class RestCall:
    """The function, made ready to be called over any web."""

    def __init__(self, function: RestFunction, schema: ArgumentSchema, *, with_token: bool) -> None:
        self._endpoint = read_template(function.endpoint)
        self._method = function.method.upper() or "GET"
        self._headers = tuple(function.headers.items())
        body = next(
            (body for body in (function.body, function.bodyobj, function.bodystr) if body is not None), None
        )
        self._body = _encoded(body) if body is not None else None
        self._body_from = function.body_from_field
        self._parse = function.parse
        self._expected = frozenset(function.expected_status or (200,))
        self._fallbacks = {fallback.http_status: fallback.body for fallback in reversed(function.fallback)}
        self._schema = schema
        self._with_token = with_token

    def __call__(self, web: Web, arguments: Any) -> dict[str, Any]:
        """What the API answers: `body`, and its status as `status` and `status_code`. HostError if there is none."""
        request = self.request(arguments)
        try:
            answer = _asked(web, request)
            if answer.status not in self._expected and answer.status in self._fallbacks:
                body = self._fallback(answer.status)
            else:
                body = self._read(answer.body, lenient=not web.mimics_mindev)
        except UnreadableBody as error:
            raise HostError(f"{request.method} {answer.url or request.url}: {error}") from None
        except (WebError, InputError) as error:
            raise HostError(str(error).partition("\n")[0]) from None
        return {"body": body, "status": answer.status, "status_code": answer.status}

    def request(self, arguments: Any) -> WebRequest:
        """The request for these arguments; HostError names one that does not fit."""
        checked = self._schema.check(arguments)
        url = self._endpoint.expand(checked)
        body = self._body if self._body_from is None else _from_field(self._body_from, checked)
        return WebRequest(self._method, url, self._headers, body, DATA_SOURCE_TIMEOUT, self._with_token)

    def _fallback(self, status: int) -> Any:
        text = self._fallbacks[status]
        try:
            return read_body(text.encode("utf-8", "replace"), self._parse)
        except UnreadableBody:
            return text

    def _read(self, body: bytes, *, lenient: bool) -> Any:
        if not body and lenient and self._parse == "json":
            return None  # `code(404)` is an answer without a body; mindev has it as no answer at all
        return read_body(body, self._parse)


def _asked(web: Web, request: WebRequest) -> Answer:
    for seconds in PAUSES:
        answer = web.send(request)
        if answer.status != TOO_MANY_REQUESTS:
            return answer
        web.pause(seconds)
    answer = web.send(request)
    if answer.status == TOO_MANY_REQUESTS:
        tries = len(PAUSES) + 1
        raise WebError(
            f"{request.method} {answer.url}: too many requests, it says, even at the {tries}th try"
        )
    return answer


def _from_field(name: str, arguments: Mapping[str, Any]) -> bytes:
    value = arguments.get(name)
    if value is None:
        raise HostError(f"the argument {name!r} is missing, which is the body")
    if not isinstance(value, str | Mapping):
        raise HostError(f"the argument {name!r} is the body, and must be a string or an object")
    return _encoded(value)


def _encoded(value: Any) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")
