"""Finds secrets in text that are known word for word, also where they stand encoded or cut off."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote, quote_plus

from understudy.core.secret_rules import MARK, SCHEME

_SHORTEST = 3
_SHORT = 4
_SHORTEST_BASE64 = 6
_SHORTEST_CUT = 5
_NUMERIC = re.compile(r"-?\d+(?:\.\d+)?")
_JSON_STRING = re.compile(r'("(?:[^"\\\r\n]|\\[^\r\n])*+")')
_ESCAPE_LETTERS = frozenset("nrtbfu\"\\/'")
_REMEMBERED = 200


class Literals:
    """Hides the secrets it was made with. Shorter ones than three characters are no secrets and are ignored.

    >>> Literals(["p&ss"])("a=p%26ss&b=p&ss", lambda secret: "<x>")
    'a=<x>&b=<x>'
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        bare = {_without_scheme(secret.strip()) for secret in secrets}
        self.secrets = tuple(sorted((s for s in bare if len(s) >= _SHORTEST), key=lambda s: (-len(s), s)))
        self.numbers = frozenset(secret for secret in self.secrets if _NUMERIC.fullmatch(secret))
        forms: dict[str, tuple[str, str]] = {}
        for secret in self.secrets:
            for form, pattern in _spellings(secret):
                forms.setdefault(form, (pattern, secret))
        self._forms = tuple(
            (form, pattern, secret)
            for form, (pattern, secret) in sorted(forms.items(), key=lambda entry: (-len(entry[0]), entry[0]))
        )
        self._long = tuple(secret for secret in self.secrets if len(secret) > _SHORTEST_CUT)
        self._patterns: dict[tuple[int, ...], re.Pattern[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.secrets)

    def stand_in(self, text: str) -> bool:
        """Whether one of the secrets stands in the text as it is."""
        return any(secret in text for secret in self.secrets)

    def __call__(self, text: str, mark: Callable[[str], str]) -> str:
        """The text with every secret replaced by its mark."""
        found = tuple(index for index, (form, _, _) in enumerate(self._forms) if form in text)
        if found:
            pattern = self._pattern(found)
            if any(self._forms[index][2] in self.numbers for index in found):
                parts = _JSON_STRING.split(text) if "{" in text or "[" in text else ["", text]
                for index, part in enumerate(parts):
                    parts[index] = pattern.sub(
                        lambda m, out=not index % 2: self._hide(m, found, mark, out), part
                    )
                text = "".join(parts)
            else:
                text = pattern.sub(lambda m: self._hide(m, found, mark, False), text)
        return self._cut(text, mark) if "…" in text and self._long else text

    def _pattern(self, found: tuple[int, ...]) -> re.Pattern[str]:
        pattern = self._patterns.get(found)
        if pattern is None:
            pattern = re.compile(f"({MARK})|" + "|".join(f"({self._forms[index][1]})" for index in found))
            if len(self._patterns) < _REMEMBERED:
                self._patterns[found] = pattern
        return pattern

    def _hide(
        self, match: re.Match[str], found: tuple[int, ...], mark: Callable[[str], str], outside_strings: bool
    ) -> str:
        group = match.lastindex or 1
        if group == 1:
            return match[0]
        secret = self._forms[found[group - 2]][2]
        text, start = match.string, match.start()
        if secret in self.numbers:
            if outside_strings and _is_json_number(text, start, match.end()):
                return f'"{mark(secret)}"'
            return "-" * (match[0].startswith("-") and not secret.startswith("-")) + mark(secret)
        if match[0][0] in _ESCAPE_LETTERS and _backslashes(text, start) % 2:
            return match[0][0] + mark(secret)  # the letter belongs to an escape such as \n
        return mark(secret)

    def _cut(self, text: str, mark: Callable[[str], str]) -> str:
        """Hides what is left of a secret where a text was cut, which we always show by an ellipsis."""
        parts = text.split("…")
        for index, part in enumerate(parts):
            for secret in self._long:
                if index < len(parts) - 1 and (kept := _kept(part, secret)):
                    part = part[:-kept] + mark(secret)
                if index and (kept := _kept(part[::-1], secret[::-1])):
                    part = mark(secret) + part[kept:]
            parts[index] = part
        return "…".join(parts)


def _without_scheme(secret: str) -> str:
    """A credential alone: `Bearer abc` is the value of a header, and `abc` what must not be seen anywhere."""
    scheme = SCHEME.match(secret)
    return secret[scheme.end() :] if scheme else secret


def _spellings(secret: str) -> list[tuple[str, str]]:
    """Every way a secret may be written: how to search for it, and the pattern that takes all of it."""
    if _NUMERIC.fullmatch(secret):
        return [(secret, rf"(?<![\d.])-?{re.escape(secret)}(?!\.?\d|[eE][-+]?\d)")]
    plain = json.dumps(secret)[1:-1]
    wide = json.dumps(secret, ensure_ascii=False)[1:-1]
    encodable = secret.encode("utf-8", "replace").decode("utf-8")
    percent = [quote(encodable, safe=""), quote(encodable), quote_plus(encodable)]
    forms = {
        *(secret, plain, wide, json.dumps(plain)[1:-1], json.dumps(wide, ensure_ascii=False)[1:-1]),
        *(wide.replace("/", "\\/"), _in_markup(secret), _in_markup(secret).replace('"', "&quot;")),
        *(secret.replace("'", "'\\''"), secret.replace("'", "\\'")),
        *percent,
        *(re.sub(r"%[0-9A-F]{2}", lambda m: m[0].lower(), form) for form in percent),
    }
    border = (r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])") if len(secret) < _SHORT else ("", "")
    spellings = [(form, f"{border[0]}{re.escape(form)}{border[1]}") for form in sorted(forms)]
    return spellings + _base64_spellings(encodable.encode())


def _in_markup(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _base64_spellings(secret: bytes) -> list[tuple[str, str]]:
    """The secret inside a longer base64 text, at each of the three places where a group of bytes may start.

    Its first and its last character may hold bits of the neighbours too; the pattern takes them along.
    """
    if len(secret) < _SHORTEST_BASE64:
        return []
    spellings: list[tuple[str, str]] = []
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + secret).decode().rstrip("=")
        inner = encoded[(0, 2, 3)[before] : len(encoded) - bool((before + len(secret)) % 3)]
        lead = "[A-Za-z0-9+/_-]?" if before else ""
        trail = "[A-Za-z0-9+/_-]?={0,2}" if (before + len(secret)) % 3 else ""
        for form in {inner: None, inner.replace("+", "-").replace("/", "_"): None}:
            spellings.append((form, lead + re.escape(form) + trail))
    return spellings


def _is_json_number(text: str, start: int, end: int) -> bool:
    before, after = text[max(start - 40, 0) : start].rstrip(), text[end : end + 40].lstrip()
    return before.endswith((":", "[", ",")) and after.startswith((",", "}", "]"))


def _backslashes(text: str, end: int) -> int:
    start = end
    while start and text[start - 1] == "\\" and end - start < _REMEMBERED:
        start -= 1
    return end - start


def _kept(part: str, secret: str) -> int:
    """How many of a secret's first characters stand at the end of `part`; 0 if too few to be sure."""
    tail = part[-_SHORTEST_CUT:]
    if len(tail) < _SHORTEST_CUT:
        return 0
    at = secret.rfind(tail)
    while at >= 0:
        if part.endswith(secret[: at + _SHORTEST_CUT]):
            return at + _SHORTEST_CUT
        at = secret.rfind(tail, 0, at + _SHORTEST_CUT - 1)
    return 0
