"""One rule file, YAML or Rego with its METADATA, as a rule type with the places of everything in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.documents.positions import Document, Mark, Place, Position, Positions
from understudy.documents.validate import validate
from understudy.documents.yaml import load_go_yaml
from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.models import RuleType

RULE_LIMIT = 4 << 20
SUFFIXES = (".yaml", ".yml", ".rego")
_METADATA = re.compile(r"^# +METADATA *\r?\n((?:#(?: [^\r\n]*)?(?:\r?\n|\Z))+)", re.MULTILINE)
_SAYS_RULE_TYPE = re.compile(r"""^(?:type|"type"|'type') *: *["']?rule-type\b""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule type and the file that it was read from; `policy` is its Rego, if it is judged by Rego."""

    path: Path
    shown: str
    rule: RuleType
    document: Document
    policy: PolicyText | None

    def place(self, *path: str | int) -> tuple[int, int]:
        """The line and column of a value of the file."""
        return self.document.positions.value(path)


def read_rule_file(path: Path, shown: str) -> RuleFile | None:
    """Read a rule file; None for YAML that is no rule type. Raises InputError with every problem at its place."""
    text = read_text(path, limit=RULE_LIMIT)
    if path.suffix == ".rego":
        return _from_rego(path, shown, text)
    try:
        document = load_go_yaml(shown, text=text, only_text_keys=True)
    except InputError:
        if _SAYS_RULE_TYPE.search(text):
            raise
        return None
    if not isinstance(document.data, dict) or document.data.get("type") != "rule-type":
        return None
    return _checked(path, shown, document, _policy_in_yaml(document, text))


def _checked(path: Path, shown: str, document: Document, policy: PolicyText | None) -> RuleFile:
    rule = validate(RuleType, document)
    judged = rule.definition.eval
    missing = ""
    if judged.type == "rego" and policy is None:
        missing = "'def.eval.rego.def' is missing: a rule of type rego needs its policy"
    elif judged.type == "jq" and not judged.jq:
        missing = "'def.eval.jq' is missing: a rule of type jq needs its assertions"
    if missing:
        raise InputError([Problem(missing, shown, *document.positions.value(("def", "eval")))])
    return RuleFile(path, shown, rule, document, policy)


def _policy_in_yaml(document: Document, text: str) -> PolicyText | None:
    at = ("def", "eval", "rego", "def")
    value: Any = document.data
    for step in at:
        value = value.get(step) if isinstance(value, dict) else None
    if not isinstance(value, str) or not value.strip():
        return None
    line, column = document.positions.value(at)
    lines = text.splitlines()
    opening = lines[line - 1][column - 1 :] if line <= len(lines) else ""
    if not opening.startswith(("|", ">")):
        return PolicyText(
            document.file, value, line, column if opening.startswith(("'", '"')) else column - 1
        )
    below = next((entry for entry in lines[line:] if entry.strip()), "")
    indicated = re.search(r"[1-9]", opening.split("#")[0])
    if indicated:
        indent = _key_indent(lines[document.positions.key(at)[0] - 1]) + int(indicated[0])
    else:
        indent = len(below) - len(below.lstrip(" "))
    return PolicyText(document.file, value, line + 1, indent)


def _key_indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _from_rego(path: Path, shown: str, text: str) -> RuleFile:
    found = _METADATA.search(text)
    if found is None:
        hint = "write '# METADATA' and the rule's fields as YAML in the comment lines below it"
        raise InputError([Problem("has no METADATA comment, so it is no rule type", shown, 1, hint=hint)])
    document = load_go_yaml(shown, text=_uncommented(text, found), only_text_keys=True)
    if not isinstance(document.data, dict):
        line = text.count("\n", 0, found.start()) + 1
        raise InputError(
            [Problem("the METADATA comment holds no keys", shown, line, hint="write YAML below it")]
        )
    return _checked(path, shown, _as_rule_type(document, path.stem), PolicyText(shown, text))


def _uncommented(text: str, found: re.Match[str]) -> str:
    """The YAML of the comment alone, each character where it was."""
    above = text.count("\n", 0, found.start(1))
    return "\n" * above + re.sub(r"^# ?", lambda mark: " " * len(mark[0]), found[1], flags=re.MULTILINE)


def _as_rule_type(document: Document, stem: str) -> Document:
    """The metadata with `custom` lifted to the top, and with what a Rego file may leave out."""
    data: dict[str, Any] = dict(document.data)
    custom = data.pop("custom", None)
    if isinstance(custom, dict):
        data |= custom
    data |= {"type": "rule-type", "version": "v1"}
    data.setdefault("name", stem)
    data["display_name"] = data.get("display_name") or data.pop("title", "") or ""
    definition = _mapping(document, data, "def")
    definition["rule_schema"] = definition.get("rule_schema") or {}
    judged = _mapping(document, definition, "eval")
    judged["type"] = "rego"
    rego = _mapping(document, judged, "rego")
    rego["type"] = rego.get("type") or "deny-by-default"
    return Document(document.file, data, Positions(_Lifted(document.positions.root)))


def _mapping(document: Document, holder: dict[str, Any], key: str) -> dict[str, Any]:
    value = holder.get(key) or {}
    if not isinstance(value, Mapping):
        raise InputError(
            [Problem(f"{key!r} must be a mapping", document.file, *document.positions.root.position)]
        )
    holder[key] = dict(value)
    result: dict[str, Any] = holder[key]
    return result


@dataclass(frozen=True, slots=True)
class _Lifted:
    """The places of metadata whose `custom` was lifted to the top."""

    whole: Place

    @property
    def position(self) -> Position:
        return self.whole.position

    @property
    def key(self) -> Position | None:
        return self.whole.key

    def child(self, step: str | int) -> Place | None:
        custom = self.whole.child("custom")
        lifted = custom.child(step) if custom is not None else None
        return lifted or self.whole.child(step) or (Mark(self.position) if step == "def" else None)
