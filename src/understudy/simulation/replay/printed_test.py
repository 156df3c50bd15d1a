"""Prints a find as a test: Python source that fails as long as the pipeline does not survive the disturbance."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC
from typing import Any

from understudy.core.brief import visible
from understudy.core.clock import FixedClock
from understudy.simulation.replay.deterministic import Deterministic
from understudy.simulation.replay.disturbance import Disturbance, described, written
from understudy.simulation.replay.own_code import OwnCode, package_of
from understudy.simulation.replay.pipelines import importable_name, name_of, site_of
from understudy.simulation.replay.trial import Setting

_HOME = "understudy.simulation"
_WIDTH = 100
_DAMAGES = 3


@dataclass(frozen=True, slots=True)
class _Spelled:
    """How a value is written in a test: an expression, what it needs imported, and what the reader has to do."""

    text: str
    imports: tuple[tuple[str, str], ...] = ()
    remark: str = ""


def printed_test(setting: Setting, disturbance: Disturbance, damages: Iterable[object]) -> str:
    """A whole test module. What it cannot import (a lambda, a function within another) it says beside the name.

    >>> print(printed_test(Setting(sorted), (), ["gone"]).splitlines()[0])
    \"\"\"sorted has to survive nothing.\"\"\"
    """
    pipeline = _function(setting.pipeline, setting)
    options = _options(setting)
    spelled = [pipeline, *options.values()]
    names = {(_HOME, "assert_survives"), *((_HOME, type(step).__name__) for step in disturbance)}
    names |= {name for one in spelled for name in one.imports}
    arguments = [pipeline.text, *map(written, disturbance)]
    arguments += [f"{name}={one.text}" for name, one in options.items()]
    return "\n".join(
        [
            f'"""{setting.name} has to survive {described(disturbance)}."""',
            "",
            *_import_block(names),
            *[f"# {one.remark}" for one in spelled if one.remark],
            "",
            "",
            f"def test_{_test_name(setting, disturbance)}() -> None:",
            *_remarks(damages),
            *_call(arguments),
            "",
        ]
    )


def _options(setting: Setting) -> dict[str, _Spelled]:
    """The options that are not as they are by default, as they are to be written."""
    made: dict[str, _Spelled] = {}
    for field in fields(Setting):
        value = getattr(setting, field.name)
        if field.name in ("pipeline", "root") or value == field.default:
            continue
        if isinstance(value, Deterministic):
            made[field.name] = _deterministic(value)
        elif callable(value):
            made[field.name] = _function(value, setting)
        else:
            made[field.name] = _Spelled(repr(value))
    return made


def _function(function: Any, setting: Setting) -> _Spelled:
    name = importable_name(function)
    if name:
        module, _, path = name.partition(":")
        return _Spelled(path, ((module, path.partition(".")[0]),))
    called = name_of(function)
    own = OwnCode(setting.root, package_of(function))
    text = called if called.isidentifier() else "pipeline"
    said = f"{called} is defined at {site_of(function, own)}, where no other module can import it:"
    return _Spelled(text, (), f"{said} put this test where {text} can be named")


def _deterministic(plan: Deterministic) -> _Spelled:
    """The sources that were imposed; a clock of another class is left to the reader."""
    said: list[str] = []
    imports = [(_HOME, "Deterministic")]
    remark = ""
    usual = Deterministic()
    if isinstance(plan.clock, FixedClock):
        if plan.clock != usual.clock:
            moment = plan.clock.moment.astimezone(UTC).isoformat()
            said.append(f'clock=FixedClock(datetime.fromisoformat("{moment}"), {plan.clock.elapsed!r})')
            imports += [("datetime", "datetime"), ("understudy.core.clock", "FixedClock")]
    else:
        remark = f"impose has a {type(plan.clock).__name__} as its clock: give it to Deterministic here too"
    for name in ("seed", "tick"):
        if getattr(plan, name) != getattr(usual, name):
            said.append(f"{name}={getattr(plan, name)!r}")
    if plan.environment is not None:
        said.append(f"environment={dict(plan.environment)!r}")
    return _Spelled(f"Deterministic({', '.join(said)})", tuple(imports), remark)


def _remarks(damages: Iterable[object]) -> list[str]:
    lines: list[str] = []
    said = list(damages)
    for damage in said[:_DAMAGES]:
        lines += textwrap.wrap(
            visible(str(damage)),
            _WIDTH,
            initial_indent="    # ",
            subsequent_indent="    #   ",
            break_on_hyphens=False,
        )
    if len(said) > _DAMAGES:
        lines.append(f"    # and {len(said) - _DAMAGES} more")
    return lines


def _call(arguments: list[str]) -> list[str]:
    line = f"    assert_survives({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return [line]
    return ["    assert_survives(", *(f"        {argument}," for argument in arguments), "    )"]


def _test_name(setting: Setting, disturbance: Disturbance) -> str:
    steps = "_and_".join(_words(str(step)) for step in disturbance)
    return f"{_words(setting.name)}_survives_{steps or 'nothing'}"[:_WIDTH]


def _words(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_").lower()


def _import_block(names: Iterable[tuple[str, str]]) -> list[str]:
    """The imports as a formatter would have them: the standard library, Understudy, and the user's own modules."""
    modules: dict[str, set[str]] = {}
    for module, name in names:
        modules.setdefault(module, set()).add(name)
    groups: dict[int, list[str]] = {}
    for module in sorted(modules):
        top = module.partition(".")[0]
        group = 0 if top in sys.stdlib_module_names else 1 if top == "understudy" else 2
        imported = ", ".join(sorted(modules[module], key=_import_order))
        groups.setdefault(group, []).append(f"from {module} import {imported}")
    return [line for group in sorted(groups) for line in (*groups[group], "")][:-1]


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes and functions, each in their own order."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)
