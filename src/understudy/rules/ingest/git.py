"""Which files a rule sees that ingests a repository; nothing is put into what was ingested."""

from __future__ import annotations

from dataclasses import dataclass

from understudy.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """The trees of the `file.` functions and of the `base_file.` functions."""

    tree: Tree | None = None
    base: Tree | None = None


def files_of_rule(ingest_type: str, entity: str, head: Tree | None, base: Tree | None) -> RuleFiles:
    """The trees that a rule sees, of those that there are.

    Rules that ingest with `git` see the files as they are, those with `diff` too. The state before a change is only
    there for pull requests. Every other ingest has no files.

    >>> from understudy.trees import memory_tree
    >>> head, base = memory_tree({"a": ""}), memory_tree({})
    >>> files_of_rule("git", "repository", head, base) == RuleFiles(head)
    True
    >>> files_of_rule("git", "pull_request", head, base) == RuleFiles(head, base)
    True
    >>> files_of_rule("rest", "repository", head, None)
    RuleFiles(tree=None, base=None)
    """
    if ingest_type not in ("git", "diff"):
        return RuleFiles()
    return RuleFiles(head, base if entity == "pull_request" else None)
