"""The process in which a pipeline is replayed: it can be killed, has a hash seed of its own, and stays offline."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace

from understudy.core.errors import InputError, UnderstudyError
from understudy.core.plain import plain
from understudy.simulation.replay.execute import NOTHING, Conditions, Execution
from understudy.simulation.replay.explore_job import ExploreJob
from understudy.simulation.replay.explored import Explored
from understudy.simulation.replay.explored_elsewhere import explored_here
from understudy.simulation.replay.hash_sites import hash_sites
from understudy.simulation.replay.job import Job, Judgement, Place, travelling_read, travelling_run
from understudy.simulation.replay.line_trace import lines_run
from understudy.simulation.replay.offline import stay_offline
from understudy.simulation.replay.own_code import OwnCode, keeps_our_books, package_of
from understudy.simulation.replay.pipelines import Pipeline, load_pipeline, name_of, require_fit, site_of
from understudy.simulation.replay.record import Read, Run
from understudy.simulation.replay.runner import ReplayRunner
from understudy.simulation.replay.witness import Witness


class Bench:
    """The servant of a cell that replays."""

    def __init__(self, place: Place) -> None:
        sys.path[:] = [*place.path, *(folder for folder in sys.path if folder not in place.path)]
        if place.folder:
            os.chdir(place.folder)
        if not place.allow_network:
            stay_offline()

    def run_once(self, job: Job) -> Iterator[Run]:
        """One run: the first one in a world of its own, or a replay if there is no world to begin in."""
        pipeline, make_world, imported = _loaded(job)
        conditions = Conditions(
            job.workspace_id,
            is_replay=make_world is None,
            keep_contents=True,
            world=NOTHING if make_world is None else make_world(),
            impose=job.impose,
            max_objects=job.max_objects,
            root=job.root or None,
        )
        with lines_run((read.site for read in job.traced), OwnCode(job.root or None)) as lines:
            run = Execution(pipeline, conditions).execute()
        traced = (read for read in job.traced if read.site in lines)
        yield travelling_run(replace(run, reads=(*imported, *run.reads, *traced)))

    def explore(self, asked: ExploreJob) -> Iterator[Explored]:
        """What crashes, repeated and reordered deliveries do to a pipeline."""
        pipeline, make_world, _ = _loaded(asked.job)
        yield explored_here(asked, pipeline, make_world)

    def judge(self, job: Job) -> Iterator[Judgement]:
        """A first run and a replay of it, judged."""
        pipeline, make_world, _ = _loaded(job)
        own = OwnCode(job.root or None, package_of(pipeline))
        judgement = Judgement(name_of(pipeline), site_of(pipeline, own))
        runner = ReplayRunner(
            pipeline,
            compare=job.compare,
            ordered=job.ordered,
            world=make_world,
            impose=job.impose,
            max_objects=job.max_objects,
            root=job.root or None,
            other_process=False,
        )
        try:
            ids = runner.run_first(job.workspace_id)
        except MemoryError:  # which the cell tells apart
            raise
        except (Exception, SystemExit) as error:
            yield _failed(judgement, runner, error)
            return
        result = runner.replay(runner.last_execution_log, ids, check=False)
        suppressed = sum(entry.get("status") == "suppressed" for entry in result.again.log)
        yield replace(
            judgement,
            findings=tuple(
                replace(f, expected=plain(f.expected), actual=plain(f.actual)) for f in result.findings
            ),
            failing=tuple(
                replace(f, expected=plain(f.expected), actual=plain(f.actual)) for f in result.failing
            ),
            causes=tuple(travelling_read(read) for read in result.causes),
            notes=result.notes,
            objects=result.first.count,
            writes=len(result.first.writes),
            suppressed=suppressed,
            hash_sites=hash_sites(pipeline, own),
        )


def _failed(judgement: Judgement, runner: ReplayRunner, error: BaseException) -> Judgement:
    run = runner.first_run
    said = f"{type(error).__name__}: {error}" if not isinstance(error, UnderstudyError) else str(error)
    text = "" if isinstance(error, InputError) else _trace(error)
    return replace(judgement, error=said, error_site=run.error_site if run else None, traceback=text)


def _trace(error: BaseException) -> str:
    """The traceback from the pipeline on; how it was called is nobody's concern."""
    trace = error.__traceback__
    while trace is not None and keeps_our_books(trace.tb_frame.f_globals.get("__name__", "")):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def _loaded(job: Job) -> tuple[Pipeline, Pipeline | None, tuple[Read, ...]]:
    """The pipeline, what makes its world, and what their modules read when they were imported."""
    with Witness(OwnCode(job.root or None)).listening(for_good=True) as witness:
        pipeline = load_pipeline(job.pipeline)
        make_world = load_pipeline(job.world) if job.world else None
    require_fit(pipeline, make_world is not None)
    return pipeline, make_world, witness.reads()
