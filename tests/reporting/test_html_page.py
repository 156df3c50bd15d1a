"""The page in a real browser: what a reader types, presses and clicks does what it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reporting.browser import Browser, chromium
from reporting.sample_reports import failed, full_report, hostile_report, large_report, outcome, report_of
from understudy.core.outcome import Attachment, Known, Status
from understudy.core.report import Plan, Report
from understudy.reporting.handlers import FORMATS, write_report

_SHOWN = """
  return [...document.querySelectorAll('.c')].filter(element => element.checkVisibility())
    .map(element => element.querySelector('b').textContent)
"""
_ESCAPE = "\ue00c"


def _unbroken() -> Report:
    """Names and texts without a place to break a line."""
    long = "x" * 600
    attachment = Attachment(long, long)
    return report_of(
        [
            failed(long, long, attachments=(attachment,), notes=(long,), rerun=long, tags=(long,)),
            failed("known", file=long, known=Known(long)),
            outcome(long, file=long),
            outcome("skipped", Status.SKIPPED, reason=long, tags=(long,)),
        ],
        stopped=long,
        attachments=(attachment,),
        plan=Plan(long, 4, selection=long),
    )


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def browser(window: Browser, tmp_path: Path) -> Browser:
    """The browser with the full report open, at the width of a desk, nothing remembered."""
    write_report(full_report(), tmp_path / "report.html", FORMATS["html"])
    window.resize(1200, 900)
    window.prefer("light")
    window.open(tmp_path / "report.html")
    window.run("localStorage.clear(); delete document.documentElement.dataset.theme")
    return window


def shown(browser: Browser) -> Any:
    return browser.run(_SHOWN)


def search(browser: Browser, text: str, found: str) -> None:
    browser.press("/", *text)
    browser.wait(f"document.getElementById('found').textContent === '{found}'")


def test_nothing_is_asked_of_the_network_and_nothing_is_refused(browser: Browser) -> None:
    assert [url.rpartition("/")[2] for url in browser.requests()] == ["report.html"]
    assert browser.console() == []


def test_slash_goes_to_the_filter_which_finds_by_name(browser: Browser) -> None:
    search(browser, "search/page 39", "1 of 50")
    assert shown(browser) == ["http/search/page 39"]


def test_the_filter_finds_by_id_and_by_message(browser: Browser) -> None:
    search(browser, "graphql.json::graphql", "2 of 50")
    assert shown(browser) == ["graphql/shop/all", "graphql/shop/prices"]
    browser.press(_ESCAPE)
    search(browser, "body differs at", "1 of 50")
    assert shown(browser) == ["http/createItem/new item"]
    browser.press(_ESCAPE)
    search(browser, "connection refused", "1 of 50")
    assert shown(browser) == ["graphql/shop/all"]


def test_escape_shows_everything_again_folded_as_it_was(browser: Browser) -> None:
    before = shown(browser)
    search(browser, "page 3", "13 of 50")
    assert shown(browser) != before
    browser.press(_ESCAPE)
    browser.wait("document.getElementById('found').textContent === ''")
    assert shown(browser) == before


def test_a_row_that_is_found_is_shown_with_its_parent(browser: Browser) -> None:
    search(browser, "table[digest]", "1 of 50")
    assert shown(browser) == ["table", "table[digest]"]


def test_status_buttons_filter_together_and_with_the_text(browser: Browser) -> None:
    browser.click(".chip.skipped")
    assert shown(browser) == ["http/feed/echo"]
    browser.click(".chip.known")
    assert shown(browser) == ["graphql/shop/prices", "http/feed/echo"]
    search(browser, "echo", "1 of 50")
    assert shown(browser) == ["http/feed/echo"]
    browser.press(_ESCAPE)
    browser.click(".chip.known")
    browser.click(".chip.skipped")
    assert browser.run("return document.getElementById('found').textContent") == ""


def test_the_rerun_command_is_copied(browser: Browser) -> None:
    browser.devtools(
        "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"]
    )
    browser.click(".rerun .copy")
    browser.wait("document.querySelector('.rerun .copy').textContent === 'copied'")


@pytest.mark.parametrize(("system", "other"), [("light", "dark"), ("dark", "light")])
def test_the_theme_follows_the_system_until_it_is_switched(browser: Browser, system: str, other: str) -> None:
    def is_dark() -> Any:
        return browser.run(
            "return parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) < 128"
        )

    browser.prefer(system)
    assert is_dark() == (system == "dark")
    browser.click("#theme")
    assert is_dark() == (other == "dark")
    browser.run("location.reload()")
    browser.wait(f"document.documentElement.dataset.theme === '{other}'")
    assert is_dark() == (other == "dark")


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize(
    "report", [full_report(), hostile_report(), _unbroken()], ids=["full", "hostile", "unbroken"]
)
def test_the_page_never_scrolls_sideways(window: Browser, tmp_path: Path, report: Report, width: int) -> None:
    write_report(report, tmp_path / "report.html", FORMATS["html"])
    window.resize(width, 900)
    window.open(tmp_path / "report.html")
    window.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
    assert window.run("return document.documentElement.scrollWidth <= innerWidth")


def test_without_scripts_the_page_unfolds_and_offers_nothing_that_does_not_work(
    window: Browser, tmp_path: Path
) -> None:
    write_report(full_report(), tmp_path / "report.html", FORMATS["html"])
    window.devtools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        window.open(tmp_path / "report.html")
        window.click(".group:last-of-type > summary")
    finally:
        window.devtools("Emulation.setScriptExecutionDisabled", value=False)
    assert "http/search/page 7" in shown(window)
    offered = "input, .copy, #theme, .chip:not(:disabled)"
    assert not window.run(
        f"return [...document.querySelectorAll('{offered}')].some(element => element.checkVisibility())"
    )


def test_a_hundred_thousand_cases_open_and_can_be_searched(window: Browser, tmp_path: Path) -> None:
    write_report(large_report(100_000), tmp_path / "report.html", FORMATS["html"])
    window.resize(1200, 900)
    window.open(tmp_path / "report.html")
    search(window, "case 54321", "1 of 100,000")
    assert shown(window) == ["http/route/case 54321"]
