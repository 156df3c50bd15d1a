"""Archives of text files in one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.starlark.txtar import ArchiveError, parse_txtar

NAMES = st.text(alphabet="abc/.-_ é", min_size=1, max_size=12).map(str.strip).filter(lambda name: name != "")
LINES = st.lists(st.text(alphabet="ab -{}", max_size=10).filter(lambda line: not line.startswith("-- ")))


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("", {}),
        ("only a comment\n", {}),
        ("-- a --\n", {"a": ""}),
        ("-- a --", {"a": ""}),
        ("-- a --\nx", {"a": "x\n"}),
        ("-- a --\nx\n\n-- b/c d.txt --\ny\n", {"a": "x\n\n", "b/c d.txt": "y\n"}),
        ("note\n-- .github/workflows/ci.yml --\non: [push]\n", {".github/workflows/ci.yml": "on: [push]\n"}),
        ("--a --\n-- b--\n-- c --\nx\n", {"c": "x\n"}),
        ("-- a --\n--  --\nx\n", {"a": "--  --\nx\n"}),
        ("-- a --\r\nx\r\n-- b --\r\ny\r\n", {"a": "x\r\n", "b": "y\r\n"}),
        ('echo "-- a --"\n-- b --\n', {"b": ""}),
    ],
)
def test_an_archive_is_its_files_in_order(text: str, files: dict[str, str]) -> None:
    assert parse_txtar(text) == files
    assert list(parse_txtar(text)) == list(files)


def test_a_file_that_is_there_twice_is_refused_with_its_line() -> None:
    with pytest.raises(ArchiveError, match=r"line 3: the file 'a' is in the archive twice"):
        parse_txtar("-- a --\nx\n-- a --\n")


@given(st.dictionaries(NAMES, LINES.map(lambda lines: "".join(f"{line}\n" for line in lines)), max_size=5))
def test_what_is_written_is_read_again(files: dict[str, str]) -> None:
    assert parse_txtar("".join(f"-- {name} --\n{text}" for name, text in files.items())) == files
