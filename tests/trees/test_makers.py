"""What the makers of trees take, and what they refuse."""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Mapping
from pathlib import Path

import pytest

from trees.makers import committed, git, write
from understudy.core.errors import InputError
from understudy.trees import Link, TreeError, commit_tree, folder_tree, memory_tree, overlay
from understudy.trees.folder import FolderStore


def problems_of(files: Mapping[str, str]) -> list[str]:
    with pytest.raises(InputError) as caught:
        memory_tree(files)
    return [str(problem) for problem in caught.value.problems]


def test_names_are_cleaned() -> None:
    tree = memory_tree({"./a//b/../c.txt": "text"})
    assert tree.entries("a") == ("c.txt",)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../x", "the name '../x' leads out of the root"),
        ("a/../../x", "the name 'a/../../x' leads out of the root"),
        ("..", "the name '..' leads out of the root"),
        ("/etc/passwd", "the name '/etc/passwd' is absolute"),
        ("", "the name '' names no file"),
        ("a/..", "the name 'a/..' names no file"),
        ("a\0b", "the name 'a\\x00b' is no usable path"),
    ],
)
def test_a_name_without_a_place_in_the_tree_is_refused(name: str, said: str) -> None:
    hint = "(write a path below the root, such as docs/README.md)"
    assert problems_of({name: "x"}) == [f"the files of the test: {said} {hint}"]


def test_a_file_that_would_also_be_a_folder_is_refused_and_so_is_a_file_given_twice() -> None:
    assert problems_of({"a": "1", "a/b": "2"}) == [
        "the files of the test: 'a' would be a file and a folder (rename it, or what is below a/)"
    ]
    assert problems_of({"a": "1", "./a": "2"}) == [
        "the files of the test: 'a' and './a' are the same file (remove one of the two)"
    ]


def test_a_text_with_a_lone_surrogate_is_still_read() -> None:
    assert memory_tree({"a": "x\ud800"}).read("a") == b"x?"


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name, said in (("absent", "does not exist"), ("file", "is not a folder")):
        with pytest.raises(InputError) as caught:
            folder_tree(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: {said} (name a folder)"


def test_pipes_and_names_that_are_not_text_are_left_out(tmp_path: Path) -> None:
    write({"a.txt": "a"}, tmp_path)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / os.fsdecode(b"\xff\xfe")).write_bytes(b"")
    tree = folder_tree(tmp_path)
    assert tree.entries("") == ("a.txt", "pipe")
    assert list(tree.walk()) == [(".", "folder"), ("a.txt", "file")]
    assert tree.kind("pipe") is None


def test_what_git_keeps_for_itself_is_left_out_of_a_folder(tmp_path: Path) -> None:
    write({"a": "", ".git/HEAD": "", "module/.git": "gitdir: x", ".gitignore": "", ".github/b": ""}, tmp_path)
    tree = folder_tree(tmp_path)
    assert [path for path, kind in tree.walk() if kind == "file"] == [".github/b", ".gitignore", "a"]
    for hidden in (".git", ".git/HEAD", "module/.git"):
        assert tree.kind(hidden) is None


def test_a_file_that_becomes_a_link_while_it_is_read_is_not_followed(tmp_path: Path) -> None:
    write({"root/a": Link("../secret"), "secret": "s"}, tmp_path)
    with pytest.raises(TreeError, match="a cannot be read"):
        FolderStore(str(tmp_path / "root")).read("a", 100, None)


def test_a_folder_may_be_reached_through_a_link_and_links_in_it_stay_inside(tmp_path: Path) -> None:
    write({"real/a.txt": "a", "secret": "s"}, tmp_path)
    (tmp_path / "way").symlink_to("real")
    (tmp_path / "real/leak").symlink_to("../secret")
    (tmp_path / "real/folder").symlink_to("..")
    tree = folder_tree(tmp_path / "way")
    assert tree.read("a.txt") == b"a"
    assert tree.kind("leak") is None
    assert tree.kind("folder/secret") is None
    with pytest.raises(TreeError, match="leads out of the root"):
        tree.read("folder/secret")


@pytest.mark.parametrize(
    "revision", ["HEAD", "main", "refs/heads/main", "v1", "light", "side~1", "full", "short"]
)
def test_a_commit_is_named_in_every_usual_way(tmp_path: Path, revision: str) -> None:
    first = committed({"a": "first"}, tmp_path)
    git(tmp_path, "tag", "-a", "v1", "-m", "annotated")
    git(tmp_path, "tag", "light")
    git(tmp_path, "checkout", "-q", "-b", "side")
    committed({"a": "second"}, tmp_path, "two")
    git(tmp_path, "checkout", "-q", "main")
    name = {"full": first, "short": first[:7]}.get(revision, revision)
    tree = commit_tree(tmp_path, name)
    assert tree.read("a") == b"first"
    assert tree.label == f"commit {first[:12]} of {tmp_path}"
    assert commit_tree(tmp_path, "side").read("a") == b"second"


def test_a_commit_does_not_see_the_working_tree(tmp_path: Path) -> None:
    committed({"a": "committed"}, tmp_path)
    write({"a": "changed", "b": "new"}, tmp_path)
    assert commit_tree(tmp_path).entries("") == ("a",)
    assert commit_tree(tmp_path).read("a") == b"committed"


def test_a_bare_repository_and_packed_objects_are_read(tmp_path: Path) -> None:
    committed({"a": "x" * 1000, "b/c": "y"}, tmp_path / "one")
    git(tmp_path / "one", "gc", "-q")
    git(tmp_path, "clone", "-q", "--bare", "one", "two.git")
    assert commit_tree(tmp_path / "two.git").read("b/c") == b"y"


def test_an_unknown_revision_names_the_nearest(tmp_path: Path) -> None:
    committed({"a": "x"}, tmp_path)
    git(tmp_path, "branch", "release/1.0")
    with pytest.raises(InputError) as caught:
        commit_tree(tmp_path, "relase/1.0")
    assert str(caught.value) == f"{tmp_path}: has no commit 'relase/1.0' (did you mean 'release/1.0'?)"
    for revision in ("deadbeef", "", "HEAD:a", "a\0b", "\udcff", "a//b", "main~9", "main^2", "HEAD@{1}"):
        with pytest.raises(InputError, match="has no commit"):
            commit_tree(tmp_path, revision)


def test_what_is_no_repository_or_has_no_commit_says_so(tmp_path: Path) -> None:
    for name in (tmp_path, tmp_path / "absent"):
        with pytest.raises(InputError) as caught:
            commit_tree(name)
        assert str(caught.value) == f"{name}: is not a git repository (name the folder that holds .git)"
    git(tmp_path, "init", "-q")
    with pytest.raises(InputError, match=r"has no commit yet \(commit something first\)"):
        commit_tree(tmp_path)


def test_a_submodule_is_an_empty_folder(tmp_path: Path) -> None:
    committed({"inner": "x"}, tmp_path / "module")
    committed({"a": "x"}, tmp_path / "outer")
    git(tmp_path / "outer", "submodule", "--quiet", "add", "../module", "vendor/module")
    git(tmp_path / "outer", "commit", "-q", "-m", "two")
    tree = commit_tree(tmp_path / "outer")
    assert tree.kind("vendor/module") == "folder"
    assert tree.entries("vendor/module") == ()
    assert tree.kind("vendor/module/inner") is None


def test_a_missing_object_is_told_with_the_path(tmp_path: Path) -> None:
    committed({"docs/a": "some text"}, tmp_path)
    blob = git(tmp_path, "rev-parse", "HEAD:docs/a")
    (tmp_path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(TreeError, match=f"docs/a cannot be read: the object {blob} is missing or damaged"):
        commit_tree(tmp_path).read("docs/a")


def test_a_repository_is_closed_when_its_tree_goes(tmp_path: Path) -> None:
    committed({"a": "x"}, tmp_path)
    git(tmp_path, "gc", "-q")
    tree = commit_tree(tmp_path)
    tree.read("a")
    opened = {os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _is_open(name)}
    del tree
    gc.collect()
    left = {os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _is_open(name)}
    assert not {name for name in left if str(tmp_path) in name}, opened


def _is_open(name: str) -> bool:
    return os.path.islink(f"/proc/self/fd/{name}")


def test_an_overlay_adds_replaces_and_removes() -> None:
    base = memory_tree({"a/b": "1", "a/c": "2", "d": "3", "e/f": "4"})
    tree = overlay(base, {"a/b": None, "a/x": "new", "d/now": "folder", "e": "now a file"})
    assert list(tree.walk()) == [
        (".", "folder"),
        ("a", "folder"),
        ("a/c", "file"),
        ("a/x", "file"),
        ("d", "folder"),
        ("d/now", "file"),
        ("e", "file"),
    ]
    assert tree.kind("e/f") is None
    assert base.kind("a/b") == "file"


def test_what_a_link_of_the_base_leads_to_is_not_in_a_folder_that_takes_its_place() -> None:
    base = memory_tree({"way": Link("docs"), "docs/a": "1"})
    tree = overlay(base, {"way/b": "new"})
    assert tree.entries("way") == ("b",)
    assert tree.kind("way/a") is None
    assert tree.kind("docs/a") == "file"


def test_an_error_of_a_tree_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(TreeError("a", "missing", "does not exist")))
    assert (str(error), error.path, error.reason) == ("a does not exist", "a", "missing")
