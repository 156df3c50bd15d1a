"""Puts values into a case: everything that it refers to as `${name}`, in what it sends and in what it expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from understudy.core.errors import UnderstudyError
from understudy.testbed.cases import Case
from understudy.testbed.items import Item
from understudy.testbed.session import Session
from understudy.testbed.shape import json_name
from understudy.testbed.substitution import UnknownVariable, plain_text, substitute

# In a case, the parts that may refer to values; in these, the mappings of a path or a header to an expectation.
_PARTS = ("input", "expect", "until", "fail_if")
_EXPECTATIONS = ("json", "headers", "data", "errors")
# Lists of texts, of which one that is nothing but `${name}` stays a text whatever the value is.
_TEXTS = ("bodyContains", "streamContains", "errors")


def with_values(item: Item, session: Session, captured: Mapping[str, Any]) -> Case:
    """The case with every `${name}` replaced; a copy, since the suite is its owner's."""
    case = item.case
    values = {**session.values, **captured}
    strict = session.strict or bool(item.sources)
    own = getattr(case.input, "locals", None) or {}
    values.update({f"locals.{name}": value for name, value in substitute(own, values, strict=strict).items()})
    changes = {}
    for name in _PARTS:
        part = getattr(case, name)
        if part is None:
            continue
        try:
            # Not `exclude_unset`: what its owner added to a mapping in place was never set.
            filled = _filled(part.model_dump(by_alias=True), name != "input", values, strict)
            changes[name] = type(part).model_validate(filled)
        except UnknownVariable as error:
            if error.name in case.capture:
                message = f"${{{error.name}}} is captured by this very case: only other cases can use it"
                raise UnderstudyError(message) from None
            raise
        except ValidationError as error:
            reasons = "; ".join(f"{_place(name, found['loc'])}: {found['msg']}" for found in error.errors())
            raise UnderstudyError(f"once its values are put in, the case is wrong at {reasons}") from None
    return case.model_copy(update=changes)


def _filled(plain: Mapping[str, Any], is_expectation: bool, values: Mapping[str, Any], strict: bool) -> Any:
    filled: dict[str, Any] = {}
    for key, value in plain.items():
        if is_expectation and key in _EXPECTATIONS and isinstance(value, dict):
            filled[key] = {
                plain_text(substitute(path, values, strict=strict)): _as_literal(
                    expectation, substitute(expectation, values, strict=strict)
                )
                for path, expectation in value.items()
            }
        elif is_expectation and key in _TEXTS and isinstance(value, list):
            filled[key] = [plain_text(substitute(text, values, strict=strict)) for text in value]
        else:
            filled[key] = _as_text(value, substitute(value, values, strict=strict), key == "body")
    return filled


def _as_text(written: Any, value: Any, is_body: bool) -> Any:
    """What is written as a text stays one; only a body may become JSON, or none."""
    if not isinstance(written, str) or (is_body and isinstance(value, dict | list | None)):
        return value
    return plain_text(value)


def _as_literal(written: Any, value: Any) -> Any:
    """An object that stands for `${name}` is what must be equalled, even if its keys are those of operators."""
    return {"equals": value} if isinstance(written, str) and isinstance(value, dict) else value


def _place(part: str, place: tuple[Any, ...]) -> str:
    return ".".join(str(step) for step in (json_name(part), *place))
