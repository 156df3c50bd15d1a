"""A folder of rules for every test that asks for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.rule_folder import RuleFolder


@pytest.fixture
def folder(tmp_path: Path) -> RuleFolder:
    return RuleFolder(tmp_path)
