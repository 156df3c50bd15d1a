"""Puts the entries of scripts into a suite, as cases of what they refer to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from understudy.core.errors import InputError
from understudy.testbed.models import (
    Case,
    GraphQLCase,
    GRPCCase,
    HTTPCase,
    QueueCase,
    ScriptSource,
    Suite,
)
from understudy.testbed.script_checks import check_scripts, entries_of
from understudy.testbed.script_models import (
    GraphQLScript,
    GRPCScript,
    HTTPScript,
    QueueScript,
    ScriptEntry,
    ScriptFile,
    WebSocketScript,
)
from understudy.testbed.script_targets import Targets
from understudy.testbed.shape import json_name

__all__ = ["apply_scripts", "check_scripts"]

# Of each kind of entry the case it becomes, the keys by which it refers, and what is expected by default.
_KINDS: dict[type[ScriptEntry], tuple[type[Case], frozenset[str], dict[str, Any]]] = {
    HTTPScript: (HTTPCase, frozenset({"operation"}), {}),
    WebSocketScript: (HTTPCase, frozenset({"operation"}), {"closeCode": 1000}),
    GraphQLScript: (GraphQLCase, frozenset({"endpoint"}), {"status": 200}),
    GRPCScript: (GRPCCase, frozenset({"service", "method"}), {"code": "OK"}),
    QueueScript: (QueueCase, frozenset({"queue", "job", "body", "bodyBase64", "headers"}), {}),
}
_SHARED = frozenset(json_name(field) for field in ScriptEntry.model_fields)


def apply_scripts(suite: Suite, scripts: Iterable[ScriptFile] | ScriptFile) -> Suite:
    """A new suite with the scripts' cases behind its own; the given one stays as it is.

    Raises one InputError with every problem of every script, before anything is run.

    >>> routes = {"routes": [{"operation": "home"}]}
    >>> suite = Suite.model_validate({"schema": "anvil.testbed.v1", "http": routes})
    >>> script = ScriptFile(http=[HTTPScript(operation="home", name="shows up")])
    >>> apply_scripts(suite, [script]).http.routes[0].cases[0].name
    'shows up'
    """
    scripts = [scripts] if isinstance(scripts, ScriptFile) else list(scripts)
    for script in scripts:
        if not isinstance(script, ScriptFile):
            raise InputError(f"scripts are what load_script gives, not {type(script).__name__}")
    problems = check_scripts(suite, scripts)
    if problems:
        raise InputError(problems)
    applied = suite.copy_deep()
    targets = Targets(applied)
    for script in scripts:
        for entry in entries_of(script):
            target: Any = targets.find(entry)
            target.cases.append(_case(entry, script.file))
    return applied


def _case(entry: ScriptEntry, file: str) -> Case:
    model, references, defaults = next(kind for script, kind in _KINDS.items() if isinstance(entry, script))
    # A default says what a missing key says: left out, so that a case keeps only what its script wrote.
    written = entry.model_dump(by_alias=True, exclude_defaults=True)
    record = {key: value for key, value in written.items() if key in _SHARED}
    given = {key: value for key, value in written.items() if key not in _SHARED | references}
    if given.get("body") in ({}, ""):
        # An empty body is no body; an empty list is one of JSON.
        del given["body"]
    record["input"] = entry.case_input() if isinstance(entry, QueueScript) else given
    record["expect"] = {**defaults, **record.get("expect", {})}
    record["script"] = file
    # A case without a source would pass for a generated one.
    record["source"] = (entry.source or ScriptSource(file=file)).model_dump()
    return model.model_validate(record)
