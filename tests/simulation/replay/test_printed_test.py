"""A printed test runs as it is: it fails as long as the defect is there, and passes when it is mended."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

from simulation.replay.conftest import WriteModule
from understudy.context import ExecutionContext
from understudy.core.clock import FixedClock, SystemClock
from understudy.simulation import Crash, Deterministic, Duplicate, Reorder, explore
from understudy.simulation.replay.printed_test import printed_test
from understudy.simulation.replay.trial import Setting

SHOP = """
    from understudy.simulation import SideEffects, SimulationConnector


    class World:
        def __init__(self):
            self.source = SimulationConnector([{"type": "tool", "id": f"tool--{n}"} for n in range(3)])
            self.effects = SideEffects()
            self.mails = []


    def sync(ctx, world):
        for found in world.source.list_objects():
            world.effects.perform(KEY, found, lambda: world.mails.append(found["id"]))


    class Pipelines:
        @staticmethod
        async def sync_async(ctx, world):
            sync(ctx, world)
    """
BROKEN = SHOP.replace("KEY", "None")
READABLE = '''
"""sync has to survive item 2 of delivery 1 handed over twice, and a crash before write 1."""

from understudy.simulation import Crash, Duplicate, assert_survives

from shop_to_read import World, sync


def test_sync_survives_item_2_of_delivery_1_handed_over_twice_and_a_crash_before_write_1() -> None:
    # the world: $.mails holds too much
    assert_survives(sync, Duplicate(2), Crash("before", write=1), world=World)
'''.lstrip()
MENDED = SHOP.replace("KEY", 'found["id"]')


def pytest_in(folder: Path) -> tuple[int, str]:
    """Run the tests of a folder as their reader would, but for plugins that they do not need."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def test_it_fails_while_the_defect_is_there_and_passes_when_it_is_mended(
    tmp_path: Path, module: WriteModule
) -> None:
    shop = module(BROKEN, name="shop_to_mend")
    for pipeline in (shop.sync, shop.Pipelines.sync_async):
        find = explore(pipeline, world=shop.World, root=str(tmp_path)).finds[0]
        (tmp_path / f"test_{pipeline.__name__}.py").write_text(find.test)
    code, said = pytest_in(tmp_path)
    assert (code, "2 failed" in said) == (1, True), said
    assert "AssertionError: sync does not survive a crash after write 1" in said
    assert "AssertionError: sync_async does not survive a crash after write 1" in said
    assert "it has no key, so that it happened again" in said
    (tmp_path / "shop_to_mend.py").write_text(dedent(MENDED))
    code, said = pytest_in(tmp_path)
    assert (code, "2 passed" in said) == (0, True), said


def test_it_reads_as_if_somebody_had_written_it(module: WriteModule) -> None:
    shop = module(BROKEN, name="shop_to_read")
    setting = Setting(shop.sync, shop.World)
    test = printed_test(setting, (Duplicate(2), Crash("before", 1)), ["the world: $.mails holds too much"])
    assert test == READABLE


def test_what_is_imposed_is_written_down(module: WriteModule) -> None:
    module_ = module("def sync(ctx): ...")
    plan = Deterministic(FixedClock(datetime(2030, 1, 2, tzinfo=UTC)), seed=4, tick=0, environment={"A": "1"})
    setting = Setting(module_.sync, impose=plan, ordered=True, timeout=5.0)
    test = printed_test(setting, (Reorder((2, 1)),), [])
    names: dict[str, object] = {}
    called: dict[str, object] = {}
    source = test.replace("assert_survives(\n", "record(\n").replace("    assert_survives(", "    record(")
    exec(source, {**names, "record": lambda *steps, **options: called.update(options)}, names)
    exec(
        source + f"\n{next(name for name in names if name.startswith('test_'))}()",
        {"record": lambda *steps, **options: called.update(options)},
    )
    assert called == {"impose": plan, "ordered": True, "timeout": 5.0}


def test_a_clock_that_cannot_be_written_down_is_left_to_the_reader(module: WriteModule) -> None:
    setting = Setting(module("def sync(ctx): ...").sync, impose=Deterministic(SystemClock()))
    test = printed_test(setting, (Crash("after", 1),), [])
    assert "# impose has a SystemClock as its clock: give it to Deterministic here too" in test
    ast.parse(test)


def test_what_cannot_be_imported_is_named_with_its_place() -> None:
    def within(ctx: ExecutionContext) -> None:
        ctx.record("send", subject="mail", kind="write")

    (find,) = explore(within).finds
    assert "test_printed_test.py:" in find.test
    assert "where no other module can import it: put this test where within can be named" in find.test
    assert 'assert_survives(within, Crash("after", write=1))' in find.test
    ast.parse(find.test)


def test_a_lambda_becomes_a_name_that_the_reader_gives() -> None:
    (find,) = explore(lambda ctx: ctx.record("send", kind="write") and None).finds
    assert 'assert_survives(pipeline, Crash("after", write=1))' in find.test
    assert "def test_lambda_survives_a_crash_after_write_1() -> None:" in find.test
    ast.parse(find.test)


def test_whatever_a_damage_says_it_stays_a_remark() -> None:
    said = ['line\nimport os; os.abort()\x1b[0m"""', "b", "c", "d"]
    test = printed_test(Setting(sorted), (Crash("after", 1),), said)
    assert [type(node).__name__ for node in ast.parse(test).body] == [
        "Expr",
        "ImportFrom",
        "ImportFrom",
        "FunctionDef",
    ]
    assert "\x1b" not in test
    assert "# and 1 more" in test
