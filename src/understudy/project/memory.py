"""What a run remembers for the next: how every case came out, and how long it took. One small SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from understudy.core.outcome import Outcome

FOLDER = ".understudy"
FILE = "memory.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS cases (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, bad INTEGER NOT NULL, duration_ms REAL NOT NULL
) WITHOUT ROWID
"""


class Memory:
    """The memory of one project. A file that is damaged is put aside and begun again: it is only a convenience."""

    def __init__(self, root: Path) -> None:
        self.file = root / FOLDER / FILE

    def remember(self, outcomes: Iterable[Outcome]) -> None:
        """Keep the outcomes of a run; cases that were not run keep what was known of them."""
        rows = ((o.id, o.status.value, int(o.is_bad), o.duration_ms) for o in outcomes if not o.parent)
        with self._open() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO cases VALUES (?, ?, ?, ?)", rows)

    def failed(self) -> list[str]:
        """Ids of the cases that failed or errored when they were last run."""
        return [row[0] for row in self._rows("SELECT id FROM cases WHERE bad ORDER BY id")]

    def durations(self) -> dict[str, float]:
        """Milliseconds that every known case took when it was last run."""
        return dict(self._rows("SELECT id, duration_ms FROM cases ORDER BY id"))

    def _rows(self, query: str) -> list[tuple[str, float]]:
        if not self.file.exists():
            return []
        with self._open() as connection:
            return connection.execute(query).fetchall()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.file.parent.mkdir(exist_ok=True)
        ignore = self.file.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        try:
            connection = self._connect()
        except sqlite3.DatabaseError:
            self.file.replace(self.file.with_suffix(".damaged"))
            connection = self._connect()
        with closing(connection):
            yield connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file, timeout=10)
        try:
            connection.execute(_TABLE)
        except BaseException:
            connection.close()
            raise
        return connection
