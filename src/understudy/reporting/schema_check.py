"""Is this record a report? Asked of the published JSON Schema, by jsonschema-rs or, without it, by us."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any

SCHEMA_FILE = "understudy.report.v1.schema.json"
Violation = tuple[str, str]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "null": (type(None),),
}


@cache
def report_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of `understudy.report.v1`, as it is published with the package."""
    text = resources.files("understudy.reporting").joinpath("schema", SCHEMA_FILE).read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def violations(record: Any, limit: int) -> list[Violation]:
    """The first `limit` violations of the report schema, each as the path to it and what is wrong there."""
    try:
        import jsonschema_rs
    except ImportError:
        return plain_violations(record, limit)
    try:
        validator = jsonschema_rs.Draft202012Validator(report_schema())
        errors = list(islice(validator.iter_errors(record), limit))
    except ValueError:
        # A lone surrogate is legal in JSON, but no text for Rust.
        return plain_violations(record, limit)
    return [("".join(f"/{part}" for part in error.instance_path), _brief(error.message)) for error in errors]


def plain_violations(record: Any, limit: int) -> list[Violation]:
    """As `violations`, in plain Python: it knows just the words of JSON Schema that our schema uses.

    >>> plain_violations({"schema": "understudy.report.v1"}, 1)
    [('', "'summary' is a required property")]
    """
    schema = report_schema()
    return list(islice(_check(record, schema, schema["$defs"], ""), limit))


def _check(
    value: Any, schema: Mapping[str, Any], definitions: Mapping[str, Any], path: str
) -> Iterator[Violation]:
    if "$ref" in schema:
        yield from _check(value, definitions[schema["$ref"].removeprefix("#/$defs/")], definitions, path)
    if "anyOf" in schema and all(any(_check(value, each, definitions, path)) for each in schema["anyOf"]):
        yield path, f"{_shown(value)} is not valid under any of the schemas listed in the 'anyOf' keyword"
    if "const" in schema and value != schema["const"]:
        yield path, f"{_shown(schema['const'])} was expected"
    if "enum" in schema and value not in schema["enum"]:
        yield path, f"{_shown(value)} is not one of {', '.join(map(_shown, schema['enum']))}"
    if "type" in schema and not _is_a(schema["type"], value):
        yield path, f"{_shown(value)} is not of type {_shown(schema['type'])}"
    elif isinstance(value, dict):
        yield from _check_object(value, schema, definitions, path)
    elif isinstance(value, list) and "items" in schema:
        for index, entry in enumerate(value):
            yield from _check(entry, schema["items"], definitions, f"{path}/{index}")
    elif "minimum" in schema and value < schema["minimum"]:
        yield path, f"{_shown(value)} is less than the minimum of {schema['minimum']}"


def _check_object(
    value: Mapping[str, Any], schema: Mapping[str, Any], definitions: Mapping[str, Any], path: str
) -> Iterator[Violation]:
    known = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            yield path, f"{key!r} is a required property"
    for key, entry in value.items():
        if key in known:
            yield from _check(entry, known[key], definitions, f"{path}/{key}")
        elif schema.get("additionalProperties") is False:
            yield path, f"Additional properties are not allowed ({key!r} was unexpected)"


def _is_a(name: str, value: Any) -> bool:
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name]) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return _brief(json.dumps(value, ensure_ascii=False))


def _brief(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
