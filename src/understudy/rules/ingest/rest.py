"""Ingests what a provider's API answers: `ingest.type: rest` of a rule.

A status of 300 or more is an error, unless a fallback names it. Not so in the second dialect of tests: mindev's mocks
never give the ingester an error, so that there the body of a 404 is ingested as any other, and no fallback applies.
Tests that are written for it count on that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator

from understudy.core.brief import visible
from understudy.core.errors import InputError
from understudy.documents.positions import Document, Path
from understudy.documents.validate import validate
from understudy.rules.templates import Template, compile_template, entity_view
from understudy.rules.web import Answer, Web, WebError, WebRequest
from understudy.rules.web_body import UnreadableBody, read_body
from understudy.wire.messages import Headers

_HEADER = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*")
_SHOWN_BODY = 200


class Section(BaseModel):
    """A part of the section; keys that Minder does not know are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class RestFallback(Section):
    """What is ingested instead where the API answers with this status."""

    http_code: Annotated[int, Field(ge=100, le=599)]
    body: str = ""


class RestSection(Section):
    """The section `rest` of a rule's ingest, as it is written."""

    endpoint: Annotated[str, Field(min_length=1)]
    method: str = ""
    body: str | None = None
    headers: list[str] = []
    parse: Literal["json", ""] = ""
    fallback: list[RestFallback] = []

    @field_validator("headers")
    @classmethod
    def _are_named(cls, headers: list[str]) -> list[str]:
        for header in headers:
            if not _HEADER.fullmatch(header):
                raise ValueError(f"{header!r} is no header; write 'Name: value'")
        return headers


class IngestError(WebError):
    """Nothing could be ingested: the evaluation's status is `error`, and this is its message."""


class RestIngested(NamedTuple):
    """What was ingested, and how it came: `fallback` is the status that the rule has a fallback for."""

    value: Any
    method: str
    url: str
    status: int
    mock: str = ""
    fallback: int | None = None

    def __str__(self) -> str:
        by_mock = f" by the mock {self.mock!r}" if self.mock else ""
        instead = "; the rule's fallback was ingested" if self.fallback is not None else ""
        return f"{self.method} {self.url} was answered {self.status}{by_mock}{instead}"


class RestIngest:
    """The request that a rule ingests from, its templates compiled."""

    def __init__(
        self, section: RestSection, endpoint: Template, method: Template, body: Template | None
    ) -> None:
        self._endpoint = endpoint
        self._method = method
        self._body = body
        self._headers = _headers(section.headers)
        self._parse = section.parse
        self._fallbacks = {fallback.http_code: fallback.body for fallback in reversed(section.fallback)}

    def ingest(
        self, entity: Mapping[str, Any], params: Mapping[str, Any], web: Web, kind: str = "repository"
    ) -> Any:
        """What the API answers for an entity of a kind. Raises IngestError, or UnmatchedRequest of the mocks."""
        return self.exchange(entity, params, web, kind).value

    def exchange(
        self, entity: Mapping[str, Any], params: Mapping[str, Any], web: Web, kind: str = "repository"
    ) -> RestIngested:
        """The same, with how it came."""
        request = self.request(entity, params, kind)
        answer = web.send(request)
        url = answer.url or request.url
        shown = f"{request.method} {url}"
        fallback = self._fallbacks.get(answer.status)
        # mindev's tests count on the body of a mock whatever its status; what no mock answers is 404 as anywhere.
        taken_as_it_is = web.mimics_mindev and (fallback is None or bool(answer.mock))
        if answer.status < 300 or taken_as_it_is:
            value = self._read(answer.body, shown)
            return RestIngested(value, request.method, url, answer.status, answer.mock)
        if fallback is None:
            raise IngestError(_refused(shown, answer, has_fallbacks=bool(self._fallbacks)))
        value = self._read(fallback.encode("utf-8", "replace"), f"the rule's fallback for {answer.status}")
        return RestIngested(value, request.method, url, answer.status, answer.mock, answer.status)

    def request(
        self, entity: Mapping[str, Any], params: Mapping[str, Any], kind: str = "repository"
    ) -> WebRequest:
        """The request that is sent for an entity. Raises IngestError if a template lacks something."""
        data = {"Entity": entity_view(entity, kind), "Params": params}
        try:
            endpoint = self._endpoint.render(data).strip()
            method = self._method.render(data).strip().upper() or "GET"
            body = self._body.render(data).encode("utf-8", "replace") if self._body is not None else None
        except InputError as error:
            raise IngestError(f"the request cannot be made: {error}") from None
        if not endpoint:
            raise IngestError("the request cannot be made: the endpoint's template gives nothing")
        return WebRequest(method, endpoint, self._headers, body, with_token=True)

    def _read(self, body: bytes, what: str) -> Any:
        try:
            return read_body(body, self._parse)
        except UnreadableBody as error:
            raise IngestError(f"{what}: {error}") from None


def rest_ingest(document: Document, path: Path) -> RestIngest:
    """The section at a data path of a rule file. Raises InputError with the places of what is wrong in it.

    >>> from understudy.documents.yaml import load_yaml
    >>> rule = load_yaml("rule.yaml", text="rest: {endpoint: '/repos/{{.Entity.Owner}}', parse: json}")
    >>> rest_ingest(rule, ("rest",)).request({"owner": "acme"}, {}).url
    '/repos/acme'
    """
    section = validate(RestSection, document, path)

    def compiled(name: str, text: str) -> Template:
        line, column = document.positions.value((*path, name))
        if "\n" in text:  # a block of YAML begins below its key
            line, column = line + 1, 1
        return compile_template(text, document.file, line, column)

    body = compiled("body", section.body) if section.body else None
    return RestIngest(
        section, compiled("endpoint", section.endpoint), compiled("method", section.method), body
    )


def _headers(lines: list[str]) -> Headers:
    return tuple((found[1], found[2]) for line in lines if (found := _HEADER.fullmatch(line)))


def _refused(shown: str, answer: Answer, *, has_fallbacks: bool) -> str:
    try:
        phrase = f" {HTTPStatus(answer.status).phrase}"
    except ValueError:
        phrase = ""
    text = f"{shown} was answered {answer.status}{phrase}"
    said = visible(answer.body[: _SHOWN_BODY * 4].decode("utf-8", "replace").strip())
    if said:
        text += f": {said if len(said) <= _SHOWN_BODY else said[: _SHOWN_BODY - 1] + '…'}"
    word = "no fallback of the rule names this status" if has_fallbacks else "the rule has no fallback for it"
    entry = f"fallback: [{{http_code: {answer.status}, body: ...}}]"
    return f"{text} ({word}; if it is an answer and no error, add one: {entry})"
