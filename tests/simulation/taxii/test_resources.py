"""What a connector says or holds, in the form that the protocol has for it."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest

from understudy.core.clock import FixedClock
from understudy.simulation import SimulationConnector
from understudy.simulation.faults import fail, rate_limit

from .asking import ONE, Asking, indicator


class TestWhatTheConnectorSays:
    def test_a_fault_is_an_error_of_the_server(self) -> None:
        ask = Asking(SimulationConnector([indicator(1)], faults=[fail("get_object", message="disk full")]))
        answered = ask(ONE)
        assert (answered.status, answered.said) == (500, "the request failed: get_object: disk full")

    def test_a_rate_limit_says_when_to_come_again(self) -> None:
        connector = SimulationConnector([indicator(1)], faults=[rate_limit(1, per=60)], clock=FixedClock())
        ask = Asking(connector)
        assert ask.objects().status == 200
        answered = ask.objects()
        assert (answered.status, answered.headers["retry-after"]) == (429, "60")

    def test_if_nothing_at_all_could_be_written_the_request_has_failed(self) -> None:
        ask = Asking(SimulationConnector(raise_on_request=True))
        assert ask.post({"objects": [indicator(1), indicator(2)]}).status == 500
        some = Asking(SimulationConnector(faults=[fail("upsert_object", nth=1)])).post(
            {"objects": [indicator(1), indicator(2)]}
        )
        assert (some.status, some.data["success_count"], some.data["failure_count"]) == (202, 1, 1)

    def test_a_defect_of_a_connector_is_answered_and_not_raised(self) -> None:
        class Broken(SimulationConnector):
            def page(self, *args: Any, **named: Any) -> Any:
                raise RecursionError("x" * 10_000)

        answered = Asking(Broken()).objects()
        assert answered.status == 500
        assert len(answered.body) < 20_000

    def test_what_an_object_may_hold_in_memory_is_written_as_stix_has_it(self) -> None:
        class Colour(Enum):
            RED = "red"

        held = {
            "type": "x",
            "id": "x--1",
            "at": datetime(2026, 1, 1, tzinfo=UTC),
            "naive": datetime(2026, 1, 1),  # without a zone on purpose
            "day": date(2026, 1, 2),
            "raw": b"\x00\xff",
            "of": UUID(int=1),
            "worth": Decimal("1.50"),
            "tags": {"b", "a"},
            "colour": Colour.RED,
            3: "number",
        }
        [shown] = Asking(SimulationConnector([held])).objects().data["objects"]
        assert shown == {
            "type": "x",
            "id": "x--1",
            "at": "2026-01-01T00:00:00.000000Z",
            "naive": "2026-01-01T00:00:00.000000Z",
            "day": "2026-01-02",
            "raw": "AP8=",
            "of": str(UUID(int=1)),
            "worth": "1.50",
            "tags": ["a", "b"],
            "colour": "red",
            "3": "number",
        }

    @pytest.mark.parametrize("value", [float("nan"), 1j])
    def test_what_json_has_no_form_for_is_told(self, value: object) -> None:
        answered = Asking(SimulationConnector([{"type": "x", "id": "x--1", "value": value}])).objects()
        assert (answered.status, answered.data["title"]) == (500, "an object cannot be written as JSON")

    def test_objects_without_an_id_are_listed_and_have_no_manifest(self) -> None:
        ask = Asking(SimulationConnector([{"type": "x"}, indicator(1)]))
        assert len(ask.objects().data["objects"]) == 2
        assert len(ask("/api/collections/indicators/manifest/").data["objects"]) == 1


def test_text_of_any_kind_is_written_as_ascii() -> None:
    answered = Asking(SimulationConnector([indicator(1, name="käse \U0001f9c0 \ud800")])).objects()
    assert re.fullmatch(rb"[\x20-\x7e]+", answered.body)
    assert answered.data["objects"][0]["name"].startswith("käse \U0001f9c0")
