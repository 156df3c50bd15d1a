"""What came of a suite's cases: reports by protocol (`anvil.testbed.report.v1`), and several made one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, ClassVar, Self, TypeVar

from pydantic import Field

from understudy.core.errors import InputError
from understudy.testbed.shape import Flag, Integer, Number, SchemaShape, Shape

REPORT_SCHEMA_V1 = "anvil.testbed.report.v1"

Result = TypeVar("Result", bound=Shape)


class HTTPRunResult(Shape):
    """What came of one HTTP or WebSocket case; status 0 if there was no response."""

    operation: str = ""
    method: str = ""
    path: str = ""
    case: str = ""
    passed: Flag = False
    skipped: Flag = False
    status: Integer = 0
    error: str = ""
    failures: list[str] = Field(default_factory=list)
    duration_ms: Number = 0.0
    notes: list[str] = Field(default_factory=list)


class GraphQLRunResult(Shape):
    """What came of one GraphQL case; status 0 if there was no response."""

    endpoint: str = ""
    path: str = ""
    case: str = ""
    passed: Flag = False
    skipped: Flag = False
    status: Integer = 0
    error: str = ""
    failures: list[str] = Field(default_factory=list)
    duration_ms: Number = 0.0
    notes: list[str] = Field(default_factory=list)


class GRPCRunResult(Shape):
    """What came of one gRPC case; the code is empty if there was no answer."""

    service: str = ""
    method: str = ""
    case: str = ""
    passed: Flag = False
    skipped: Flag = False
    code: str = ""
    error: str = ""
    failures: list[str] = Field(default_factory=list)
    duration_ms: Number = 0.0
    notes: list[str] = Field(default_factory=list)


class QueueRunResult(Shape):
    """What came of one queue case."""

    queue: str = ""
    job: str = ""
    case: str = ""
    passed: Flag = False
    skipped: Flag = False
    error: str = ""
    failures: list[str] = Field(default_factory=list)
    duration_ms: Number = 0.0
    notes: list[str] = Field(default_factory=list)


# In each, `error` says why a case was not judged or was skipped, `failures` which expectations did not hold.
RunResult = HTTPRunResult | GRPCRunResult | GraphQLRunResult | QueueRunResult


class ReportSummary(Shape):
    """How many cases came to what; a case that could not be judged counts as failed."""

    total: Integer = 0
    passed: Integer = 0
    failed: Integer = 0
    skipped: Integer = 0


class Report(SchemaShape):
    """The results of a run, by protocol and in the order of the suite.

    >>> results = [HTTPRunResult(case="a", passed=True), HTTPRunResult(case="b", error="refused")]
    >>> report = Report.of(http=results)
    >>> report.summary.passed, report.summary.failed
    (1, 1)
    """

    SCHEMA: ClassVar[str] = REPORT_SCHEMA_V1
    WHAT: ClassVar[str] = "report"

    schema_: str = Field(default=REPORT_SCHEMA_V1, json_schema_extra={"const": REPORT_SCHEMA_V1})
    summary: ReportSummary = Field(default_factory=ReportSummary)
    http: list[HTTPRunResult] = Field(default_factory=list)
    grpc: list[GRPCRunResult] = Field(default_factory=list)
    graphql: list[GraphQLRunResult] = Field(default_factory=list)
    queue: list[QueueRunResult] = Field(default_factory=list)

    @classmethod
    def of(
        cls,
        *,
        http: Iterable[HTTPRunResult] = (),
        grpc: Iterable[GRPCRunResult] = (),
        graphql: Iterable[GraphQLRunResult] = (),
        queue: Iterable[QueueRunResult] = (),
    ) -> Self:
        """The report of these results, with the summary that they make."""
        report = cls()
        report.http.extend(http)
        report.grpc.extend(grpc)
        report.graphql.extend(graphql)
        report.queue.extend(queue)
        report.summary = summarize(report.results())
        return report

    def results(self) -> Iterator[RunResult]:
        """Every result, in the order in which the report writes them."""
        yield from self.http
        yield from self.grpc
        yield from self.graphql
        yield from self.queue


def summarize(results: Iterable[RunResult]) -> ReportSummary:
    """Count results: a skipped one only as skipped; one with an error or failures as failed.

    >>> summarize([QueueRunResult(skipped=True, error="no broker"), QueueRunResult(passed=True)]).skipped
    1
    """
    total = passed = skipped = 0
    for result in results:
        total += 1
        if result.skipped:
            skipped += 1
        elif result.passed and not result.error and not result.failures:
            passed += 1
    return ReportSummary(total=total, passed=passed, failed=total - passed - skipped, skipped=skipped)


def merge_reports(*reports: Report) -> Report:
    """One report with the results of all, in order, and the sum of their summaries; none make an empty one.

    >>> merge_reports(Report.of(queue=[QueueRunResult(passed=True)]), Report()).summary.total
    1
    """
    merged = Report()
    for number, report in enumerate(reports, 1):
        if not isinstance(report, Report):
            raise InputError(f"report {number} of {len(reports)} is no report but {type(report).__name__}")
        problem = Report.schema_problem(report.schema)
        if problem:
            raise InputError(f"report {number} of {len(reports)} cannot be merged: {problem}")
        merged.http.extend(report.http)
        merged.grpc.extend(report.grpc)
        merged.graphql.extend(report.graphql)
        merged.queue.extend(report.queue)
        for name in ReportSummary.model_fields:
            total = getattr(merged.summary, name) + getattr(report.summary, name)
            setattr(merged.summary, name, total)
        _add_unknown(merged, report)
        _add_unknown(merged.summary, report.summary)
    return merged


def trusted(kind: type[Result], **values: Any) -> Result:
    """The same result as the constructor's, at half its cost: the values, by Python's names, are not validated.

    >>> trusted(QueueRunResult, case="a", passed=True) == QueueRunResult(case="a", passed=True)
    True
    """
    # What pydantic's own constructor leaves behind, without a look at the values.
    result = kind.__new__(kind)
    put = object.__setattr__
    put(result, "__dict__", {**_empty(kind), "failures": [], "notes": [], **values})
    put(result, "__pydantic_fields_set__", set(values))
    put(result, "__pydantic_extra__", {})
    put(result, "__pydantic_private__", None)
    return result


@cache
def _empty(kind: type[Shape]) -> dict[str, Any]:
    """The empty values of a kind of result, in the order of its fields."""
    return {name: field.get_default(call_default_factory=True) for name, field in kind.model_fields.items()}


def _add_unknown(merged: Shape, given: Shape) -> None:
    # Of unknown keys that several reports have, the first report's value stays.
    for key, value in (given.model_extra or {}).items():
        if merged.model_extra is not None:
            merged.model_extra.setdefault(key, value)
