"""The scenarios that a project declares, as units, each agent found in its file without importing anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.ids import Numbering, case_id
from understudy.engine.act import CaseRef, Unit
from understudy.simulation.agents.settings import AgentsSettings, ScenarioSettings
from understudy.simulation.named_functions import find_folders, find_function

ACT = "agents"


@dataclass(frozen=True, slots=True)
class Declared:
    """A scenario of the project, ready to be played: `path` are the folders that its modules are imported from."""

    unit: Unit
    settings: ScenarioSettings
    path: tuple[str, ...]
    folder: str


def read_catalogue(root: Path, settings: AgentsSettings) -> dict[str, Declared]:
    """Every declared scenario by the id of its unit; all problems are raised together."""
    problems: list[Problem] = []
    folders = find_folders(root, settings.path, ACT, problems)
    if problems:
        raise InputError(problems)
    numbering: dict[str, Numbering] = {}
    declared: dict[str, Declared] = {}
    for order, scenario in enumerate(settings.scenarios):
        location = find_function(root, folders, scenario.agent, ACT, problems)
        file = location.file if location else scenario.agent.partition(":")[0]
        name = numbering.setdefault(file, Numbering())(scenario.name)
        identifier = case_id(ACT, file, name)
        ref = CaseRef(identifier, name, tuple(scenario.tags), location, order=order)
        unit = Unit(identifier, ACT, (ref,))
        declared[identifier] = Declared(unit, scenario, tuple(map(str, folders)), str(root))
    if problems:
        raise InputError(dict.fromkeys(problems))
    return declared
