"""The entities that rules are about, from what git says and what the user says over it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.rules.check.overrides import Overrides
from understudy.rules.check.repository import Repository

_OF_REPOSITORY = (
    "owner", "name", "default_branch", "clone_url", "deploy_url", "license", "repo_id", "hook_id", "hook_url",
    "hook_name", "hook_type", "hook_uuid", "is_private", "is_fork",
)  # fmt: skip
_OF_PULL_REQUEST = (
    "url", "commit_sha", "number", "author_id", "action", "base_ref", "target_ref", "base_clone_url",
    "target_clone_url",
)  # fmt: skip
_PLAIN = ("is_private", "is_fork", "is_archived")
_REPOSITORY_PROPERTIES: Mapping[str, Mapping[str, str]] = {
    "github": {
        "github/repo_owner": "owner", "github/repo_name": "name", "github/repo_id": "repo_id",
        "github/clone_url": "clone_url", "github/default_branch": "default_branch", "github/license": "license",
        "github/deploy_url": "deploy_url",
    },
    "gitlab": {
        "gitlab/namespace": "owner", "gitlab/project_name": "name", "gitlab/clone_url": "clone_url",
        "gitlab/default_branch": "default_branch", "gitlab/license": "license",
    },
}  # fmt: skip
_PULL_REQUEST_PROPERTIES: Mapping[str, Mapping[str, str]] = {
    "github": {
        "github/repo_owner": "repo_owner", "github/repo_name": "repo_name", "github/pull_url": "url",
        "github/pull_number": "number", "github/pull_sha": "commit_sha", "github/pull_author_id": "author_id",
        "github/pull_action": "action", "github/base_ref": "base_ref", "github/pull_ref": "target_ref",
        "github/clone_url": "base_clone_url", "github/target_url": "target_clone_url",
    },
    "gitlab": {"gitlab/merge_request_number": "number"},
}  # fmt: skip


def repository_entity(repository: Repository, said: Overrides) -> dict[str, Any]:
    """The repository as rules see it: its fields, and the properties that Minder gives it.

    What nobody knows is left out, and is empty to a template and undefined to a policy.
    """
    known = _known(repository, said)
    entity = {name: known[name] for name in _OF_REPOSITORY if name in known}
    properties = _properties(entity, _REPOSITORY_PROPERTIES[repository.remote.forge])
    if entity.get("owner"):
        properties["name"] = f"{entity['owner']}/{entity['name']}"
    properties |= {name: known[name] for name in _PLAIN if name in known}
    return {**entity, "properties": {**properties, **said.properties}}


def pull_request_entity(repository: Repository, said: Overrides) -> dict[str, Any]:
    """A change as rules see it: that from the base revision to what is checked."""
    known = _known(repository, said)
    found = {
        "commit_sha": repository.commit,
        "base_ref": repository.base_revision,
        "target_ref": repository.branch,
        "base_clone_url": known.get("clone_url", ""),
        "repo_owner": known.get("owner", ""),
        "repo_name": known.get("name", ""),
    }
    entity = {name: value for name, value in found.items() if value}
    entity |= {name: said.fields[name] for name in _OF_PULL_REQUEST if name in said.fields}
    properties = _properties(entity, _PULL_REQUEST_PROPERTIES[repository.remote.forge])
    if entity.get("repo_owner") and entity.get("number"):
        properties["name"] = f"{entity['repo_owner']}/{entity['repo_name']}/{entity['number']}"
    return {**entity, "properties": {**properties, **said.properties}}


def _known(repository: Repository, said: Overrides) -> dict[str, Any]:
    found = {
        "owner": repository.remote.owner,
        "name": repository.name,
        "default_branch": repository.default_branch,
        "clone_url": repository.remote.clone_url,
    }
    return {**{name: value for name, value in found.items() if value}, **said.fields}


def _properties(entity: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {key: entity[name] for key, name in names.items() if name in entity}
