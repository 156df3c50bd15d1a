"""Reads the body of an answer as Minder does: JSON or text, of at most 1 MiB."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from understudy.core.brief import brief
from understudy.rules.web import BODY_LIMIT

DEPTH_LIMIT = 200
_SPACE = " \t\r\n"
_TOO_DEEP = f"the body is nested more than {DEPTH_LIMIT} levels deep"


class UnreadableBody(ValueError):
    """A body is not what the rule says it is; the message says why."""


def read_body(body: bytes, parse: str, limit: int = BODY_LIMIT) -> Any:
    """The body as JSON if `parse` is json, as text otherwise.

    As Go's decoder has it, JSON is read up to the end of its first value and what follows is left. Unlike Minder,
    which cuts a body that is too large and uses what is left, this refuses it.

    >>> read_body(b'{"id": 7} ', "json"), read_body(b"404 page not found", "json"), read_body(b"plain", "")
    ({'id': 7}, 404, 'plain')
    """
    if len(body) > limit:
        raise UnreadableBody(f"the body has {len(body):,} bytes, and at most {limit:,} are read")
    text = body.decode("utf-8", "replace")
    return read_json(text) if parse == "json" else text


def read_json(text: str) -> Any:
    """The first JSON value of a text; UnreadableBody if it does not begin with one."""
    start = 0
    while text[start : start + 1] in _SPACE and start < len(text):
        start += 1
    if start == len(text):
        raise UnreadableBody("the body is empty, and JSON is expected")
    try:
        value, _ = _DECODER.raw_decode(text, start)
    except RecursionError:
        raise UnreadableBody(_TOO_DEEP) from None
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise UnreadableBody(f"the body is not JSON: {reason} in {brief(text)}") from None
    if text.count("[") + text.count("{") > DEPTH_LIMIT and _is_too_deep(value):
        raise UnreadableBody(_TOO_DEEP)
    if "\\u" in text and ("\\ud" in text or "\\uD" in text):
        return _whole(value)
    return value


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH_LIMIT + 1):
        level = [
            child
            for container in level
            if isinstance(container, dict | list)
            for child in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return False
    return True


def _whole(value: Any) -> Any:
    """The value with halves of surrogate pairs replaced, as Go does: UTF-8 has no form for them."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(entry) for key, entry in value.items()}
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
