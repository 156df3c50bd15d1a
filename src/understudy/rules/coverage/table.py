"""Coverage for a terminal: a table of all rule files, the lines that are missing, and what else tests might prove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from understudy.rules.coverage.figures import Coverage, RuleFigures, ranges, shown_percent

_HEADINGS = ("rule file", "lines", "jq", "reached", "missing")
_WIDEST = 64
_MOST_HINTS = 20


class TableLine(NamedTuple):
    """A line and the style that it is told in: `heading`, `passed`, `known`, `failed`, `faint` or none."""

    text: str
    style: str = ""


def coverage_table(
    coverage: Coverage, sources: Mapping[str, Sequence[str]] | None = None
) -> Iterator[TableLine]:
    """The table; with `sources`, the lines of files, what is missing is shown as it is written.

    >>> rule = RuleFigures("a.rego", "a", 2, frozenset({3, 4, 5}), frozenset({3}))
    >>> for line in coverage_table(Coverage([rule])):
    ...     print(line.text)
    rule file  lines  jq  reached  missing
    a.rego       1/3   -    33.3%  4-5
    total        1/3   -    33.3%
    """
    rows = [_row(rule) for rule in coverage.rules]
    total = ("total", *_sums(coverage), shown_percent(coverage.percent), "")
    widths = [min(max(len(row[column]) for row in (_HEADINGS, *rows, total)), _WIDEST) for column in range(4)]
    yield TableLine(_laid_out(_HEADINGS, widths), "heading")
    for rule, row in zip(coverage.rules, rows, strict=True):
        yield TableLine(_laid_out(row, widths), _style(rule))
        if sources is not None:
            yield from _source(rule, sources.get(rule.file, ()))
    yield TableLine(_laid_out(total, widths), "heading")
    yield from _hints(coverage)


def total_line(coverage: Coverage) -> str:
    """All of it in one line.

    >>> total_line(Coverage([RuleFigures("a.rego", "a", 2, frozenset({3, 4}), frozenset({3}))]))
    'coverage: 1 of 2 lines and assertions of 1 rule file were reached (50%)'
    """
    files = f"{len(coverage.rules)} rule file{'' if len(coverage.rules) == 1 else 's'}"
    percent = shown_percent(coverage.percent)
    return f"coverage: {coverage.hit} of {coverage.total} lines and assertions of {files} were reached ({percent})"


def _row(rule: RuleFigures) -> tuple[str, str, str, str, str]:
    missing = []
    if rule.broken:
        missing.append(f"cannot be measured: {rule.broken.splitlines()[0]}")
    elif not rule.evaluations:
        missing.append("no test evaluates it")
    if rule.missed:
        missing.append(ranges(rule.missed))
    if rule.missed_assertions:
        missing.append(f"jq at {ranges(sorted({entry.line for entry in rule.missed_assertions}))}")
    lines = f"{len(rule.reached)}/{len(rule.known)}" if rule.known else "-"
    percent = shown_percent(rule.percent) if rule.total else "-"
    return rule.file, lines, _jq([rule]), percent, "; ".join(missing)


def _sums(coverage: Coverage) -> tuple[str, str]:
    known = sum(len(rule.known) for rule in coverage.rules)
    reached = sum(len(rule.reached) for rule in coverage.rules)
    return (f"{reached}/{known}" if known else "-"), _jq(coverage.rules)


def _jq(rules: Sequence[RuleFigures]) -> str:
    assertions = [entry for rule in rules for entry in rule.assertions]
    return f"{sum(entry.is_reached for entry in assertions)}/{len(assertions)}" if assertions else "-"


def _laid_out(row: Sequence[str], widths: Sequence[int]) -> str:
    name, lines, jq, percent, missing = row
    cells = [name.ljust(widths[0]), lines.rjust(widths[1]), jq.rjust(widths[2]), percent.rjust(widths[3])]
    return "  ".join([*cells, missing]).rstrip()


def _style(rule: RuleFigures) -> str:
    if rule.broken or (rule.total and not rule.hit):
        return "failed"
    if not rule.total:
        return "faint"
    return "passed" if rule.hit == rule.total else "known"


def _source(rule: RuleFigures, lines: Sequence[str]) -> Iterator[TableLine]:
    for number, is_reached in rule.lines.items():
        if not is_reached and number <= len(lines):
            yield TableLine(f"  {number:>5}  {lines[number - 1].rstrip()}", "failed")


def _hints(coverage: Coverage) -> Iterator[TableLine]:
    """What coverage does not count, and a test should show all the same."""
    hints = [
        f"{rule.file}:{entry.line}: this jq assertion always {'held' if entry.held else 'failed'}: "
        f"no test shows that it can {'fail' if entry.held else 'hold'}"
        for rule in coverage.rules
        for entry in rule.one_sided
    ]
    for hint in hints[:_MOST_HINTS]:
        yield TableLine(f"hint: {hint}", "faint")
    if len(hints) > _MOST_HINTS:
        yield TableLine(f"hint: … and {len(hints) - _MOST_HINTS} more of the kind", "faint")
