"""Which test proves which statement of the founding document about suites, runners and scripts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent

STATEMENTS = {
    "the two schema ids": "document_examples::test_the_schema_ids",
    "the fields of suites, reports and cases": (
        "document_examples::test_every_type_has_the_fields_of_the_document"
    ),
    "the calls and what they take": (
        "document_examples::test_every_function_takes_what_the_document_gives_it"
    ),
    "the fields of RunOptions": (
        "document_examples::test_run_options_have_the_fields_of_the_document_first_and_its_defaults"
    ),
    "suites are written as indented JSON": "marshal::test_the_suite_of_the_shapes_page_comes_back_byte_for_byte",
    "reports are written as indented JSON": "marshal::test_the_report_of_the_shapes_page_comes_back_byte_for_byte",
    "merging adds summaries": "results::test_merging_joins_results_in_order_and_adds_summaries",
    "HTTP first, then GraphQL": "http_statements::test_http_route_cases_run_first_then_graphql",
    "the base URL has scheme and host": "http_statements::test_the_base_url_must_include_a_scheme_and_host",
    "a path in the base URL is a prefix": (
        "http_statements::test_a_base_url_path_is_preserved_as_a_prefix_for_every_case"
    ),
    "10 s without a client": "http_statements::test_the_default_timeout_is_ten_seconds",
    "a client of one's own": "http_statements::test_a_client_can_be_any_function_of_a_request",
    "empty bodies become none": "body_statements::test_script_loaded_cases_normalize_empty_bodies_to_nil",
    "no body, no Content-Type": ("http_statements::test_a_nil_body_sends_an_empty_body_and_no_content_type"),
    "an empty map": "http_statements::test_an_empty_map_sends_an_empty_body_with_content_type_json",
    "a map with something in it": "http_statements::test_a_non_empty_map_is_json_encoded",
    "header values become text": "http_statements::test_header_values_are_converted_to_strings",
    "headers override the generated one": (
        "http_statements::test_explicit_headers_override_the_generated_content_type"
    ),
    "limit 0 is 1 MiB": (
        "http_statements::test_the_default_response_limit_is_one_mib_and_a_longer_body_is_cut_and_says_so"
    ),
    "wrong limits": "http_statements::test_a_negative_or_too_large_response_limit_is_a_configuration_error",
    "the largest limit": "http_statements::test_a_response_limit_of_one_gib_is_allowed",
    "generated and scripted cases": "http_statements::test_include_generated_controls_which_http_cases_run",
    "run_http without GraphQL": "http_statements::test_run_http_leaves_graphql_out_and_the_suite_as_it_is",
    "both kinds of contains": (
        "http_statements::test_body_contains_and_stream_contains_are_both_checked_against_the_body"
    ),
    "GraphQL status": "graphql_statements::test_the_expected_status_is_200_unless_the_case_says_otherwise",
    "GraphQL bodyContains": "graphql_statements::test_body_contains_is_checked_on_the_raw_body",
    "GraphQL by POST": "graphql_statements::test_operations_are_sent_as_http_post_json",
    "subscriptions by GET": (
        "graphql_statements::test_subscriptions_are_sent_as_get_with_query_and_accept_event_stream"
    ),
    "GraphQL errors are not decoded": (
        "graphql_statements::test_errors_in_the_document_are_no_failure_of_a_plain_case"
    ),
    "one request at a time": (
        "document_examples::test_the_runner_performs_requests_sequentially_unless_told_otherwise"
    ),
    "WebSocket cases without a runner": (
        "http_statements::test_websocket_routes_are_skipped_without_a_runner"
    ),
    "WebSocket cases with one": "http_statements::test_websocket_cases_are_delegated_to_the_websocket_runner",
    "run_http and WebSocket routes": "websocket_statements::test_run_http_still_sees_websocket_routes",
    "bodies are captured as text": (
        "hostile_servers::test_an_invalid_utf8_body_is_searched_as_text_with_its_bad_bytes_replaced"
    ),
    "redirects as in Go": "redirect_statements::test_redirects_are_followed_as_gos_default_client_does",
    "up to ten of them": "redirect_statements::test_ten_redirects_are_followed_and_an_eleventh_is_an_error",
    "path parameters are escaped": "http_statements::test_path_parameters_are_escaped",
    "a missing path parameter": "http_statements::test_a_missing_path_parameter_is_an_error_of_the_case",
    "queue bodies and headers are text": "models::test_the_texts_of_a_queue_case_and_the_json_of_a_grpc_case",
    "the simulator runs and merges": "composition::test_every_runner_runs_once_in_order_and_one_after_the_other",
    "runners that are ignored": "composition::test_none_and_runners_without_a_name_are_ignored",
    "no runners": "composition::test_a_simulator_without_runners_is_an_error_when_it_runs",
    "a runner's name": "composition::test_a_runner_needs_a_name",
    "a runner's function": "composition::test_a_runner_needs_a_function",
    "joined errors and the merged report": (
        "composition::test_failing_runners_make_one_error_with_the_merged_report_of_all"
    ),
    "publish, then await": "queue::test_each_case_is_published_then_awaited_in_the_order_of_the_suite",
    "the handler's error": "queue::test_the_handlers_error_is_compared_exactly",
    "a timeout for each queue case": (
        "queue::test_each_case_has_the_whole_timeout_for_publishing_and_awaiting_together"
    ),
    "no deadline, and yet cancellable": (
        "queue::test_without_a_positive_timeout_there_is_no_deadline_but_the_run_can_be_cancelled"
    ),
    "no broker": "queue::test_a_missing_or_incomplete_broker_is_rejected_before_anything_runs",
    "HTTP scripts name an operation": "apply::test_http_cases_reference_route_operation",
    "WebSocket scripts name an operation": "apply::test_websocket_cases_reference_route_operation",
    "GraphQL scripts name an endpoint": "apply::test_graphql_cases_reference_endpoint_name_or_path",
    "gRPC scripts name service and method": "apply::test_cases_for_grpc_reference_service_and_method",
    "queue scripts name queue and job": "apply::test_queue_cases_reference_queue_and_job",
    "all problems, before the network": (
        "script_checks::test_every_problem_of_every_file_is_reported_together"
    ),
    "params exist on the route": ("apply::test_http_script_params_must_name_params_that_exist_on_the_route"),
    "other keys are free": (
        "apply::test_query_keys_request_header_keys_locals_and_body_keys_are_not_rejected"
    ),
    "statuses": "apply::test_http_expected_status_when_set_must_be_100_to_599",
    "header names": "apply::test_http_expected_header_names_cannot_be_empty",
    "texts": "apply::test_body_contains_and_stream_contains_entries_cannot_be_empty_strings",
    "message types": "apply::test_websocket_message_types_may_be_nothing_else",
    "the close code": "apply::test_websocket_expected_close_code_defaults_to_1000",
    "the GraphQL query": "apply::test_graphql_scripts_require_query",
    "the GraphQL status": "apply::test_graphql_expected_status_defaults_to_200",
    "the gRPC code": "apply::test_expected_grpc_code_defaults_to_ok",
    "blanks around a gRPC code": (
        "apply::test_expected_grpc_code_cannot_contain_leading_or_trailing_whitespace"
    ),
    "queue and job together": "apply::test_queue_scripts_must_include_both_queue_and_job",
}


@pytest.mark.parametrize(("statement", "test"), STATEMENTS.items(), ids=STATEMENTS)
def test_every_statement_has_the_test_that_is_named_here(statement: str, test: str) -> None:
    file, _, name = test.partition("::")
    tree = ast.parse((HERE / f"test_{file}.py").read_text("utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
