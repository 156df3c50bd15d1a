"""An alert is rendered as it would be published."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.remediate import ActionContext, render_alert, render_remediation

PULL_REQUEST = {"repo_owner": "acme", "repo_name": "shop", "number": 7, "commit_sha": "abc"}


def alert(section: dict[str, Any] | None, context: ActionContext) -> dict[str, Any]:
    result = render_alert(section, context, "rule.yaml", lambda *path: (9, 1))
    assert result is not None
    return result.as_data()


@pytest.mark.parametrize(
    ("configured", "of_rule", "expected"),
    [("critical", "low", "critical"), ("", "high", "high"), ("", "unknown", "low"), ("", "info", "low")],
)
def test_an_advisory_names_rule_profile_severity_and_guidance(
    configured: str, of_rule: str, expected: str
) -> None:
    context = ActionContext(
        {"owner": "acme", "name": "shop"},
        rule_name="secret_scanning",
        profile_name="baseline",
        severity=of_rule,
        guidance="Turn it on.",
    )
    data = alert({"type": "security_advisory", "security_advisory": {"severity": configured}}, context)
    description = data.pop("description")
    assert data == {
        "type": "security_advisory",
        "severity": expected,
        "summary": "minder: profile baseline failed with rule secret_scanning",
        "repository": "acme/shop",
    }
    for part in ("secret_scanning", "baseline", "acme/shop", expected, "Turn it on.", "not available yet"):
        assert part in description


def test_a_comment_shows_the_details_and_the_output_escaped_for_html() -> None:
    context = ActionContext(PULL_REQUEST, "pull_request", details="<1> failure", output={"list": ["a", "b"]})
    message = "{{ .EvalErrorDetails }}:{{ range .EvalResultOutput.list }} {{ . }}{{ end }}"
    section = {"type": "pull_request_comment", "pull_request_comment": {"review_message": message}}
    assert alert(section, context) == {"type": "pull_request_comment", "body": "&lt;1&gt; failure: a b"}
    remediation = render_remediation(section, context)
    assert remediation is not None
    assert remediation.as_data()["body"] == "&lt;1&gt; failure: a b"


def test_a_status_of_the_commit_has_its_names_and_its_address_filled_in() -> None:
    context = ActionContext(PULL_REQUEST, "pull_request", rule_name="signed", output="why not")
    assert alert({"type": "commit_status", "commit_status": {}}, context) == {
        "type": "commit_status",
        "context": "minder/signed",
        "state": "failure",
        "description": "Minder evaluation failed",
        "target_url": "",
    }
    written = {
        "status_name": "policy",
        "description": "{{.RuleName}}: {{.EvalResultOutput}}",
        "target_url": "https://ci.example.com/{owner}/{repo}/{commit_sha}{?rule_name,output}",
    }
    assert alert({"type": "commit_status", "commit_status": written}, context) == {
        "type": "commit_status",
        "context": "policy",
        "state": "failure",
        "description": "signed: why not",
        "target_url": "https://ci.example.com/acme/shop/abc?rule_name=signed&output=why%20not",
    }


def test_an_issue_is_rendered_too() -> None:
    context = ActionContext({"owner": "acme", "name": "shop"}, profile={"what": "a licence"})
    section = {"type": "issue", "issue": {"title": "Add {{.Profile.what}}", "body": "To {{.Entity.Name}}"}}
    result = render_remediation(section, context)
    assert result is not None
    assert result.as_data() == {"type": "issue", "title": "Add a licence", "body": "To shop"}


@pytest.mark.parametrize(
    ("section", "kind", "message"),
    [
        (
            {"type": "pull_request_comment", "pull_request_comment": {"review_message": "x"}},
            "repository",
            "expected",
        ),
        ({"type": "commit_status", "commit_status": {}}, "artifact", "expected pull_request, got artifact"),
        (
            {"type": "security_advisory", "security_advisory": {}},
            "release",
            "expected repository, pull request",
        ),
        ({"type": "security_advisory"}, "repository", "has no 'security_advisory'"),
        ({"type": "email"}, "repository", "'type' must be"),
        (
            {"type": "pull_request_comment", "pull_request_comment": {"review_message": "{{.Entity}}"}},
            "pull_request",
            "can't evaluate field Entity",
        ),
    ],
)
def test_what_cannot_be_published_is_an_error(section: dict[str, Any], kind: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        alert(section, ActionContext(PULL_REQUEST, kind))
    assert message in str(caught.value)


def test_a_rule_without_an_alert_is_silent() -> None:
    assert render_alert(None, ActionContext(PULL_REQUEST)) is None
