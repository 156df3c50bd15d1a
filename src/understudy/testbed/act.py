"""The testbed as an act: discovers the cases of a project, runs them, and judges which routes were reached."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

from understudy.core.events import Evidence
from understudy.core.ids import case_id
from understudy.core.outcome import Failure, Outcome, Status
from understudy.engine.act import CaseRef, FileChange, Item, ProjectView, Unit
from understudy.engine.stage import Resource, Scope, Stage
from understudy.testbed.case_run import CaseResult, run_case
from understudy.testbed.catalogue import ACT, Catalogue, read_catalogue
from understudy.testbed.group_run import run_group
from understudy.testbed.items import case_label
from understudy.testbed.login import log_in
from understudy.testbed.outcomes import to_outcome
from understudy.testbed.session import Session, check_base_url, check_response_limit
from understudy.testbed.settings import TestbedSettings
from understudy.testbed.substitution import substitute
from understudy.testbed.ties import Group, needed_by
from understudy.wire.pyreqwest_transport import open_transport
from understudy.wire.target import Target


class TestbedAct:
    """HTTP and GraphQL cases against the app under test."""

    __test__ = False
    name = ACT
    settings = TestbedSettings
    # Without one, every case would be errored, and the project file is what is wrong.
    needs_app = True

    def __init__(self) -> None:
        self._catalogue: Catalogue | None = None
        self._project: ProjectView | None = None
        self._has_declared = False

    def discover(self, project: ProjectView) -> Iterable[Unit]:
        """One unit for every case that stands alone, and one for every group of tied cases."""
        self._project = project
        settings: TestbedSettings = project.settings(ACT)
        self._catalogue = read_catalogue(project.root, settings)
        return self._catalogue.units

    async def run(self, unit: Unit, stage: Stage) -> AsyncIterator[Item]:
        """Run a unit's cases, and those that they need."""
        catalogue, project = self._found()
        session = await stage.get(Resource("testbed session", Scope.WORKER, self._open_session))
        if not self._has_declared:
            self._has_declared = True
            yield Evidence(self._declared(catalogue, project.settings(ACT)))
        group = _closure(catalogue.group(unit), {case.id for case in unit.cases}, catalogue.refs)
        refs = {item.index: catalogue.refs[item.index] for item in group} if len(group) > 1 else {}
        async with aclosing(self._results(group, session)) as results:
            async for result in results:
                ref = refs.get(result.item.index) or _own(unit, catalogue, result.passed)
                yield to_outcome(result, ref, ACT, session, project.root)
                if not result.skipped:
                    yield Evidence({"routes": {_route(result.item.protocol, result.item.owner): 1}})

    def conclude(self, evidence: Mapping[str, Any]) -> Iterable[Outcome]:
        """Fail if fewer routes were reached than the project demands."""
        wanted = max(evidence.get("routeCoverage", ()), default=0)
        routes: Mapping[str, int] = evidence.get("routes", {})
        if not wanted or not routes:
            return
        missed = sorted(name for name, count in routes.items() if not count)
        reached = 100 * (len(routes) - len(missed)) / len(routes)
        message = f"{len(routes) - len(missed)} of {len(routes)} routes were reached ({reached:.0f}%), {wanted}% wanted"
        failed = reached < wanted
        failure = Failure(f"{message}; never reached: {', '.join(missed)}", wanted, round(reached, 1))
        yield Outcome(
            id=case_id(ACT, "routes", "coverage"),
            act=ACT,
            name="route coverage",
            status=Status.FAILED if failed else Status.PASSED,
            failures=(failure,) if failed else (),
            notes=() if failed else (message,),
        )

    def changes(self, outcomes: Iterable[Outcome]) -> Iterable[FileChange]:
        """Expectations of scripts that what was observed would settle."""
        from understudy.testbed.update import script_changes

        return script_changes(outcomes, self._found()[1].root)

    async def _results(self, group: Group, session: Session) -> AsyncGenerator[CaseResult, None]:
        if len(group) > 1:
            async with aclosing(run_group(group, session)) as results:
                async for result in results:
                    yield result
            return
        yield await run_case(group[0], session, {})

    @asynccontextmanager
    async def _open_session(self, stage: Stage) -> AsyncIterator[Session]:
        catalogue, project = self._found()
        settings: TestbedSettings = project.settings(ACT)
        target = await stage.get(project.target)
        transport = open_transport(target.tls, target.proxy)
        try:
            session = Session(
                transport,
                replace(target, base_url=check_base_url(target.base_url), headers={}, cookies={}),
                check_response_limit(settings.max_response_bytes),
                settings.timeout,
                dict(target.variables),
                strict=bool(target.variables) or settings.login is not None or catalogue.captures,
            )
            if settings.login is not None:
                session.values = {**session.values, **await log_in(settings.login, session)}
            session.target = _with_values(target, session)
            yield session
        finally:
            await transport.aclose()

    def _found(self) -> tuple[Catalogue, ProjectView]:
        assert self._catalogue is not None, "discover comes first"  # noqa: S101 - the engine's order
        assert self._project is not None, "discover comes first"  # noqa: S101 - the engine's order
        return self._catalogue, self._project

    @staticmethod
    def _declared(catalogue: Catalogue, settings: TestbedSettings) -> dict[str, Any]:
        routes = [_route("websocket" if r.websocket else "http", r) for r in catalogue.suite.http.routes]
        routes += [_route("graphql", endpoint) for endpoint in catalogue.suite.graphql.endpoints]
        coverage = {"routeCoverage": [settings.route_coverage]} if settings.route_coverage else {}
        return {"routes": dict.fromkeys(routes, 0), **coverage}


def _with_values(target: Target, session: Session) -> Target:
    """The target's headers and cookies, with what the login captured put in."""
    return replace(
        target,
        base_url=session.target.base_url,
        headers=substitute(dict(target.headers), session.values),
        cookies=substitute(dict(target.cookies), session.values),
    )


def _closure(group: Group, wanted: set[str], refs: Mapping[int, CaseRef]) -> Group:
    """The wanted cases of a group, what they need, and the `finally` cases that belong to these."""
    if len(group) == 1:
        return group
    by_index = {item.index: item for item in group}
    kept = {item.index for item in group if refs[item.index].id in wanted}
    if len(kept) == len(group):
        return group
    waiting = list(kept)
    while waiting:
        item = by_index[waiting.pop()]
        fresh = needed_by(item) - kept
        kept |= fresh
        waiting.extend(fresh)
    for item in group:
        tied = needed_by(item)
        if item.case.finally_ and tied and tied <= kept:
            kept.add(item.index)
    return [item for item in group if item.index in kept]


def _own(unit: Unit, catalogue: Catalogue, passed: bool) -> CaseRef:
    """The only case of a unit; its line in the suite file is looked up when it is worth reading."""
    ref = unit.cases[0]
    location = None if passed else catalogue.location(unit)
    return ref if location is None else replace(ref, location=location)


def _route(protocol: str, owner: Any) -> str:
    return case_label(protocol, owner, "")
