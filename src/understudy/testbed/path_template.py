"""Reads path templates: `{id}` is a parameter, `{rest...}` one that may hold several segments."""

from __future__ import annotations

import re
from functools import lru_cache

_PARAMETER = re.compile(r"\{([^{}/]+?)(\.\.\.)?\}")


@lru_cache(maxsize=4096)
def parts_of(template: str) -> tuple[tuple[str, str, bool], ...]:
    """A template cut up: what stands before each parameter, its name, and whether it takes the rest.

    >>> parts_of("/items/{id}/parts")
    (('/items/', 'id', False), ('/parts', '', False))
    """
    parts, position = [], 0
    for found in _PARAMETER.finditer(template):
        parts.append((template[position : found.start()], found[1], found[2] is not None))
        position = found.end()
    return (*parts, (template[position:], "", False))


def parameters_in(template: str) -> list[str]:
    """The names of a template's parameters, in their order.

    >>> parameters_in("/items/{id}/{rest...}")
    ['id', 'rest']
    """
    return [name for _, name, _ in parts_of(template) if name]
