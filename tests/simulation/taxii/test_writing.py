"""What is posted: hostile bodies, objects that cannot be addressed, and versions that come late."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from understudy.simulation import SimulationConnector

from .asking import OBJECTS, ONE, TYPE, Asking, indicator, revised


class TestBodies:
    @pytest.mark.parametrize(
        ("body", "said"),
        [
            (b"", "the body is no JSON"),
            (b"{", "the body is no JSON"),
            (b"\xff\xfe", "the body is not UTF-8: byte 0xff at offset 0"),
            (b'{"objects": [}', "the body is no JSON"),
            (b'{"objects": [], "objects": []}', "the body is no JSON"),
            (b'{"objects": [NaN]}', "the body is no JSON"),
            (b"[]", "the body is no envelope"),
            (b"null", "the body is no envelope"),
            (b"{}", "the envelope has no objects"),
            (b'{"objects": []}', "the envelope has no objects"),
            (b'{"objects": {}}', "the envelope has no objects"),
            (b'{"objects": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "the body is no JSON"),
        ],
    )
    def test_what_is_no_envelope_is_refused_whole(self, ask: Asking, body: bytes, said: str) -> None:
        answered = ask(OBJECTS, "POST", body, {"content-type": TYPE})
        assert (answered.status, said in answered.said) == (400, True), answered.said
        assert len(list(ask.connector.iter_fixtures())) == 2

    def test_objects_that_cannot_be_addressed_are_told_by_their_place(self, ask: Asking) -> None:
        answered = ask.post({"objects": ["text", None, {}, {"id": "", "type": 3}, {"id": "x"}, indicator(5)]})
        assert answered.status == 202
        failures = [(one["id"], one["message"]) for one in answered.data["failures"]]
        assert failures == [
            ("objects[0]", "it is no object, but str"),
            ("objects[1]", "it is no object, but NoneType"),
            ("objects[2]", "it has no id and no type"),
            ("objects[3]", "it has no id and no type"),
            ("x", "it has no type"),
        ]
        assert [one["id"] for one in ask.connector.iter_fixtures()][2:] == [indicator(5)["id"]]

    def test_a_bundle_is_taken_too(self, ask: Asking) -> None:
        assert (
            ask.post({"type": "bundle", "id": "bundle--1", "objects": [indicator(7)]}).data["success_count"]
            == 1
        )

    def test_an_older_version_that_comes_late_does_not_hide_the_last_one(self, ask: Asking) -> None:
        ask.post({"objects": [revised(1, 9), revised(1, 5)]})
        assert ask(ONE).data["objects"] == [revised(1, 9)]
        latest = ask.objects("match[id]=" + indicator(1)["id"])
        assert latest.data["objects"] == [revised(1, 9)]

    def test_the_oldest_statuses_are_forgotten_first(
        self, ask: Asking, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("understudy.simulation.taxii.writing.STATUS_LIMIT", 2)
        made = [ask.post({"objects": [indicator(number)]}).data["id"] for number in range(3)]
        assert [ask(f"/api/status/{name}/").status for name in made] == [404, 200, 200]

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        body=st.one_of(
            st.binary(max_size=60),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                lambda children: (
                    st.lists(children, max_size=3)
                    | st.dictionaries(st.sampled_from(["objects", "id", "type", "x"]), children, max_size=3)
                ),
                max_leaves=10,
            ).map(lambda value: json.dumps(value).encode()),
        )
    )
    def test_no_body_whatever_makes_the_server_fail(self, body: bytes) -> None:
        answered = Asking(SimulationConnector())(OBJECTS, "POST", body, {"content-type": TYPE})
        assert answered.status in (202, 400)
        assert isinstance(answered.data, dict)
