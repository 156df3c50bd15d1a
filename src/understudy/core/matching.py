"""The small language in which cases are selected: `-k "checkout and not (slow or 'second item')"`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from understudy.core.errors import InputError, Problem

__all__ = ["Expression", "compile_expression", "words_in", "words_of"]

_TOKEN = re.compile(r"""\s*+(?:(?P<sign>[()])|(?P<quote>["'])|(?P<word>[^\s()"']++))""")
_STRENGTH = {"or": 1, "and": 2, "not": 3}
_LONGEST = 20_000
_EXCERPT = 30


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled selection: its words and operators, each operator after what it joins."""

    text: str
    program: tuple[tuple[str, str], ...]

    def matches(self, predicate: Callable[[str], bool]) -> bool:
        """Whether the expression holds, with the words that the predicate holds of.

        >>> compile_expression("shop and not slow").matches(words_in("SHOP::first item"))
        True
        """
        stack: list[bool] = []
        for kind, word in self.program:
            if kind == "word":
                stack.append(predicate(word))
            elif kind == "not":
                stack.append(not stack.pop())
            else:
                right, left = stack.pop(), stack.pop()
                stack.append((left and right) if kind == "and" else (left or right))
        return stack[0]


def words_in(text: str) -> Callable[[str], bool]:
    """The predicate of `-k`: a word stands somewhere in the text, whatever its case."""
    folded = text.casefold()
    return lambda word: word.casefold() in folded


def words_of(names: Collection[str]) -> Callable[[str], bool]:
    """The predicate of `-m`: a word is one of the names, whatever its case."""
    folded = {name.casefold() for name in names}
    return lambda word: word.casefold() in folded


def compile_expression(text: str) -> Expression:
    """Read an expression; what is wrong with it is shown with its place.

    >>> compile_expression("(get or post) and not 'second item'").matches(words_in("post/first item"))
    True
    """
    if len(text) > _LONGEST:
        problem = f"the expression has {len(text):,} characters, more than {_LONGEST:,}"
        raise InputError([Problem(problem, hint="select by fewer or shorter words")])
    reader = _Reader(text)
    for match in reader.tokens():
        reader.take(*match)
    return Expression(text, reader.finish())


class _Reader:
    """Orders words and operators by strength with a stack, so that no nesting is too deep."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._program: list[tuple[str, str]] = []
        self._waiting: list[tuple[str, int]] = []
        self._needs_word = True

    def tokens(self) -> list[tuple[str, str, int]]:
        """What kind each piece is (word, and, or, not, parentheses), its text and where it starts."""
        found: list[tuple[str, str, int]] = []
        position, end = 0, len(self._text.rstrip())
        while position < end and (match := _TOKEN.match(self._text, position)):
            position = match.end()
            if sign := match["sign"]:
                found.append((sign, sign, match.start("sign")))
            elif word := match["word"]:
                found.append((word if word in _STRENGTH else "word", word, match.start("word")))
            else:
                start = match.start("quote")
                position = self._text.find(match["quote"], start + 1) + 1
                if not position:
                    raise self._wrong(f"the quote {match['quote']} is not closed", start)
                if position - start == 2:
                    raise self._wrong("there is nothing between the quotes", start)
                found.append(("word", self._text[start + 1 : position - 1], start))
        return found

    def take(self, kind: str, text: str, at: int) -> None:
        """Put one piece in its place."""
        starts = kind in ("word", "not", "(")
        if starts != self._needs_word:
            if starts:
                raise self._wrong(f"expected 'and' or 'or' before {text!r}", at)
            raise self._wrong(self._missing_word(kind), at)
        if kind == "word":
            self._program.append((kind, text))
            self._needs_word = False
        elif kind in ("not", "("):
            self._waiting.append((kind, at))
        elif kind == ")":
            self._unwind(0)
            if not self._waiting:
                raise self._wrong("this ')' closes nothing", at)
            self._waiting.pop()
        else:
            self._unwind(_STRENGTH[kind])
            self._waiting.append((kind, at))
            self._needs_word = True

    def finish(self) -> tuple[tuple[str, str], ...]:
        """The program, if the expression is whole."""
        if self._needs_word:
            end = len(self._text.rstrip())
            what = "ends where a word was expected" if end else "is empty"
            raise self._wrong(f"the expression {what}", end)
        self._unwind(0)
        if self._waiting:
            raise self._wrong("this '(' is not closed", self._waiting[-1][1])
        return tuple(self._program)

    def _unwind(self, strength: int) -> None:
        while self._waiting and self._waiting[-1][0] != "(":
            if _STRENGTH[self._waiting[-1][0]] < strength:
                return
            self._program.append((self._waiting.pop()[0], ""))

    def _missing_word(self, kind: str) -> str:
        if kind == ")":
            return "expected a word before ')'"
        return (
            f'expected a word before {kind!r}; write "{kind}" in quotes if it is the word that you look for'
        )

    def _wrong(self, message: str, at: int) -> InputError:
        first = max(at - _EXCERPT, 0)
        excerpt = "".join(c if c.isprintable() else " " for c in self._text[first : at + _EXCERPT])
        before, after = "…" * (first > 0), "…" * (at + _EXCERPT < len(self._text))
        caret = " " * (len(before) + at - first) + "^"
        hint = f"at the caret:\n    {before}{excerpt}{after}\n    {caret}\n"
        return InputError([Problem(f"column {at + 1}: {message}", column=at + 1, hint=hint)])
