"""`python -m understudy` is the command under another name."""

from __future__ import annotations

import subprocess
import sys


def test_python_m_understudy_is_the_command() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "understudy", "--version"], capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout[:19]) == (0, "understudy, version")
