"""Every code example about connectors in the founding document runs as it stands there, but for its import lines."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.context import BudgetExceeded, ExecutionContext
from understudy.simulation import GNATClientError, Indicator, SimulationConnector
from understudy.simulation.http_fixtures import PoolManagerDouble, mock_http_response

from .enrichment import EnrichPipeline, VirusTotalClient

indicator_dict = Indicator(
    name="evil.example.com", pattern="[domain-name:value = 'evil.example.com']"
).to_dict()


def test_a_connector_is_preloaded_and_used_like_a_real_one(capsys: pytest.CaptureFixture[str]) -> None:
    connector = SimulationConnector(trust_level="semi_trusted")

    # Preload fixtures
    ioc = Indicator(name="evil.example.com", pattern="[domain-name:value = 'evil.example.com']")
    connector.add_fixture(ioc.to_dict())

    # Standard ConnectorMixin interface works as expected
    objects = connector.list_objects()
    assert objects == [ioc.to_dict()]
    obj = connector.get_object(ioc.id)
    assert obj == ioc.to_dict()
    connector.upsert_object({"type": "indicator", "id": "indicator--2"})
    assert connector.list_objects() == [ioc.to_dict(), {"type": "indicator", "id": "indicator--2"}]
    connector.delete_object(ioc.id)
    assert connector.list_objects() == [{"type": "indicator", "id": "indicator--2"}]

    # Iterate all fixtures (useful for pipeline testing)
    for stix_obj in connector.iter_fixtures():
        print(stix_obj["type"], stix_obj["id"])
    assert capsys.readouterr().out == "indicator indicator--2\n"


def test_failures_can_be_simulated_for_error_paths() -> None:
    # Simulate connector failures for error-path tests
    connector = SimulationConnector(raise_on_request=True)
    # All list_objects() / get_object() calls raise GNATClientError
    with pytest.raises(GNATClientError):
        connector.list_objects()
    with pytest.raises(GNATClientError):
        connector.get_object("indicator--1")


def test_the_budget_is_charged_as_by_a_real_connector() -> None:
    ctx = ExecutionContext.create(
        initiated_by="test",
        domain="ingestion",
        workspace_id="test-ws",
        max_budget_units=5,
    )

    connector = SimulationConnector()
    connector._context = ctx

    # Budget is charged on each call
    connector.list_objects()  # consumes COST_UNIT (1)
    assert ctx.budget is not None
    assert ctx.budget.used == connector.COST_UNIT == 1
    connector.list_objects()  # consumes 1 more
    assert ctx.budget.used == 2
    # After 5 calls, BudgetExceeded is raised
    for _ in range(3):
        connector.list_objects()
    with pytest.raises(BudgetExceeded):
        connector.list_objects()


def test_the_interface_is_the_one_of_the_table() -> None:
    connector = SimulationConnector()
    obj: dict[str, Any] = {"type": "indicator", "id": "indicator--1"}
    assert connector.authenticate() is None  # type: ignore[func-returns-value]  # that is what is asserted
    assert connector.health_check() == {"status": "ok"}
    connector.add_fixture(obj)
    listed = connector.list_objects()
    listed.clear()
    assert connector.list_objects() == [obj]
    with pytest.raises(KeyError):
        connector.get_object("indicator--2")
    connector.upsert_object({**obj, "name": "replaced"})
    assert list(connector.iter_fixtures()) == [{**obj, "name": "replaced"}]
    connector.delete_object("indicator--2")
    assert connector.to_stix(obj) is obj
    assert connector.from_stix(obj) is obj


@pytest.fixture
def minimal_config() -> dict[str, str]:
    """What the application's connectors are made from."""
    return {"url": "https://www.virustotal.test/api/v3", "api_key": "not-a-key"}


@pytest.fixture
def mock_pool_manager(mock_pool_manager: PoolManagerDouble) -> PoolManagerDouble:
    """The fixture of the package, with what the service answers in this file."""
    mock_pool_manager.add(
        "GET https://www.virustotal.test/api/v3/domains/*",
        mock_http_response({"data": {"attributes": {"reputation": -42}}}),
    )
    return mock_pool_manager


def test_enrichment_pipeline(mock_pool_manager: PoolManagerDouble, minimal_config: dict[str, str]) -> None:
    real_connector = VirusTotalClient.from_config(minimal_config)
    sim_connector = SimulationConnector(trust_level="trusted_internal")
    sim_connector.add_fixture(indicator_dict)

    pipeline = EnrichPipeline(
        source=sim_connector,
        enricher=real_connector,  # HTTP calls intercepted by mock_pool_manager
    )
    result = pipeline.run(workspace_id="test")
    assert len(result.enriched) == 1

    [request] = mock_pool_manager.requests
    assert request.url == "https://www.virustotal.test/api/v3/domains/evil.example.com"
    assert ("x-apikey", "not-a-key") in request.headers
    assert sim_connector.get_object(indicator_dict["id"])["x_reputation"] == -42
