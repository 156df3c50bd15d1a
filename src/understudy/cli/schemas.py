"""The JSON Schemas of all files that users write or read, made from the models that read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from understudy.project.acts import installed_acts, load_act

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Schema:
    """One kind of file."""

    what: str
    make: Callable[[], dict[str, Any]]


def make_schema(name: str) -> dict[str, Any]:
    """The schema of one kind of file."""
    return {"$schema": _DIALECT, **SCHEMAS[name].make()}


def _project() -> dict[str, Any]:
    """The project file's own keys, and a table for every installed act."""
    from understudy.project.settings import ProjectSettings

    schema = ProjectSettings.model_json_schema(by_alias=True)
    schema["additionalProperties"] = False
    definitions = schema.setdefault("$defs", {})
    for name, entry in installed_acts().items():
        model = getattr(load_act(entry), "settings", None)
        if model is None:
            schema["properties"][name] = {"type": "object"}
            continue
        table = model.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
        definitions.update(table.pop("$defs", {}))
        schema["properties"][name] = table
    return schema


def _suite() -> dict[str, Any]:
    from understudy.testbed.models import Suite

    return Suite.model_json_schema(by_alias=True)


def _script() -> dict[str, Any]:
    from understudy.testbed.script_models import ScriptFile

    return ScriptFile.model_json_schema(by_alias=True)


def _v1_report() -> dict[str, Any]:
    from understudy.testbed.results import Report

    return Report.model_json_schema(by_alias=True, mode="serialization")


def _report() -> dict[str, Any]:
    text = (
        files("understudy.reporting").joinpath("schema/understudy.report.v1.schema.json").read_text("utf-8")
    )
    schema: dict[str, Any] = json.loads(text)
    return schema


SCHEMAS: Mapping[str, Schema] = {
    "project": Schema("understudy.toml, or [tool.understudy] in pyproject.toml", _project),
    "suite": Schema("suites, anvil.testbed.v1 (JSON)", _suite),
    "script": Schema("scripts, which add cases to suites (YAML)", _script),
    "report-v1": Schema("testbed reports, anvil.testbed.report.v1 (JSON)", _v1_report),
    "report": Schema("reports of all acts, understudy.report.v1 (JSON)", _report),
}
