"""Suites and reports as indented JSON text, and back, without loss."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel

from understudy.core.errors import InputError
from understudy.documents.json import DEPTH_LIMIT, load_json
from understudy.documents.positions import Path
from understudy.documents.validate import problem_at, validate
from understudy.testbed.models import Suite
from understudy.testbed.results import Report
from understudy.testbed.shape import SCHEMA_FIELD, SchemaShape, json_name

Kind = TypeVar("Kind", bound=SchemaShape)

_SURROGATE = re.compile("[\ud800-\udfff]")


def marshal_suite_json(suite: Suite) -> str:
    """A suite as JSON: what was set or is not empty, then the unknown keys that it came with.

    >>> print(marshal_suite_json(Suite()), end="")
    {
      "schema": "anvil.testbed.v1"
    }
    """
    return _marshal(suite, Suite, everything=False)


def marshal_report_json(report: Report) -> str:
    """A report as JSON: every number, boolean, list and text; only `notes` are left out when there are none.

    >>> marshal_report_json(Report()).splitlines()[1:3]
    ['  "schema": "anvil.testbed.report.v1",', '  "summary": {']
    """
    return _marshal(report, Report, everything=True)


def parse_suite_json(text: str, file: str = "") -> Suite:
    """The suite that a JSON text says; `file` is its name in errors. Raises InputError with every problem.

    >>> parse_suite_json('{"schema": "anvil.testbed.v1", "owner": "me"}').model_extra
    {'owner': 'me'}
    """
    return _parse(text, file, Suite)


def parse_report_json(text: str, file: str = "") -> Report:
    """The report that a JSON text says; `file` is its name in errors. Raises InputError with every problem.

    >>> parse_report_json(marshal_report_json(Report())) == Report()
    True
    """
    return _parse(text, file, Report)


def _parse(text: str, file: str, kind: type[Kind]) -> Kind:
    document = load_json(file, text=text)
    data = document.data
    # Asked before all else: of a document of another kind every other complaint is beside the point.
    problem = kind.schema_problem(data.get("schema")) if isinstance(data, dict) else ""
    if problem:
        raise InputError([problem_at(document, ("schema",), problem)])
    return validate(kind, document)


def _marshal(model: Kind, kind: type[Kind], *, everything: bool) -> str:
    if not isinstance(model, kind):
        raise InputError(f"only a {kind.__name__} can be written as one, not {type(model).__name__}")
    problem = kind.schema_problem(model.schema)
    if problem:
        raise InputError(problem)
    record = _plain(model, everything, ())
    text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)
    # Half of a surrogate pair is no text in UTF-8, but can be told in JSON by its escape.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text) + "\n"


@cache
def _fields(kind: type[BaseModel]) -> tuple[tuple[str, str, Any], ...]:
    """Of every field its name, its name in JSON, and its empty value."""
    return tuple(
        (name, json_name(name), field.get_default(call_default_factory=True))
        for name, field in kind.model_fields.items()
    )


def _plain(value: Any, everything: bool, path: Path) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _unwritable(path, f"is {value}, which JSON has no word for")
        return value
    if len(path) >= DEPTH_LIMIT:
        raise _unwritable(path[:8], f"is nested more than {DEPTH_LIMIT} levels deep, or holds itself")
    if isinstance(value, BaseModel):
        return _plain_model(value, everything, path)
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise _unwritable(path, f"has the key {key!r:.80}, and in JSON every key is text")
        return {key: _plain(entry, everything, (*path, key)) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry, everything, (*path, index)) for index, entry in enumerate(value)]
    raise _unwritable(path, f"is of the type {type(value).__name__}, which JSON has no word for")


def _plain_model(model: BaseModel, everything: bool, path: Path) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for name, written, empty in _fields(type(model)):
        value = getattr(model, name)
        plain = _plain(value, everything, (*path, written))
        if everything:
            is_written = name != "notes" or bool(value)
        elif name in model.model_fields_set or (name == SCHEMA_FIELD and isinstance(model, SchemaShape)):
            is_written = True
        elif isinstance(empty, BaseModel):
            is_written = bool(plain)
        else:
            # And not `exclude_unset`: a list that was appended to in place was never set.
            is_written = value != empty
        if is_written:
            record[written] = plain
    for key, value in (model.model_extra or {}).items():
        record[key] = _plain(value, everything, (*path, key))
    return record


def _unwritable(path: Path, reason: str) -> InputError:
    return InputError(f"{_written(path)} {reason}")


def _written(path: Path) -> str:
    """A path as a user writes it.

    >>> _written(("http", "routes", 0, "path"))
    'http.routes[0].path'
    """
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
