"""Reads what a test says about one mock: an answer, a time-out, or a list of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from understudy.core.brief import brief, json_type
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.rules.web import Answer
from understudy.wire.messages import Headers

MOCK_BODY_LIMIT = 16 << 20
SEQUENCE_LIMIT = 10_000
MISUSE = "write body(...), code(...), timeout(), or a list of them"

_RESPONSE = frozenset({"mock", "status", "body", "headers", "optional", "kind"})
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_JSON_TYPE = (("Content-Type", "application/json"),)
_TEXT_TYPE = (("Content-Type", "text/plain; charset=utf-8"),)


class MockError(InputError):
    """A mock is wrong; the message names its key and says what to write."""


class MockAnswer:
    """One answer that a mock gives."""

    __slots__ = ("_body", "_headers", "_key", "is_timeout", "status")

    def __init__(self, key: str, spec: Mapping[str, Any]) -> None:
        self._key = key
        self.is_timeout = spec.get("mock") == "timeout"
        self.status = 200
        if self.is_timeout:
            return
        if not spec.keys() <= _RESPONSE:
            raise _unknown(key, next(name for name in spec if name not in _RESPONSE))
        self.status = _status(key, spec.get("status", 200))
        body = spec.get("body")
        if body is None:
            body = "null" if spec.get("kind") == "body" else ""
        headers = spec.get("headers")
        self._headers = _headers(key, headers) if headers else ()
        self._body, content_type = _sent(key, body)
        if content_type and not any(name.lower() == "content-type" for name, _ in self._headers):
            self._headers += content_type

    def answer(self, url: str) -> Answer:
        """The answer to a request for this URL."""
        return Answer(self.status, self._headers, self._body.encode("utf-8", "replace"), url, self._key)


def read_spec(key: str, spec: Any) -> tuple[tuple[MockAnswer, ...], bool]:
    """The answers of a mock, one after the other, and whether it is optional. Raises MockError.

    >>> answers, is_optional = read_spec("/a", [{"mock": "response", "status": 503}, {"mock": "timeout"}])
    >>> [answer.status for answer in answers], answers[1].is_timeout, is_optional
    ([503, 200], True, False)
    """
    if type(spec) is dict or isinstance(spec, Mapping):
        kind = spec.get("mock", "response")
        if kind == "optional":
            return read_spec(key, spec.get("answer"))[0], True
        if kind not in ("response", "timeout"):
            raise _misuse(key, spec)
        return (MockAnswer(key, spec),), spec.get("optional") is True
    if not isinstance(spec, Sequence) or isinstance(spec, str | bytes):
        raise _misuse(key, {"type": json_type(spec), "shown": brief(spec)})
    if not spec:
        raise mock_error(key, "has an empty list of answers", "give one at least, or leave the mock out")
    if len(spec) > SEQUENCE_LIMIT:
        raise mock_error(key, f"has {len(spec):,} answers, and at most {SEQUENCE_LIMIT:,} are kept")
    answers: list[MockAnswer] = []
    is_optional = False
    for entry in spec:
        if isinstance(entry, Sequence) and not isinstance(entry, str | bytes):
            raise mock_error(key, "has a list of answers within a list", "write one list")
        read, entry_is_optional = read_spec(key, entry)
        answers += read
        is_optional = is_optional or entry_is_optional
    return tuple(answers), is_optional


def _sent(key: str, body: Any) -> tuple[str, Headers]:
    """The text that is sent, and the header that says what it is."""
    content_type: Headers = _JSON_TYPE
    if isinstance(body, str):
        text = body
        if not ((text.startswith(("{", "[")) and text.rstrip().endswith(("}", "]"))) or text == "null"):
            # what looks like JSON is an API's answer, written out
            content_type = _TEXT_TYPE if text else ()
    else:
        try:
            text = _ENCODER.encode(body)
        except (TypeError, ValueError, RecursionError) as error:
            raise mock_error(key, f"has a body that is no JSON value: {error}") from None
    if len(text) > MOCK_BODY_LIMIT // 4 and len(text.encode("utf-8", "replace")) > MOCK_BODY_LIMIT:
        message = f"has a body of more than {MOCK_BODY_LIMIT:,} bytes"
        raise mock_error(key, message, "answer with less")
    return text, content_type


def mock_error(key: str, message: str, hint: str = "") -> MockError:
    """The error for the mock of a key."""
    shown = key if len(key) <= 200 else f"{key[:199]}…"
    return MockError([Problem(f"the mock {shown!r} {message}", hint=hint)])


def _misuse(key: str, spec: Mapping[str, Any]) -> MockError:
    shown = str(spec.get("shown", brief(spec)))
    noun = str(spec.get("type", "value"))
    text = shown if len(shown) <= 80 else f"{shown[:79]}…"
    return mock_error(key, f"has a {noun} where an answer must stand: {text}", MISUSE)


def _unknown(key: str, name: Any) -> MockError:
    nearest = closest_name(str(name), sorted(_RESPONSE))
    hint = f"did you mean {nearest!r}?" if nearest else "an answer has status, body and headers"
    return mock_error(key, f"has the unknown part {name!r}", hint)


def _status(key: str, status: Any) -> int:
    if type(status) is int and 100 <= status <= 599:
        return status
    message = f"has the status {brief(status)}, which must be a whole number from 100 to 599"
    raise mock_error(key, message, "write code(404), say")


def _headers(key: str, headers: Any) -> Headers:
    if not isinstance(headers, Mapping):
        message = f"has headers that are {json_type(headers)}, not a mapping of names to texts"
        raise mock_error(key, message, 'write {"Link": "..."}')
    pairs: list[tuple[str, str]] = []
    for name, value in headers.items():
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            raise mock_error(key, f"has {brief(name)} where the name of a header must stand")
        values = value if isinstance(value, list | tuple) else [value]
        for text in values:
            if not isinstance(text, str) or "\r" in text or "\n" in text:
                raise mock_error(key, f"has the header {name} with {brief(text)}", "write a text of one line")
            pairs.append((name, text))
    return tuple(pairs)
