"""Entities hold what git and the user say, in the fields and the properties that Minder has."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.documents.yaml import load_yaml
from understudy.rules.check.entity import pull_request_entity, repository_entity
from understudy.rules.check.overrides import Overrides, read_overrides, setting
from understudy.rules.check.remote import read_remote
from understudy.rules.check.repository import Repository
from understudy.trees import memory_tree


def a_repository(url: str) -> Repository:
    remote = read_remote(url)
    return Repository("widgets", memory_tree({}), None, "main", remote, "topic", "main", "c0ffee")


def said(text: str) -> Overrides:
    return read_overrides(load_yaml("e.yaml", text=text))


def test_a_change_has_the_fields_of_a_pull_request() -> None:
    entity = pull_request_entity(
        a_repository("git@github.com:acme/widgets.git"), said("number: 7\nauthor_id: 3")
    )
    assert entity == {
        "commit_sha": "c0ffee",
        "base_ref": "main",
        "target_ref": "topic",
        "base_clone_url": "https://github.com/acme/widgets.git",
        "repo_owner": "acme",
        "repo_name": "widgets",
        "number": 7,
        "author_id": 3,
        "properties": {
            "name": "acme/widgets/7",
            "github/repo_owner": "acme",
            "github/repo_name": "widgets",
            "github/pull_number": 7,
            "github/pull_sha": "c0ffee",
            "github/pull_author_id": 3,
            "github/base_ref": "main",
            "github/pull_ref": "topic",
            "github/clone_url": "https://github.com/acme/widgets.git",
        },
    }


def test_a_repository_of_gitlab_has_its_properties() -> None:
    entity = repository_entity(a_repository("https://gitlab.com/acme/tools/widgets"), Overrides())
    assert entity["properties"] == {
        "name": "acme/tools/widgets",
        "gitlab/namespace": "acme/tools",
        "gitlab/project_name": "widgets",
        "gitlab/clone_url": "https://gitlab.com/acme/tools/widgets",
        "gitlab/default_branch": "main",
    }


def test_an_entity_file_of_minder_is_understood() -> None:
    found = said("github/repo_name: gadgets\ngithub/repo_owner: other\nis_private: false\nis_fork: true\n")
    entity = repository_entity(a_repository(""), found)
    assert (entity["owner"], entity["name"], entity["is_private"], entity["is_fork"]) == (
        "other",
        "gadgets",
        False,
        True,
    )
    assert entity["properties"]["name"] == "other/gadgets"
    assert entity["properties"]["is_fork"] is True


def test_a_field_of_the_wrong_type_is_told_and_a_property_is_left_alone() -> None:
    with pytest.raises(InputError, match=r"e.yaml:2:13: 'is_private' must be true or false, not 1"):
        said("owner: acme\nis_private: 1\n")
    assert said("github/repo_id: many").fields == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("owner=a=b", ("owner", "a=b")),
        ("owner=", ("owner", "")),
        ("name=7", ("name", "7")),
        ("github/repo_name=7", ("github/repo_name", "7")),
        ("is_fork=false", ("is_fork", False)),
        ("number=-1", ("number", -1)),
        ("custom/level=3", ("custom/level", 3)),
        ("custom/on=true", ("custom/on", True)),
        ("custom/text=three", ("custom/text", "three")),
    ],
)
def test_a_setting_has_the_type_of_its_field(text: str, expected: tuple[str, Any]) -> None:
    assert setting(text) == expected
    assert type(setting(text)[1]) is type(expected[1])


@pytest.mark.parametrize("text", ["", "=x", "is_fork=maybe", "repo_id=1.5"])
def test_a_setting_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--set"):
        setting(text)
