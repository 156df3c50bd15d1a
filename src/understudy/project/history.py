"""The history of a project: where the outcomes of its runs are kept, and keeping them, which never fails a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.events import Event, RunFinished
from understudy.core.report import Report
from understudy.documents.positions import Document
from understudy.documents.toml import load_toml
from understudy.documents.validate import validate
from understudy.project.locate import locate
from understudy.project.memory import FOLDER, make_folder
from understudy.project.settings import StoreSettings
from understudy.project.values import Values
from understudy.store.address import parse_address
from understudy.store.reach import Reach, reached
from understudy.store.retention import Retention
from understudy.store.runs import keep_run

VARIABLE = "UNDERSTUDY_STORE"
FILE = "history.sqlite"
# A run that has ended has nothing else to do, but who waits for it has.
_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the runs of a project are kept, under which name, and for how long; nowhere if `place` is empty."""

    place: str
    project: str
    retention: Retention
    secrets: tuple[str, ...] = ()
    own: bool = False

    @contextmanager
    def opened(self, patience: float = _PATIENCE) -> Iterator[Reach]:
        """The store, whose folder is made if it is ours."""
        if self.own:
            make_folder(Path(self.place).parent)
        with reached(self.place, patience) as store:
            yield store


def shelf_of(root: Path, file: str, name: str, settings: StoreSettings, document: Document) -> Shelf:
    """Where the runs of a project go: what UNDERSTUDY_STORE says, or `[store] url`, or a file beside the project's.

    Cases that were run without a project file are kept only if UNDERSTUDY_STORE says where.
    """
    retention = Retention(settings.keep_runs, settings.keep_days, settings.keep_outcomes)
    name = name or root.name
    if given := os.environ.get(VARIABLE, ""):
        return Shelf(given, name, retention, parse_address(given).secrets)
    if not settings.url:
        place = str(root / FOLDER / FILE) if file else ""
        return Shelf(place, name, retention, own=True)
    values = Values(root, document)
    place = values.url(settings.url, ("store", "url"))
    values.finish()
    address = parse_address(place)
    if address.path and "://" not in place:
        place = str(root / place)
    elif address.path:
        place = f"sqlite:///{root / address.path}"
    return Shelf(place, name, retention, address.secrets)


def find_shelf(path: str | None = None) -> Shelf:
    """The same for a project that is not loaded, whose acts need not even be installed."""
    try:
        place = locate(path)
    except InputError:
        if path is None and (given := os.environ.get(VARIABLE, "")):
            return Shelf(given, "", Retention())
        raise
    document = load_toml(place.file, place.table)
    data = document.data if isinstance(document.data, dict) else {}
    settings = validate(StoreSettings, document, ("store",)) if "store" in data else StoreSettings()
    name = data.get("name", "")
    root = place.root.resolve()
    return shelf_of(root, str(place.file), name if isinstance(name, str) else "", settings, document)


def _warn(text: str) -> None:
    sys.stderr.write(f"warning: {text}\n")


class History:
    """Keeps a run when it ends. What prevents that is said through `warn`, and the run is as good as any other."""

    def __init__(
        self, find: Callable[[], Shelf], environment: str = "", warn: Callable[[str], None] = _warn
    ) -> None:
        self._environment = environment
        self._warn = warn
        self.shelf: Shelf | None = None
        try:
            self.shelf = find()
        except InputError as error:
            self._say(error)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown: the password of the store."""
        return self.shelf.secrets if self.shelf is not None else ()

    def handle(self, event: Event) -> None:
        """Keep the run if this is its end."""
        if isinstance(event, RunFinished) and self.shelf is not None:
            self.keep(self.shelf, event.report)

    def keep(self, shelf: Shelf, report: Report) -> None:
        """Keep a run."""
        if not shelf.place or not shelf.retention.runs:
            return
        try:
            with shelf.opened() as store:
                keep_run(store, report, shelf.project, self._environment, retention=shelf.retention)
        except Exception as error:  # whatever it is, it must not look as if something was wrong with the app
            self._say(error)

    def _say(self, error: Exception) -> None:
        problems = (
            error.problems if isinstance(error, InputError) else [Problem(f"{type(error).__name__}: {error}")]
        )
        for problem in problems:
            self._warn(f"this run is not kept in the history: {' '.join(str(problem).split())}")
