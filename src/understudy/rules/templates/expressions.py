"""Turns pipelines into Python functions: fields, variables, function calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import Literal as OneOf

from understudy.core.nearness import closest_name
from understudy.rules.templates.faults import FunctionFault, TemplateFault
from understudy.rules.templates.functions import TemplateFunction
from understudy.rules.templates.nodes import (
    Command,
    Dot,
    Fields,
    Function,
    Invocation,
    Literal,
    Nil,
    Operand,
    Pipeline,
    Variable,
)
from understudy.rules.templates.run import Evaluate, Frame, Run
from understudy.rules.templates.values import Struct, truth, type_name

MissingKey = OneOf["error", "default"]

_EXCERPT = 40
_NONE: Any = object()  # no value is piped in
_MISSING: Any = object()  # a map had no such key


class Expressions:
    """Compiles what stands in actions."""

    def __init__(self, text: str, functions: Mapping[str, TemplateFunction], missing_key: MissingKey) -> None:
        self.text = text
        self.functions = functions
        self.missing_is_error = missing_key == "error"

    def pipeline(self, pipeline: Pipeline) -> Evaluate:
        """A function that gives the value of a pipeline, and sets its variables."""
        first = self._command(pipeline.commands[0])
        rest = [self._command(command) for command in pipeline.commands[1:]]
        slots = [variable.slot for variable in pipeline.variables]
        if not rest and not slots:
            return lambda run, frame, dot: first(run, frame, dot, _NONE)

        def evaluate(run: Run, frame: Frame, dot: Any) -> Any:
            value = first(run, frame, dot, _NONE)
            for command in rest:
                value = command(run, frame, dot, value)
            for slot in slots:
                frame[slot] = value
            return value

        return evaluate

    def fault(self, message: str, node: Operand | Command | Invocation, hint: str = "") -> TemplateFault:
        """A fault in the execution of a part, which is quoted."""
        shown = self.text[node.start : node.end]
        shown = shown if len(shown) <= _EXCERPT else shown[:_EXCERPT] + "..."
        return TemplateFault(f"at <{shown}>: {message}", node.start, hint=hint)

    # A command takes one thing more than other values: what is piped into it.

    def _command(self, command: Command) -> Any:
        head, arguments = command.operands[0], command.operands[1:]
        if isinstance(head, Function):
            return self._call(head, arguments, command)
        if isinstance(head, Fields):
            return self._field_command(head, arguments)
        if isinstance(head, Nil):
            fault = self.fault("nil is not a command", head, "give nil to a function: print nil")
            return _raising(fault)
        value = self._operand(head)
        fault = self.fault(
            "can't give argument to non-function",
            command,
            "put the name of a function first, or remove the rest",
        )
        if arguments:
            return _raising(fault)

        def evaluate(run: Run, frame: Frame, dot: Any, piped: Any) -> Any:
            if piped is not _NONE:
                raise fault
            return value(run, frame, dot)

        return evaluate

    def _field_command(self, node: Fields, arguments: tuple[Operand, ...]) -> Any:
        value = self._operand(node)
        rest = [self._operand(argument) for argument in arguments]

        def evaluate(run: Run, frame: Frame, dot: Any, piped: Any) -> Any:
            found = value(run, frame, dot)
            if not rest and piped is _NONE:
                return found() if callable(found) else found
            if not callable(found):
                message = f"{node.names[-1]} is not a method but has arguments"
                raise self.fault(message, node, "put the name of a function first")
            values = [argument(run, frame, dot) for argument in rest]
            return found(*values, *(() if piped is _NONE else (piped,)))

        return evaluate

    def _call(self, head: Function, arguments: tuple[Operand, ...], whole: Command | Function) -> Any:
        values = [self._operand(argument) for argument in arguments]
        if head.name in ("and", "or"):
            return self._short_circuit(head, values)
        function = self.functions[head.name]
        call, least, most = function.call, function.least, function.most

        def evaluate(run: Run, frame: Frame, dot: Any, piped: Any) -> Any:
            given = [value(run, frame, dot) for value in values]
            if piped is not _NONE:
                given.append(piped)
            if len(given) < least or 0 <= most < len(given):
                raise self._wrong_count(head, len(given), least, most)
            try:
                return call(*given)
            except FunctionFault as fault:
                message = f"error calling {head.name}: {fault.message}"
                raise self.fault(message, whole, fault.hint) from None

        return evaluate

    def _short_circuit(self, head: Function, values: list[Evaluate]) -> Any:
        decided = head.name == "or"

        def evaluate(run: Run, frame: Frame, dot: Any, piped: Any) -> Any:
            if not values and piped is _NONE:
                raise self._wrong_count(head, 0, 1, -1)
            found: Any = None
            for value in values:
                found = value(run, frame, dot)
                if truth(found) is decided:
                    return found
            return found if piped is _NONE else piped

        return evaluate

    def _wrong_count(self, head: Function, given: int, least: int, most: int) -> TemplateFault:
        wanted = f"at least {least}" if most < 0 else str(most)
        message = f"wrong number of args for {head.name}: want {wanted} got {given}"
        return self.fault(message, head, "arguments stand after the name, what is piped in comes last")

    def _operand(self, node: Operand) -> Evaluate:
        match node:
            case Dot():
                return lambda run, frame, dot: dot
            case Literal(value=value):
                return lambda run, frame, dot: value
            case Nil():
                return lambda run, frame, dot: None
            case Variable(slot=slot):
                return lambda run, frame, dot: frame[slot]
            case Fields():
                return self._fields(node)
            case Pipeline():
                return self.pipeline(node)
        command = self._call(node, (), node)
        return lambda run, frame, dot: command(run, frame, dot, _NONE)

    def _fields(self, node: Fields) -> Evaluate:
        base, names = self._operand(node.base), node.names
        from_dot = isinstance(node.base, Dot)

        def evaluate(run: Run, frame: Frame, dot: Any) -> Any:
            value = dot if from_dot else base(run, frame, dot)
            first = True
            for name in names:
                found = type(value) is dict and name in value
                value = value[name] if found else self._field(value, name, first, node)
                first = False
            return None if value is _MISSING else value

        return evaluate

    def _field(self, value: Any, name: str, first: bool, node: Fields) -> Any:
        if isinstance(value, Struct):
            try:
                return value.get(name)
            except KeyError:
                near = closest_name(name, value.names())
                known = ", ".join(value.names()[:20])
                hint = f"did you mean '{near}'?" if near else f"its fields are {known or 'none'}"
                message = f"can't evaluate field {name} in type {value.type_name}"
                raise self.fault(message, node, hint) from None
        if isinstance(value, Mapping):
            if name in value:
                return value[name]
            if not self.missing_is_error:
                return _MISSING
            near = closest_name(name, map(str, value))
            spelled = f"did you mean '{near}'?" if near else f'if it may be missing, write: index . "{name}"'
            raise self.fault(f'map has no entry for key "{name}"', node, spelled)
        if value is _MISSING or (value is None and first):
            if not self.missing_is_error:
                return _MISSING
            raise self.fault(
                f'nil data; no entry for key "{name}"', node, "test it with 'if' or 'with' first"
            )
        if value is None:
            message = f"nil pointer evaluating interface {{}}.{name}"
            raise self.fault(message, node, "what comes before it is not set: test it with 'with' first")
        message = f"can't evaluate field {name} in type {type_name(value)}"
        raise self.fault(message, node, f"what comes before .{name} has no fields")


def _raising(fault: TemplateFault) -> Any:
    def evaluate(run: Run, frame: Frame, dot: Any, piped: Any) -> Any:
        raise fault

    return evaluate
