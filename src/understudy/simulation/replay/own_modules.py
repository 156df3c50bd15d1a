"""The modules of the user's own that a pipeline is made of, as syntax trees: its own, and what they import."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from understudy.simulation.replay.own_code import OwnCode
from understudy.simulation.replay.pipelines import Pipeline

MOST_FILES = 200
_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class OwnModule:
    """A module whose source could be read."""

    name: str
    file: str
    tree: ast.Module
    imports: tuple[tuple[str, str, str], ...]
    """For each imported name: the module that it is from ("" for one that is imported whole), it, and its name here."""


def own_modules(pipeline: Pipeline, own: OwnCode) -> list[OwnModule]:
    """The pipeline's module first, then those that it imports, however far, and those of its package, within bounds."""
    first = sys.modules.get(getattr(pipeline, "__module__", "") or "")
    if first is None:
        return []
    top = first.__name__.partition(".")[0]
    beside = sorted(name for name in sys.modules if name.startswith(f"{top}."))
    waiting = [first.__name__, top, *beside]
    seen: set[str] = set()
    found: list[OwnModule] = []
    while waiting and len(found) < MOST_FILES:
        name = waiting.pop(0)
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        if name in seen or module is None or not file or not own.is_own(file):
            continue
        seen.add(name)
        tree = _parsed(str(file))
        if tree is not None:
            imported = tuple(_imports(tree, module))
            found.append(OwnModule(name, str(file), tree, imported))
            # what is imported from a module may be a module too
            waiting += [one for source, item, _ in imported for one in (source, full_name(source, item))]
    return found


def full_name(source: str, name: str) -> str:
    """What an imported name is called from the top, if it is a module.

    >>> full_name("shop", "prices"), full_name("", "shop.prices")
    ('shop.prices', 'shop.prices')
    """
    return f"{source}.{name}" if source else name


def _parsed(file: str) -> ast.Module | None:
    """What cannot be read was imported all the same, and has nothing to look at."""
    try:
        with open(file, encoding="utf-8") as source:
            return ast.parse(source.read(_LONGEST))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None


def _imports(tree: ast.Module, module: ModuleType) -> Iterator[tuple[str, str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (("", alias.name, alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                package = (getattr(module, "__package__", "") or "").split(".")
                above = package[: len(package) - node.level + 1]
                source = ".".join([*above, *([source] if source else [])])
            yield from ((source, alias.name, alias.asname or alias.name) for alias in node.names)
