"""Rule types as models: what stands in a rule file, with what Minder fills in."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

ENTITIES = ("repository", "artifact", "pull_request", "release", "pipeline_run", "task_run", "build")

Entity = Literal["repository", "artifact", "pull_request", "release", "pipeline_run", "task_run", "build"]
JsonSchema = dict[str, Any]


class Part(BaseModel):
    """A part of a rule file; keys that we do not know are the business of whoever wrote them."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class Severity(Part):
    """How bad a failure of the rule is."""

    value: str = "unknown"


class Context(Part):
    """Whose API the rule speaks to."""

    provider: str = "github"


class DataSourceReference(Part):
    """A data source that a rule calls by name."""

    name: str
    alias: str = ""


class RegoEval(Part):
    """A policy in Rego."""

    type: Literal["deny-by-default", "constraints"] = "deny-by-default"
    definition: str = Field(default="", alias="def")
    violation_format: Literal["text", "json"] = "text"


class EvalDefinition(Part):
    """How the ingested data is judged. `jq` holds the assertions as they are written."""

    type: Literal["jq", "rego", "vulncheck", "trusty", "homoglyphs"]
    jq: list[dict[str, Any]] = Field(default_factory=list)
    rego: RegoEval | None = None
    data_sources: list[DataSourceReference] = Field(default_factory=list)


class IngestDefinition(Part):
    """Where the data comes from; the table named like the type says how."""

    type: Literal["rest", "git", "builtin", "diff", "artifact", "deps"]
    rest: dict[str, Any] | None = None
    git: dict[str, Any] | None = None
    builtin: dict[str, Any] | None = None
    diff: dict[str, Any] | None = None
    artifact: dict[str, Any] | None = None
    deps: dict[str, Any] | None = None


class Definition(Part):
    """What a rule is about, what it ingests and how it judges."""

    in_entity: Entity = "repository"
    provider_traits: list[str] = Field(default_factory=list)
    rule_schema: JsonSchema = Field(default_factory=dict)
    param_schema: JsonSchema | None = None
    ingest: IngestDefinition
    eval: EvalDefinition
    remediate: dict[str, Any] | None = None
    alert: dict[str, Any] | None = None


class RuleType(Part):
    """A rule type, as its file says it."""

    version: str = "v1"
    type: Literal["rule-type"] = "rule-type"
    name: str = Field(min_length=1)
    display_name: str = ""
    short_failure_message: str = ""
    description: str = ""
    guidance: str = ""
    severity: Severity = Severity()
    context: Context = Context()
    release_phase: str = ""
    definition: Definition = Field(alias="def")
