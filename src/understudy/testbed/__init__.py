"""Suites of HTTP, GraphQL, WebSocket, gRPC and queue cases, run against a server that is already running.

In: a suite (`anvil.testbed.v1`), scripts that add cases to it, and where the server is. Out: a report
(`anvil.testbed.report.v1`). In pipeline order: `models` and `cases` are what a suite says, `script_models`,
`scripts` and `apply` what scripts add, `runner` sends and judges, `queue` does so over a broker,
`composition` puts runners together, `results` is what came of it, `marshal` writes and reads the JSON.

The names below are imported when they are first asked for, so that one of them does not cost all of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understudy.testbed.apply import apply_scripts
    from understudy.testbed.composition import (
        Runner,
        SimulationError,
        Simulator,
        WebSocketRunner,
        runner_func,
    )
    from understudy.testbed.marshal import (
        marshal_report_json,
        marshal_suite_json,
        parse_report_json,
        parse_suite_json,
    )
    from understudy.testbed.models import (
        SCHEMA_V1,
        GraphQLCase,
        GraphQLEndpointSuite,
        GraphQLExpectation,
        GraphQLInput,
        GraphQLSuite,
        GRPCCase,
        GRPCExpectation,
        GRPCInput,
        GRPCMethodSuite,
        GRPCServiceSuite,
        GRPCSuite,
        HTTPCase,
        HTTPExpectation,
        HTTPInput,
        HTTPRouteSuite,
        HTTPSuite,
        QueueCase,
        QueueExpectation,
        QueueInput,
        QueueJobSuite,
        QueueSuite,
        ScriptSource,
        Suite,
        WebSocketMessage,
    )
    from understudy.testbed.queue import (
        QueueBroker,
        QueueBrokerOptions,
        QueueBrokerResult,
        run_queue_broker,
        run_queue_broker_async,
    )
    from understudy.testbed.results import (
        REPORT_SCHEMA_V1,
        GraphQLRunResult,
        GRPCRunResult,
        HTTPRunResult,
        QueueRunResult,
        Report,
        ReportSummary,
        merge_reports,
    )
    from understudy.testbed.runner import (
        RunOptions,
        http_runner,
        run,
        run_async,
        run_http,
        run_http_async,
    )
    from understudy.testbed.script_models import (
        GraphQLScript,
        GRPCScript,
        HTTPScript,
        QueueScript,
        ScriptFile,
        WebSocketScript,
    )
    from understudy.testbed.scripts import load_script, load_scripts

_HOME = {
    "GRPCCase": "models",
    "GRPCExpectation": "models",
    "GRPCInput": "models",
    "GRPCMethodSuite": "models",
    "GRPCRunResult": "results",
    "GRPCScript": "script_models",
    "GRPCServiceSuite": "models",
    "GRPCSuite": "models",
    "GraphQLCase": "models",
    "GraphQLEndpointSuite": "models",
    "GraphQLExpectation": "models",
    "GraphQLInput": "models",
    "GraphQLRunResult": "results",
    "GraphQLScript": "script_models",
    "GraphQLSuite": "models",
    "HTTPCase": "models",
    "HTTPExpectation": "models",
    "HTTPInput": "models",
    "HTTPRouteSuite": "models",
    "HTTPRunResult": "results",
    "HTTPScript": "script_models",
    "HTTPSuite": "models",
    "QueueBroker": "queue",
    "QueueBrokerOptions": "queue",
    "QueueBrokerResult": "queue",
    "QueueCase": "models",
    "QueueExpectation": "models",
    "QueueInput": "models",
    "QueueJobSuite": "models",
    "QueueRunResult": "results",
    "QueueScript": "script_models",
    "QueueSuite": "models",
    "REPORT_SCHEMA_V1": "results",
    "Report": "results",
    "ReportSummary": "results",
    "RunOptions": "runner",
    "Runner": "composition",
    "SCHEMA_V1": "models",
    "ScriptFile": "script_models",
    "ScriptSource": "models",
    "SimulationError": "composition",
    "Simulator": "composition",
    "Suite": "models",
    "WebSocketMessage": "models",
    "WebSocketRunner": "composition",
    "WebSocketScript": "script_models",
    "apply_scripts": "apply",
    "http_runner": "runner",
    "load_script": "scripts",
    "load_scripts": "scripts",
    "marshal_report_json": "marshal",
    "marshal_suite_json": "marshal",
    "merge_reports": "results",
    "parse_report_json": "marshal",
    "parse_suite_json": "marshal",
    "run": "runner",
    "run_async": "runner",
    "run_http": "runner",
    "run_http_async": "runner",
    "run_queue_broker": "queue",
    "run_queue_broker_async": "queue",
    "runner_func": "composition",
}

__all__ = [
    "REPORT_SCHEMA_V1",
    "SCHEMA_V1",
    "GRPCCase",
    "GRPCExpectation",
    "GRPCInput",
    "GRPCMethodSuite",
    "GRPCRunResult",
    "GRPCScript",
    "GRPCServiceSuite",
    "GRPCSuite",
    "GraphQLCase",
    "GraphQLEndpointSuite",
    "GraphQLExpectation",
    "GraphQLInput",
    "GraphQLRunResult",
    "GraphQLScript",
    "GraphQLSuite",
    "HTTPCase",
    "HTTPExpectation",
    "HTTPInput",
    "HTTPRouteSuite",
    "HTTPRunResult",
    "HTTPScript",
    "HTTPSuite",
    "QueueBroker",
    "QueueBrokerOptions",
    "QueueBrokerResult",
    "QueueCase",
    "QueueExpectation",
    "QueueInput",
    "QueueJobSuite",
    "QueueRunResult",
    "QueueScript",
    "QueueSuite",
    "Report",
    "ReportSummary",
    "RunOptions",
    "Runner",
    "ScriptFile",
    "ScriptSource",
    "SimulationError",
    "Simulator",
    "Suite",
    "WebSocketMessage",
    "WebSocketRunner",
    "WebSocketScript",
    "apply_scripts",
    "http_runner",
    "load_script",
    "load_scripts",
    "marshal_report_json",
    "marshal_suite_json",
    "merge_reports",
    "parse_report_json",
    "parse_suite_json",
    "run",
    "run_async",
    "run_http",
    "run_http_async",
    "run_queue_broker",
    "run_queue_broker_async",
    "runner_func",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
