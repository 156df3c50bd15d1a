"""What listens to a run, and the one table of report formats that can be written to a file when it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Protocol, TextIO

from understudy import __version__
from understudy.core.errors import InputError, Problem
from understudy.core.events import Event, RunFinished
from understudy.core.files import atomic_writer
from understudy.core.report import Report

Write = Callable[[Report, TextIO], None]


class Handler(Protocol):
    """Listens to a run. Handlers never call acts, and one that fails does not change what the run found."""

    def handle(self, event: Event) -> None:
        """Take one event, in the order in which things happened."""
        ...


class FileReport:
    """Writes one report file when the run ends: whole or not at all, its folder made if need be."""

    def __init__(self, path: str | PathLike[str], write: Write) -> None:
        self.path = fspath(path)
        self._write = write

    def handle(self, event: Event) -> None:
        """Write the file if this is the end of the run."""
        if isinstance(event, RunFinished):
            write_report(event.report, self.path, self._write)


def write_report(report: Report, path: str | PathLike[str], write: Write) -> None:
    """Write a report to a file: after a crash there stands what stood before, or all of the new one."""
    _make_folder(path)
    with atomic_writer(path) as out:
        write(report, out)


def check_report_files(files: Mapping[str, str]) -> None:
    """Refuse, before a run is spent on it, what a report could not be written to; files by option.

    >>> check_report_files({"--json": "report", "--html": "./report", "--junit": ""})
    Traceback (most recent call last):
        ...
    understudy.core.errors.InputError: report: --json and --html name the same file (give each report its own)
    """
    owners: dict[str, str] = {}
    for option, path in files.items():
        if not path:
            continue
        if os.path.isdir(path):
            raise InputError([Problem("is a directory, not a file", path, hint="name a file in it")])
        if os.path.exists(path) and not os.path.isfile(path):
            continue  # a device such as /dev/null takes whatever comes
        owner = owners.setdefault(os.path.realpath(path), option)
        if owner != option:
            message = f"{owner} and {option} name the same file"
            raise InputError([Problem(message, os.path.normpath(path), hint="give each report its own")])
        _make_folder(path)


def _make_folder(path: str | PathLike[str]) -> None:
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder for the report cannot be made: {error.strerror or error}"
        raise InputError([Problem(message, fspath(path), hint="name a file in another folder")]) from None


def _writer(module: str, name: str) -> Write:
    """A writer whose module is imported when it is first used: a run that writes no HTML need not load it."""

    def write(report: Report, out: TextIO) -> None:
        getattr(import_module(f"understudy.reporting.{module}"), name)(report, out)

    return write


def _write_json(report: Report, out: TextIO) -> None:
    from understudy.reporting.json_report import write_json

    write_json(report, out, __version__)


FORMATS: Mapping[str, Write] = {
    "json": _write_json,
    "junit": _writer("junit", "write_junit"),
    "html": _writer("html", "write_html"),
}
