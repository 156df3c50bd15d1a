"""The file of a data source, as it is written."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator

FORMAT_HINT = "write a name, such as {owner}, or a form of RFC 6570, such as {?page}"


class Part(BaseModel):
    """A part of the file; keys that Minder does not know are refused, as Minder does."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Fallback(Part):
    """The body that is taken instead of that of an answer with this status."""

    http_status: Annotated[int, Field(ge=100, le=599)] = Field(
        validation_alias=AliasChoices("http_status", "http_code", "httpStatus", "httpCode")
    )
    body: str = ""


class RestFunction(Part):
    """A function that asks an API."""

    endpoint: Annotated[str, Field(min_length=1)]
    method: str = ""
    headers: dict[str, str] = {}
    body: dict[str, Any] | str | None = None
    bodyobj: dict[str, Any] | None = None
    bodystr: str | None = None
    body_from_field: Annotated[str, Field(min_length=1)] | None = Field(
        None, validation_alias=AliasChoices("body_from_field", "bodyFromField")
    )
    parse: Literal["json", ""] = ""
    fallback: list[Fallback] = []
    expected_status: list[int] = Field([], validation_alias=AliasChoices("expected_status", "expectedStatus"))
    input_schema: dict[str, Any] | None = Field(
        None, validation_alias=AliasChoices("input_schema", "inputSchema")
    )

    @field_validator("endpoint")
    @classmethod
    def _is_a_template(cls, endpoint: str) -> str:
        from understudy.rules.data_sources.uri import BadTemplate, read_template

        try:
            read_template(endpoint)
        except BadTemplate as error:
            raise ValueError(f"{error}; {FORMAT_HINT}") from None
        return endpoint

    @model_validator(mode="after")
    def _has_one_body(self) -> RestFunction:
        given = [
            name
            for name in ("body", "bodyobj", "bodystr", "body_from_field")
            if getattr(self, name) is not None
        ]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are given, and only one can be sent; remove one")
        return self


class FilePath(Part):
    """Which file is read: the first of these that the repository has."""

    file_name: str = Field("", validation_alias=AliasChoices("file_name", "fileName"))
    alternatives: list[str] = []

    @model_validator(mode="after")
    def _names_a_file(self) -> FilePath:
        if not self.file_name and not self.alternatives:
            raise ValueError("no file is named; write file_name: PATH")
        return self


class StructuredFunction(Part):
    """A function that reads a structured file of the repository."""

    path: FilePath


class RestSource(Part):
    """The functions that ask an API. With `providerAuth` the provider gets the user's token."""

    provider_auth: bool = Field(False, validation_alias=AliasChoices("providerAuth", "provider_auth"))
    functions: Annotated[dict[str, RestFunction], Field(min_length=1)] = Field(validation_alias="def")


class StructuredSource(Part):
    """The functions that read files."""

    functions: Annotated[dict[str, StructuredFunction], Field(min_length=1)] = Field(validation_alias="def")


class DataSourceFile(Part):
    """The whole file."""

    version: Literal["v1"] = "v1"
    type: Literal["data-source"]
    name: Annotated[str, Field(min_length=1)]
    id: str = ""
    context: dict[str, Any] = {}
    rest: RestSource | None = None
    structured: StructuredSource | None = None

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> DataSourceFile:
        if (self.rest is None) == (self.structured is None):
            raise ValueError("a data source is either rest or structured; write one of the two")
        return self
