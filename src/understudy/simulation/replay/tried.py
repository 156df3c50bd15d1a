"""The file in which an exploration keeps what it has tried, so that it goes on where it was stopped or killed."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, BinaryIO

from understudy.core.errors import InputError, Problem
from understudy.core.files import atomic_write, read_text

try:
    import fcntl
except ImportError:  # Windows has no locks of this kind
    fcntl = None  # type: ignore[assignment]

SCHEMA = "understudy.exploration.v1"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which exploration a file belongs to. Another `state` (code, or what the clean run does) makes it begin anew."""

    pipeline: str
    seed: int
    options: str
    state: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a disturbance: the labels of the damage it did, and whether all of it came to pass."""

    damage: tuple[str, ...] = ()
    is_met: bool = True


class Tried:
    """What was tried, by its key, and what came of it.

    Every trial is one line, appended when it is over; what a kill leaves of a line is dropped. Without a path
    everything is kept in memory only.

    >>> with Tried(None, Identity("sync", 0, "", "")) as tried:
    ...     tried.note("Duplicate(1)", Verdict())
    ...     tried.verdict("Duplicate(1)"), tried.verdict("Duplicate(2)")
    (Verdict(damage=(), is_met=True), None)
    """

    def __init__(self, path: str | os.PathLike[str] | None, identity: Identity) -> None:
        self._path = None if path is None else os.fspath(path)
        self._identity = identity
        self._known: dict[str, Verdict] = {}
        self._file: BinaryIO | None = None
        self.is_renewed = False

    def __enter__(self) -> Tried:
        try:
            if self._path is not None:
                self._open(self._path)
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            try:
                os.fsync(self._file.fileno())
            finally:
                self._file.close()
                self._file = None

    def verdict(self, key: str) -> Verdict | None:
        """What came of a disturbance; None if it has not been tried."""
        return self._known.get(key)

    def note(self, key: str, verdict: Verdict) -> None:
        """Keep what came of a trial."""
        if self._known.get(key) == verdict:
            return
        self._known[key] = verdict
        if self._file is not None:
            entry = {"tried": key, "damage": list(verdict.damage), "met": verdict.is_met}
            line = (json.dumps(entry, ensure_ascii=True) + "\n").encode("ascii")
            try:
                if self._file.write(line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError as error:
                hint = "free some space; what was tried up to now is in the file"
                raise self._wrong(f"cannot be written: {error.strerror or error}", hint) from None

    def _open(self, path: str) -> None:
        if not os.path.exists(path):
            self._begin(path)
        self._lock(path)
        text = read_text(path)
        whole = text[: text.rfind("\n") + 1]
        lines = whole.splitlines()
        header = self._parsed(lines[0], 1) if lines else {}
        if header.get("schema") != SCHEMA:
            raise self._wrong("is no file of an exploration", "name another file, or delete this one", 1)
        self._refuse_another(header)
        if header.get("state") != self._identity.state:
            self.is_renewed = True
            self._release()
            self._begin(path)
            self._lock(path)
            return
        for number, line in enumerate(lines[1:], 2):
            entry = self._parsed(line, number)
            if not isinstance(entry.get("tried"), str) or not isinstance(entry.get("damage"), list):
                raise self._wrong("is no line of an exploration", "delete the line, or the file", number)
            damage = tuple(map(str, entry["damage"]))
            self._known[entry["tried"]] = Verdict(damage, entry.get("met") is not False)
        if self._file is not None:
            self._file.truncate(len(whole.encode("utf-8")))

    def _begin(self, path: str) -> None:
        atomic_write(path, json.dumps({"schema": SCHEMA, **asdict(self._identity)}, ensure_ascii=True) + "\n")

    def _lock(self, path: str) -> None:
        try:
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - closed in __exit__ and _release
        except OSError as error:
            raise self._wrong(f"cannot be opened: {error.strerror or error}", "check the path") from None
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                hint = "wait for it, or name another file"
                raise self._wrong("is in use by another exploration", hint) from None

    def _release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _refuse_another(self, header: dict[str, Any]) -> None:
        for name, what in (("pipeline", "pipeline"), ("seed", "seed"), ("options", "set of options")):
            mine, theirs = getattr(self._identity, name), header.get(name)
            if mine != theirs:
                raise self._wrong(
                    f"belongs to the exploration of another {what} ({theirs!r}, not {mine!r})",
                    "give every exploration a file of its own, or delete this one to begin anew",
                )

    def _parsed(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self._wrong("is no line of an exploration", "delete the line, or the file", number)
        return found

    def _wrong(self, message: str, hint: str, line: int | None = None) -> InputError:
        return InputError([Problem(message, self._path or "", line, hint=hint)])
