"""One plan on several machines: shards are stable and whole together, and `merge` makes one run of them again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from e2e.small_project import SmallProject, case, route

NAMES = [f"r{number}" for number in range(12)]


@pytest.fixture
def wide(small: SmallProject) -> SmallProject:
    """Twelve routes with two cases each; one route answers wrongly."""
    small.project(testbed="route_coverage = 100")
    small.suite(*(route(name, case("a"), case("b")) for name in NAMES))
    small.answers(**dict.fromkeys(NAMES, 200) | {"r3": 500})
    return small


def shards(project: SmallProject, count: int, *arguments: str) -> list[str]:
    """Run every shard; the files of their reports."""
    files = []
    for index in range(1, count + 1):
        file = str(project.path(f"shard{index}.json"))
        result = project.run("--shard", f"{index}/{count}", "--json", file, *arguments)
        assert result.code in (0, 1)
        assert f"shard {index} of {count}" in result.out.splitlines()[-1]
        files.append(file)
    return files


def listed(project: SmallProject, count: int, *arguments: str) -> list[set[str]]:
    return [
        set(project.run("--list", "--shard", f"{index}/{count}", *arguments).out.splitlines())
        for index in range(1, count + 1)
    ]


def told(record: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    """What a report says of every case, in its order, but for times."""
    return [
        (outcome["id"], outcome["status"], [failure["message"] for failure in outcome["failures"]])
        for outcome in record["outcomes"]
    ]


@pytest.mark.parametrize("count", [2, 5, 26])
def test_all_shards_together_run_every_case_exactly_once(wide: SmallProject, count: int) -> None:
    files = shards(wide, count)
    assert sorted(wide.asked) == sorted(name for name in NAMES for _ in "ab")
    ids = [outcome["id"] for file in files for outcome in json.loads(wide.path(file).read_text())["outcomes"]]
    cases = [identifier for identifier in ids if "::routes::" not in identifier]
    assert len(cases) == len(set(cases)) == 24


def test_a_unit_keeps_its_shard_when_others_come_and_go(wide: SmallProject) -> None:
    before = listed(wide, 4)
    wide.suite(
        route("new0", case("a")),
        *(route(name, case("a"), case("b")) for name in NAMES[2:]),
        route("new1", case("a")),
    )
    after = listed(wide, 4)
    stay = {name for shard in before for name in shard} & {name for shard in after for name in shard}
    assert len(stay) == 20
    assert [shard & stay for shard in before] == [shard & stay for shard in after]


@pytest.mark.parametrize("selection", [[], ["-k", "r1 or r3"]])
def test_merged_shards_tell_what_one_run_tells_in_the_same_order(
    wide: SmallProject, selection: list[str]
) -> None:
    files = shards(wide, 3, *selection)
    wide.run("--json", str(wide.path("whole.json")), *selection)
    merged = wide.command("merge", *reversed(files), "--json", str(wide.path("merged.json")))
    assert merged.code == 1
    whole, joined = wide.report("whole.json"), wide.report("merged.json")
    assert told(joined) == told(whole)
    assert joined["summary"] == whole["summary"]
    assert joined["evidence"] == whole["evidence"]
    assert joined["plan"] | {"fingerprint": ""} == whole["plan"] | {"fingerprint": ""}
    assert "2 failed" in merged.out.splitlines()[-1]
    assert "rerun: " in merged.out


def test_merge_writes_every_format(wide: SmallProject) -> None:
    files = shards(wide, 2)
    names = ("json", "junit", "html")
    outputs = [word for name in names for word in (f"--{name}", str(wide.path(f"out/merged.{name}")))]
    assert wide.command("merge", *files, *outputs).code == 1
    assert len(wide.report("out/merged.json")["outcomes"]) == 25
    for name in ("junit", "html"):
        text = wide.read(f"out/merged.{name}")
        assert "http/r11/b" in text
        assert "12 of 12 routes were reached" in text


def test_merge_judges_the_coverage_of_the_whole(wide: SmallProject) -> None:
    wide.suite(*(route(name, case("a")) for name in NAMES), route("idle"))
    wide.answers(r3=200)
    files = shards(wide, 2)
    merged = wide.command("merge", *files, "--json", str(wide.path("merged.json")))
    assert merged.code == 1
    last = wide.report("merged.json")["outcomes"][-1]
    assert last["id"] == "testbed::routes::coverage"
    assert last["status"] == "failed"
    assert "http/idle" in last["failures"][0]["message"]


def test_merge_finds_the_dead_mocks_of_a_third_partys_act(
    small: SmallProject, tiny_is_installed: None
) -> None:
    small.write(
        "understudy.toml",
        '[tiny]\nunits = [["hit-a"], ["hit-b"], ["pass-1"], ["pass-2"], ["pass-3"]]\nmocks = ["a", "b", "c"]\n',
    )
    files = shards(small, 3)
    assert not any("dead" in small.path(file).read_text() for file in files)
    merged = small.command("merge", *files, "--json", str(small.path("merged.json")))
    assert merged.code == 1
    small.run("--json", str(small.path("whole.json")))
    assert told(small.report("merged.json")) == told(small.report("whole.json"))
    assert small.outcomes("merged.json")["mock c is dead"] == "failed"
    assert [name for name in small.outcomes("merged.json") if "dead" in name] == ["mock c is dead"]


def test_merge_needs_the_act_whose_evidence_it_is_to_judge(wide: SmallProject) -> None:
    files = shards(wide, 2)
    for file in files:
        record = json.loads(wide.path(file).read_text())
        record["evidence"]["fancy"] = {"seen": 1}
        wide.path(file).write_text(json.dumps(record))
    result = wide.command("merge", *files)
    assert result.code == 2
    assert "the act 'fancy' of these reports is not installed" in result.err


def test_a_report_of_a_whole_run_is_not_concluded_twice(wide: SmallProject) -> None:
    wide.run("--json", str(wide.path("whole.json")))
    wide.command("merge", str(wide.path("whole.json")), "--json", str(wide.path("again.json")))
    assert told(wide.report("again.json")) == told(wide.report("whole.json"))


def test_merge_refuses_shards_of_different_plans(wide: SmallProject) -> None:
    first, second = shards(wide, 2)
    wide.suite(*(route(name, case("a")) for name in NAMES))
    wide.run("--shard", "2/2", "--json", second)
    result = wide.command("merge", first, second)
    assert result.code == 2
    assert "is a shard of another plan than" in result.err


def test_merge_refuses_a_shard_given_twice_and_one_that_is_missing(wide: SmallProject) -> None:
    files = shards(wide, 3)
    twice = wide.command("merge", files[0], files[0], files[1], files[2])
    assert (twice.code, "is shard 1 of 3, and so is" in twice.err) == (2, True)
    missing = wide.command("merge", files[0], files[2], "--json", str(wide.path("merged.json")))
    assert (missing.code, "shard 2 of 3 is missing" in missing.err) == (2, True)
    assert not wide.path("merged.json").exists()


def test_a_partial_merge_says_so_and_concludes_nothing(wide: SmallProject) -> None:
    wide.answers(r3=200)
    files = shards(wide, 3)
    result = wide.command("merge", "--partial", files[0], files[2], "--json", str(wide.path("merged.json")))
    assert result.code == 0
    assert "merged from 2 of 3 shards" in result.out
    assert "testbed::routes::coverage" not in wide.read("merged.json")


def test_a_merge_of_an_interrupted_shard_is_not_green(wide: SmallProject) -> None:
    wide.answers(r3=200)
    files = shards(wide, 2)
    record = json.loads(wide.path(files[1]).read_text())
    record["stopped"] = "interrupted"
    wide.path(files[1]).write_text(json.dumps(record))
    result = wide.command("merge", *files)
    assert result.code == 130
    assert "shard 2: interrupted" in result.out


def test_shards_are_balanced_by_the_durations_that_all_of_them_are_given(wide: SmallProject) -> None:
    wide.run("--json", str(wide.path("durations.json")))
    record = wide.report("durations.json")
    for outcome in record["outcomes"]:
        heavy = "r0/" in outcome["id"] or "r1/" in outcome["id"]
        outcome["durationMs"] = 1000.0 if heavy else 1.0
    wide.write("durations.json", json.dumps(record))
    durations = ["--durations", str(wide.path("durations.json"))]
    cut = listed(wide, 4, *durations)
    assert [sum("/r0/" in name or "/r1/" in name for name in shard) for shard in cut] == [1, 1, 1, 1]
    assert sorted(len(shard) for shard in cut) == [6, 6, 6, 6]
    wide.server.seen.clear()
    files = shards(wide, 4, *durations)
    assert sorted(wide.asked) == sorted(name for name in NAMES for _ in "ab")
    assert wide.command("merge", *files).code == 1
    without = str(wide.path("shard1.json"))
    wide.run("--shard", "1/4", "--json", without)
    refused = wide.command("merge", *files)
    assert (refused.code, "another plan" in refused.err) == (2, True)


def test_a_shard_without_a_case_passes_and_can_be_merged(small: SmallProject) -> None:
    small.project()
    small.suite(route("only", case("one")))
    small.answers(only=200)
    files = shards(small, 3)
    assert sorted(len(json.loads(small.path(file).read_text())["outcomes"]) for file in files) == [0, 0, 1]
    assert small.command("merge", *files).code == 0
