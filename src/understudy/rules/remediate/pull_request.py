"""Remediation by a pull request: its texts, its branch, its files and the patch that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.rules.remediate.context import Section
from understudy.rules.remediate.models import FileContent, PullRequestAction
from understudy.rules.remediate.patches import file_patch
from understudy.rules.remediate.pinned_actions import excluded_actions, pinned_workflows
from understudy.trees import Tree, TreeError
from understudy.trees.paths import below_root

_REGULAR = "100644"
_MODES = ("100644", "100755", "0100644", "0100755", "644", "755", "0644", "0755")
_BASE = "main"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """The pull request that would be opened. `files` has the new text of each file that changes."""

    title: str
    body: str
    branch: str
    base: str
    commit_message: str
    files: Mapping[str, str]
    modes: Mapping[str, str] = field(default_factory=dict)
    patch: str = ""

    def as_data(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "type": "pull_request",
            "title": self.title,
            "body": self.body,
            "branch": self.branch,
            "base": self.base,
            "commit_message": self.commit_message,
            "files": dict(self.files),
            "modes": dict(self.modes),
            "patch": self.patch,
        }


def pull_request(action: PullRequestAction, section: Section) -> PullRequest:
    """Render the texts, and work out the files from the tree of the repository."""
    section.require_entity("repository")
    tree = section.context.tree
    if tree is None:
        message = "ingested filesystem is nil or no git repo was ingested: a pull request changes files"
        raise section.error(message, "give the repository's files to the evaluation")
    title = section.text(action.title, "title", html=True)
    body = section.text(action.body, "body", html=True)
    try:
        files, modes = _files(action, section, tree)
        patch = "".join(
            file_patch(path, _text(tree, path), files[path], modes.get(path, _REGULAR))
            for path in sorted(files)
        )
    except TreeError as error:
        raise section.error(f"the repository's files: {error}", "correct the files of the test") from None
    base = section.context.entity.get("default_branch") or _BASE
    branch = branch_name(title)
    return PullRequest(title, body, branch, str(base), title, files, modes, patch)


def branch_name(title: str) -> str:
    """The branch of a pull request with a title, as Minder names it.

    >>> branch_name("Pin Actions by SHA")
    'minder_pin_actions_by_sha'
    """
    return "minder_" + title.lower().replace(" ", "_")


def _files(action: PullRequestAction, section: Section, tree: Tree) -> tuple[dict[str, str], dict[str, str]]:
    match action.method:
        case "minder.actions.replace_tags_with_sha":
            context = section.context
            written = action.actions_replace_tags_with_sha.exclude
            excluded = excluded_actions(tree, context.profile, written)
            return pinned_workflows(tree, excluded, context.fetch), {}
        case "minder.yq.evaluate":
            from understudy.rules.remediate.yq import evaluated_files

            return evaluated_files(action.params, section, tree), {}
    return _contents(action.contents, section)


def _contents(contents: list[FileContent], section: Section) -> tuple[dict[str, str], dict[str, str]]:
    if not contents:
        message = "pull request config contents cannot be empty"
        raise section.error(message, "list the files: contents: [{path: ..., content: ...}]")
    files: dict[str, str] = {}
    modes: dict[str, str] = {}
    for index, entry in enumerate(contents):
        written = section.text(entry.path, "contents", index, "path")
        path = None if written.startswith("/") else below_root(written)
        if not path:
            message = f"the path {written!r} is none within the repository"
            raise section.error(message, "name a file in it", "contents", index, "path")
        content = section.text(entry.content, "contents", index, "content")
        if not content:
            message = f"content (index {index}) is empty"
            raise section.error(message, "check what the template prints", "contents", index, "content")
        mode = section.text(entry.mode, "contents", index, "mode") if entry.mode else _REGULAR
        if mode not in _MODES:
            hint = "a file has mode 100644, an executable one 100755"
            raise section.error(f"cannot parse mode {mode!r}", hint, "contents", index, "mode")
        files[path] = content
        modes[path] = f"100{mode[-3:]}"
    return files, modes


def _text(tree: Tree, path: str) -> str | None:
    if tree.kind(path) is None:
        return None
    return tree.read(path).decode("utf-8", "replace")
