"""What was tried outlives a kill, and a file that belongs to something else is left alone."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.simulation.replay.tried import Identity, Tried, Verdict

IDENTITY = Identity("shop:sync", 7, "world=shop:world", "sha256:1")
DAMAGED = Verdict(("lost sink.upsert",), is_met=False)


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = tmp_path / "progress.jsonl"
    with Tried(path, IDENTITY) as tried:
        tried.note("Duplicate(1)", Verdict())
        tried.note("Duplicate(2)", DAMAGED)
    return path


def test_what_was_tried_is_known_again(path: Path) -> None:
    with Tried(path, IDENTITY) as tried:
        assert tried.verdict("Duplicate(1)") == Verdict()
        assert tried.verdict("Duplicate(2)") == DAMAGED
        assert tried.verdict("Duplicate(3)") is None
        assert not tried.is_renewed


def test_a_line_that_a_kill_cut_short_is_dropped_and_nothing_is_glued_to_it(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"tried": "Duplicate(3)", "dam')
    with Tried(path, IDENTITY) as tried:
        assert tried.verdict("Duplicate(3)") is None
        tried.note("Duplicate(4)", Verdict())
    assert path.read_bytes().startswith(whole)
    assert [json.loads(line)["tried"] for line in path.read_text().splitlines()[3:]] == ["Duplicate(4)"]


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_wherever_a_kill_cuts_the_last_line_the_others_are_known(path: Path, cut: int) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 1 - cut])
    with Tried(path, IDENTITY) as tried:
        assert tried.verdict("Duplicate(1)") == Verdict()
        assert tried.verdict("Duplicate(2)") is None


def test_every_trial_is_in_the_file_when_it_is_noted(path: Path) -> None:
    with Tried(path, IDENTITY) as tried:
        tried.note("Duplicate(3)", Verdict())
        assert "Duplicate(3)" in path.read_text()


def test_the_same_verdict_is_written_once(path: Path) -> None:
    before = path.read_bytes()
    with Tried(path, IDENTITY) as tried:
        tried.note("Duplicate(2)", DAMAGED)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(IDENTITY, pipeline="shop:other"), "another pipeline ('shop:sync', not 'shop:other')"),
        (replace(IDENTITY, seed=8), "another seed (7, not 8)"),
        (
            replace(IDENTITY, options="world=None"),
            "another set of options ('world=shop:world', not 'world=None')",
        ),
    ],
)
def test_a_file_of_another_exploration_is_refused_and_left_as_it_is(
    path: Path, other: Identity, said: str
) -> None:
    before = path.read_bytes()
    with pytest.raises(InputError) as caught, Tried(path, other):
        pass
    assert said in str(caught.value)
    assert path.read_bytes() == before


def test_for_changed_code_everything_is_tried_anew(path: Path) -> None:
    with Tried(path, replace(IDENTITY, state="sha256:2")) as tried:
        assert tried.is_renewed
        assert tried.verdict("Duplicate(1)") is None
        tried.note("Duplicate(5)", Verdict())
    with Tried(path, replace(IDENTITY, state="sha256:2")) as tried:
        assert tried.verdict("Duplicate(5)") == Verdict()
        assert not tried.is_renewed


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ":1: is no file of an exploration"),
        ("name,rank\na,1\n", ":1: is no line of an exploration"),
        ('{"schema": "understudy.report.v1"}\n', ":1: is no file of an exploration"),
        ("[]\n", ":1: is no line of an exploration"),
        ("[" * 100_000 + "\n", ":1: is no line of an exploration"),
    ],
    ids=["empty", "csv", "another schema", "a list", "very deep"],
)
def test_a_file_of_something_else_is_refused_and_left_as_it_is(
    tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(InputError) as caught, Tried(path, IDENTITY):
        pass
    assert f"{path}{said}" in str(caught.value)
    assert path.read_text() == content


def test_a_broken_line_in_the_middle_is_named(path: Path) -> None:
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], '{"tried": 3}', *lines[1:]]) + "\n")
    with (
        pytest.raises(InputError, match=r"progress\.jsonl:2: is no line of an exploration"),
        Tried(path, IDENTITY),
    ):
        pass


def test_two_explorations_do_not_share_a_file(path: Path) -> None:
    with (
        Tried(path, IDENTITY),
        pytest.raises(InputError, match="is in use by another exploration"),
        Tried(path, IDENTITY),
    ):
        pass
    with Tried(path, IDENTITY) as tried:
        assert tried.verdict("Duplicate(1)") == Verdict()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"), Tried(tmp_path / "no" / "a.jsonl", IDENTITY):
        pass


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"(?i)is a directory"), Tried(tmp_path, IDENTITY):
        pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is Linux'")
def test_a_full_disk_is_said_with_what_is_kept(path: Path) -> None:
    with Tried(path, IDENTITY) as tried:
        full = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 - the book closes it
        assert tried._file is not None
        tried._file.close()
        tried._file = full
        with pytest.raises(InputError, match="cannot be written: No space left"):
            tried.note("Duplicate(9)", Verdict())
        full.close()
        tried._file = None
