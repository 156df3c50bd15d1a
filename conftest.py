"""Which files pytest collects: doctests are looked for only in modules that have some. And what tests can rely on."""

from __future__ import annotations

import signal
from pathlib import Path

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is.
settings.register_profile("patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell that starts us in the background has the interrupt ignored, which programs that tests start would inherit:
# a test that presses Ctrl-C would wait for nothing.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules without tests and doctests, which would be imported only to find that out."""
    if collection_path.suffix != ".py" or collection_path.name.startswith("test_"):
        return None
    return None if b">>> " in collection_path.read_bytes() else True
