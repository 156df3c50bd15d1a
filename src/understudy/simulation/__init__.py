"""Whole pipelines in a unit test: simulated connectors, replay that names the cause of a difference, governed agents.

In: fixtures, a pipeline, an agent's actions. Out: what the pipeline made of them offline, whether it does the same
again, and what the agent did and was stopped from doing. In pipeline order: `fixtures` and `fixture_files` read what
a connector holds, `builder` makes it up, `indicator` makes a single one, `validation` and `stix_schema` check it;
`object_copies`, `shelf` and `object_store` keep it; `filters`, `ordering`, `cursors` and `selection` read it by what is
asked; `faults` and `fault_run` are what goes wrong meanwhile; `settings` and `interface` look at how a connector is set
up and whether it fits a real one's interface, and `connector` is the face of all this.
`http_fixtures` answers for HTTP connectors that are tested beside it, and `taxii` shows the same store over HTTP.
`replay` runs a pipeline again and explores what crashes and repeated deliveries do to it; `agents` puts an agent
through the whole of governance.

The names below are imported when they are first asked for, so that one of them does not cost all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.core.late_names import late_names

if TYPE_CHECKING:
    from understudy.simulation.agents.answers import Answer, ScriptedReviewer, approve, no_answer, reject
    from understudy.simulation.agents.harness import AgentTestHarness
    from understudy.simulation.agents.mock_reviews import MockReviewService
    from understudy.simulation.agents.passage import ActionRejected
    from understudy.simulation.builder import FixtureBuilder
    from understudy.simulation.connector import SimulationConnector
    from understudy.simulation.errors import ConnectorError, GNATClientError
    from understudy.simulation.faults import Faults
    from understudy.simulation.fixtures import load_fixtures
    from understudy.simulation.indicator import Indicator
    from understudy.simulation.replay.deliveries import about_to_write, delivered
    from understudy.simulation.replay.deterministic import Deterministic
    from understudy.simulation.replay.disturbance import Crash, Duplicate, Reorder
    from understudy.simulation.replay.effects import SideEffects
    from understudy.simulation.replay.exploration import assert_survives, explore, explore_async
    from understudy.simulation.replay.explored import Explored
    from understudy.simulation.replay.runner import ReplayRunner
    from understudy.simulation.selection import Page
    from understudy.simulation.taxii.app import serve_taxii, taxii_app
    from understudy.simulation.validation import StixWarning

_HOME = {
    "ActionRejected": "agents.passage",
    "AgentTestHarness": "agents.harness",
    "Answer": "agents.answers",
    "ConnectorError": "errors",
    "Crash": "replay.disturbance",
    "Deterministic": "replay.deterministic",
    "Duplicate": "replay.disturbance",
    "Explored": "replay.explored",
    "Faults": "faults",
    "FixtureBuilder": "builder",
    "GNATClientError": "errors",
    "Indicator": "indicator",
    "MockReviewService": "agents.mock_reviews",
    "Page": "selection",
    "Reorder": "replay.disturbance",
    "ReplayRunner": "replay.runner",
    "ScriptedReviewer": "agents.answers",
    "SideEffects": "replay.effects",
    "SimulationConnector": "connector",
    "StixWarning": "validation",
    "about_to_write": "replay.deliveries",
    "approve": "agents.answers",
    "assert_survives": "replay.exploration",
    "delivered": "replay.deliveries",
    "explore": "replay.exploration",
    "explore_async": "replay.exploration",
    "load_fixtures": "fixtures",
    "no_answer": "agents.answers",
    "reject": "agents.answers",
    "serve_taxii": "taxii.app",
    "taxii_app": "taxii.app",
}

__all__ = [
    "ActionRejected",
    "AgentTestHarness",
    "Answer",
    "ConnectorError",
    "Crash",
    "Deterministic",
    "Duplicate",
    "Explored",
    "Faults",
    "FixtureBuilder",
    "GNATClientError",
    "Indicator",
    "MockReviewService",
    "Page",
    "Reorder",
    "ReplayRunner",
    "ScriptedReviewer",
    "SideEffects",
    "SimulationConnector",
    "StixWarning",
    "about_to_write",
    "approve",
    "assert_survives",
    "delivered",
    "explore",
    "explore_async",
    "load_fixtures",
    "no_answer",
    "reject",
    "serve_taxii",
    "taxii_app",
]


__getattr__, __dir__ = late_names(__name__, _HOME)
