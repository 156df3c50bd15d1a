"""The page as text: whole, closed to the network, and with nothing in it that a report could smuggle in."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from typing import Any

import pytest
from lxml import html

from reporting.sample_reports import (
    HOSTILE,
    failed,
    full_report,
    hostile_report,
    large_report,
    outcome,
    report_of,
)
from understudy.core.outcome import Attachment, Failure, Outcome, Status
from understudy.core.report import Report, Summary
from understudy.reporting.html import write_html


def text_of(report: Report) -> str:
    out = io.StringIO()
    write_html(report, out)
    return out.getvalue()


def page_of(report: Report) -> Any:
    return html.fromstring(text_of(report))


def texts(page: Any, path: str) -> list[str]:
    return [" ".join(element.text_content().split()) for element in page.xpath(path)]


@pytest.mark.parametrize("report", [full_report(), hostile_report()], ids=["full", "hostile"])
def test_nothing_is_loaded_from_anywhere(report: Report) -> None:
    page = page_of(report)
    assert page.xpath("//@src | //link | //iframe | //object | //embed | //form | //base | //img") == []
    assert all(target.startswith("#") for target in page.xpath("//@href"))
    own = "".join(page.xpath("//style/text() | //script/text()"))
    assert not re.search(r"https?://|url\(|@import|fetch\(|XMLHttpRequest|WebSocket", own)


@pytest.mark.parametrize("report", [full_report(), hostile_report()], ids=["full", "hostile"])
def test_the_policy_allows_our_own_style_and_script_and_nothing_else(report: Report) -> None:
    page = page_of(report)
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        (content,) = page.xpath(f"//{kind}/text()")
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert page.xpath("//@style | //@*[starts-with(name(), 'on')]") == []


def test_hostile_text_stays_text() -> None:
    page = page_of(hostile_report())
    assert len(page.xpath("//script")) == 1
    assert "<script>alert(1)</script>\"'&]]>\\x1b[31m\\x00\\r \\u202e\\ud800::error::x" in texts(
        page, "//p[@class='note']"
    )
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\ud800-\udfff]", text_of(hostile_report()))
    assert HOSTILE not in text_of(hostile_report())


def test_what_failed_comes_first_and_open_known_failures_apart() -> None:
    page = page_of(full_report())
    assert page.xpath("//section/@id") == ["failures", "known", "all", "about"]
    assert texts(page, "//section[@id='failures']//details[contains(@class, 'c ')]/summary/b") == [
        "http/createItem/new item",
        "graphql/shop/all",
        "table",
        "table[latest]",
    ]
    assert len(page.xpath("//section[@id='failures']//details[contains(@class, 'c ')][not(@open)]")) == 0
    assert texts(page, "//section[@id='known']//summary/b") == ["graphql/shop/prices"]
    assert page.xpath("//section[@id='known']/details/@open") == []


def test_a_failure_has_all_that_is_known_of_it() -> None:
    (card,) = page_of(full_report()).xpath("//section[@id='failures']/details[1]")
    assert texts(card, ".//p[@class='m']") == ["status is 500, expected 201", "body differs at $.item"]
    assert texts(card, ".//div[@class='pair'][1]//pre")[:2] == ["201", "500"]
    assert texts(card, ".//pre[@class='diff']/span[@class='minus']") == ['- "stock": 3,', '- "tags": ["new"]']
    assert texts(card, ".//pre[@class='diff']/span[@class='plus']") == ['+ "stock": 0,', '+ "tags": []']
    assert texts(card, ".//span[@class='at']") == [
        "scripts/items.yaml:31:5",
        "scripts/items.yaml:38:7",
        "scripts/items.yaml:40:7",
    ]
    assert texts(card, ".//p[@class='note']") == ["no status was expected: any below 400 would do"]
    folded = texts(card, ".//details[@class='more'][not(@open)]/summary")
    assert folded == ["expected and actual", "exchange", "curl", "details"]
    assert texts(card, ".//div[@class='code rerun']/pre") == [
        "understudy run --case 'testbed::shop.json::http/createItem/new item'"
    ]


def test_files_have_their_counts_and_links_to_what_failed_in_them() -> None:
    page = page_of(full_report())
    assert texts(page, "//details[@class='group']/summary") == [
        "testbedshop.json2 passed1 failed1 skipped",
        "testbedgraphql.json1 errored1 known failure",
        "rulesrules/pin.yaml2 passed2 failed",
        "testbedsearch.json40 passed",
    ]
    anchors = set(page.xpath("//@id"))
    links = page.xpath("//a[contains(@class, 'jump')]/@href")
    assert len(links) == 5
    assert {link.removeprefix("#") for link in links} <= anchors


def test_every_outcome_stands_on_the_page_once() -> None:
    page = page_of(full_report())
    names = [each.name for each in full_report().outcomes]
    shown = texts(page, "//*[starts-with(@class, 'c ')]/b | //*[starts-with(@class, 'c ')]/summary/b")
    assert sorted(shown) == sorted(names)


def test_rows_stand_under_their_parent_what_failed_first() -> None:
    page = page_of(full_report())
    assert texts(page, "//div[@class='tree']/details[@class='rows']/summary") == [
        "3 rows: 1 failed, 2 passed"
    ]
    assert texts(page, "//details[@class='rows']//*[starts-with(@class, 'c ')]/descendant::b[1]") == [
        "table[latest]",
        "table[digest]",
        "table[tag]",
    ]


def test_banners_say_that_a_run_was_stopped_or_is_a_shard() -> None:
    assert texts(page_of(full_report()), "//p[contains(@class, 'banner')]") == [
        "Stopped early (interrupted): 13 of 60 cases not run",
        "Shard 2 of 3 only: the other shards are in reports of their own",
    ]
    assert texts(page_of(report_of([outcome()])), "//p[contains(@class, 'banner')]") == []


def test_the_summary_bar_is_in_proportion() -> None:
    text = text_of(full_report())
    for kind, count in {"passed": 44, "failed": 3, "errored": 1, "known": 1, "skipped": 1}.items():
        assert f".bar .seg.{kind}{{flex-grow:{count}}}" in text
    assert len(page_of(full_report()).xpath("//div[@class='bar']/span")) == 5


def test_evidence_and_the_output_of_the_run_are_there_folded() -> None:
    assert texts(page_of(full_report()), "//section[@id='about']/details[not(@open)]/summary") == [
        "output of the app under test",
        "evidence",
    ]


def test_a_run_without_a_case_is_no_success() -> None:
    assert texts(page_of(report_of([])), "//h1/span | //p[@class='nothing']") == [
        "Failed",
        "No case was run.",
    ]


def test_a_page_of_very_many_cases_has_one_small_row_for_each() -> None:
    text = text_of(large_report(20_000))
    assert text.count('<div class="c passed">') == 19_980
    assert len(text) < 20_000 * 100


def test_a_page_that_would_grow_too_large_goes_on_with_rows() -> None:
    attachment = Attachment("exchange", "x" * 60_000)
    cases = [failed(str(number), attachments=(attachment,)) for number in range(700)]
    text = text_of(Report(Summary(total=700, failed=700), cases))
    assert len(text) < 40 << 20
    page: Any = html.fromstring(text)
    rows = page.xpath("//section[@id='failures']/div[contains(@class, 'c failed')]")
    assert len(rows) > 100
    assert "not shown in full, as the page would grow too large" in rows[0].text_content()
    assert len(page.xpath("//section[@id='failures']/details[@open]")) == 100


def test_expected_null_and_empty_text_are_told_apart() -> None:
    page = page_of(report_of([failed(failures=(Failure("x", None, ""),))]))
    assert texts(page, "//div[@class='pair']//pre") == ["null", "(empty text)"]


def test_a_skipped_case_says_why_in_its_row() -> None:
    assert texts(page_of(full_report()), "//div[@class='c skipped']/em") == [
        "websocket cases require a websocket runner"
    ]


def test_a_circle_of_parents_loses_nobody() -> None:
    pair = [
        Outcome(id=one, act="x", name=one, status=Status.PASSED, parent=other)
        for one, other in (("a", "b"), ("b", "a"))
    ]
    orphan = Outcome(id="c", act="x", name="c", status=Status.PASSED, parent="nobody")
    assert sorted(texts(page_of(report_of([*pair, orphan])), "//div[@class='c passed']/b")) == ["a", "b", "c"]
