"""The founding document's examples of replay run as they stand, import lines aside."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from understudy.context import ExecutionContext
from understudy.simulation import ReplayRunner, SimulationConnector

indicator_dict: dict[str, Any] = {
    "type": "indicator",
    "spec_version": "2.1",
    "id": "indicator--26ffb872-1dd9-446e-b6f5-d58527e5b5d2",
    "created": "2026-01-01T00:00:00.000Z",
    "modified": "2026-01-01T00:00:00.000Z",
    "name": "evil.example.com",
    "pattern": "[domain-name:value = 'evil.example.com']",
    "pattern_type": "stix",
    "valid_from": "2026-01-01T00:00:00Z",
}


def my_pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
    connector = SimulationConnector()
    connector.add_fixture(indicator_dict)
    return connector.list_objects()


def test_the_example_of_the_replay_runner() -> None:
    runner = ReplayRunner(pipeline_fn=my_pipeline)

    # First run: executes pipeline and records execution_log entries
    first_run_ids = runner.run_first(workspace_id="test-ws")

    # Replay: re-executes each log entry with is_replay=True,
    # asserts all expected STIX IDs appear in output
    runner.replay(
        execution_log=runner.last_execution_log,
        expected_stix_ids=first_run_ids,
    )
    # Raises AssertionError if any expected ID is missing from the replay output

    assert first_run_ids == [indicator_dict["id"]]
    # The pipeline that makes its own connector is given no context for it, and is logged all the same.
    assert [entry["operation"] for entry in runner.last_execution_log] == ["list_objects", "run"]
    assert {entry["workspace_id"] for entry in runner.last_execution_log} == {"test-ws"}


def test_a_missing_id_raises_what_the_document_says() -> None:
    runner = ReplayRunner(pipeline_fn=my_pipeline)
    runner.run_first(workspace_id="test-ws")

    with pytest.raises(AssertionError, match="produced different STIX IDs") as raised:
        runner.replay(execution_log=runner.last_execution_log, expected_stix_ids=["indicator--of-before"])

    # The document defers showing what was added and what was removed: here it is shown.
    assert '1 id is missing: "indicator--of-before"' in str(raised.value)
    assert f'1 id was added: "{indicator_dict["id"]}"' in str(raised.value)


@pytest.mark.parametrize(
    ("make_id", "cause"),
    [(lambda: datetime.now().isoformat(), "datetime.now()"), (lambda: str(uuid4()), "uuid.uuid4()")],
)
def test_a_pipeline_that_is_no_pure_function_fails_with_the_line_that_makes_it_one(
    make_id: Callable[[], str], cause: str
) -> None:
    """The document's trade-off: such pipelines must be given a deterministic clock, and are told where."""

    def pipeline(ctx: ExecutionContext) -> list[dict[str, Any]]:
        return [{**indicator_dict, "id": f"indicator--{make_id()}"}]

    runner = ReplayRunner(pipeline_fn=pipeline)
    ids = runner.run_first()

    with pytest.raises(AssertionError) as raised:
        runner.replay(runner.last_execution_log, ids)

    assert f"test_document_replay.py:{make_id.__code__.co_firstlineno} reads {cause}" in str(raised.value)


def test_objects_without_an_id_are_passed_over_as_in_the_document() -> None:
    runner = ReplayRunner(pipeline_fn=lambda ctx: [indicator_dict, {"type": "note"}])

    assert runner.run_first() == [indicator_dict["id"]]
