"""A working tree shows what git tracks and what is new, as git itself would say it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from dulwich.index import IndexEntry
from dulwich.repo import Repo

from rules.check.checked import commit, repository, write
from understudy.core.errors import InputError
from understudy.rules.check.repository import open_repository
from understudy.trees import Tree


def files(tree: Tree) -> list[str]:
    return [name for name, kind in tree.walk() if kind != "folder"]


def test_ignored_files_are_not_there_unless_git_tracks_them(tmp_path: Path) -> None:
    repo = repository(
        tmp_path / "r", {"build/kept.txt": "", "src/a.py": "", "src/.gitignore": "*.pyc\n!b.pyc\n"}
    )
    write(
        tmp_path / "r",
        {
            ".gitignore": "build/\n/only-here\n",
            "build/new.txt": "",
            "build/deep/new.txt": "",
            "src/a.pyc": "",
            "src/b.pyc": "",
            "src/only-here": "",
            "only-here": "",
        },
    )
    tree = open_repository(tmp_path / "r").tree
    expected = [".gitignore", "build/kept.txt", "src/.gitignore", "src/a.py", "src/b.pyc", "src/only-here"]
    assert files(tree) == expected
    assert tree.kind("build/new.txt") is None
    assert tree.kind("build/deep") is None
    assert tree.kind("build") == "folder"
    repo.close()


def test_a_file_that_was_removed_is_not_there(tmp_path: Path) -> None:
    repository(tmp_path / "r", {"a": "1", "b": "2"}).close()
    (tmp_path / "r" / "b").unlink()
    assert files(open_repository(tmp_path / "r").tree) == ["a"]
    assert files(open_repository(tmp_path / "r", "HEAD").tree) == ["a", "b"]


def test_a_submodule_is_an_empty_folder_as_in_a_commit(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", {"a": "1"})
    index = repo.open_index()
    entry = IndexEntry(0, 0, 0, 0, 0o160000, 0, 0, 0, b"1" * 40, 0, 0)  # type: ignore[arg-type]  # an id is bytes
    index[b"libs/x"] = entry
    index.write()
    write(tmp_path / "r", {"libs/x/inner.txt": "", "libs/x/deep/y": ""})
    tree = open_repository(tmp_path / "r").tree
    assert (tree.kind("libs/x"), tree.entries("libs/x"), tree.kind("libs/x/inner.txt")) == (
        "folder",
        (),
        None,
    )
    assert files(tree) == ["a"]
    repo.close()


def test_a_deep_folder_is_no_trouble(tmp_path: Path) -> None:
    repository(tmp_path / "r", {"a": "1"}).close()
    here, depth = os.getcwd(), 1_200
    os.chdir(tmp_path / "r")
    try:
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        os.chdir(here)
        tree = open_repository(tmp_path / "r").tree
        assert tree.kind("/".join(["d"] * depth)) == "folder"
    finally:
        os.chdir(here)
        # Python's rmtree is recursive: pytest, which removes old folders in a later session, would die of this one.
        subprocess.run(["rm", "-rf", tmp_path / "r"], check=True)


def test_an_index_that_is_damaged_is_told(tmp_path: Path) -> None:
    repository(tmp_path / "r", {"a": "1"}).close()
    (tmp_path / "r" / ".git" / "index").write_bytes(b"DIRC" + b"\xff" * 40)
    with pytest.raises(InputError, match=r"what git tracks there cannot be read.*--revision HEAD"):
        open_repository(tmp_path / "r")


def test_a_configuration_that_is_damaged_is_told(tmp_path: Path) -> None:
    repository(tmp_path / "r", {"a": "1"}).close()
    (tmp_path / "r" / ".git" / "config").write_text('[remote "origin\nurl = x\n')
    with pytest.raises(InputError, match="cannot be read"):
        open_repository(tmp_path / "r")


@pytest.mark.parametrize("name", ["with space", "ünï ☃", "new\nline", "-dash", "a'b\"c"])
def test_a_repository_may_have_an_odd_name(tmp_path: Path, name: str) -> None:
    repository(tmp_path / name, {"a": "1"}, origin="").close()
    found = open_repository(tmp_path / name)
    assert (found.name, found.branch, files(found.tree)) == (name, "main", ["a"])


def test_the_state_before_a_change_is_another_commit(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", {"a": "1"})
    second = commit(repo, {"b": "2"})
    repo.close()
    found = open_repository(tmp_path / "r", base="HEAD~1")
    assert found.base is not None
    assert (files(found.base), files(found.tree), found.commit) == (["a"], ["a", "b"], second)


def test_the_only_remote_is_taken_and_origin_before_others(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", {"a": "1"}, origin="")
    config = repo.get_config()
    config.set((b"remote", b"upstream"), b"url", b"git@github.com:first/one.git")
    config.write_to_path()
    assert open_repository(tmp_path / "r").remote.owner == "first"
    config.set((b"remote", b"origin"), b"url", b"git@github.com:second/one.git")
    config.write_to_path()
    assert open_repository(tmp_path / "r").remote.owner == "second"
    repo.close()


def test_a_linked_working_tree_is_a_repository_too(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", {"a": "1"})
    git = tmp_path / "r" / ".git" / "worktrees" / "w"
    write(
        git,
        {"HEAD": "ref: refs/heads/main\n", "commondir": "../..\n", "gitdir": f"{tmp_path / 'w' / '.git'}\n"},
    )
    write(tmp_path / "w", {".git": f"gitdir: {git}\n", "new": ""})
    assert files(open_repository(tmp_path / "w").tree) == ["new"]
    assert isinstance(repo, Repo)
    repo.close()
