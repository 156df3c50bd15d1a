"""Understudy: rehearse every integration offline, with stand-ins proven to match the real thing.

The rooms are imported by name (`from understudy.testbed import run`); this module imports none of them. `expect`,
which every Python test can use, is brought in when it is first asked for.
"""

TYPE_CHECKING = False  # importing it from typing would cost more than all the rest of this module
if TYPE_CHECKING:
    from understudy.core.expect import expect

__version__ = "0.1.0"
__all__ = ["__version__", "expect"]


def __getattr__(name: str) -> object:
    if name == "expect":
        from understudy.core.expect import expect

        return expect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
