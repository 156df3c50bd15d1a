"""`ReplayRunner`: runs a pipeline, runs it again as a replay, and judges whether it did the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from understudy.context import ExecutionLog
from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.portal import run_blocking
from understudy.simulation.replay.causes import CAUSES_SHOWN, likely_causes
from understudy.simulation.replay.deterministic import Deterministic
from understudy.simulation.replay.execute import NOTHING, Conditions, Execution
from understudy.simulation.replay.hash_seeds import SeedsResult
from understudy.simulation.replay.job import Job
from understudy.simulation.replay.judge import Compare, Finding, differs, failing_of, judge_ids, judge_runs
from understudy.simulation.replay.ledger import RunLog, writes_of
from understudy.simulation.replay.other_process import OtherProcess, other_process
from understudy.simulation.replay.own_code import OwnCode, package_of
from understudy.simulation.replay.pipelines import Pipeline, name_of, require_fit, site_of
from understudy.simulation.replay.record import Read, Run
from understudy.simulation.replay.result import ReplayResult
from understudy.simulation.replay.snapshot import MOST_OBJECTS

_CAUSED = frozenset({"missing", "added", "repeated", "changed", "order"})
_UNSEEN = (
    "nothing that it read of clock, ids, chance or environment explains the difference; it may come of ctx.is_replay, "
    "a memory address (id(), the text of an object), a file, the order of threads, what an earlier run left, or a "
    "function kept since before the run (default_factory=datetime.now)"
)


class ReplayRunner:
    """Verifies that a pipeline is idempotent: it yields the same objects again, and writes nothing twice.

    The pipeline gets an `ExecutionContext`, which is also the current one while it runs, so that the connectors
    it makes log to it; if `world` is given (a function that makes what the pipeline works on), its result is the
    second argument, the same in the first run and in the replay.

    >>> runner = ReplayRunner(lambda ctx: [{"type": "indicator", "id": "indicator--1"}])
    >>> ids = runner.run_first(workspace_id="test-ws")
    >>> runner.replay(runner.last_execution_log, ids).ok
    True
    """

    def __init__(
        self,
        pipeline_fn: Pipeline,
        *,
        compare: Compare = "ids",
        ordered: bool = False,
        world: Callable[[], Any] | None = None,
        impose: Deterministic | None = None,
        find_causes: bool = True,
        timeout: float | None = None,
        max_objects: int = MOST_OBJECTS,
        log: ExecutionLog | None = None,
        root: str | None = None,
        other_process: bool | None = None,
    ) -> None:
        """Make a runner for a pipeline, plain or async, a function or a generator.

        `compare`: "content" fails for everything that differs, "ids" only for a missing id. `ordered`: another
        order is a difference. `impose`: clock, ids and chance that are the same in every run. `find_causes`: note
        what is read, and where. `timeout`: seconds a run may take. `other_process`: also run it under other hash
        seeds, which only another process has; unless said, an importable pipeline with a line that depends on one.
        """
        require_fit(pipeline_fn, world is not None)
        if compare not in ("ids", "content"):
            raise InputError([Problem(f"compare={compare!r} is neither 'ids' nor 'content'")])
        self._pipeline = pipeline_fn
        self._compare: Compare = compare
        self._ordered = ordered
        self._make_world = world
        self._world: Any = NOTHING
        self._workspace_id = "default"
        self._log = log
        self._first: Run | None = None
        self._own = OwnCode(root, package_of(pipeline_fn))
        self._elsewhere = other_process
        self._conditions = Conditions(
            keep_contents=True,
            impose=impose,
            timeout=timeout,
            max_objects=max_objects,
            root=root,
            watch=find_causes,
        )
        self.last_execution_log: list[dict[str, Any]] = []

    def run_first(self, workspace_id: str = "default") -> list[str]:
        """Run the pipeline and keep its execution log; the ids of the objects that it yielded.

        What the pipeline raises is raised here.
        """
        execution = self._first_execution(workspace_id)
        execution.execute()
        return self._after_first(execution)

    async def run_first_async(self, workspace_id: str = "default") -> list[str]:
        """The same from async code."""
        execution = self._first_execution(workspace_id)
        await execution.execute_async()
        return self._after_first(execution)

    def replay(
        self,
        execution_log: Sequence[Mapping[str, Any]],
        expected_stix_ids: Collection[str],
        *,
        check: bool = True,
    ) -> ReplayResult:
        """Run the pipeline again with `is_replay=True` and judge it by the log and the ids of the first run.

        A missing id raises AssertionError, with what was added instead, and the likely causes; with
        compare="content" everything else that differs does too. With check=False nothing is raised.
        """
        __tracebackhide__ = True
        execution = self._second_execution(execution_log, expected_stix_ids)
        execution.execute()
        result = self._judged(execution, execution_log, expected_stix_ids)
        if (elsewhere := self._due_elsewhere(result)) is not None:
            result = self._with_seeds(result, run_blocking(elsewhere.compare))
        return result.check() if check else result

    async def replay_async(
        self,
        execution_log: Sequence[Mapping[str, Any]],
        expected_stix_ids: Collection[str],
        *,
        check: bool = True,
    ) -> ReplayResult:
        """The same from async code."""
        __tracebackhide__ = True
        execution = self._second_execution(execution_log, expected_stix_ids)
        await execution.execute_async()
        result = self._judged(execution, execution_log, expected_stix_ids)
        if (elsewhere := self._due_elsewhere(result)) is not None:
            result = self._with_seeds(result, await elsewhere.compare())
        return result.check() if check else result

    @property
    def first_run(self) -> Run | None:
        """What is known of the last first run."""
        return self._first

    def _first_execution(self, workspace_id: str) -> Execution:
        self._workspace_id = workspace_id
        self._world = NOTHING if self._make_world is None else self._make_world()
        return self._execution(workspace_id, is_replay=False)

    def _second_execution(self, log: Any, expected: Any) -> Execution:
        if not _is_list(log, lambda kind: issubclass(kind, Mapping)):
            raise InputError(
                [Problem("an execution log is a list of entries", hint="pass last_execution_log")]
            )
        if not _is_list(expected, lambda kind: not issubclass(kind, Mapping)):
            hint = "pass what run_first returned"
            raise InputError([Problem(f"expected_stix_ids={brief(expected)} is no list of ids", hint=hint)])
        if self._compare == "content" and self._first is None:
            hint = "call run_first on this runner before, or compare ids"
            raise InputError([Problem("there is no first run whose contents could be compared", hint=hint)])
        if self._world is NOTHING and self._make_world is not None:
            self._world = self._make_world()
        workspaces = (entry["workspace_id"] for entry in log if entry.get("workspace_id"))
        return self._execution(next(workspaces, "default"), is_replay=True)

    def _execution(self, workspace_id: str, *, is_replay: bool) -> Execution:
        conditions = replace(
            self._conditions,
            workspace_id=workspace_id,
            is_replay=is_replay,
            world=self._world,
            log=RunLog(self._log),
        )
        return Execution(self._pipeline, conditions)

    def _after_first(self, execution: Execution) -> list[str]:
        self._first = execution.run
        self.last_execution_log = [dict(entry) for entry in execution.run.log]
        if execution.raised is not None:
            raise execution.raised
        return list(execution.run.ids)

    def _judged(
        self, execution: Execution, log: Sequence[Mapping[str, Any]], expected: Collection[str]
    ) -> ReplayResult:
        again, kept = execution.run, self._first or Run()
        # What the caller hands over counts, and not what this runner happens to remember.
        first = replace(kept, ids=tuple(expected), writes=writes_of(log))
        findings = [*self._trouble(again, first)]
        if not again.error:
            findings += judge_runs(first, again, ordered=self._ordered)
        failing = failing_of(findings, self._compare, ordered=self._ordered)
        causes: tuple[Read, ...] = ()
        if not all(finding.is_own for finding in findings):
            texts = [text for finding in findings for text in finding.texts]
            causes = likely_causes(first, again, texts, site_of(self._pipeline, self._own))
        return ReplayResult(
            name_of(self._pipeline),
            tuple(findings),
            causes,
            failing,
            tuple(dict.fromkeys((*kept.notes, *again.notes, *self._unexplained(failing, causes)))),
            first,
            again,
        )

    def _unexplained(self, findings: Sequence[Finding], causes: Sequence[Read]) -> list[str]:
        """That a difference is there whose cause was looked for and not seen."""
        if causes or not self._conditions.watch or not any(finding.kind in _CAUSED for finding in findings):
            return []
        return [_UNSEEN]

    def _due_elsewhere(self, result: ReplayResult) -> OtherProcess | None:
        """How the pipeline is replayed elsewhere; not at all if it differs here already, and so would everywhere."""
        if self._elsewhere is False or differs(result.findings):
            return None
        conditions = self._conditions
        job = Job(
            "",
            workspace_id=self._workspace_id,
            compare=self._compare,
            ordered=self._ordered,
            impose=conditions.impose,
            max_objects=conditions.max_objects,
            root=conditions.root or "",
        )
        found = other_process(
            self._pipeline,
            self._make_world,
            self._own,
            job,
            wanted=self._elsewhere,
            timeout=conditions.timeout,
        )
        return found if found.job is not None or found.notes else None

    def _with_seeds(self, result: ReplayResult, seeds: SeedsResult) -> ReplayResult:
        findings = (*result.findings, *seeds.findings)
        # A line that was read in both processes is told of once, as it was read in ours.
        told = (*seeds.causes, *result.causes)
        causes = {(read.site, read.name, read.through): read for read in told}
        return replace(
            result,
            findings=findings,
            failing=failing_of(findings, self._compare, ordered=self._ordered),
            causes=tuple(causes.values())[:CAUSES_SHOWN],
            notes=(*result.notes, *seeds.notes),
        )

    def _trouble(self, again: Run, first: Run) -> list[Finding]:
        if again.error:
            where = f" (at {again.error_site})" if again.error_site else ""
            text = f"the replay raised {again.error}{where}, which the first run did not"
            return [Finding("error", text, "no error", again.error, f"-no error\n+{again.error}"), *(
                judge_ids(first.ids, ())
            )]  # fmt: skip
        if again.is_empty and first.is_empty and not first.ids:
            text = (
                "the pipeline yielded nothing and wrote nothing, so that nothing was compared: "
                "give it something to work on"
            )
            return [Finding("empty", text, "objects or writes", "none")]
        return []


def _is_list(given: Any, fits: Callable[[type], bool]) -> bool:
    """True for several of what fits: for a set too, but not for a text or a mapping, which would be taken apart."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Collection):
        return False
    return all(fits(kind) for kind in set(map(type, given)))
