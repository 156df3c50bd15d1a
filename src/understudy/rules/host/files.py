"""What policies ask about the files of a tree, answered as Minder answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.arguments import text_argument, texts_argument
from understudy.rules.host.content_type import SNIFFED, content_type
from understudy.rules.host.glob import glob
from understudy.trees.paths import clean, join
from understudy.trees.tree import Kind, Tree, TreeError

_Answer = TypeVar("_Answer")


class FileFunctions:
    """The functions over one tree; what takes work is remembered."""

    def __init__(self, tree: Tree | None, absent: str) -> None:
        self._given = tree
        self._absent = absent
        self._known: dict[tuple[str, str], Any] = {}

    def exists(self, path: Any) -> bool:
        """Whether anything is at a path; a link to nothing is nothing."""
        with self._reading(path) as (tree, name):
            return tree.kind(clean(name)) is not None

    def read(self, path: Any) -> str:
        """The text of a file. Bytes that are no UTF-8 become U+FFFD."""
        with self._reading(path) as (tree, name):
            return tree.read(clean(name)).decode("utf-8", "replace")

    def ls(self, path: Any) -> list[str] | None:
        """The entries of a folder as paths, a file itself, what a link leads to; null if nothing is there."""
        with self._reading(path) as (tree, name):
            kind = tree.kind(name, follow=False)
            if kind == "link":
                name, kind = _followed(tree, name)
            if kind == "folder":
                return [join(name, entry) for entry in tree.entries(name)]
            return None if kind is None else [name]

    def ls_glob(self, pattern: Any) -> list[str]:
        """The paths that a pattern matches, as Go's filepath.Glob finds them."""
        with self._reading(pattern, "a pattern") as (tree, name):
            return glob(tree, name)

    def walk(self, path: Any) -> list[str] | None:
        """Every file and link below a path; null if nothing is there."""
        with self._reading(path) as (tree, name):
            found = [below for below, kind in tree.walk(name) if kind != "folder"]
            return found if found or tree.kind(name, follow=False) is not None else None

    def archive(self, paths: Any) -> str:
        """The named files and folders as a tar.gz archive in base64."""
        from understudy.rules.host.archive import archive

        names = texts_argument(paths, "paths")
        with self._reading("") as (tree, _):
            return archive(tree, names)

    def http_type(self, path: Any) -> str:
        """The media type of a file, sniffed from its first bytes."""
        with self._reading(path) as (tree, name):
            return content_type(tree.read(clean(name), start=SNIFFED))

    def deps(self, path: Any) -> dict[str, Any]:
        """The packages that the dependency files at and below a path name, as protobom's document."""

        def find(tree: Tree, name: str) -> dict[str, Any]:
            from understudy.rules.host.dependencies.document import dependency_document

            return dependency_document(tree, name)

        return self._once("deps", path, find)

    def ls_actions(self, path: Any) -> list[str]:
        """The names of the actions that the workflow files below a path use, sorted."""

        def find(tree: Tree, name: str) -> list[str]:
            from understudy.rules.host.workflows import action_names

            return action_names(tree, name)

        return self._once("ls_actions", path, find)

    def _once(self, function: str, path: Any, find: Callable[[Tree, str], _Answer]) -> _Answer:
        with self._reading(path) as (tree, name):
            if (function, name) not in self._known:
                self._known[function, name] = find(tree, name)
            answer: _Answer = self._known[function, name]
            return answer

    @contextmanager
    def _reading(self, path: Any, meaning: str = "a path") -> Iterator[tuple[Tree, str]]:
        name = text_argument(path, meaning)
        if self._given is None:
            raise HostError(self._absent)
        try:
            yield self._given, name
        except TreeError as error:
            raise HostError(str(error)) from None


def _followed(tree: Tree, name: str) -> tuple[str, Kind | None]:
    """The path and kind that a link leads to. Minder takes a target to begin at the root; so it may."""
    found = tree.resolve(name)
    if found is not None:
        return found or ".", tree.kind(found)
    target = tree.link_target(name)
    try:
        return target, tree.kind(target)
    except TreeError:
        return target, None
