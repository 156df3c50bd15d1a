"""What a failing evaluation leaves for its remediation and its alert, and how their templates see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.rules.templates import OUTPUT_LIMIT, Struct, Template, compile_template, entity_view
from understudy.trees import Tree

# A request that rendering itself needs: method, URL, body; the answer is a status and its data.
Fetch = Callable[[str, str, Any], tuple[int, Any]]
# Where the text at a path below the section begins: line and column.
Place = Callable[..., tuple[int, int]]


@dataclass(frozen=True, slots=True)
class ActionContext:
    """A failed evaluation: what was evaluated, against what, what came out, and what there is to work with.

    `details` is the message of the failure. `tree` is the repository's files, `fetch` answers the requests that
    rendering needs (the present protection of a branch, the commit of a tag).
    """

    entity: Mapping[str, Any]
    entity_kind: str = "repository"
    profile: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    output: Any = None
    details: str = ""
    rule_name: str = ""
    profile_name: str = ""
    severity: str = ""
    guidance: str = ""
    has_remediation: bool = False
    tree: Tree | None = None
    fetch: Fetch | None = None


class Source:
    """A section as it stands in its file: where its parts are, and its templates, each compiled once."""

    def __init__(self, file: str = "", place: Place | None = None, start: tuple[str | int, ...] = ()) -> None:
        self._file = file
        self._place = place
        self._start = start
        self._compiled: dict[tuple[tuple[str | int, ...], bool], Template] = {}

    def template(self, text: str, path: tuple[str | int, ...], html: bool) -> Template:
        """The template at a path below the section."""
        found = self._compiled.get((path, html))
        if found is None or found.text != text:
            line, column = self._where(path)
            found = compile_template(text, self._file, line or 1, column or 1, escape_html=html)
            self._compiled[path, html] = found
        return found

    def error(self, message: str, hint: str, path: tuple[str | int, ...]) -> InputError:
        """The error for a part of the section."""
        line, column = self._where(path)
        return InputError([Problem(message, self._file, line, column, hint=hint)])

    def _where(self, path: tuple[str | int, ...]) -> tuple[int | None, int | None]:
        return self._place(*self._start, *path) if self._place else (None, None)


class Section:
    """A section that is rendered for one evaluation."""

    def __init__(self, context: ActionContext, source: Source) -> None:
        self.context = context
        self._source = source
        fields = {
            "Entity": entity_view(context.entity, context.entity_kind),
            "Profile": context.profile,
            "Params": context.params,
            "EvalResultOutput": context.output,
        }
        self._data = Struct(fields, "*TemplateParams")

    def text(
        self, template: str, *path: str | int, limit: int = OUTPUT_LIMIT, html: bool = False, data: Any = None
    ) -> str:
        """A template of the section at a path, rendered."""
        compiled = self._source.template(template, path, html)
        return compiled.render(self._data if data is None else data, limit=limit)

    def error(self, message: str, hint: str, *path: str | int) -> InputError:
        """The error for a part of the section."""
        return self._source.error(message, hint, path)

    def require_entity(self, kind: str) -> None:
        """Refuse an entity of another kind, as Minder does."""
        if self.context.entity_kind != kind:
            message = f"expected {kind}, got {self.context.entity_kind}"
            raise self.error(message, f"this action is for rules with in_entity: {kind}")
