"""Cuts a template into tokens: text, and within `{{ }}` what Go's lexer tells apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

from understudy.rules.templates.faults import TemplateFault

_BLANKS = " \t\r\n"
_OPEN, _CLOSE = "{{", "}}"
_KEYWORDS = frozenset(
    ("block", "break", "continue", "define", "else", "end", "if", "range", "nil", "template", "with")
)
_TRIMMED_CLOSE = re.compile(r"[ \t\r\n]+-\}\}")
_SPACE = re.compile(r"[ \t\r\n]+")
_WORD = re.compile(r"\w+")
_VARIABLE = re.compile(r"\$\w*")
_FIELD = re.compile(r"\.\w+")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]+)?|0[oO][0-7_]*|0[bB][01_]*"
    r"|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]+)?)i?"
)
_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_RAW = re.compile(r"`[^`]*`")
_CHARACTER = re.compile(r"'(?:[^'\\\n]|\\[^\n])*'")
_COMMENT_END = re.compile(r"\*/(?:[ \t\r\n]-)?\}\}")
# What may follow a name without a blank.
_AFTER_NAME = " \t\r\n.,|:()"

_SINGLE = {"=": "assign", "|": "pipe", "(": "(", ")": ")", ",": "comma"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a template; `kind` is `text`, `open`, `close`, or what it is within an action."""

    kind: str
    text: str
    offset: int


def tokens_of(template: str) -> list[Token]:
    """Every token, with the blanks that `-` trims gone and comments left out; the last is `eof`.

    >>> [token.kind for token in tokens_of("a{{ .Name }}")]
    ['text', 'open', 'space', 'field', 'space', 'close', 'eof']
    """
    return _Lexer(template).run()


class _Lexer:
    def __init__(self, template: str) -> None:
        self.template = template
        self.position = 0
        self.tokens: list[Token] = []

    def run(self) -> list[Token]:
        template = self.template
        trim_left = False
        while True:
            start = self.position
            opening = template.find(_OPEN, start)
            text = template[start:] if opening < 0 else template[start:opening]
            trim_right = opening >= 0 and _is_trim_marker(template, opening + 2)
            if trim_left:
                stripped = text.lstrip(_BLANKS)
                start += len(text) - len(stripped)
                text = stripped
            if trim_right:
                text = text.rstrip(_BLANKS)
            if text:
                self.tokens.append(Token("text", text, start))
            if opening < 0:
                self.tokens.append(Token("eof", "", len(template)))
                return self.tokens
            self.position = opening + (4 if trim_right else 2)
            trim_left = self._comment(opening) if self._at("/*") else self._action(opening)

    def _at(self, text: str) -> bool:
        return self.template.startswith(text, self.position)

    def _comment(self, opening: int) -> bool:
        end = self.template.find("*/", self.position + 2)
        if end < 0:
            raise TemplateFault("unclosed comment", opening, hint="end it with '*/}}'")
        closing = _COMMENT_END.match(self.template, end)
        if closing is None:
            message = "comment ends before closing delimiter"
            raise TemplateFault(message, end, hint="a comment is an action of its own: {{/* ... */}}")
        self.position = closing.end()
        return closing[0].endswith("-}}")

    def _action(self, opening: int) -> bool:
        """Lex to the end of an action; whether that trims what follows."""
        template, add = self.template, self.tokens.append
        add(Token("open", _OPEN, opening))
        depth = 0
        while True:
            position = self.position
            trimmed = _TRIMMED_CLOSE.match(template, position)
            if trimmed or self._at(_CLOSE):
                if depth:
                    raise TemplateFault("unclosed left paren", position, hint="add ')'")
                self.position = trimmed.end() if trimmed else position + 2
                add(Token("close", _CLOSE, position))
                return trimmed is not None
            if position >= len(template):
                raise TemplateFault("unclosed action", opening, hint="end it with '}}'")
            token = self._token(position)
            depth += {"(": 1, ")": -1}.get(token.kind, 0)
            if depth < 0:
                raise TemplateFault("unexpected right paren", position, hint="remove it, or add '(' before")
            self.position = position + len(token.text)
            add(token)

    def _token(self, position: int) -> Token:
        template = self.template
        character = template[position]
        if found := _SPACE.match(template, position):
            return Token("space", found[0], position)
        if character in _SINGLE:
            return Token(_SINGLE[character], character, position)
        if character == ":":
            if not template.startswith(":=", position):
                raise TemplateFault("expected :=", position, hint="a variable is declared with ':='")
            return Token("declare", ":=", position)
        if character in "\"`'":
            return self._quoted(character, position)
        if character == "$":
            return self._named("variable", _VARIABLE, position)
        following = template[position + 1 : position + 2]
        if character == "." and not ("0" <= following <= "9"):
            if following == "_" or following.isalnum():
                return self._named("field", _FIELD, position)
            return Token("dot", ".", position)
        if character in "+-." or "0" <= character <= "9":
            return self._number(position)
        if character == "_" or character.isalnum():
            return self._word(position)
        raise _unrecognized(character, position)

    def _quoted(self, quote: str, position: int) -> Token:
        kind, pattern, name = {
            '"': ("string", _STRING, "quoted string"),
            "`": ("raw", _RAW, "raw quoted string"),
            "'": ("character", _CHARACTER, "character constant"),
        }[quote]
        found = pattern.match(self.template, position)
        if found is None:
            raise TemplateFault(f"unterminated {name}", position, hint=f"close it with {quote}")
        return Token(kind, found[0], position)

    def _named(self, kind: str, pattern: re.Pattern[str], position: int) -> Token:
        found = pattern.match(self.template, position)
        text = found[0] if found else self.template[position]
        self._require_end(position + len(text))
        return Token(kind, text, position)

    def _number(self, position: int) -> Token:
        found = _NUMBER.match(self.template, position)
        text = found[0] if found else ""
        after = self.template[position + len(text) : position + len(text) + 1]
        if not any(map(str.isdigit, text)) or after == "_" or after.isalnum():
            shown = self.template[position : position + len(text) + 1]
            raise TemplateFault(f"bad number syntax: {_quote(shown)}", position, hint="correct the number")
        return Token("number", text, position)

    def _word(self, position: int) -> Token:
        token = self._named("identifier", _WORD, position)
        if token.text in _KEYWORDS:
            return Token(token.text, token.text, position)
        if token.text in ("true", "false"):
            return Token("bool", token.text, position)
        return token

    def _require_end(self, position: int) -> None:
        following = self.template[position : position + 1]
        if following and following not in _AFTER_NAME and not self.template.startswith(_CLOSE, position):
            message = f"bad character {_code_point(following)}"
            raise TemplateFault(message, position, hint="a name ends here: put a blank after it")


def _is_trim_marker(template: str, position: int) -> bool:
    return template[position : position + 1] == "-" and template[position + 1 : position + 2] in tuple(
        _BLANKS
    )


def _unrecognized(character: str, position: int) -> TemplateFault:
    message = f"unrecognized character in action: {_code_point(character)}"
    return TemplateFault(message, position, hint="remove it, or put it in quotes")


def _code_point(character: str) -> str:
    shown = f" '{character}'" if character.isprintable() else ""
    return f"U+{ord(character):04X}{shown}"


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
