"""What a TAXII server answers: to whom, where, in which form, and the same each time."""

from __future__ import annotations

import pytest

from understudy.core.clock import FixedClock
from understudy.simulation import SimulationConnector

from .asking import COLLECTION, OBJECTS, ONE, TYPE, Asking, ids, indicator


class TestMediaTypes:
    @pytest.mark.parametrize(
        ("accept", "status"),
        [
            (None, 200),
            (TYPE, 200),
            ("application/taxii+json", 200),
            ("application/taxii+json; version=2.1", 200),
            ('application/taxii+json;version="2.1"', 200),
            ("APPLICATION/TAXII+JSON", 200),
            ("*/*", 200),
            ("application/*;q=0.1", 200),
            ("text/html, application/taxii+json;version=2.1;q=0.5", 200),
            ("application/taxii+json;version=2.0", 406),
            ("application/vnd.oasis.taxii+json; version=2.0", 406),
            ("application/json", 406),
            ("text/html", 406),
            ("*/*;q=0", 406),
            ("*/*, application/taxii+json;version=2.1;q=0", 406),
            ("", 406),
            (";;;,,,", 406),
        ],
    )
    def test_a_client_gets_what_it_accepts_or_is_told(
        self, ask: Asking, accept: str | None, status: int
    ) -> None:
        answered = ask(OBJECTS, headers={"accept": accept})
        assert (answered.status, answered.headers["content-type"]) == (status, TYPE)
        if status == 406:
            assert f"only {TYPE} is spoken" in answered.said

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            (TYPE, 202),
            ("application/taxii+json", 202),
            ("application/taxii+json; version=2.1; charset=utf-8", 202),
            ("application/taxii+json;version=2.0", 415),
            ("application/stix+json;version=2.1", 415),
            ("application/json", 415),
            (None, 415),
        ],
    )
    def test_only_taxii_is_taken(self, ask: Asking, sent: str | None, status: int) -> None:
        answered = ask.post({"objects": [indicator(3)]}, content_type=sent)
        assert answered.status == status
        assert len(list(ask.connector.iter_fixtures())) == (3 if status == 202 else 2)

    def test_every_answer_is_taxii_and_errors_have_the_form_of_the_protocol(self, ask: Asking) -> None:
        answered = ask("/api/collections/nothing/")
        assert answered.headers["content-type"] == TYPE
        assert answered.data == {
            "title": "no such collection",
            "description": f"there is: {COLLECTION.id}, indicators",
            "http_status": "404",
        }


class TestAddresses:
    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("/", "discovery is at /taxii2/"),
            ("/taxii/", "the nearest is GET /taxii2/"),
            ("/api/collection/", "the nearest is GET /api/collections/"),
            ("/api/collections/indicatros/", "did you mean indicators?"),
            (f"{OBJECTS}indicator--9/", "holds no object 'indicator--9'"),
            (f"{OBJECTS}indicator--9/versions/", "holds no object 'indicator--9'"),
            ("/api/status/9/", "no such status"),
            (f"{OBJECTS}../../../taxii2/", "there is nothing at this address"),
        ],
    )
    def test_where_nothing_is_the_nearest_is_named(self, ask: Asking, path: str, said: str) -> None:
        answered = ask(path)
        assert (answered.status, said in answered.said) == (404, True), answered.said

    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("POST", "/taxii2/", "GET"),
            ("DELETE", OBJECTS, "GET, POST"),
            ("PUT", OBJECTS, "GET, POST"),
            ("PATCH", ONE, "GET, DELETE"),
            ("BREW", ONE, "GET, DELETE"),
        ],
    )
    def test_a_method_that_is_not_known_there_is_told(
        self, ask: Asking, method: str, path: str, allowed: str
    ) -> None:
        answered = ask(path, method)
        assert (answered.status, answered.headers["allow"]) == (405, allowed)

    def test_an_address_without_the_slash_at_its_end_is_the_same(self, ask: Asking) -> None:
        assert ask(OBJECTS.rstrip("/")).data == ask(OBJECTS).data

    def test_a_collection_is_found_by_its_id_and_its_alias(self, ask: Asking) -> None:
        assert ask(f"/api/collections/{COLLECTION.id}/").data == ask("/api/collections/indicators/").data

    def test_ids_are_percent_decoded(self) -> None:
        connector = SimulationConnector([{"type": "x", "id": "a/b c?ä"}])
        assert ids(Asking(connector)(f"{OBJECTS}a%2Fb%20c%3F%C3%A4/")) == ["a/b c?ä"]

    def test_discovery_names_the_host_that_was_asked(self, ask: Asking) -> None:
        answered = ask("/taxii2/", headers={"host": "other.test:8443"})
        assert answered.data["api_roots"] == ["http://other.test:8443/api/"] == [answered.data["default"]]


def test_the_same_requests_get_the_same_bytes() -> None:
    def run() -> list[bytes]:
        clock = FixedClock()
        ask = Asking(SimulationConnector([indicator(1)], clock=clock), clock=clock, new_id=lambda: "status-1")
        return [ask(path).body for path in ("/taxii2/", "/api/", "/api/collections/", OBJECTS)] + [
            ask.post({"objects": [indicator(2)]}).body
        ]

    assert run() == run()
