"""Whatever runs the units: the same outcomes in the same order, and the same bytes in every report, times aside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from e2e.small_project import SmallProject, case, route
from testbed.recording_server import Answer, Seen

WAYS = [
    [],
    ["--executor", "serial"],
    ["--executor", "concurrent"],
    ["--concurrency", "8"],
    ["--executor", "processes"],
    ["--workers", "3"],
    ["--shuffle", "--seed", "0"],
]
_TIMES = [
    (re.compile(r'"(durationMs|startedAt)": ("[^"]*"|[0-9.e-]+)'), r'"\1": 0'),
    (re.compile(r'(time|timestamp)="[^"]*"'), r'\1=""'),
    (re.compile(r"\b[0-9.,]+\s(ms|s|min)\b"), "0 s"),
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]+(\+00:00|Z| UTC)?"), "then"),
    (re.compile(r"(?i)(date): [A-Z][a-z]{2}, [^\n\\<]*GMT"), r"\1: then"),
]


@pytest.fixture
def mixed(small: SmallProject, monkeypatch: pytest.MonkeyPatch) -> SmallProject:
    """Every kind of outcome, secrets in two of them, tied cases and a case that runs last."""
    monkeypatch.setenv("FIRST_SECRET", "correct-horse-battery")
    monkeypatch.setenv("SECOND_SECRET", "staple-orbit-lantern")
    small.project(
        environment=(
            '[environments.here.variables]\none = {env = "FIRST_SECRET"}\ntwo = {env = "SECOND_SECRET"}\n'
        ),
        rest='[[known]]\ncase = "testbed::suite.json::http/flaky/wobbles"\nreason = "ticket 9"',
        testbed='scripts = ["more.yaml"]\nroute_coverage = 50\ninclude_generated = true',
    )
    small.suite(
        route("fine", *(case(f"number {number}", tags=["many"]) for number in range(12))),
        route("secret", case("second", 404, input={"query": {"q": "${two}"}})),
        route("tidy", case("tidies up", **{"finally": True})),
        route("flaky", case("wobbles")),
        route("make", case("makes", capture={"id": "$.id"}), case("uses", input={"query": {"id": "${id}"}})),
        route("gone", case("refused", input={"headers": {"bad\nname": "x"}})),
        route("socket", case("skipped"), websocket=True),
        graphql={
            "endpoints": [
                {
                    "name": "shop",
                    "path": "/graphql",
                    "cases": [{"name": "asks", "input": {"query": "{a}"}, "expect": {"status": 200}}],
                }
            ]
        },
    )
    small.write(
        "more.yaml",
        "http:\n"
        "  - {operation: secret, name: first, query: {q: '${one}'}, expect: {status: 201}}\n"
        "  - {operation: fine, name: shape, expect: {json: {'$.n': 2, '$.list': [1, 2]}, bodyContains: [zebra]}}\n",
    )

    def echo(seen: Seen) -> Answer:
        return Answer({"you said": seen.query["q"]})

    small.answers(
        fine=Answer({"n": 1, "list": [1, 3]}),
        secret=echo,
        tidy=200,
        flaky=503,
        make=Answer({"id": 4}),
        graphql=200,
    )
    return small


def without_times(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    for pattern, instead in _TIMES:
        text = pattern.sub(instead, text)
    return text


def all_reports(small: SmallProject, way: list[str], folder: str) -> dict[str, str]:
    files = {name: small.path(f"{folder}/{name}") for name in ("json", "junit", "html", "report")}
    result = small.command(
        "testbed",
        "run",
        "--project",
        str(small.folder),
        *way,
        *(word for name, file in files.items() for word in (f"--{name}", str(file))),
    )
    assert result.code == 1, result.err
    return {name: without_times(file) for name, file in files.items()}


def test_every_report_has_the_same_bytes_however_the_units_are_run(mixed: SmallProject) -> None:
    first, *others = [all_reports(mixed, way, f"out{number}") for number, way in enumerate(WAYS)]
    for way, reports in zip(WAYS[1:], others, strict=True):
        for name, text in reports.items():
            assert text == first[name], (way, name)
    outcomes = mixed.outcomes("out0/json")
    assert set(outcomes.values()) == {"passed", "failed", "errored", "skipped"}
    assert [name for name in outcomes if name.startswith("http/fine/number")] == [
        f"http/fine/number {number}" for number in range(12)
    ]
    for name in first:
        assert "correct-horse" not in first[name]
        assert "staple-orbit" not in first[name]
    assert "<secret 1>" in first["json"]
    assert "<secret 2>" in first["json"]


def test_a_selection_gives_the_same_bytes_again(mixed: SmallProject) -> None:
    ways = [["-k", "second or number"], ["-k", "second or number", "--workers", "2"]]
    first, second = [all_reports(mixed, way, f"out{number}") for number, way in enumerate(ways)]
    assert first == second


def test_a_shuffled_run_asks_in_another_order_and_reports_in_the_same(mixed: SmallProject) -> None:
    mixed.run("--json", str(mixed.path("a.json")))
    asked = list(mixed.asked)
    mixed.server.seen.clear()
    mixed.run("--shuffle", "--seed", "5", "--json", str(mixed.path("b.json")))
    assert mixed.asked != asked
    assert sorted(mixed.asked) == sorted(asked)
    assert mixed.asked[-1] == "tidy"
    assert list(mixed.outcomes("a.json")) == list(mixed.outcomes("b.json"))
    shuffled = list(mixed.asked)
    mixed.server.seen.clear()
    mixed.run("--shuffle", "--seed", "5")
    assert mixed.asked == shuffled


def test_a_third_partys_act_tells_the_same_however_it_is_run(
    small: SmallProject, tiny_is_installed: None
) -> None:
    names = [
        "pass-1",
        "fail-1",
        "raise-1",
        "refuse-1",
        "silent-1",
        "rows-1",
        "hit-a",
        "target-1",
        "pass-slow",
    ]
    units = ", ".join(f'["{name}"]' for name in names)
    small.write(
        "understudy.toml",
        f'[environments.here]\nbase_url = "{small.server.url}"\n[tiny]\nmocks = ["a", "b"]\n'
        f'known = {{"fail-1" = "2999-01-01"}}\nunits = [["last-clean"], {units}, ["pass-2", "fail-2", "pass-3"]]\n',
    )
    reports = []
    for number, way in enumerate(WAYS):
        assert small.run(*way, "--json", str(small.path(f"{number}.json"))).code == 1
        reports.append(re.sub(r"0x[0-9a-f]+", "0x", without_times(small.path(f"{number}.json"))))
    outcomes = small.outcomes("0.json")
    assert list(outcomes)[:6] == ["last-clean", "pass-1", "fail-1", "raise-1", "refuse-1", "silent-1"]
    assert outcomes["mock b is dead"] == "failed"
    assert small.report("0.json")["summary"] == {
        "total": 16,
        "passed": 9,
        "failed": 3,
        "errored": 3,
        "skipped": 0,
        "known": 1,
    }
    assert all(report == reports[0] for report in reports[1:])
