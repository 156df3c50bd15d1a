"""Judges a GraphQL response: what HTTP judges, and the `data` and `errors` of the document by path."""

from __future__ import annotations

from typing import Any

from understudy.core.brief import brief
from understudy.testbed.cases import GraphQLExpectation
from understudy.testbed.expectations import judge_paths, shown
from understudy.testbed.findings import Finding, Where, contrast
from understudy.testbed.protocols.attempt import Attempt, NotJson
from understudy.testbed.protocols.http.check import judge_contains, judge_shared, not_json, status_finding


def judge_graphql(
    expect: GraphQLExpectation, attempt: Attempt, where: Where, *, defaults: bool
) -> list[Finding]:
    """What of a GraphQL expectation does not hold; without a status, 200 is expected."""
    findings: list[Finding] = []
    status = expect.status or (200 if defaults else 0)
    if status and attempt.status != status:
        findings.append(status_finding(attempt.status, status, where))
    if expect.body_contains:
        findings += judge_contains(expect.body_contains, attempt, (*where, "bodyContains"))
    findings += judge_shared(expect, attempt, where)
    if expect.data or expect.errors is not None:
        findings += _judge_document(expect, attempt, where)
    return findings


def _judge_document(expect: GraphQLExpectation, attempt: Attempt, where: Where) -> list[Finding]:
    try:
        document = attempt.document
    except NotJson as error:
        key = "data" if expect.data else "errors"
        return [not_json(error, attempt, (*where, key), "a GraphQL response")]
    if attempt.is_event_stream:
        document = document[-1] if document else {}
    if not isinstance(document, dict):
        message = f"the response is no GraphQL response but {shown(document)}"
        wanted = "an object with data or errors"
        return [Finding((*where, "data"), message, wanted, document, contrast(wanted, brief(document)))]
    findings = judge_paths(document.get("data"), expect.data, (*where, "data"), "data") if expect.data else []
    if findings and document.get("errors"):
        findings[0] = _with_errors(findings[0], document["errors"])
    if expect.errors is not None:
        findings += _judge_errors(expect.errors, document.get("errors") or [], (*where, "errors"))
    return findings


def _with_errors(finding: Finding, errors: Any) -> Finding:
    """The first finding about missing data says what the server had to say about it."""
    message = f"{finding.message}; the response has errors: {shown(_messages(errors))}"
    return Finding(finding.where, message, finding.expected, finding.actual, finding.diff, finding.settled)


def _judge_errors(expected: Any, errors: Any, where: Where) -> list[Finding]:
    messages = _messages(errors)
    if not expected:
        if not errors:
            return []
        message = f"expected no errors, got {len(messages)}: {shown(messages)}"
        return [Finding(where, message, [], errors, contrast("no errors", brief(messages)))]
    if isinstance(expected, dict):
        return judge_paths(errors, expected, where, "errors")
    got = f"got {shown(messages)}" if messages else "there are no errors"
    return [
        Finding(
            (*where, index),
            f"no error's message contains {shown(text)}: {got}",
            text,
            messages,
            contrast(f"containing {brief(text)}", brief(messages)),
        )
        for index, text in enumerate(expected)
        if not any(text in message for message in messages)
    ]


def _messages(errors: Any) -> list[str]:
    entries = errors if isinstance(errors, list) else [errors]
    return [str(entry.get("message", "")) if isinstance(entry, dict) else str(entry) for entry in entries]
