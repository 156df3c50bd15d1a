"""What changed between two trees, as the list of files and patches that a code host shows for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from understudy.core.files import READ_LIMIT
from understudy.trees.tree import Tree, TreeError

_CONTEXT = 3
_COMPARED = 4_000_000
_BINARY_START = 8_000
_Change = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs: its name after the change, and its patch ('' for one that is not text)."""

    name: str
    patch: str


def changed_files(head: Tree, base: Tree) -> list[ChangedFile]:
    """The files that were added, changed, removed or renamed, by name. Only whole files count as renamed.

    >>> from understudy.trees import memory_tree
    >>> head, base = memory_tree({"a": "1\\n2\\n", "c": "x"}), memory_tree({"a": "1\\n", "b": "x"})
    >>> changed_files(head, base)
    [ChangedFile(name='a', patch='@@ -1 +1,2 @@\\n 1\\n+2'), ChangedFile(name='c', patch='')]
    """
    after, before = _contents(head), _contents(base)
    removed = {name: data for name, data in before.items() if name not in after}
    homes: dict[bytes, list[str]] = {}
    for name, data in removed.items():
        if data:
            homes.setdefault(data, []).append(name)
    changes: dict[str, str] = {}
    for name, data in after.items():
        if name not in before and data and homes.get(data):
            del removed[homes[data].pop(0)]
            changes[name] = ""
        elif before.get(name) != data or name not in before:
            changes[name] = patch(before.get(name, b""), data)
    for name, data in removed.items():
        changes[name] = patch(data, b"")
    return [ChangedFile(name, changes[name]) for name in sorted(changes)]


def patch(before: bytes | None, after: bytes | None) -> str:
    """The hunks of a change as git writes them, without the names; '' for bytes that are no text.

    >>> print(patch(b"a\\nb\\n", b"a\\nc\\n"))
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    """
    if before is None or after is None or b"\0" in before[:_BINARY_START] or b"\0" in after[:_BINARY_START]:
        return ""
    old, new = _lines(before), _lines(after)
    written: list[str] = []
    for hunk in _hunks(_changes(old, new)):
        first, last = hunk[0], hunk[-1]
        written.append(f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@")
        for kind, old_start, old_end, new_start, new_end in hunk:
            if kind == "equal":
                written += [_line(" ", line) for line in old[old_start:old_end]]
            else:
                written += [_line("-", line) for line in old[old_start:old_end]]
                written += [_line("+", line) for line in new[new_start:new_end]]
    return "\n".join(written)


def _contents(tree: Tree) -> dict[str, bytes | None]:
    """Every file's bytes, and every link's target; None for a file that is too large to be shown."""
    contents: dict[str, bytes | None] = {}
    for name, kind in tree.walk():
        if kind == "link":
            contents[name] = tree.link_target(name).encode("utf-8", "replace")
        elif kind == "file":
            try:
                contents[name] = tree.read(name, limit=READ_LIMIT)
            except TreeError as error:
                if error.reason != "too large":
                    raise
                contents[name] = None
    return contents


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace")
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _line(sign: str, line: str) -> str:
    return sign + line[:-1] if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file"


def _range(start: int, end: int) -> str:
    length = end - start
    # An empty range is written as the line before it.
    return str(start + 1) if length == 1 else f"{start + 1 if length else start},{length}"


def _changes(old: list[str], new: list[str]) -> list[_Change]:
    """How the one becomes the other; what is too much to compare is replaced as one block."""
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    middle: list[_Change] = [("replace", head, old_end, head, new_end)]
    if (old_end - head) * (new_end - head) <= _COMPARED:
        matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=False)
        middle = [
            (kind, head + one, head + two, head + three, head + four)
            for kind, one, two, three, four in matcher.get_opcodes()
        ]
    changes: list[_Change] = [
        ("equal", 0, head, 0, head),
        *middle,
        ("equal", old_end, len(old), new_end, len(new)),
    ]
    return [change for change in changes if change[1] < change[2] or change[3] < change[4]]


def _shared(left: list[str], right: list[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _hunks(changes: list[_Change]) -> Iterator[list[_Change]]:
    """The changes with three lines around each, those that are near each other together."""
    hunk: list[_Change] = []
    for index, (kind, old_start, old_end, new_start, new_end) in enumerate(changes):
        if kind != "equal":
            hunk.append((kind, old_start, old_end, new_start, new_end))
            continue
        is_last = index == len(changes) - 1
        length = old_end - old_start
        if hunk and (is_last or length > 2 * _CONTEXT):
            after = min(length, _CONTEXT)
            yield [*hunk, (kind, old_start, old_start + after, new_start, new_start + after)]
            hunk = []
            length = min(length, _CONTEXT)
        elif not hunk:
            length = min(length, _CONTEXT)
        if not is_last:
            hunk.append((kind, old_end - length, old_end, new_end - length, new_end))
    if any(kind != "equal" for kind, *_ in hunk):
        yield hunk
