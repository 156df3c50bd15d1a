"""One test function, run to its end: again and again while guarded calls in it end with errors."""

from __future__ import annotations

from dataclasses import dataclass

import starlark

from understudy.rules.listing import LoadError
from understudy.rules.starlark.errors import read_error
from understudy.rules.starlark.host import Host
from understudy.rules.starlark.modules import TestModule
from understudy.rules.starlark.turn import GuardPath, Turn

ATTEMPT_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Ran:
    """A test that was run: its last attempt, and the error that ended it, if one did."""

    name: str
    turn: Turn
    error: LoadError | None = None


def run_test(module: TestModule, name: str, host: Host) -> Ran:
    """Run one test function of a module."""
    host.file, host.folder = module.file, module.folder
    known: dict[GuardPath, LoadError] = {}
    for _ in range(ATTEMPT_LIMIT):
        host.turn = turn = Turn(known)
        host.raised = None
        try:
            module.call(name)
        except starlark.StarlarkError as error:
            said = read_error(str(error), module.file, host.raised)
            if turn.open_guard is None:
                return Ran(name, turn, said)
            known[turn.open_guard] = said
            continue
        return Ran(name, turn)
    return Ran(
        name,
        turn,
        LoadError(f"more than {ATTEMPT_LIMIT:,} calls in check.fails or test() ended with an error"),
    )
