"""The storefront's nightly pipeline does the same again; what is planted in it is found, and its line named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.command import understudy
from storefront.bugs import REGISTRY

MARKETPLACE = "storefront/marketplace.py"
CASE = f"replay::{MARKETPLACE}::offers of the night"


def replayed(root: Path, bugs: str, report: Path) -> tuple[int, dict[str, Any], str]:
    """The exit code, the outcome of the pipeline, and what the terminal showed."""
    done = understudy(["replay", root, "--json", report], cwd=report.parent, more={"STOREFRONT_BUGS": bugs})
    (outcome,) = json.loads(report.read_text("utf-8"))["outcomes"]
    return done.code, outcome, done.out


def line_with(root: Path, text: str, nth: int = 1) -> int:
    """The line of the pipeline's file in which something stands for the nth time."""
    lines = (root / MARKETPLACE).read_text("utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if text in line][nth - 1]


def test_the_sound_pipeline_writes_once_and_does_the_same_again(
    storefront_root: Path, tmp_path: Path
) -> None:
    code, outcome, _ = replayed(storefront_root, "", tmp_path / "report.json")

    assert (code, outcome["id"], outcome["status"]) == (0, CASE, "passed")
    # 23 offers are made, and that of the item that is sold out is taken back.
    assert outcome["details"] == {"objects": 23, "writes": 24, "suppressed": 0}


def test_a_clock_in_an_id_is_found_and_its_line_named(storefront_root: Path, tmp_path: Path) -> None:
    code, outcome, shown = replayed(storefront_root, "clock-in-id", tmp_path / "report.json")
    line = line_with(storefront_root, "datetime.now(")

    assert (code, outcome["status"]) == (1, "failed")
    assert [failure["message"][:15] for failure in outcome["failures"]] == [
        "23 ids are miss",
        "23 ids were add",
    ]
    for failure in outcome["failures"]:
        assert f"likely cause: {MARKETPLACE}:{line} reads datetime.now() (24 times)" in failure["message"]
        assert failure["location"] == {"file": MARKETPLACE, "line": line}
        assert failure["diff"].count("offer--tea-green-") == 1
    assert f"{MARKETPLACE}:{line} reads datetime.now()" in shown


def test_a_double_write_is_found_and_both_lines_named(storefront_root: Path, tmp_path: Path) -> None:
    code, outcome, shown = replayed(storefront_root, "double-write", tmp_path / "report.json")
    once, twice = (line_with(storefront_root, "upsert_object(dict(", nth) for nth in (1, 2))

    (failure,) = outcome["failures"]
    write = "marketplace.upsert_object(offer--gift-card)"
    assert (code, outcome["status"]) == (1, "failed")
    assert failure["message"] == (
        f"one run wrote the same twice: write 24, {write} at {MARKETPLACE}:{once}, "
        f"and again as write 25 at {MARKETPLACE}:{twice}"
    )
    assert failure["diff"] == (
        f" write 24, {write} at {MARKETPLACE}:{once}\n+write 25, {write} at {MARKETPLACE}:{twice}"
    )
    assert failure["location"] == {"file": MARKETPLACE, "line": twice}
    assert "+write 25" in shown


@pytest.mark.parametrize("bug", [bug for bug in REGISTRY if bug.caught_by[0] == "marketplace.py"])
def test_the_bugs_of_the_pipeline_are_those_of_the_registry(bug: Any, storefront_root: Path) -> None:
    assert f'"{bug.name}" in night.bugs' in (storefront_root / MARKETPLACE).read_text("utf-8")
    assert CASE.endswith(f"/{bug.caught_by[0]}::{bug.caught_by[1]}")
