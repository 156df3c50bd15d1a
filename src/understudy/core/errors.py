"""What can go wrong, told apart by whose turn it is: the user's input, a missing extra, or a defect of ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the user's input, and where.

    >>> str(Problem("unknown key 'pathh'", "suite.yaml", 3, 5, hint="did you mean 'path'?"))
    "suite.yaml:3:5: unknown key 'pathh' (did you mean 'path'?)"
    """

    message: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    hint: str = ""

    def __str__(self) -> str:
        place = self.file
        if place and self.line is not None:
            place += f":{self.line}"
            if self.column is not None:
                place += f":{self.column}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.hint})" if self.hint else text


class UnderstudyError(Exception):
    """The root of every error that we raise on purpose."""


class InputError(UnderstudyError, ValueError):
    """The user's input is wrong: every problem that was found, not only the first.

    >>> InputError([Problem("a is wrong"), Problem("b is wrong")]).problems[1].message
    'b is wrong'
    """

    def __init__(self, problems: Iterable[Problem] | str) -> None:
        self.problems: tuple[Problem, ...] = (
            (Problem(problems),) if isinstance(problems, str) else tuple(problems)
        )
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class MissingExtra(InputError, ImportError):
    """A library that an extra brings is not installed; the message names the extra."""


def missing_extra(extra: str, library: str) -> MissingExtra:
    """The error to raise when `library`, which `understudy[extra]` brings, cannot be imported."""
    return MissingExtra(
        [Problem(f"{library} is not installed", hint=f"install it with: pip install 'understudy[{extra}]'")]
    )


class ActDefect(Exception):
    """An act raised what it must not, where no case could tell of it."""

    def __init__(self, act: str, doing: str) -> None:
        super().__init__(f"raised by the act {act!r} while it {doing}")
        self.act = act
