"""What can be known to be wrong with a policy before it runs: names that nothing has, wrong numbers of arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from understudy.core.nearness import closest_name
from understudy.rules.evaluate.rego_builtins import (
    ANY_NUMBER,
    DEPRECATED,
    HOST_NAMES,
    IN_ENGINE,
    NOT_IN_ENGINE,
)
from understudy.rules.evaluate.regorus_tree import Call, Tree

PACKAGE = "minder"
_INSTEAD = "negate a rule or a comprehension that iterates, or use 'every'"


class Finding(NamedTuple):
    """What is wrong, at which offset, and what to do."""

    message: str
    offset: int
    hint: str = ""


class Names(NamedTuple):
    """What calls can reach: functions of the host, and what is provided beside the engine."""

    host: Mapping[str, int | None]
    provided: Set[str]

    def arity(self, name: str) -> int | None:
        """How many arguments a function takes, None if that is not known."""
        if name in self.host:
            return self.host[name]
        return IN_ENGINE.get(name, NOT_IN_ENGINE.get(name))

    def knows(self, name: str) -> bool:
        """Whether a call of this name can be evaluated."""
        return name in self.host or name in IN_ENGINE or name in self.provided or name in ANY_NUMBER


def host_names(functions: tuple[str, ...]) -> dict[str, int | None]:
    """The host's functions with their numbers of arguments, None where only the host knows."""
    known: dict[str, int | None] = dict(HOST_NAMES)
    for name in functions:
        known.setdefault(name, IN_ENGINE.get(name))
    return known


def own_function(tree: Tree, name: str) -> str:
    """The module's own function that a call names, '' if it names none.

    A function of the module wins over a builtin of the same name.
    """
    for candidate in (name, name.removeprefix(f"data.{tree.package}.")):
        if candidate in tree.functions:
            return candidate
    return ""


def find_mistakes(tree: Tree, names: Names) -> list[Finding]:
    """Everything that is wrong with a module that could be parsed, in the order of the text."""
    found = [*_package(tree), *_calls(tree, names), *_recursions(tree)]
    for start in tree.varying:
        found.append(
            Finding("the value of a default must be constant", start, "define a rule with this value")
        )
    for loose in tree.loose:
        if loose.name == "_":
            found.append(Finding("var _ is unsafe: 'not' cannot iterate", loose.start, _INSTEAD))
            continue
        nearest = closest_name(loose.name, sorted(tree.values | {"input", "data"}))
        hint = f"did you mean '{nearest}'?" if nearest else "give it a value, or define a rule of that name"
        found.append(Finding(f"var {loose.name} is unsafe: nothing gives it a value", loose.start, hint))
    return sorted(found, key=lambda finding: finding.offset)


def _package(tree: Tree) -> Iterator[Finding]:
    if tree.package != PACKAGE:
        yield Finding(
            f"the package is '{tree.package}', and rules are looked up in '{PACKAGE}'",
            tree.package_start,
            f"write 'package {PACKAGE}'",
        )


def _calls(tree: Tree, names: Names) -> Iterator[Finding]:
    for call in tree.calls:
        own = own_function(tree, call.name)
        if own:
            yield from _arguments(call, tree.functions[own])
        elif not names.knows(call.name):
            yield _unknown(call, tree, names)
        elif call.name in DEPRECATED and tree.rego_v1 and call.name not in names.host:
            yield Finding(f"deprecated built-in function {call.name} is not in Rego v1", call.start)
        else:
            arity = names.arity(call.name)
            if arity is not None and call.name not in ANY_NUMBER:
                yield from _arguments(call, {arity})


def _arguments(call: Call, takes: Set[int]) -> Iterator[Finding]:
    given = len(call.arguments)
    # one argument more is where the result goes
    if given in takes or given - 1 in takes:
        return
    wanted = " or ".join(str(number) for number in sorted(takes))
    word = "argument" if takes == {1} else "arguments"
    yield Finding(f"{call.name} takes {wanted} {word}, and {given} are given", call.start)


def _unknown(call: Call, tree: Tree, names: Names) -> Finding:
    message = f"could not find function {call.name}"
    if call.name in NOT_IN_ENGINE:
        return Finding(f"{message}: OPA has it, but it cannot be evaluated here", call.start)
    known = [*tree.functions, *names.host, *IN_ENGINE, *names.provided]
    last = call.name.rpartition(".")[2]
    nearest = closest_name(call.name, known) or next((n for n in known if n.rpartition(".")[2] == last), "")
    return Finding(message, call.start, f"did you mean '{nearest}'?" if nearest else "")


def _recursions(tree: Tree) -> Iterator[Finding]:
    """Functions that call themselves, over others too; the engine would follow them until the stack ends."""
    calls: dict[str, set[str]] = {}
    for name, start, end in tree.bodies:
        inside = (own_function(tree, call.name) for call in tree.calls if start <= call.start < end)
        calls.setdefault(name, set()).update(callee for callee in inside if callee)
    for name, start, _ in tree.bodies:
        reached: set[str] = set()
        waiting = list(calls[name])
        while waiting:
            callee = waiting.pop()
            if callee not in reached:
                reached.add(callee)
                waiting.extend(calls.get(callee, ()))
        if name in reached:
            yield Finding(f"function {name} is recursive, which Rego does not allow", start)
