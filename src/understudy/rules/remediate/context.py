"""What a failing evaluation leaves for its remediation and its alert, and how their templates see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
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


class Section:
    """A section that is rendered: its file, where its parts stand, and what the templates see."""

    def __init__(
        self, context: ActionContext, file: str, place: Place | None, start: tuple[str | int, ...]
    ) -> None:
        self.context = context
        self._file = file
        self._place = place
        self._start = start
        entity = entity_view(context.entity, context.entity_kind)
        self._data = Struct(
            {
                "Entity": entity,
                "Profile": context.profile,
                "Params": context.params,
                "EvalResultOutput": context.output,
            },
            "*TemplateParams",
        )

    def text(
        self, template: str, *path: str | int, limit: int = OUTPUT_LIMIT, html: bool = False, data: Any = None
    ) -> str:
        """A template of the section at a path, rendered."""
        line, column = self._where(path)
        compiled = _compiled(template, self._file, line or 1, column or 1, html)
        return compiled.render(self._data if data is None else data, limit=limit)

    def error(self, message: str, hint: str, *path: str | int) -> InputError:
        """The error for a part of the section."""
        line, column = self._where(path)
        return InputError([Problem(message, self._file, line, column, hint=hint)])

    def require_entity(self, kind: str) -> None:
        """Refuse an entity of another kind, as Minder does."""
        if self.context.entity_kind != kind:
            message = f"expected {kind}, got {self.context.entity_kind}"
            raise self.error(message, f"this action is for rules with in_entity: {kind}")

    def _where(self, path: tuple[str | int, ...]) -> tuple[int | None, int | None]:
        return self._place(*self._start, *path) if self._place else (None, None)


@lru_cache(maxsize=1024)
def _compiled(template: str, file: str, line: int, column: int, html: bool) -> Template:
    return compile_template(template, file, line, column, escape_html=html)
