"""Cases of ours as pytest items: `pytest --understudy` or `--understudy-project=PATH`, `pytest --understudy-rules`.

Loaded into every pytest run of an environment that has us installed, so it imports nothing until it is asked to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that turn collection on."""
    group = parser.getgroup("understudy")
    group.addoption(
        "--understudy",
        action="store_true",
        help="Also run the cases of the Understudy project around this folder.",
    )
    group.addoption(
        "--understudy-rules", action="store_true", help="Also collect the tests of policy rules (*.star)."
    )
    group.addoption(
        "--understudy-project", default="", metavar="PATH", help="Also run the cases of that project."
    )
    group.addoption(
        "--understudy-env", default="", metavar="NAME", help="The project's environment to run against."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Bring in the collector, only if it is wanted."""
    path = config.getoption("understudy_project", "")
    if path or config.getoption("understudy", False):
        from understudy.pytesting.project_items import ProjectItems

        config.pluginmanager.register(
            ProjectItems(path, config.getoption("understudy_env")), "understudy-items"
        )
    if config.getoption("understudy_rules", False):
        from understudy.pytesting.rule_files import RuleFiles

        config.pluginmanager.register(RuleFiles(config.rootpath), "understudy-rules")
