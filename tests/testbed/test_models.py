"""The models of suites and scripts: both spellings, what is kept, what is refused."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from understudy.testbed.models import (
    SCHEMA_V1,
    GraphQLExpectation,
    GRPCCase,
    HTTPCase,
    HTTPExpectation,
    HTTPInput,
    HTTPRouteSuite,
    HTTPSuite,
    HTTPUntil,
    KnownFailure,
    QueueCase,
    QueueInput,
    Retry,
    ScriptSource,
    Suite,
)
from understudy.testbed.script_models import (
    GraphQLScript,
    HTTPScript,
    QueueScript,
    ScriptFile,
    WebSocketScript,
)


def test_a_suite_is_built_by_python_names_and_by_json_names_alike() -> None:
    by_python = HTTPCase(
        name="a",
        input=HTTPInput(params={"id": 1}),
        expect=HTTPExpectation(body_contains=["x"], close_code=1000),
        timeout_ms=50,
    )
    by_json = HTTPCase.model_validate(
        {
            "name": "a",
            "input": {"params": {"id": 1}},
            "expect": {"bodyContains": ["x"], "closeCode": 1000},
            "timeoutMs": 50,
        }
    )
    assert by_python == by_json


@pytest.mark.parametrize("spelling", ["json", "json_"])
def test_fields_whose_names_python_or_pydantic_has_taken_are_built_by_both_spellings(spelling: str) -> None:
    assert HTTPExpectation.model_validate({spelling: {"$.id": 1}}).json_ == {"$.id": 1}


def test_a_suite_built_in_python_says_the_right_schema() -> None:
    suite = Suite()
    assert suite.schema == suite.schema_ == SCHEMA_V1 == "anvil.testbed.v1"


def test_the_owner_may_change_a_suite() -> None:
    suite = Suite()
    suite.http.routes.append(HTTPRouteSuite(operation="a"))
    suite.http.routes[0].cases = [HTTPCase(name="b")]
    suite.schema = "another"
    assert suite.http.routes[0].cases[0].name == "b"
    assert suite.schema_ == "another"


@pytest.mark.parametrize("given", ["anvil.testbed.v2", "", None, 1])
def test_another_schema_id_is_refused_with_both_names(given: Any) -> None:
    with pytest.raises(ValidationError, match=SCHEMA_V1) as caught:
        Suite.model_validate({"schema": given})
    if given:
        assert str(given) in str(caught.value)


def test_values_of_headers_params_and_query_stay_what_they_are() -> None:
    values = {"a": 7, "b": True, "c": 1.5, "d": "7", "e": None}
    given = HTTPInput(params=values, query=values, headers=values)
    for kept in (given.params, given.query, given.headers):
        assert [(type(value), value) for value in kept.values()] == [
            (type(value), value) for value in values.values()
        ]


def test_null_means_empty_everywhere() -> None:
    case = HTTPCase.model_validate(
        {
            "name": None,
            "input": {"params": None, "messages": None},
            "expect": None,
            "needs": None,
            "finally": None,
        }
    )
    assert case == HTTPCase()


def test_no_body_and_an_empty_body_are_kept_apart() -> None:
    assert HTTPInput().body is None
    assert HTTPInput.model_validate({"body": None}).body is None
    assert HTTPInput.model_validate({"body": {}}).body == {}


def test_unknown_keys_of_a_suite_are_kept_at_every_level() -> None:
    suite = Suite.model_validate(
        {"x": 1, "http": {"y": 2, "routes": [{"z": 3, "cases": [{"expect": {"w": [4]}}]}]}}
    )
    assert suite.model_extra == {"x": 1}
    assert suite.http.model_extra == {"y": 2}
    assert suite.http.routes[0].model_extra == {"z": 3}
    assert suite.http.routes[0].cases[0].expect.model_extra == {"w": [4]}


@pytest.mark.parametrize(
    "wrong",
    [
        {"http": []},
        {"http": {"routes": {}}},
        {"http": {"routes": [{"websocket": "yes"}]}},
        {"http": {"routes": [{"params": "id"}]}},
        {"http": {"routes": [{"cases": [{"expect": {"status": "200"}}]}]}},
        {"http": {"routes": [{"cases": [{"expect": {"status": True}}]}]}},
        {"http": {"routes": [{"cases": [{"input": {"body": 7}}]}]}},
        {"http": {"routes": [{"cases": [{"input": {"body": {1: 2}}}]}]}},
        {"http": {"routes": [{"cases": [{"tags": [7]}]}]}},
        {"http": {"routes": [{"cases": [{"timeoutMs": -1}]}]}},
        {"http": {"routes": [{"cases": [{"timeoutMs": True}]}]}},
        {"http": {"routes": [{"cases": [{"timeoutMs": float("nan")}]}]}},
        {"http": {"routes": [{"cases": [{"retry": {"attempts": 0}}]}]}},
        {"http": {"routes": [{"cases": [{"capture": {"id": 7}}]}]}},
        {"http": {"routes": [{"cases": [{"expect": {"schema": "item"}}]}]}},
        {"queue": {"jobs": [{"cases": [{"input": {"headers": {"trace": 7}}}]}]}},
        {"queue": {"jobs": [{"cases": [{"input": {"body": {"id": 1}}}]}]}},
    ],
)
def test_wrong_types_are_one_error_each_and_never_converted(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        Suite.model_validate(wrong)
    assert caught.value.error_count() == 1


def test_the_texts_of_a_queue_case_and_the_json_of_a_grpc_case() -> None:
    queue = QueueCase.model_validate({"input": {"body": "{}", "headers": {"trace": "7"}}})
    grpc = GRPCCase.model_validate({"input": {"message": {"a": [1]}, "messages": [{"b": None}]}})
    assert (queue.input.body, queue.input.headers) == ("{}", {"trace": "7"})
    assert (grpc.input.message, grpc.input.messages) == ({"a": [1]}, [{"b": None}])
    wrongs: list[dict[str, Any]] = [{"body": {}}, {"headers": {"trace": 7}}]
    for wrong in wrongs:
        with pytest.raises(ValidationError):
            QueueCase.model_validate({"input": wrong})
    with pytest.raises(ValidationError):
        GRPCCase.model_validate({"input": {"message": "text"}})


def test_a_case_is_scripted_if_it_says_which_script_it_came_from() -> None:
    assert not HTTPCase(name="a").is_scripted
    assert HTTPCase(script="items.yaml").is_scripted
    assert GRPCCase(source=ScriptSource(file="items.yaml", line=4)).is_scripted


def test_until_is_an_expectation_with_attempts_and_a_delay() -> None:
    case = HTTPCase.model_validate({"until": {"status": 200, "json": {"$.state": "done"}, "delayMs": 5}})
    assert isinstance(case.until, HTTPUntil)
    assert (case.until.status, case.until.json_, case.until.attempts, case.until.delay_ms) == (
        200,
        {"$.state": "done"},
        10,
        5,
    )


def test_nothing_beyond_the_document_is_asked_for_unless_it_is_written() -> None:
    case = QueueCase()
    assert (case.retry, case.until, case.fail_if, case.known, case.timeout_ms) == (None,) * 5
    assert case.follow_redirects is None
    assert Retry().attempts == 2


def test_a_known_failure_has_a_date_also_when_yaml_has_made_one_of_it() -> None:
    assert (
        KnownFailure.model_validate({"reason": "r", "until": datetime.date(2026, 12, 31)}).until
        == "2026-12-31"
    )
    with pytest.raises(ValidationError, match="'soon' is no date"):
        KnownFailure(reason="r", until="soon")


@pytest.mark.parametrize("given", [[], False, ["not found"], {"[0].message": {"contains": "found"}}, None])
def test_graphql_errors_are_texts_none_allowed_or_paths(given: Any) -> None:
    expectation = GraphQLExpectation.model_validate({"errors": given})
    assert expectation.errors == given
    assert type(expectation.errors) is type(given)


@pytest.mark.parametrize("given", [True, "not found", [""], [7], {"[0]": {"type": "text"}}, 0])
def test_other_graphql_errors_are_refused(given: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        GraphQLExpectation.model_validate({"errors": given})
    assert [error["loc"] for error in caught.value.errors()] == [("errors",)]


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ({"http": [{"metod": "GET"}]}, ("http", 0, "metod")),
        ({"http": [{"source": {"file": "forged"}}]}, ("http", 0, "source")),
        ({"http": [{"expect": {"stauts": 200}}]}, ("http", 0, "expect", "stauts")),
        ({"http": [{"expect": {"messages": []}}]}, ("http", 0, "expect", "messages")),
        ({"http": [{"until": {"stauts": 200}}]}, ("http", 0, "until", "stauts")),
        ({"websocket": [{"messages": [{"kind": "text"}]}]}, ("websocket", 0, "messages", 0, "kind")),
        ({"graphql": [{"failIf": {"erors": []}}]}, ("graphql", 0, "failIf", "erors")),
        ({"grpc": [{"retry": {"times": 3}}]}, ("grpc", 0, "retry", "times")),
        ({"grpc": [{"known": {"reason": "r", "why": "x"}}]}, ("grpc", 0, "known", "why")),
        ({"queue": [{"expect": {"code": "OK"}}]}, ("queue", 0, "expect", "code")),
        ({"file": "forged"}, ("file",)),
    ],
)
def test_unknown_keys_of_a_script_are_refused_where_they_stand(entry: dict[str, Any], path: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        ScriptFile.model_validate(entry)
    assert [error["loc"] for error in caught.value.errors()] == [path]


def test_the_script_of_the_shapes_page_is_accepted() -> None:
    script = ScriptFile.model_validate(
        {
            "http": [{"operation": "getItem", "params": {"id": 1}, "body": {}, "expect": {"status": 200}}],
            "websocket": [
                {"operation": "feed", "messages": [{"type": "close"}], "expect": {"closeCode": 1000}}
            ],
            "graphql": [{"endpoint": "shop", "query": "{items{id}}", "operationName": "a"}],
            "grpc": [{"service": "shop.Inventory", "method": "Get", "message": {"sku": "a"}, "metadata": {}}],
            "queue": [{"queue": "orders", "job": "ship", "body": "{}", "headers": {"trace": "7"}}],
        }
    )
    assert script.http[0].body == {}
    assert script.websocket[0].expect.close_code == 1000
    assert isinstance(script.websocket[0], WebSocketScript)
    assert isinstance(script.graphql[0], GraphQLScript)


def test_the_loader_says_where_an_entry_stands() -> None:
    script = ScriptFile(http=[HTTPScript(operation="getItem")])
    assert (script.file, script.http[0].source) == ("", None)
    script.file = "items.yaml"
    script.http[0].source = ScriptSource(file="items.yaml", line=4, column=5)
    assert script.model_copy(deep=True).file == "items.yaml"
    assert script.model_copy(deep=True).http[0].source == ScriptSource(file="items.yaml", line=4, column=5)


@pytest.mark.parametrize(
    ("body", "text", "encoding"),
    [(b"hi", "hi", ""), ("ö".encode(), "ö", ""), (b"\xff\x00", "/wA=", "base64"), (b"", "", "")],
)
def test_bytes_of_a_queue_body_become_text_or_stay_marked_base64(
    body: bytes, text: str, encoding: str
) -> None:
    given = QueueInput.from_bytes(body, {"a": "b"})
    assert (given.body, given.encoding, given.headers) == (text, encoding, {"a": "b"})
    assert given.body_bytes() == body


def test_a_queue_script_gives_its_body_as_text_or_as_base64() -> None:
    assert QueueScript(body="hi").case_input().body == "hi"
    assert QueueScript(body_base64="a\nGk=").case_input().body == "hi"
    assert QueueScript(body_base64="/wA=", headers={"a": "b"}).case_input().body_bytes() == b"\xff\x00"
    with pytest.raises(ValidationError, match="no base64"):
        QueueScript(body_base64="***")
    with pytest.raises(ValidationError, match="cannot stand together"):
        QueueScript(body="a", body_base64="aGk=")


def test_suites_have_a_json_schema_with_the_names_of_the_json() -> None:
    schema = Suite.model_json_schema()
    assert schema["properties"]["schema"]["const"] == SCHEMA_V1
    assert "bodyContains" in schema["$defs"]["HTTPExpectation"]["properties"]
    assert ScriptFile.model_json_schema()["additionalProperties"] is False


def test_a_suite_takes_tuples_where_python_code_gives_them() -> None:
    assert HTTPSuite.model_validate({"routes": (HTTPRouteSuite(path="/"),)}).routes == [
        HTTPRouteSuite(path="/")
    ]
