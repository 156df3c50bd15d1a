"""How Sphinx builds the documentation: from Markdown, without the network."""

from __future__ import annotations

import re
from typing import Any

import understudy

project = "Understudy"
author = "the Understudy authors"
copyright = author
version = release = understudy.__version__

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings: list[str] = []
exclude_patterns: list[str] = []

html_theme = "furo"
html_title = f"Understudy {release}"
html_copy_source = False
html_show_sphinx = False

HIDDEN_BLOCK = re.compile(r"^(?P<fence>`{3,})[^\n]*\bhidden\}\n.*?^(?P=fence)$\n", re.MULTILINE | re.DOTALL)


def leave_out_hidden_blocks(app: Any, page: str, source: list[str]) -> None:
    """Some blocks are there for the tests of the examples only."""
    source[0] = HIDDEN_BLOCK.sub("", source[0])


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", leave_out_hidden_blocks)
