"""The diff of two texts, line by line, bounded in time and size however large or repetitive the texts are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from understudy.core.brief import first_difference, visible

_CONTEXT = 3
_COMPARED = 300
_LINES_SHOWN = 120
_BLOCK_SHOWN = 40
_WIDTH = 160
_LEGEND = "hint: the difference is in blanks: · is a blank, \\t a tab, \\r a carriage return"


def text_diff(expected: str, actual: str) -> str:
    """A unified diff; '' for equal texts.

    Where just one line differs, a caret stands under the first character that does. Characters that cannot be
    seen are written as escapes in changed lines, and blanks as dots where they are what differs.

    >>> print(text_diff("status: open", "status: done"))
    --- expected
    +++ actual
    @@ -1 +1 @@
    -status: open
    +status: done
             ^
    """
    if expected == actual:
        return ""
    unended = _unended(expected, actual)
    if expected and actual and not unended and not expected.endswith("\n"):
        left, right = _lines(expected + "\n"), _lines(actual + "\n")
    else:
        left, right = _lines(expected), _lines(actual)
    head = _shared(left, right)
    tail = _shared(left[head:][::-1], right[head:][::-1])
    middle_left, middle_right = left[head : len(left) - tail], right[head : len(right) - tail]
    if len(middle_left) == len(middle_right) == 1:
        body = [*_one_line(left, right, head)]
    elif len(middle_left) <= _COMPARED and len(middle_right) <= _COMPARED:
        body = [*_hunks(left, right, head, tail)]
    else:
        body = [*_blocks(left, right, head, tail)]
    if len(body) > _LINES_SHOWN:
        more = len(body) - _LINES_SHOWN
        body = [*body[:_LINES_SHOWN], f"… and {more:,} more {'line' if more == 1 else 'lines'}"]
    if any("·" in line for line in body) and "·" not in expected and "·" not in actual:
        body.append(_LEGEND)
    if unended:
        body.append(f"hint: the {unended} text does not end with a newline")
    return "\n".join(["--- expected", "+++ actual", *body])


def _unended(expected: str, actual: str) -> str:
    """Which of the two texts alone does not end with a newline."""
    if not expected or not actual or expected.endswith("\n") == actual.endswith("\n"):
        return ""
    return "actual" if expected.endswith("\n") else "expected"


def _lines(text: str) -> list[str]:
    """The lines with their ends; only `\\n` ends a line here, so that a `\\r` can be shown."""
    lines = text.split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _one_line(left: Sequence[str], right: Sequence[str], at: int) -> Iterator[str]:
    yield _range(at, 1, at, 1)
    before = left[max(at - _CONTEXT, 0) : at]
    yield from (" " + _cut(line.rstrip("\n"), 0) for line in before)
    one, other = left[at], right[at]
    in_blanks = "".join(one.split()) == "".join(other.split())
    place = first_difference(one, other)
    start = max(place - _WIDTH // 2, 0) if max(len(one), len(other)) > _WIDTH else 0
    yield "-" + _cut(_shown(one, in_blanks), _shift(one, start, in_blanks))
    yield "+" + _cut(_shown(other, in_blanks), _shift(other, start, in_blanks))
    if one.rstrip("\n") != other.rstrip("\n"):
        shift = _shift(one, start, in_blanks)
        column = _shift(one, place, in_blanks) - shift + (1 if shift else 0)
        yield " " + " " * column + "^"
    after = left[at + 1 : at + 1 + _CONTEXT]
    yield from (" " + _cut(line.rstrip("\n"), 0) for line in after)


def _hunks(left: Sequence[str], right: Sequence[str], head: int, tail: int) -> Iterator[str]:
    """Unified hunks; difflib sees only the lines that differ and a little context around them."""
    first = max(head - _CONTEXT, 0)
    spare = max(tail - _CONTEXT, 0)
    one, other = left[first : len(left) - spare], right[first : len(right) - spare]
    for group in SequenceMatcher(None, one, other, autojunk=False).get_grouped_opcodes(_CONTEXT):
        low, high = group[0], group[-1]
        yield _range(first + low[1], high[2] - low[1], first + low[3], high[4] - low[3])
        for tag, start, end, other_start, other_end in group:
            if tag == "equal":
                yield from (" " + _cut(line.rstrip("\n"), 0) for line in one[start:end])
            else:
                yield from _change(one[start:end], other[other_start:other_end])


def _blocks(left: Sequence[str], right: Sequence[str], head: int, tail: int) -> Iterator[str]:
    """For texts too different to be aligned in reasonable time: the start of what stands on either side."""
    one, other = left[head : len(left) - tail], right[head : len(right) - tail]
    yield _range(head, len(one), head, len(other))
    yield from (" " + _cut(line.rstrip("\n"), 0) for line in left[max(head - _CONTEXT, 0) : head])
    yield from _change(one[:_BLOCK_SHOWN], other[:_BLOCK_SHOWN])
    for name, block in (("expected", one), ("actual", other)):
        if len(block) > _BLOCK_SHOWN:
            yield f"… and {len(block) - _BLOCK_SHOWN:,} more lines on the {name} side"


def _change(removed: Sequence[str], added: Sequence[str]) -> Iterator[str]:
    in_blanks = ["".join(line.split()) for line in removed] == ["".join(line.split()) for line in added]
    yield from ("-" + _cut(_shown(line, in_blanks), 0) for line in removed)
    yield from ("+" + _cut(_shown(line, in_blanks), 0) for line in added)


def _shown(line: str, in_blanks: bool) -> str:
    """A changed line with what cannot be seen made visible; blanks at its end, or if only they changed."""
    content = line.removesuffix("\n")
    if in_blanks:
        return visible(content).replace(" ", "·")
    ended = content.rstrip(" ")
    tabs_stay = "\t".join(visible(part) for part in ended.split("\t"))
    if ended.endswith("\t"):
        bare = ended.rstrip("\t")
        tabs_stay = "\t".join(visible(part) for part in bare.split("\t")) + "\\t" * (len(ended) - len(bare))
    return tabs_stay + "·" * (len(content) - len(ended))


def _shift(line: str, index: int, in_blanks: bool) -> int:
    """Where the character at `index` stands in what is shown of a line."""
    return len(_shown(line[:index] + "|", in_blanks)) - 1


def _cut(line: str, start: int) -> str:
    part = line[start : start + _WIDTH]
    size = f" ({len(line):,} characters)" if len(line) > _WIDTH else ""
    return f"{'…' if start else ''}{part}{'…' if start + _WIDTH < len(line) else ''}{size}"


def _range(start: int, count: int, other_start: int, other_count: int) -> str:
    return f"@@ -{_span(start, count)} +{_span(other_start, other_count)} @@"


def _span(start: int, count: int) -> str:
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"
