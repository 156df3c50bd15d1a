"""The options that all commands that run cases share, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from understudy.engine.executors import EXECUTORS

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class RunArguments:
    """The shared options as the user gave them."""

    keyword: str = ""
    tags: str = ""
    cases: tuple[str, ...] = ()
    rerun_failed: bool = False
    stop_on_failure: bool = False
    shard: str = ""
    durations: str = ""
    environment: str = ""
    executor: str = ""
    concurrency: int = 0
    workers: int = 0
    unit_timeout: float | None = None
    memory: int | None = None
    seed: int = 0
    shuffle: bool = False
    list_only: bool = False
    update: bool = False
    yes: bool = False
    json: str = ""
    junit: str = ""
    html: str = ""
    github: bool = False
    verbose: int = 0


_OPTIONS = (
    click.option(
        "-k",
        "keyword",
        default="",
        metavar="EXPR",
        help="Only cases whose id, name or tags match, such as 'cart and not slow'.",
    ),
    click.option(
        "-m", "tags", default="", metavar="EXPR", help="Only cases with these tags, such as 'smoke or login'."
    ),
    click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case; may be repeated."),
    click.option("--rerun-failed", is_flag=True, help="Only the cases that failed when they last ran."),
    click.option("-x", "stop_on_failure", is_flag=True, help="Stop at the first failure."),
    click.option("--shard", default="", metavar="I/N", help="Run part I of N of the plan."),
    click.option(
        "--durations", default="", metavar="FILE", help="Balance shards by the durations in this report."
    ),
    click.option("--env", "environment", default="", metavar="NAME", help="The environment to run against."),
    click.option("--executor", type=click.Choice(list(EXECUTORS)), default=None, help="How units are run."),
    click.option(
        "--concurrency",
        type=click.IntRange(1, 10_000),
        default=None,
        metavar="N",
        help="Run N units side by side in one process.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 256),
        default=None,
        metavar="N",
        help="Run units in N worker processes.",
    ),
    click.option(
        "--unit-timeout",
        type=click.FloatRange(0, min_open=True),
        default=None,
        metavar="SECONDS",
        help="Stop a unit that runs longer.",
    ),
    click.option(
        "--memory",
        type=click.IntRange(64),
        default=None,
        metavar="MIB",
        help="Memory that a worker process may use.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Seed of everything that is drawn at random.",
    ),
    click.option("--shuffle", is_flag=True, help="Run in an order drawn from the seed."),
    click.option("--list", "list_only", is_flag=True, help="List the cases that would run."),
    click.option("--update", is_flag=True, help="Write what was observed into the expectations of scripts."),
    click.option("--yes", is_flag=True, help="Do not ask before writing with --update."),
    click.option("--json", default="", metavar="FILE", help="Write the report as JSON."),
    click.option("--junit", default="", metavar="FILE", help="Write the report as JUnit XML."),
    click.option("--html", default="", metavar="FILE", help="Write the report as one HTML page."),
    click.option(
        "--github", is_flag=True, envvar="GITHUB_ACTIONS", help="Annotate for GitHub (on in GitHub Actions)."
    ),
    click.option("-v", "--verbose", count=True, help="One line per case."),
)


def run_options(function: F) -> F:
    """Give a command the shared options."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def run_arguments(options: dict[str, Any]) -> RunArguments:
    """The shared options out of all that click passed; those that were not given are at their defaults."""
    given = {name: options.pop(name) for name in RunArguments.__slots__ if name in options}
    arguments = RunArguments(**{name: value for name, value in given.items() if value is not None})
    _refuse_contradictions(arguments)
    return arguments


def _refuse_contradictions(arguments: RunArguments) -> None:
    """An option that another one makes meaningless would be ignored silently."""
    serial, side_by_side = arguments.executor == "serial", arguments.executor == "concurrent"
    contradictions = {
        "--workers and --concurrency": arguments.workers and arguments.concurrency,
        "--executor serial and --concurrency": serial and arguments.concurrency > 1,
        f"--executor {arguments.executor} and --workers": (serial or side_by_side) and arguments.workers,
        f"--executor {arguments.executor} and --memory": (serial or side_by_side) and arguments.memory,
    }
    for names, is_given in contradictions.items():
        if is_given:
            raise click.UsageError(f"{names} contradict each other; give one of them")
    if arguments.yes and not arguments.update:
        raise click.UsageError("--yes answers what --update asks; it has no meaning without it")
    if arguments.durations and not arguments.shard:
        raise click.UsageError("--durations balances shards; it has no meaning without --shard")
    for name in ("json", "junit", "html", "update"):
        if arguments.list_only and getattr(arguments, name):
            raise click.UsageError(f"--list runs nothing, so --{name} has no meaning beside it")
