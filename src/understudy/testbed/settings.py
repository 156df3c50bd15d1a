"""The `[testbed]` table of the project file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from understudy.testbed.cases import CaptureSource
from understudy.wire.transport import DEFAULT_TIMEOUT, MAX_RESPONSE_LIMIT


class LoginSettings(BaseModel):
    """A request that is sent before any case; what it captures, all cases can use."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: str = Field(default="POST", description="HTTP method.")
    path: str = Field(min_length=1, description="Path below the base URL.")
    headers: dict[str, Any] = Field(default_factory=dict, description="Headers of the login request.")
    query: dict[str, Any] = Field(default_factory=dict, description="Query of the login request.")
    body: dict[str, Any] | None = Field(default=None, description="JSON body of the login request.")
    status: Annotated[int, Field(ge=0, le=599)] = Field(
        default=0, description="Expected status; 0: any below 400."
    )
    capture: dict[str, CaptureSource] = Field(
        min_length=1, description="Names and where their values are found."
    )


class TestbedSettings(BaseModel):
    """What the testbed runs."""

    __test__ = False
    model_config = ConfigDict(extra="forbid", frozen=True)

    suites: list[str] = Field(min_length=1, description="Suite files (JSON); * and ** match several.")
    scripts: list[str] = Field(
        default_factory=list, description="Script files (YAML); * and ** match several."
    )
    include_generated: bool = Field(
        default=False, description="Also run a route's generated cases beside scripted ones."
    )
    max_response_bytes: Annotated[int, Field(ge=0, le=MAX_RESPONSE_LIMIT)] = Field(
        default=0, description="Bytes of a response that are kept; 0: 1 MiB."
    )
    timeout: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=DEFAULT_TIMEOUT, description="Seconds a request may take."
    )
    login: LoginSettings | None = Field(default=None, description="A login step before all cases.")
    route_coverage: Annotated[int, Field(ge=0, le=100)] = Field(
        default=0, description="Percentage of routes and endpoints that the run must reach; 0: not judged."
    )
