"""Go's view of values: what they are called, whether they are true, and structs with fields of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

_NAMES: dict[type, str] = {
    type(None): "<nil>",
    bool: "bool",
    int: "int",
    float: "float64",
    str: "string",
    dict: "map[string]interface {}",
    list: "[]interface {}",
    tuple: "[]interface {}",
}


class Struct:
    """A value with fixed fields, named as in Go: another name is an error, never an empty value.

    `zeros` gives the fields that exist though they were not set; what has only those names is known to be wrong.
    """

    __slots__ = ("fields", "type_name", "zeros")

    def __init__(
        self, fields: Mapping[str, Any], type_name: str, zeros: Mapping[str, Any] | None = None
    ) -> None:
        self.fields = fields
        self.type_name = type_name
        self.zeros: Mapping[str, Any] = zeros or {}

    def get(self, name: str) -> Any:
        """The value of a field, or what the getter of that name gives (`GetOwner`). KeyError: there is none."""
        fields, zeros = self.fields, self.zeros
        if name in fields:
            return fields[name]
        if name in zeros:
            return zeros[name]
        getter = name.removeprefix("Get")
        if getter != name and (getter in fields or getter in zeros):
            return self.get(getter)
        raise KeyError(name)

    def names(self) -> list[str]:
        """Every field, sorted."""
        return sorted({*self.fields, *self.zeros})


def type_name(value: Any) -> str:
    """What Go calls the type of a value of JSON.

    >>> type_name({}), type_name(1), type_name(1.5), type_name(None)
    ('map[string]interface {}', 'int', 'float64', '<nil>')
    """
    found = _NAMES.get(type(value))
    if found is not None:
        return found
    if isinstance(value, Struct):
        return value.type_name
    if isinstance(value, Mapping):
        return _NAMES[dict]
    if isinstance(value, Callable):  # type: ignore[arg-type]  # mypy knows no isinstance with Callable
        return "func"
    return type(value).__name__


def truth(value: Any) -> bool:
    """Whether a value counts as true in an `if`: false are zero, empty and nil."""
    return isinstance(value, Struct) or bool(value)


@lru_cache(maxsize=4096)
def go_name(key: str) -> str:
    """The name that protobuf's compiler for Go gives a field.

    >>> go_name("default_branch"), go_name("repo_id"), go_name("html_url"), go_name("defaultBranch")
    ('DefaultBranch', 'RepoId', 'HtmlUrl', 'DefaultBranch')
    """
    pieces = key.split("_")
    joined = pieces[0][:1].upper() + pieces[0][1:]
    for piece in pieces[1:]:
        # A piece that begins with a digit keeps its underscore.
        joined += piece[:1].upper() + piece[1:] if piece[:1].islower() else "_" + piece
    return joined
