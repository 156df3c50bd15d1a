"""A TAXII server with two indicators, asked without a network."""

from __future__ import annotations

import pytest

from understudy.core.clock import FixedClock
from understudy.simulation import SimulationConnector

from .asking import Asking, indicator


@pytest.fixture
def ask() -> Asking:
    return Asking(SimulationConnector([indicator(1), indicator(2)], clock=FixedClock()), clock=FixedClock())
