"""A local git repository: the files that are checked, those from before a change, and what git says about them."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.core.errors import InputError, Problem, missing_extra
from understudy.rules.check.ignoring import ignored_by
from understudy.rules.check.remote import Remote, read_remote
from understudy.rules.check.working_tree import working_tree
from understudy.trees import Tree, commit_tree

if TYPE_CHECKING:
    from dulwich.repo import Repo

_ORIGIN = b"origin"
_BRANCHES = b"refs/heads/"
_USUAL = (b"main", b"master")


@dataclass(frozen=True, slots=True)
class Repository:
    """What is checked: `tree` are its files, `base` those from before the change, if a revision was named for them.

    `branch` is the current one ('' if HEAD is detached), `commit` the id of the one that is checked, or on which the
    working tree stands. `notes` say what a user must know to understand why a rule sees what it sees.
    """

    name: str
    tree: Tree
    base: Tree | None
    base_revision: str
    remote: Remote
    branch: str
    default_branch: str
    commit: str
    notes: tuple[str, ...] = ()


def open_repository(folder: Path, revision: str = "", base: str = "") -> Repository:
    """The repository at a folder: its working tree, or the commit `revision`. Raises InputError."""
    repo = _opened(folder)
    try:
        notes: list[str] = []
        if repo.bare and not revision:
            revision = "HEAD"
            notes.append("the repository is bare, so the commit HEAD is checked")
        tree = commit_tree(folder, revision) if revision else _working_tree(repo, folder)
        before = commit_tree(folder, base) if base else None
        remote = _remote(repo, folder)
        branch = _current_branch(repo)
        default = _default_branch(repo, branch)
        if not remote.owner:
            notes.append("git names no remote that says whose repository it is: say so with --set owner=NAME")
        if not default:
            notes.append("git does not say what the default branch is: say so with --set default_branch=NAME")
        commit = _commit(repo, revision)
        name = remote.name or _name_of(folder)
        return Repository(name, tree, before, base, remote, branch, default, commit, tuple(notes))
    finally:
        repo.close()


def _opened(folder: Path) -> Repo:
    try:
        from dulwich.repo import Repo
    except ImportError:
        raise missing_extra("rules", "dulwich") from None
    name = os.fspath(folder)
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError)
        message = "no such folder" if missing else f"cannot be read: {getattr(error, 'strerror', error)}"
        raise InputError([Problem(message, name, hint="name the folder of a git repository")]) from None
    if not stat.S_ISDIR(mode):
        message = "is not a folder"
        raise InputError([Problem(message, name, hint="name the folder of a git repository")])
    try:
        repo = Repo(name)
        if not os.path.isdir(os.path.join(repo.commondir(), "objects")):
            repo.close()
            raise ValueError("its objects are missing")
        return repo
    except Exception as error:  # a damaged repository fails in as many ways as it can be damaged
        around = next((above for above in folder.parents if (above / ".git").exists()), None)
        hint = f"the repository is {around}" if around else "name the folder that holds .git"
        message = "is not a git repository"
        if (folder / ".git").exists():
            message, hint = (
                f"is a git repository that cannot be read: {_said(error)}",
                "repair it, or clone it",
            )
        raise InputError([Problem(message, name, hint=hint)]) from None


def _working_tree(repo: Repo, folder: Path) -> Tree:
    tracked: list[str] = []
    modules: list[str] = []
    try:
        for path, entry in repo.open_index().items():
            mode = getattr(entry, "mode", None)  # a conflict has none, and is a file
            is_module = mode is not None and stat.S_IFMT(mode) == 0o160000
            (modules if is_module else tracked).append(path.decode("utf-8", "replace"))
        ignores = ignored_by(repo)
    except Exception as error:  # as above
        message = f"what git tracks there cannot be read: {_said(error)}"
        hint = "check a commit instead: --revision HEAD"
        raise InputError([Problem(message, os.fspath(folder), hint=hint)]) from None
    return working_tree(os.fspath(folder), tracked, modules, ignores)


def _remote(repo: Repo, folder: Path) -> Remote:
    try:
        config = repo.get_config()
        names = [
            section[1] for section in config.sections() if section[:1] == (b"remote",) and len(section) == 2
        ]
        chosen = _ORIGIN if _ORIGIN in names or len(names) != 1 else names[0]
        return read_remote(config.get((b"remote", chosen), b"url").decode("utf-8", "replace"))
    except KeyError:
        return Remote()
    except (OSError, ValueError) as error:
        message = f"its git configuration cannot be read: {_said(error)}"
        raise InputError([Problem(message, os.fspath(folder), hint="correct .git/config")]) from None


def _current_branch(repo: Repo) -> str:
    target = _symbolic(repo, b"HEAD")
    return target.removeprefix(_BRANCHES).decode("utf-8", "replace") if target.startswith(_BRANCHES) else ""


def _default_branch(repo: Repo, current: str) -> str:
    """What the remote said when it was cloned, else the current branch, else one of the usual names."""
    prefix = b"refs/remotes/origin/"
    target = _symbolic(repo, prefix + b"HEAD")
    if target.startswith(prefix):
        return target.removeprefix(prefix).decode("utf-8", "replace")
    if current:
        return current
    refs = repo.get_refs()
    return next((name.decode() for name in _USUAL if _BRANCHES + name in refs or prefix + name in refs), "")


def _symbolic(repo: Repo, ref: bytes) -> bytes:
    """Where a symbolic reference leads; b'' for any other one, or none."""
    from dulwich.refs import Ref

    content = repo.refs.read_ref(Ref(ref)) or b""
    return content.removeprefix(b"ref: ").strip() if content.startswith(b"ref: ") else b""


def _commit(repo: Repo, revision: str) -> str:
    from dulwich.objectspec import parse_commit

    try:
        return str(parse_commit(repo, (revision or "HEAD").encode("utf-8")).id.decode())
    except (LookupError, ValueError, OSError):
        return ""  # no commit yet, or one that is named by steps from another


def _name_of(folder: Path) -> str:
    return folder.resolve().name.removesuffix(".git")


def _said(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
