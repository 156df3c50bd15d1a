"""Endpoints of data sources: URI templates of RFC 6570, filled in with the arguments of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from understudy.core.brief import brief
from understudy.rules.evaluate.functions import HostError

if TYPE_CHECKING:
    from uritemplate import URITemplate

_KEPT = 256
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_CONTENT = re.compile(r"([+#./;?&]?)((?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+(?:\*|:\d{1,4})?(?:,|$))+")
_NAME = re.compile(r"(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+")


class BadTemplate(ValueError):
    """A text is no URI template; the message says what is wrong with it."""


class Endpoint:
    """A URI template, and the arguments that it cannot do without."""

    def __init__(self, template: URITemplate, needed: tuple[str, ...]) -> None:
        self._template = template
        self._needed = needed
        self._names = tuple(template.variable_names)
        self._expanded: dict[tuple[Any, ...], str] = {}

    def expand(self, arguments: Mapping[str, Any]) -> str:
        """The URL for these arguments; HostError names one that is missing or has no form in a URL."""
        for name in self._needed:
            if arguments.get(name) is None:
                raise HostError(f"the argument {name!r} is missing, which the endpoint needs")
        texts = tuple([arguments.get(name) for name in self._names])
        if not all(text is None or type(text) is str for text in texts):
            return self._expand(arguments)
        # the same entity is asked about again and again, and the library takes its time
        url = self._expanded.get(texts)
        if url is None:
            if len(self._expanded) >= _KEPT:
                self._expanded.clear()
            url = self._expanded[texts] = self._expand(arguments)
        return url

    def _expand(self, arguments: Mapping[str, Any]) -> str:
        given = {name: arguments[name] for name in self._names if arguments.get(name) is not None}
        return str(self._template.expand({name: _plain(name, value) for name, value in given.items()}))


@lru_cache(maxsize=1_024)
def read_template(text: str) -> Endpoint:
    """Read a URI template. `{name}` and `{+name}` need their argument; other forms leave out what is not given.

    >>> endpoint = read_template("https://api.shop.test/items/{kind}{?page,tags*}")
    >>> endpoint.expand({"kind": "a b", "tags": ["x", "y"], "other": 1})
    'https://api.shop.test/items/a%20b?tags=x&tags=y'
    """
    from uritemplate import URITemplate

    bare = _EXPRESSION.sub("", text)
    if "{" in bare or "}" in bare:
        raise BadTemplate("has a brace that is not closed or not opened")
    needed: list[str] = []
    for content in _EXPRESSION.findall(text):
        found = _CONTENT.fullmatch(content)
        if found is None or content.endswith(","):
            raise BadTemplate(f"has {'{' + content + '}'}, which is no expression")
        if found[1] in ("", "+"):
            needed += _NAME.findall(re.sub(r":\d+", "", content))
    return Endpoint(URITemplate(text), tuple(dict.fromkeys(needed)))


def _plain(name: str, value: Any) -> Any:
    """A value as the template takes it: texts, lists of texts, and mappings of texts."""
    if isinstance(value, Mapping):
        return {str(key): _text(name, entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list | tuple):
        return [_text(name, entry) for entry in value if entry is not None]
    return _text(name, value)


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str | int | float):
        return str(value)
    raise HostError(f"the argument {name!r} holds {brief(value)}, which has no form in a URL")
