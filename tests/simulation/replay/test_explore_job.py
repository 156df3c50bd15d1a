"""What the table of a pipeline says of its exploration reaches the process that explores it."""

from __future__ import annotations

import pytest

from understudy.simulation.replay.explore_job import explore_job
from understudy.simulation.replay.job import Job
from understudy.simulation.replay.settings import ExploreSettings, PipelineSettings

JOB = Job("shop:sync")


def asked(explore: bool | ExploreSettings, timeout: float = 60.0) -> PipelineSettings:
    return PipelineSettings(run="shop:sync", explore=explore, timeout=timeout)


def test_without_it_nothing_is_explored() -> None:
    assert explore_job(JOB, asked(False), 3) is None


@pytest.mark.parametrize(("own", "seed"), [(None, 3), (0, 0), (8, 8)])
def test_the_seed_is_the_tables_or_else_the_runs(own: int | None, seed: int) -> None:
    found = explore_job(JOB, asked(ExploreSettings(seed=own)), 3)
    assert found is not None
    assert found.options["seed"] == seed


def test_true_asks_for_what_the_table_has_by_default() -> None:
    assert explore_job(JOB, asked(True), 3) == explore_job(JOB, asked(ExploreSettings()), 3)


def test_the_process_may_take_longer_than_the_exploration_and_its_last_trial() -> None:
    settings = ExploreSettings(
        max_seconds=10, max_steps=2, kinds=["crash"], state="shop:of", ignore="shop:beat"
    )
    found = explore_job(JOB, asked(settings, timeout=5), 3)
    assert found is not None
    assert found.seconds > 10 + 3 * 5
    assert (found.options["timeout"], found.options["kinds"]) == (5, ["crash"])
    assert (found.state, found.ignore) == ("shop:of", "shop:beat")
