"""The builtin ingest: what is ingested is the entity itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.queries import results

METHODS = ("Passthrough",)


def ingest_builtin(settings: Mapping[str, Any] | None, entity: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a rule with `ingest.builtin` ingests. Raises InputError for a method that Minder does not have.

    >>> ingest_builtin({"method": "Passthrough"}, {"name": "widgets"})
    {'name': 'widgets'}
    """
    method = (settings or {}).get("method")
    if method in METHODS:
        return entity
    nearest = closest_name(method, METHODS) if isinstance(method, str) else ""
    hint = f"did you mean {nearest!r}?" if nearest else f"write one of: {', '.join(METHODS)}"
    what = "is missing" if method is None else f"{brief(method)} is unknown"
    raise InputError([Problem(f"ingest.builtin.method {what}", hint=hint)])


def is_meant(entity: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
    """Whether a builtin rule is about an entity: each of the rule's params must be what the entity has there.

    The names of params are paths in the entity. An entity that is not meant is skipped without a word.

    >>> is_meant({"name": "widgets", "is_private": False}, {"name": "widgets", ".is_private": False})
    True
    >>> is_meant({"name": "widgets"}, {"name": "gadgets"})
    False
    """
    return all(_is_same(_at(entity, path), wanted) for path, wanted in params.items())


def _at(entity: Mapping[str, Any], path: str) -> Any:
    try:
        found = list(results(dict(entity), path if path.startswith(".") else f".{path}"))
    except HostError as error:
        hint = "name it after a field of the entity"
        raise InputError([Problem(f"the param {path!r} is no path: {error}", hint=hint)]) from None
    return found[0] if len(found) == 1 else found or None


def _is_same(actual: Any, wanted: Any) -> bool:
    # In Go, as in JSON, a truth value is no number.
    return actual == wanted and isinstance(actual, bool) == isinstance(wanted, bool)
