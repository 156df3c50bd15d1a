"""Remediation of a branch's protection at GitHub: the present one as a request, with the rule's patch merged in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from understudy.core.brief import brief
from understudy.rules.remediate.context import Section
from understudy.rules.remediate.models import BranchProtectionAction
from understudy.rules.remediate.rest import json_object

_NOT_FOUND = 404
# Always sent, with what stands for "none"; and what is sent only if it is set.
_ALWAYS: Mapping[str, Any] = {
    "required_status_checks": None,
    "required_pull_request_reviews": None,
    "enforce_admins": False,
    "restrictions": None,
}
_SWITCHES = (
    "required_linear_history",
    "allow_force_pushes",
    "allow_deletions",
    "required_conversation_resolution",
    "block_creations",
    "lock_branch",
    "allow_fork_syncing",
)
_REVIEW_FIELDS: Mapping[str, Any] = {
    "dismiss_stale_reviews": False,
    "require_code_owner_reviews": False,
    "required_approving_review_count": 0,
}
_WHO = (("users", "login"), ("teams", "slug"), ("apps", "slug"))


@dataclass(frozen=True, slots=True)
class BranchProtection:
    """The protection that would be put on a branch, and the patch that made it of the present one."""

    endpoint: str
    branch: str
    body: dict[str, Any]
    patch: dict[str, Any]

    def as_data(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "type": "gh_branch_protection",
            "method": "PUT",
            "endpoint": self.endpoint,
            "branch": self.branch,
            "body": self.body,
            "patch": self.patch,
        }


def branch_protection(action: BranchProtectionAction, section: Section) -> BranchProtection:
    """Ask for the present protection, and merge the rendered patch into it. An unprotected branch has none."""
    section.require_entity("repository")
    context = section.context
    branch = context.params.get("branch") or context.entity.get("default_branch")
    if not isinstance(branch, str) or not branch:
        hint = "give the parameter 'branch', or an entity with 'default_branch'"
        raise section.error("error reading branch from params: no branch is given", hint)
    owner, name = (str(context.entity.get(key, "")) for key in ("owner", "name"))
    endpoint = f"/repos/{quote(owner)}/{quote(name)}/branches/{quote(branch, safe='')}/protection"
    patch = json_object(section.text(action.patch, "patch"), "patch", section)
    merged = merge_patch(request_of(_present(endpoint, section)), patch)
    known = (*_ALWAYS, *_SWITCHES)
    body = {
        key: merged.get(key, _ALWAYS.get(key))
        for key in known
        if key in _ALWAYS or merged.get(key) is not None
    }
    return BranchProtection(endpoint, branch, body, patch)


def _present(endpoint: str, section: Section) -> Mapping[str, Any]:
    fetch = section.context.fetch
    if fetch is None:
        raise section.error(f"nothing answers GET {endpoint}", "give a mock for the branch's protection")
    status, data = fetch("GET", endpoint, None)
    if status == _NOT_FOUND:
        return {}
    if status >= 300:
        message = f"error getting branch protection: GET {endpoint} was answered with status {status}"
        raise section.error(message, "mock it with 200 and a protection, or 404 for none")
    if not isinstance(data, Mapping):
        message = f"error getting branch protection: GET {endpoint} gave {brief(data)}"
        raise section.error(message, "mock it with a JSON object")
    return data


def request_of(protection: Mapping[str, Any]) -> dict[str, Any]:
    """The request that would set a protection as GitHub answers it.

    >>> request_of({"enforce_admins": {"enabled": True}, "allow_deletions": {"enabled": False}})["enforce_admins"]
    True
    """
    request: dict[str, Any] = dict(_ALWAYS)
    checks = protection.get("required_status_checks")
    if isinstance(checks, Mapping):
        request["required_status_checks"] = _status_checks(checks)
    reviews = protection.get("required_pull_request_reviews")
    if isinstance(reviews, Mapping):
        request["required_pull_request_reviews"] = _reviews(reviews)
    restrictions = protection.get("restrictions")
    if isinstance(restrictions, Mapping):
        request["restrictions"] = _names(restrictions)
    for key in ("enforce_admins", *_SWITCHES):
        switch = protection.get(key)
        if isinstance(switch, Mapping):
            request[key] = bool(switch.get("enabled", False))
    return request


def _status_checks(checks: Mapping[str, Any]) -> dict[str, Any]:
    request: dict[str, Any] = {"strict": bool(checks.get("strict", False))}
    # GitHub answers with both, and refuses both: `contexts` is the older form.
    for key in ("checks", "contexts"):
        if checks.get(key) is not None and "checks" not in request:
            request[key] = checks[key]
    return request


def _reviews(reviews: Mapping[str, Any]) -> dict[str, Any]:
    request = {key: reviews.get(key, zero) for key, zero in _REVIEW_FIELDS.items()}
    request["require_last_push_approval"] = bool(reviews.get("require_last_push_approval", False))
    for key in ("bypass_pull_request_allowances", "dismissal_restrictions"):
        if isinstance(reviews.get(key), Mapping):
            request[key] = _names(reviews[key])
    return request


def _names(who: Mapping[str, Any]) -> dict[str, list[str]]:
    return {
        kind: [str(entry.get(name, "")) for entry in who.get(kind) or () if isinstance(entry, Mapping)]
        for kind, name in _WHO
    }


def merge_patch(target: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces.

    >>> merge_patch({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": None}, "d": [2]})
    {'a': {'c': 2}, 'd': [2]}
    """
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
