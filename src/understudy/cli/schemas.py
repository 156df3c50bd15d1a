"""The JSON Schemas of all files that users write or read, made from the models that read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import ModuleType
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


def _rule_type() -> dict[str, Any]:
    """What stands in a rule file, with the sections that have readers of their own."""
    from understudy.rules.ingest.rest import RestSection
    from understudy.rules.models import RuleType
    from understudy.rules.remediate.models import AlertSection, RemediateSection

    schema = RuleType.model_json_schema(by_alias=True)
    definitions = schema["$defs"]
    for holder, key, model in (
        ("IngestDefinition", "rest", RestSection),
        ("Definition", "remediate", RemediateSection),
        ("Definition", "alert", AlertSection),
    ):
        section = model.model_json_schema(by_alias=True)
        definitions.update(section.pop("$defs", {}))
        definitions[model.__name__] = section
        definitions[holder]["properties"][key] = {
            "anyOf": [{"$ref": f"#/$defs/{model.__name__}"}, {"type": "null"}]
        }
    return schema


def _data_source() -> dict[str, Any]:
    from understudy.rules.data_sources import models

    return _with_all_spellings(models.DataSourceFile.model_json_schema(by_alias=True), models)


def _profile() -> dict[str, Any]:
    from understudy.rules.check import profile

    return _with_all_spellings(profile.ProfileFile.model_json_schema(by_alias=True), profile)


def _with_all_spellings(schema: dict[str, Any], module: ModuleType) -> dict[str, Any]:
    """The schema of a module's model, in which a key that may be spelled in several ways is there in all of them."""
    from pydantic import AliasChoices

    for name, part in {schema["title"]: schema, **schema.get("$defs", {})}.items():
        for field in getattr(module, name).model_fields.values():
            if not isinstance(field.validation_alias, AliasChoices):
                continue
            first, *others = map(str, field.validation_alias.choices)
            part["properties"] |= dict.fromkeys(others, part["properties"][first])
            part["required"] = [key for key in part.get("required", ()) if key != first]
    return schema


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
    "rule-type": Schema("rules, Minder's rule types (YAML)", _rule_type),
    "data-source": Schema("data sources of rules (YAML)", _data_source),
    "profile": Schema("profiles, for `understudy rules check` (YAML)", _profile),
    "report-v1": Schema("testbed reports, anvil.testbed.report.v1 (JSON)", _v1_report),
    "report": Schema("reports of all acts, understudy.report.v1 (JSON)", _report),
}
