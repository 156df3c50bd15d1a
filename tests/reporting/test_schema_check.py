"""The published schema describes every field, and both of our ways to ask it give the same answer."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.sample_reports import full_report, hostile_report
from understudy.reporting.json_report import write_json
from understudy.reporting.schema_check import plain_violations, report_schema, violations


def _record() -> Any:
    out = io.StringIO()
    write_json(full_report(), out, "1")
    return json.loads(out.getvalue())


_RECORD = _record()
_VALIDATOR = jsonschema_rs.Draft202012Validator(report_schema())


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in entries:
        yield (*path, key)
        yield from _places(inner, (*path, key))


_PLACES = list(_places(_RECORD))
_values: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1, -1, 1.5, 2.0, "", "passed", [], {}, [1], {"file": "a"}, [{}], {"x": 1}]
)


def test_the_schema_is_a_json_schema() -> None:
    jsonschema_rs.meta.validate(report_schema())


def test_every_field_is_described() -> None:
    def undescribed(schema: Any, path: str) -> Iterator[str]:
        for name, inner in schema.get("properties", {}).items():
            if "description" not in inner:
                yield f"{path}/{name}"
            yield from undescribed(inner, f"{path}/{name}")

    schema = report_schema()
    parts = [schema, *schema["$defs"].values()]
    assert [place for part in parts for place in undescribed(part, part["description"])] == []


def test_a_real_report_has_no_violation() -> None:
    assert violations(_RECORD, 5) == []
    assert plain_violations(_RECORD, 5) == []


def test_a_text_that_rust_cannot_hold_is_checked_all_the_same() -> None:
    out = io.StringIO()
    write_json(hostile_report(), out, "1")
    record = json.loads(out.getvalue())
    assert violations(record, 5) == []
    record["outcomes"][0]["status"] = "\ud800"
    assert [path for path, _ in violations(record, 5)] == ["/outcomes/0/status"]


def test_without_the_library_the_check_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jsonschema_rs", None)
    assert violations({"schema": "understudy.report.v1", "summary": 1, "outcomes": []}, 5) == [
        ("/summary", '1 is not of type "object"')
    ]


@given(st.sampled_from(_PLACES), st.sampled_from(["replace", "remove", "add"]), _values)
def test_both_ways_agree_on_every_changed_report(place: tuple[Any, ...], how: str, value: Any) -> None:
    record = copy.deepcopy(_RECORD)
    *above, last = place
    holder = record
    for key in above:
        holder = holder[key]
    if how == "replace":
        holder[last] = value
    elif how == "remove":
        del holder[last]
    elif isinstance(holder, dict):
        holder["surprise"] = value
    else:
        holder.append(value)
    ours = {path for path, _ in plain_violations(record, 100)}
    theirs = {"".join(f"/{part}" for part in error.instance_path) for error in _VALIDATOR.iter_errors(record)}
    assert ours == theirs
