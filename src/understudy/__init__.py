"""Understudy: rehearse every integration offline, with stand-ins proven to match the real thing.

The rooms are imported by name (`from understudy.testbed import run`); this module imports none of them.
"""

__version__ = "0.1.0"
