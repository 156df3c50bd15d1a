"""An entity in a template has the fields that Minder's protocol gives it, spelled as in Go."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.templates import compile_template, entity_view

REPOSITORY = {
    "owner": "acme",
    "name": "shop",
    "default_branch": "main",
    "repo_id": 42,
    "is_private": True,
    "cloneUrl": "https://example.com/shop.git",
    "properties": {"github/owner": "acme", "is_fork": False},
    "context": {"provider": "github"},
}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("/repos/{{.Entity.Owner}}/{{ .Entity.Name }}", "/repos/acme/shop"),
        ("{{.Entity.DefaultBranch}} {{.Entity.RepoId}} {{.Entity.IsPrivate}}", "main 42 true"),
        ("{{.Entity.CloneUrl}}", "https://example.com/shop.git"),
        ("{{.Entity.GetOwner}}", "acme"),
        ("{{.Entity.Context.Provider}}", "github"),
        ('{{mapGet .Entity.Properties "github/owner"}}', "acme"),
        ('{{index (asMap .Entity.Properties) "is_fork"}}', "false"),
        ("[{{.Entity.License}}]{{if .Entity.IsFork}}fork{{end}}", "[]"),
        ("{{with .Entity}}{{.Owner}}{{end}}", "acme"),
    ],
)
def test_fields_are_addressed_in_gos_spelling(template: str, expected: str) -> None:
    assert compile_template(template).render({"Entity": entity_view(REPOSITORY)}) == expected


@pytest.mark.parametrize(
    ("kind", "entity", "template", "expected"),
    [
        (
            "artifact",
            {"owner": "a", "versions": [{"version_id": 3}]},
            "{{(index .Versions 0).VersionId}}",
            "3",
        ),
        ("pull_request", {"number": 7}, "{{.Number}}{{.RepoOwner}}", "7"),
        ("release", {"properties": {"upstream_id": "9"}}, '{{mapGet .Properties "upstream_id"}}', "9"),
        ("build", {"anything": 1}, "{{.Anything}}", "1"),
    ],
)
def test_each_kind_of_entity(kind: str, entity: dict[str, Any], template: str, expected: str) -> None:
    assert compile_template(template).render(entity_view(entity, kind)) == expected


def test_a_field_that_the_kind_lacks_is_an_error_with_its_type() -> None:
    with pytest.raises(InputError) as caught:
        compile_template("{{.Entity.HTMLURL}}", "r.yaml").render({"Entity": entity_view(REPOSITORY)})
    assert "can't evaluate field HTMLURL in type *v1.Repository" in str(caught.value)
