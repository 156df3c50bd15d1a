"""What a connector raises can be told apart, carries what is needed to go on, and survives a process border."""

from __future__ import annotations

import copy
import pickle

import pytest

from understudy.context import ExecutionContext
from understudy.core.errors import UnderstudyError
from understudy.simulation import ConnectorError, GNATClientError, SimulationConnector
from understudy.simulation.errors import UnknownObject


def test_the_client_error_goes_by_both_names() -> None:
    assert GNATClientError is ConnectorError
    assert issubclass(ConnectorError, UnderstudyError)


def test_errors_can_be_pickled_and_copied() -> None:
    limited = ConnectorError("too many calls", retry_after=1.5)
    unknown = UnknownObject("tool--1", "sim", lambda: ["tool--2"])
    for error in (pickle.loads(pickle.dumps(limited)), copy.copy(limited)):
        assert (str(error), error.retry_after) == ("too many calls", 1.5)
    for lost in (pickle.loads(pickle.dumps(unknown)), copy.copy(unknown)):
        assert lost.args == ("tool--1",)
        assert "the connector 'sim' holds no object 'tool--1'" in str(lost)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("tool--1x", "the connector 'simulation' holds no object 'tool--1x' (nearest: 'tool--1')"),
        ("TOOL--1", "(nearest: 'tool--1'; ids that differ in case differ)"),
        ("indicator--9", "holds no object 'indicator--9' (add it with add_fixture or upsert_object)"),
        ("x" * 100_000, "xxx… (add it with add_fixture or upsert_object)"),
        (7, "holds no object 7 (add it"),
        (None, "holds no object None (add it"),
    ],
)
def test_an_unknown_id_is_a_key_error_with_the_nearest_one(asked: str, said: str) -> None:
    connector = SimulationConnector([{"type": "tool", "id": "tool--1"}, {"type": "tool", "id": 7.5}])
    with pytest.raises(KeyError) as caught:
        connector.get_object(asked)
    assert said in str(caught.value)
    assert caught.value.args == (asked,)


def test_a_failed_look_up_is_logged_without_looking_for_what_was_meant() -> None:
    context = ExecutionContext.create("test", "ingestion")
    connector = SimulationConnector([{"type": "tool", "id": "tool--1"}], context=context)
    with pytest.raises(KeyError):
        connector.get_object("tool--2")
    [entry] = context.log.query(context.context_id)
    assert entry["details"]["error"] == "the connector 'simulation' holds no object 'tool--2'"
