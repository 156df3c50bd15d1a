"""Coverage as an lcov tracefile, for genhtml and editors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from understudy.rules.coverage.figures import Coverage


def lcov_lines(coverage: Coverage, path_of: Callable[[str], str]) -> Iterator[str]:
    """The records of all files that have lines to reach; `path_of` gives a rule file's path for the reader.

    How often a line was reached is not known: 1 stands for reached.

    >>> from understudy.rules.coverage.figures import RuleFigures
    >>> rule = RuleFigures("a.rego", "a", 1, frozenset({3, 4}), frozenset({3}))
    >>> " ".join(lcov_lines(Coverage([rule]), lambda file: f"rules/{file}"))
    'TN: SF:rules/a.rego DA:3,1 DA:4,0 LF:2 LH:1 end_of_record'
    """
    for rule in coverage.rules:
        lines = rule.lines
        if not lines:
            continue
        yield "TN:"
        yield f"SF:{_in_one_line(path_of(rule.file))}"
        yield from (f"DA:{number},{int(is_reached)}" for number, is_reached in lines.items())
        yield f"LF:{len(lines)}"
        yield f"LH:{sum(lines.values())}"
        yield "end_of_record"


def _in_one_line(path: str) -> str:
    """A path that cannot be taken for further records."""
    return path.replace("\r", "\\r").replace("\n", "\\n")
