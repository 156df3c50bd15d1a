"""What earlier runs found out about mutants, in a file of the project, so that a run goes on where another ended."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError
from understudy.core.files import atomic_write, read_text
from understudy.rules.mutation.bench import Verdict

FILE = ".understudy/mutation.json"
SCHEMA = "understudy.mutation-ledger.v1"
_KEPT = 100_000
_EVERY = 1.0
_RESULTS = ("noticed", "overdue", "survived", "invalid")


class Ledger:
    """Verdicts by keys that change with whatever a verdict depends on. A file that is damaged is begun anew."""

    def __init__(self, root: Path, *, is_fresh: bool = False) -> None:
        self._path = root / FILE
        self._known = {} if is_fresh else _read(self._path)
        self._saved_at = float("-inf")
        self._is_changed = False

    def find(self, key: str) -> Verdict | None:
        """What is known under a key."""
        entry = self._known.get(key)
        if entry is None:
            return None
        self._known[key] = self._known.pop(key)  # what is used stays longest
        return Verdict(*entry)

    def add(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict; it is on disk within a second, or when `save` is called."""
        self._known[key] = [verdict.result, verdict.by, verdict.how]
        self._is_changed = True
        if time.monotonic() - self._saved_at > _EVERY:
            self.save()

    def save(self) -> None:
        """Write the file."""
        if not self._is_changed:
            return
        kept = dict(list(self._known.items())[-_KEPT:])
        self._path.parent.mkdir(exist_ok=True)
        ignore = self._path.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        atomic_write(self._path, json.dumps({"schema": SCHEMA, "verdicts": kept}))
        self._saved_at, self._is_changed = time.monotonic(), False


def _read(path: Path) -> dict[str, list[Any]]:
    if not path.exists():
        return {}
    try:
        data = json.loads(read_text(path, limit=256 << 20))
    except (InputError, ValueError, RecursionError):
        return {}
    if (
        not isinstance(data, dict)
        or data.get("schema") != SCHEMA
        or not isinstance(data.get("verdicts"), dict)
    ):
        return {}
    return {key: entry for key, entry in data["verdicts"].items() if _is_verdict(entry)}


def _is_verdict(entry: Any) -> bool:
    return (
        isinstance(entry, list)
        and len(entry) == 3
        and all(isinstance(part, str) for part in entry)
        and entry[0] in _RESULTS
    )
