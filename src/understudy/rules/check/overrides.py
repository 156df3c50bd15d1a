"""What a user says about the entity: fields and properties, from files or the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.core.brief import brief, json_type
from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.core.nearness import closest_name
from understudy.documents.positions import Document
from understudy.documents.validate import problem_at
from understudy.documents.yaml import load_go_yaml

FILE_LIMIT = 1 << 20
_WORDS = {str: "text", bool: "true or false", int: "a whole number"}

FIELDS: Mapping[str, type] = {
    "owner": str, "name": str, "default_branch": str, "clone_url": str, "deploy_url": str, "license": str,
    "repo_id": int, "hook_id": int, "hook_url": str, "hook_name": str, "hook_type": str, "hook_uuid": str,
    "is_private": bool, "is_fork": bool, "is_archived": bool,
    "url": str, "commit_sha": str, "number": int, "author_id": int, "action": str, "base_ref": str,
    "target_ref": str, "base_clone_url": str, "target_clone_url": str,
}  # fmt: skip
# What Minder's own entity files say as properties, and a template asks for as a field.
PROPERTIES: Mapping[str, str] = {
    "github/repo_owner": "owner", "github/repo_name": "name", "github/repo_id": "repo_id",
    "github/default_branch": "default_branch", "github/clone_url": "clone_url", "github/deploy_url": "deploy_url",
    "github/license": "license", "github/pull_url": "url", "github/pull_number": "number",
    "github/pull_sha": "commit_sha", "github/pull_author_id": "author_id", "github/pull_action": "action",
    "github/base_ref": "base_ref", "github/pull_ref": "target_ref", "gitlab/namespace": "owner",
    "gitlab/project_name": "name", "gitlab/default_branch": "default_branch", "gitlab/clone_url": "clone_url",
    "gitlab/license": "license",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Overrides:
    """Fields of the entity by name, and its properties."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    properties: Mapping[str, Any] = field(default_factory=dict)

    def over(self, other: Overrides) -> Overrides:
        """Both of them; where both speak, this one holds."""
        return Overrides({**other.fields, **self.fields}, {**other.properties, **self.properties})


def read_overrides(document: Document) -> Overrides:
    """What a document says. Raises InputError with every problem at its place.

    A name with a slash in it is that of a property, as in Minder's entity files; others may stand under `properties`.
    """
    if document.data is None:
        return Overrides()
    if not isinstance(document.data, dict):
        what = json_type(document.data)
        message = f"the entity must be a mapping of fields to values, not {what}"
        raise InputError([problem_at(document, (), message, "write 'owner: acme', say")])
    fields: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, value in document.data.items():
        if key == "properties":
            if isinstance(value, dict):
                properties |= value
            elif value is not None:
                problems.append(
                    problem_at(document, (key,), "'properties' must be a mapping", "write 'a: 1'")
                )
        elif "/" in key:
            properties[key] = value
        elif key in FIELDS:
            if _fits(value, FIELDS[key]):
                fields[key] = value
            else:
                message = f"{key!r} must be {_WORDS[FIELDS[key]]}, not {brief(value)}"
                problems.append(problem_at(document, (key,), message))
        elif key not in ("type", "version", "context"):  # what a file of Minder's may begin with
            near = closest_name(key, FIELDS)
            hint = f"did you mean {near!r}?" if near else "what is no field belongs under 'properties'"
            problems.append(
                problem_at(document, (key,), f"unknown field {key!r} of an entity", hint, key=True)
            )
    if problems:
        raise InputError(problems)
    said = {
        name: properties[key]
        for key, name in PROPERTIES.items()
        if key in properties and _fits(properties[key], FIELDS[name])
    }
    return Overrides({**said, **fields}, properties)


def load_overrides(path: Path, shown: str) -> Overrides:
    """What an entity file says, YAML or JSON."""
    return read_overrides(load_go_yaml(shown, text=read_text(path, limit=FILE_LIMIT)))


def setting(text: str) -> tuple[str, Any]:
    """One `--set name=value`: the value is of the field's type. Raises InputError.

    >>> setting("name=123"), setting("number=7"), setting("github/repo_id=9"), setting("is_private=true")
    (('name', '123'), ('number', 7), ('github/repo_id', 9), ('is_private', True))
    """
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals or not name:
        raise InputError([Problem(f"--set {text!r} sets nothing", hint="write --set owner=acme, say")])
    wanted = FIELDS.get(PROPERTIES.get(name, name))
    if wanted is str:
        return name, value
    plain: Any = {"true": True, "false": False}.get(value)
    if plain is None and value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 19:
        plain = int(value)
    plain = value if plain is None else plain
    if wanted is not None and not _fits(plain, wanted):
        raise InputError([Problem(f"--set {name}: must be {_WORDS[wanted]}, not {brief(value)}")])
    return name, plain


def _fits(value: Any, wanted: type) -> bool:
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
