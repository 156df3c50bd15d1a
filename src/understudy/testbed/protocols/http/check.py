"""Judges a response by an HTTP expectation: every part of it that does not hold, not only the first."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from understudy.core.brief import brief
from understudy.core.diff import nearest, text_diff
from understudy.testbed.cases import GraphQLExpectation, HTTPExpectation
from understudy.testbed.expectations import MISSING, NOT_THERE, judge, judge_paths, judge_schema, shown
from understudy.testbed.findings import Finding, Where, contrast
from understudy.testbed.path_expectation import is_operators
from understudy.testbed.protocols.attempt import Attempt, NotJson
from understudy.testbed.substitution import plain_text


def judge_http(expect: HTTPExpectation, attempt: Attempt, where: Where, *, defaults: bool) -> list[Finding]:
    """What of an HTTP expectation does not hold; without a status, any below 400 will do."""
    findings: list[Finding] = []
    status, wanted = attempt.status, expect.status
    if wanted:
        if status != wanted:
            findings.append(status_finding(status, wanted, where))
    elif defaults and status >= 400:
        message = f"status is {_named(status)}, expected any below 400 since the case names none"
        diff = contrast("below 400", _named(status))
        findings.append(Finding((*where, "status"), message, "below 400", status, diff))
    if texts := expect.body_contains:
        findings += judge_contains(texts, attempt, (*where, "bodyContains"))
    if texts := expect.stream_contains:
        findings += judge_contains(texts, attempt, (*where, "streamContains"))
    return findings + judge_shared(expect, attempt, where)


def judge_shared(
    expect: HTTPExpectation | GraphQLExpectation, attempt: Attempt, where: Where
) -> list[Finding]:
    """What HTTP and GraphQL expectations have in common: headers, JSON by path, schema, latency."""
    findings: list[Finding] = []
    if expect.headers:
        findings += _judge_headers(expect.headers, attempt, (*where, "headers"))
    if expect.json_ or expect.schema_ is not None:
        findings += _judge_json(expect, attempt, where)
    if expect.latency_ms is not None:
        findings += judge_latency(expect, attempt, where)
    return findings


def judge_latency(
    expect: HTTPExpectation | GraphQLExpectation, attempt: Attempt, where: Where
) -> list[Finding]:
    """Whether the answer came in time."""
    bound, took = expect.latency_ms, round(attempt.duration_ms, 1)
    if bound is None or attempt.duration_ms <= bound:
        return []
    message = f"took {took} ms, expected at most {bound:g} ms"
    diff = contrast(f"at most {bound:g} ms", f"{took} ms")
    return [Finding((*where, "latencyMs"), message, bound, took, diff)]


def status_finding(status: int, expected: int, where: Where) -> Finding:
    """The finding of a status that is not the expected one."""
    message = f"status is {_named(status)}, expected {_named(expected)}"
    diff = contrast(_named(expected), _named(status))
    return Finding((*where, "status"), message, expected, status, diff, settled=True)


def judge_contains(needles: list[str], attempt: Attempt, where: Where) -> list[Finding]:
    """Which of the texts do not occur in the body."""
    text = attempt.text
    findings: list[Finding] = []
    for index, needle in enumerate(needles):
        if needle in text:
            continue
        near = nearest(needle, text)
        cut = (
            " (the body was cut at the response limit)"
            if attempt.response and attempt.response.truncated
            else ""
        )
        message = f"body does not contain {shown(needle)}{cut}"
        message += f"; nearest: {shown(near)}" if near else ("; the body is empty" if not text else "")
        diff = text_diff(needle, near) if near else contrast(f"containing {brief(needle)}", brief(text))
        findings.append(Finding((*where, index), message, needle, near or text[:2000], diff))
    return findings


def _judge_headers(expected: Mapping[str, Any], attempt: Attempt, where: Where) -> list[Finding]:
    findings: list[Finding] = []
    response = attempt.response
    for name, expectation in expected.items():
        values = response.header_values(name) if response is not None else []
        whole = ", ".join(values)
        if is_operators(expectation):
            findings += judge(whole if values else MISSING, expectation, (*where, name), f"header {name}")
        elif expectation is None:
            findings += judge(
                whole if values else MISSING, {"exists": False}, (*where, name), f"header {name}"
            )
        elif (text := plain_text(expectation)) not in values and (text != whole or not values):
            findings.append(_header_finding(name, text, values, (*where, name)))
    return findings


def _header_finding(name: str, expected: str, values: list[str], where: Where) -> Finding:
    if not values:
        message = f"header {name} is missing, expected {shown(expected)}"
        return Finding(where, message, expected, None, contrast(brief(expected), NOT_THERE))
    actual = values[0] if len(values) == 1 else values
    message = f"header {name} is {shown(actual)}, expected {shown(expected)}"
    return Finding(
        where, message, expected, actual, text_diff(expected, ", ".join(values)), settled=len(values) == 1
    )


def _judge_json(
    expect: HTTPExpectation | GraphQLExpectation, attempt: Attempt, where: Where
) -> list[Finding]:
    try:
        document = attempt.document
    except NotJson as error:
        key = "json" if expect.json_ else "schema"
        return [not_json(error, attempt, (*where, key), "JSON")]
    findings = judge_paths(document, expect.json_, (*where, "json"), "body")
    if expect.schema_ is not None:
        findings += judge_schema(document, expect.schema_, (*where, "schema"), "body")
    return findings


def not_json(error: NotJson, attempt: Attempt, where: Where, wanted: str) -> Finding:
    """The finding of a body that cannot be read as what it is expected to be."""
    return Finding(where, str(error), wanted, attempt.text[:2000], contrast(wanted, brief(attempt.text)))


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
