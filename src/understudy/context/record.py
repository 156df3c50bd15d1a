"""Reads a context from a record that anybody may have written: every key, its type and its bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from understudy.context.budget import QueryBudget, whole_units
from understudy.context.trust import TrustLevel
from understudy.core.brief import brief, json_type
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name

_LONGEST = 1_000
_MOST_UNITS = 2**63 - 1


def read_record(record: Any) -> dict[str, Any]:
    """The values of a record of a context, by the names of its fields; an InputError with all that is wrong."""
    if not isinstance(record, Mapping):
        raise InputError([_problem(f"must be a mapping, as to_dict() gives it, not {json_type(record)}")])
    problems = [
        _problem(f"unknown key {brief(key)}", f"did you mean {near!r}?" if near else "")
        for key in record
        if key not in _READERS
        for near in [closest_name(key[:100], _READERS) if isinstance(key, str) else ""]
    ]
    values: dict[str, Any] = {}
    for name, read in _READERS.items():
        if name not in record:
            problems.append(_problem(f"{name!r} is missing", "to_dict() writes all of its keys"))
            continue
        try:
            values[name] = read(record[name])
        except InputError as error:
            problems += [_problem(f"{name!r}: {item.message}", item.hint) for item in error.problems]
        except ValueError as error:
            problems.append(_problem(f"{name!r} {error}"))
    if problems:
        raise InputError(problems)
    return values


def _problem(message: str, hint: str = "") -> Problem:
    return Problem(message, "the context", hint=hint)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text, not {brief(value)}")
    if len(value) > _LONGEST:
        raise ValueError(f"is too long: {len(value):,} characters, and {_LONGEST:,} are enough")
    return value


def _identity(value: Any) -> str:
    if not _text(value):
        raise ValueError("must not be empty")
    return str(value)


def _optional_identity(value: Any) -> str | None:
    return None if value is None else _identity(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {brief(value)}")
    return value


def _moment(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(value))
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"must be a time with its zone, such as 2026-01-31T12:00:00+00:00, not {brief(value)}")


def _budget(value: Any) -> QueryBudget:
    if not isinstance(value, Mapping) or set(value) != {"max_units", "used"}:
        raise ValueError(f"must be a mapping of max_units and used, not {brief(value)}")
    limit = None if value["max_units"] is None else _units(value["max_units"], "max_units")
    return QueryBudget(limit, _units(value["used"], "used"))


def _units(value: Any, name: str) -> int:
    if (units := whole_units(value, f"has a wrong value: {name}")) > _MOST_UNITS:
        raise ValueError(f"has a wrong value: {name} is {brief(units)}, and {_MOST_UNITS} are the most")
    return units


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "context_id": _identity,
    "initiated_by": _text,
    "domain": _text,
    "workspace_id": _text,
    "trust_level": TrustLevel,
    "policy_set": _text,
    "created_at": _moment,
    "parent_context_id": _optional_identity,
    "is_replay": _flag,
    "budget": _budget,
}
