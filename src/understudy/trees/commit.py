"""A tree of a git commit, read from the repository's objects without a working tree."""

from __future__ import annotations

import os
import re
import stat
import weakref
from typing import TYPE_CHECKING, Any

from understudy.core.errors import InputError, Problem, missing_extra
from understudy.core.nearness import closest_name
from understudy.trees.paths import child, parent
from understudy.trees.stored import StoredTree
from understudy.trees.tree import Kind, Tree, TreeError, too_large

if TYPE_CHECKING:
    from dulwich.repo import Repo

_Entry = tuple[int, bytes]
_REVISION = re.compile(
    r"(?P<base>(?!/|.*//)[^\s~^:?*\[\\\0\ud800-\udfff]{1,250})"  # a branch, a tag or an id, as git spells them
    r"(?P<steps>(?:[~^][0-9]{0,4})*)"  # and the steps from there to an ancestor
)
_STEP = re.compile(r"([~^])([0-9]*)")


def commit_tree(repository: str | os.PathLike[str], revision: str = "HEAD") -> Tree:
    """The tree of a commit: `revision` is a branch, a tag, an id or the beginning of one, and may end in
    steps to an ancestor (`main~2`).

    A submodule is an empty folder, since what it holds is in another repository. Raises InputError if there is no
    repository, or no such commit in it.
    """
    name = os.fspath(repository)
    try:
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo
    except ImportError:
        raise missing_extra("rules", "dulwich") from None
    try:
        repo = Repo(name)
    except (NotGitRepository, OSError, ValueError):
        hint = "name the folder that holds .git"
        raise InputError([Problem("is not a git repository", name, hint=hint)]) from None
    try:
        commit = _commit(repo, name, revision)
        store = CommitStore(repo, commit.tree, f"commit {commit.id.decode()[:12]} of {name}")
    except BaseException:
        repo.close()
        raise
    tree = StoredTree(store)
    weakref.finalize(store, repo.close)
    return tree


def _commit(repo: Repo, name: str, revision: str) -> Any:
    from dulwich.objectspec import AmbiguousShortId, parse_commit

    message, hint = f"has no commit {revision!r}", ""
    written = _REVISION.fullmatch(revision)
    try:
        if written is not None:
            found = parse_commit(repo, written["base"].encode("utf-8"))
            for way, count in _STEP.findall(written["steps"]):
                found = _ancestor(repo, found, way, int(count or 1))
            return found
    except AmbiguousShortId:
        message, hint = f"has more than one object whose id begins with {revision!r}", "write more of the id"
    except (LookupError, ValueError, OSError):
        if revision == "HEAD":
            message, hint = "has no commit yet", "commit something first"
    raise InputError([Problem(message, name, hint=hint or _nearest_ref(repo, revision))])


def _ancestor(repo: Repo, commit: Any, way: str, count: int) -> Any:
    """`~2` is the first parent's first parent, `^2` the second parent."""
    if way == "^":
        return repo[commit.parents[count - 1]] if count else commit
    for _ in range(count):
        commit = repo[commit.parents[0]]
    return commit


def _nearest_ref(repo: Repo, revision: str) -> str:
    names = sorted(
        ref.decode("utf-8", "replace").split("/", 2)[2]
        for ref in repo.get_refs()
        if ref.startswith((b"refs/heads/", b"refs/tags/"))
    )
    nearest = closest_name(revision, names)
    return f"did you mean {nearest!r}?" if nearest else "name a branch, a tag or the id of a commit"


class CommitStore:
    """The objects of a commit; the folders that were looked into are kept."""

    may_have_links = True

    def __init__(self, repo: Repo, tree: bytes, label: str) -> None:
        self.label = label
        self._objects = repo.object_store
        self._folders: dict[str, dict[str, _Entry]] = {"": self._listing("", tree)}

    def kind(self, path: str) -> Kind | None:
        """What stands at a path."""
        if not path:
            return "folder"
        entry = self._entry(path)
        return None if entry is None else _kind(entry[0])

    def entries(self, path: str) -> tuple[str, ...]:
        """The sorted names in a folder."""
        return tuple(sorted(self._folder(path) or {}))

    def read(self, path: str, limit: int, start: int | None) -> bytes:
        """The bytes of a file."""
        data = self._blob(path)
        if start is None and len(data) > limit:
            raise too_large(path, len(data), limit)
        return data

    def target(self, path: str) -> str:
        """Where a link leads."""
        return self._blob(path).decode("utf-8", "replace")

    def _entry(self, path: str) -> _Entry | None:
        folder = self._folder(parent(path))
        return None if folder is None else folder.get(path.rpartition("/")[2])

    def _folder(self, path: str) -> dict[str, _Entry] | None:
        known = self._folders.get(path)
        if known is not None:
            return known
        folder, located = self._folders[""], ""
        for name in path.split("/"):
            entry = folder.get(name)
            if entry is None or _kind(entry[0]) != "folder":
                return None
            located = child(located, name)
            below = self._folders.get(located)
            if below is None:
                is_module = stat.S_IFMT(entry[0]) != stat.S_IFDIR
                below = {} if is_module else self._listing(located, entry[1])
                self._folders[located] = below
            folder = below
        return folder

    def _listing(self, path: str, identity: bytes) -> dict[str, _Entry]:
        listing: dict[str, _Entry] = {}
        for name, mode, sha in self._object(path, identity).iteritems():
            try:
                listing[name.decode("utf-8")] = (mode, sha)
            except UnicodeDecodeError:
                continue  # as in a folder on disk, what is not text has no name
        return listing

    def _blob(self, path: str) -> bytes:
        entry = self._entry(path)
        if entry is None:
            raise TreeError(path, "missing", "does not exist")
        data: bytes = self._object(path, entry[1]).data
        return data

    def _object(self, path: str, identity: bytes) -> Any:
        from dulwich.objects import ObjectID

        try:
            return self._objects[ObjectID(identity)]
        except (
            Exception
        ) as error:  # a damaged or partial repository fails in as many ways as it can be damaged
            message = (
                f"cannot be read: the object {identity.decode('ascii', 'replace')} is missing or damaged"
            )
            raise TreeError(path, "unreadable", message) from error


def _kind(mode: int) -> Kind:
    form = stat.S_IFMT(mode)
    if form == stat.S_IFREG:
        return "file"
    return "link" if form == stat.S_IFLNK else "folder"
