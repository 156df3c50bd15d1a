"""Files changed by an expression of yq, as far as yq's language is jq's: evaluated by jq, written back as YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from understudy.core.brief import brief
from understudy.core.errors import InputError, missing_extra
from understudy.documents.positions import Document, Mark, Positions
from understudy.documents.validate import validate
from understudy.documents.yaml import load_yaml
from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.glob import glob
from understudy.rules.remediate.context import Section
from understudy.rules.remediate.models import ActionPart
from understudy.rules.remediate.yaml_edit import edited_yaml
from understudy.trees import Tree

EXPRESSION_LIMIT = 3000
_FILES = 1_000
_VALUES = 2

# Where yq differs from jq: types are YAML's tags, and `|=` with no result leaves a value as it is.
_BEFORE = (
    "def json_type: type;"
    ' def type: {object: "!!map", array: "!!seq", string: "!!str", boolean: "!!bool", null: "!!null"}[json_type]'
    ' // (if . == floor then "!!int" else "!!float" end);'
    " def tag: type;"
    " def _modify(paths; update): reduce path(paths) as $p (.; . as $d | [first(getpath($p) | update)]"
    " | if length == 0 then $d else .[0] as $v | $d | setpath($p; $v) end);"
    " def with(paths; update): paths |= update;"
    " def downcase: ascii_downcase; def upcase: ascii_upcase; {} as $ENV | def env: {};\n"
)


class Pattern(ActionPart):
    """Which files; another type than `glob` is passed over, as Minder does."""

    pattern: str
    type: str = "glob"


class Expression(ActionPart):
    """The parameters of `minder.yq.evaluate`."""

    expression: str = ""
    patterns: list[Pattern] = Field(default_factory=list)


def evaluated_files(params: Mapping[str, Any], section: Section, tree: Tree) -> dict[str, str]:
    """The files that match the patterns and that the expression changes, each with its new text."""
    read = _read(params, section)
    text = (
        section.text(read.expression, "params", "expression", limit=EXPRESSION_LIMIT)
        if read.expression
        else "."
    )
    program = _compiled(text, section)
    changed: dict[str, str] = {}
    for path in _matching(read, section, tree):
        before = tree.read(path).decode("utf-8", "replace")
        after = _evaluated(program, path, before, section)
        if after != before:
            changed[path] = after
    return changed


def _read(params: Mapping[str, Any], section: Section) -> Expression:
    try:
        return validate(Expression, Document("", params, Positions(Mark((1, 1)))))
    except InputError as error:
        problem = error.problems[0]
        raise section.error(f"params: {problem.message}", problem.hint, "params") from None


def _matching(read: Expression, section: Section, tree: Tree) -> list[str]:
    paths: dict[str, None] = {}
    for index, pattern in enumerate(read.patterns):
        if pattern.type != "glob":
            continue
        try:
            found = glob(tree, pattern.pattern)
        except HostError as error:
            hint = "write it as Go's filepath.Match reads it"
            raise section.error(str(error), hint, "params", "patterns", index, "pattern") from None
        paths.update(dict.fromkeys(path for path in found if tree.kind(path) == "file"))
    if len(paths) > _FILES:
        raise section.error(
            f"the patterns match more than {_FILES:,} files", "match fewer", "params", "patterns"
        )
    return list(paths)


def _compiled(text: str, section: Section) -> Any:
    try:
        import jq  # type: ignore[import-not-found]  # a module of C without hints
    except ImportError:
        raise missing_extra("rules", "jq") from None
    try:
        return jq.compile(_BEFORE + (text.strip() or "."))
    except ValueError as error:
        said = str(error).partition("\n")[0].removeprefix("jq: error: ").partition(" at <top-level>")[0]
        message = f"cannot parse expression: {said}, in {brief(text.strip())}"
        hint = (
            "what yq shares with jq can be rehearsed; operators of yq alone (style, comments, anchors) cannot"
        )
        raise section.error(message, hint, "params", "expression") from None


def _evaluated(program: Any, path: str, text: str, section: Section) -> str:
    try:
        data = load_yaml(path, text=text).data
    except InputError as error:
        raise section.error(f"cannot execute yq: {error}", "correct the file", "params", "patterns") from None
    values: list[Any] = []
    try:
        for value in program.input_value(data):
            values.append(value)
            if len(values) == _VALUES:
                break
    except ValueError as error:
        message = f"cannot execute yq: cannot evaluate expression on {path}: {error}"
        raise section.error(message, "correct the expression", "params", "expression") from None
    if len(values) != 1 or not isinstance(values[0], dict | list):
        given = brief(values[0]) if len(values) == 1 else "no value" if not values else "several values"
        message = f"cannot execute yq: the expression gives {given} for {path}"
        raise section.error(message, "give the whole document back, changed", "params", "expression")
    return edited_yaml(text, data, values[0])
