"""What a run remembers for the next: how every case came out, and how long it took. One small SQLite file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from understudy.core.errors import InputError, Problem
from understudy.core.outcome import Outcome

if TYPE_CHECKING:
    import sqlite3

FOLDER = ".understudy"
FILE = "memory.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS cases (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, bad INTEGER NOT NULL, duration_ms REAL NOT NULL
) WITHOUT ROWID
"""
_COLUMNS = ["id", "status", "bad", "duration_ms"]
T = TypeVar("T")


def _warn(text: str) -> None:
    sys.stderr.write(f"warning: {text}\n")


class _Damaged(Exception):
    """The file is no memory of ours."""


def make_folder(folder: Path) -> None:
    """Make the folder for what runs leave behind, which is not for version control."""
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


class Memory:
    """The memory of one project. It is only a convenience: a file that is damaged is put aside and begun again,
    and a run that cannot keep its memory says so through `warn` and is as good as any other.
    """

    def __init__(self, root: Path, warn: Callable[[str], None] = _warn) -> None:
        self.file = root / FOLDER / FILE
        self._warn = warn

    def remember(self, outcomes: Iterable[Outcome]) -> None:
        """Keep the outcomes of a run; cases that were not run keep what was known of them."""
        import sqlite3

        def write(connection: sqlite3.Connection) -> None:
            rows = ((o.id, o.status.value, int(o.is_bad), o.duration_ms) for o in outcomes if not o.parent)
            with connection:
                connection.executemany("INSERT OR REPLACE INTO cases VALUES (?, ?, ?, ?)", rows)

        try:
            make_folder(self.file.parent)
            self._use(write)
        except (sqlite3.Error, OSError) as error:
            self._warn(f"{self.file}: this run is not remembered for --rerun-failed: {error}")

    def failed(self) -> list[str]:
        """Ids of the cases that failed or errored when they were last run."""
        return [row[0] for row in self._rows("SELECT id FROM cases WHERE bad ORDER BY id")]

    def durations(self) -> dict[str, float]:
        """Milliseconds that every known case took when it was last run."""
        return dict(self._rows("SELECT id, duration_ms FROM cases ORDER BY id"))

    def _rows(self, query: str) -> list[tuple[str, float]]:
        import sqlite3

        def read(connection: sqlite3.Connection) -> list[tuple[str, float]]:
            return connection.execute(query).fetchall()

        try:
            return self._use(read) if self.file.exists() else []
        except (sqlite3.Error, OSError) as error:
            hint = "see who else uses it, or delete it; it holds nothing but the last results"
            raise InputError([Problem(f"cannot be read: {error}", str(self.file), hint=hint)]) from None

    def _use(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work on the file, and again on a new one if the file turns out to be damaged."""
        try:
            return self._once(work)
        except _Damaged as damage:
            aside = self.file.with_suffix(".damaged")
            self.file.replace(aside)
            # A journal that stays behind would be played into the new file.
            for leftover in ("-journal", "-wal", "-shm"):
                self.file.with_name(self.file.name + leftover).unlink(missing_ok=True)
            self._warn(f"{self.file} {damage}; it was put aside as {aside.name} and begun again")
            return self._once(work)

    def _once(self, work: Callable[[sqlite3.Connection], T]) -> T:
        import sqlite3  # late, as a run without a project remembers nothing

        with closing(sqlite3.connect(self.file, timeout=10)) as connection:
            try:
                columns = [row[1] for row in connection.execute("PRAGMA table_info(cases)")]
                if columns not in ([], _COLUMNS):
                    raise _Damaged(f"is no memory of ours (its columns are {', '.join(columns)})")
                connection.execute(_TABLE)
                return work(connection)
            except sqlite3.OperationalError:
                raise  # locked, read-only, no room: the file itself may be well
            except sqlite3.DatabaseError as error:
                raise _Damaged(f"is damaged ({error})") from None
