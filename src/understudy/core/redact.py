"""Redaction: no secret is in what is kept, yet different secrets stay different and the same one the same.

In two steps, so that neither order nor process matters: a `Redactor` replaces each secret by a mark, a digest
under its own random key; when a report is written, `Numbered` turns marks into `<secret 1>`, `<secret 2>`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from understudy.core.outcome import Attachment, Failure, Outcome
from understudy.core.secret_json import json_parts, redact_json
from understudy.core.secret_literals import Literals
from understudy.core.secret_rules import DEFAULT_RULES, MARK, Rule, SecretNames, plain_name
from understudy.core.secret_text import NamedSecrets, hide_in_header

__all__ = ["DEFAULT_RULES", "Numbered", "Redactor", "Rule"]

_T = TypeVar("_T")
_MARKS = re.compile(f"({MARK})")
_FRESH_MARK = re.compile(r"<secret:([0-9a-f]{16})>")
_SUBJECT = re.compile(r"(\$[\w.\[\]'-]{1,200})|\b[Hh]eaders?[ :]{1,2}[`'\"]?([\w-]{1,80})")
_SUBJECT_WITHIN = 2_000
_MORE_THAN_A_WORD = re.compile(r"[^\w.~+/=-]")
_ROUNDS = 4
_DEPTH = 200
_TOO_DEEP = "… (left out: nested too deeply to be redacted)"


class Redactor:
    """Replaces secrets by marks such as `<secret:9f2c61d0a7b3e845>`. May be pickled, and then marks alike.

    `secrets` are literal ones (from the environment, from a command); `rules` know others by name or shape.

    >>> redact = Redactor(["hunter2"])
    >>> Numbered()(redact.text("curl -u bob:hunter2 'http://localhost/?token=abc' # hunter2"))
    "curl -u bob:<secret 1> 'http://localhost/?token=<secret 2>' # <secret 1>"
    """

    def __init__(
        self, secrets: Iterable[str] = (), *, rules: Iterable[Rule] = DEFAULT_RULES, key: bytes | None = None
    ) -> None:
        rules = tuple(rules)
        self._key = os.urandom(16) if key is None else key
        self._literals = Literals(secrets)
        # Behind a name, a value ends with its word: what is more than a word has to be known before.
        self._phrases = Literals(
            secret for secret in self._literals.secrets if _MORE_THAN_A_WORD.search(secret)
        )
        self._names = SecretNames(rules)
        self._named = NamedSecrets(self._names)
        self._shapes = tuple(
            (re.compile(rule.shape), rule.hints, rule.accept) for rule in rules if rule.shape
        )

    def __repr__(self) -> str:
        return f"<Redactor of {len(self._literals.secrets)} literal secrets and {len(self._shapes)} shapes>"

    def text(self, text: str) -> str:
        """Any text: free, JSON, a form, a URL, an HTTP exchange, a command; what is marked stays so."""
        for _ in range(_ROUNDS):
            redacted = self._once(text)
            if redacted == text:
                break
            text = redacted
        return text

    def url(self, url: str) -> str:
        """A URL: its userinfo, the values of secret parameters, and whatever else is a secret in it."""
        return self.text(url)

    def headers(self, pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Headers in order; schemes of credentials, names of cookies and their attributes stay."""
        return tuple(
            (name, self._under(name, value) if name in self._names else self.text(value))
            for name, value in pairs
        )

    def data(self, value: _T) -> _T:
        """JSON-like data: values under secret names, secrets in texts; the same object if nothing changed."""
        redacted: _T = self._data(value, _DEPTH)
        return redacted

    def attachment(self, attachment: Attachment) -> Attachment:
        """The attachment without secrets; the same object if nothing changed."""
        return _attachment(attachment, self.text)

    def outcome(self, outcome: Outcome) -> Outcome:
        """Everything in an outcome that is kept; ids and names change only if a literal secret is in them."""
        literals = self._literals
        if not (literals and (literals.stand_in(outcome.id) or literals.stand_in(outcome.name))):
            if not _has_text(outcome):
                return outcome
            return _outcome(outcome, str, self.text, self.data, self._failure)
        return _outcome(outcome, self._only_literals, self.text, self.data, self._failure)

    def _only_literals(self, text: str) -> str:
        return self._literals(text, self._mark)

    def _mark(self, secret: str) -> str:
        digest = hashlib.blake2b(secret.encode("utf-8", "surrogatepass"), key=self._key, digest_size=8)
        return f"<secret:{digest.hexdigest()}>"

    def _once(self, text: str) -> str:
        if "{" not in text and "[" not in text:
            return self._free(text)
        parts = json_parts(text)
        parts[::2] = [self._free(part) for part in parts[::2]]
        parts[1::2] = [
            redact_json(part, self._names, self._mark, self._once, self._literals.numbers)
            for part in parts[1::2]
        ]
        return "".join(parts)

    def _free(self, text: str) -> str:
        if self._phrases:
            text = self._phrases(text, self._mark)
        if "=" in text or ":" in text or "--" in text or "</" in text:
            text = self._named(text, self._mark)
        lower = text.lower()
        for shape, hints, accept in self._shapes:
            if not hints or any(hint in lower for hint in hints):
                text = self._hide_shape(text, shape, accept)
        return self._literals(text, self._mark) if self._literals else text

    def _hide_shape(self, text: str, shape: re.Pattern[str], accept: Callable[[str], bool] | None) -> str:
        group = "secret" if "secret" in shape.groupindex else 0

        def hidden(match: re.Match[str]) -> str:
            secret = match[group]
            if not secret or (accept is not None and not accept(secret)):
                return match[0]
            first, last = match.start(group) - match.start(), match.end(group) - match.start()
            return match[0][:first] + self._mark(secret) + match[0][last:]

        if "<secret" not in text:
            return shape.sub(hidden, text)
        parts = _MARKS.split(text)
        parts[::2] = [shape.sub(hidden, part) for part in parts[::2]]
        return "".join(parts)

    def _data(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return self._mapping(value, depth) if depth else _TOO_DEEP
        if isinstance(value, list | tuple):
            if not depth:
                return _TOO_DEEP
            if len(value) == 2 and self._is_header(value[0]):
                return _like(value, [value[0], self._under(value[0], value[1], depth)])
            return _like(value, [self._data(item, depth - 1) for item in value])
        if self._literals.numbers and not isinstance(value, bool) and str(value) in self._literals.numbers:
            return self._mark(str(value))
        return value

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> Mapping[Any, Any]:
        label = self._label(value) if "value" in value else ""
        entries: dict[Any, Any] = {}
        same = True
        for key, entry in value.items():
            name = key
            if not isinstance(key, str):
                redacted = self._data(entry, depth - 1)
            elif key in self._names:
                redacted = self._under(key, entry, depth)
            elif label and key == "value":
                redacted = self._under(label, entry, depth)
            elif plain_name(key) == "cookies" and isinstance(entry, Mapping):
                hidden = {cookie: self._under("token", content, depth) for cookie, content in entry.items()}
                redacted = entry if hidden == entry else hidden
            else:
                name, redacted = self.text(key), self._data(entry, depth - 1)
            same = same and redacted is entry and name is key
            entries[name] = redacted
        return value if same else entries

    def _label(self, value: Mapping[Any, Any]) -> str:
        """The secret name beside a value, as in `{"name": "token", "value": ...}`, or among where it stands."""
        where = value.get("where")
        for label in (
            value.get("name", value.get("key")),
            *(where if isinstance(where, list | tuple) else ()),
        ):
            if isinstance(label, str) and (name := label.rstrip("'].")) in self._names:
                return name
        return ""

    def _under(self, name: str, value: Any, depth: int = _DEPTH) -> Any:
        """A value under a secret name. An object speaks for itself; true, false and null say nothing."""
        if isinstance(value, str):
            return hide_in_header(name, value, self._mark)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._mark(str(value))
        if isinstance(value, list | tuple) and depth:
            return _like(value, [self._under(name, item, depth - 1) for item in value])
        return self._data(value, depth - 1 if depth else 0)

    def _is_header(self, name: Any) -> bool:
        if not isinstance(name, str) or name not in self._names:
            return False
        return "-" in name or name.lower() in ("authorization", "cookie")

    def _failure(self, failure: Failure) -> Failure:
        """A failure; if its message says that it is about a secret field, its values are secrets as well."""
        expected, actual, message, diff = failure.expected, failure.actual, failure.message, failure.diff
        subject = _SUBJECT.search(message, 0, _SUBJECT_WITHIN)
        name = (subject[1] or subject[2]).rstrip("'].") if subject else ""
        if name and name in self._names:
            for value in (expected, actual):
                hidden = self._under(name, value)
                if hidden != value and isinstance(value, str):
                    message, diff = (_instead(value, hidden, text) for text in (message, diff))
            expected, actual = self._under(name, expected), self._under(name, actual)
        return _failure(replace(failure, message=message, diff=diff), self.text, self.data, expected, actual)


class Numbered:
    """Turns marks into `<secret 1>`, `<secret 2>` in the order in which they first come; one for each report.

    >>> numbered = Numbered()
    >>> numbered("<secret:00000000000000ff> <secret:00000000000000aa>"), numbered("<secret:00000000000000aa>")
    ('<secret 1> <secret 2>', '<secret 2>')
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        """The text with numbers in place of marks."""
        return _FRESH_MARK.sub(self._number, text) if "<secret:" in text else text

    def data(self, value: _T) -> _T:
        """JSON-like data with numbers in place of marks; the same object if there are none."""
        numbered: _T = self._data(value, _DEPTH)
        return numbered

    def attachment(self, attachment: Attachment) -> Attachment:
        """The attachment with numbers in place of marks; the same object if there are none."""
        return _attachment(attachment, self)

    def outcome(self, outcome: Outcome) -> Outcome:
        """The outcome with numbers in place of marks, in the order in which a report is written."""
        if not _has_text(outcome) and "<secret:" not in outcome.id and "<secret:" not in outcome.name:
            return outcome
        return _outcome(
            outcome, self, self, self.data, lambda f: _failure(f, self, self.data, f.expected, f.actual)
        )

    def _number(self, match: re.Match[str]) -> str:
        return f"<secret {self._numbers.setdefault(match[1], len(self._numbers) + 1)}>"

    def _data(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self(value)
        if not isinstance(value, Mapping | list | tuple):
            return value
        if not depth:
            return _TOO_DEEP
        if not isinstance(value, Mapping):
            return _like(value, [self._data(item, depth - 1) for item in value])
        entries = {
            (self(key) if isinstance(key, str) else key): self._data(entry, depth - 1)
            for key, entry in value.items()
        }
        same = all(
            old is new and key is name
            for (key, old), (name, new) in zip(value.items(), entries.items(), strict=False)
        )
        return value if same and len(entries) == len(value) else entries


def _has_text(outcome: Outcome) -> bool:
    return bool(
        outcome.failures
        or outcome.details
        or outcome.reason
        or outcome.notes
        or outcome.attachments
        or outcome.rerun
        or outcome.known
    )


def _outcome(
    outcome: Outcome,
    name: Callable[[str], str],
    text: Callable[[str], str],
    data: Callable[[Any], Any],
    failure: Callable[[Failure], Failure],
) -> Outcome:
    """The outcome with every text in it changed, in the order in which a report is written."""
    known = outcome.known
    return replace(
        outcome,
        id=name(outcome.id),
        name=name(outcome.name),
        failures=tuple(failure(entry) for entry in outcome.failures),
        reason=text(outcome.reason),
        notes=tuple(text(note) for note in outcome.notes),
        attachments=tuple(_attachment(entry, text) for entry in outcome.attachments),
        known=known and replace(known, reason=text(known.reason)),
        parent=name(outcome.parent),
        rerun=text(outcome.rerun),
        details=data(outcome.details),
    )


def _failure(
    failure: Failure, text: Callable[[str], str], data: Callable[[Any], Any], expected: Any, actual: Any
) -> Failure:
    return replace(
        failure,
        message=text(failure.message),
        expected=data(expected),
        actual=data(actual),
        diff=text(failure.diff),
    )


def _attachment(attachment: Attachment, text: Callable[[str], str]) -> Attachment:
    name, content = text(attachment.name), text(attachment.text)
    if name is attachment.name and content is attachment.text:
        return attachment
    return replace(attachment, name=name, text=content)


def _like(value: Any, items: list[Any]) -> Any:
    """The items as the kind of list that `value` is, or `value` itself if they are what it holds."""
    if all(old is new for old, new in zip(value, items, strict=True)):
        return value
    return tuple(items) if isinstance(value, tuple) else items


def _instead(value: str, hidden: str, text: str) -> str:
    """`hidden` where `value` stands in a text about it, as it is or quoted."""
    if len(value.strip()) > 1:
        text = text.replace(value, hidden).replace(json.dumps(value)[1:-1], hidden)
    return text
