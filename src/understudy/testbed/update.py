"""Rewrites expectations in scripts to what was observed, leaving every other character as it is."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from understudy.core.errors import InputError
from understudy.core.files import read_text
from understudy.core.outcome import Outcome
from understudy.engine.act import FileChange
from understudy.testbed.cases import ScriptSource
from understudy.testbed.script_places import entry_path

# What a value needs to be kept, where others refer to it by an alias.
_ANCHOR = re.compile(r"(?:!\S*\s+)?(&\S+\s+)")


@dataclass(frozen=True, slots=True)
class _Splice:
    start: int
    end: int
    text: str


def script_changes(outcomes: Iterable[Outcome], root: Path) -> list[FileChange]:
    """One change for every script in which an expectation of a failed case can be settled by what was observed."""
    wanted: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for outcome in outcomes:
        for update in outcome.details.get("updates", ()):
            if not _holds_secret(update["value"]):
                wanted[update["file"]].append(update)
    changes = []
    for file, updates in sorted(wanted.items()):
        path = root / file
        before = read_text(path)
        tree = yaml.compose(before, Loader=yaml.SafeLoader)
        # By place, since cases that share an expectation through an alias would else write it twice.
        splices: dict[int, _Splice] = {}
        for update in updates:
            splice = _splice(path, before, tree, update)
            if splice is not None:
                splices.setdefault(splice.start, splice)
        if splices:
            changes.append(FileChange(path, before, _spliced(before, splices.values())))
    return changes


def _splice(path: Path, text: str, tree: Any, update: Mapping[str, Any]) -> _Splice | None:
    """Where the expectation's value stands in the script, and what is to stand there."""
    found = entry_path(path, ScriptSource(file="", line=update["line"], column=update["column"]))
    if found is None:
        raise InputError(f"{path} was changed while the cases ran; run again before updating it")
    node = _node_at(tree, (*found[1], *update["where"]))
    if node is None:
        return None
    start, end = node.start_mark.index, node.end_mark.index
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    anchor = _ANCHOR.match(text, start, end)
    return _Splice(start, end, (anchor[1] if anchor else "") + _flow(update["value"]))


def _node_at(node: Any, place: tuple[str | int, ...]) -> Any:
    """The node at a data path; `equals` may be left out where a literal stands for it. None if not written."""
    for number, step in enumerate(place):
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step] if step < len(node.value) else None
        elif isinstance(node, yaml.MappingNode):
            values = [value for key, value in node.value if key.value == str(step)]
            last = number == len(place) - 1
            node = values[0] if values else node if last and step == "equals" else None
        elif not (step == "equals" and number == len(place) - 1):
            return None
        if node is None:
            return None
    return node


def _flow(value: Any) -> str:
    """A value as YAML that fits on the line it stands on; JSON is YAML."""
    if isinstance(value, str) and value.isidentifier() and yaml.safe_load(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)


def _spliced(text: str, splices: Iterable[_Splice]) -> str:
    for splice in sorted(splices, key=lambda splice: splice.start, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def _holds_secret(value: Any) -> bool:
    """What was redacted must not be written over what the script's author knows."""
    return "<secret" in json.dumps(value, ensure_ascii=False, default=str)
