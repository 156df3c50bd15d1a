"""Lines whose result depends on a hash are found by reading the code, and those that sort are not."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from understudy.simulation.replay.hash_sites import hash_sites, sites_in
from understudy.simulation.replay.own_code import OwnCode

SET = "the order of a set"
DEPENDS = {
    "for name in {1, 2}: pass": SET,
    "names = set(rows)\nfor name in names: pass": SET,
    "list({*rows})": SET,
    "[name for name in frozenset(rows)]": SET,
    "{name: 1 for name in {1, 2}}": SET,
    "(*set(rows), 1)": SET,
    "a, b = {1, 2}": SET,
    "','.join(set(rows))": SET,
    "json.dumps(list(set(rows)))": SET,
    "next(iter(set(rows)))": SET,
    "names = {1, 2}\nnames.pop()": SET,
    "list(set(rows) - {1})": SET,
    "list(set(rows).union(others))": SET,
    "def f(names: set[str]):\n    yield from names": SET,
    "def f(self):\n    self.seen = set()\n    return list(self.seen)": SET,
    "names: frozenset[str] = load()\ntuple(names)": SET,
    "hash('a')": "hash()",
    "names = {1, 2}\ndef f():\n    return [n for n in names]": SET,
    "list({1} if rows else rows)": SET,
}
DOES_NOT = [
    "sorted({1, 2})",
    "for name in sorted(set(rows)): pass",
    "len({1, 2}), sum({1, 2}), max({1, 2}), 1 in {1, 2}",
    "{name for name in {1, 2}}",
    "any(rows)",
    "for name in {'a': 1}: pass",
    "def f(names: list[str]):\n    return list(names)",
    "names = {1, 2}\ndef f(names):\n    return list(names)",
    "rows.pop()",
    "rows.hash('a')",
]


@pytest.mark.parametrize("code", DEPENDS)
def test_a_line_that_depends_on_a_hash_is_found(code: str) -> None:
    found = list(sites_in(ast.parse(code)))

    assert {what for _, what in found} == {DEPENDS[code]}
    assert len(code.splitlines()) in {line for line, _ in found}


@pytest.mark.parametrize("code", DOES_NOT)
def test_a_line_that_does_not_is_let_be(code: str) -> None:
    assert list(sites_in(ast.parse(code))) == []


def test_the_sites_of_a_pipeline_are_those_of_its_package(
    module: Callable[..., ModuleType], tmp_path: Path
) -> None:
    made = module("def pipeline(ctx):\n    return list({1, 2})\n")
    own = OwnCode(str(tmp_path))

    (site,) = hash_sites(made.pipeline, own)

    assert str(site) == f"{made.__name__}.py:2 depends on the order of a set"
    assert hash_sites(len, own) == ()


def test_a_file_that_cannot_be_read_has_no_sites(module: Callable[..., ModuleType], tmp_path: Path) -> None:
    made = module("def pipeline(ctx):\n    return list({1, 2})\n")
    Path(str(made.__file__)).write_text("def broken(:\n", "utf-8")
    assert hash_sites(made.pipeline, OwnCode(str(tmp_path))) == ()

    Path(str(made.__file__)).unlink()
    assert hash_sites(made.pipeline, OwnCode(str(tmp_path))) == ()
