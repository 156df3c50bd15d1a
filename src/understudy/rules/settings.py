"""The `[rules]` table of the project file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class RulesTable(BaseModel):
    """A table of the rules room; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CheckSettings(RulesTable):
    """Rules that are run against a real repository. Files and folders are relative to the project."""

    repo: str = Field(default=".", description="Folder of the git repository.")
    revision: str = Field(default="", description="Commit, branch or tag; empty: the working tree.")
    base: str = Field(default="", description="Revision before the change, for rules about pull requests.")
    profile: str = Field(default="", description="Profile file; empty: every rule with its defaults.")
    rules: list[str] = Field(default_factory=list, description="Names of rules; empty: all of them.")
    mocks: str = Field(default="", description="YAML file with the answers to HTTP requests.")
    data_sources: list[str] = Field(
        default_factory=list, description="Data source files beside those in the folders of the rules."
    )
    entity: dict[str, Any] = Field(default_factory=dict, description="The entity, such as owner and name.")
    entity_file: str = Field(default="", description="YAML or JSON file that says more of the entity.")
    allow_network: bool = Field(default=False, description="Ask the provider's real API.")
    timeout: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=60.0, description="Seconds that one rule may take."
    )

    @model_validator(mode="after")
    def _has_one_web(self) -> CheckSettings:
        if self.mocks and self.allow_network:
            raise ValueError("mocks and allow_network contradict each other; give one of them")
        if self.profile and self.rules:
            raise ValueError("profile and rules contradict each other: a profile names its rules itself")
        return self


class RulesSettings(RulesTable):
    """Where rules and their tests are, and what a test may use."""

    dirs: list[str] = Field(
        min_length=1, description="Folders (or *.star files) that are searched for tests."
    )
    tests: bool = Field(default=True, description="Run the tests; false: only what [rules.check] says.")
    test_timeout: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=10.0, description="Seconds that one test function may take."
    )
    memory: Annotated[int, Field(ge=16, le=1 << 20)] = Field(
        default=512, description="MiB of memory that tests may use."
    )
    coverage: Annotated[float, Field(ge=0, le=100)] = Field(
        default=0,
        description="Percentage of the rules' lines and jq assertions to be reached; 0: not judged.",
    )
    measure_coverage: bool = Field(default=False, description="Measure coverage even if none is demanded.")
    mutation: Annotated[float, Field(ge=0, le=100)] = Field(
        default=0,
        description="Percentage of small changes of the rules that tests must notice; 0: not judged.",
    )
    mutation_budget: Annotated[float, Field(ge=0)] = Field(
        default=0, description="Seconds that a run may try such changes; 0: until all are tried."
    )
    providers: dict[str, str] = Field(
        default_factory=dict, description="Base URLs of providers beside github and gitlab."
    )
    check: CheckSettings | None = Field(default=None, description="Rules to run against a real repository.")

    @property
    def is_measured(self) -> bool:
        """Whether a run measures what the tests reach of the rules."""
        return bool(self.coverage) or self.measure_coverage
