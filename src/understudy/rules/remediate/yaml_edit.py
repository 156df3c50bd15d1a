"""YAML changed to mean something else, with everything that still holds left as it was written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

import yaml

from understudy.core.errors import InputError
from understudy.documents.yaml import load_yaml
from understudy.rules.evaluate.jq_assertions import same


def edited_yaml(text: str, before: Any, after: Any) -> str:
    """The text, which means `before`, with as few changes as make it mean `after`.

    Where that cannot be done piece by piece (anchors, say), the whole is written anew, without its comments.

    >>> print(edited_yaml("# jobs\\na: 1  # one\\nb: [x]\\n", {"a": 1, "b": ["x"]}, {"a": 2, "b": ["x"]}), end="")
    # jobs
    a: 2  # one
    b: [x]
    """
    if same(before, after):
        return text
    try:
        root = yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        edited = _Editor(text).apply(root, before, after) if root is not None else _dumped(after)
        if same(load_yaml("", text=edited).data, after):
            return edited
    except (InputError, yaml.YAMLError, _NotPiecewise, RecursionError):
        pass
    return _dumped(after)


class _NotPiecewise(Exception):
    """A change that cannot be made by replacing pieces of the text."""


class _Editor:
    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[tuple[int, int, str]] = []
        self.seen: set[int] = set()

    def apply(self, root: yaml.Node, before: Any, after: Any) -> str:
        self._change(root, before, after)
        pieces: list[str] = []
        position = 0
        for start, end, replacement in sorted(self.edits, key=lambda edit: edit[:2]):
            if start < position:
                raise _NotPiecewise
            pieces += [self.text[position:start], replacement]
            position = end
        return "".join([*pieces, self.text[position:]])

    def _change(self, node: yaml.Node, before: Any, after: Any) -> None:
        if same(before, after):
            return
        if id(node) in self.seen:  # an alias: changing it here would change it there
            raise _NotPiecewise
        self.seen.add(id(node))
        if isinstance(node, yaml.MappingNode) and isinstance(after, dict) and after and not node.flow_style:
            self._mapping(node, before, after)
        elif (
            isinstance(node, yaml.SequenceNode) and isinstance(after, list) and after and not node.flow_style
        ):
            self._sequence(node, before, after)
        else:
            start = node.start_mark
            end = self._content_end(node)
            if _is_flow(node) or (isinstance(node, yaml.ScalarNode) and not isinstance(after, dict | list)):
                self.edits.append((start.index, end, _inline(after)))
            else:
                self.edits.append((start.index, end, _indented(after, start.column)))

    def _mapping(self, node: yaml.MappingNode, before: Any, after: Any) -> None:
        entries = [(key.value, key, value) for key, value in node.value]
        if not entries or len(before) != len(entries) or any(name not in before for name, _, _ in entries):
            raise _NotPiecewise  # merge keys, say
        kept_end = -1
        for name, key, value in entries:
            if name not in after:
                self._remove(key.start_mark.index, self._content_end(value) or key.end_mark.index)
                continue
            kept_end = max(self._content_end(value), key.end_mark.index + 1)
            if self._keeps_form(value, after[name]):
                self._change(value, before[name], after[name])
            elif not same(before[name], after[name]):
                self._entry(key, value, after[name], key.start_mark.column)
        column = entries[0][1].start_mark.column
        added = {name: value for name, value in after.items() if name not in before}
        if added:
            self._insert(kept_end, _indented(added, column), column)

    def _keeps_form(self, node: yaml.Node, after: Any) -> bool:
        """Whether a value can be changed where it stands, its key and the blank after it left alone."""
        if isinstance(node, yaml.ScalarNode):
            return not isinstance(after, dict | list) and node.style not in ("|", ">") and bool(node.value)
        if _is_flow(node):
            return True
        return isinstance(after, dict if isinstance(node, yaml.MappingNode) else list) and bool(after)

    def _entry(self, key: yaml.Node, value: yaml.Node, after: Any, column: int) -> None:
        colon = self.text.index(":", key.end_mark.index)
        end = max(self._content_end(value), colon + 1)
        if isinstance(after, dict | list) and after:
            replacement = "\n" + " " * (column + 2) + _indented(after, column + 2)
        else:
            replacement = " " + _inline(after)
        self.edits.append((colon + 1, end, replacement))

    def _sequence(self, node: yaml.SequenceNode, before: Any, after: Any) -> None:
        items = node.value
        if not items or len(items) != len(before):
            raise _NotPiecewise
        dashes = [self.text.rindex("-", 0, item.start_mark.index) for item in items]
        ends = [max(self._content_end(item), dash + 1) for item, dash in zip(items, dashes, strict=True)]
        column = dashes[0] - (self.text.rfind("\n", 0, dashes[0]) + 1)
        matcher = SequenceMatcher(None, [*map(_key, before)], [*map(_key, after)], autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag == "equal":
                continue
            paired = min(b - a, d - c)
            for offset in range(paired):
                self._change(items[a + offset], before[a + offset], after[c + offset])
            for index in range(a + paired, b):
                self._remove(dashes[index], ends[index])
            if d > c + paired:
                new = _indented(after[c + paired : d], column)
                if a + paired == 0:
                    self.edits.append((dashes[0], dashes[0], new + "\n" + " " * column))
                else:
                    self._insert(ends[a + paired - 1], new, column)

    def _remove(self, start: int, end: int) -> None:
        """Take out whole lines, which must hold nothing else."""
        line_start = self.text.rfind("\n", 0, start) + 1
        if self.text[line_start:start].strip(" "):
            raise _NotPiecewise
        line_end = self.text.find("\n", end)
        self.edits.append((line_start, len(self.text) if line_end < 0 else line_end + 1, ""))

    def _insert(self, end: int, new: str, column: int) -> None:
        """Add lines below the one that ends here."""
        if end < 0:
            raise _NotPiecewise
        line_end = self.text.find("\n", end)
        lines = " " * column + new
        if line_end < 0:
            self.edits.append((len(self.text), len(self.text), "\n" + lines + "\n"))
        else:
            self.edits.append((line_end + 1, line_end + 1, lines + "\n"))

    def _content_end(self, node: yaml.Node) -> int:
        """Where what a node says ends: before the comments and blank lines that the parser counts to it."""
        if isinstance(node, yaml.ScalarNode):
            end = node.end_mark.index
            if node.style in ("|", ">"):
                end = node.start_mark.index + len(self.text[node.start_mark.index : end].rstrip())
            return int(end)
        if _is_flow(node) or not node.value:
            return int(node.end_mark.index)
        return max(self._content_end(child) for child in _children(node))


def _is_flow(node: yaml.Node) -> bool:
    return isinstance(node, yaml.CollectionNode) and bool(node.flow_style)


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    for child in node.value:
        yield from child if isinstance(child, tuple) else (child,)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


class _Dumper(getattr(yaml, "SafeDumper")):  # type: ignore[misc]  # noqa: B009 - its C twin cannot indent lists
    """Writes lists indented below their key, as yq does."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _dumped(value: Any) -> str:
    text = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1 << 30)
    return str(text)


def _indented(value: Any, column: int) -> str:
    """A value as lines, of which the first begins at the column already."""
    lines = _dumped(value).removesuffix("...\n").rstrip("\n").split("\n")
    return ("\n" + " " * column).join(lines)


def _inline(value: Any) -> str:
    text = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1 << 30, default_flow_style=True
    )
    return str(text).removesuffix("...\n").rstrip("\n")
