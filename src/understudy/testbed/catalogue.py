"""What a project's suites and scripts hold, as units: groups of tied cases, and cases that stand alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.files import inside
from understudy.core.ids import Numbering, case_id
from understudy.core.nearness import closest_name
from understudy.core.outcome import Known, Location
from understudy.engine.act import CaseRef, Unit
from understudy.testbed.items import Item, case_label, job_items, service_items
from understudy.testbed.models import GraphQLEndpointSuite, HTTPRouteSuite, Suite
from understudy.testbed.settings import TestbedSettings
from understudy.testbed.suite_file import Holder, Slot, SuiteFile, read_suite_file
from understudy.testbed.ties import Group, is_last, tie

ACT = "testbed"


@dataclass(slots=True)
class Entry:
    """A case on its way into the catalogue: kept whole as an item, or small as a slot."""

    case: Item | Slot
    ref: CaseRef


@dataclass(slots=True)
class Catalogue:
    """Every unit by id, with what it takes to run it, and the suite that all suite files make together."""

    root: Path
    suite: Suite
    files: list[SuiteFile]
    units: list[Unit] = field(default_factory=list)
    held: dict[str, Slot | Group] = field(default_factory=dict)
    refs: dict[int, CaseRef] = field(default_factory=dict)
    captures: bool = False

    def group(self, unit: Unit) -> Group:
        """The items of a unit, in their running order."""
        held = self.held[unit.id]
        return [held.item()] if isinstance(held, Slot) else held

    def location(self, unit: Unit) -> Location | None:
        """Where the case of a slot stands in its suite file."""
        held = self.held[unit.id]
        if not isinstance(held, Slot):
            return None
        file = next(file for file in self.files if any(holder is held.holder for holder in file.holders))
        return file.location(held, relative(file.path, self.root))


def read_catalogue(root: Path, settings: TestbedSettings) -> Catalogue:
    """Read all suites and scripts; every problem of every file is raised together."""
    problems: list[Problem] = []
    files: list[SuiteFile] = []
    for path in matching(root, settings.suites, "suite", problems):
        try:
            files.append(read_suite_file(path))
        except InputError as error:
            problems.extend(error.problems)
    scripts = matching(root, settings.scripts, "script", problems)
    whole = _joined(files)
    scripted = _with_scripts(whole, scripts, problems) if scripts else whole
    if problems:
        raise InputError(problems)
    catalogue = Catalogue(root, whole, files)
    _fill(catalogue, scripted, settings.include_generated)
    return catalogue


def _with_scripts(whole: Suite, paths: list[Path], problems: list[Problem]) -> Suite:
    # A run without scripts should not wait for what it takes to read them.
    from understudy.testbed.apply import apply_scripts, check_scripts
    from understudy.testbed.scripts import read_scripts

    scripts, wrong = read_scripts(paths)
    problems.extend(wrong)
    if not any(problem.file for problem in problems if problem.file.endswith(".json")):
        problems.extend(check_scripts(whole, scripts))
    return whole if problems else apply_scripts(whole, scripts)


def _joined(files: Iterable[SuiteFile]) -> Suite:
    """One suite with the routes, endpoints, services and jobs of all files, in their order."""
    whole = Suite()
    for file in files:
        whole.http.routes.extend(file.suite.http.routes)
        whole.graphql.endpoints.extend(file.suite.graphql.endpoints)
        whole.grpc.services.extend(file.suite.grpc.services)
        whole.queue.jobs.extend(file.suite.queue.jobs)
    return whole


def matching(root: Path, patterns: Iterable[str], what: str, problems: list[Problem]) -> list[Path]:
    """The files that the patterns match, inside the project, each once, in the order of patterns and names."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        try:
            if any(mark in pattern for mark in "*?["):
                paths = sorted(path for path in root.glob(pattern) if not path.is_dir())
            else:
                paths = [root / pattern]
            found.update(dict.fromkeys(inside(root, path) for path in paths))
        except InputError as error:
            problems.extend(error.problems)
            continue
        except (ValueError, NotImplementedError) as error:
            problems.append(Problem(f"{pattern!r} is no pattern for {what} files: {error}", str(root)))
            continue
        if not paths:
            near = closest_name(pattern, (path.name for path in root.iterdir()))
            hint = f"did you mean {near!r}?" if near else f"correct the pattern under [testbed] {what}s"
            problems.append(Problem(f"no {what} file matches {pattern!r}", str(root), hint=hint))
    return list(found)


def relative(path: str | Path, root: Path) -> str:
    """A path as it is shown: from the project's folder, with forward slashes."""
    try:
        return Path(path).resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return Path(path).as_posix()


def _fill(catalogue: Catalogue, scripted: Suite, include_generated: bool) -> None:
    numbering: dict[str, Numbering] = {}
    items: list[Item] = []
    for order, entry in enumerate(_entries(catalogue, scripted, include_generated)):
        ref = replace(entry.ref, order=order)
        act, file, name = ACT, ref.location.file if ref.location else "", ref.name
        ref = replace(ref, id=case_id(act, file, numbering.setdefault(file, Numbering())(name)))
        if isinstance(entry.case, Item):
            entry.case.index = len(items)
            catalogue.refs[entry.case.index] = ref
            items.append(entry.case)
        else:
            catalogue.units.append(Unit(ref.id, ACT, (ref,)))
            catalogue.held[ref.id] = entry.case
    catalogue.captures = any(item.case.capture for item in items)
    for group in tie(items, strict=True):
        refs = tuple(catalogue.refs[item.index] for item in group)
        catalogue.units.append(Unit(refs[0].id, ACT, refs, last=is_last(group)))
        catalogue.held[refs[0].id] = group
    catalogue.units.sort(key=lambda unit: (unit.last, min(case.order for case in unit.cases)))


def _entries(catalogue: Catalogue, scripted: Suite, include_generated: bool) -> Iterator[Entry]:
    """Every case that runs, in the order of the suites: HTTP first, a route's own cases before its scripted ones."""
    owners: dict[str, Sequence[HTTPRouteSuite | GraphQLEndpointSuite]] = {
        "http": scripted.http.routes,
        "graphql": scripted.graphql.endpoints,
    }
    for kind, scripted_owners in owners.items():
        holders = [(f, holder) for f in catalogue.files for holder in f.holders if holder.place[0] == kind]
        for (file, holder), owner in zip(holders, scripted_owners, strict=True):
            shown = relative(file.path, catalogue.root)
            for slot in _running(holder, bool(owner.cases), include_generated or kind == "graphql"):
                yield _slot_entry(slot, shown, file.is_tied)
            for case in owner.cases:
                yield _item_entry(Item(holder.protocol, holder.owner, case, 0), shown, catalogue.root)
    services, jobs = iter(scripted.grpc.services), iter(scripted.queue.jobs)
    for file in catalogue.files:
        shown = relative(file.path, catalogue.root)
        for item in service_items(islice(services, len(file.suite.grpc.services))):
            yield _item_entry(item, shown, catalogue.root)
        for item in job_items(islice(jobs, len(file.suite.queue.jobs))):
            yield _item_entry(item, shown, catalogue.root)


def _running(holder: Holder, has_scripted: bool, include_generated: bool) -> list[Slot]:
    if include_generated:
        return holder.slots
    scripted = [slot for slot in holder.slots if slot.is_scripted]
    return scripted if scripted or has_scripted else holder.slots


def _slot_entry(slot: Slot, file: str, tied: bool) -> Entry:
    label = case_label(slot.holder.protocol, slot.holder.owner, slot.name)
    ref = CaseRef("", label, slot.tags, Location(file), slot.known)
    return Entry(slot.item() if tied else slot, ref)


def _item_entry(item: Item, file: str, root: Path) -> Entry:
    case, source = item.case, item.case.source
    place = Location(relative(case.script, root), source.line, source.column) if source else Location(file)
    known = Known(case.known.reason, case.known.until) if case.known is not None else None
    return Entry(item, CaseRef("", item.label, tuple(case.tags), place, known))
