"""Which lines depend on the order of a set or on `hash()`, and so on the hash seed of the process they run in."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from understudy.simulation.replay.own_code import OwnCode
from understudy.simulation.replay.pipelines import Pipeline
from understudy.simulation.replay.record import Read

MOST_FILES = 200
_LONGEST = 1 << 20
_SETS = frozenset({"set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet"})
_SET_METHODS = frozenset({"union", "intersection", "difference", "symmetric_difference"})
# What takes its items in the order in which they come; `sorted`, `sum`, `len` and the like do not care.
_TAKERS = frozenset(
    {"list", "tuple", "iter", "next", "enumerate", "map", "filter", "zip", "reversed", "dict"}
)
_TAKING_METHODS = frozenset({"join", "extend", "fromkeys", "chain", "from_iterable", "dumps"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def hash_sites(pipeline: Pipeline, own: OwnCode) -> tuple[Read, ...]:
    """The lines of the pipeline's own modules whose result may be another one under another hash seed."""
    found: list[Read] = []
    for module in _modules(pipeline, own):
        file = str(module.__file__)
        try:
            with open(file, encoding="utf-8") as source:
                text = source.read(_LONGEST)
            lines = sorted(set(sites_in(ast.parse(text))))
        except (OSError, ValueError, SyntaxError, RecursionError):
            continue  # what cannot be read was imported all the same, and has no lines to name
        found += [Read("order", what, own.named(file, line)) for line, what in lines]
    return tuple(found)


def sites_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and reason for each place that depends on a hash.

    >>> list(sites_in(ast.parse("for name in {'a', 'b'}: print(name)")))
    [(1, 'the order of a set')]
    >>> list(sites_in(ast.parse("for name in sorted({'a', 'b'}): print(name)")))
    []
    """
    yield from _in_scope(tree, _assigned(tree, frozenset()))


def _in_scope(scope: ast.AST, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The places of one function or module; its inner functions have names of their own."""
    for node in _own_nodes(scope):
        if isinstance(node, _FUNCTIONS):
            yield from _in_scope(node, _assigned(node, names))
        elif _is_hash(node):
            yield _line(node), "hash()"
        elif any(_is_set(taken, names) for taken in _taken(node)):
            yield _line(node), "the order of a set"


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _FUNCTIONS):
            waiting += ast.iter_child_nodes(node)


def _taken(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions whose items this node takes one after the other, into something that has an order."""
    if isinstance(node, ast.For | ast.AsyncFor):
        yield node.iter
    elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
        yield from (part.iter for part in node.generators)
    elif isinstance(node, ast.Starred | ast.YieldFrom):
        yield node.value
    elif isinstance(node, ast.Call):
        name = _name(node.func)
        method = isinstance(node.func, ast.Attribute)
        if (name in _TAKERS and not method) or (name in _TAKING_METHODS and method):
            yield from node.args
        elif isinstance(node.func, ast.Attribute) and name == "pop" and not node.args:
            yield node.func.value
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
        yield node.value


def _is_set(node: ast.expr, names: frozenset[str]) -> bool:
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Name | ast.Attribute):
        return _name(node) in names
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd | ast.BitXor | ast.Sub):
        return _is_set(node.left, names) or _is_set(node.right, names)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SET_METHODS:
            return _is_set(node.func.value, names)
        return isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
    return isinstance(node, ast.IfExp) and (_is_set(node.body, names) or _is_set(node.orelse, names))


def _assigned(scope: ast.AST, outer: frozenset[str]) -> frozenset[str]:
    """The names (and attributes) that hold sets somewhere in a scope, or in one around it."""
    names = set(outer)
    arguments = getattr(scope, "args", None)
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs] if arguments else []:
        (names.add if _says_set(argument.annotation) else names.discard)(argument.arg)
    for node in _own_nodes(scope):
        targets: list[Any] = []
        if isinstance(node, ast.Assign) and _is_set(node.value, frozenset(names)):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign) and _says_set(node.annotation):
            targets = [node.target]
        names.update(name for target in targets if (name := _name(target)))
    return frozenset(names)


def _says_set(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return annotation is not None and _name(annotation) in _SETS


def _is_hash(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hash"


def _name(node: ast.AST) -> str:
    return str(getattr(node, "id", None) or getattr(node, "attr", None) or "")


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))


def _modules(pipeline: Pipeline, own: OwnCode) -> list[ModuleType]:
    """The pipeline's module and those of the user's that belong to the same package, within bounds."""
    first = sys.modules.get(getattr(pipeline, "__module__", "") or "")
    if first is None:
        return []
    top = first.__name__.partition(".")[0]
    beside = sorted(name for name in sys.modules if name.startswith(f"{top}.") and name != first.__name__)
    found = [first, *(sys.modules[name] for name in [top, *beside] if name != first.__name__)]
    return [
        module
        for module in found
        if isinstance(module, ModuleType) and (file := getattr(module, "__file__", None)) and own.is_own(file)
    ][:MOST_FILES]
