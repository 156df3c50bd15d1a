"""What every model of the testbed has in common: two spellings of a name, and `null` read as empty."""

from __future__ import annotations

from math import inf
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, field_validator, model_validator
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

Integer = Annotated[int, Strict()]
Flag = Annotated[bool, Strict()]


def _amount(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
        raise ValueError(f"must be a number from 0 on, not {value!r:.80}")
    return value


Number = Annotated[int | float, BeforeValidator(_amount), Field(ge=0)]

# A schema id that is null is a missing one, which is refused.
SCHEMA_FIELD = "schema_"


def json_name(field_name: str) -> str:
    """The spelling of a field in JSON.

    >>> json_name("body_contains"), json_name("finally_")
    ('bodyContains', 'finally')
    """
    return to_camel(field_name.rstrip("_"))


class Shape(BaseModel):
    """A part of a suite or a report: unknown keys are kept, both spellings construct it, `null` is empty.

    >>> from understudy.testbed.cases import HTTPExpectation
    >>> HTTPExpectation(body_contains=["a"]) == HTTPExpectation.model_validate({"bodyContains": ["a"]})
    True
    """

    model_config = ConfigDict(
        alias_generator=json_name,
        validate_by_alias=True,
        validate_by_name=True,
        extra="allow",
        hide_input_in_errors=True,
    )

    _empty_for: ClassVar[dict[str, FieldInfo]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Remember, by both spellings, which fields cannot be None: for them `null` means empty."""
        cls._empty_for = {
            spelling: field
            for name, field in cls.model_fields.items()
            if name != SCHEMA_FIELD and (field.default_factory is not None or field.default is not None)
            for spelling in (name, json_name(name))
        }

    @model_validator(mode="before")
    @classmethod
    def _read_null_as_empty(cls, data: Any) -> Any:
        if isinstance(data, dict) and any(value is None for value in data.values()):
            return {
                key: cls._empty_for[key].get_default(call_default_factory=True)
                if value is None and key in cls._empty_for
                else value
                for key, value in data.items()
            }
        return data

    def copy_deep(self) -> Self:
        """A copy that shares nothing with this model, so that changing one never changes the other."""
        return self.model_copy(deep=True)


class SchemaShape(Shape):
    """A whole document, which says by its schema id what it is; another id is refused.

    The JSON's name `schema` is an old method in pydantic, which no field may shadow: hence the property.
    """

    SCHEMA: ClassVar[str]
    WHAT: ClassVar[str]

    schema_: str

    @property  # type: ignore[override]  # the deprecated method has another signature, and is of no use here
    def schema(self) -> str:
        """The schema id."""
        return self.schema_

    @schema.setter
    def schema(self, value: str) -> None:
        self.schema_ = value

    @field_validator("schema_", mode="before")
    @classmethod
    def _is_ours(cls, given: Any) -> Any:
        problem = cls.schema_problem(given)
        if problem:
            raise ValueError(problem)
        return given

    @classmethod
    def schema_problem(cls, given: Any) -> str:
        """What is wrong with a schema id, empty if nothing is."""
        if given is None or given == "":
            return f'the {cls.WHAT} names no schema; it must say "schema": "{cls.SCHEMA}"'
        if given != cls.SCHEMA:
            return f'the {cls.WHAT} has the schema {given!r:.80}; only "{cls.SCHEMA}" can be read'
        return ""
