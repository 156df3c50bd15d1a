"""The acts that are installed, found through the entry point group `understudy.acts`."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from understudy.core.errors import InputError, Problem
from understudy.engine.act import Act

GROUP = "understudy.acts"


def installed_acts() -> dict[str, EntryPoint]:
    """Every installed act by name; an act that two packages bring is refused."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if entry.name in found and found[entry.name].value != entry.value:
            message = (
                f"two packages bring an act named {entry.name!r}: {found[entry.name].value} and {entry.value}"
            )
            raise InputError([Problem(message, hint="uninstall one of them")])
        found[entry.name] = entry
    return dict(sorted(found.items()))


def load_act(entry: EntryPoint) -> Act:
    """Make the act that an entry point names."""
    try:
        act = entry.load()()
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        message = f"the act {entry.name!r} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}"
        raise InputError([Problem(message, hint="reinstall the package that brings it")]) from error
    if not isinstance(act, Act):
        message = f"the act {entry.name!r} ({entry.value}) does not offer name, discover, run and conclude"
        raise InputError([Problem(message, hint="see docs/how-to/add-an-act.md for how one is written")])
    if act.name != entry.name:
        message = f"the act {entry.name!r} ({entry.value}) calls itself {act.name!r}"
        raise InputError([Problem(message, hint="its name and that of its entry point must be the same")])
    return act
