"""What a rule about a pull request ingests."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.ingest.diff import added_lines, ingest_diff
from understudy.trees import Link, memory_tree

PULL = {"repo_owner": "acme", "repo_name": "widgets", "commit_sha": "abc", "number": 7}
RAW = "https://github.com/acme/widgets/raw/abc/"


def ingested(settings: Any, head: Any, base: Any, entity: dict[str, Any] = PULL) -> dict[str, Any]:
    return ingest_diff(settings, entity, memory_tree(head), memory_tree(base))


def test_full_gives_the_added_lines_of_every_changed_file() -> None:
    head = {
        "docs/a.md": "one\nTWO\nthree\n",
        "new.txt": "x\n\ny\n",
        "same": "s",
        "moved": "m",
        "bin": b"\0\1",
    }
    base = {"docs/a.md": "one\ntwo\nthree\n", "gone.txt": "g\n", "same": "s", "old": "m", "bin": b"\0\2"}
    assert ingested({"type": "full"}, head, base) == {
        "pr": PULL,
        "files": [
            {"name": "bin", "file_patch_url": f"{RAW}bin"},
            {
                "name": "docs/a.md",
                "file_patch_url": f"{RAW}docs%2Fa.md",
                "patch_lines": [{"line_number": 2, "content": "TWO"}],
            },
            {"name": "gone.txt", "file_patch_url": f"{RAW}gone.txt"},
            {"name": "moved", "file_patch_url": f"{RAW}moved"},
            {
                "name": "new.txt",
                "file_patch_url": f"{RAW}new.txt",
                "patch_lines": [
                    {"line_number": 1, "content": "x"},
                    {"line_number": 2},
                    {"line_number": 3, "content": "y"},
                ],
            },
        ],
    }


def test_nothing_changed_is_only_the_pull_request() -> None:
    for form in ("full", "dep", "new-dep", "", None):
        assert ingested({"type": form}, {"a": "1"}, {"a": "1"}) == {"pr": PULL}
    assert ingested(None, {"a": "1"}, {}) == {"pr": PULL}


def test_an_entity_that_does_not_say_where_it_is_has_no_links() -> None:
    (file,) = ingested({"type": "full"}, {"a": "1\n"}, {}, {"number": 1})["files"]
    assert file == {"name": "a", "patch_lines": [{"line_number": 1, "content": "1"}]}


def test_a_changed_link_is_a_changed_line() -> None:
    (file,) = ingested({"type": "full"}, {"a": Link("new")}, {"a": Link("old")}, {})["files"]
    # The line after a missing newline counts one too many, as it does in Minder.
    assert file["patch_lines"] == [{"line_number": 2, "content": "new"}]


@pytest.mark.parametrize(
    ("patch", "lines"),
    [
        ("", []),
        ("@@ -1,3 +1,4 @@ def f():\n a\n+b\n c\n-d\n+e", [(2, "b"), (4, "e")]),
        ("@@ -0,0 +1 @@\n+only", [(1, "only")]),
        ("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c", [(3, "c")]),
        ("@@ -1,1 +5,2 @@\n+x\r\n+@@ -1,2 +9,9 @@\n+y", [(5, "x"), (9, "y")]),
    ],
)
def test_added_lines_are_counted_as_minder_counts_them(patch: str, lines: list[tuple[int, str]]) -> None:
    assert list(added_lines(patch)) == lines


ECOSYSTEMS = [
    {"name": "npm", "depfile": "package-lock.json"},
    {"name": "PyPI", "depfile": "requirements*.txt"},
    {"name": "go", "depfile": "go.mod"},
    {"name": "unknown", "depfile": "*.toml"},
    {"name": "npm", "depfile": "["},
]


def test_dep_gives_the_dependencies_that_patches_add() -> None:
    lock = '{\n  "packages": {\n    "": {\n      "name": "mine",\n      "version": "%s"\n    }%s\n  }\n}\n'
    package = ',\n    "node_modules/@scope/pkg": {\n      "version": "%s",\n      "dev": true\n    }'
    head = {
        "web/package-lock.json": lock % ("2.0.0", package % "1.1.0"),
        "requirements-dev.txt": "keep==1\nFoo.Bar>=1.2,<2\n",
        "go.mod": "module m\nrequire (\n\ta.b/new v1.0.0\n\ta.b/indirect v1.0.0 // indirect\n)\n",
        "x.toml": "a = 1",
    }
    base = {
        "web/package-lock.json": lock % ("1.0.0", package % "1.0.0"),
        "requirements-dev.txt": "keep==1\n",
        "go.mod": "module m\nrequire (\n)\n",
    }
    assert ingested({"type": "dep", "ecosystems": ECOSYSTEMS}, head, base) == {
        "pr": PULL,
        "deps": [
            {
                "dep": {"ecosystem": 2, "name": "a.b/new", "version": "v1.0.0"},
                "file": {"name": "go.mod", "patch_url": f"{RAW}go.mod"},
            },
            {
                "dep": {"ecosystem": 3, "name": "foo-bar", "version": "1.2"},
                "file": {"name": "requirements-dev.txt", "patch_url": f"{RAW}requirements-dev.txt"},
            },
            {
                "dep": {"ecosystem": 1, "name": "@scope/pkg", "version": "1.1.0"},
                "file": {"name": "web/package-lock.json", "patch_url": f"{RAW}web%2Fpackage-lock.json"},
            },
        ],
    }


def test_new_dep_gives_what_was_not_named_before() -> None:
    head = {
        "requirements.txt": "pydantic>=1.7.1\nrequests==2.33.1\nold==1\n",
        "Cargo.lock": '[[package]]\nname="c"',
    }
    base = {"requirements.txt": "requests==2.25.1\nold==1\ngone==1\n"}
    assert ingested({"type": "new-dep"}, head, base)["deps"] == [
        {"dep": {"name": "c"}, "file": {"name": "Cargo.lock"}},
        {
            "dep": {"ecosystem": 3, "name": "pydantic", "version": "1.7.1"},
            "file": {"name": "requirements.txt"},
        },
        {
            "dep": {"ecosystem": 3, "name": "requests", "version": "2.33.1"},
            "file": {"name": "requirements.txt"},
        },
    ]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"type": "ful"}, "ingest.diff.type \"ful\" is unknown (did you mean 'full'?)"),
        ({"type": 3}, "ingest.diff.type 3 is unknown (write one of: dep, new-dep, full)"),
        (
            {"ecosystems": [{"name": "npm"}]},
            "ingest.diff.ecosystems[0] has no name and depfile (write 'name: npm' and 'depfile: package-lock.json')",
        ),
        (
            {"ecosystems": "npm"},
            'ingest.diff.ecosystems must be a list, and is "npm"',
        ),
    ],
)
def test_settings_that_minder_refuses_are_refused(settings: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        ingested(settings, {"a": "1"}, {})
    assert str(caught.value).startswith(said)
