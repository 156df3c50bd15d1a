"""The host functions of a policy, as the engine calls them."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
from typing import Any

import pytest

from understudy.rules.evaluate.functions import HostError
from understudy.rules.host import HOST_FUNCTION_NAMES, host_functions
from understudy.trees import Link, Tree, memory_tree

FILES: dict[str, str | bytes | Link] = {
    "README.md": "# Title",
    "docs/b.md": "b",
    "docs/a.md": "a",
    "docs/deep/c.md": "c",
    "latest": Link("docs"),
    "docs/up": Link("../README.md"),
    "foo/bar": "bar",
    "foo/baz": Link("foo/bar"),
    "broken": Link("nowhere"),
    "leak": Link("../../secret"),
    "binary": b"caf\xe9\x00",
    ".github/dependabot.yml": "version: 2",
}


@pytest.fixture(name="tree")
def _tree() -> Tree:
    return memory_tree(FILES)


def call(tree: Tree | None, name: str, *arguments: Any, base: Tree | None = None) -> Any:
    function = host_functions(tree, base)[name]
    assert function.name == name
    assert function.arity == len(arguments)
    return function.call(*arguments)


def failure(tree: Tree | None, name: str, *arguments: Any, base: Tree | None = None) -> str:
    with pytest.raises(HostError) as caught:
        call(tree, name, *arguments, base=base)
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("README.md", True),
        ("./docs//a.md", True),
        ("/README.md", True),
        ("docs/../README.md", True),
        ("docs", True),
        ("docs/", True),
        ("", True),
        ("latest/a.md", True),
        ("docs/up", True),
        ("broken", False),
        ("leak", False),
        ("absent", False),
        ("README.md/x", False),
        ("readme.md", False),
    ],
)
def test_a_file_exists_or_not(tree: Tree, path: str, there: bool) -> None:
    assert call(tree, "file.exists", path) is there


def test_a_file_is_read_as_text(tree: Tree) -> None:
    assert call(tree, "file.read", "./docs//a.md") == "a"
    assert call(tree, "file.read", "latest/a.md") == "a"
    assert call(tree, "file.read", "binary") == "caf\ufffd\0"


@pytest.mark.parametrize(
    ("function", "argument", "said"),
    [
        ("file.read", "docs", "docs is a folder, not a file"),
        ("file.read", "absent", "absent does not exist"),
        ("file.read", "leak", "leak is a link that leads out of the root of the files"),
        ("file.read", "../x", "../x leads out of the root of the files"),
        ("file.exists", "a/../../x", "../x leads out of the root of the files"),
        ("file.ls", "..", ".. leads out of the root of the files"),
        ("file.walk", "../docs", "../docs leads out of the root of the files"),
        ("file.http_type", "docs", "docs is a folder, not a file"),
        ("file.archive", ["docs", "absent"], "absent does not exist, so it cannot be archived"),
        ("file.deps", "absent", "absent does not exist, so there are no dependencies in it"),
        ("file.read", 1, "wants a path as a string, and got 1, which is of type number"),
        ("file.ls_glob", None, "wants a pattern as a string, and got null, which is of type null"),
        ("file.archive", "docs", 'wants a list of paths, and got "docs", which is of type string'),
        ("file.archive", [1], "wants each of the paths as a string, and got 1, which is of type number"),
    ],
)
def test_what_cannot_be_answered_says_why(tree: Tree, function: str, argument: Any, said: str) -> None:
    assert failure(tree, function, argument) == said


@pytest.mark.parametrize(
    ("path", "listed"),
    [
        ("docs", ["docs/a.md", "docs/b.md", "docs/deep", "docs/up"]),
        ("./docs/", ["docs/a.md", "docs/b.md", "docs/deep", "docs/up"]),
        ("/docs/deep", ["/docs/deep/c.md"]),
        ("foo", ["foo/bar", "foo/baz"]),
        ("./README.md", ["./README.md"]),
        ("latest", ["docs/a.md", "docs/b.md", "docs/deep", "docs/up"]),
        ("docs/up", ["README.md"]),
        ("foo/baz", ["foo/bar"]),
        ("broken", None),
        ("leak", None),
        ("absent", None),
        ("docs/absent/x", None),
    ],
)
def test_a_folder_is_listed_a_file_gives_itself_and_a_link_its_target(
    tree: Tree, path: str, listed: list[str] | None
) -> None:
    assert call(tree, "file.ls", path) == listed


def test_the_root_is_listed_by_names(tree: Tree) -> None:
    names = [".github", "README.md", "binary", "broken", "docs", "foo", "latest", "leak"]
    assert call(tree, "file.ls", ".") == names
    assert call(tree, "file.ls", "") == names
    assert call(tree, "file.ls", "/") == [f"/{name}" for name in names]


def test_a_walk_gives_every_file_and_link_below(tree: Tree) -> None:
    assert call(tree, "file.walk", "docs") == ["docs/a.md", "docs/b.md", "docs/deep/c.md", "docs/up"]
    assert call(tree, "file.walk", "README.md") == ["README.md"]
    assert call(tree, "file.walk", "latest") == ["latest"]
    assert call(tree, "file.walk", "absent") is None
    assert len(call(tree, "file.walk", ".")) == len(FILES)
    assert call(memory_tree({}), "file.walk", ".") == []


def test_an_archive_holds_what_was_named_and_is_the_same_every_time(tree: Tree) -> None:
    packed = call(tree, "file.archive", ["docs", "README.md"])
    assert packed == call(memory_tree(FILES), "file.archive", ["docs", "README.md"])
    assert base64.b64decode(packed)[4:8] == bytes(4)  # the time at which it was packed
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(base64.b64decode(packed)))) as tar:
        assert tar.getnames() == [
            "docs",
            "docs/a.md",
            "docs/b.md",
            "docs/deep",
            "docs/deep/c.md",
            "docs/up",
            "README.md",
        ]
        members = {member.name: member for member in tar}
        assert members["docs"].isdir()
        assert members["docs/up"].linkname == "../README.md"
        assert {member.mtime for member in members.values()} == {0}
        content = tar.extractfile("README.md")
        assert content is not None
        assert content.read() == b"# Title"


def test_an_archive_is_bounded(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.rules.host.archive.TOTAL_LIMIT", 3)
    said = "the files are more than 3 bytes, which is all that is archived"
    assert failure(tree, "file.archive", ["README.md"]) == said


def test_a_media_type_is_sniffed(tree: Tree) -> None:
    assert call(tree, "file.http_type", "README.md") == "text/plain; charset=utf-8"
    assert call(tree, "file.http_type", "binary") == "application/octet-stream"


def test_a_large_file_is_sniffed_but_not_read() -> None:
    tree = memory_tree({"big": b"%PDF-" + bytes(17 << 20)})
    assert call(tree, "file.http_type", "big") == "application/pdf"
    assert "is too large: 17,825,797 bytes" in failure(tree, "file.read", "big")


def test_base_functions_see_the_state_before_the_change(tree: Tree) -> None:
    base = memory_tree({"old.txt": "old", "w/ci.yml": "uses: a/b@v1"})
    assert call(tree, "base_file.exists", "old.txt", base=base) is True
    assert call(tree, "file.exists", "old.txt", base=base) is False
    assert call(tree, "base_file.read", "old.txt", base=base) == "old"
    assert call(tree, "base_file.walk", ".", base=base) == ["old.txt", "w/ci.yml"]
    assert call(tree, "github_workflow.base_ls_actions", "w", base=base) == ["a/b"]


@pytest.mark.parametrize(
    "name", [name for name in HOST_FUNCTION_NAMES if "file" in name or "workflow" in name]
)
def test_without_files_every_function_says_what_is_missing(name: str) -> None:
    argument = ["a"] if name.endswith("archive") else "a"
    said = failure(None, name, argument)
    if "base" in name:
        assert said.startswith(
            "there are no files from before the change: this rule is not about a pull request"
        )
    else:
        assert said.startswith(
            "there are no files to look at: the ingest of this rule is not git, and no files"
        )


def test_the_mapping_has_every_function_and_no_other(tree: Tree) -> None:
    functions = host_functions(tree, None)
    assert tuple(functions) == HOST_FUNCTION_NAMES
    assert len(functions) == len(HOST_FUNCTION_NAMES) == 21
    assert {name for name in functions if functions[name].gives_set} == {
        "github_workflow.ls_actions",
        "github_workflow.base_ls_actions",
    }
    assert functions["file.read"] is functions["file.read"]
    for unknown in ("file.write", "read", "github_workflow.read", "ls_actions", "", "base_file.ls_actions"):
        assert unknown not in functions


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ('.on | (type == "array" and any(.[]; . == "push"))', True),
        ('.on == "push"', False),
        (".. | select(. == 1)", False),
        ("true, error", True),
        ("env == {} and $ENV == {}", True),
        (".on | length == 2 # comment", True),
    ],
)
def test_a_jq_query_is_true_or_false(query: str, result: bool) -> None:
    assert call(None, "jq.is_true", {"on": ["push", "pull_request"]}, query) is result


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (".on", 'the jq query gives "push", which is of type string, and not true or false'),
        (".on.x", 'the jq query fails: Cannot index string with string ("x")'),
        (".on[", 'the jq query ".on[" is not valid: syntax error'),
        ('import "a" as a; true', 'the jq query "import'),
        ("x" * 70_000, "the jq query is longer than 65,536 characters"),
        (1, "wants a jq query as a string"),
    ],
)
def test_a_jq_query_that_is_neither_says_why(query: Any, said: str) -> None:
    assert failure(None, "jq.is_true", {"on": "push"}, query).startswith(said)


def test_yaml_is_parsed_as_go_does() -> None:
    text = "on:\n  push:\n    branches: [main]\nenabled: yes\nsince: 2026-01-02\n---\nanother: one\n"
    assert call(None, "parse_yaml", text) == {
        "on": {"push": {"branches": ["main"]}},
        "enabled": "yes",
        "since": "2026-01-02T00:00:00Z",
    }
    assert call(None, "parse_yaml", "") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "foo: [bar: x",
            "the YAML, line 2 column 1: is not valid YAML: the list is not closed; it belongs to what begins in line 1",
        ),
        ("200: x", "the YAML, line 1 column 1: the key '200' is not text"),
        ("a: 1\na: 2", "the YAML, line 2 column 1: the key 'a' is given twice, first in line 1"),
        (["a"], 'wants YAML as a string, and got ["a"], which is of type array'),
    ],
)
def test_yaml_that_cannot_be_parsed_says_where(text: Any, said: str) -> None:
    assert failure(None, "parse_yaml", text) == said


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[[items]]\nname = 'a'\n[[items]]\nname = 'b'", {"items": [{"name": "a"}, {"name": "b"}]}),
        ("a.b = 1.0\nc = true", {"a": {"b": 1}, "c": True}),
        ("at = 1979-05-27T07:32:00Z", {"at": "1979-05-27T07:32:00Z"}),
        ("at = 1979-05-27T00:32:00.500-07:00", {"at": "1979-05-27T00:32:00.5-07:00"}),
        ("at = 1979-05-27T07:32:00", {"at": "1979-05-27T07:32:00"}),
        ("at = 1979-05-27", {"at": "1979-05-27"}),
        ("at = 07:32:00.25", {"at": "07:32:00.25"}),
        ("text = '1979-05-27T07:32:00+00:00'", {"text": "1979-05-27T07:32:00+00:00"}),
    ],
)
def test_toml_is_parsed_with_times_as_go_writes_them(text: str, value: Any) -> None:
    assert call(None, "parse_toml", text) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = ", "the TOML, line 1 column 5: is not valid TOML"),
        ("a = inf", "the TOML, line 1 column 5: infinity and NaN have no form in JSON"),
        (
            "a = 9223372036854775808",
            "the TOML holds the number 9223372036854775808, which has more than 64 bits",
        ),
        ("a = " + "[" * 5000 + "]" * 5000, "the TOML, line 1 column 1: is nested more than 100 levels deep"),
    ],
)
def test_toml_that_cannot_be_parsed_says_where(text: str, said: str) -> None:
    assert failure(None, "parse_toml", text).startswith(said)
