"""Text from outside, made safe to show: no control characters, no reversed lines, no broken markup."""

from __future__ import annotations

import html
import re
from xml.sax.saxutils import escape, quoteattr

# Controls (C0, DEL, C1), lone surrogates, what reorders or hides text (bidirectional marks, zero-width space,
# line separators, byte order mark, tags) and what is no character at all.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e007f]"
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def visible(text: str, keep: str = "") -> str:
    r"""The text with what a reader could not see written as its escape, but for the characters in `keep`.

    >>> visible("red\x1b[31m\nnext")
    'red\\x1b[31m\\nnext'
    >>> visible("one\ntwo", keep="\n")
    'one\ntwo'
    """

    def shown(match: re.Match[str]) -> str:
        char = match.group()
        if char in keep:
            return char
        return char.encode("unicode_escape").decode("ascii")

    return text if text.isascii() and text.isprintable() else _UNSEEN.sub(shown, text)


def visible_lines(text: str) -> list[str]:
    r"""The lines of a text, each of them visible; a carriage return and line feed are one line end.

    >>> visible_lines("a\r\nb\tc\rd\n")
    ['a', 'b\tc\\rd']
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [visible(line, keep="\t") for line in lines]


def html_text(text: str) -> str:
    """Text for the inside of an HTML element or of a quoted attribute.

    >>> html_text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(visible(text, keep="\n\t"))


def xml_text(text: str) -> str:
    r"""Text for the inside of an XML 1.0 element; what XML cannot hold becomes U+FFFD.

    >>> xml_text("a<b\x00")
    'a&lt;b\ufffd'
    """
    return escape(_NOT_XML.sub("\ufffd", text), {"\r": "&#13;"})


def xml_attribute(text: str) -> str:
    """A quoted value for an XML 1.0 attribute; what XML cannot hold becomes U+FFFD.

    >>> xml_attribute('say "hi"')
    '\\'say "hi"\\''
    """
    return quoteattr(_NOT_XML.sub("\ufffd", text))
