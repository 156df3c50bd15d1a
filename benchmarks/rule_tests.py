"""1,000 test functions over 50 rules: how long the run takes once all is loaded, in one cell and in two."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.claims import Claim, report
from benchmarks.measuring import ratio, rounds, show
from benchmarks.rule_files import write_rules
from benchmarks.two_processes import two_processes
from understudy.engine.act import Item, Unit
from understudy.engine.executors import Job, Limits
from understudy.engine.executors.serial import take_turns
from understudy.engine.executors.turns import Turns
from understudy.engine.stage import Stage
from understudy.project.single import single_act_project

RULES = 50
TESTS_EACH = 20
ROUNDS = 7
# Which cell gets which test is open, so that it takes a few turns until both have loaded nearly all of the files.
LOADING = 5

ONE = "one cell"
TWO = "two cells"
STRANGER = "other work, one process"
STRANGERS = "other work, two processes"


def main() -> int:
    """Measure, show, and judge the claims."""
    with tempfile.TemporaryDirectory() as name, two_processes() as strangers:
        write_rules(Path(name), RULES, TESTS_EACH)
        with asyncio.Runner() as runner:
            contenders = {ONE: _contender(runner, name, 1), TWO: _contender(runner, name, 2)}
            for _ in range(LOADING):
                for contender in contenders.values():
                    contender()
            times = rounds({**contenders, STRANGER: strangers.one, STRANGERS: strangers.both}, ROUNDS)
    show(f"{RULES * TESTS_EACH:,} tests over {RULES} rules, loaded", times, "ms")
    at_most = ratio(times, STRANGER, STRANGERS)
    print(f"  two processes that share nothing are {at_most:.2f} times faster than one on this machine now")
    seconds = sorted(times[ONE])[len(times[ONE]) // 2] / 1000
    return report(
        Claim(f"{RULES * TESTS_EACH:,} tests in one cell", seconds, at_most=1, unit="s"),
        Claim("two cells, times faster than one", ratio(times, ONE, TWO), at_least=1.7),
    )


def _contender(runner: asyncio.Runner, folder: str, cells: int) -> Callable[[], float]:
    """The same units again and again on one stage, whose cells stay warm."""
    project = single_act_project("rules", {"dirs": ["."]}, [], root=folder)
    acts = project.acts
    units = list(acts["rules"].discover(project))
    stage = Stage()

    worker = stage.narrower()

    async def run() -> float:
        passed = 0

        def emit(_: Unit, item: Item) -> None:
            nonlocal passed
            passed += str(getattr(item, "status", "")) == "passed"

        job = Job(acts, stage, emit, lambda outcome: None, lambda: False, Limits(workers=cells))
        loop = asyncio.get_running_loop()
        began = loop.time()
        turns = Turns(units, acts, cells)
        async with asyncio.TaskGroup() as group:
            for _ in range(cells):
                group.create_task(take_turns(turns, worker, job))
        took = (loop.time() - began) * 1000
        assert passed == len(units), f"{passed} of {len(units)} passed"
        return took

    return lambda: runner.run(run())


if __name__ == "__main__":
    sys.exit(main())
