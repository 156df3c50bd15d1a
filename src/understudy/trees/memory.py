"""A tree of files in memory, as tests write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from understudy.core.errors import InputError, Problem
from understudy.trees.paths import below_root, parent
from understudy.trees.stored import PATH_LIMIT, StoredTree
from understudy.trees.tree import Kind, Tree


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link, instead of a file's content."""

    target: str


Content = str | bytes | Link


def memory_tree(files: Mapping[str, Content], *, label: str = "the files of the test") -> Tree:
    """The tree of the files that are given by their paths.

    Names are cleaned. One that leaves the root, is absolute, names the same file as another or makes a folder of
    a file is an InputError that names it; `label` says there where the names come from.

    >>> tree = memory_tree({"./docs//a.md": "text", "LICENSE": b"MIT"})
    >>> tree.entries("."), tree.read("docs/a.md"), tree.kind("docs")
    (('LICENSE', 'docs'), b'text', 'folder')
    """
    return StoredTree(MemoryStore(files, label))


class MemoryStore:
    """Files in a dictionary, and the folders that follow from their names."""

    def __init__(self, files: Mapping[str, Content], label: str) -> None:
        self.label = label
        self._files: dict[str, Content] = {}
        self._folders: dict[str, dict[str, None]] = {"": {}}
        self._sorted: dict[str, tuple[str, ...]] = {}
        written: dict[str, str] = {}
        problems: list[Problem] = []
        for name, content in files.items():
            path = _stored_path(name, label, problems)
            if path in self._files:
                message = f"{written[path]!r} and {name!r} are the same file"
                problems.append(Problem(message, label, hint="remove one of the two"))
            elif path:
                self._files[path] = content
                written[path] = name
                self._add_folders(path)
        for path in self._files.keys() & self._folders.keys():
            message = f"{written[path]!r} would be a file and a folder"
            problems.append(Problem(message, label, hint=f"rename it, or what is below {path}/"))
        if problems:
            raise InputError(sorted(problems, key=str))
        self.may_have_links = any(isinstance(content, Link) for content in files.values())

    def kind(self, path: str) -> Kind | None:
        """What stands at a path."""
        content = self._files.get(path)
        if content is not None:
            return "link" if isinstance(content, Link) else "file"
        return "folder" if path in self._folders else None

    def entries(self, path: str) -> tuple[str, ...]:
        """The sorted names in a folder."""
        names = self._sorted.get(path)
        if names is None:
            names = self._sorted[path] = tuple(sorted(self._folders[path]))
        return names

    def read(self, path: str, limit: int, start: int | None) -> bytes:
        """The bytes of a file."""
        content = self._files[path]
        # A lone surrogate, which JSON and Starlark can write, has no bytes.
        return content.encode("utf-8", "replace") if isinstance(content, str) else _bytes(content)

    def target(self, path: str) -> str:
        """Where a link leads."""
        content = self._files[path]
        return content.target if isinstance(content, Link) else ""

    def _add_folders(self, path: str) -> None:
        folder, name = parent(path), path.rpartition("/")[2]
        while True:
            names = self._folders.get(folder)
            if names is not None:
                names[name] = None
                return
            self._folders[folder] = {name: None}
            folder, name = parent(folder), folder.rpartition("/")[2]


def _bytes(content: bytes | Link) -> bytes:
    return content if isinstance(content, bytes) else b""


def _stored_path(name: str, label: str, problems: list[Problem]) -> str:
    """The clean path of a file's name; '' with a problem if it can have none."""
    path = None if "\0" in name or len(name) > PATH_LIMIT else below_root(name)
    if path and not name.startswith("/"):
        return path
    wrong = {
        None: "leads out of the root"
        if "\0" not in name and len(name) <= PATH_LIMIT
        else "is no usable path",
        "": "names no file",
    }.get(path, "is absolute")
    hint = "write a path below the root, such as docs/README.md"
    problems.append(Problem(f"the name {name[:200]!r} {wrong}", label, hint=hint))
    return ""
