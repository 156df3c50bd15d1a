"""Who may do what by trust alone, and what there is to be done."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.context.trust import TrustLevel
from understudy.core.errors import InputError
from understudy.governance import ActionTypes, AgentActionType, ImpactLevel
from understudy.governance.action_types import known_impact

TEN = [
    "delete_stix",
    "enrich",
    "escalate",
    "export",
    "hypothesize",
    "ingest",
    "manage_workspace",
    "read_stix",
    "trigger_playbook",
    "write_stix",
]
MAY: dict[str, list[str]] = {
    "trusted_internal": TEN,
    "semi_trusted": ["enrich", "escalate", "hypothesize", "ingest", "read_stix", "write_stix"],
    "untrusted_external": ["enrich", "escalate", "hypothesize", "read_stix"],
    "": [],
    "admin": [],
    "TRUSTED_INTERNAL": [],
    "trusted_internal ": [],
}


def test_ten_kinds_of_action_are_known_from_the_start() -> None:
    assert list(ActionTypes()) == TEN == sorted(AgentActionType)


@pytest.mark.parametrize("level", MAY)
def test_a_trust_level_may_what_the_matrix_says_and_nothing_else(level: str) -> None:
    types = ActionTypes()

    assert [action for action in types if types.permits(level, action)] == MAY[level]


@pytest.mark.parametrize("level", [None, True, 3, ["trusted_internal"], object()])
def test_what_is_no_trust_level_may_nothing(level: Any) -> None:
    types = ActionTypes()

    assert not types.is_level(level)
    assert [action for action in types if types.permits(level, action)] == []


@pytest.mark.parametrize("level", list(TrustLevel))
def test_levels_of_the_context_are_these_levels(level: TrustLevel) -> None:
    types = ActionTypes()

    assert types.is_level(level)
    assert [action for action in types if types.permits(level, action)] == MAY[level.value]


def test_a_type_of_ones_own_is_permitted_to_whom_it_says() -> None:
    types = ActionTypes()
    types.register("refund_order", allowed_to=["trusted_internal", "semi_trusted"])
    types.register("fire_ann")
    types.register("wave", allowed_to="untrusted_external")
    types.register("dream", allowed_to=())

    may = {
        name: [level for level in TrustLevel if types.permits(level, name)]
        for name in ("refund_order", "fire_ann", "wave", "dream")
    }
    assert may == {
        "refund_order": ["trusted_internal", "semi_trusted"],
        "fire_ann": ["trusted_internal"],
        "wave": ["untrusted_external"],
        "dream": [],
    }
    assert "refund_order" in list(types)
    assert "refund_order" not in list(ActionTypes())


@pytest.mark.parametrize(
    "name", ["", "Refund", "refund order", "refund\u200b", "1st", "x" * 65, "r\u0435fund", None, 7, "a\n"]
)
def test_a_name_that_could_be_taken_for_another_is_refused(name: Any) -> None:
    types = ActionTypes()
    with pytest.raises(InputError, match="is no name for an action type"):
        types.register(name)

    assert list(types) == TEN


def test_a_type_that_is_known_is_not_redefined() -> None:
    types = ActionTypes()
    with pytest.raises(InputError, match="the action type 'export' is known already"):
        types.register("export", allowed_to=["untrusted_external"])

    assert not types.permits("untrusted_external", "export")


def test_a_type_for_a_level_that_does_not_exist_is_not_registered() -> None:
    types = ActionTypes()
    with pytest.raises(
        InputError, match=r"unknown trust level \"semi-trusted\" \(did you mean 'semi_trusted'"
    ):
        types.register("refund_order", allowed_to=["trusted_internal", "semi-trusted"])

    assert list(types) == TEN


@pytest.mark.parametrize("levels", [None, True, 7, [None], [["trusted_internal"]], [{}]])
def test_what_names_no_levels_is_refused(levels: Any) -> None:
    types = ActionTypes()
    with pytest.raises(InputError, match=r"allowed_to names trust levels|unknown trust level"):
        types.register("refund_order", allowed_to=levels)

    assert list(types) == TEN


@pytest.mark.parametrize("name", ["exprot", "EXPORT", "", None, 7, ["export"], "export\0"])
def test_an_action_type_that_is_unknown_is_refused_by_name(name: Any) -> None:
    with pytest.raises(InputError, match="unknown action type"):
        ActionTypes().known(name)


def test_impact_levels_are_known_by_name() -> None:
    assert [known_impact(name) for name in ("low", "medium", "high", "critical")] == list(ImpactLevel)
    assert known_impact(ImpactLevel.high) is ImpactLevel.high


@pytest.mark.parametrize("name", ["", "HIGH", "none", None, 1, True, ["low"]])
def test_an_impact_level_that_is_unknown_is_refused_by_name(name: Any) -> None:
    with pytest.raises(InputError, match="unknown impact level"):
        known_impact(name)
