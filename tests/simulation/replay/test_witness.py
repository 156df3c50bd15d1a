"""Reads of clock, ids, chance and environment are heard with the line that made them, and everything is put back."""

from __future__ import annotations

import asyncio
import builtins
import datetime
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from understudy.simulation.replay.own_code import OwnCode
from understudy.simulation.replay.record import Read
from understudy.simulation.replay.witness import Witness, current_witness

WriteModule = Callable[..., ModuleType]

HEARD = [
    ("from datetime import datetime", "datetime.now()", "clock", "datetime.now()"),
    ("from datetime import datetime", "datetime.today()", "clock", "datetime.today()"),
    ("import datetime", "datetime.datetime.now(datetime.UTC)", "clock", "datetime.now()"),
    ("import datetime as dt", "dt.date.today()", "clock", "date.today()"),
    ("from datetime import date", "date.today()", "clock", "date.today()"),
    ("import time", "time.time()", "clock", "time.time()"),
    ("import time", "time.time_ns()", "clock", "time.time_ns()"),
    ("from time import monotonic as tick", "tick()", "clock", "time.monotonic()"),
    ("import time", "time.perf_counter()", "clock", "time.perf_counter()"),
    ("import time", "time.gmtime()", "clock", "time.gmtime()"),
    ("import time", "time.strftime('%Y')", "clock", "time.strftime()"),
    ("import uuid", "uuid.uuid4()", "id", "uuid.uuid4()"),
    ("from uuid import uuid1", "uuid1()", "id", "uuid.uuid1()"),
    ("import random", "random.random()", "random", "random.random()"),
    ("from random import randint", "randint(1, 6)", "random", "random.randint()"),
    ("import random", "random.shuffle([1, 2, 3])", "random", "random.shuffle()"),
    ("import random", "random.Random().random()", "random", "random.Random()"),
    ("import secrets", "secrets.token_hex(4)", "random", "secrets.token_hex()"),
    ("import os", "os.urandom(4)", "random", "os.urandom()"),
    ("import os", "os.environ['PATH']", "environment", "os.environ['PATH']"),
    ("import os", "os.environ.get('PATH')", "environment", "os.environ['PATH']"),
    ("import os", "'PATH' in os.environ", "environment", "os.environ['PATH']"),
    ("from os import environ", "environ['PATH']", "environment", "os.environ['PATH']"),
    ("import os", "os.getenv('PATH')", "environment", "os.environ['PATH']"),
    ("import os", "os.getpid()", "process", "os.getpid()"),
]
SILENT = [
    ("from datetime import datetime", "datetime(2026, 1, 1)"),
    ("from datetime import datetime", "datetime.fromtimestamp(0)"),
    ("import time", "time.gmtime(0)"),
    ("import time", "time.strftime('%Y', time.gmtime(0))"),
    ("import time", "time.sleep(0)"),
    ("import random", "random.Random(7).random()"),
    ("import uuid", "uuid.uuid5(uuid.NAMESPACE_URL, 'a')"),
    ("import os", "os.environ.copy()"),
    ("import os", "os.path.join('a', 'b')"),
]


def heard(work: Callable[[], Any], root: Path) -> tuple[Read, ...]:
    """What is read by some work."""
    witness = Witness(OwnCode(str(root)))
    with witness.listening():
        work()
    return witness.reads()


@pytest.mark.parametrize("where", ["at the top", "in the function"])
@pytest.mark.parametrize(("imports", "call", "kind", "name"), HEARD, ids=[case[1] for case in HEARD])
def test_a_read_is_heard_with_its_line_however_it_was_imported(
    imports: str, call: str, kind: str, name: str, where: str, module: WriteModule, tmp_path: Path
) -> None:
    if where == "at the top":
        text, line = f"{imports}\ndef work():\n    return {call}\n", 3
    else:
        text, line = f"def work():\n    {imports}\n    return {call}\n", 3
    made = module(text)

    reads = heard(made.work, tmp_path)

    assert [(str(read.site), read.kind, read.name, read.count) for read in reads] == [
        (f"{made.__name__}.py:{line}", kind, name, 1)
    ]


@pytest.mark.parametrize(("imports", "call"), SILENT, ids=[case[1] for case in SILENT])
def test_what_is_the_same_every_time_is_no_read(
    imports: str, call: str, module: WriteModule, tmp_path: Path
) -> None:
    assert heard(module(f"{imports}\ndef work():\n    return {call}\n").work, tmp_path) == ()


def test_a_place_is_one_read_with_its_values_and_count(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        import random
        def work():
            global drawn
            drawn = [random.random() for _ in range(300)]
        """
    )

    (read,) = heard(made.work, tmp_path)

    assert read.count == 300
    assert list(read.values) == made.drawn[:200]
    assert str(read) == f"{made.__name__}.py:4 reads random.random() (300 times)"


def test_ids_that_a_dataclass_draws_for_itself_are_heard(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        from dataclasses import dataclass, field
        from uuid import UUID, uuid4

        @dataclass
        class Sighting:
            id: UUID = field(default_factory=uuid4)

        def work():
            global drawn
            drawn = Sighting()
        """
    )

    (read,) = heard(made.work, tmp_path)

    assert (read.name, read.values) == ("uuid.uuid4()", (made.drawn.id,))
    assert str(read.site) == f"{made.__name__}.py:10"


def test_a_read_within_a_library_is_told_with_the_line_that_called_it(
    module: WriteModule, tmp_path: Path
) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "clockwork.py").write_text("import time\ndef stamp():\n    return time.time()\n", "utf-8")
    sys.path.insert(0, str(packages))
    try:
        made = module("import clockwork\ndef work():\n    return clockwork.stamp()\n")
        (read,) = heard(made.work, tmp_path)
    finally:
        sys.path.remove(str(packages))
        sys.modules.pop("clockwork", None)

    assert str(read) == f"{made.__name__}.py:3 reads time.time(), through clockwork.stamp"


def test_threads_and_tasks_of_the_run_are_heard_and_those_of_others_are_not(
    module: WriteModule, tmp_path: Path
) -> None:
    made = module(
        """
        import asyncio, threading, time

        def in_thread():
            time.time()

        async def in_task():
            time.monotonic()

        async def in_tasks():
            await asyncio.gather(in_task(), asyncio.to_thread(in_thread))

        def elsewhere():
            time.perf_counter()

        def work():
            thread = threading.Thread(target=in_thread)
            thread.start()
            thread.join()
            asyncio.run(in_tasks())
        """
    )
    go, gone = threading.Event(), threading.Event()

    def other() -> None:
        go.wait(30)
        made.elsewhere()
        gone.set()

    thread = threading.Thread(target=other)
    thread.start()

    def work() -> None:
        made.work()
        go.set()
        assert gone.wait(30)

    reads = heard(work, tmp_path)
    thread.join()

    counts = {read.name: read.count for read in reads if read.kind == "clock" and not read.through}
    assert counts == {"time.time()": 2, "time.monotonic()": 1}
    assert "a thread" in [read.name for read in reads]


def test_a_module_that_is_imported_during_the_run_is_heard_too(module: WriteModule, tmp_path: Path) -> None:
    (tmp_path / "late_part.py").write_text("from time import time\ndef now():\n    return time()\n", "utf-8")
    (tmp_path / "late_whole.py").write_text("import late_part\nfrom random import random\n", "utf-8")
    made = module(
        """
        def work():
            import late_whole
            late_whole.late_part.now()
            late_whole.random()
        """
    )
    try:
        reads = heard(made.work, tmp_path)
        late = sys.modules["late_whole"]
        assert late.random is random.random
        assert late.late_part.time is time.time
    finally:
        for name in ("late_part", "late_whole"):
            sys.modules.pop(name, None)

    assert sorted(str(read) for read in reads) == [
        "late_part.py:3 reads time.time()",
        f"{made.__name__}.py:4 reads random.random()",
    ]


def test_everything_is_put_back_whatever_happens(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        import datetime, os, random, time, uuid
        from datetime import datetime as moment
        from uuid import uuid4
        def work():
            raise KeyError("no")
        """
    )
    before = dict(made.__dict__)
    importing, starting = builtins.__import__, threading.Thread.start

    with pytest.raises(KeyError, match="no"):
        heard(made.work, tmp_path)

    assert {name: value for name, value in made.__dict__.items() if before[name] is not value} == {}
    assert builtins.__import__ is importing
    assert threading.Thread.start is starting
    assert current_witness() is None
    assert made.moment is datetime.datetime
    assert (made.os, made.uuid4, made.time) == (os, uuid.uuid4, time)


def test_names_that_belong_to_no_module_are_heard_and_put_back(tmp_path: Path) -> None:
    names: dict[str, Any] = {"__name__": "notebook"}
    exec("import random\nfrom time import time\ndef work():\n    return time(), random.random()\n", names)

    def nested() -> tuple[Callable[[], Any], Callable[[], Any]]:
        from datetime import datetime as moment

        def inner() -> Any:
            return moment.now()

        return (lambda: inner()), lambda: moment

    work, held = nested()
    witness = Witness(OwnCode(str(Path(__file__).parent)))
    with witness.listening((names["work"], work)):  # type: ignore[arg-type]  # they are functions
        names["work"]()
        work()

    assert [read.name for read in witness.reads()] == ["time.time()", "random.random()", "datetime.now()"]
    assert (names["time"], names["random"]) == (time.time, random)
    assert held() is datetime.datetime


def test_what_the_run_sets_in_a_module_stays_set(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        import os, time
        def work():
            global time
            time = None
            os.environ["UNDERSTUDY_TEST"] = "set"
            assert os.environ["UNDERSTUDY_TEST"] == "set"
            del os.environ["UNDERSTUDY_TEST"]
            assert "UNDERSTUDY_TEST" not in os.environ
        """
    )
    heard(made.work, tmp_path)

    assert made.time is None
    assert "UNDERSTUDY_TEST" not in os.environ


def test_runs_that_overlap_each_hear_their_own(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        "import time\nasync def work(name):\n    await barrier.wait()\n    time.time()\n    return name\n"
    )

    async def run(name: str) -> tuple[Read, ...]:
        witness = Witness(OwnCode(str(tmp_path)))
        with witness.listening():
            await made.work(name)
        return witness.reads()

    async def both() -> tuple[tuple[Read, ...], ...]:
        vars(made)["barrier"] = asyncio.Barrier(2)
        return await asyncio.gather(run("one"), run("two"))

    assert [[read.count for read in reads] for reads in asyncio.run(both())] == [[1], [1]]
    assert made.time is time


def test_moments_made_during_a_run_are_real_ones(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        import copy, pickle
        from datetime import date, datetime
        def work():
            global kept
            kept = datetime.now()
            assert isinstance(kept, datetime) and isinstance(kept, date)
            assert issubclass(datetime, date)
            assert {datetime: "found"}[type(kept)] == "found"
            assert pickle.loads(pickle.dumps(kept)) == copy.deepcopy(kept) == kept
            assert datetime(2026, 1, 1) < kept
            assert datetime.fromisoformat("2026-01-01") == datetime(2026, 1, 1)
            match kept:
                case datetime():
                    pass
                case _:
                    raise AssertionError("is no datetime")
        """
    )
    heard(made.work, tmp_path)

    assert type(made.kept) is datetime.datetime


def test_pydantic_models_that_are_made_during_a_run_outlive_it(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        from datetime import datetime
        def work():
            from pydantic import BaseModel
            class Seen(BaseModel):
                at: datetime
            globals()["Seen"] = Seen
            Seen(at=datetime.now())
        """
    )
    heard(made.work, tmp_path)

    assert made.Seen.model_validate_json('{"at": "2026-01-01T00:00:00"}').at == datetime.datetime(2026, 1, 1)
