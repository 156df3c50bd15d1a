"""Prints a find as a test: Python source that fails as long as the pipeline does not survive the disturbance."""

from __future__ import annotations

import re
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

_WIDTH = 100
_DAMAGES = 3


@dataclass(frozen=True, slots=True)
class _Spelled:
    """How a value is written in a test: an expression, what it needs imported, and what the reader has to do."""

    text: str
    imports: tuple[str, ...] = ()
    remark: str = ""


def printed_test(setting: Setting, disturbance: Disturbance, damages: Iterable[object]) -> str:
    """A whole test module. What it cannot import (a lambda, a function within another) it says beside the name.

    >>> print(printed_test(Setting(sorted), (), ["gone"]).splitlines()[0])
    \"\"\"sorted has to survive nothing.\"\"\"
    """
    pipeline = _function(setting.pipeline, setting)
    options = _options(setting)
    spelled = [pipeline, *options.values()]
    classes = sorted({type(step).__name__ for step in disturbance} | {"assert_survives"}, key=_as_sorted)
    lines = [f"from understudy.simulation import {', '.join(classes)}"]
    lines += sorted({line for one in spelled for line in one.imports} - set(lines), key=_import_order)
    arguments = [pipeline.text, *map(written, disturbance)]
    arguments += [f"{name}={one.text}" for name, one in options.items()]
    return "\n".join(
        [
            f'"""{setting.name} has to survive {described(disturbance)}."""',
            "",
            *_import_block(lines),
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
        return _Spelled(path, (f"from {module} import {path.partition('.')[0]}",))
    called = name_of(function)
    own = OwnCode(setting.root, package_of(function))
    text = called if called.isidentifier() else "pipeline"
    said = f"{called} is defined at {site_of(function, own)}, where no other module can import it:"
    return _Spelled(text, (), f"{said} put this test where {text} can be named")


def _deterministic(plan: Deterministic) -> _Spelled:
    """The sources that were imposed; a clock of another class is left to the reader."""
    said: list[str] = []
    imports = ["from understudy.simulation.replay.deterministic import Deterministic"]
    remark = ""
    usual = Deterministic()
    if isinstance(plan.clock, FixedClock):
        if plan.clock != usual.clock:
            moment = plan.clock.moment.astimezone(UTC).isoformat()
            said.append(f'clock=FixedClock(datetime.fromisoformat("{moment}"), {plan.clock.elapsed!r})')
            imports += ["from datetime import datetime", "from understudy.core.clock import FixedClock"]
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
            visible(str(damage)), _WIDTH - 6, initial_indent="    # ", subsequent_indent="    #   "
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


def _import_block(lines: list[str]) -> list[str]:
    """The imports in groups as a formatter would have them: the standard library, and the rest."""
    standard = [line for line in lines if line.startswith("from datetime ")]
    rest = [line for line in lines if line not in standard]
    return [*standard, *([""] if standard else []), *rest]


def _import_order(line: str) -> str:
    return line.split()[1]


def _as_sorted(name: str) -> tuple[bool, str]:
    """Classes before functions, as import sorters have it."""
    return (name.islower() or "_" in name, name)
