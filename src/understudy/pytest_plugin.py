"""Cases of ours as pytest items (`pytest --understudy`, `--understudy-rules`), and stand-ins as fixtures.

Loaded into every pytest run of an environment that has us installed, so it imports nothing until it is asked to.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from urllib3 import HTTPResponse

    from understudy.context import ExecutionContext
    from understudy.governance import ReviewService
    from understudy.simulation import AgentTestHarness, ReplayRunner, SimulationConnector
    from understudy.simulation.http_fixtures import PoolManagerDouble

_IS_JUDGED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that turn collection on."""
    group = parser.getgroup("understudy")
    group.addoption(
        "--understudy",
        action="store_true",
        help="Also run the cases of the Understudy project around this folder.",
    )
    group.addoption(
        "--understudy-rules", action="store_true", help="Also collect the tests of policy rules (*.star)."
    )
    group.addoption(
        "--understudy-project", default="", metavar="PATH", help="Also run the cases of that project."
    )
    group.addoption(
        "--understudy-env", default="", metavar="NAME", help="The project's environment to run against."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Bring in the collector, only if it is wanted."""
    path = config.getoption("understudy_project", "")
    if path or config.getoption("understudy", False):
        from understudy.pytesting.project_items import ProjectItems

        config.pluginmanager.register(
            ProjectItems(path, config.getoption("understudy_env")), "understudy-items"
        )
    if config.getoption("understudy_rules", False):
        from understudy.pytesting.rule_files import RuleFiles

        config.pluginmanager.register(RuleFiles(config.rootpath), "understudy-rules")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Judge the answers of `mock_pool_manager` as a part of the test, which then fails and does not err."""
    __tracebackhide__ = True
    double = pyfuncitem.funcargs.get("mock_pool_manager")
    judge = getattr(double, "assert_all_used", None)
    pyfuncitem.stash[_IS_JUDGED] = judge is not None
    result = yield
    if judge is not None:
        judge()
    return result


@pytest.fixture
def simulation_connector() -> SimulationConnector:
    """A connector with nothing in it yet: `simulation_connector.add_fixture(...)`."""
    from understudy.simulation import SimulationConnector

    return SimulationConnector()


@pytest.fixture
def replay_runner() -> type[ReplayRunner]:
    """The class that replays pipelines: `replay_runner(my_pipeline).run_first()`."""
    from understudy.simulation import ReplayRunner

    return ReplayRunner


@pytest.fixture
def execution_context() -> ExecutionContext:
    """A context to run a pipeline in, without a budget."""
    from understudy.context import ExecutionContext

    return ExecutionContext.create(initiated_by="pytest", domain="test", workspace_id="test")


@pytest.fixture
def mock_http_response() -> Callable[..., HTTPResponse]:
    """Makes answers at the level of urllib3: `mock_http_response({"id": 1}, status=201)`."""
    from understudy.simulation.http_fixtures import mock_http_response

    return mock_http_response


@pytest.fixture
def mock_pool_manager(request: pytest.FixtureRequest) -> Iterator[PoolManagerDouble]:
    """Takes the place of every `urllib3.PoolManager`, and answers with what the test gives it."""
    from understudy.simulation.http_fixtures import PoolManagerDouble

    double = PoolManagerDouble()
    with double.installed():
        yield double
    if not request.node.stash.get(_IS_JUDGED, False):  # by unittest, or asked for while the test ran
        double.assert_all_used()


@pytest.fixture
def agent_harness() -> AgentTestHarness:
    """A governor, a gateway and a reviewer who approves, for one test."""
    from understudy.simulation import AgentTestHarness

    return AgentTestHarness()


@pytest.fixture
def review_service(tmp_path: Path) -> Iterator[ReviewService]:
    """A review service on a store of its own."""
    from understudy.governance import ReviewService
    from understudy.store import open_store

    with open_store(tmp_path / "reviews.sqlite3") as store:
        yield ReviewService(store)
