"""The real taxii2-client reads and writes a simulated connector over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests
from taxii2client.common import TokenAuth
from taxii2client.exceptions import AccessError
from taxii2client.v21 import ApiRoot, Collection, Server, Status, as_pages

from understudy.context import ExecutionContext
from understudy.core.clock import CountingIds, FixedClock
from understudy.simulation import FixtureBuilder, Indicator, SimulationConnector
from understudy.simulation.faults import fail
from understudy.simulation.taxii import ServedTaxii, TaxiiAccess, TaxiiCollection, serve_taxii

from .asking import indicator, revised

START = datetime(2026, 3, 1, tzinfo=UTC)


class TickingClock(FixedClock):
    """A clock on which a second goes by whenever somebody looks."""

    def now(self) -> datetime:
        self.advance(1)
        return self.moment


@pytest.fixture
def connector() -> SimulationConnector:
    return SimulationConnector(clock=TickingClock(START))


@pytest.fixture
def served(connector: SimulationConnector) -> Iterator[ServedTaxii]:
    with serve_taxii(connector) as running:
        yield running


@pytest.fixture
def collection(served: ServedTaxii) -> Iterator[Collection]:
    with Collection(served.collection_urls["Objects"]) as client:
        yield client


def ids(envelope: dict[str, list[dict[str, str]]]) -> list[str]:
    return [one["id"] for one in envelope.get("objects", [])]


def test_discovery_leads_to_the_collections() -> None:
    shown = [
        TaxiiCollection("Open", description="for all", alias="open"),
        TaxiiCollection("Closed", can_read=False, can_write=False),
    ]
    said: dict[str, Any] = {"title": "Rehearsal", "description": "of a play", "contact": "ann@shop.test"}
    with (
        serve_taxii(SimulationConnector(), shown, root="one/two", **said) as served,
        Server(served.discovery_url) as server,
    ):
        assert (server.title, server.description, server.contact) == (
            "Rehearsal",
            "of a play",
            "ann@shop.test",
        )
        [root] = server.api_roots
        assert server.default.url == root.url == served.api_root_url
        assert root.versions == ["application/taxii+json;version=2.1"]
        assert root.max_content_length == 10 << 20
        first, second = root.collections
        assert (first.title, first.description, first.alias, first.can_read) == (
            "Open",
            "for all",
            "open",
            True,
        )
        assert (second.can_read, second.can_write, second.url) == (
            False,
            False,
            served.collection_urls["Closed"],
        )
        assert first.media_types == ["application/stix+json;version=2.1"]


def test_what_is_put_in_is_read_and_what_is_written_is_held(
    connector: SimulationConnector, collection: Collection
) -> None:
    connector.add_fixture(indicator(1, name="put in"))
    assert collection.get_objects()["objects"] == [indicator(1, name="put in")]
    made = Indicator("made", "[url:value = 'http://a.test/']")
    status = collection.add_objects({"objects": [made.to_dict()]})
    assert (status.status, status.success_count, status.successes[0]["id"]) == ("complete", 1, made.id)
    assert connector.get_object(made.id) == made.to_dict()


def test_a_large_collection_is_read_in_pages_without_loss(
    served: ServedTaxii, connector: SimulationConnector
) -> None:
    connector.add_fixture(FixtureBuilder(1).build(indicators=120))
    expected = [one["id"] for one in connector.iter_fixtures()]
    with Collection(served.collection_urls["Objects"]) as client:
        pages = list(as_pages(client.get_objects, per_request=50))
        assert [name for page in pages for name in ids(page)] == expected
        assert [len(page["objects"]) for page in pages[:-1]] == [50] * (len(pages) - 1)
        manifests = list(as_pages(client.get_manifest, per_request=70))
        assert [name for page in manifests for name in ids(page)] == expected
        # more than the server gives at once: the client goes on with what it got
        assert [
            name for page in as_pages(client.get_objects, per_request=5000) for name in ids(page)
        ] == expected


def test_polling_by_added_after_gives_what_is_new_once(
    connector: SimulationConnector, served: ServedTaxii
) -> None:
    url = served.collection_urls["Objects"] + "objects/"
    seen: list[list[str]] = []
    after = ""
    for number in range(3):
        connector.upsert_object(indicator(2 * number))
        connector.upsert_object(indicator(2 * number + 1))
        headers = {"Accept": "application/taxii+json;version=2.1"}
        answer = requests.get(
            url, params={"added_after": after} if after else {}, headers=headers, timeout=10
        )
        seen.append(ids(answer.json()))
        after = answer.headers["X-TAXII-Date-Added-Last"]
    assert seen == [[indicator(2 * number)["id"], indicator(2 * number + 1)["id"]] for number in range(3)]


def test_filters_narrow_objects_and_manifest(connector: SimulationConnector, collection: Collection) -> None:
    connector.add_fixture([revised(1, 1), revised(1, 2), revised(1, 3), revised(2, 5)])
    connector.add_fixture({"type": "tool", "id": "tool--1", "created": "2026-01-01T00:00:00.000Z"})
    first, second = indicator(1)["id"], indicator(2)["id"]
    assert ids(collection.get_objects(type="tool")) == ["tool--1"]
    assert ids(collection.get_objects(type=["tool", "indicator"], id=[first, "tool--1"])) == [
        first,
        "tool--1",
    ]
    assert [one["modified"] for one in collection.get_objects(id=first)["objects"]] == [
        revised(1, 3)["modified"]
    ]
    assert len(collection.get_objects(id=first, version="all")["objects"]) == 3
    exact = collection.get_objects(version=datetime(2026, 1, 2, tzinfo=UTC))["objects"]
    assert exact == [revised(1, 2)]
    assert ids(collection.get_objects(spec_version="2.0")) == ["tool--1"]
    assert ids(collection.get_manifest(type="indicator", version="first")) == [first, second]
    assert ids(collection.get_objects(added_after=START + timedelta(days=1))) == []


def test_versions_of_an_object_are_listed_read_and_deleted_one_by_one(
    connector: SimulationConnector, collection: Collection
) -> None:
    name = indicator(1)["id"]
    days = [revised(1, day) for day in (1, 2, 3)]
    connector.add_fixture(days)
    assert collection.object_versions(name)["versions"] == [one["modified"] for one in days]
    assert collection.get_object(name)["objects"] == [days[2]]
    assert collection.get_object(name, version="first")["objects"] == [days[0]]
    assert collection.get_object(name, version=["first", "last"])["objects"] == [days[0], days[2]]
    collection.delete_object(name, version="last")
    assert connector.versions(name) == days[:2]
    collection.delete_object(name)
    assert list(connector.iter_fixtures()) == []
    with pytest.raises(requests.HTTPError, match="404"):
        collection.get_object(name)


def test_an_object_that_is_refused_is_told_and_the_others_are_kept() -> None:
    connector = SimulationConnector(validate="strict")
    good = Indicator("good", "[url:value = 'http://a.test/']").to_dict()
    bad = {**good, "id": "indicator--00000000-0000-4000-8000-000000000009", "pattern": "nonsense"}
    with serve_taxii(connector) as served, Collection(served.collection_urls["Objects"]) as client:
        status = client.add_objects({"objects": [bad, good, {"type": "tool"}]})
    assert (status.success_count, status.failure_count, status.pending_count) == (1, 2, 0)
    assert "$.pattern" in status.failures[0]["message"]
    assert status.failures[1]["message"] == "it has no id"
    assert connector.list_objects() == [good]


def test_what_takes_time_is_pending_until_it_was_asked_for() -> None:
    connector = SimulationConnector()
    slow = TaxiiCollection("Slow", settle_after=2)
    with (
        serve_taxii(connector, [slow], new_id=CountingIds("status")) as served,
        Collection(served.collection_urls["Slow"]) as client,
        ApiRoot(served.api_root_url) as root,
    ):
        begun = client.add_objects({"objects": [indicator(1)]}, wait_for_completion=False)
        assert (begun.id, begun.status, begun.pending_count) == ("status-1", "pending", 1)
        assert connector.list_objects() == []
        assert root.get_status("status-1").status == "pending"
        assert root.get_status("status-1").status == "complete"
        assert connector.list_objects() == [indicator(1)]
        again = client.add_objects({"objects": [indicator(2)]}, poll_interval=0.01)
        assert (again.status, again.success_count) == ("complete", 1)


def test_users_and_tokens_are_let_in_and_nobody_else() -> None:
    access = TaxiiAccess(users={"ann": "p:w ä"}, tokens=["t0ken"])
    right: list[dict[str, Any]] = [
        {"user": "ann", "password": "p:w ä".encode()},
        {"auth": TokenAuth("t0ken")},
    ]
    wrong: list[dict[str, Any]] = [{"user": "ann", "password": "wrong"}, {"auth": TokenAuth("x")}, {}]
    with serve_taxii(SimulationConnector([indicator(1)]), access=access) as served:
        url = served.collection_urls["Objects"]
        for known in right:
            with Collection(url, **known) as client:
                assert len(client.get_objects()["objects"]) == 1
        for unknown in wrong:
            with Collection(url, **unknown) as client, pytest.raises(requests.HTTPError, match="401"):
                client.get_objects()


def test_what_a_collection_forbids_the_client_does_not_even_ask(connector: SimulationConnector) -> None:
    shown = [TaxiiCollection("In", can_read=False), TaxiiCollection("Out", can_write=False)]
    with serve_taxii(connector, shown) as served:
        with Collection(served.collection_urls["In"]) as client:
            client.add_objects({"objects": [indicator(1)]})
            with pytest.raises(AccessError):
                client.get_objects()
        with Collection(served.collection_urls["Out"]) as client:
            assert len(client.get_objects()["objects"]) == 1
            with pytest.raises(AccessError):
                client.add_objects({"objects": [indicator(2)]})


def test_each_collection_may_show_a_connector_of_its_own() -> None:
    other = SimulationConnector([indicator(2)])
    shown = [TaxiiCollection("One"), TaxiiCollection("Two", connector=other)]
    with serve_taxii(SimulationConnector([indicator(1)]), shown) as served:
        found = {}
        for title, url in served.collection_urls.items():
            with Collection(url) as client:
                found[title] = ids(client.get_objects())
    assert found == {"One": [indicator(1)["id"]], "Two": [indicator(2)["id"]]}


def test_requests_are_charged_logged_and_meet_faults() -> None:
    context = ExecutionContext.create(
        initiated_by="test", domain="taxii", workspace_id="w", max_budget_units=3
    )
    connector = SimulationConnector([indicator(1)], context=context, faults=[fail("list_objects", nth=2)])
    with serve_taxii(connector) as served, Collection(served.collection_urls["Objects"]) as client:
        client.get_objects()
        with pytest.raises(requests.HTTPError, match="500"):
            client.get_objects()
        client.get_object(indicator(1)["id"])
        with pytest.raises(requests.HTTPError, match="429"):
            client.get_objects()
    logged = [(row["operation"], row["target_ref"]) for row in context._store.query(context.context_id)]
    assert logged == [("list_objects", ""), ("list_objects", ""), ("get_object", indicator(1)["id"])]


def test_a_status_is_kept_for_other_clients_and_unknown_ones_are_not_there(served: ServedTaxii) -> None:
    with Collection(served.collection_urls["Objects"]) as client:
        made = client.add_objects({"objects": [indicator(1)]})
    with Status(f"{served.api_root_url}status/{made.id}/") as found:
        assert found.success_count == 1
    with ApiRoot(served.api_root_url) as root, pytest.raises(requests.HTTPError, match="404"):
        root.get_status("nobody")
