"""What is deleted: an object or some of its versions, if that is allowed, and nothing else."""

from __future__ import annotations

import pytest

from understudy.core.clock import FixedClock
from understudy.simulation import SimulationConnector
from understudy.simulation.faults import fail
from understudy.simulation.taxii import TaxiiCollection

from .asking import OBJECTS, ONE, Asking, indicator, revised


class TestDeleting:
    def test_some_versions_can_be_deleted_and_the_rest_stays_as_it_was(self) -> None:
        clock = FixedClock()
        connector = SimulationConnector(clock=clock)
        for day in (1, 2, 3):
            connector.upsert_object(revised(1, day))
            clock.advance(60)
        ask = Asking(connector)
        before = ask(f"{ONE}?match[version]=all&limit=9").headers["x-taxii-date-added-first"]
        assert ask(f"{ONE}?match[version]=2026-01-02T00:00:00Z,last", "DELETE").status == 200
        assert connector.versions(indicator(1)["id"]) == [revised(1, 1)]
        assert ask(ONE).headers["x-taxii-date-added-first"] == before

    def test_what_is_not_there_is_told_and_nothing_is_lost(self, ask: Asking) -> None:
        assert ask(f"{OBJECTS}indicator--9/", "DELETE").status == 404
        assert ask(f"{ONE}?match[version]=2020-01-01T00:00:00Z", "DELETE").status == 404
        assert ask(f"{ONE}?match[type]=indicator", "DELETE").status == 400
        assert len(list(ask.connector.iter_fixtures())) == 2

    def test_a_deletion_that_fails_deletes_nothing(self) -> None:
        connector = SimulationConnector([revised(1, 1), revised(1, 2)], faults=[fail("delete_object")])
        assert Asking(connector)(f"{ONE}?match[version]=last", "DELETE").status == 500
        assert len(connector.versions(indicator(1)["id"])) == 2

    @pytest.mark.parametrize(("can_read", "can_write"), [(True, False), (False, True), (False, False)])
    def test_reading_and_writing_must_both_be_allowed(self, can_read: bool, can_write: bool) -> None:
        shown = TaxiiCollection("I", alias="indicators", can_read=can_read, can_write=can_write)
        ask = Asking(SimulationConnector([indicator(1)]), shown)
        assert ask(ONE, "DELETE").status == 403
        assert ask(ONE).status == (200 if can_read else 403)
        assert ask.post({"objects": [indicator(2)]}).status == (202 if can_write else 403)
        assert len(list(ask.connector.iter_fixtures())) == (2 if can_write else 1)
