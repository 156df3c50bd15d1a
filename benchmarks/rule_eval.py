"""A warm `eval()` of a small rule, called from Starlark, against the thinnest path that does the same by hand."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import regorus
import starlark

from benchmarks.claims import Claim, report
from benchmarks.measuring import ratio, rounds, show
from benchmarks.rule_files import ENTITY, POLICY, URL, write_rules
from understudy.rules.rehearsal import Rehearsal
from understudy.rules.starlark.cases import run_test
from understudy.rules.starlark.host import Host
from understudy.rules.starlark.modules import Modules

EVALS = 500
ROUNDS = 15

OURS = "eval() of the rules room"
THIN = "the thin path, by hand"
BARE = "regorus alone: set the input, evaluate"


def main() -> int:
    """Measure, show, and judge the claim."""
    with tempfile.TemporaryDirectory() as name:
        contenders = {OURS: _ours(Path(name)), THIN: _thin(), BARE: _bare()}
        times = rounds(contenders, ROUNDS)
    show("One warm evaluation of a small rule", times, "us")
    return report(Claim("a warm eval(), times the thin path by hand", ratio(times, OURS, THIN), at_most=2))


def _ours(folder: Path) -> Callable[[], float]:
    write_rules(folder, 1, 1)
    mocks = f'{{"GET {URL}": body({{"allow_force_pushes": {{"enabled": False}}, "name": "main"}})}}'
    (folder / "warm.star").write_text(
        f"""
ENTITY = {ENTITY}
MOCKS = {mocks}
def test_many():
    for _ in range({EVALS}):
        result = eval(rule = "rule_000", entity = ENTITY, mocks = MOCKS)
        if result.status != "pass":
            fail(result.message)
""",
        "utf-8",
    )
    host = Host(Rehearsal(folder, {}))
    module = Modules(folder, host).load(folder / "warm.star", "warm.star")

    def measure() -> float:
        began = time.perf_counter()
        ran = run_test(module, "test_many", host)
        took = time.perf_counter() - began
        assert ran.error is None, ran.error
        return took / EVALS * 1e6

    return measure


def _thin() -> Callable[[], float]:
    engine = regorus.Engine()
    engine.add_policy("rule.rego", POLICY)

    def evaluate(rule: str, entity: dict[str, Any], mocks: dict[str, Any]) -> dict[str, Any]:
        path = f"/repos/{entity['owner']}/{entity['name']}/branches/{entity['default_branch']}/protection"
        answer = mocks[f"GET https://api.github.com{path}"]
        document = {"profile": {}, "ingested": answer["body"], "properties": None, "output_format": "text"}
        engine.set_input_json(json.dumps(document))
        allow = json.loads(engine.eval_rule_as_json("data.minder.allow"))
        message = json.loads(engine.eval_rule_as_json("data.minder.message"))
        status = "pass" if allow else "fail"
        return {"status": status, "message": "" if allow else message, "violations": []}

    answer = '{"status": 200, "body": {"allow_force_pushes": {"enabled": False}, "name": "main"}}'
    mocks = f'{{"GET {URL}": {answer}}}'
    module = starlark.Module()
    module.add_callable("eval_rule", evaluate)
    dialect = starlark.Dialect.extended()
    globals_ = starlark.Globals.extended_by([starlark.LibraryExtension.StructType])
    source = f"""
ENTITY = {ENTITY}
MOCKS = {mocks}
def evaluated(rule, entity, mocks):
    return struct(**eval_rule(rule = rule, entity = entity, mocks = mocks))
def many():
    for _ in range({EVALS}):
        result = evaluated(rule = "rule", entity = ENTITY, mocks = MOCKS)
        if result.status != "pass":
            fail(result.message)
"""
    starlark.eval(module, starlark.parse("thin.star", source, dialect), globals_)
    frozen = module.freeze()

    def measure() -> float:
        began = time.perf_counter()
        frozen.call("many")
        return (time.perf_counter() - began) / EVALS * 1e6

    return measure


def _bare() -> Callable[[], float]:
    engine = regorus.Engine()
    engine.add_policy("rule.rego", POLICY)
    document = json.dumps({"ingested": {"allow_force_pushes": {"enabled": False}, "name": "main"}})

    def measure() -> float:
        began = time.perf_counter()
        for _ in range(EVALS):
            engine.set_input_json(document)
            engine.eval_rule_as_json("data.minder.allow")
        return (time.perf_counter() - began) / EVALS * 1e6

    return measure


if __name__ == "__main__":
    sys.exit(main())
