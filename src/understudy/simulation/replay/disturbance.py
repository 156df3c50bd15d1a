"""What can go wrong with a pipeline while it runs, as plain data: crashes, repeated and reordered deliveries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class Crash:
    """The process dies right before or after the nth write of a run; the pipeline is run again afterwards.

    >>> str(Crash("after", write=2))
    'a crash after write 2'
    """

    when: Literal["before", "after"]
    write: int
    run: int = 1

    def __post_init__(self) -> None:
        if self.when not in ("before", "after"):
            raise _wrong(f"a crash is 'before' or 'after' a write, not {brief(self.when)}", "correct it")
        _require_counted("write", self.write)
        _require_counted("run", self.run)

    def __str__(self) -> str:
        return f"a crash {self.when} write {self.write}{_in_run(self.run)}"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """One item of a delivery is handed over twice, one right after the other.

    >>> str(Duplicate(2))
    'item 2 of delivery 1 handed over twice'
    """

    item: int
    delivery: int = 1
    run: int = 1

    def __post_init__(self) -> None:
        for name in ("item", "delivery", "run"):
            _require_counted(name, getattr(self, name))

    def __str__(self) -> str:
        return f"item {self.item} of delivery {self.delivery} handed over twice{_in_run(self.run)}"


@dataclass(frozen=True, slots=True)
class Reorder:
    """The items of a delivery are handed over in another order: `order` has the number of each, from 1 on.

    Where a run gets fewer items than that, those that are there come in this order; further ones come last.

    >>> str(Reorder((2, 1, 3)))
    'delivery 1 in the order 2, 1, 3'
    """

    order: tuple[int, ...]
    delivery: int = 1
    run: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", tuple(self.order))
        for name in ("delivery", "run"):
            _require_counted(name, getattr(self, name))
        if sorted(self.order) != list(range(1, len(self.order) + 1)):
            raise _wrong(
                f"the order {brief(list(self.order))} does not have every item once",
                "write the numbers from 1 on",
            )

    def __str__(self) -> str:
        order = ", ".join(map(str, self.order))
        return f"delivery {self.delivery} in the order {order}{_in_run(self.run)}"


Step = Crash | Duplicate | Reorder
Disturbance = tuple[Step, ...]


def described(disturbance: Disturbance) -> str:
    """The disturbance in words.

    >>> described((Duplicate(1), Crash("before", write=3)))
    'item 1 of delivery 1 handed over twice, and a crash before write 3'
    """
    return ", and ".join(map(str, disturbance)) or "nothing"


def written(step: Step) -> str:
    """The step as Python writes it, the same for the same step.

    >>> written(Crash("after", write=1, run=2)), written(Reorder((2, 1)))
    ('Crash("after", write=1, run=2)', 'Reorder((2, 1))')
    """
    if isinstance(step, Crash):
        said = f'"{step.when}", write={step.write}'
    else:
        said = str(step.item) if isinstance(step, Duplicate) else str(step.order)
        said += f", delivery={step.delivery}" if step.delivery != 1 else ""
    said += f", run={step.run}" if step.run != 1 else ""
    return f"{type(step).__name__}({said})"


def key_of(disturbance: Disturbance) -> str:
    """One line of text by which a disturbance is known."""
    return "; ".join(map(written, disturbance))


def in_run(step: Step, run: int) -> Step:
    """The same step in another run."""
    return replace(step, run=run)


def checked(steps: tuple[Any, ...]) -> Disturbance:
    """The steps, if they can happen together: no two crashes in one run, and no run without a crash before it."""
    for step in steps:
        if not isinstance(step, Crash | Duplicate | Reorder):
            raise _wrong(f"{brief(step)} is no disturbance", "give Crash(), Duplicate() or Reorder()")
    crashed = [step.run for step in steps if isinstance(step, Crash)]
    if len(set(crashed)) < len(crashed):
        raise _wrong("one run cannot crash twice", "give the second crash run=2")
    ordered = [(step.run, step.delivery) for step in steps if isinstance(step, Reorder)]
    if len(set(ordered)) < len(ordered):
        raise _wrong(
            "one delivery cannot be in two orders", "give one of them another delivery, or leave it out"
        )
    last = max((step.run for step in steps), default=1)
    for run in range(1, last):
        if run not in crashed:
            raise _wrong(
                f"there is no run {run + 1}, for run {run} does not crash", f"add a crash with run={run}"
            )
    return steps


def _in_run(run: int) -> str:
    return f" in run {run}" if run > 1 else ""


def _require_counted(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _wrong(f"{name} is a number from 1 on, not {brief(value)}", "correct it")


def _wrong(message: str, hint: str) -> InputError:
    return InputError([Problem(message, hint=hint)])
