"""The face: a rule's `remediate` and `alert` sections, read once, and what they would do after an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from understudy.core.errors import InputError, Problem
from understudy.documents.positions import Document, Position, Positions
from understudy.documents.validate import validate
from understudy.rules.remediate import alerts
from understudy.rules.remediate.branch_protection import branch_protection
from understudy.rules.remediate.context import ActionContext, Place, Section, Source
from understudy.rules.remediate.models import AlertSection, RemediateSection
from understudy.rules.remediate.pull_request import pull_request
from understudy.rules.remediate.rest import rest_request

Model = TypeVar("Model", RemediateSection, AlertSection)

# What each type of section becomes; its configuration stands in the section under the name of the type.
_REMEDIATIONS: Mapping[str, Callable[[Any, Section], Remediation]] = {
    "rest": rest_request,
    "gh_branch_protection": branch_protection,
    "pull_request": pull_request,
    "issue": alerts.issue,
    "pull_request_comment": alerts.comment,
}
_ALERTS: Mapping[str, Callable[[Any, Section], Remediation]] = {
    "security_advisory": alerts.advisory,
    "pull_request_comment": alerts.comment,
    "commit_status": alerts.commit_status,
}
# The keys whose values are templates, and where templates are HTML.
_TEMPLATES = frozenset(
    (
        "endpoint", "method", "body", "patch", "title", "path", "content", "mode", "expression",
        "review_message", "description",
    )
)  # fmt: skip
_HTML: Mapping[str, frozenset[tuple[str | int, ...]]] = {
    "pull_request": frozenset({("title",), ("body",)}),
    "issue": frozenset({("title",), ("body",)}),
    "pull_request_comment": frozenset({("review_message",)}),
}


class Remediation(Protocol):
    """What a remediation or an alert would do."""

    def as_data(self) -> dict[str, Any]:
        """As plain JSON data, with its `type`."""
        ...


class Action:
    """One section of a rule, read and checked."""

    def __init__(
        self, render: Callable[[Any, Section], Remediation], definition: Any, source: Source
    ) -> None:
        self._render = render
        self._definition = definition
        self._source = source

    def render(self, context: ActionContext) -> Remediation:
        """What it would do after a failed evaluation. What cannot be rendered is an InputError."""
        return self._render(self._definition, Section(context, self._source))


def read_remediation(
    definition: Mapping[str, Any] | None, file: str = "", place: Place | None = None
) -> Action | None:
    """The `remediate` section of a rule, with its templates compiled; None if the rule has none.

    `place(*path)` is the line and column in `file` at which the text at a path below the section begins. What is
    wrong with the section whatever is evaluated is one InputError with every problem.
    """
    if definition is None:
        return None
    return _action(RemediateSection, "remediate", _REMEDIATIONS, definition, file, place)


def read_alert(
    definition: Mapping[str, Any] | None, file: str = "", place: Place | None = None
) -> Action | None:
    """The `alert` section of a rule, likewise."""
    if definition is None:
        return None
    return _action(AlertSection, "alert", _ALERTS, definition, file, place)


def render_remediation(
    definition: Mapping[str, Any] | None, context: ActionContext, file: str = "", place: Place | None = None
) -> Remediation | None:
    """What the `remediate` section of a failing rule would do; None if the rule has none.

    >>> context = ActionContext({"owner": "acme", "name": "shop"}, profile={"enabled": True})
    >>> section = {"type": "rest", "rest": {"endpoint": "/repos/{{.Entity.Owner}}/{{.Entity.Name}}",
    ...     "body": '{"private": {{.Profile.enabled}}}'}}
    >>> render_remediation(section, context).as_data()
    {'type': 'rest', 'method': 'PATCH', 'endpoint': '/repos/acme/shop', 'body': {'private': True}}
    """
    action = read_remediation(definition, file, place)
    return action.render(context) if action else None


def render_alert(
    definition: Mapping[str, Any] | None, context: ActionContext, file: str = "", place: Place | None = None
) -> Remediation | None:
    """What the `alert` section of a failing rule would say; None if the rule has none.

    >>> context = ActionContext({"owner": "acme", "name": "shop"}, rule_name="signed", profile_name="base")
    >>> render_alert({"type": "security_advisory", "security_advisory": {}}, context).as_data()["summary"]
    'minder: profile base failed with rule signed'
    """
    action = read_alert(definition, file, place)
    return action.render(context) if action else None


def _action(
    model: type[Model],
    name: str,
    renderers: Mapping[str, Callable[[Any, Section], Remediation]],
    definition: Mapping[str, Any],
    file: str,
    place: Place | None,
) -> Action:
    where = _Place(definition, place, ())
    read = validate(model, Document(file, definition, Positions(where)))
    source = Source(file, place, (read.type,))
    configured = getattr(read, read.type)
    if configured is None:
        message = f"the {name} section of type {read.type} has no '{read.type}'"
        raise source.error(message, f"write what it does below '{read.type}:'", ())
    problems: list[Problem] = []
    for path, template in _templates(definition[read.type], ()):
        try:
            source.template(template, path, path in _HTML.get(read.type, ()))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return Action(renderers[read.type], configured, source)


def _templates(value: Any, path: tuple[str | int, ...]) -> list[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, Mapping):
        return [found for key, part in value.items() for found in _templates(part, (*path, key))]
    if isinstance(value, list):
        return [found for index, part in enumerate(value) for found in _templates(part, (*path, index))]
    return [(path, value)] if isinstance(value, str) and path[-1] in _TEMPLATES else []


class _Place:
    """The places of a section, asked for only if something is wrong."""

    def __init__(self, data: Any, place: Place | None, path: tuple[str | int, ...]) -> None:
        self._data = data
        self._place = place
        self._path = path

    @property
    def position(self) -> Position:
        return self._place(*self._path) if self._place else (1, 1)

    @property
    def key(self) -> Position | None:
        return None

    def child(self, step: str | int) -> _Place | None:
        try:
            return _Place(self._data[step], self._place, (*self._path, step))
        except (KeyError, IndexError, TypeError):
            return None
