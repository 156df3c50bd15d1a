"""The fixtures that come with the package, as a user has them: in a pytest of its own, with nothing imported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER_OF_TESTS = Path(__file__).parent


def run_tests(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run tests in a process of their own, with no plugin but ours."""
    (folder / "test_user.py").write_text(text, encoding="utf-8")
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", "-v", "-rA"),
            *("-p", "understudy.pytest_plugin", *arguments),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"},
    )


def results(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Test to result."""
    return dict(re.findall(r"^test_user\.py::(\w+) (PASSED|FAILED|ERROR)\b.*%\]$", done.stdout, re.MULTILINE))


STAND_INS = """
import urllib3

INDICATOR = {"type": "indicator", "id": "indicator--1", "name": "x"}


def test_connector(simulation_connector):
    simulation_connector.add_fixture(INDICATOR)
    assert simulation_connector.list_objects("indicator") == [INDICATOR]


def test_connectors_are_fresh(simulation_connector):
    assert simulation_connector.list_objects() == []


def test_runner(replay_runner, simulation_connector):
    def pipeline(ctx):
        simulation_connector.add_fixture(INDICATOR)
        return simulation_connector.list_objects()

    runner = replay_runner(pipeline_fn=pipeline)
    ids = runner.run_first(workspace_id="w")
    assert ids == ["indicator--1"]
    runner.replay(execution_log=runner.last_execution_log, expected_stix_ids=ids)


def test_context(execution_context, simulation_connector):
    simulation_connector._context = execution_context
    simulation_connector.list_objects()
    assert execution_context.initiated_by == "pytest"
    [row] = execution_context._store.query(execution_context.context_id)
    assert row["operation"] == "list_objects"


def test_http(mock_pool_manager, mock_http_response):
    mock_pool_manager.add("GET https://a.test/x", mock_http_response({"id": 1}, status=201))
    answer = urllib3.PoolManager().request("GET", "https://a.test/x")
    assert (answer.status, answer.json()) == (201, {"id": 1})


def test_harness(agent_harness):
    done = agent_harness.run_action(
        agent_id="a", action_type="write_stix", target_ref="indicator--1", impact_level="high"
    )
    assert done["status"] == "approved"


def test_reviews(review_service):
    item = review_service.submit("write", {"n": 1}, "somebody")
    assert review_service.get(item.id).payload == {"n": 1}


def test_reviews_are_fresh(review_service):
    assert list(review_service.list()) == []
"""


def test_every_fixture_is_there_by_installing(tmp_path: Path) -> None:
    done = run_tests(tmp_path, STAND_INS)
    assert set(results(done).values()) == {"PASSED"}, done.stdout
    assert len(results(done)) == 8


HTTP = """
import unittest.mock

import urllib3
import pytest


def test_unanswered(mock_pool_manager):
    urllib3.request("GET", "https://a.test/x")


def test_passed_over(mock_pool_manager):
    try:
        urllib3.request("GET", "https://a.test/x")
    except Exception:
        pass


def test_unused(mock_pool_manager):
    mock_pool_manager.add("GET https://a.test/x", {})


def test_fails_by_itself(mock_pool_manager):
    mock_pool_manager.add("GET https://a.test/x", {})
    assert 1 == 2


@pytest.mark.usefixtures("mock_pool_manager")
def test_unused_by_a_mark():
    with pytest.raises(AssertionError):
        urllib3.request("GET", "https://a.test/x")


def test_late(request):
    request.getfixturevalue("mock_pool_manager").add("GET https://a.test/x", {})


class TestOverridden:
    @pytest.fixture
    def mock_pool_manager(self, mock_pool_manager):
        mock_pool_manager.queue("never")
        return mock_pool_manager

    def test_overridden(self, mock_pool_manager):
        pass


class TestOwnFixtureOfThatName:
    @pytest.fixture
    def mock_pool_manager(self):
        return unittest.mock.MagicMock()

    def test_own(self, mock_pool_manager):
        assert not mock_pool_manager.method_calls


class TestUnittest(unittest.TestCase):
    @pytest.mark.usefixtures("mock_pool_manager")
    def test_of_unittest(self):
        with self.assertRaises(AssertionError):
            urllib3.request("GET", "https://a.test/x")


def test_put_back():
    assert urllib3.HTTPConnectionPool.urlopen.__module__ == "urllib3.connectionpool"
"""


def test_answers_are_judged_as_a_part_of_the_test_and_only_once(tmp_path: Path) -> None:
    done = run_tests(tmp_path, HTTP)
    found = re.findall(r"^(FAILED|ERROR|PASSED) test_user\.py::(?:\w+::)?(\w+)", done.stdout, re.MULTILINE)
    assert sorted(found) == [
        ("ERROR", "test_late"),
        ("ERROR", "test_of_unittest"),
        ("FAILED", "test_fails_by_itself"),
        ("FAILED", "test_overridden"),
        ("FAILED", "test_passed_over"),
        ("FAILED", "test_unanswered"),
        ("FAILED", "test_unused"),
        ("FAILED", "test_unused_by_a_mark"),
        ("PASSED", "test_late"),
        ("PASSED", "test_of_unittest"),
        ("PASSED", "test_own"),
        ("PASSED", "test_put_back"),
    ], done.stdout
    assert "'GET https://a.test/x' (test_user.py:20): 0 of 1 answers were asked for" in done.stdout
    assert done.stdout.count("assert 1 == 2") >= 1
    assert "http_fixtures.py" not in done.stdout.split("short test summary")[0]


@pytest.mark.parametrize("name", ["simulation_connector", "mock_pool_manager"])
def test_pytest_says_what_a_fixture_is_for(tmp_path: Path, name: str) -> None:
    done = run_tests(tmp_path, "", "--fixtures")
    assert re.search(rf"^{name} -- .*pytest_plugin\.py:\d+\n    \w.+", done.stdout, re.MULTILINE), done.stdout


def test_fixtures_that_nobody_asks_for_import_nothing(tmp_path: Path) -> None:
    text = """
import sys


def test_modules():
    heavy = {"stix2", "urllib3", "requests", "sqlalchemy", "pydantic"} & set(sys.modules)
    assert not heavy
    assert {name for name in sys.modules if name.startswith("understudy")} == {"understudy", "understudy.pytest_plugin"}
"""
    done = run_tests(tmp_path, text)
    assert results(done) == {"test_modules": "PASSED"}, done.stdout
