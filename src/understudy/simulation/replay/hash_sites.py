"""Which lines depend on the order of a set or on `hash()`, and so on the hash seed of the process they run in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any

from understudy.simulation.replay.own_code import OwnCode
from understudy.simulation.replay.own_modules import OwnModule, full_name, own_modules
from understudy.simulation.replay.pipelines import Pipeline, functions_of
from understudy.simulation.replay.record import Read

_SETS = frozenset({"set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet"})
_SET_METHODS = frozenset({"union", "intersection", "difference", "symmetric_difference"})
# What takes its items in the order in which they come; `sorted`, `sum`, `len` and the like do not care.
_TAKERS = frozenset(
    {"list", "tuple", "iter", "next", "enumerate", "map", "filter", "zip", "reversed", "dict"}
)
_TAKING_METHODS = frozenset({"join", "extend", "fromkeys", "chain", "from_iterable", "dumps"})
_PASSES = 2  # what a module imports may come from one that imports it too
_OWN_NODES = "_understudy_own_nodes"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def hash_sites(pipeline: Pipeline, own: OwnCode) -> tuple[Read, ...]:
    """The lines of the pipeline's own modules whose result may be another one under another hash seed."""
    modules = own_modules(pipeline, own)
    names = frozenset(one.name for one in modules)
    shared: frozenset[str] = frozenset()
    for _ in range(_PASSES):
        shared = shared.union(*(_assigned(one.tree, _known_in(one, shared, names)) for one in modules))
    found: list[Read] = []
    for one in modules:
        lines = sorted(set(sites_in(one.tree, _known_in(one, shared, names))))
        found += [Read("order", what, own.named(one.file, line)) for line, what in lines]
    return tuple(found)


def sites_of_function(pipeline: Pipeline, own: OwnCode) -> tuple[Read, ...]:
    """Those of these lines that are the pipeline's own, and not of what stands beside it."""
    spans = {
        own.named(function.__code__.co_filename, 1).file: range(
            function.__code__.co_firstlineno, _last_line(function.__code__) + 1
        )
        for function in functions_of(pipeline)
    }
    sites = hash_sites(pipeline, own)
    return tuple(read for read in sites if read.site.line in spans.get(read.site.file, ()))


def _last_line(code: CodeType) -> int:
    """The last line of a function, and of those in it."""
    inner = [_last_line(one) for one in code.co_consts if isinstance(one, CodeType)]
    return max([code.co_firstlineno, *inner, *(line for _, _, line in code.co_lines() if line)])


def _known_in(module: OwnModule, shared: frozenset[str], modules: frozenset[str]) -> frozenset[str]:
    """Of the names that hold sets somewhere, and the functions that return some, those that a module imports."""
    known: set[str] = set()
    for source, name, here in module.imports:
        known.update(f"{here}{call}" for call in ("", "()") if f"{name}{call}" in shared)
        if full_name(source, name) in modules:
            known.update(f"{here.rpartition('.')[2]}.{one}" for one in shared if "." not in one)
    return frozenset(known)


def sites_in(tree: ast.Module, imported: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Line and reason for each place that depends on a hash; `imported` are names that hold sets elsewhere.

    >>> list(sites_in(ast.parse("for name in {'a', 'b'}: print(name)")))
    [(1, 'the order of a set')]
    >>> list(sites_in(ast.parse("for name in sorted({'a', 'b'}): print(name)")))
    []
    """
    yield from _in_scope(tree, _assigned(tree, imported))


def _in_scope(scope: ast.AST, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The places of one function or module; its inner functions have names of their own."""
    for node in _own_nodes(scope):
        if isinstance(node, _FUNCTIONS):
            yield from _in_scope(node, _assigned(node, names))
        elif _is_hash(node):
            yield _line(node), "hash()"
        elif any(_is_set(taken, names) for taken in _taken(node)):
            yield _line(node), "the order of a set"


def _own_nodes(scope: ast.AST) -> list[ast.AST]:
    """The nodes of a scope without those of the functions in it; kept with it, for they are looked at many times."""
    found: list[ast.AST] | None = getattr(scope, _OWN_NODES, None)
    if found is None:
        found = []
        waiting = list(ast.iter_child_nodes(scope))
        while waiting:
            node = waiting.pop()
            found.append(node)
            if not isinstance(node, _FUNCTIONS):
                waiting += ast.iter_child_nodes(node)
        setattr(scope, _OWN_NODES, found)
    return found


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
    if isinstance(node, ast.Await):
        return _is_set(node.value, names)
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Name | ast.Attribute):
        return _name(node) in names or _dotted(node) in names
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd | ast.BitXor | ast.Sub):
        return _is_set(node.left, names) or _is_set(node.right, names)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SET_METHODS:
            return _is_set(node.func.value, names)
        return _dotted(node.func) in ("set", "frozenset") or f"{_dotted(node.func)}()" in names
    return isinstance(node, ast.IfExp) and (_is_set(node.body, names) or _is_set(node.orelse, names))


def _assigned(scope: ast.AST, outer: frozenset[str]) -> frozenset[str]:
    """The names (and attributes) that hold sets in a scope or around it, and its functions that return some: `f()`."""
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
    for node in _own_nodes(scope):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _returns_set(node, frozenset(names)):
            names.add(f"{node.name}()")
    return frozenset(names)


def _returns_set(function: ast.FunctionDef | ast.AsyncFunctionDef, outer: frozenset[str]) -> bool:
    if _says_set(function.returns):
        return True
    names = _assigned(function, outer)
    returned = (node.value for node in _own_nodes(function) if isinstance(node, ast.Return))
    return any(value is not None and _is_set(value, names) for value in returned)


def _says_set(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return annotation is not None and _name(annotation) in _SETS


def _is_hash(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hash"


def _name(node: ast.AST) -> str:
    return str(getattr(node, "id", None) or getattr(node, "attr", None) or "")


def _dotted(node: ast.AST) -> str:
    """A name, or one of an object with a name; what an object has itself is called like what is beside it."""
    if not isinstance(node, ast.Attribute):
        return _name(node)
    owner = _name(node.value)
    return node.attr if owner in ("self", "cls") else f"{owner}.{node.attr}"


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))
