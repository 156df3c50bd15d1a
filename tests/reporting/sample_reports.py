"""Reports for the tests of this room: one with everything in it, one hostile, one large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from understudy.core.outcome import Attachment, Failure, Known, Location, Outcome, Status
from understudy.core.report import Plan, Report, Summary

HOSTILE = "<script>alert(1)</script>\"'&]]>\x1b[31m\x00\r\n\u202e\ud800::error::x"


def outcome(name: str = "a", status: Status = Status.PASSED, file: str = "shop.json", **more: Any) -> Outcome:
    """An outcome of the testbed."""
    more.setdefault("duration_ms", 1.5)
    return Outcome(id=f"testbed::{file}::{name}", act="testbed", name=name, status=status, **more)


def failed(name: str = "b", message: str = "status is 500", file: str = "shop.json", **more: Any) -> Outcome:
    """A failed outcome with one failure."""
    more.setdefault("failures", (Failure(message, 200, 500),))
    return outcome(name, Status.FAILED, file, **more)


def report_of(outcomes: Iterable[Outcome], **more: Any) -> Report:
    """A report with a summary that is right."""
    outcomes = list(outcomes)
    summary = Summary()
    for each in outcomes:
        summary.add(each)
    more.setdefault("plan", Plan(fingerprint="f00d", cases=len(outcomes)))
    more.setdefault("started_at", "2026-03-01T10:00:00+00:00")
    return Report(summary, outcomes, **more)


def full_report() -> Report:
    """Every status, every field, two acts, three files, rows under parents, a known failure."""
    exchange = Attachment(
        "exchange",
        "POST /items HTTP/1.1\nHost: shop.test\nAuthorization: <secret 1>\n\n"
        '{"sku": "a-1"}\n\n'
        'HTTP/1.1 500 Internal Server Error\nContent-Type: application/json\n\n{"error": "boom"}\n',
    )
    command = "curl -X POST http://shop.test/items -H 'Authorization: <secret 1>' -d '{\"sku\": \"a-1\"}'"
    curl = Attachment("curl", command)
    return report_of(
        [
            outcome("http/getItem/first item", location=Location("suite.json", 12, 5), tags=("smoke",)),
            outcome("http/listItems/all", duration_ms=42.0),
            failed(
                "http/createItem/new item",
                location=Location("scripts/items.yaml", 31, 5),
                failures=(
                    Failure(
                        "status is 500, expected 201",
                        201,
                        500,
                        location=Location("scripts/items.yaml", 38, 7),
                    ),
                    Failure(
                        "body differs at $.item",
                        {"item": {"sku": "a-1", "stock": 3, "tags": ["new"]}},
                        {"item": {"sku": "a-1", "stock": 0, "tags": []}},
                        '  "sku": "a-1",\n- "stock": 3,\n+ "stock": 0,\n- "tags": ["new"]\n+ "tags": []',
                        Location("scripts/items.yaml", 40, 7),
                    ),
                ),
                notes=("no status was expected: any below 400 would do",),
                attachments=(exchange, curl),
                rerun="understudy run --case 'testbed::shop.json::http/createItem/new item'",
                details={"protocol": "http", "attempts": 1},
                duration_ms=128.4,
            ),
            outcome(
                "http/feed/echo",
                Status.SKIPPED,
                reason="websocket cases require a websocket runner",
            ),
            outcome(
                "graphql/shop/all",
                Status.ERRORED,
                file="graphql.json",
                reason="no response from http://127.0.0.1:8080/graphql: connection refused",
                rerun="understudy run --case testbed::graphql.json::graphql/shop/all",
                location=Location("graphql.json", 3),
            ),
            failed(
                "graphql/shop/prices",
                file="graphql.json",
                known=Known("prices are rounded (SHOP-114)", "2026-03-10"),
            ),
            Outcome(id="rules::rules/pin.yaml::table", act="rules", name="table", status=Status.FAILED),
            *(
                Outcome(
                    id=f"rules::rules/pin.yaml::table[{label}]",
                    act="rules",
                    name=f"table[{label}]",
                    status=Status.FAILED if label == "latest" else Status.PASSED,
                    failures=(Failure("deny is empty", ["image is not pinned"], []),)
                    if label == "latest"
                    else (),
                    parent="rules::rules/pin.yaml::table",
                    duration_ms=0.2,
                )
                for label in ("digest", "latest", "tag")
            ),
            *(outcome(f"http/search/page {number}", file="search.json") for number in range(40)),
        ],
        plan=Plan(fingerprint="f00dcafe", cases=60, shard=2, shards=3, selection="-m smoke", seed=7),
        stopped="interrupted",
        evidence={"testbed": {"routes": {"POST /items": 1, "GET /items": 2}, "seen": ["a", "b"]}},
        duration_ms=812.0,
        attachments=(Attachment("output of the app under test", "listening\nTraceback: boom\n"),),
    )


def hostile_report() -> Report:
    """Everything that can hold text holds text that would break out of where it is shown."""
    bad = Outcome(
        id=f"testbed::{HOSTILE}",
        act=HOSTILE,
        name=HOSTILE,
        status=Status.FAILED,
        failures=(
            Failure(
                HOSTILE, {HOSTILE: HOSTILE}, [HOSTILE, float("nan")], f"- {HOSTILE}", Location(HOSTILE, 1)
            ),
        ),
        reason=HOSTILE,
        location=Location(HOSTILE, 1, 1),
        tags=(HOSTILE,),
        notes=(HOSTILE,),
        attachments=(Attachment(HOSTILE, HOSTILE, HOSTILE),),
        rerun=HOSTILE,
        details={HOSTILE: HOSTILE},
    )
    return report_of(
        [
            bad,
            Outcome(id=f"x{HOSTILE}", act="x", name=HOSTILE, status=Status.PASSED),
            Outcome(id=f"y{HOSTILE}", act="y", name=HOSTILE, status=Status.SKIPPED, reason=HOSTILE),
            Outcome(
                id=f"z{HOSTILE}", act="z", name=HOSTILE, status=Status.FAILED, known=Known(HOSTILE, HOSTILE)
            ),
        ],
        stopped=HOSTILE,
        started_at=HOSTILE,
        evidence={HOSTILE: [HOSTILE]},
        plan=Plan(HOSTILE, 4, 1, 2, HOSTILE),
        attachments=(Attachment(HOSTILE, HOSTILE),),
    )


@dataclass(frozen=True)
class Generated:
    """As many outcomes as you like, made anew at each reading and never held; every thousandth one fails."""

    count: int

    def __iter__(self) -> Iterator[Outcome]:
        for number in range(self.count):
            file = f"suites/part-{number // 1000:03}.json"
            if number % 1000 == 999:
                yield failed(f"http/route/case {number}", f"body of {number} differs", file)
            else:
                yield outcome(f"http/route/case {number}", file=file)


def large_report(count: int) -> Report:
    """A report whose outcomes are not in memory."""
    bad = count // 1000
    return Report(
        Summary(total=count, passed=count - bad, failed=bad),
        Generated(count),
        Plan("large", count),
        duration_ms=1.0,
    )
