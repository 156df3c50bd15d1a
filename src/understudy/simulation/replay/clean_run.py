"""The clean run that every trial is compared with: refused where a comparison with it would prove nothing."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import MutableMapping, MutableSequence, MutableSet
from typing import Any

from understudy.core.canonical import content_hash
from understudy.core.errors import InputError, Problem
from understudy.simulation.replay.causes import likely_causes
from understudy.simulation.replay.own_code import OwnCode, package_of
from understudy.simulation.replay.pipelines import site_of
from understudy.simulation.replay.survival import Damage, damages_of
from understudy.simulation.replay.trial import Setting, Trial, run_trial

_SAID = 3


def clean_run(setting: Setting) -> tuple[Trial, list[str]]:
    """What the pipeline does when nothing happens to it, and notes on how far that can be relied upon.

    An InputError if it raises, does not end, writes nothing, or does something else when it is run once more.
    """
    first = run_trial(setting, watch=True)
    _require_good_end(setting, first)
    if not any(setting.ignore is None or not setting.ignore(write) for write in first.writes):
        raise _wrong(
            f"{setting.name} has no side effects, so that there is nothing that a crash could spoil",
            'have it write through a connector or SideEffects, or log its writes with ctx.record(..., kind="write")',
        )
    again = run_trial(setting, watch=True)
    _require_good_end(setting, again)
    _require_the_same(setting, first, again)
    return first, [*first.notes, *_notes(setting, first, again)]


def state_hash(setting: Setting, clean: Trial) -> str:
    """One text for what the clean run did and for the code that did it."""
    digest = hashlib.sha256()
    package = package_of(setting.pipeline)
    files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    for file in sorted(
        file for file in files if package and file.startswith(package) and os.path.isfile(file)
    ):
        with open(file, "rb") as source:
            digest.update(source.read())
    writes = [(one.name, one.content_hash) for one in clean.writes]
    deliveries = [(one.size, one.source, one.is_ordered) for one in clean.deliveries]
    return content_hash([digest.hexdigest(), writes, clean.state, deliveries])


def _require_good_end(setting: Setting, trial: Trial) -> None:
    name, run = setting.name, trial.runs[-1] if trial.runs else None
    if trial.is_hung:
        seconds = f"{setting.timeout:g} s"
        hint = "correct it, or allow more with timeout="
        raise _wrong(f"{name} did not end within {seconds} although nothing was done to it", hint)
    if trial.is_runaway:
        raise _wrong(
            f"{name} made more than {setting.max_writes:,} writes and was stopped",
            "does it ever end? allow more with max_writes",
        )
    if trial.error:
        where = f" (at {run.error_site})" if run is not None and run.error_site else ""
        raise _wrong(
            f"{name} raised {trial.error}{where} although nothing was done to it",
            "make it run well before it is explored",
        )


def _require_the_same(setting: Setting, first: Trial, again: Trial) -> None:
    damages = list(damages_of(setting, first, again))
    if not damages and first.deliveries != again.deliveries:
        damages = [Damage("changed", "", "it was not handed the same deliveries")]
    if not damages:
        return
    texts = [str(part) for damage in damages for part in (damage.message, damage.expected, damage.actual)]
    own = OwnCode(setting.root, package_of(setting.pipeline))
    causes = likely_causes(first.runs[-1], again.runs[-1], texts, site_of(setting.pipeline, own))
    again_said = "did something else when it was run again, in a new world and undisturbed:"
    lines = [f"exploring needs a deterministic pipeline, and {setting.name} {again_said}"]
    lines += [f"  {damage.message}" for damage in damages[:_SAID]]
    lines += [f"  and {len(damages) - _SAID} more"] if len(damages) > _SAID else []
    if causes:
        lines += ["likely causes:", *(f"  {cause}" for cause in causes)]
    else:
        lines.append(
            "nothing that it read explains that: does it keep something from one run to the next, or write "
            "ctx.context_id, or what its threads decide?"
        )
    lines.append(_remedy(first, again))
    raise InputError([Problem("\n".join(lines))])


def _remedy(first: Trial, again: Trial) -> str:
    if first.world is again.world and _can_change(first.world):
        return "world= gave the same world twice: it has to make a new one for every trial"
    return (
        "give it the clock and the ids that it reads, or have them imposed: impose=Deterministic(); "
        "if only the world differs, say with state= what matters of it"
    )


def _can_change(world: Any) -> bool:
    return isinstance(world, MutableMapping | MutableSequence | MutableSet) or hasattr(world, "__dict__")


def _notes(setting: Setting, first: Trial, again: Trial) -> list[str]:
    notes = []
    if [(one.name, one.content_hash) for one in first.writes] != [
        (one.name, one.content_hash) for one in again.writes
    ]:
        notes.append(
            "two clean runs made the same writes in another order (threads?), so that a crash after a write is not "
            "at the same place in every run"
        )
    if not first.deliveries:
        notes.append(
            "nothing was delivered through a simulated connector or delivered(), so that no delivery was repeated "
            "or reordered"
        )
    if setting.world is None:
        notes.append(
            "no world= was given: the ledger alone was compared, and a resumed run began with what the pipeline "
            "makes itself"
        )
    return notes


def _wrong(message: str, hint: str) -> InputError:
    return InputError([Problem(message, hint=hint)])
