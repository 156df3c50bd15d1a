"""What a connector is set up with, checked at once: its cost, context and error, and what it has beyond ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from understudy.context import ExecutionContext
from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.simulation.errors import ErrorSource


def checked_cost(value: Any) -> int:
    """What a request costs. Raises InputError."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"cost_unit is a whole number of units from 0 on, not {brief(value)}")
    return value


def checked_context(context: Any) -> ExecutionContext | None:
    """Whom a request is made for. Raises InputError."""
    if context is not None and not all(
        callable(getattr(context, name, None)) for name in ("charge", "record")
    ):
        hint = "make one with ExecutionContext.create(initiated_by, domain)"
        raise InputError([Problem(f"context is {brief(context)}, and no ExecutionContext", hint=hint)])
    return cast("ExecutionContext | None", context)


def checked_extra(given: Any) -> Mapping[str, Any]:
    """What a connector has beyond ours, by name. Raises InputError."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) and name.isidentifier() for name in given
    ):
        hint = "give a mapping of names to functions, which are called with the connector first, or to values"
        raise InputError([Problem(f"extra={brief(given)} has no names of methods", hint=hint)])
    return given


def checked_error_source(error: Any) -> ErrorSource:
    """What makes the client error, tried once, so that a class that wants more than a message is told at once."""
    hint = "give a class or function that makes an exception of a message"
    try:
        made = error("a request failed")
    except Exception as trouble:
        raise InputError([Problem(f"error={brief(error)} makes no error: {trouble}", hint=hint)]) from None
    if not isinstance(made, Exception):
        raise InputError([Problem(f"error={brief(error)} makes {brief(made)}, and no exception", hint=hint)])
    return cast("ErrorSource", error)
