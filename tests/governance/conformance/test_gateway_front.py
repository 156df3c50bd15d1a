"""Our gateway in front of any flow: it may lose work that the flow loses, but never runs what nobody approved."""

from __future__ import annotations

from collections import Counter

import pytest

from understudy.governance.conformance.faulty import FAULTS, FaultyFlow
from understudy.governance.conformance.gateway_flow import GatewayFlow
from understudy.governance.conformance.gateway_front import GatewayFront
from understudy.governance.conformance.suite import run_conformance

SAFE = {
    "runs edited arguments",
    "looks arguments up after the approval",
    "runs again for every approval",
    "never expires",
    "takes truthy answers",
    "takes any answer",
    "runs while it streams",
    "keeps approvals in the saved state",
    "begins anew when restored",
}


def test_a_flow_made_of_the_gateway_alone_passes_everything() -> None:
    report = run_conformance(GatewayFlow())

    assert report.passed, report.text()


def test_a_sound_flow_stays_sound_behind_the_gateway() -> None:
    report = run_conformance(GatewayFront(FaultyFlow()))

    assert report.passed, report.text()
    assert report.flow == "faulty flow, behind the gateway"


@pytest.mark.parametrize("fault", sorted(SAFE))
def test_a_fault_does_no_harm_behind_the_gateway(fault: str) -> None:
    report = run_conformance(GatewayFront(FaultyFlow({fault})))

    assert report.passed, report.text()


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_a_flow_does_nothing_runs_that_was_not_approved(fault: str) -> None:
    report = run_conformance(GatewayFront(FaultyFlow({fault})))

    for outcome in report.bad:
        for failure in outcome.failures:
            if isinstance(failure.actual, list) and isinstance(failure.expected, list):
                ran, approved = (Counter(map(str, runs)) for runs in (failure.actual, failure.expected))
                assert ran <= approved, failure.message
