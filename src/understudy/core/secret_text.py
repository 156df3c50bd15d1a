"""Finds secrets in text by the names that stand before them: JSON, forms, URLs, headers, options, diffs.

A text may hold several of these at once, one inside another and cut off anywhere (an HTTP exchange, a curl
command, a log), so nothing is parsed whole: one scan goes from name to name and reads the value that follows.
Every pattern moves forward only (possessive, or anchored where a word starts), so time is linear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import unquote

from understudy.core.secret_rules import MARK, SCHEME, SecretNames, plain_name

Mark = Callable[[str], str]

_NAME = re.compile(
    r"""
      (?P<marked>MARK)
    | (?<!\\) (?P<escape>\\*+) (?P<quote>["']) (?P<key>[^"'\\\r\n]{1,80}) (?P=escape) (?P=quote)
      \s*+ :[ \t\r\n]*+
    | (?<![\w$]) (?P<path>\$ (?: \.[\w-]++ | \[\d++\] | \['[^'\r\n]{0,200}'\] )++) :[ ]
    | (?<![\w-]) --? (?P<option>[A-Za-z][\w-]*+) (?: [ ]*+=[ ]*+ | [ ]++ (?![-=]) )
    | (?: (?<![\w%.\[\]-]) | (?<![^\n]-)(?<=-) ) (?P<word>[A-Za-z_][\w%.\[\]-]*+)
      (?: [ ]?=(?![=~>])[ ]? | :(?!//|:)[ \t]*+ )
    """.replace("MARK", MARK),
    re.VERBOSE,
)
_AUTHORITY = re.compile(r"""://([^\s/?#"'<>\\]*+)""")
# The same inside the value of a query, where :// and @ are percent-encoded.
_ENCODED_AUTHORITY = re.compile(
    r"""(?<=%3A%2F%2F)(?:[^\s/?#"'<>\\&%]|%(?!2F|3F|23|40)[0-9A-F]{2})++(?=%40)""", re.IGNORECASE
)
_ENCODED_COLON = re.compile("(%3A)", re.IGNORECASE)
_ELEMENT = re.compile(r"<(?!secret\ [0-9])(?P<name>[A-Za-z_][\w.:-]*+)(?:\s[^<>]*+)?>(?P<value>[^<>]++)</")
_BARE = re.compile(rf"""(?: {MARK} | [^\s&;"'<\\] | <(?![/A-Za-z!]) | \\(?![nrtu"'\\/]) )++""", re.VERBOSE)
_REST_OF_LINE = re.compile(r"[^\r\n]*+")
_REST_INSIDE = re.compile(r"""(?: [^\r\n"'\\] | \\(?![nru"'\\]) )*+""", re.VERBOSE)
_OPENING = re.compile(r"""(\\*+)(["'])""")
_SHORT_TEXT = re.compile(r"""(\\*+)(["'])(?P<text>[^"'\\\r\n]{1,80})\1\2""")
_QUOTE = {'"': re.compile(r'(\\*+)"'), "'": re.compile(r"(\\*+)'")}
# A quote right behind `password=` that ends what is around it, in JSON or in a command.
_CLOSING = re.compile(
    r"""\\*["'] \s*+
    (?: [,}\]] \s*+ (?: \\*["{}\[\],] | -?\d | true | false | null | $ ) | \\?$ | -{1,2}[A-Za-z] )""",
    re.VERBOSE | re.MULTILINE,
)
_ARGUMENT = re.compile(rf"""(?: {MARK} | [^\s"'\\] )*+""", re.VERBOSE)
_WORD = re.compile(rf"""(?: {MARK} | [^\s"'\\] )++""", re.VERBOSE)
_NUMBER = re.compile(r"-?\d[\d.eE+-]*+")
_LITERAL = re.compile(r"(?:true|false|null|none|undefined|\*+|\$\{[\w.]+\}|\{\{[^{}]*\}\})?", re.IGNORECASE)
_LINE_START = re.compile(r"(?:^|[\r\n])[ \t]*(?:[-+<>*|][ \t]*){0,3}$")
_WHOLE_MARKS = re.compile(rf"(?:{MARK}|[\s,;…])+", re.VERBOSE)
_SCHEME = re.compile(r"([A-Za-z][\w-]*[ \t]++)(?=\S)")
_DIFF_VALUE = re.compile(
    r"""(?P<text>")|(?:(?<=expected\ )|(?<=got\ ))(?P<number>-?\d[\d.eE+-]*+)""", re.VERBOSE
)
_TELLING = re.compile(r"[0-9]|[a-z][A-Z]|[^\w.,:!?'\"()-]")
_LEAD = 64
_STRAY_END = ",)]}"
_CREDENTIAL_OPTIONS = frozenset({"u", "U", "user", "proxy-user"})
_COOKIE_OPTIONS = frozenset({"b", "cookie"})


def is_marked(value: str) -> bool:
    """Whether nothing is left in a value but marks."""
    return bool(_WHOLE_MARKS.fullmatch(value))


def hide(value: str, mark: Mark, spelled: Callable[[str], str] = str) -> str:
    """The mark of a value, unless it says nothing (`null`, `${NAME}`, `***`) or is marked already."""
    if _LITERAL.fullmatch(value) or is_marked(value):
        return value
    return mark(spelled(value))


def hide_in_header(name: str, value: str, mark: Mark) -> str:
    """The value of a secret header: the scheme of a credential and the names of cookies stay.

    >>> hide_in_header("Set-Cookie", "sid=abc; Path=/; HttpOnly", lambda secret: "<x>")
    'sid=<x>; Path=/; HttpOnly'
    """
    plain = plain_name(name)
    if plain.endswith("set_cookie"):
        first, semicolon, attributes = value.partition(";")
        return _hide_cookie(first, mark) + semicolon + attributes
    if plain.endswith("cookie"):
        return _hide_cookies(value, mark)
    bare = value.strip()
    if plain.endswith("authorization") and (scheme := _SCHEME.match(bare)):
        return value.replace(bare, scheme[1] + hide(bare[scheme.end() :], mark), 1)
    return value.replace(bare, hide(bare, mark), 1) if bare else value


def hide_userinfo(userinfo: str, mark: Mark) -> str:
    """`user:password` with the password hidden; a user without one is a token, and so is hidden itself."""
    user, colon, password = userinfo.partition(":")
    if not password or password == "x-oauth-basic":  # noqa: S105 (what GitHub takes beside a token)
        return hide(user, mark, unquote) + colon + password
    return user + colon + hide(password, mark, unquote)


def _hide_authority(match: re.Match[str], mark: Mark) -> str:
    userinfo, at, host = match[1].rpartition("@")
    return f"://{hide_userinfo(userinfo, mark)}@{host}" if at else match[0]


def _hide_encoded_userinfo(match: re.Match[str], mark: Mark) -> str:
    *user, password = _ENCODED_COLON.split(match[0], maxsplit=1)
    return "".join(user) + hide(password, mark, lambda encoded: unquote(unquote(encoded)))


def _hide_cookies(value: str, mark: Mark) -> str:
    return ";".join(_hide_cookie(pair, mark) for pair in value.split(";"))


def _hide_cookie(pair: str, mark: Mark) -> str:
    name, equals, value = pair.partition("=")
    if not equals:
        return pair if not pair.strip() else pair.replace(pair.strip(), hide(pair.strip(), mark), 1)
    bare = value.strip().strip('"')
    return name + equals + (value.replace(bare, hide(bare, mark), 1) if bare else value)


class NamedSecrets:
    """Hides the values that stand behind secret names in a text."""

    def __init__(self, names: SecretNames) -> None:
        self._names = names

    def __call__(self, text: str, mark: Mark) -> str:
        """The text with every named secret replaced by its mark."""
        lower = text.lower()
        if "://" in lower and "@" in lower:
            text = _AUTHORITY.sub(lambda m: _hide_authority(m, mark), text)
        if "%3a%2f%2f" in lower:
            text = _ENCODED_AUTHORITY.sub(lambda m: _hide_encoded_userinfo(m, mark), text)
        curl = "curl" in lower
        if not curl and not any(word in lower for word in self._names.keywords):
            return text
        if "</" in text:
            text = _ELEMENT.sub(lambda m: self._element(m, mark), text)
        return _Scan(text, self._names, mark, curl).run()

    def _element(self, match: re.Match[str], mark: Mark) -> str:
        if match["name"].rpartition(":")[2] not in self._names:
            return match[0]
        return match[0][: match.start("value") - match.start()] + hide(match["value"], mark) + "</"


class _Scan:
    """One pass over one text: `_done` is what was written, `_at` is how far the text was read."""

    def __init__(self, text: str, names: SecretNames, mark: Mark, curl: bool) -> None:
        self._text = text
        self._names = names
        self._mark = mark
        self._curl = curl
        self._done: list[str] = []
        self._at = 0
        self._difference_end = 0
        self._telling_nothing_until = 0
        self._label = ""
        self._label_end = 0

    def run(self) -> str:
        position = 0
        while match := _NAME.search(self._text, position):
            position = match.end()
            self._value(match)
            position = max(position, self._at)
        if not self._done:
            return self._text
        return "".join(self._done) + self._text[self._at :]

    def _value(self, match: re.Match[str]) -> None:
        end = match.end()
        if match["marked"]:
            return
        if key := match["key"]:
            quote = match["escape"] + match["quote"]
            if key in self._names:
                self._data(key, end, quote)
            elif key in ("name", "key"):
                named = _SHORT_TEXT.match(self._text, end)
                self._label = named["text"] if named and named["text"] in self._names else ""
                self._label_end = named.end() if named else end
            elif key == "value" and self._label and self._is_labelled(match.start()):
                self._data(self._label, end, quote)
        elif path := match["path"]:
            if path.rstrip("']") in self._names:
                self._difference(end)
        elif option := match["option"]:
            self._option(option, end)
        else:
            self._word(match)

    def _is_labelled(self, start: int) -> bool:
        """Whether a `value` that starts here stands in the same object as the label before it."""
        return start - self._label_end < _LEAD and "}" not in self._text[self._label_end : start]

    def _data(self, key: str, start: int, quote: str) -> None:
        """The value of a JSON field: a text, a number or a list of those. Objects speak for themselves."""
        text = self._text
        if text[start : start + 1] != "[":
            self._scalar(key, start, quote)
            return
        position = start + 1
        while True:
            while text[position : position + 1] in (" ", "\t", "\r", "\n", ","):
                position += 1
            after = self._scalar(key, position, quote)
            if after == position:
                return
            position = after

    def _scalar(self, key: str, start: int, quote: str) -> int:
        if self._quoted(key, start):
            return self._at
        number = _NUMBER.match(self._text, start)
        if number is None:
            return start
        self._replace(start, number.end(), quote + hide(number[0], self._mark) + quote)
        return number.end()

    def _quoted(self, name: str, start: int) -> bool:
        """Hides a quoted text that starts here; one that was cut off ends with the text."""
        opening = _OPENING.match(self._text, start)
        if opening is None:
            return False
        first, last, after = self._inside(opening)
        value = self._text[first:last]
        plain = plain_name(name)
        if plain.endswith(("authorization", "cookie")):
            hidden = hide_in_header(name, value, self._mark)
        else:
            hidden = hide(value, self._mark, _unescaped if opening[2] == '"' else str)
        self._replace(first, last, hidden)
        self._copy(after)
        return True

    def _inside(self, opening: re.Match[str]) -> tuple[int, int, int]:
        """Where a quoted text starts and ends, and where its closing quote ends.

        In JSON inside a JSON text, quotes have one backslash more; the closing one is known by their number.
        """
        escapes, resume = len(opening[1]), 0
        for closing in _QUOTE[opening[2]].finditer(self._text, opening.end()):
            if len(closing[1]) < escapes:  # the text around this one ends
                return opening.end(), closing.start(), closing.start()
            if closing.start() < resume or (len(closing[1]) - escapes) % (2 * (escapes + 1)):
                continue
            if opening[2] == "'" and self._text.startswith("\\''", closing.end()):
                resume = closing.end() + 3  # how a shell writes a quote inside quotes
                continue
            return opening.end(), closing.end() - 1 - escapes, closing.end()
        return opening.end(), len(self._text), len(self._text)

    def _option(self, option: str, start: int) -> None:
        """The value of a command's option: `--password x`, and in a curl command -u and -b."""
        if self._curl and option in _CREDENTIAL_OPTIONS:
            self._argument(start, lambda value: hide_userinfo(value, self._mark) if ":" in value else value)
        elif self._curl and option in _COOKIE_OPTIONS:
            self._argument(start, lambda value: _hide_cookies(value, self._mark) if "=" in value else value)
        elif option in self._names or (self._curl and option in ("oauth2-bearer", "pass", "proxy-pass")):
            self._argument(start, lambda value: hide(value, self._mark))

    def _argument(self, start: int, hidden: Callable[[str], str]) -> None:
        opening = _OPENING.match(self._text, start)
        if opening is not None:
            first, last, after = self._inside(opening)
        else:
            bare = _ARGUMENT.match(self._text, start)
            first, last = start, bare.end() if bare else start
            after = last
        self._replace(first, last, hidden(self._text[first:last]))
        self._copy(after)

    def _word(self, match: re.Match[str]) -> None:
        """The value behind an unquoted name: of a form, a URL, an assignment, a header, a YAML line."""
        word, start = match["word"], match.end()
        before = self._text[max(match.start() - _LEAD, 0) : match.start()]
        if before.endswith("\\") and word[0] in "nrt":
            word, before = word[1:], before + word[0]
        if "%" in word:
            word = unquote(word)
        in_query = before.endswith(("?", "&", "&amp;"))
        if not (self._names.is_query_secret(word) if in_query else word in self._names):
            return
        if "=" in match[0]:
            self._assigned(word, start, in_query)
        else:
            self._announced(word, start, before)

    def _assigned(self, word: str, start: int, in_query: bool) -> None:
        if _CLOSING.match(self._text, start):
            return
        if not in_query and self._quoted(word, start):
            return
        if not in_query and (scheme := SCHEME.match(self._text, start)):
            start = scheme.end()
        bare = _BARE.match(self._text, start)
        if bare is None:
            return
        value = bare[0].partition("#")[0] if in_query else bare[0]
        if _LITERAL.fullmatch(value):
            return
        value = value.rstrip(_STRAY_END)
        self._replace(start, start + len(value), hide(value, self._mark, unquote))

    def _announced(self, word: str, start: int, before: str) -> None:
        """`Name: value`: how far the value goes depends on where the name stands."""
        header = plain_name(word).endswith(("authorization", "cookie"))
        quoted = re.search(r"(\\*)([\"'])$", before)
        if quoted:
            opening = _OPENING.match(self._text, self._text.rfind(quoted[0], 0, start))
            _, last, _ = self._inside(opening) if opening else (start, start, start)
            line = _REST_OF_LINE.match(self._text, start, last)
            end = line.end() if line else last
        elif _CLOSING.match(self._text, start) or self._quoted(word, start):
            return
        else:
            end = self._end_of_value(start, before, header)
        self._replace(start, end, hide_in_header(word, self._text[start:end], self._mark))

    def _end_of_value(self, start: int, before: str, header: bool) -> int:
        lead = _LINE_START.search(before)
        if lead and (lead.start() or len(before) < _LEAD or before[0] in "\r\n"):
            rest = _REST_OF_LINE.match(self._text, start)
            return rest.end() if rest else start
        if header or before.endswith(("\\n", "\\r")):
            rest = _REST_INSIDE.match(self._text, start)
            return rest.end() if rest else start
        if start < self._telling_nothing_until:
            return start
        first = _WORD.match(self._text, start)
        value = first[0].rstrip(_STRAY_END + ".;") if first else ""
        if _TELLING.search(value):
            return start + len(value)
        self._telling_nothing_until = start + len(value)
        return start

    def _difference(self, start: int) -> None:
        """A line of a structural diff whose path ends in a secret name: every value in it."""
        if start < self._difference_end:
            return
        line = _REST_OF_LINE.match(self._text, start)
        self._difference_end = end = line.end() if line else start
        position = start
        while (value := _DIFF_VALUE.search(self._text, position, end)) and position < end:
            if value["number"]:
                self._replace(value.start(), value.end(), hide(value["number"], self._mark))
            elif not self._quoted("", value.start()):
                return
            position = max(self._at, value.end())

    def _replace(self, start: int, end: int, hidden: str) -> None:
        if start >= self._at:
            self._done += (self._text[self._at : start], hidden)
            self._at = end

    def _copy(self, end: int) -> None:
        if end > self._at:
            self._done.append(self._text[self._at : end])
            self._at = end


def _unescaped(value: str) -> str:
    """What a JSON text means, so that a secret has the same mark however it is spelled."""
    if "\\" not in value:
        return value
    try:
        meant = json.loads(f'"{value}"')
    except ValueError:
        return value
    return meant if isinstance(meant, str) else value
