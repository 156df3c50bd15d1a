"""The `remediate` and `alert` sections of a rule, as strict models: a key that Minder does not know is an error."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class ActionPart(BaseModel):
    """A part of a section."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class RestAction(ActionPart):
    """A request to the API of the rule's provider."""

    endpoint: str = Field(min_length=1)
    method: str = ""
    headers: list[str] = Field(default_factory=list)
    body: str | None = None
    parse: str = ""
    fallback: list[dict[str, Any]] = Field(default_factory=list)


class BranchProtectionAction(ActionPart):
    """A patch over a branch's protection at GitHub."""

    patch: str = Field(min_length=1)


class FileContent(ActionPart):
    """A file that a pull request writes whole."""

    path: str = Field(min_length=1)
    action: Literal["", "replace"] = ""
    content: str = Field(min_length=1)
    mode: str | None = None


class TagExclusions(ActionPart):
    """Actions whose tags are left as they are."""

    exclude: list[str] = Field(default_factory=list)


class PullRequestAction(ActionPart):
    """A pull request; `method` says how its files come about."""

    title: str = Field(min_length=1)
    body: str = Field(min_length=1)
    method: Literal["", "minder.content", "minder.actions.replace_tags_with_sha", "minder.yq.evaluate"] = ""
    contents: list[FileContent] = Field(default_factory=list)
    actions_replace_tags_with_sha: TagExclusions = TagExclusions()
    params: dict[str, Any] = Field(default_factory=dict)


class IssueAction(ActionPart):
    """An issue."""

    title: str = Field(min_length=1)
    body: str = Field(min_length=1)


class CommentAction(ActionPart):
    """A comment on the pull request that was evaluated."""

    review_message: str = Field(min_length=1)


class AdvisoryAction(ActionPart):
    """A security advisory."""

    severity: str = ""


class StatusAction(ActionPart):
    """A status of the commit that was evaluated."""

    status_name: str = ""
    description: str = ""
    target_url: str = ""


class RemediateSection(ActionPart):
    """What repairs a failing rule."""

    type: Literal["rest", "gh_branch_protection", "pull_request", "issue", "pull_request_comment"]
    rest: RestAction | None = None
    gh_branch_protection: BranchProtectionAction | None = None
    pull_request: PullRequestAction | None = None
    issue: IssueAction | None = None
    pull_request_comment: CommentAction | None = None


class AlertSection(ActionPart):
    """Who hears of a failing rule."""

    type: Literal["security_advisory", "pull_request_comment", "commit_status"]
    security_advisory: AdvisoryAction | None = None
    pull_request_comment: CommentAction | None = None
    commit_status: StatusAction | None = None
