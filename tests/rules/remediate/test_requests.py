"""A rule's remediation by request is rendered as it would be sent, and what cannot be sent is told."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.remediate import ActionContext, read_remediation, render_remediation

REPOSITORY = {"owner": "acme", "name": "shop", "default_branch": "main"}


def rest(**fields: Any) -> dict[str, Any]:
    return {"type": "rest", "rest": {"endpoint": "/repos/{{.Entity.Owner}}/{{.Entity.Name}}", **fields}}


def rendered(section: dict[str, Any], **context: Any) -> dict[str, Any]:
    result = render_remediation(section, ActionContext(REPOSITORY, **context))
    assert result is not None
    return result.as_data()


def refused(section: dict[str, Any], **context: Any) -> str:
    with pytest.raises(InputError) as caught:
        render_remediation(
            section, ActionContext(REPOSITORY, **context), "rule.yaml", lambda *path: (9, len(path))
        )
    return str(caught.value)


def test_a_rule_without_a_section_does_nothing() -> None:
    assert render_remediation(None, ActionContext(REPOSITORY)) is None


def test_a_request_is_rendered_from_entity_profile_params_and_output() -> None:
    section = rest(
        method="{{.Params.method}}",
        body='{"private": {{.Profile.private}}, "found": "{{.EvalResultOutput.reason}}"}',
    )
    data = rendered(section, profile={"private": True}, params={"method": "put"}, output={"reason": "public"})
    assert data == {
        "type": "rest",
        "method": "PUT",
        "endpoint": "/repos/acme/shop",
        "body": {"private": True, "found": "public"},
    }


def test_a_request_is_a_patch_with_an_empty_object_unless_the_rule_says_otherwise() -> None:
    assert rendered(rest()) == {"type": "rest", "method": "PATCH", "endpoint": "/repos/acme/shop", "body": {}}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (rest(body='{"a": 1,}'), "rule.yaml:9:2: the rendered body is no JSON"),
        (rest(body="[1]"), "the rendered body must be a JSON object, not [1]"),
        (rest(body="{{.Profile.nothing}}"), 'map has no entry for key "nothing"'),
        (rest(body='{"a": "' + "x" * 6000 + '"}'), "exceeded size limit (at most 5,120 bytes may come out)"),
        (rest(method="PATCHPATCHPATCH"), "exceeded size limit"),
        (rest(endpoint="{{.Entity.Ownr}}"), "did you mean 'Owner'?"),
        (rest(endpoint=""), "'endpoint' must not be empty"),
        (rest(endpiont="/"), "endpiont"),
        ({"type": "rest"}, "the remediate section of type rest has no 'rest'"),
        ({"type": "rst"}, "'type' must be"),
        ({"rest": {"endpoint": "/"}}, "'type'"),
        ({"type": "rest", "rest": 7}, "'rest' must be"),
    ],
)
def test_what_cannot_be_sent_is_an_error_at_its_place(section: dict[str, Any], message: str) -> None:
    assert message in refused(section, profile={})


PROTECTION = {
    "url": "https://api.example.com/x",
    "required_status_checks": {
        "strict": True,
        "contexts": ["ci"],
        "checks": [{"context": "ci", "app_id": 1}],
    },
    "enforce_admins": {"url": "x", "enabled": True},
    "required_pull_request_reviews": {
        "url": "x",
        "dismiss_stale_reviews": True,
        "required_approving_review_count": 1,
        "dismissal_restrictions": {"users": [{"login": "ada"}], "teams": [{"slug": "core"}]},
    },
    "restrictions": {"users": [{"login": "bob"}], "teams": [], "apps": [{"slug": "bot"}]},
    "required_linear_history": {"enabled": False},
    "allow_force_pushes": {"enabled": True},
    "lock_branch": {"enabled": False},
}


def protect(patch: str) -> dict[str, Any]:
    return {"type": "gh_branch_protection", "gh_branch_protection": {"patch": patch}}


def test_a_patch_is_merged_over_the_present_protection() -> None:
    asked = []

    def fetch(method: str, url: str, body: Any) -> tuple[int, Any]:
        asked.append((method, url, body))
        return 200, PROTECTION

    patch = '{"restrictions": null, "required_pull_request_reviews": '
    patch += '{"required_approving_review_count": {{.Profile.count}}}}'
    data = rendered(protect(patch), profile={"count": 2}, params={"branch": "release/1"}, fetch=fetch)
    assert asked == [("GET", "/repos/acme/shop/branches/release%2F1/protection", None)]
    assert data == {
        "type": "gh_branch_protection",
        "method": "PUT",
        "endpoint": "/repos/acme/shop/branches/release%2F1/protection",
        "branch": "release/1",
        "body": {
            "required_status_checks": {"strict": True, "checks": [{"context": "ci", "app_id": 1}]},
            "required_pull_request_reviews": {
                "dismiss_stale_reviews": True,
                "require_code_owner_reviews": False,
                "required_approving_review_count": 2,
                "require_last_push_approval": False,
                "dismissal_restrictions": {"users": ["ada"], "teams": ["core"], "apps": []},
            },
            "enforce_admins": True,
            "restrictions": None,
            "required_linear_history": False,
            "allow_force_pushes": True,
            "lock_branch": False,
        },
        "patch": {
            "required_pull_request_reviews": {"required_approving_review_count": 2},
            "restrictions": None,
        },
    }


@pytest.mark.parametrize("params", [{}, {"branch": ""}])
def test_an_unprotected_default_branch_starts_from_nothing(params: dict[str, Any]) -> None:
    data = rendered(
        protect('{"enforce_admins": true}'), params=params, fetch=lambda *_: (404, {"message": "x"})
    )
    assert data["branch"] == "main"
    assert data["body"] == {
        "required_status_checks": None,
        "required_pull_request_reviews": None,
        "enforce_admins": True,
        "restrictions": None,
    }


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((500, None), "was answered with status 500"),
        ((200, [1]), "gave [1]"),
    ],
)
def test_a_protection_that_cannot_be_read_is_an_error(answer: tuple[int, Any], message: str) -> None:
    assert message in refused(protect("{}"), fetch=lambda *_: answer)


def test_a_protection_that_nobody_mocks_is_an_error() -> None:
    assert "nothing answers GET /repos/acme/shop/branches/main/protection" in refused(protect("{}"))


def test_only_a_repository_has_protected_branches() -> None:
    assert "expected repository, got artifact" in refused(protect("{}"), entity_kind="artifact")


def test_every_broken_template_is_found_without_an_evaluation() -> None:
    section = rest(body="{{if}}", method="{{")
    with pytest.raises(InputError) as caught:
        read_remediation(section, "rule.yaml", lambda *path: (5 + len(path), 1))
    assert [problem.line for problem in caught.value.problems] == [7, 7]


def test_a_section_is_read_once_and_rendered_for_many_evaluations() -> None:
    action = read_remediation(rest())
    assert action is not None
    for name in ("shop", "site"):
        assert (
            action.render(ActionContext({"owner": "a", "name": name})).as_data()["endpoint"]
            == f"/repos/a/{name}"
        )
