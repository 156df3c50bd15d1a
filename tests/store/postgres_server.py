"""A PostgreSQL server of the tests' own: in a temporary folder, on a free port, stopped by its process id."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from understudy.store import open_store
from understudy.store.tables import metadata

USER = "understudy"
# With characters that have to be escaped in a URL; no message of ours may tell it.
PASSWORD = "s3cret@pass/word"
# Debian keeps the server's programs, one folder a version, away from the PATH.
_PLACES = "/usr/lib/postgresql/*/bin"
_NOBODY = 65534
_SECONDS = 60
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_buffers": "16MB",
    "max_connections": "60",
    # What a test kills is a process, never the machine, so nothing needs to reach the disk.
    "fsync": "off",
    "autovacuum": "off",
    "logging_collector": "off",
}


class PostgresServer:
    """A server that can be stopped, killed and started again, on the same port."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._programs = programs
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0
        self._ready = ""
        password = folder / "password"
        password.write_text(PASSWORD)
        if os.geteuid() == 0:  # the server refuses to be root
            for path in (folder, password):
                os.chown(path, _NOBODY, _NOBODY)
        options = ["--no-sync", "--auth=scram-sha-256", f"--username={USER}", f"--pwfile={password}"]
        options += ["--encoding=UTF8", "--locale=C"]
        self._run("initdb", f"--pgdata={folder / 'data'}", *options)

    def start(self) -> None:
        """Start the server and wait until it lets us in."""
        end = time.monotonic() + _SECONDS
        self._process = self._spawned()
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise AssertionError(self._log()) from None
                if self._process.poll() is not None:
                    # Somebody's connection may have our port for a moment, as it may have any.
                    if "Address already in use" not in self._log():
                        raise AssertionError(self._log()) from None
                    self._process = self._spawned()
                time.sleep(0.02)  # it says nowhere that it is ready

    def _spawned(self) -> subprocess.Popen[bytes]:
        options = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self.folder / "data"), "-p", str(self.port)]
        with (self.folder / "log").open("wb") as log:
            return subprocess.Popen(
                [*command, *options], stdout=log, stderr=log, cwd=self.folder, **_as_somebody()
            )

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: at once and in order (SIGINT), or as a power cut would (SIGQUIT)."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_SECONDS)
            self._process = None

    def url(self, database: str) -> str:
        """The URL of a database."""
        return f"postgresql://{USER}:{quote(PASSWORD, safe='')}@127.0.0.1:{self.port}/{database}"

    def new_place(self) -> str:
        """The URL of a schema that nobody has used, which costs nothing beside a database."""
        self._made += 1
        name = f"test_{self._made}"
        self.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
        return f"{self.url('postgres')}?options=-csearch_path%3D{name}"

    def new_database(self) -> str:
        """The URL of a database that nobody has used."""
        self._made += 1
        name = f"test_{self._made}"
        self.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.url(name)

    def empty_place(self) -> str:
        """The URL of a schema with our tables and nothing in them: always the same, so for one at a time."""
        if not self._ready:
            self._ready = self.new_place()
            open_store(self._ready).close()
        names = sql.SQL(", ").join(sql.Identifier(table.name) for table in metadata.sorted_tables)
        with psycopg.connect(self._ready, autocommit=True) as connection:
            connection.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY").format(names))
        return self._ready

    def execute(self, statement: sql.SQL | sql.Composed, database: str = "postgres") -> None:
        """Do something as the owner of everything."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, **_as_somebody())
        assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server; where there is none the test is skipped, but fails in CI."""
    programs = _programs()
    if programs is None:
        advice = "PostgreSQL is not installed: sudo sh -c 'apt-get update && apt-get install -y postgresql'"
        if os.environ.get("CI") == "true":
            pytest.fail(advice)
        pytest.skip(advice)
    # Not below pytest's folder, which only its owner may enter.
    with tempfile.TemporaryDirectory(prefix="understudy-postgres-") as name:
        server = PostgresServer(Path(name), programs)
        try:
            server.start()
            yield server
        finally:
            server.stop(signal.SIGQUIT)


def _programs() -> Path | None:
    """The folder of the newest server on this machine."""
    for folder in sorted(map(Path, glob(_PLACES)), key=lambda path: path.parent.name.zfill(4), reverse=True):
        if (folder / "initdb").is_file():
            return folder
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found and shutil.which("postgres") else None


def _as_somebody() -> dict[str, Any]:
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
