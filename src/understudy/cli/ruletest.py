"""`ruletest`: what `understudy rules test` does, under the name that the founding document gives it."""

from __future__ import annotations

import sys

from understudy.cli import main


def run() -> None:
    """The entry point of the script."""
    sys.argv[1:1] = ["rules", "test"]
    main.main()
