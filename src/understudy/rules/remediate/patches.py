"""Changed files as a patch that git can apply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_CONTEXT = 3
# Comparing line by line is quadratic: what is longer is shown as one block that is replaced by another.
_COMPARED = 2_000
_UNENDED = "\\ No newline at end of file\n"


def file_patch(path: str, before: str | None, after: str, mode: str = "100644") -> str:
    """The patch of one file; `before` is None for a new one, and an unchanged one has no patch.

    >>> print(file_patch("a.txt", "one\\ntwo\\n", "one\\n2\\n"), end="")
    diff --git a/a.txt b/a.txt
    --- a/a.txt
    +++ b/a.txt
    @@ -1,2 +1,2 @@
     one
    -two
    +2
    """
    if before == after:
        return ""
    head = f"diff --git a/{path} b/{path}\n"
    if before is None:
        head += f"new file mode {mode}\n"
    if before is None and not after:
        return head
    head += f"--- {'/dev/null' if before is None else 'a/' + path}\n+++ b/{path}\n"
    return head + "".join(_hunks(_lines(before or ""), _lines(after)))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for group in _groups(before, after):
        old_start, old_end = group[0][1], group[-1][2]
        new_start, new_end = group[0][3], group[-1][4]
        yield f"@@ -{_span(old_start, old_end)} +{_span(new_start, new_end)} @@\n"
        for tag, first, last, new_first, new_last in group:
            if tag == "equal":
                yield from (_ended(" " + line) for line in before[first:last])
                continue
            yield from (_ended("-" + line) for line in before[first:last])
            yield from (_ended("+" + line) for line in after[new_first:new_last])


def _groups(before: Sequence[str], after: Sequence[str]) -> list[list[tuple[str, int, int, int, int]]]:
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(old), len(new)) <= _COMPARED:
        middle = [
            (tag, a + head, b + head, c + head, d + head)
            for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        ]
    else:
        middle = [("replace", head, head + len(old), head, head + len(new))]
    steps = [("equal", 0, head, 0, head), *middle]
    steps.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return _grouped([step for step in steps if step[1] < step[2] or step[3] < step[4]])


def _grouped(steps: list[tuple[str, int, int, int, int]]) -> list[list[tuple[str, int, int, int, int]]]:
    """Changes with the lines around them; those that are near each other in one group."""
    groups: list[list[tuple[str, int, int, int, int]]] = []
    group: list[tuple[str, int, int, int, int]] = []
    for index, (tag, a, b, c, d) in enumerate(steps):
        if tag != "equal":
            group.append((tag, a, b, c, d))
            continue
        before_all, after_all = index == 0, index == len(steps) - 1
        if b - a > 2 * _CONTEXT or before_all or after_all:
            if group:
                size = min(_CONTEXT, b - a)
                groups.append([*group, (tag, a, a + size, c, c + size)])
            size = min(_CONTEXT, b - a)
            group = [(tag, b - size, b, d - size, d)]
            if after_all:
                group = []
        else:
            group.append((tag, a, b, c, d))
    if any(step[0] != "equal" for step in group):
        groups.append(group)
    return [[step for step in group if step[1] < step[2] or step[3] < step[4]] for group in groups]


def _span(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n{_UNENDED}"
