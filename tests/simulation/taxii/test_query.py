"""What is asked for in a query: pages that stay whole, and refusals of what is not understood."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from understudy.core.clock import FixedClock
from understudy.simulation import SimulationConnector

from .asking import OBJECTS, ONE, Asking, ids, indicator, revised


class TestQueries:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("limit=0", "limit"),
            ("limit=-1", "limit"),
            ("limit=ten", "limit"),
            ("limit=1&limit=2", "limit is given twice"),
            ("limit=", "limit is empty"),
            ("next=nonsense", '"nonsense" is no cursor'),
            ("added_after=yesterday", 'added_after is "yesterday"'),
            ("added_after=2026-01-01", "give one timestamp in UTC"),
            ("added_after=2026-13-01T00:00:00Z", "give one timestamp"),
            ("match[version]=newest", 'match[version] has "newest"'),
            ("match[spec_version]=3.0", 'match[spec_version] has "3.0"'),
            ("match[typ]=indicator", "did you mean match[type]?"),
            ("match[name]=x", "is not known here"),
            ("match[type]=%FF", "the query is not UTF-8"),
            ("&".join(f"a{number}=1" for number in range(101)), "too many parameters"),
        ],
    )
    def test_what_is_not_understood_is_refused_and_nothing_is_read(
        self, ask: Asking, query: str, said: str
    ) -> None:
        answered = ask.objects(query)
        assert (answered.status, said in answered.said) == (400, True), answered.said

    @pytest.mark.parametrize(
        "path", ["/taxii2/", "/api/", "/api/collections/", "/api/collections/indicators/"]
    )
    def test_where_nothing_can_be_asked_a_query_is_refused(self, ask: Asking, path: str) -> None:
        assert ask(f"{path}?limit=1").status == 400

    def test_nothing_found_is_an_empty_envelope(self, ask: Asking) -> None:
        for path in (OBJECTS, OBJECTS.replace("objects", "manifest")):
            assert (ask(f"{path}?match[type]=tool").status, ask(f"{path}?match[type]=tool").data) == (200, {})

    def test_a_page_says_when_its_first_and_last_were_added(self) -> None:
        clock = FixedClock(datetime(2026, 5, 1, tzinfo=UTC))
        connector = SimulationConnector(clock=clock)
        for number in range(3):
            connector.upsert_object(indicator(number))
            clock.advance(0.000001)
        answered = Asking(connector).objects("limit=2")
        assert answered.headers["x-taxii-date-added-first"] == "2026-05-01T00:00:00.000000Z"
        assert answered.headers["x-taxii-date-added-last"] == "2026-05-01T00:00:00.000001Z"
        assert answered.data["more"] is True

    def test_pages_stay_whole_while_objects_come_and_go(self) -> None:
        connector = SimulationConnector([indicator(number) for number in range(6)])
        ask = Asking(connector)
        first = ask.objects("limit=2")
        connector.delete_object(indicator(0)["id"])
        connector.delete_object(indicator(2)["id"])
        connector.upsert_object(indicator(9))
        seen, page = ids(first), first
        while page.data["more"]:
            page = ask.objects(f"limit=2&next={page.data['next']}")
            seen += ids(page)
        assert seen == [indicator(number)["id"] for number in (0, 1, 3, 4, 5, 9)]

    def test_what_was_added_last_comes_last_also_if_it_is_a_version_of_something_old(self) -> None:
        clock = FixedClock()
        connector = SimulationConnector(clock=clock)
        for one in (revised(1, 1), revised(2, 1), revised(1, 2)):
            connector.upsert_object(one)
            clock.advance(60)
        assert Asking(connector).objects().data["objects"] == [revised(2, 1), revised(1, 2)]

    def test_a_listing_goes_on_as_it_began_when_something_is_replaced_meanwhile(self) -> None:
        connector = SimulationConnector([indicator(number) for number in range(5)])
        ask = Asking(connector)
        page = ask.objects("limit=2")
        connector.upsert_object(revised(0, 9))
        seen = ids(page)
        while page.data["more"]:
            page = ask.objects(f"limit=2&next={page.data['next']}")
            seen += ids(page)
        assert seen == [indicator(number)["id"] for number in range(5)]
        assert ids(ask.objects()) == [indicator(number)["id"] for number in (1, 2, 3, 4, 0)]

    def test_a_version_that_no_object_has_finds_nothing(self, ask: Asking) -> None:
        assert ask.objects("match[version]=2020-01-01T00:00:00Z").data == {}
        assert len(ids(ask.objects("match[version]=2026-01-01T00:00:00Z,2020-01-01T00:00:00Z"))) == 2

    def test_one_object_can_be_asked_by_when_it_was_added_and_by_its_version_of_stix(self) -> None:
        clock = FixedClock(datetime(2026, 5, 1, tzinfo=UTC))
        connector = SimulationConnector(clock=clock)
        for day, version in ((1, "2.0"), (2, "2.1")):
            connector.upsert_object(revised(1, day, spec_version=version))
            clock.advance(60)
        ask = Asking(connector)
        later = ask(f"{ONE}?match[version]=all&added_after=2026-05-01T00:00:00Z").data["objects"]
        assert [one["spec_version"] for one in later] == ["2.1"]
        assert ask(f"{ONE}?match[spec_version]=2.0").data["objects"][0]["spec_version"] == "2.0"
        assert ask(f"{ONE}versions/?match[spec_version]=2.0").data["versions"] == [revised(1, 1)["modified"]]
        assert ask(f"{ONE}?added_after=2026-06-01T00:00:00Z").data == {}

    def test_the_server_gives_no_more_at_once_than_it_wants_to(self) -> None:
        ask = Asking(SimulationConnector([indicator(number) for number in range(5)]), page_limit=2)
        assert [len(ids(ask.objects(query))) for query in ("", "limit=1", "limit=4")] == [2, 1, 2]

    def test_versions_of_one_object_come_in_pages_too(self) -> None:
        ask = Asking(SimulationConnector([revised(1, day) for day in range(1, 6)]))
        first = ask(f"{ONE}versions/?limit=3")
        assert (len(first.data["versions"]), first.data["more"]) == (3, True)
        rest = ask(f"{ONE}versions/?limit=3&next={first.data['next']}")
        assert first.data["versions"] + rest.data["versions"] == [
            revised(1, day)["modified"] for day in range(1, 6)
        ]
        assert ask(f"{ONE}versions/?next=x").status == 400
