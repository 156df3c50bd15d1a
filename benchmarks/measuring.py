"""How the benchmarks measure on a machine that others use too: in rounds, by medians, and with its load named."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles

Measures = dict[str, list[float]]


def rounds(contenders: Mapping[str, Callable[[], float]], count: int) -> Measures:
    """What every contender measured in each round, after one that does not count.

    All of them run in every round, in changing order: a slow moment of the machine meets them alike, and what
    is compared stands in the same round.
    """
    measures: Measures = {name: [] for name in contenders}
    names = list(contenders)
    for number in range(count + 1):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            measured = contenders[name]()
            if number:
                measures[name].append(measured)
    return measures


def ratio(measures: Measures, name: str, over: str) -> float:
    """The median, over the rounds, of one contender's measure by another's.

    >>> ratio({"ours": [2, 4, 90], "theirs": [1, 1, 30]}, "ours", "theirs")
    3.0
    """
    return float(median(one / other for one, other in zip(measures[name], measures[over], strict=True)))


def difference(measures: Measures, name: str, over: str) -> float:
    """The median, over the rounds, of how much more one contender measured than another.

    >>> difference({"ours": [2, 4, 90], "theirs": [1, 1, 30]}, "ours", "theirs")
    3.0
    """
    return float(median(one - other for one, other in zip(measures[name], measures[over], strict=True)))


def show(title: str, measures: Measures, unit: str) -> None:
    """Print every contender's median, with the middle half of its rounds."""
    print(f"{title} (median of {len(next(iter(measures.values())))} rounds; {load()})")
    for name, values in measures.items():
        low, _, high = quantiles(values, n=4)
        print(f"  {name:<44} {median(values):>9,.1f} {unit}   ({low:,.1f} to {high:,.1f})")
    sys.stdout.flush()


def load() -> str:
    """How busy the machine is.

    >>> load().startswith("load ")
    True
    """
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def timed_commands(commands: Mapping[str, Sequence[str]], folder: Path, count: int) -> Measures:
    """Milliseconds that each command takes from start to end, in rounds; all of them have to succeed."""
    return rounds({name: partial(_wall_time, command, folder) for name, command in commands.items()}, count)


def _wall_time(command: Sequence[str], folder: Path) -> float:
    # Where Python may not keep what it has compiled, it would be the compiler that is measured.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    took = (time.perf_counter() - began) * 1000
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return took
