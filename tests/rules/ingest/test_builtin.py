"""The builtin ingest."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.ingest.builtin import ingest_builtin, is_meant

ENTITY = {"name": "widgets", "is_private": False, "number": 1, "properties": {"a/b": ["x"]}}


def test_passthrough_ingests_the_entity() -> None:
    assert ingest_builtin({"method": "Passthrough"}, ENTITY) == ENTITY


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "passtrough"}, "method \"passtrough\" is unknown (did you mean 'Passthrough'?)"),
        ({"method": "Other"}, 'method "Other" is unknown (write one of: Passthrough)'),
        ({"method": 1}, "method 1 is unknown (write one of: Passthrough)"),
        ({}, "method is missing (write one of: Passthrough)"),
        (None, "method is missing (write one of: Passthrough)"),
    ],
)
def test_another_method_is_refused_with_the_nearest(settings: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        ingest_builtin(settings, ENTITY)
    assert str(caught.value) == f"ingest.builtin.{said}"


@pytest.mark.parametrize(
    ("params", "meant"),
    [
        ({}, True),
        ({"name": "widgets", ".number": 1}, True),
        ({"name": "widgets", "number": 2}, False),
        ({"number": True}, False),
        ({"is_private": 0}, False),
        ({"absent": None}, True),
        ({'properties["a/b"][0]': "x"}, True),
    ],
)
def test_an_entity_is_meant_if_it_has_what_the_params_say(params: dict[str, Any], meant: bool) -> None:
    assert is_meant(ENTITY, params) is meant


def test_a_param_that_is_no_path_says_so() -> None:
    with pytest.raises(InputError, match=r"the param 'a\[' is no path: the jq query"):
        is_meant(ENTITY, {"a[": 1})
