"""Replaces `${name}` in a case by values: captured, from the environment, from the login, or the case's locals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.core.nearness import closest_name

_REFERENCE = re.compile(r"\$?\$\{([^${}\s]+)\}")


class UnknownVariable(UnderstudyError):
    """A case names a variable that has no value."""

    def __init__(self, name: str, hint: str) -> None:
        super().__init__(f"${{{name}}} has no value; {hint} (write $${{{name}}} for the text itself)")
        self.name = name


def names_in(value: Any) -> Iterator[str]:
    """Every name that a value refers to.

    >>> sorted(set(names_in({"a": "${id}", "b": ["x${token}y", "$${kept}"]})))
    ['id', 'token']
    """
    if isinstance(value, str):
        if "${" in value:
            yield from (found[1] for found in _REFERENCE.finditer(value) if not found[0].startswith("$$"))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from names_in(key)
            yield from names_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from names_in(item)


def substitute(value: Any, values: Mapping[str, Any], *, strict: bool = True) -> Any:
    """The value with every reference replaced; a text that is nothing but one reference keeps the value's type.

    If strict, `$${name}` stands for `${name}` itself and an unknown name raises UnknownVariable; otherwise both
    are left as they are, because they are somebody else's.

    >>> substitute({"id": "${id}", "path": "/items/${id}"}, {"id": 7})
    {'id': 7, 'path': '/items/7'}
    """
    if isinstance(value, str):
        return _in_text(value, values, strict) if "${" in value else value
    if isinstance(value, dict):
        return {
            plain_text(_in_text(key, values, strict))
            if isinstance(key, str) and "${" in key
            else key: substitute(item, values, strict=strict)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [substitute(item, values, strict=strict) for item in value]
    return value


def _in_text(text: str, values: Mapping[str, Any], strict: bool) -> Any:
    whole = _REFERENCE.fullmatch(text)
    if whole and not text.startswith("$$") and (strict or whole[1] in values):
        return _lookup(whole[1], values)

    def replace(found: re.Match[str]) -> str:
        if found[0].startswith("$$"):
            return found[0][1:] if strict else found[0]
        if not strict and found[1] not in values:
            return found[0]
        return plain_text(_lookup(found[1], values))

    return _REFERENCE.sub(replace, text)


def _lookup(name: str, values: Mapping[str, Any]) -> Any:
    if name in values:
        return values[name]
    near = closest_name(name, values)
    hint = f"did you mean ${{{near}}}?" if near else f"there are: {', '.join(sorted(values)) or 'none'}"
    raise UnknownVariable(name, hint)


def plain_text(value: Any) -> str:
    """A JSON value as it is written into a header, a path or a query.

    >>> [plain_text(value) for value in ("a", 1, 1.0, 2.5, True, None, [1, "b"])]
    ['a', '1', '1', '2.5', 'true', '', '[1,"b"]']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, dict | list | tuple):
        return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
