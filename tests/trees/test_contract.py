"""What every tree answers, wherever its content is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trees.makers import MAKERS, Maker, in_memory
from understudy.trees import Link, Tree, TreeError

FILES: dict[str, str | bytes | Link] = {
    "README.md": "# Title\n",
    "LICENSE": b"\xff\x00binary",
    "empty": "",
    "docs/guide.md": "guide",
    "docs/deep/er/note.txt": "note",
    "docs-old/a": "a",
    "docs.txt": "text",
    "Zebra": "z",
    "café/ü": "ü",
    ".github/workflows/ci.yml": "on: push\n",
    "latest": Link("docs"),
    "docs/up": Link("../README.md"),
    "docs/deep/round": Link("../../docs/./deep//er/"),
    "to link": Link("latest/guide.md"),
    "broken": Link("nowhere"),
    "out": Link("../outside"),
    "far out": Link("docs/../../etc/passwd"),
    "absolute": Link("/etc/passwd"),
    "circle": Link("circle"),
    "left": Link("right"),
    "right": Link("left"),
    "through file": Link("README.md/x"),
    "to root": Link("."),
    "over file": Link("README.md/../docs"),
}


@pytest.fixture(params=MAKERS, name="maker")
def _maker(request: pytest.FixtureRequest) -> Maker:
    return MAKERS[request.param]


@pytest.fixture(name="tree")
def _tree(maker: Maker, tmp_path: Path) -> Tree:
    return maker(FILES, tmp_path)


@pytest.mark.parametrize(
    ("path", "kind", "unfollowed"),
    [
        ("", "folder", "folder"),
        (".", "folder", "folder"),
        ("/", "folder", "folder"),
        ("README.md", "file", "file"),
        ("./docs//guide.md", "file", "file"),
        ("/docs/guide.md", "file", "file"),
        ("/../README.md", "file", "file"),
        ("docs/../README.md", "file", "file"),
        ("docs/", "folder", "folder"),
        ("docs", "folder", "folder"),
        (".github", "folder", "folder"),
        ("café/ü", "file", "file"),
        ("latest", "folder", "link"),
        ("latest/guide.md", "file", "file"),
        ("latest/deep/round/note.txt", "file", "file"),
        ("docs/up", "file", "link"),
        ("to link", "file", "link"),
        ("to root/docs/guide.md", "file", "file"),
        ("to root", "folder", "link"),
        ("broken", None, "link"),
        ("out", None, "link"),
        ("far out", None, "link"),
        ("absolute", None, "link"),
        ("circle", None, "link"),
        ("left/x", None, None),
        ("through file", None, "link"),
        ("over file", None, "link"),
        ("README.md/x", None, None),
        ("readme.md", None, None),
        ("absent", None, None),
        ("gone/away.txt", None, None),
        (".git", None, None),
        (".git/HEAD", None, None),
        ("a\0b", None, None),
        ("x" * 5000, None, None),
    ],
)
def test_what_stands_at_a_path(tree: Tree, path: str, kind: str | None, unfollowed: str | None) -> None:
    assert tree.kind(path) == kind
    assert tree.kind(path, follow=False) == unfollowed


def test_a_path_that_leaves_the_root_is_an_error(tree: Tree) -> None:
    for path in ("..", "../x", "docs/../../x", "./.."):
        with pytest.raises(TreeError, match="leads out of the root of the files") as caught:
            tree.kind(path)
        assert caught.value.reason == "outside"


def test_the_entries_of_a_folder_are_sorted_by_their_bytes(tree: Tree) -> None:
    names = {name.partition("/")[0] for name in FILES}
    assert tree.entries("") == tuple(sorted(names, key=str.encode))
    assert tree.entries("./docs/") == ("deep", "guide.md", "up")
    assert tree.entries("latest") == tree.entries("docs")


def test_the_bytes_of_a_file_are_those_that_were_written(tree: Tree) -> None:
    assert tree.read("LICENSE") == b"\xff\x00binary"
    assert tree.read("empty") == b""
    assert tree.read("café/ü") == "ü".encode()
    assert tree.read("to link") == b"guide"
    assert tree.read("docs/up", start=3) == b"# T"


@pytest.mark.parametrize(
    ("path", "said", "reason"),
    [
        ("docs", "docs is a folder, not a file", "folder"),
        ("", ". is a folder, not a file", "folder"),
        ("absent", "absent does not exist", "missing"),
        ("broken", "broken does not exist", "missing"),
        ("out", "out is a link that leads out of the root of the files", "outside"),
        ("absolute", "absolute is a link that leads out of the root of the files", "outside"),
        ("left", "left follows more than 40 links: they lead in a circle", "loop"),
        ("../x", "../x leads out of the root of the files", "outside"),
        ("a\0b", "a\0b is no usable path", "missing"),
    ],
)
def test_what_is_no_file_says_so_when_it_is_read(tree: Tree, path: str, said: str, reason: str) -> None:
    with pytest.raises(TreeError) as caught:
        tree.read(path)
    assert str(caught.value) == said
    assert caught.value.reason == reason


def test_a_file_is_read_up_to_the_limit_and_its_start_whatever_its_size(tree: Tree) -> None:
    assert tree.read("docs.txt", limit=4) == b"text"
    with pytest.raises(TreeError, match=r"docs\.txt is too large: 4 bytes, and at most 3 are read"):
        tree.read("docs.txt", limit=3)
    assert tree.read("docs.txt", limit=3, start=2) == b"te"


def test_the_entries_of_a_file_and_the_target_of_no_link_are_errors(tree: Tree) -> None:
    with pytest.raises(TreeError, match=r"README\.md is a file, not a folder"):
        tree.entries("README.md")
    with pytest.raises(TreeError, match="absent does not exist"):
        tree.entries("absent")
    with pytest.raises(TreeError, match="docs is a folder, not a link"):
        tree.link_target("docs")


def test_a_link_keeps_its_target_as_it_was_written(tree: Tree) -> None:
    assert tree.link_target("docs/deep/round") == "../../docs/./deep//er/"
    assert tree.link_target("out") == "../outside"


def test_a_path_is_resolved_to_one_without_links(tree: Tree) -> None:
    assert tree.resolve("latest/deep/round") == "docs/deep/er"
    assert tree.resolve("to root") == ""
    assert tree.resolve("broken") is None
    assert tree.resolve("absent/x") is None


def test_a_walk_visits_each_folder_before_what_it_holds_and_follows_no_link(tree: Tree) -> None:
    assert list(tree.walk("docs")) == [
        ("docs", "folder"),
        ("docs/deep", "folder"),
        ("docs/deep/er", "folder"),
        ("docs/deep/er/note.txt", "file"),
        ("docs/deep/round", "link"),
        ("docs/guide.md", "file"),
        ("docs/up", "link"),
    ]
    files = [path for path, kind in tree.walk() if kind != "folder"]
    assert sorted(files) == sorted(FILES)
    assert files.index("docs/up") < files.index("docs-old/a") or files.index("docs-old/a") < files.index(
        "docs.txt"
    )


def test_a_walk_begins_with_the_path_as_it_was_written(tree: Tree) -> None:
    assert list(tree.walk("/docs-old")) == [("/docs-old", "folder"), ("/docs-old/a", "file")]
    assert list(tree.walk("./docs-old")) == [("./docs-old", "folder"), ("docs-old/a", "file")]
    assert list(tree.walk("README.md")) == [("README.md", "file")]
    assert list(tree.walk("latest")) == [("latest", "link")]
    assert list(tree.walk("absent")) == []


def test_the_number_of_files_that_are_walked_is_bounded(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.trees.stored.WALK_LIMIT", 5)
    with pytest.raises(TreeError, match="holds more than 5 files and folders"):
        list(tree.walk())


def test_an_empty_tree_has_a_root(maker: Maker, tmp_path: Path) -> None:
    tree = maker({}, tmp_path)
    assert tree.kind("") == "folder"
    assert tree.entries("") == ()
    assert list(tree.walk()) == [(".", "folder")]


_NAMES = st.sampled_from(["a", "b", "c", "a.b", "A"])
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map("/".join)
_TARGETS = st.lists(st.sampled_from(["a", "b", "c", "..", ".", "a.b"]), min_size=1, max_size=4).map("/".join)
_CONTENTS = st.dictionaries(_PATHS, st.one_of(st.just("text"), _TARGETS.map(Link)), max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=_CONTENTS, asked=st.lists(_TARGETS, max_size=8))
def test_a_folder_on_disk_and_a_tree_in_memory_answer_alike(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str | Link], asked: list[str]
) -> None:
    kept = {
        name: content
        for name, content in files.items()
        if not any(other != name and (name.startswith(other + "/")) for other in files)
    }
    root = tmp_path_factory.mktemp("tree")
    trees = [in_memory(kept, root), MAKERS["folder"](kept, root)]
    for path in (*files, *asked):
        answers = [_answers(tree, path) for tree in trees]
        assert answers[0] == answers[1]


def _answers(tree: Tree, path: str) -> list[object]:
    answers: list[object] = []
    for ask in (
        lambda: tree.kind(path),
        lambda: tree.kind(path, follow=False),
        lambda: tree.resolve(path),
        lambda: tree.read(path),
        lambda: tree.entries(path),
        lambda: list(tree.walk(path)),
    ):
        try:
            answers.append(ask())
        except TreeError as error:
            answers.append((error.reason, str(error)))
    return answers
