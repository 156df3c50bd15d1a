"""Lines whose result depends on a hash are found by reading the code, and those that sort are not."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from understudy.simulation.replay.hash_sites import hash_sites, sites_in, sites_of_function
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
    "def names():\n    return {1, 2}\nlist(names())": SET,
    "def names() -> set[str]: ...\nlist(names())": SET,
    "class A:\n  def names(self):\n    found = set()\n    return found\n  def f(self): list(self.names())": SET,
    "async def names():\n    return {1}\nasync def f(): return list(await names())": SET,
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
    "def names():\n    return {1, 2}\nsorted(names())",
    "def names():\n    return sorted({1, 2})\nlist(names())",
    "class A:\n    def names(self): return {1}\ndef f(rows): return list(rows.names())",
    "def names():\n    def inner(): return {1}\n    return []\nlist(names())",
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


@pytest.mark.parametrize(
    "code",
    [
        "from {other} import names\n\ndef pipeline(ctx): return list(names())",
        "from {other} import names as called\n\ndef pipeline(ctx): return list(called())",
        "import {other}\n\ndef pipeline(ctx): return list({other}.names())",
        "import {other} as beside\n\ndef pipeline(ctx): return list(beside.names())",
        "from {other} import KINDS\n\ndef pipeline(ctx): return list(KINDS)",
        "import {other}\n\ndef pipeline(ctx): return list({other}.KINDS)",
        "from {other} import others\n\ndef pipeline(ctx): return list(others())",
    ],
)
def test_a_set_that_another_module_makes_is_known_where_it_is_used(
    module: Callable[..., ModuleType], tmp_path: Path, code: str
) -> None:
    first = module("def names(): return {1, 2}\nKINDS = {1, 2}\n")
    other = module(
        f"from {first.__name__} import *\nfrom {first.__name__} import names, KINDS\ndef others(): return names()"
    )
    made = module(code.format(other=other.__name__))

    (site,) = hash_sites(made.pipeline, OwnCode(str(tmp_path)))

    assert str(site) == f"{made.__name__}.py:3 depends on the order of a set"


def test_modules_of_a_package_that_import_each_other_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "round_package"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "one.py").write_text(
        "from . import two\n\ndef pipeline(ctx): return list(two.names())\n", "utf-8"
    )
    (package / "two.py").write_text("from . import one\ndef names(): return {1, 2}\nlist(names())\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module("round_package.one")
    try:
        found = hash_sites(made.pipeline, OwnCode(str(tmp_path)))
    finally:
        for name in [name for name in sys.modules if name.startswith("round_package")]:
            del sys.modules[name]

    assert sorted(str(read.site) for read in found) == ["round_package/one.py:3", "round_package/two.py:3"]


def test_the_sites_of_a_function_are_not_those_beside_it(
    module: Callable[..., ModuleType], tmp_path: Path
) -> None:
    made = module(
        """
        def beside(): return list({1, 2})

        def make():
            def pipeline(ctx):
                return [one for one in {1, 2}]
            return pipeline
        """
    )
    (site,) = sites_of_function(made.make(), OwnCode(str(tmp_path)))

    assert site.site.line == 5


def test_a_file_that_cannot_be_read_has_no_sites(module: Callable[..., ModuleType], tmp_path: Path) -> None:
    made = module("def pipeline(ctx):\n    return list({1, 2})\n")
    Path(str(made.__file__)).write_text("def broken(:\n", "utf-8")
    assert hash_sites(made.pipeline, OwnCode(str(tmp_path))) == ()

    Path(str(made.__file__)).unlink()
    assert hash_sites(made.pipeline, OwnCode(str(tmp_path))) == ()
