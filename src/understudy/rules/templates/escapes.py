"""How Go's templates escape text for HTML, JavaScript and URLs."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

_HTML = str.maketrans({"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"})
# html/template escapes one character more than the function `html` of text/template.
_HTML_VALUE = _HTML | {ord("+"): "&#43;"}
_SCRIPT = re.compile(r"""[\x00-\x1f'"\\<>&=]|[^\x00-\x7f]""")
_SCRIPT_SHORT = {"\\": "\\\\", "'": "\\'", '"': '\\"'}
_NO_TAG = re.compile("<(?!/?[a-z]|!doctype)", re.IGNORECASE)
_HTML_COMMENT = re.compile(r"<!--.*?(-->|$)", re.DOTALL)


def html(text: str) -> str:
    """What the function `html` gives.

    >>> html("<a href='x'>")
    '&lt;a href=&#39;x&#39;&gt;'
    """
    return text.translate(_HTML)


def html_value(text: str) -> str:
    """What a value becomes in the text of an HTML template."""
    return text.translate(_HTML_VALUE)


def script(text: str) -> str:
    """What the function `js` gives.

    >>> script("it's <b>")
    "it\\\\'s \\\\u003Cb\\\\u003E"
    """

    def escape(found: re.Match[str]) -> str:
        character = found[0]
        if character in _SCRIPT_SHORT:
            return _SCRIPT_SHORT[character]
        if character > "\x7f" and character.isprintable():
            return character
        return f"\\u{ord(character):04X}"

    return _SCRIPT.sub(escape, text)


def url_query(text: str) -> str:
    """What the function `urlquery` gives.

    >>> url_query("a b/ü~")
    'a+b%2F%C3%BC~'
    """
    return quote_plus(text, safe="", errors="surrogatepass")


def html_text(text: str, in_comment: bool) -> tuple[str, bool]:
    """What html/template makes of its own text, and whether a comment is open at its end.

    Comments are left out, and a `<` that begins no tag is escaped.

    >>> html_text("1 < 2 <b><!-- b -->c<!-- d", False)
    ('1 &lt; 2 <b>c', True)
    """
    if in_comment:
        end = text.find("-->")
        if end < 0:
            return "", True
        text = text[end + 3 :]
    still_open = text.rfind("<!--") > text.rfind("-->")
    return _NO_TAG.sub("&lt;", _HTML_COMMENT.sub("", text)), still_open
