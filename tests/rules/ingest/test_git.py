"""Which files a rule sees."""

from __future__ import annotations

import pytest

from understudy.rules.ingest.git import files_of_rule
from understudy.trees import memory_tree

HEAD, BASE = memory_tree({"a": ""}), memory_tree({"b": ""})


@pytest.mark.parametrize(
    ("ingest", "entity", "sees_head", "sees_base"),
    [
        ("git", "repository", True, False),
        ("git", "pull_request", True, True),
        ("git", "artifact", True, False),
        ("diff", "pull_request", True, True),
        ("rest", "repository", False, False),
        ("builtin", "pull_request", False, False),
    ],
)
def test_only_git_and_diff_see_files_and_only_pull_requests_a_base(
    ingest: str, entity: str, sees_head: bool, sees_base: bool
) -> None:
    files = files_of_rule(ingest, entity, HEAD, BASE)
    assert (files.tree is HEAD, files.base is BASE) == (sees_head, sees_base)
    assert (files.tree is None, files.base is None) == (not sees_head, not sees_base)
