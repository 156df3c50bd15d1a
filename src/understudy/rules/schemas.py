"""What a rule's schemas say of a profile and of parameters: defaults are filled in, and what breaks them is told."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from understudy.core.errors import InputError, Problem, missing_extra

_ERRORS_SHOWN = 10


class BreaksSchema(ValueError):
    """A value does not fit; the message names every path and what is wrong there."""


@dataclass(frozen=True)
class ValueSchema:
    """The schema of a profile or of parameters; `what` is what messages call it, `place` where it stands."""

    schema: Mapping[str, Any]
    what: str
    file: str = ""
    place: tuple[int, int] = (1, 1)

    def completed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The value with defaults filled in.

        >>> schema = {"properties": {"branch": {"type": "string", "default": "main"}}}
        >>> ValueSchema(schema, "params").completed({})
        {'branch': 'main'}
        """
        if not self.schema:
            return dict(given)
        filled = with_defaults(self.schema, given)
        # As it was given, or as it is then: a required key may have a default, and a default need not fit.
        if self._validator.is_valid(given):
            return filled
        left = set(self._problems(filled))
        if left:
            wrong = [problem for problem in self._problems(given) if problem in left] or sorted(left)
            raise BreaksSchema(f"the {self.what} does not fit the rule's schema: {'; '.join(wrong)}")
        return filled

    def filled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The value with defaults filled in, whether or not it fits."""
        return with_defaults(self.schema, given)

    def _problems(self, value: Mapping[str, Any]) -> list[str]:
        found: list[str] = []
        for error in self._validator.iter_errors(dict(value)):
            path = ".".join(str(step) for step in error.instance_path)
            found.append(f"{path}: {error.message}" if path else error.message)
            if len(found) == _ERRORS_SHOWN:
                break
        return found

    @cached_property
    def _validator(self) -> Any:
        try:
            import jsonschema_rs
        except ImportError:
            raise missing_extra("rules", "jsonschema-rs") from None
        try:
            return jsonschema_rs.validator_for(dict(self.schema), offline=True)
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
            message = f"the schema of the {self.what} is no JSON Schema: {str(error).splitlines()[0]}"
            raise InputError([Problem(message, self.file, *self.place)]) from None


def with_defaults(schema: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the value with the defaults of a schema's properties, down to the objects that exist.

    >>> with_defaults({"properties": {"a": {"properties": {"b": {"default": 1}}}}}, {"a": {}})
    {'a': {'b': 1}}
    """
    filled = dict(value)
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return filled
    for name, part in properties.items():
        if not isinstance(part, Mapping):
            continue
        if name not in filled and "default" in part:
            filled[name] = copy.deepcopy(part["default"])
        if isinstance(filled.get(name), Mapping):
            filled[name] = with_defaults(part, filled[name])
    return filled
