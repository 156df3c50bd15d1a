"""The entity as templates see it: a struct of Go, whose fields are those of Minder's protocol."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from understudy.rules.templates.values import Struct, go_name

# Fields that an entity of a kind has though nobody set them, each with Go's zero value.
_ZEROS: Mapping[str, Mapping[str, Any]] = {
    "repository": {
        "Id": "", "Context": None, "Owner": "", "Name": "", "RepoId": 0, "HookId": 0, "HookUrl": "",
        "DeployUrl": "", "CloneUrl": "", "HookName": "", "HookType": "", "HookUuid": "", "IsPrivate": False,
        "IsFork": False, "Registered": False, "CreatedAt": None, "UpdatedAt": None, "DefaultBranch": "",
        "License": "", "Properties": None,
    },
    "artifact": {
        "ArtifactPk": "", "Owner": "", "Name": "", "Type": "", "Visibility": "", "Repository": "", "Versions": (),
        "CreatedAt": None, "Context": None, "Properties": None,
    },
    "pull_request": {
        "Url": "", "CommitSha": "", "Number": 0, "RepoOwner": "", "RepoName": "", "AuthorId": 0, "Action": "",
        "Context": None, "Properties": None,
    },
}  # fmt: skip
_TYPES = {
    "repository": "*v1.Repository",
    "artifact": "*v1.Artifact",
    "pull_request": "*v1.PullRequest",
    "release": "*v1.Release",
    "pipeline_run": "*v1.PipelineRun",
    "task_run": "*v1.TaskRun",
    "build": "*v1.Build",
}
_OTHERS: Mapping[str, Any] = MappingProxyType({"Name": "", "Context": None, "Properties": None})


def entity_view(entity: Mapping[str, Any], kind: str = "repository") -> Struct:
    """An entity whose `default_branch` is `.DefaultBranch`; fields that its kind lacks are errors.

    `properties` stay a map with the keys as they are written. A field that the kind has and nobody set is
    empty; one that was set is there, even if the kind lacks it.

    >>> view = entity_view({"owner": "acme", "repo_id": 7})
    >>> view.get("Owner"), view.get("RepoId"), view.get("DefaultBranch"), view.get("GetOwner")
    ('acme', 7, '', 'acme')
    """
    fields = {
        go_name(key): value if key == "properties" or type(value) in (str, int, bool) else _nested(value)
        for key, value in entity.items()
    }
    return Struct(fields, _TYPES.get(kind, "*v1.Entity"), _ZEROS.get(kind, _OTHERS))


def _nested(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Struct({go_name(key): _nested(part) for key, part in value.items()}, "*v1.Message")
    if isinstance(value, list | tuple):
        return [_nested(part) for part in value]
    return value
