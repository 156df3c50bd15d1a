"""The host functions of a policy: which there are, and over which tree each works."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.host.files import FileFunctions
from understudy.rules.host.queries import is_true
from understudy.rules.host.texts import parse_toml, parse_yaml
from understudy.trees.tree import Tree

_NO_FILES = (
    "there are no files to look at: the ingest of this rule is not git, and no files were given "
    "(set ingest.type to git, or give the test files)"
)
_NO_BASE = (
    "there are no files from before the change: this rule is not about a pull request, or none were given "
    "(only a rule for pull_request has them)"
)
_OF_FILES: dict[str, Callable[[FileFunctions], Callable[..., Any]]] = {
    "exists": lambda files: files.exists,
    "read": lambda files: files.read,
    "ls": lambda files: files.ls,
    "ls_glob": lambda files: files.ls_glob,
    "walk": lambda files: files.walk,
    "archive": lambda files: files.archive,
    "http_type": lambda files: files.http_type,
    "deps": lambda files: files.deps,
}
_PLAIN: dict[str, HostFunction] = {
    "jq.is_true": HostFunction("jq.is_true", 2, is_true),
    "parse_yaml": HostFunction("parse_yaml", 1, parse_yaml),
    "parse_toml": HostFunction("parse_toml", 1, parse_toml),
}

HOST_FUNCTION_NAMES: tuple[str, ...] = (
    *(f"file.{name}" for name in _OF_FILES),
    *(f"base_file.{name}" for name in _OF_FILES),
    "github_workflow.ls_actions",
    "github_workflow.base_ls_actions",
    *_PLAIN,
)


def host_functions(tree: Tree | None, base: Tree | None) -> Mapping[str, HostFunction]:
    """Every host function by its name, over the files as they are (`tree`) and as they were (`base`).

    Without a tree, its functions say so when they are called. Make one mapping for each evaluation: what a
    function has found out about a tree is kept as long as the mapping.

    >>> from understudy.trees import memory_tree
    >>> functions = host_functions(memory_tree({"docs/a.md": "text"}), None)
    >>> functions["file.ls"].call("docs")
    ['docs/a.md']
    """
    return _HostFunctions(tree, base)


class _HostFunctions(Mapping[str, HostFunction]):
    """Functions are made when they are asked for: an evaluation uses a few of the many."""

    def __init__(self, tree: Tree | None, base: Tree | None) -> None:
        self._trees = (tree, base)
        self._files: list[FileFunctions | None] = [None, None]
        self._made: dict[str, HostFunction] = {}

    def __getitem__(self, name: str) -> HostFunction:
        made = self._made.get(name) or _PLAIN.get(name)
        if made is None:
            made = self._made[name] = self._make(name)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(HOST_FUNCTION_NAMES)

    def __len__(self) -> int:
        return len(HOST_FUNCTION_NAMES)

    def _make(self, name: str) -> HostFunction:
        package, _, function = name.rpartition(".")
        if package == "github_workflow" and function in ("ls_actions", "base_ls_actions"):
            return HostFunction(name, 1, self._of(function == "base_ls_actions").ls_actions, gives_set=True)
        if package in ("file", "base_file") and function in _OF_FILES:
            return HostFunction(name, 1, _OF_FILES[function](self._of(package == "base_file")))
        raise KeyError(name)

    def _of(self, is_base: bool) -> FileFunctions:
        files = self._files[is_base]
        if files is None:
            absent = _NO_BASE if is_base else _NO_FILES
            files = self._files[is_base] = FileFunctions(self._trees[is_base], absent)
        return files
