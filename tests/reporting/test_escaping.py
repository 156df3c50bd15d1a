"""Text from outside cannot act on what shows it."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from understudy.reporting.escaping import html_text, visible, visible_lines, xml_attribute, xml_text

_any_text = st.text(st.characters(exclude_categories=()))


@given(_any_text)
def test_no_control_character_is_left(text: str) -> None:
    assert not any(
        ord(char) < 32 or 127 <= ord(char) < 160 or 0xD800 <= ord(char) < 0xE000 for char in visible(text)
    )


def test_what_reorders_or_hides_text_is_shown() -> None:
    assert visible("\u202eabc\u2066\u200b\ufeff\u2028") == "\\u202eabc\\u2066\\u200b\\ufeff\\u2028"


def test_what_people_write_is_left_alone() -> None:
    text = "naïve 日本語\u3000 👩\u200d👩\u200d👧 \u0645\u06cc\u200c\u062e \u00a0"
    assert visible(text) == text


def test_lines_end_as_on_any_system_and_keep_tabs() -> None:
    assert visible_lines("a\tb\r\nc\n\nd\x1b") == ["a\tb", "c", "", "d\\x1b"]
    assert visible_lines("") == []


@given(_any_text)
def test_xml_holds_any_text(text: str) -> None:
    element = ElementTree.fromstring(f"<a b={xml_attribute(text)}>{xml_text(text)}</a>")
    assert element.get("b") == (element.text or "")
    assert len(element.text or "") == len(text)


@given(_any_text)
def test_html_text_has_no_markup(text: str) -> None:
    assert not set("<>\"'") & set(html_text(text))
