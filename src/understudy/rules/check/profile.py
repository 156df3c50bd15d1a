"""Profiles as Minder has them: which rules are wanted of each kind of entity, and with what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.documents.positions import Document
from understudy.documents.validate import validate
from understudy.documents.yaml import load_go_yaml

FILE_LIMIT = 4 << 20
ENTRIES_LIMIT = 20_000
KINDS = (
    "repository", "build_environment", "artifact", "pull_request", "release", "pipeline_run", "task_run", "build",
)  # fmt: skip


class Part(BaseModel):
    """A part of the file; keys that Minder does not know are refused, as Minder does."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class ProfileRule(Part):
    """One rule that is wanted: the name of its type, what it is called here, its profile and its parameters."""

    type: Annotated[str, Field(min_length=1)]
    name: str = ""
    definition: dict[str, Any] | None = Field(None, alias="def")
    params: dict[str, Any] | None = None


Rules = list[ProfileRule] | None


class ProfileFile(Part):
    """The whole file. What concerns alerts, remediations and selections is the server's business."""

    version: Literal["v1"] = "v1"
    type: Literal["profile"]
    name: Annotated[str, Field(min_length=1)]
    display_name: str = Field("", validation_alias=AliasChoices("display_name", "displayName"))
    id: str = ""
    labels: list[str] | None = None
    context: dict[str, Any] | None = None
    alert: str | None = None
    remediate: str | None = None
    selection: list[dict[str, Any]] | None = None
    repository: Rules = None
    build_environment: Rules = Field(
        None, validation_alias=AliasChoices("build_environment", "buildEnvironment")
    )
    artifact: Rules = None
    pull_request: Rules = Field(None, validation_alias=AliasChoices("pull_request", "pullRequest"))
    release: Rules = None
    pipeline_run: Rules = Field(None, validation_alias=AliasChoices("pipeline_run", "pipelineRun"))
    task_run: Rules = Field(None, validation_alias=AliasChoices("task_run", "taskRun"))
    build: Rules = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule of a profile, for which kind of entity it is wanted, and where it says so."""

    kind: str
    rule: ProfileRule
    path: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile that was read."""

    name: str
    shown: str
    document: Document
    entries: tuple[Entry, ...]
    selects: bool

    def place(self, entry: Entry, *path: str) -> tuple[int, int]:
        """The line and column of an entry, or of a part of it."""
        return self.document.positions.value((*entry.path, *path))


def load_profile(path: Path, shown: str) -> Profile:
    """Read a profile. Raises InputError with every problem at its place."""
    document = load_go_yaml(shown, text=read_text(path, limit=FILE_LIMIT))
    kind = document.data.get("type") if isinstance(document.data, dict) else None
    if kind != "profile":
        what = f"is of type {kind!r}, and no profile" if kind else "is no profile"
        hint = "a profile begins with 'type: profile'"
        raise InputError([Problem(what, shown, *document.positions.value(("type",)), hint=hint)])
    file = validate(ProfileFile, document)
    entries = tuple(
        Entry(kind, rule, (_key(document, kind), index))
        for kind in KINDS
        for index, rule in enumerate(getattr(file, kind) or ())
    )
    if len(entries) > ENTRIES_LIMIT:
        message = f"wants {len(entries):,} rules, and at most {ENTRIES_LIMIT:,} are run"
        raise InputError([Problem(message, shown, hint="split it")])
    return Profile(file.name, shown, document, entries, bool(file.selection))


def _key(document: Document, kind: str) -> str:
    """How the file spells a kind."""
    head, *rest = kind.split("_")
    camel = head + "".join(part.capitalize() for part in rest)
    return kind if kind in document.data else camel
