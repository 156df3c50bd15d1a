"""Which keys a pydantic model knows at a data path, so that a wrong key can be told the nearest right one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from understudy.documents.positions import Path


def keys_at(model: Any, path: Path) -> list[str]:
    """The keys, as files spell them, of every model that may stand at a data path of `model`.

    >>> from pydantic import BaseModel, Field
    >>> class Step(BaseModel):
    ...     time_out: int = Field(0, alias="timeOut")
    >>> keys_at(dict[str, list[Step]] | None, ("first", 3))
    ['timeOut']
    """
    kinds = list(_alternatives(model))
    for step in path:
        kinds = [
            kind for parent in kinds for child in _children(parent, step) for kind in _alternatives(child)
        ]
    return list(dict.fromkeys(key for kind in kinds for key in _fields(kind)))


def _alternatives(kind: Any) -> Iterable[Any]:
    origin = get_origin(kind)
    if origin is Annotated:
        yield from _alternatives(get_args(kind)[0])
    elif origin in (Union, UnionType):
        for member in get_args(kind):
            yield from _alternatives(member)
    else:
        yield kind


def _children(kind: Any, step: str | int) -> Iterable[Any]:
    arguments = get_args(kind)
    origin = get_origin(kind)
    if not isinstance(origin, type) or not arguments:
        field = _fields(kind).get(str(step))
        if field is not None:
            yield field
    elif issubclass(origin, Mapping):
        yield arguments[1]
    elif issubclass(origin, Sequence):
        yield arguments[0]


def _fields(kind: Any) -> dict[str, Any]:
    """The fields of a model, by their names in files, with their types."""
    fields = getattr(kind, "model_fields", None) or {}
    return {_key(name, field): field.annotation for name, field in fields.items()}


def _key(name: str, field: Any) -> str:
    alias = field.validation_alias or field.alias
    return alias if isinstance(alias, str) else name
