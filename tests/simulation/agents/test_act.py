"""Scenarios of a project are played each in a process of its own: one report, whatever an agent does to itself."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.command import UNDERSTUDY, Done, environment, understudy
from project.processes import is_alive, pid_in, wait_until

AGENTS = """\
import asyncio
import os
import socket
import subprocess
import sys
import time

MODULE_STATE = []


def enriches(harness):
    harness.run_action("clerk", "enrich", "indicator--1")
    MODULE_STATE.append("played")
    return {"played": len(MODULE_STATE)}


async def waits_for_people(harness):
    async def send(rows):
        await asyncio.sleep(0)
        return rows

    guarded = harness.guard(send, action_type="ingest", agent_id="clerk", impact_level="high")
    return [await guarded(1), await guarded(2)]


def gives_up(harness):
    harness.run_action("clerk", "export")


def asserts(harness):
    harness.run_action("clerk", "enrich")
    assert harness.recorded_actions == [], "it must not act"


def collects(harness):
    from understudy.core.expect import expect

    harness.run_action("clerk", "enrich")
    with expect() as check:
        check.eq(1, 2)
        check.eq("a", "b")


def crashes(harness):
    harness.run_action("clerk", "enrich")
    raise LookupError("no such row")


def leaves(harness):
    sys.exit(3)


def dies(harness):
    os._exit(7)


def hangs(harness):
    while True:
        time.sleep(0.01)


def keeps_a_child(harness):
    child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    with open("child.new", "w") as file:
        file.write(str(child.pid))
    os.rename("child.new", "child.pid")
    child.wait()


def calls_home(harness):
    harness.run_action("clerk", "enrich")
    socket.create_connection(("192.0.2.1", 80), timeout=1)


def idles(harness):
    def refund():
        raise AssertionError("it ran")

    harness.guard(refund)
    return "idle"


def takes_nothing():
    pass


def yields(harness):
    yield harness.run_action("clerk", "enrich")


def prints(harness):
    print("from the agent")
    harness.run_action("clerk", "enrich")
"""
SCENARIO = """
[[agents.scenarios]]
name = "{agent}"
agent = "staff:{agent}"
{more}
"""
ENRICHED = 'expect = [{action = "enrich", status = "approved", times = 1}]'
SCENARIOS = {
    "enriches": f"{ENRICHED}\nreturns = {{played = 1}}",
    "waits_for_people": (
        'reviews = {ingest = [{answer = "approve", reviewer = "ann", after = 90}, "approve"]}\n'
        'expect = [{action = "ingest", status = "approved", times = 2}]\nreturns = [1, 2]'
    ),
    "gives_up": 'expect = [{action = "export", status = "denied"}]',
    "asserts": ENRICHED,
    "collects": ENRICHED,
    "crashes": ENRICHED,
    "leaves": ENRICHED,
    "dies": ENRICHED,
    "hangs": f"{ENRICHED}\ntimeout = 0.3",
    "calls_home": ENRICHED,
    "idles": f'{ENRICHED}\nreviews = {{ingest = ["approve", "reject"]}}\nreturns = "busy"',
    "takes_nothing": ENRICHED,
    "yields": ENRICHED,
    "prints": ENRICHED,
}


ALONE = {"keeps_a_child": ENRICHED}


def project(folder: Path, *agents: str) -> Path:
    (folder / "staff.py").write_text(AGENTS)
    declared = (SCENARIO.format(agent=agent, more={**SCENARIOS, **ALONE}[agent]) for agent in agents)
    (folder / "understudy.toml").write_text("[agents]\n" + "".join(declared))
    return folder


def outcomes(report: Path) -> dict[str, dict[str, Any]]:
    return {outcome["name"]: outcome for outcome in json.loads(report.read_text("utf-8"))["outcomes"]}


@pytest.fixture(scope="module", name="run")
def _run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, dict[str, dict[str, Any]]]:
    """All scenarios in one run, side by side."""
    folder = project(tmp_path_factory.mktemp("staff"), *SCENARIOS)
    done = understudy(["run", "--concurrency", "4", "--json", "r.json"], cwd=folder)
    return done, outcomes(folder / "r.json")


Run = tuple[Done, dict[str, dict[str, Any]]]


def test_what_every_agent_did_to_itself_is_an_outcome_of_its_own(run: Run) -> None:
    done, found = run

    assert done.code == 1
    assert {name: found[name]["status"] for name in SCENARIOS} == {
        "enriches": "passed",
        "waits_for_people": "passed",
        "gives_up": "failed",
        "asserts": "failed",
        "collects": "failed",
        "crashes": "errored",
        "leaves": "errored",
        "dies": "errored",
        "hangs": "errored",
        "calls_home": "errored",
        "idles": "failed",
        "takes_nothing": "errored",
        "yields": "errored",
        "prints": "passed",
    }


def test_an_outcome_tells_what_the_agent_did(run: Run) -> None:
    found = run[1]["waits_for_people"]

    assert [action["status"] for action in found["details"]["actions"]] == ["pending", "approved", "approved"]
    assert found["details"]["actions"][1]["reviewedBy"] == "ann"
    assert found["details"]["toolRuns"] == {"send": 2}
    assert found["notes"] == ["2 actions: 2 approved; tools that ran: send 2 of 2"]


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("crashes", "the agent raised LookupError: no such row"),
        ("leaves", "the agent raised SystemExit: 3"),
        ("dies", "its process ended with exit code 7"),
        ("hangs", "the agent acted longer than the 0.3 s allowed"),
        ("calls_home", "an agent tried to reach '192.0.2.1'"),
        ("yields", "'staff:yields' yields, so that calling it does nothing"),
        ("takes_nothing", "takes_nothing() takes 0 positional arguments but 1 was given"),
    ],
)
def test_why_a_scenario_could_not_be_judged_is_said(agent: str, said: str, run: Run) -> None:
    assert said in run[1][agent]["reason"]


def test_an_error_names_the_line_of_the_agent_and_its_traceback_begins_there(run: Run) -> None:
    found = run[1]["crashes"]
    line = AGENTS.splitlines().index('    raise LookupError("no such row")') + 1

    assert found["location"] == {"file": "staff.py", "line": line}
    (trace,) = (each["text"] for each in found["attachments"] if each["name"] == "traceback")
    assert trace.splitlines()[1].endswith(f'staff.py", line {line}, in crashes')


def test_what_the_agent_asserts_fails_with_its_line_and_all_of_it(run: Run) -> None:
    line = AGENTS.splitlines().index('    assert harness.recorded_actions == [], "it must not act"') + 1
    (failure,) = run[1]["asserts"]["failures"]

    assert (failure["message"], failure["location"]) == (
        "it must not act",
        {"file": "staff.py", "line": line},
    )
    assert len(run[1]["collects"]["failures"]) == 2


def test_an_agent_that_gives_up_when_it_is_refused_fails(run: Run) -> None:
    (failure,) = run[1]["gives_up"]["failures"]

    assert failure["message"].startswith("the agent gave up when it was refused: 'clerk' may not export")


def test_an_agent_that_does_nothing_fails_in_every_way_at_once(run: Run) -> None:
    said = [failure["message"] for failure in run[1]["idles"]["failures"]]

    assert [message[:25] for message in said] == [
        "reviews of 'ingest': the ",
        "the agent took no action,",
        "action 'enrich' with stat",
        'the agent returned "idle"',
    ]
    assert "the script has 2 more answers" in said[0]


def test_what_an_agent_prints_does_not_get_into_the_report(run: Run) -> None:
    assert "from the agent" not in run[0].out


def test_a_guarded_tool_that_no_agent_calls_fails_the_whole_unless_it_is_listed(tmp_path: Path) -> None:
    folder = project(tmp_path, "idles", "enriches")
    settings = folder / "understudy.toml"
    text = settings.read_text().replace("reviews", "other_actions = true\n# reviews")

    codes = []
    for listed in ("", 'uncalled_tools = ["refund"]\n'):
        settings.write_text(text.replace("[agents]\n", f"[agents]\n{listed}"))
        understudy(["run", "--json", "r.json"], cwd=folder)
        codes.append(outcomes(folder / "r.json")["every guarded tool is called"])

    assert [outcome["status"] for outcome in codes] == ["failed", "passed"]
    assert "guarded tools that no agent calls, so that nothing is known of them: refund" in str(codes[0])


def test_tools_are_not_judged_as_long_as_a_scenario_came_to_no_end(tmp_path: Path) -> None:
    folder = project(tmp_path, "idles", "crashes")

    understudy(["run", "--json", "r.json"], cwd=folder)

    assert list(outcomes(folder / "r.json")) == ["idles", "crashes"]


def test_agents_work_in_the_folder_of_the_project_wherever_it_is_run_from(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    project(tmp_path / "shop", "crashes")

    understudy(["run", "shop", "--json", "r.json"], cwd=tmp_path)

    assert outcomes(tmp_path / "r.json")["crashes"]["location"]["file"] == "staff.py"


def test_worker_processes_play_scenarios_too_and_say_the_same(tmp_path: Path) -> None:
    folder = project(tmp_path, "enriches", "waits_for_people", "asserts")

    reports = []
    for workers in ("1", "2"):
        understudy(["run", "--workers", workers, "--json", "r.json"], cwd=folder)
        reports.append(
            {
                n: (o["status"], o.get("details"), o["failures"])
                for n, o in outcomes(folder / "r.json").items()
            }
        )

    assert reports[0] == reports[1]
    assert list(reports[0]) == ["enriches", "waits_for_people", "asserts", "every guarded tool is called"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing_of_an_agent_behind(number: signal.Signals, tmp_path: Path) -> None:
    folder = project(tmp_path, "keeps_a_child")
    run = subprocess.Popen(
        [UNDERSTUDY, "run"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        child = pid_in(folder / "child.pid")
        run.send_signal(number)
        assert run.wait(20) == 130
    finally:
        run.kill()
        run.wait()

    wait_until(lambda: not is_alive(child), "the child of the agent lives on")


def test_what_is_wrong_in_the_project_file_is_told_before_anything_is_played(tmp_path: Path) -> None:
    folder = project(tmp_path, "enriches")
    (folder / "staff.py").unlink()

    done = understudy(["run"], cwd=folder)

    assert (done.code, done.out) == (2, "")
    assert "no module 'staff' for 'staff:enriches'" in done.err
