"""The storefront's suite and scripts, run by the testbed: green on the sound shop, red where a bug is planted."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from storefront.bugs import REGISTRY
from understudy.testbed import (
    GraphQLRunResult,
    HTTPRunResult,
    Report,
    RunOptions,
    Suite,
    apply_scripts,
    load_scripts,
    run,
)

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture(scope="module", name="suite")
def _suite(storefront_root: Path) -> Suite:
    """The suite with all scripts applied."""
    text = (storefront_root / "suites" / "shop.suite.json").read_text(encoding="utf-8")
    scripts = load_scripts([str(file) for file in sorted((storefront_root / "scripts").glob("*.yaml"))])
    return apply_scripts(Suite.model_validate_json(text), scripts)


def rehearse(suite: Suite, url: str, concurrency: int) -> Report:
    """Run the suite as the project file says: logged in as ada, generated cases included."""
    token = httpx.post(f"{url}/login", json={"customer": "ada"}, trust_env=False).json()["token"]
    options = RunOptions(
        base_url=url, include_generated=True, concurrency=concurrency, variables={"token": token}
    )
    return run(suite, options)


def outcomes(report: Report) -> dict[str, str]:
    """What came of each case, by name: nothing if it passed."""
    results: list[HTTPRunResult | GraphQLRunResult] = [*report.http, *report.graphql]
    return {
        result.case: "skipped" if result.skipped else "\n".join([result.error, *result.failures]).strip()
        for result in results
    }


def test_every_case_passes_on_the_sound_shop_in_turn_and_side_by_side(
    suite: Suite, serve_shop: Serve
) -> None:
    with serve_shop() as url:
        for concurrency in (1, 32, 32):
            report = rehearse(suite, url, concurrency)

            assert {case: text for case, text in outcomes(report).items() if text} == {}
            assert report.summary.passed == report.summary.total >= 40


def test_every_planted_bug_is_caught_by_the_case_beside_it(suite: Suite, serve_shop: Serve) -> None:
    with serve_shop("--bugs", "all") as url:
        found = outcomes(rehearse(suite, url, concurrency=8))

    missed = {
        bug.name: found[bug.caught_by[1]]
        for bug in REGISTRY
        if bug.caught_by[0].endswith(".yaml") and found[bug.caught_by[1]] in ("", "skipped")
    }
    assert missed == {}


def run_project(root: Path, bugs: str, to: Path) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """`understudy run` over the whole example with bugs planted, and the report that it wrote."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ended = subprocess.run(
        [sys.executable, "-m", "understudy", "run", str(root), "--concurrency", "8", "--json", str(to)],
        env={**os.environ, "STOREFRONT_BUGS": bugs, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ended, json.loads(to.read_text(encoding="utf-8"))


def test_the_whole_rehearsal_is_green_and_has_as_many_cases_as_the_readme_says(
    storefront_root: Path, tmp_path: Path
) -> None:
    ended, report = run_project(storefront_root, "", tmp_path / "report.json")
    assert ended.returncode == 0, ended.stderr

    readme = (storefront_root.parents[1] / "README.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"rehearses it: (\d+) cases, green", readme)
    assert report["summary"]["passed"] == report["summary"]["total"] == int(said)
    assert {outcome["act"] for outcome in report["outcomes"]} == {"agents", "replay", "rules", "testbed"}


def test_a_red_rehearsal_shows_every_planted_bug_with_its_diff(storefront_root: Path, tmp_path: Path) -> None:
    ended, report = run_project(storefront_root, "all", tmp_path / "report.json")
    assert ended.returncode == 1, ended.stderr

    failed = {outcome["id"]: outcome for outcome in report["outcomes"] if outcome["status"] == "failed"}
    for bug in REGISTRY:
        file, name = bug.caught_by
        (found,) = (case for case in failed if f"/{file}::" in case and re.split("::|/", case)[-1] == name)
        assert f"FAILED {found}\n" in ended.stdout
        assert all(failure["diff"] for failure in failed[found]["failures"]), bug.name
        assert failed[found]["rerun"], bug.name
    assert "rules" not in {outcome["act"] for outcome in failed.values()}, "no bug is one of the policies"
