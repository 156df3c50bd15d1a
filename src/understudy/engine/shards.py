"""One plan on several machines: which units are this shard's, the same on every machine that asks."""

from __future__ import annotations

import hashlib
import heapq
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from understudy.core.errors import InputError, Problem
from understudy.engine.act import Unit

UNKNOWN_DURATION_MS = 1.0


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` (from 1) of `count`.

    >>> Shard.parse("2/3")
    Shard(index=2, count=3)
    """

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read `i/n`; anything else is wrong input."""
        found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text.strip())
        index, count = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= index <= count:
            raise InputError(
                [Problem(f"{text!r} is no shard", hint="write i/n with 1 <= i <= n, such as --shard 2/4")]
            )
        return cls(index, count)


def fingerprint(units: Iterable[Unit], count: int, durations: Mapping[str, float] | None) -> str:
    """A digest that is equal for all shards of one plan: the same cases, cut in the same way."""
    digest = hashlib.sha256(f"{count}".encode())
    for unit in units:
        for case in unit.cases:
            digest.update(b"\0" + case.id.encode("utf-8", "surrogatepass"))
    for name, duration in sorted((durations or {}).items()):
        digest.update(f"\1{name}\0{duration}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def take(units: Sequence[Unit], shard: Shard, durations: Mapping[str, float] | None = None) -> list[Unit]:
    """This shard's units, in the order of the plan.

    Without durations a unit's shard depends on its id alone, so that it stays where it is when other units come
    and go. With durations (milliseconds by case id) the longest units are dealt out first, each to the shard that
    has least to do; every shard must be given the same ones.
    """
    if shard.count == 1:
        return list(units)
    if durations is None:
        return [unit for unit in units if _by_id(unit.id, shard.count) == shard.index - 1]
    known = [durations[case.id] for unit in units for case in unit.cases if case.id in durations]
    typical = sorted(known)[len(known) // 2] if known else UNKNOWN_DURATION_MS
    weights = {unit.id: sum(durations.get(case.id, typical) for case in unit.cases) for unit in units}
    # What a shard has to do, and in how many units: units that took no time are dealt out evenly as well.
    loads = [(0.0, 0, index) for index in range(shard.count)]
    owner: dict[str, int] = {}
    for unit in sorted(units, key=lambda unit: (-weights[unit.id], unit.id)):
        load, number, lightest = heapq.heappop(loads)
        owner[unit.id] = lightest
        heapq.heappush(loads, (load + weights[unit.id], number + 1, lightest))
    return [unit for unit in units if owner[unit.id] == shard.index - 1]


def _by_id(unit_id: str, count: int) -> int:
    return (
        int.from_bytes(hashlib.sha256(unit_id.encode("utf-8", "surrogatepass")).digest()[:8], "big") % count
    )
