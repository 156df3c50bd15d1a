"""Turns the trees of a template into Python functions, so that rendering does not walk a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.core.nearness import closest_name
from understudy.rules.templates.escapes import html_text, html_value
from understudy.rules.templates.expressions import Expressions, MissingKey
from understudy.rules.templates.faults import TemplateFault
from understudy.rules.templates.functions import TemplateFunction
from understudy.rules.templates.nodes import (
    Action,
    Branch,
    Function,
    Invocation,
    Leave,
    Node,
    Pipeline,
    Text,
    Tree,
)
from understudy.rules.templates.printing import NO_VALUE, printed
from understudy.rules.templates.run import DEPTH, Evaluate, Execute, Frame, Run
from understudy.rules.templates.values import truth


def compile_trees(
    text: str,
    trees: Mapping[str, Tree],
    functions: Mapping[str, TemplateFunction],
    missing_key: MissingKey,
    escape_html: bool,
) -> dict[str, tuple[Execute, int]]:
    """Each template as a function, with the size of the frame that it needs."""
    compiler = _Compiler(Expressions(text, functions, missing_key), escape_html)
    return {name: (compiler.template(tree), tree.slots) for name, tree in trees.items()}


class _Compiler:
    def __init__(self, expressions: Expressions, escape_html: bool) -> None:
        self.expressions = expressions
        self.escape_html = escape_html
        self.in_comment = False

    def template(self, tree: Tree) -> Execute:
        self.in_comment = False
        return self._all(tree.nodes)

    def _all(self, nodes: tuple[Node, ...]) -> Execute:
        parts = [self._node(node) for node in nodes]

        def execute(run: Run, frame: Frame, dot: Any) -> str | None:
            for part in parts:
                if leaving := part(run, frame, dot):
                    return leaving
            return None

        return parts[0] if len(parts) == 1 else execute

    def _node(self, node: Node) -> Execute:
        match node:
            case Text():
                return self._text(node.text)
            case Action():
                return self._action(node.pipeline)
            case Leave(kind=kind):
                return lambda run, frame, dot: kind
            case Invocation():
                return self._invocation(node)
        if node.kind == "range":
            return self._range(node)
        return self._condition(node)

    def _text(self, text: str) -> Execute:
        if self.escape_html:
            text, self.in_comment = html_text(text, self.in_comment)
        size = len(text.encode("utf-8", "surrogatepass"))

        def execute(run: Run, frame: Frame, dot: Any) -> None:
            run.size += size
            if run.size > run.limit:
                run.write("", -1)
            run.written.append(text)

        return execute

    def _action(self, pipeline: Pipeline) -> Execute:
        evaluate = self.expressions.pipeline(pipeline)
        if pipeline.variables:

            def assign(run: Run, frame: Frame, dot: Any) -> None:
                evaluate(run, frame, dot)

            return assign
        if self.escape_html:
            return self._escaped(pipeline, evaluate)
        start = pipeline.start

        def execute(run: Run, frame: Frame, dot: Any) -> None:
            value = evaluate(run, frame, dot)
            if type(value) is not str:
                value = NO_VALUE if value is None else printed(value)
            run.write(value, start)

        return execute

    def _escaped(self, pipeline: Pipeline, evaluate: Evaluate) -> Execute:
        *earlier, last = [command.operands[0] for command in pipeline.commands]
        for head in earlier:
            if isinstance(head, Function) and head.name in ("html", "urlquery"):
                message = f'predefined escaper "{head.name}" disallowed in template'
                raise TemplateFault(message, head.start, hint="values are escaped as it is: remove it")
        done = isinstance(last, Function) and last.name == "html"
        silent = self.in_comment
        start = pipeline.start

        def execute(run: Run, frame: Frame, dot: Any) -> None:
            value = evaluate(run, frame, dot)
            if not silent and value is not None:  # html/template leaves nil out
                text = printed(value)
                run.write(text if done else html_value(text), start)

        return execute

    def _condition(self, node: Branch) -> Execute:
        evaluate = self.expressions.pipeline(node.pipeline)
        body, otherwise = self._all(node.body), self._all(node.otherwise)
        sets_dot = node.kind == "with"

        def execute(run: Run, frame: Frame, dot: Any) -> str | None:
            value = evaluate(run, frame, dot)
            if truth(value):
                return body(run, frame, value if sets_dot else dot)
            return otherwise(run, frame, dot)

        return execute

    def _range(self, node: Branch) -> Execute:
        evaluate = self.expressions.pipeline(node.pipeline)
        body, otherwise = self._all(node.body), self._all(node.otherwise)
        slots = [variable.slot for variable in node.pipeline.variables]
        start = node.pipeline.start

        def execute(run: Run, frame: Frame, dot: Any) -> str | None:
            value = evaluate(run, frame, dot)
            passed = False
            for index, element in self._pairs(value, len(slots), node.pipeline):
                passed = True
                run.step(start)
                if len(slots) == 2:
                    frame[slots[0]], frame[slots[1]] = index, element
                elif slots:
                    frame[slots[0]] = element
                if body(run, frame, element) == "break":
                    break
            return None if passed else otherwise(run, frame, dot)

        return execute

    def _pairs(self, value: Any, variables: int, pipeline: Pipeline) -> Any:
        if isinstance(value, list | tuple):
            return enumerate(value)
        if isinstance(value, Mapping):
            return ((key, value[key]) for key in sorted(value, key=str))
        if value is None:
            return ()
        if isinstance(value, int) and not isinstance(value, bool):
            if variables < 2:
                return ((index, index) for index in range(value))
            message = f"can't use {value} to iterate over more than one variable"
            raise self.expressions.fault(message, pipeline, "write: range $i := ...")
        message = f"range can't iterate over {printed(value)[:80]}"
        raise self.expressions.fault(message, pipeline, "give a list, a map or a whole number")

    def _invocation(self, node: Invocation) -> Execute:
        evaluate = self.expressions.pipeline(node.pipeline) if node.pipeline else None
        name, start = node.name, node.start

        def execute(run: Run, frame: Frame, dot: Any) -> None:
            value = evaluate(run, frame, dot) if evaluate else None
            if name not in run.templates:
                near = closest_name(name, filter(None, run.templates))
                hint = f"did you mean '{near}'?" if near else f'define it: {{{{define "{name}"}}}}'
                raise self.expressions.fault(f'template "{name}" not defined', node, hint)
            run.step(start)
            run.depth += 1
            if run.depth > DEPTH:
                hint = "a template that calls itself must come to an end"
                raise self.expressions.fault(f"exceeded maximum template depth ({DEPTH})", node, hint)
            template, slots = run.templates[name]
            template(run, [value] * slots, value)
            run.depth -= 1

        return execute
