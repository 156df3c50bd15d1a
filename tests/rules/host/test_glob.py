"""Patterns mean what they mean in Go."""

from __future__ import annotations

import fnmatch
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.glob import glob, matches
from understudy.trees import Link, memory_tree

TREE = memory_tree(
    {
        "README.md": "",
        "readme.txt": "",
        "SECURITY.md": "",
        ".github/dependabot.yaml": "",
        ".github/workflows/ci.yml": "",
        ".github/workflows/release.yaml": "",
        ".github/workflows/notes.txt": "",
        ".github/CODEOWNERS": "",
        "docs/SECURITY.md": "",
        "docs/api/v1/index.md": "",
        "docs/[x].md": "",
        "latest": Link("docs"),
        "dead": Link("nowhere"),
    }
)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("README.md", ["README.md"]),
        ("./README.md", ["./README.md"]),
        ("docs//api/", ["docs//api/"]),
        ("dead", ["dead"]),
        ("absent", []),
        ("", [""]),
        ("*.md", ["README.md", "SECURITY.md"]),
        ("*", [".github", "README.md", "SECURITY.md", "dead", "docs", "latest", "readme.txt"]),
        ("[Rr]*", ["README.md", "readme.txt"]),
        ("[^r]*.md", ["README.md", "SECURITY.md"]),
        ("?EADME.md", ["README.md"]),
        (".github/workflows/*.y*ml", [".github/workflows/ci.yml", ".github/workflows/release.yaml"]),
        (".github/dependabot.y?ml", [".github/dependabot.yaml"]),
        ("*/SECURITY.md", ["docs/SECURITY.md", "latest/SECURITY.md"]),
        ("*/*/*.yml", [".github/workflows/ci.yml"]),
        ("**/*.md", ["docs/SECURITY.md", "docs/[x].md", "latest/SECURITY.md", "latest/[x].md"]),
        ("**.md", ["README.md", "SECURITY.md"]),
        ("/*.md", ["/README.md", "/SECURITY.md"]),
        ("./*.md", ["README.md", "SECURITY.md"]),
        ("docs/../*.md", ["README.md", "SECURITY.md"]),
        ("docs/\\[*.md", ["docs/[x].md"]),
        ("{README,SECURITY}.md", []),
        ("README.md/*", []),
        ("absent/*", []),
        ("absent/[", []),
        ("../*", []),
        ("..", []),
        ("docs/api/v[0-9]/*", ["docs/api/v1/index.md"]),
    ],
)
def test_a_pattern_finds_paths_in_order(pattern: str, found: list[str]) -> None:
    assert glob(TREE, pattern) == found


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("[", "the pattern '[' has a '[' without the ']' or the characters that belong to it"),
        ("docs/[a", "the pattern '[a' has a '[' without its ']'"),
        ("[]a]", "the pattern '[]a]' has a '[' without the ']' or the characters that belong to it"),
        ("[-x]", "the pattern '[-x]' has a '[' without the ']' or the characters that belong to it"),
        ("*\\", "the pattern '*\\\\' ends in a '\\' that escapes nothing"),
        ("*/", "the pattern '*/' ends a wildcard's name with '/' (remove the '/')"),
        ("d*/", "the pattern 'd*/' ends a wildcard's name with '/' (remove the '/')"),
    ],
)
def test_a_pattern_that_is_none_says_why(pattern: str, said: str) -> None:
    with pytest.raises(HostError) as caught:
        glob(TREE, pattern)
    assert str(caught.value) == said


# What Go's own tests state of filepath.Match, for names without a slash; None is ErrBadPattern.
@pytest.mark.parametrize(
    ("pattern", "name", "result"),
    [
        ("abc", "abc", True),
        ("*", "abc", True),
        ("*c", "abc", True),
        ("a*", "a", True),
        ("a*", "abc", True),
        ("a*b*c*d*e*", "axbxcxdxe", True),
        ("a*b*c*d*e*", "axbxcxdxexxx", True),
        ("a*b?c*x", "abxbbxdbxebxczzx", True),
        ("a*b?c*x", "abxbbxdbxebxczzy", False),
        ("ab[c]", "abc", True),
        ("ab[b-d]", "abc", True),
        ("ab[e-g]", "abc", False),
        ("ab[^c]", "abc", False),
        ("ab[^b-d]", "abc", False),
        ("ab[^e-g]", "abc", True),
        ("a\\*b", "a*b", True),
        ("a\\*b", "ab", False),
        ("a?b", "a☺b", True),
        ("a[^a]b", "a☺b", True),
        ("a???b", "a☺b", False),
        ("a[^a][^a][^a]b", "a☺b", False),
        ("[a-ö]*", "é", True),
        ("*[a-ö]", "A", False),
        ("[\\]a]", "]", True),
        ("[\\-]", "-", True),
        ("[x\\-]", "x", True),
        ("[x\\-]", "-", True),
        ("[x\\-]", "z", False),
        ("[\\-x]", "x", True),
        ("[\\-x]", "a", False),
        ("[]a]", "]", None),
        ("[-]", "-", None),
        ("[x-]", "x", None),
        ("[x-]", "z", None),
        ("[-x]", "x", None),
        ("\\", "a", None),
        ("[a-b-c]", "a", None),
        ("[", "a", None),
        ("[^", "a", None),
        ("[^bc", "a", None),
        ("a[", "a", None),
        ("a[", "ab", None),
        ("a[", "x", None),
        ("*x", "xxx", True),
        ("[b-a]", "a", False),
        ("[^b-a]", "a", True),
        ("[!a]", "!", True),
        ("[!a]", "b", False),
        ("[^^]", "^", False),
        ("", "", True),
        ("", "a", False),
        ("?", "", False),
        ("*", "", True),
        ("a*", "ba", False),
        ("*a*", "bab", True),
        ("a*a", "a", False),
        ("*.md", "x.md\n", False),
    ],
)
def test_a_name_matches_as_in_go(pattern: str, name: str, result: bool | None) -> None:
    if result is None:
        with pytest.raises(HostError, match="the pattern"):
            matches(pattern, name)
    else:
        assert matches(pattern, name) is result


def test_many_stars_take_no_time() -> None:
    assert matches("*a" * 60 + "*b", "a" * 250) is False


@given(
    st.lists(st.sampled_from(["*", "?", "a", "b", ".", "[ab]", "[^a]"]), max_size=8).map("".join),
    st.text(alphabet="ab.c", max_size=8),
)
def test_patterns_without_escapes_match_as_the_shell_does(pattern: str, name: str) -> None:
    expected = re.fullmatch(fnmatch.translate(pattern.replace("[^", "[!")), name) is not None
    assert matches(pattern, name) is expected


def test_a_folder_on_disk_is_searched_as_the_standard_library_does(tmp_path: Path) -> None:
    from understudy.trees import folder_tree

    for name in ("a/x.py", "a/b/y.py", "z.py", "a/b/c/x.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    for pattern in ("*", "*/*", "*/*.py", "a/*/y.*", "a/b/[a-c]/x.txt", "*/*/*/*"):
        expected = sorted(os.fspath(path.relative_to(tmp_path)) for path in tmp_path.glob(pattern))
        assert sorted(glob(folder_tree(tmp_path), pattern)) == expected
