"""What is run: `-k`, `-m`, `--case`, `--rerun-failed`, `-x`, `--list`, and the rerun command under a failure."""

from __future__ import annotations

import shlex

import pytest

from e2e.small_project import SmallProject, case, route


@pytest.fixture
def shop(small: SmallProject) -> SmallProject:
    small.project()
    small.suite(
        route("cart", case("adds", tags=["smoke"]), case("empties", tags=["smoke", "slow"])),
        route("orders", case("ships: it's “late” $HOME", tags=["slow"])),
        route("Search", case("finds")),
    )
    small.answers(cart=200, orders=500, Search=200)
    return small


ADDS, EMPTIES, FINDS = "http/cart/adds", "http/cart/empties", "http/Search/finds"
SHIPS = "http/orders/ships: it's “late” $HOME"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["-k", "cart"], [ADDS, EMPTIES]),
        (["-k", "cart and not empties"], [ADDS]),
        (["-k", "CART or search"], [ADDS, EMPTIES, FINDS]),
        (["-k", "suite.json and smoke"], [ADDS, EMPTIES]),
        (["-m", "smoke"], [ADDS, EMPTIES]),
        (["-m", "smoke and not slow"], [ADDS]),
        (["-m", "SLOW", "-k", "cart"], [EMPTIES]),
        (["-m", "smok"], []),
        (
            ["--case", f"testbed::suite.json::{FINDS}", "--case", f"testbed::suite.json::{ADDS}"],
            [ADDS, FINDS],
        ),
        (["--case", f"testbed::suite.json::{FINDS}", "-k", "cart"], []),
    ],
)
def test_only_what_is_asked_for_is_listed_and_run(
    shop: SmallProject, arguments: list[str], names: list[str]
) -> None:
    listed = shop.run("--list", *arguments)
    assert listed.out.splitlines() == [f"testbed::suite.json::{name}" for name in names]
    assert shop.asked == []
    done = shop.run("--json", str(shop.path("report.json")), *arguments)
    if not names:
        assert (listed.code, done.code) == (5, 5)
        assert "no case is selected by" in done.err
        assert arguments[-1] in done.err
        return
    assert (listed.code, done.code) == (0, 0)
    assert list(shop.outcomes()) == names
    assert len(shop.asked) == len(names)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-k", "cart and"], "-k"),
        (["-m", "(smoke"], "-m"),
        (
            ["--case", "testbed::suite.json::http/cart/add"],
            "did you mean 'testbed::suite.json::http/cart/adds'?",
        ),
        (["--shard", "3/2"], "'3/2' is no shard"),
        (["--shard", "1/2", "--durations", "nowhere.json"], "nowhere.json"),
    ],
)
def test_a_wrong_selection_is_wrong_input_and_nothing_is_run(
    shop: SmallProject, arguments: list[str], says: str
) -> None:
    result = shop.run(*arguments)
    assert result.code == 2
    if not says.startswith("-"):
        assert says in result.err
    assert result.err.startswith("error: ")
    assert shop.asked == []


def test_the_rerun_command_under_a_failure_reruns_just_that_case(shop: SmallProject) -> None:
    result = shop.run("--env", "here", "--seed", "7")
    assert result.code == 1
    (line,) = [line for line in result.out.splitlines() if line.strip().startswith("rerun: ")]
    words = shlex.split(line.partition("rerun: ")[2])
    assert words == [
        *("understudy", "run", str(shop.folder), "--env", "here", "--seed", "7"),
        *("--case", f"testbed::suite.json::{SHIPS}"),
    ]
    shop.server.seen.clear()
    again = shop.command(*words[1:])
    assert again.code == 1
    assert shop.asked == ["orders"]
    assert "1 failed in" in again.out.splitlines()[-1]


def test_the_rerun_command_of_a_suite_without_a_project_works_too(shop: SmallProject) -> None:
    suite = str(shop.path("suite.json"))
    result = shop.command("testbed", "run", suite, "--base-url", shop.server.url, "--include-generated")
    (line,) = [line for line in result.out.splitlines() if line.strip().startswith("rerun: ")]
    words = shlex.split(line.partition("rerun: ")[2])
    shop.server.seen.clear()
    assert shop.command(*words[1:]).code == 1
    assert shop.asked == ["orders"]


def test_rerun_failed_runs_what_failed_when_it_last_ran(shop: SmallProject) -> None:
    shop.answers(cart=500)
    assert shop.run().code == 1
    shop.server.seen.clear()
    shop.answers(cart=200)
    assert shop.run("--rerun-failed").code == 1
    assert shop.asked == ["cart", "cart", "orders"]
    shop.server.seen.clear()
    assert shop.run("-k", "search").code == 0
    assert shop.run("--rerun-failed").code == 1
    assert shop.asked == ["Search", "orders"]
    shop.answers(orders=200)
    assert shop.run("--rerun-failed").code == 0
    shop.server.seen.clear()
    nothing = shop.run("--rerun-failed")
    assert nothing.code == 5
    assert "nothing to rerun" in nothing.err
    assert shop.run("--rerun-failed", "-k", "cart").code == 5
    assert shop.asked == []


def test_a_first_run_has_nothing_to_rerun(shop: SmallProject) -> None:
    assert shop.run("--rerun-failed").code == 5
    assert shop.asked == []


def test_stopping_at_the_first_failure_says_what_was_left(shop: SmallProject) -> None:
    shop.answers(cart=500)
    result = shop.run("-x", "--json", str(shop.path("report.json")))
    assert result.code == 1
    assert shop.outcomes() == {ADDS: "failed"}
    assert shop.report()["stopped"] == "stopped at the first failure (-x)"
    assert "3 of 4 cases not run" in result.out.splitlines()[-1]


def test_a_failure_in_the_last_case_stops_nothing(shop: SmallProject) -> None:
    shop.answers(orders=200, Search=500)
    assert shop.run("-x", "--json", str(shop.path("report.json"))).code == 1
    assert shop.report()["stopped"] == ""


def test_a_selected_case_brings_what_it_needs_and_its_place_in_the_report(small: SmallProject) -> None:
    small.project(rest='[[known]]\ncase = "testbed::suite.json::http/login/logs in"\nreason = "slow today"')
    small.suite(
        route("login", case("logs in", 200)),
        route("look", case("looks", needs=["logs in"]), case("alone")),
        route("leave", case("leaves", needs=["logs in"], **{"finally": True})),
    )
    small.answers(login=500, look=200, leave=200)
    result = small.run(
        "--case", "testbed::suite.json::http/look/looks", "--json", str(small.path("report.json"))
    )
    assert small.asked == ["login", "leave"]
    assert small.outcomes() == {
        "http/login/logs in": "failed",
        "http/look/looks": "skipped",
        "http/leave/leaves": "passed",
    }
    assert small.report()["summary"]["known"] == 1
    assert result.code == 0


def test_every_rerun_command_that_is_printed_works(small: SmallProject) -> None:
    small.project(testbed="route_coverage = 100")
    small.suite(route("fine", case("a")), route("bad", case("b")), route("idle"))
    small.answers(fine=200, bad=500)
    result = small.run()
    assert "routes were reached" in result.out
    reruns = [line.partition("rerun: ")[2] for line in result.out.splitlines() if "rerun: " in line]
    assert len(reruns) == 1
    for rerun in reruns:
        assert small.command(*shlex.split(rerun)[1:]).code == 1
