"""What an alert would say: a security advisory, a comment on the pull request, a status of the commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from understudy.core.errors import missing_extra
from understudy.rules.remediate.context import Section
from understudy.rules.remediate.models import AdvisoryAction, CommentAction, IssueAction, StatusAction
from understudy.rules.templates import Struct

COMMENT_LIMIT = 65_536
TITLE_LIMIT = 75
DESCRIPTION_LIMIT = 1024
_UNKNOWN_SEVERITIES = ("", "unknown", "info")
# Who the repository is, by the kind of the entity.
_OWNERS = {
    "repository": ("owner", "name"),
    "pull_request": ("repo_owner", "repo_name"),
    "artifact": ("owner", "repository"),
}


@dataclass(frozen=True, slots=True)
class Announcement:
    """A text that would be published: its type, and what it says."""

    type: str
    says: Mapping[str, Any]

    def as_data(self) -> dict[str, Any]:
        """As plain data."""
        return {"type": self.type, **self.says}


def advisory(action: AdvisoryAction, section: Section) -> Announcement:
    """The advisory for a failing rule. The description holds what Minder's does, in words of our own."""
    context = section.context
    if context.entity_kind not in _OWNERS:
        message = f"expected repository, pull request or artifact, got {context.entity_kind}"
        raise section.error(message, "an advisory is about a repository")
    severity = action.severity or context.severity
    severity = "low" if severity in _UNKNOWN_SEVERITIES else severity
    owner, name = (str(context.entity.get(key, "")) for key in _OWNERS[context.entity_kind])
    available = "available" if context.has_remediation else "not available yet"
    about = f"The rule **{context.rule_name}** of the profile **{context.profile_name}** fails"
    about += f" for **{owner}/{name}**, with severity **{severity}**."
    remediation = f"Automatic remediation of this rule is {available}."
    description = "\n\n".join([about, remediation, "**Guidance**", context.guidance.strip()])
    says = {
        "severity": severity,
        "summary": f"minder: profile {context.profile_name} failed with rule {context.rule_name}",
        "description": description,
        "repository": f"{owner}/{name}",
    }
    return Announcement("security_advisory", says)


def comment(action: CommentAction, section: Section) -> Announcement:
    """The comment on the pull request that failed."""
    section.require_entity("pull_request")
    data = _evaluation(section)
    body = section.text(action.review_message, "review_message", limit=COMMENT_LIMIT, html=True, data=data)
    return Announcement("pull_request_comment", {"body": body})


def commit_status(action: StatusAction, section: Section) -> Announcement:
    """The status of the commit that failed."""
    section.require_entity("pull_request")
    context = section.context
    description = "Minder evaluation failed"
    if action.description:
        data = _evaluation(section, RuleName=context.rule_name)
        description = section.text(action.description, "description", limit=DESCRIPTION_LIMIT, data=data)
    default = f"minder/{context.rule_name}" if context.rule_name else "minder"
    says = {
        "context": action.status_name or default,
        "state": "failure",
        "description": description,
        "target_url": _expanded(action.target_url, section) if action.target_url else "",
    }
    return Announcement("commit_status", says)


def issue(action: IssueAction, section: Section) -> Announcement:
    """The issue that would be opened."""
    section.require_entity("repository")
    title = section.text(action.title, "title", limit=TITLE_LIMIT, html=True)
    body = section.text(action.body, "body", limit=COMMENT_LIMIT, html=True)
    return Announcement("issue", {"title": title, "body": body})


def _evaluation(section: Section, **more: str) -> Struct:
    context = section.context
    fields = {"EvalErrorDetails": context.details, "EvalResultOutput": context.output, **more}
    return Struct(fields, "*TemplateParams")


def _expanded(template: str, section: Section) -> str:
    try:
        import uritemplate
    except ImportError:
        raise missing_extra("rules", "uritemplate") from None
    context = section.context
    return uritemplate.expand(
        template,
        {
            "owner": str(context.entity.get("repo_owner", "")),
            "repo": str(context.entity.get("repo_name", "")),
            "commit_sha": str(context.entity.get("commit_sha", "")),
            "rule_name": context.rule_name,
            "output": context.output
            if isinstance(context.output, str | list | dict)
            else str(context.output),
        },
    )
