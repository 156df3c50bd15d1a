"""What a process of its own is asked to replay, and what it answers: both plain enough to travel there and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from understudy.core.canonical import content_hash
from understudy.simulation.replay.causes import forms_of
from understudy.simulation.replay.deterministic import Deterministic
from understudy.simulation.replay.judge import Compare, Finding, differs
from understudy.simulation.replay.record import Read, Run, Site
from understudy.simulation.replay.snapshot import MOST_OBJECTS, text_of

_MOST_CONTENT = 32 << 20


@dataclass(frozen=True, slots=True)
class Job:
    """A pipeline to be replayed elsewhere; `pipeline` and `world` read `module:function`.

    Of the lines `traced`, those that are run come back among the reads.
    """

    pipeline: str
    world: str = ""
    workspace_id: str = "default"
    compare: Compare = "ids"
    ordered: bool = False
    impose: Deterministic | None = None
    max_objects: int = MOST_OBJECTS
    root: str = ""
    traced: tuple[Read, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job is done: what its process can import from, its folder, and whether it may reach the network."""

    path: tuple[str, ...]
    folder: str = ""
    allow_network: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of the first run and the replay of a job. `error` is that of the first run, if it raised."""

    name: str
    site: Site
    findings: tuple[Finding, ...] = ()
    failing: tuple[Finding, ...] = ()
    causes: tuple[Read, ...] = ()
    notes: tuple[str, ...] = ()
    objects: int = 0
    writes: int = 0
    suppressed: int = 0
    error: str = ""
    error_site: Site | None = None
    traceback: str = ""
    hash_sites: tuple[Read, ...] = ()

    @property
    def is_different(self) -> bool:
        """True if the replay yielded something else."""
        return differs(self.findings)


def travelling_run(run: Run) -> Run:
    """A run of which only what another process can read is left: no objects of the pipeline's own classes.

    >>> travelling_run(Run(ids=("a",), count=1)).ids
    ('a',)
    """
    contents = dict(run.contents)
    if sum(map(len, contents.values())) > _MOST_CONTENT:
        contents = {name: f'"{content_hash(text_of(kept))}"' for name, kept in contents.items()}
    reads = tuple(travelling_read(read) for read in run.reads)
    return replace(run, ids=tuple(map(_plain, run.ids)), contents=contents, reads=reads, log=())


def travelling_read(read: Read) -> Read:
    """A read with its values as the texts in which they can be found again."""
    return replace(read, values=tuple(form for value in read.values for form in forms_of(value)))


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else content_hash(value)
