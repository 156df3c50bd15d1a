"""Work that may take only so long: in a thread that is left behind when it does not end."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

from understudy.core.errors import UnderstudyError


class PipelineTimeout(UnderstudyError):
    """A pipeline did not end in time."""


def within(seconds: float | None, work: Callable[[], object], name: str, grace: float = 0.0) -> None:
    """Do something; with a limit in a thread of its own, which sees the context variables of this one.

    `grace` is how many seconds more the work has that keeps the limit itself, and may be ending because of it.

    >>> within(5, lambda: print("done"), "greet")
    done
    """
    if seconds is None:
        work()
        return
    failure: list[BaseException] = []

    def do() -> None:
        try:
            work()
        except BaseException as error:
            failure.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(do,), name=name, daemon=True)
    thread.start()
    thread.join(seconds + grace)
    if thread.is_alive():
        raise PipelineTimeout(
            f"{name} ran longer than the {seconds:g} s allowed, and goes on in a thread that cannot be "
            "stopped; declared under [replay] in the project file, it runs in a process that can"
        )
    if failure:
        raise failure[0]
