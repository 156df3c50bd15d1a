"""What scripts add to a suite, and every reason for which they are refused, in the founding document's words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.testbed.apply import apply_scripts
from understudy.testbed.models import Suite
from understudy.testbed.script_models import HTTPScript, ScriptFile
from understudy.testbed.scripts import load_script

SUITE: dict[str, Any] = {
    "schema": "anvil.testbed.v1",
    "http": {
        "routes": [
            {
                "operation": "getItem",
                "method": "GET",
                "path": "/items/{id}",
                "params": ["id"],
                "cases": [{"name": "generated"}],
            },
            {"operation": "addItem", "method": "POST", "path": "/items"},
            {"operation": "feed", "path": "/feed/{room}", "params": ["room"], "websocket": True},
        ]
    },
    "graphql": {"endpoints": [{"name": "shop", "path": "/graphql"}, {"name": "admin", "path": "/admin"}]},
    "grpc": {"services": [{"name": "shop.Inventory", "methods": [{"name": "Get"}, {"name": "Put"}]}]},
    "queue": {"jobs": [{"queue": "orders", "job": "ship"}, {"queue": "mails", "job": "send"}]},
}

Apply = Callable[[str], Suite]


@pytest.fixture
def suite() -> Suite:
    return Suite.model_validate(SUITE)


@pytest.fixture
def apply(tmp_path: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Apply:
    monkeypatch.chdir(tmp_path)

    def apply_text(text: str) -> Suite:
        (tmp_path / "a.yaml").write_text(text)
        return apply_scripts(suite, [load_script("a.yaml")])

    return apply_text


@pytest.fixture
def problems_of(apply: Apply) -> Callable[[str], list[str]]:
    def apply_wrong(text: str) -> list[str]:
        with pytest.raises(InputError) as caught:
            apply(text)
        return [str(problem) for problem in caught.value.problems]

    return apply_wrong


Problems = Callable[[str], list[str]]


def test_a_new_suite_has_the_scripts_cases_behind_its_own_and_the_given_one_is_unchanged(
    apply: Apply, suite: Suite
) -> None:
    before = suite.model_dump()
    applied = apply("http:\n  - operation: getItem\n    name: mine\n    params: {id: 1}\n")
    assert [case.name for case in applied.http.routes[0].cases] == ["generated", "mine"]
    applied.http.routes[0].cases[0].name = "changed"
    assert suite.model_dump() == before


def test_a_case_of_a_script_carries_script_and_source_the_others_do_not(apply: Apply) -> None:
    generated, scripted = apply("http:\n  - operation: getItem\n    name: mine\n").http.routes[0].cases
    assert scripted.script == "a.yaml"
    assert scripted.source is not None
    assert scripted.source.model_dump() == {"file": "a.yaml", "line": 2, "column": 5}
    assert (generated.script, generated.source, generated.is_scripted) == ("", None, False)


def test_http_cases_reference_route_operation(apply: Apply, problems_of: Problems) -> None:
    assert apply("http: [{operation: addItem}]").http.routes[1].cases
    assert problems_of("http:\n  - operation: getItm\n") == [
        "a.yaml:2:16: unknown operation 'getItm' (did you mean 'getItem'?)"
    ]
    assert problems_of("http:\n  - operation: zzz\n") == [
        "a.yaml:2:16: unknown operation 'zzz' (the suite's HTTP routes: getItem, addItem)"
    ]
    assert problems_of("http:\n  - name: x\n") == [
        "a.yaml:2:5: 'operation' is missing (name the operation of a route)"
    ]


def test_websocket_cases_reference_route_operation(apply: Apply, problems_of: Problems) -> None:
    assert apply("websocket: [{operation: feed}]").http.routes[2].cases
    assert problems_of("websocket: [{operation: feeed}]") == [
        "a.yaml:1:25: unknown operation 'feeed' (did you mean 'feed'?)"
    ]


def test_an_entry_of_the_wrong_kind_is_told_where_it_belongs(problems_of: Problems) -> None:
    text = "http: [{operation: feed}]\nwebsocket: [{operation: getItem}]"
    assert problems_of(text) == [
        "a.yaml:1:20: 'feed' is a WebSocket route (move this entry to 'websocket')",
        "a.yaml:2:25: 'getItem' is an HTTP route (move this entry to 'http')",
    ]


def test_graphql_cases_reference_endpoint_name_or_path(apply: Apply, problems_of: Problems) -> None:
    text = "graphql: [{endpoint: shop, name: n, query: q}, {endpoint: /graphql, name: p, query: q}]"
    assert [case.name for case in apply(text).graphql.endpoints[0].cases] == ["n", "p"]
    assert problems_of("graphql: [{endpoint: /graphqll, query: q}]") == [
        "a.yaml:1:22: unknown endpoint '/graphqll' (did you mean '/graphql'?)"
    ]
    assert problems_of("graphql: [{query: q}]") == [
        "a.yaml:1:11: 'endpoint' is missing (give the name or the path of a GraphQL endpoint)"
    ]


def test_cases_for_grpc_reference_service_and_method(apply: Apply, problems_of: Problems) -> None:
    assert apply("grpc: [{service: shop.Inventory, method: Put}]").grpc.services[0].methods[1].cases
    assert problems_of("grpc: [{service: shop.Inventry, method: Get}]") == [
        "a.yaml:1:18: unknown service 'shop.Inventry' (did you mean 'shop.Inventory'?)"
    ]
    assert problems_of("grpc: [{service: shop.Inventory, method: Remove}]") == [
        "a.yaml:1:42: unknown method 'Remove' (methods of 'shop.Inventory': Get, Put)"
    ]
    assert problems_of("grpc: [{name: x}]") == [
        "a.yaml:1:8: 'service' is missing (give both service and method)",
        "a.yaml:1:8: 'method' is missing (give both service and method)",
    ]


def test_queue_cases_reference_queue_and_job(apply: Apply, problems_of: Problems) -> None:
    assert apply("queue: [{queue: mails, job: send}]").queue.jobs[1].cases
    assert problems_of("queue: [{queue: order, job: ship}]") == [
        "a.yaml:1:17: unknown queue 'order' (did you mean 'orders'?)"
    ]
    assert problems_of("queue: [{queue: orders, job: send}]") == [
        "a.yaml:1:30: unknown job 'send' (jobs of 'orders': ship)"
    ]


@pytest.mark.parametrize(("text", "key"), [("{job: ship}", "queue"), ("{queue: orders}", "job")])
def test_queue_scripts_must_include_both_queue_and_job(text: str, key: str, problems_of: Problems) -> None:
    assert problems_of(f"queue: [{text}]") == [f"a.yaml:1:9: '{key}' is missing (give both queue and job)"]


def test_http_script_params_must_name_params_that_exist_on_the_route(problems_of: Problems) -> None:
    text = "http:\n  - operation: getItem\n    params: {id: 1, idd: 2}\nwebsocket: [{operation: feed, params: {x: 1}}]"
    assert problems_of(text) == [
        "a.yaml:3:21: unknown parameter 'idd' (did you mean 'id'?)",
        "a.yaml:4:40: unknown parameter 'x' (the parameters of feed: room)",
    ]


def test_query_keys_request_header_keys_locals_and_body_keys_are_not_rejected(apply: Apply) -> None:
    entry = "query: {any: 1, '': 2}, headers: {any: 1, '': 2}, locals: {any: 1}, body: {any: 1, '': {x: 2}}"
    case = apply(f"http: [{{operation: addItem, {entry}}}]").http.routes[1].cases[0]
    assert case.input.query == case.input.headers == {"any": 1, "": 2}
    assert (case.input.body, case.input.locals) == ({"any": 1, "": {"x": 2}}, {"any": 1})


@pytest.mark.parametrize("status", [99, 600, -1, 10**400])
@pytest.mark.parametrize("key", ["expect", "until", "failIf"])
def test_http_expected_status_when_set_must_be_100_to_599(
    status: int, key: str, problems_of: Problems
) -> None:
    (problem,) = problems_of(f"http:\n  - operation: addItem\n    {key}: {{status: {status}}}\n")
    assert problem.startswith(f"a.yaml:3:{16 + len(key)}: 'status' must be 100 to 599, not the number ")


@pytest.mark.parametrize("status", [0, 100, 599])
def test_http_expected_status_may_be_unset_or_at_the_limits(status: int, apply: Apply) -> None:
    applied = apply(f"http: [{{operation: addItem, expect: {{status: {status}}}}}]")
    assert applied.http.routes[1].cases[0].expect.status == status


@pytest.mark.parametrize("entry", ["http: [{operation: addItem", "graphql: [{endpoint: shop, query: q"])
def test_http_expected_header_names_cannot_be_empty(entry: str, problems_of: Problems) -> None:
    (problem,) = problems_of(f"{entry}, expect: {{headers: {{'': x, A: b}}}}}}]")
    assert problem.endswith("the name of an expected header is empty (name the header)")
    assert problem.startswith(f"a.yaml:1:{len(entry) + 22}:")


def test_body_contains_and_stream_contains_entries_cannot_be_empty_strings(problems_of: Problems) -> None:
    text = """\
http:
  - operation: addItem
    expect: {bodyContains: [a, ''], streamContains: ['']}
graphql:
  - {endpoint: shop, query: q, expect: {bodyContains: ['']}}
"""
    assert [
        problem.split(": ")[0] + problem.split(":")[3].split(",")[0] for problem in problems_of(text)
    ] == [
        "a.yaml:3:32 'bodyContains[1]' is empty",
        "a.yaml:3:54 'streamContains[0]' is empty",
        "a.yaml:5:56 'bodyContains[0]' is empty",
    ]


@pytest.mark.parametrize("kind", ["text", "binary", "close", "ping", "pong"])
def test_websocket_message_types_may_be_text_binary_close_ping_or_pong(kind: str, apply: Apply) -> None:
    messages = f"[{{type: {kind}, data: aGk=}}]"
    text = f"websocket: [{{operation: feed, messages: {messages}, expect: {{messages: {messages}}}}}]"
    case = apply(text).http.routes[2].cases[0]
    assert case.input.messages[0].type == case.expect.messages[0].type == kind


def test_websocket_message_types_may_be_nothing_else(problems_of: Problems) -> None:
    text = """\
websocket:
  - operation: feed
    messages: [{type: txt}, {data: x}]
    expect: {messages: [{type: Text}]}
    until: {messages: [{type: frame}]}
"""
    assert problems_of(text) == [
        "a.yaml:3:23: unknown message type 'txt' (did you mean 'text'?)",
        "a.yaml:3:29: 'type' is missing (the types are text, binary, close, ping, pong)",
        "a.yaml:4:32: unknown message type 'Text' (did you mean 'text'?)",
        "a.yaml:5:31: unknown message type 'frame' (the types: text, binary, close, ping, pong)",
    ]


def test_binary_messages_must_be_base64_unless_a_value_is_put_in_later(
    apply: Apply, problems_of: Problems
) -> None:
    text = "websocket: [{operation: feed, messages: [{type: binary, data: '%s'}]}]"
    assert problems_of(text % "?!")[0].startswith("a.yaml:1:63: 'data' of a binary message is no base64")
    assert apply(text % "${picture}")


def test_websocket_expected_close_code_defaults_to_1000(apply: Apply) -> None:
    text = (
        "websocket: [{operation: feed}, {operation: feed, expect: {closeCode: 0}, failIf: {messages: []}}, "
    )
    cases = apply(text + "{operation: feed, expect: {closeCode: 4001}}]").http.routes[2].cases
    assert [case.expect.close_code for case in cases] == [1000, 1000, 4001]
    assert cases[1].fail_if is not None
    assert cases[1].fail_if.close_code == 0


@pytest.mark.parametrize("query", ["", ", query: ''", ", query: ' '", ", query: "])
def test_graphql_scripts_require_query(query: str, problems_of: Problems) -> None:
    (problem,) = problems_of(f"graphql: [{{endpoint: shop{query}}}]")
    assert problem.endswith("'query' is missing (write the GraphQL operation)")


def test_graphql_expected_status_defaults_to_200(apply: Apply) -> None:
    text = "graphql: [{endpoint: shop, query: q}, {endpoint: shop, query: q, expect: {status: 400}}]"
    assert [case.expect.status for case in apply(text).graphql.endpoints[0].cases] == [200, 400]


def test_expected_grpc_code_defaults_to_ok(apply: Apply) -> None:
    text = "grpc: [{service: shop.Inventory, method: Get%s}]"
    for given, code in (
        ("", "OK"),
        (", expect: {code: ''}", "OK"),
        (", expect: {code: NOT_FOUND}", "NOT_FOUND"),
    ):
        assert apply(text % given).grpc.services[0].methods[0].cases[0].expect.code == code


@pytest.mark.parametrize("code", [" OK", "OK ", "\\tOK", "OK\\n", " "])
def test_expected_grpc_code_cannot_contain_leading_or_trailing_whitespace(
    code: str, problems_of: Problems
) -> None:
    text = f'grpc: [{{service: shop.Inventory, method: Get, expect: {{code: "{code}"}}}}]'
    (problem,) = problems_of(text)
    assert problem.startswith("a.yaml:1:62: the code ")
    assert problem.endswith("begins or ends with white space (write OK)")


@pytest.mark.parametrize("body", ["", ", body: {}", ", body: null"])
def test_script_cases_normalize_empty_bodies_to_none(body: str, apply: Apply) -> None:
    case = apply(f"http: [{{operation: addItem{body}}}]").http.routes[1].cases[0]
    assert case.input.body is None


def test_everything_that_an_entry_says_reaches_its_case(apply: Apply) -> None:
    applied = apply("""\
http:
  - operation: addItem
    name: full
    body: {a: [1, null]}
    expect: {headers: {A: b}, json: {$.a: {contains: 1}}, schema: {type: object}, latencyMs: 5}
    capture: {id: $.id}
    needs: [other]
    finally: true
    until: {status: 200, attempts: 3, delayMs: 1}
    failIf: {status: 500}
    retry: {}
    followRedirects: false
    timeoutMs: 9
    known: {reason: slow, until: 2026-12-31}
    tags: [nightly]
graphql:
  - endpoint: shop
    query: q
    operationName: o
    variables: {v: 1}
    subscription: true
    headers: {H: 1}
    expect: {errors: [], data: {$.x: 1}}
grpc:
  - service: shop.Inventory
    method: Get
    message: {m: 1}
    messages: [{n: 2}]
    metadata: {k: v}
queue:
  - {queue: orders, job: ship, body: text, headers: {h: v}, expect: {error: boom}}
  - {queue: orders, job: ship, bodyBase64: /w==}
""")
    http = applied.http.routes[1].cases[0]
    assert http.model_dump(by_alias=True, exclude_defaults=True) == {
        "name": "full",
        "input": {"body": {"a": [1, None]}},
        "expect": {
            "headers": {"A": "b"},
            "json": {"$.a": {"contains": 1}},
            "schema": {"type": "object"},
            "latencyMs": 5,
        },
        "script": "a.yaml",
        "source": {"file": "a.yaml", "line": 2, "column": 5},
        "capture": {"id": "$.id"},
        "needs": ["other"],
        "finally": True,
        "until": {"status": 200, "attempts": 3, "delayMs": 1},
        "failIf": {"status": 500},
        "retry": {},
        "followRedirects": False,
        "timeoutMs": 9,
        "known": {"reason": "slow", "until": "2026-12-31"},
        "tags": ["nightly"],
    }
    graphql = applied.graphql.endpoints[0].cases[0]
    assert graphql.input.model_dump() == {
        "query": "q",
        "operation_name": "o",
        "variables": {"v": 1},
        "subscription": True,
        "headers": {"H": 1},
    }
    assert (graphql.expect.errors, graphql.expect.data) == ([], {"$.x": 1})
    grpc = applied.grpc.services[0].methods[0].cases[0]
    assert grpc.input.model_dump() == {"message": {"m": 1}, "messages": [{"n": 2}], "metadata": {"k": "v"}}
    ships, binary = applied.queue.jobs[0].cases
    assert (ships.input.body, ships.input.headers, ships.expect.error) == ("text", {"h": "v"}, "boom")
    assert binary.input.body_bytes() == b"\xff"


def test_a_script_built_in_python_adds_cases_that_count_as_scripted(suite: Suite) -> None:
    entry = HTTPScript(operation="addItem")
    entry.expect.body_contains.append("x")
    (case,) = apply_scripts(suite, [ScriptFile(http=[entry])]).http.routes[1].cases
    assert case.is_scripted
    assert case.expect.body_contains == ["x"]
