"""How large and how nested a policy may be, judged before an engine that has no limits of its own parses it."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKENS = re.compile(
    r'"(?:\\.|[^"\\\n])*"|`[^`]*`|#[^\n]*|(?P<open>[\[{(])|(?P<close>[\]})])|(?P<chain>[-+*/%|&.])|(?P<line>\n)'
)
_TEXT = 1 << 20
_LITERALS = 12  # the engine's time doubles with each level: a fifth of a second here
_BRACKETS = 100
_CHAIN = 400  # its syntax tree grows with the square
_BEFORE_LITERAL = "=,:([{|"


class TooMuch(NamedTuple):
    """What is too large, and at which character."""

    message: str
    at: int


def too_much(text: str) -> TooMuch | None:
    """What about a policy is beyond the limits, if anything is.

    >>> too_much("package minder\\nx := [[1], {2: [3]}]")
    >>> too_much("x := " + "[" * 20 + "]" * 20).message
    'arrays and objects are nested more than 12 deep'
    """
    if len(text) > _TEXT:
        return TooMuch(f"the policy is longer than {_TEXT:,} characters", 0)
    literals: list[bool] = []
    depth = chain = 0
    before, ended = "", 0
    for token in _TOKENS.finditer(text):
        gap = text[ended : token.start()].rstrip()
        before = gap[-1:] or before
        kind, ended = token.lastgroup, token.end()
        if kind == "open":
            literal = token[0] != "(" and before in _BEFORE_LITERAL
            literals.append(literal)
            depth += literal
            chain += token[0] == "["
            if depth > _LITERALS:
                return TooMuch(f"arrays and objects are nested more than {_LITERALS} deep", token.start())
            if len(literals) > _BRACKETS:
                return TooMuch(f"brackets are nested more than {_BRACKETS} deep", token.start())
        elif kind == "close":
            depth -= bool(literals) and literals.pop()
        elif kind == "chain":
            chain += 1
        elif kind == "line":
            following = text[ended : ended + 200].lstrip(" \t")[:1]
            if before not in "-+*/%|&." and following not in "-+*/%|&.":
                chain = 0
            continue
        if chain > _CHAIN:
            return TooMuch(f"an expression has more than {_CHAIN} operators", token.start())
        before = token[0][-1:]
    return None
