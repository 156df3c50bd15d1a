"""What a rule ingests from an API, and what makes its evaluation an error."""

from __future__ import annotations

import re
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.documents.yaml import load_yaml
from understudy.rules.ingest.rest import IngestError, RestIngest, rest_ingest
from understudy.rules.mocks import MockTable, MockWeb
from understudy.rules.web import BODY_LIMIT, Answer, RequestLog, TimedOut, UnmatchedRequest, WebRequest

ENTITY = {"owner": "acme", "name": "widgets", "default_branch": "main"}
PROTECTION = """
endpoint: '{{ $branch := index .Params "branch" }}/repos/{{.Entity.Owner}}/{{.Entity.Name}}/branches/{{ if ne $branch
  "" }}{{ $branch }}{{ else }}{{ .Entity.DefaultBranch }}{{ end }}/protection'
parse: json
fallback:
- http_code: 404
  body: '{"http_status": 404, "message": "Not Protected"}'
"""


def ingest_of(text: str) -> RestIngest:
    return rest_ingest(load_yaml("rule.yaml", text=text), ())


def web_of(mocks: dict[str, Any], base: str = "https://api.github.com") -> MockWeb:
    return MockWeb(MockTable.first_dialect(mocks), base)


class Recorder:
    """A web that remembers what it was asked, and answers with an empty object."""

    log = RequestLog()
    mimics_mindev = False

    def __init__(self) -> None:
        self.requests: list[WebRequest] = []

    def send(self, request: WebRequest) -> Answer:
        self.requests.append(request)
        return Answer(200, (), b"{}", request.url)

    def pause(self, seconds: float) -> None: ...


def test_the_endpoint_is_a_template_over_entity_and_params_below_the_provider() -> None:
    mocks = {
        "GET https://api.github.com/repos/acme/widgets/branches/main/protection": {"body": {"enabled": True}},
        "/repos/acme/widgets/branches/dev/protection": {"body": {"enabled": False}},
    }
    ingest, web = ingest_of(PROTECTION), web_of(mocks)
    assert ingest.ingest(ENTITY, {"branch": ""}, web) == {"enabled": True}
    assert ingest.ingest(ENTITY, {"branch": "dev"}, web) == {"enabled": False}


def test_a_fallback_is_ingested_where_it_names_the_status() -> None:
    web = web_of({"/*": {"status": 404, "body": "ignored"}})
    came = ingest_of(PROTECTION).exchange(ENTITY, {"branch": "dev"}, web)
    assert came.value == {"http_status": 404, "message": "Not Protected"}
    assert str(came) == (
        "GET https://api.github.com/repos/acme/widgets/branches/dev/protection was answered 404 by the mock '/*'; "
        "the rule's fallback was ingested"
    )


@pytest.mark.parametrize(
    ("mocks", "ingested"),
    [
        ({"/b": {}}, {}),  # no mock answers, so it is 404 as anywhere, for which the rule has a fallback
        ({"/a": {"status": 404, "body": '{"message": "Not Found"}'}}, {"message": "Not Found"}),
        ({"/a": {"status": 502, "body": "[1]"}}, [1]),
    ],
)
def test_in_the_second_dialect_no_status_is_an_error(mocks: dict[str, Any], ingested: Any) -> None:
    ingest = ingest_of("endpoint: /a\nparse: json\nfallback: [{http_code: 404, body: '{}'}]")
    web = MockWeb(MockTable.second_dialect(mocks))
    assert ingest.ingest(ENTITY, {}, web) == ingested


def test_in_the_second_dialect_an_empty_body_is_an_error_whatever_the_fallback() -> None:
    web = MockWeb(MockTable.second_dialect({"/a": {"status": 404, "body": ""}}))
    with pytest.raises(IngestError, match="the body is empty, and JSON is expected"):
        ingest_of("endpoint: /a\nparse: json\nfallback: [{http_code: 404, body: '{}'}]").ingest(
            ENTITY, {}, web
        )


def test_everything_that_the_section_says_is_sent() -> None:
    web = Recorder()
    ingest_of(
        'endpoint: https://h/{{.Entity.Name}}\nmethod: \'{{if .Params.write}}post{{end}}\'\nparse: json\n'
        'body: \'{"name": "{{.Entity.Name}}"}\'\nheaders: ["Accept: application/x+json", "X-A:b: c"]'
    ).ingest(ENTITY, {"write": True}, web)  # fmt: skip
    (request,) = web.requests
    assert (request.method, request.url, request.body) == (
        "POST",
        "https://h/widgets",
        b'{"name": "widgets"}',
    )
    assert request.headers == (("Accept", "application/x+json"), ("X-A", "b: c"))
    assert request.with_token


def test_without_parse_the_text_itself_is_ingested() -> None:
    web = web_of({"/*": {"body": "# Readme"}})
    assert ingest_of("endpoint: /readme").ingest(ENTITY, {}, web) == "# Readme"
    assert ingest_of("endpoint: /readme").ingest(ENTITY, {}, web_of({"/*": {"status": 204}})) == ""


def test_the_body_may_be_exactly_a_mebibyte() -> None:
    web = web_of({"/*": {"body": "x" * BODY_LIMIT}})
    assert len(ingest_of("endpoint: /a").ingest(ENTITY, {}, web)) == BODY_LIMIT


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"status": 500, "body": "boom\n"},
            "GET https://api.github.com/a was answered 500 Internal Server Error: boom (no fallback of the rule names",
        ),
        ({"status": 301}, "was answered 301 Moved Permanently (no fallback"),
        ({"status": 599}, "was answered 599 (no fallback"),
        ({"body": "<html>"}, "GET https://api.github.com/a: the body is not JSON: Expecting value in"),
        ({"body": ""}, "GET https://api.github.com/a: the body is empty, and JSON is expected"),
        ({"body": "x" * (BODY_LIMIT + 1)}, "the body has 1,048,577 bytes, and at most 1,048,576 are read"),
        ({"status": 404}, "the rule's fallback for 404: the body is not JSON"),
    ],
)
def test_what_cannot_be_ingested_is_an_error_that_says_why(answer: dict[str, Any], message: str) -> None:
    ingest = ingest_of("endpoint: /a\nparse: json\nfallback: [{http_code: 404, body: 'not json'}]")
    with pytest.raises(IngestError, match=re.escape(message)):
        ingest.ingest(ENTITY, {}, web_of({"/*": answer}))


def test_a_rule_without_fallbacks_is_told_how_to_write_one() -> None:
    with pytest.raises(
        IngestError, match=re.escape("404 Not Found (the rule has no fallback for it; if it is")
    ):
        ingest_of("endpoint: /a").ingest(ENTITY, {}, web_of({"/*": {"status": 404}}))


def test_time_outs_and_unmatched_requests_are_told_as_what_they_are() -> None:
    with pytest.raises(TimedOut):
        ingest_of("endpoint: /a").ingest(ENTITY, {}, web_of({"/*": {"mock": "timeout"}}))
    with pytest.raises(UnmatchedRequest):
        ingest_of("endpoint: /a").ingest(ENTITY, {}, web_of({"/b": {}}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("endpoint: '/{{.Params.branch}}'", r"the request cannot be made: rule\.yaml:1:.*branch"),
        ("endpoint: '{{if .Params.x}}{{end}}'", "the request cannot be made: rule.yaml"),
        ("endpoint: '{{\"\"}}'", "the request cannot be made: the endpoint's template gives nothing"),
    ],
)
def test_a_template_that_lacks_something_makes_the_evaluation_an_error(text: str, message: str) -> None:
    with pytest.raises(IngestError, match=message):
        ingest_of(text).ingest(ENTITY, {}, web_of({"/*": {}}))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("endpiont: /a", "rule.yaml:1:1: 'endpoint' is missing"),
        ("endpoint: /a\nfalback: []", "rule.yaml:2:1: unknown key 'falback' (did you mean 'fallback'?)"),
        ("endpoint: ''", "rule.yaml:1:11: 'endpoint' must not be empty"),
        ("endpoint: /a\nparse: jsn", "rule.yaml:2:8: 'parse' must be 'json' or '', not text \"jsn\""),
        ("endpoint: /a\nheaders: [x]", "'x' is no header; write 'Name: value'"),
        ("endpoint: /a\nfallback: [{http_code: 7}]", "'http_code' must be at least 100"),
        ("endpoint: '/{{.Entity.Name'", "rule.yaml:1:"),
        ("method: GET\nendpoint: |\n  /{{ end }}\n", "rule.yaml:3:"),
    ],
)
def test_a_broken_section_is_told_at_its_place(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        ingest_of(text)


def test_in_the_second_dialect_go_reads_a_number_off_the_page_that_no_mock_answers() -> None:
    web = MockWeb(MockTable.second_dialect({"/b": {}}))
    assert ingest_of("endpoint: /a\nparse: json").ingest(ENTITY, {}, web) == 404
