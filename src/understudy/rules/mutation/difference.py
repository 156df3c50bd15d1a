"""A mutant as a diff: the lines of the rule file that change, as they stand there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from understudy.core.brief import visible
from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.mutation.mutant import Mutant
from understudy.rules.rule_files import RuleFile

_WIDTH = 200
_MOST_LINES = 40


def difference(source: RuleFile, lines: Sequence[str], mutant: Mutant) -> str:
    """The diff of a mutant of a rule whose file has these lines."""
    policy = mutant.changed.policy
    found = (
        _declared(lines, mutant)
        if policy is None or source.policy is None
        else policy_difference(source.policy, policy)
    )
    shown = [_shown(line) for line in found]
    rest = len(shown) - _MOST_LINES
    return "\n".join([*shown[:_MOST_LINES], *([f"… and {rest} more lines"] if rest > 0 else [])])


def policy_difference(before: PolicyText, after: str) -> Iterator[str]:
    r"""The lines that differ, those that go before those that come.

    >>> list(policy_difference(PolicyText("a.rego", "x\ninput.a > 1\ny"), "x\ninput.a >= 1\ny"))
    ['-input.a > 1', '+input.a >= 1']
    """
    old, new = before.text.split("\n"), after.split("\n")
    # All that is the same at both ends is cut off first: what is left to compare is a few lines of many.
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    for tag, low, high, new_low, new_high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from (f"-{line}" for line in old[low:high])
            yield from (f"+{line}" for line in new[new_low:new_high] if line.strip())


def _declared(lines: Sequence[str], mutant: Mutant) -> Iterator[str]:
    """The line of YAML with the other value in it; for a value that is not written on one line, the values."""
    line = lines[mutant.line - 1] if mutant.line <= len(lines) else ""
    at = mutant.column - 1
    quoted = line[at : at + 1] in ("'", '"') and not line.startswith(mutant.before, at)
    before = mutant.before.strip('"') if quoted else mutant.before
    after = mutant.after.strip('"') if quoted else mutant.after
    at += quoted
    if not line.startswith(before, at):
        before = before.strip('"')  # text that stands there without quotes
    if mutant.after and before and line.startswith(before, at):
        yield f"-{line}"
        yield f"+{line[:at]}{after}{line[at + len(before) :]}"
        return
    yield f"-{mutant.before}"
    if mutant.after:
        yield f"+{mutant.after}"


def _same(left: Sequence[str], right: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    for number, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return number
    return min(len(left), len(right))


def _shown(line: str) -> str:
    """A line that does nothing to a terminal, and fits on it."""
    plain = visible(line.rstrip("\r").expandtabs(4))
    return plain if len(plain) <= _WIDTH else f"{plain[: _WIDTH - 1]}…"
