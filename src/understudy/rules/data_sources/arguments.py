"""What a policy passes to a data source: an object that fits the function's `input_schema`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from understudy.core.brief import brief, json_type
from understudy.core.errors import InputError, Problem, missing_extra
from understudy.rules.evaluate.functions import HostError

_SHOWN = 5


class ArgumentSchema:
    """The schema of a function's arguments, compiled when it is first needed; without one, any object fits."""

    def __init__(
        self, schema: Mapping[str, Any] | None, file: str = "", place: tuple[int, int] = (1, 1)
    ) -> None:
        self._schema = dict(schema or {})
        self._file = file
        self._place = place

    def check(self, arguments: Any) -> Mapping[str, Any]:
        """The arguments, if they fit; HostError names those that do not.

        >>> ArgumentSchema({"required": ["owner"]}).check({})
        Traceback (most recent call last):
        ...
        understudy.rules.evaluate.functions.HostError: the argument 'owner' is missing
        """
        if not isinstance(arguments, Mapping):
            raise HostError(
                f"takes an object of arguments, and got {brief(arguments)}, a {json_type(arguments)}"
            )
        if not self._schema or self._validator.is_valid(arguments):
            return arguments
        wrong = []
        for error in self._validator.iter_errors(dict(arguments)):
            wrong.append(_said(error))
            if len(wrong) == _SHOWN:
                break
        raise HostError("; ".join(wrong))

    def prepare(self) -> None:
        """Compile the schema; InputError if it is none."""
        if self._schema:
            self._validator  # noqa: B018 - what it gives is kept

    @cached_property
    def _validator(self) -> Any:
        try:
            import jsonschema_rs
        except ImportError:
            raise missing_extra("rules", "jsonschema-rs") from None
        try:
            return jsonschema_rs.validator_for(self._schema, offline=True)
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
            message = f"'input_schema' is no JSON Schema: {str(error).splitlines()[0]}"
            raise InputError([Problem(message, self._file, *self._place)]) from None


def _said(error: Any) -> str:
    path = ".".join(str(step) for step in error.instance_path)
    missing = (
        getattr(error.kind, "property", None) if type(error.kind).__name__.endswith("Required") else None
    )
    if missing is not None:
        name = f"{path}.{missing}" if path else str(missing)
        return f"the argument {name!r} is missing"
    what = f"the argument {path!r} does" if path else "the arguments do"
    return f"{what} not fit: {error.message}"
