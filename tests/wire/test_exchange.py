"""An exchange is shown exactly, and nothing in it can confuse a reader or a terminal."""

from __future__ import annotations

import json

from understudy.wire.exchange import body_text, render_exchange
from understudy.wire.messages import Request, Response

JSON = "application/json"


def test_an_exchange_shows_both_sides() -> None:
    request = Request("POST", "http://shop.test/items?x=1", (("X-Trace", "7"), ("X-Trace", "8")), b"a=b")
    response = Response(404, (("content-type", JSON),), b'{"error":"no"}')
    assert render_exchange(request, response) == "\n".join(
        [
            "POST http://shop.test/items?x=1",
            "X-Trace: 7",
            "X-Trace: 8",
            "",
            "a=b",
            "",
            "404 Not Found",
            "content-type: application/json",
            "",
            "{",
            '  "error": "no"',
            "}",
        ]
    )


def test_redirects_truncation_and_errors_are_told() -> None:
    response = Response(
        200, (), b"abc", "http://c.test/", truncated=True, redirects=("http://a.test/", "http://b.test/")
    )
    text = render_exchange(Request("GET", "http://a.test/"), response)
    assert (
        "redirected from http://a.test/\nredirected from http://b.test/\n            to http://c.test/"
        in text
    )
    assert "abc\n(more came; it was not read past the limit of 3 bytes)" in text
    assert render_exchange(Request("GET", "http://a.test/"), None, "connection refused").endswith(
        "\n\nerror: connection refused"
    )


def test_an_unknown_status_has_no_reason_phrase() -> None:
    assert render_exchange(Request("GET", "http://a.test/"), Response(799, (), b"")).endswith("\n\n799")


def test_json_is_indented_without_changing_a_single_value() -> None:
    text = '{"b": 1.0e10, "a": [1, {}, [], "x{,}:\\"y"], "b": 12345678901234567890.50, "e": {"d": null}}'
    shown = body_text(text.encode(), JSON)
    assert "".join(shown.split()) == "".join(text.split())
    assert shown.splitlines()[:3] == ["{", '  "b": 1.0e10,', '  "a": [']
    assert "    {},\n    [],\n" in shown
    assert json.loads(shown) == json.loads(text)


def test_broken_and_very_deep_json_is_shown_as_it_came() -> None:
    assert body_text(b'{"a":', JSON) == '{"a":'
    deep = b"[" * 2000 + b"]" * 2000
    assert body_text(deep, JSON) == deep.decode()


def test_binary_bodies_are_named_by_size_and_type() -> None:
    assert body_text(bytes(range(256)) * 5, "image/png") == "<1,280 bytes of image/png>"
    assert body_text(b"\x00\x01\xff", "") == "<3 bytes of unknown type>"
    assert body_text(b"%PDF plain", "application/octet-stream") == "%PDF plain"


def test_text_of_another_charset_is_decoded() -> None:
    assert body_text("café".encode("latin-1"), "text/plain; charset=ISO-8859-1") == "café"
    assert body_text("café".encode(), "text/plain; charset=unicode_escape") == "café"


def test_invalid_utf8_is_replaced_with_a_note() -> None:
    shown = body_text(b"caf\xe9 au lait", "text/plain; charset=utf-8")
    assert shown == "caf\ufffd au lait\n(not valid UTF-8: the bytes that are not are shown as \ufffd)"


def test_long_bodies_are_cut_with_a_note_and_never_inside_of_a_character() -> None:
    for character in ("\u00e9", "\u20ac", "\U0001f600"):
        body = character.encode() * 100_000
        shown = body_text(body, "text/plain", body_limit=11)
        assert shown == f"{character * 11}\n(cut here; the body has {len(body):,} bytes)"


def test_control_characters_do_not_reach_a_terminal() -> None:
    response = Response(200, (("x-evil", "\x1b[2J"),), b"a\x1b]0;title\x07\tb\r\n\x9b")
    shown = render_exchange(Request("GET", "http://a.test/\x1b"), response, "\x1b[31m")
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "x-evil: \\x1b[2J" in shown
