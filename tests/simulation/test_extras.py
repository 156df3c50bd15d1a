"""What needs a library that an extra brings says so, and names the extra."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("library", "use"),
    [
        ("urllib3", "from understudy.simulation.http_fixtures import mock_pool_manager"),
        ("stix2", "from understudy.simulation import Indicator"),
        ("uvicorn", "import understudy.simulation as s; s.serve_taxii(s.SimulationConnector()).__enter__()"),
    ],
)
def test_a_library_that_is_missing_is_named_with_the_extra_that_brings_it(library: str, use: str) -> None:
    code = f"import sys\nsys.modules[{library!r}] = None\n{use}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (
        f"MissingExtra: {library} is not installed (install it with: pip install 'understudy[stix]')"
        in done.stderr
    )


def test_objects_are_made_up_and_applications_built_without_any_of_them() -> None:
    code = (
        "import sys\n"
        "for name in ('urllib3', 'stix2', 'requests', 'uvicorn'): sys.modules[name] = None\n"
        "from understudy.simulation import FixtureBuilder, SimulationConnector, taxii_app\n"
        "taxii_app(SimulationConnector(FixtureBuilder().build()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
