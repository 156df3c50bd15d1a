"""`understudy replay`: pipelines of a project or of the command line, judged in processes that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from cli.command import Command, Done

GOOD = "def good(ctx):\n    return [{'id': 'a'}]\n"


def write(folder: Path, table: str, **files: str) -> None:
    """A project with this [replay] table, and modules by name."""
    (folder / "understudy.toml").write_text(dedent(table), "utf-8")
    for name, text in files.items():
        (folder / f"{name}.py").write_text(dedent(text).lstrip("\n"), "utf-8")


def ran(command: Command, folder: Path, *arguments: str) -> tuple[Done, dict[str, Any]]:
    """The command, and its outcomes by name."""
    done = command("replay", *arguments, "--json", "report.json")
    report = json.loads((folder / "report.json").read_text("utf-8"))
    return done, {outcome["name"]: outcome for outcome in report["outcomes"]}


def test_every_declared_pipeline_is_a_case_with_its_line(command: Command, here: Path) -> None:
    write(
        here,
        """
        [[replay.pipelines]]
        run = "feed:good"
        tags = ["quick"]
        [[replay.pipelines]]
        run = "feed:good"
        hash_seeds = false
        [[replay.pipelines]]
        run = "feed:good"
        name = "imports"
        hash_seeds = false
        """,
        feed="import os\n\n" + GOOD,
    )
    done, outcomes = ran(command, here)

    assert (done.code, list(outcomes)) == (0, ["good", "good#2", "imports"])
    assert outcomes["good"]["id"] == "replay::feed.py::good"
    assert outcomes["good"]["location"] == {"file": "feed.py", "line": 3}
    assert command("replay", "--list", "-m", "quick").out == "replay::feed.py::good\n"
    assert command("run", "-k", "imports").code == 0


def test_what_differs_fails_with_its_cause_and_the_command_that_runs_it_again(
    command: Command, here: Path
) -> None:
    write(
        here,
        '[[replay.pipelines]]\nrun = "feed:stamp"\n',
        feed="""
        from datetime import datetime

        def stamp(ctx):
            return [{"id": "a", "seen": str(datetime.now())}]
        """,
    )
    done, outcomes = ran(command, here)

    (failure,) = outcomes["stamp"]["failures"]
    assert done.code == 1
    assert failure["message"].startswith("a has changed at $.seen: expected ")
    assert failure["message"].endswith("; likely cause: feed.py:4 reads datetime.now()")
    assert failure["location"] == {"file": "feed.py", "line": 4}
    assert failure["diff"].startswith("$.seen: expected")
    assert "rerun: understudy replay --case replay::feed.py::stamp" in done.out


def test_by_ids_what_was_not_asked_for_is_only_noted(command: Command, here: Path) -> None:
    write(
        here,
        '[[replay.pipelines]]\nrun = "feed:more"\ncompare = "ids"\n',
        feed="def more(ctx):\n    return [{'id': 'a'}, *([{'id': 'b'}] if ctx.is_replay else [])]\n",
    )
    done, outcomes = ran(command, here)

    assert (done.code, outcomes["more"]["notes"]) == (0, ['not asked for: 1 id was added: "b"'])


def test_other_hash_seeds_are_tried_unless_that_is_turned_off(command: Command, here: Path) -> None:
    write(
        here,
        """
        [[replay.pipelines]]
        run = "feed:hashed"
        [[replay.pipelines]]
        run = "feed:hashed"
        name = "one seed"
        hash_seeds = false
        """,
        feed="def hashed(ctx):\n    return [{'id': str(hash('a'))}]\n",
    )
    done, outcomes = ran(command, here)

    assert (outcomes["hashed"]["status"], outcomes["one seed"]["status"]) == ("failed", "passed")
    assert "under another hash seed (PYTHONHASHSEED=2), 1 id is missing" in done.out
    assert "likely cause: feed.py:2 depends on hash()" in done.out


def test_what_is_imposed_is_the_same_in_every_run(command: Command, here: Path) -> None:
    write(
        here,
        """
        [[replay.pipelines]]
        run = "feed:everything"
        [replay.pipelines.impose]
        clock = 2026-02-03T04:05:06Z
        seed = 4
        environment = {REGION = "eu"}
        """,
        feed="""
        import os, random, time, uuid
        from datetime import datetime, UTC

        def everything(ctx):
            assert datetime.now(UTC).isoformat().startswith("2026-02-03T04:05:06")
            assert dict(os.environ.items())["PATH"] if False else os.environ["REGION"] == "eu"
            assert os.environ.get("PATH") is None
            return [{"id": f"{uuid.uuid4()} {random.random()} {time.time()}"}]
        """,
    )
    done, outcomes = ran(command, here)

    assert (done.code, outcomes["everything"]["status"]) == (0, "passed"), done.text


@pytest.mark.parametrize(
    ("body", "settings", "status", "words"),
    [
        (
            "raise ValueError('no feed')",
            "",
            "errored",
            "the first run raised ValueError: no feed (at feed.py:4)",
        ),
        ("raise SystemExit(3)", "", "errored", "the first run raised SystemExit: 3"),
        ("os._exit(7)", "", "errored", "its process ended with exit code 7"),
        (
            "threading.Event().wait()",
            "timeout = 0.3",
            "errored",
            "a run and its replay took longer than the 0.3 s",
        ),
        ("while True: pass", "timeout = 0.3", "errored", "does the pipeline end? allow more with timeout"),
        ("bytearray(800 << 20)", "memory = 100", "errored", "more than the 100 MiB of memory allowed"),
        ("return None", "", "failed", "yielded nothing and wrote nothing, so that nothing was compared"),
        ("return 7", "", "errored", "the pipeline yielded a value of type int"),
        (
            "return ({'id': n} for n in itertools.count())",
            "max_objects = 9",
            "errored",
            "more than 9 objects",
        ),
        ("socket.create_connection(('192.0.2.1', 80))", "", "errored", "tried to reach '192.0.2.1'"),
        ("threading.Thread(target=threading.Event().wait).start(); return [{'id': 'a'}]", "", "passed", ""),
        ("print('x' * 100_000); return [{'id': 'a'}]", "", "passed", ""),
    ],
)
def test_a_pipeline_that_misbehaves_is_told_and_takes_nothing_with_it(
    body: str, settings: str, status: str, words: str, command: Command, here: Path
) -> None:
    write(
        here,
        f"""
        [[replay.pipelines]]
        run = "feed:bad"
        hash_seeds = false
        {settings}
        [[replay.pipelines]]
        run = "feed:good"
        hash_seeds = false
        """,
        feed=f"import itertools, os, socket, threading\n\ndef bad(ctx):\n    {body}\n\n{GOOD}",
    )
    done, outcomes = ran(command, here)

    assert (outcomes["bad"]["status"], outcomes["good"]["status"]) == (status, "passed"), done.text
    assert done.code == (0 if status == "passed" else 1)
    assert words in done.text
    assert "Traceback" not in outcomes["bad"].get("reason", "")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("[replay]", "understudy.toml:1:2: 'pipelines' is missing"),
        ("[replay]\npipelines = []", "understudy.toml:2:13"),
        ('[[replay.pipelines]]\nrun = "feed"', "understudy.toml:2:7: 'run': must read module:function"),
        ('[[replay.pipelines]]\nrun = "feed:good"\ncompare = "all"', "understudy.toml:3:11"),
        ('[[replay.pipelines]]\nrun = "feed:good"\ntimeout = 0', "understudy.toml:3:11"),
        ('[[replay.pipelines]]\nrun = "feed:good"\nworlds = "feed:w"', "did you mean 'world'?"),
        (
            '[[replay.pipelines]]\nrun = "feed:god"',
            "feed.py: has no 'god', which 'feed:god' names (did you mean 'good'?)",
        ),
        (
            '[[replay.pipelines]]\nrun = "feeds:good"',
            "no module 'feeds' for 'feeds:good' (did you mean 'feed'?)",
        ),
        ('[[replay.pipelines]]\nrun = "broken:good"', "broken.py:1: is no Python"),
        ('[replay]\npath = ["../"]\n[[replay.pipelines]]\nrun = "feed:good"', "outside"),
        ('[replay]\npath = ["lib"]\n[[replay.pipelines]]\nrun = "feed:good"', "lib: is no folder"),
        (
            '[testbed]\nsuites = ["a.json"]',
            "has no [replay] table (write it, or name a pipeline as module:function)",
        ),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(
    table: str, words: str, command: Command, here: Path
) -> None:
    write(here, table, feed=GOOD, broken="def broken(:\n")
    done = command("replay")

    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize(
    ("text", "run", "words"),
    [
        ("import nothing_such\n" + GOOD, "feed:good", "'feed' cannot be imported: ModuleNotFoundError"),
        ("raise SystemExit(3)\n" + GOOD, "feed:good", "'feed' cannot be imported: SystemExit: 3"),
        ("good = 7\n", "feed:good", "'feed:good' is no function but a int"),
        ("def good():\n    return []\n", "feed:good", "good() cannot be called with the context"),
        ("class Feeds:\n    pass\n", "feed:Feeds.good", "'feed' has no 'good'"),
    ],
)
def test_what_shows_only_when_it_is_imported_is_told_in_its_case(
    text: str, run: str, words: str, command: Command, here: Path
) -> None:
    write(here, f'[[replay.pipelines]]\nrun = "{run}"\n', feed=text)
    done, outcomes = ran(command, here)

    (outcome,) = outcomes.values()
    assert (done.code, outcome["status"]) == (1, "errored")
    assert words in outcome["reason"]


def test_a_pipeline_can_be_named_on_the_command_line(command: Command, here: Path) -> None:
    (here / "feed.py").write_text(
        "def made():\n    return ['a', 'b']\n\n"
        "def swapped(ctx, names):\n    return [{'id': n} for n in (names[::-1] if ctx.is_replay else names)]\n",
        "utf-8",
    )
    assert command("replay", "feed:swapped", "--world", "feed:made").code == 0
    done = command("replay", "feed:swapped", "--world", "feed:made", "--ordered")

    assert done.code == 1
    assert "rerun: understudy replay feed:swapped --world feed:made --ordered --case " in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["feed:none"], "has no 'none'"),
        (["feed:good", "--env", "local"], "--env has no meaning for one on the command line"),
        (["--ids"], "--ids is for a pipeline on the command line"),
        (["feed:good", "--world", "feed"], "must read module:function"),
        (["nowhere"], "nowhere"),
    ],
)
def test_a_wrong_command_line_is_refused(
    arguments: list[str], words: str, command: Command, here: Path
) -> None:
    write(here, '[[replay.pipelines]]\nrun = "feed:good"\n', feed=GOOD)
    done = command("replay", *arguments)

    assert done.code == 2
    assert words in done.err


def test_worker_processes_and_shards_give_the_same_outcomes(command: Command, here: Path) -> None:
    write(
        here,
        "".join(
            f'[[replay.pipelines]]\nrun = "feed:good"\nname = "{n}"\nhash_seeds = false\n' for n in range(3)
        ),
        feed=GOOD,
    )
    assert list(ran(command, here, "--workers", "2")[1]) == ["0", "1", "2"]
    assert list(ran(command, here, "--shard", "1/2")[1] | ran(command, here, "--shard", "2/2")[1]) != []
    done, outcomes = ran(command, here, "--concurrency", "3")
    assert (done.code, sorted(outcomes)) == (0, ["0", "1", "2"])


def test_two_projects_with_modules_of_one_name_do_not_meet(command: Command, here: Path) -> None:
    for name, text in (("one", GOOD), ("two", GOOD.replace("'a'", "ctx.context_id"))):
        (here / name).mkdir()
        write(here / name, '[[replay.pipelines]]\nrun = "feed:good"\n', feed=text)

    assert [command("replay", name).code for name in ("one", "two", "one")] == [0, 1, 0]
    assert "feed" not in sys.modules


def test_an_interrupted_replay_leaves_no_process_behind(here: Path) -> None:
    write(
        here,
        '[[replay.pipelines]]\nrun = "feed:stuck"\n',
        feed="""
        import os, threading

        def stuck(ctx):
            with open("pid", "w") as file:
                file.write(str(os.getpid()))
            threading.Event().wait()
        """,
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "understudy", "replay"],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    deadline = time.monotonic() + 30
    while not ((here / "pid").exists() and (here / "pid").read_text()):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
    process.terminate()
    process.communicate(timeout=30)

    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int((here / "pid").read_text()), 0)
