"""The face: a rule's `remediate` or `alert` section becomes what it would do, or a check of what is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from understudy.core.errors import InputError, Problem
from understudy.documents.positions import Document, Position, Positions
from understudy.documents.validate import validate
from understudy.rules.remediate import alerts
from understudy.rules.remediate.branch_protection import branch_protection
from understudy.rules.remediate.context import ActionContext, Place, Section
from understudy.rules.remediate.models import AlertSection, RemediateSection
from understudy.rules.remediate.pull_request import pull_request
from understudy.rules.remediate.rest import rest_request
from understudy.rules.templates import compile_template

Model = TypeVar("Model", RemediateSection, AlertSection)

# The keys whose values are templates; those with True are HTML.
_TEMPLATES = {
    "endpoint": False,
    "method": False,
    "body": False,
    "patch": False,
    "title": True,
    "path": False,
    "content": False,
    "mode": False,
    "expression": False,
    "review_message": True,
    "description": False,
}


class Remediation(Protocol):
    """What a remediation or an alert would do."""

    def as_data(self) -> dict[str, Any]:
        """As plain JSON data, with its `type`."""
        ...


def render_remediation(
    definition: Mapping[str, Any] | None, context: ActionContext, file: str = "", place: Place | None = None
) -> Remediation | None:
    """What the `remediate` section of a failing rule would do; None if the rule has none.

    `place(*path)` is the line and column in `file` at which the text below the section begins. Everything that
    is wrong (the section, a template, a body that is no JSON) is an InputError.

    >>> context = ActionContext({"owner": "acme", "name": "shop"}, profile={"enabled": True})
    >>> section = {"type": "rest", "rest": {"endpoint": "/repos/{{.Entity.Owner}}/{{.Entity.Name}}",
    ...     "body": '{"private": {{.Profile.enabled}}}'}}
    >>> render_remediation(section, context).as_data()
    {'type': 'rest', 'method': 'PATCH', 'endpoint': '/repos/acme/shop', 'body': {'private': True}}
    """
    if definition is None:
        return None
    read = _read(RemediateSection, "remediate", definition, file, place)
    section = Section(context, file, place, (read.type,))
    if read.rest is not None and read.type == "rest":
        return rest_request(read.rest, section)
    if read.gh_branch_protection is not None and read.type == "gh_branch_protection":
        return branch_protection(read.gh_branch_protection, section)
    if read.pull_request is not None and read.type == "pull_request":
        return pull_request(read.pull_request, section)
    if read.issue is not None and read.type == "issue":
        return alerts.issue(read.issue, section)
    if read.pull_request_comment is not None and read.type == "pull_request_comment":
        return alerts.comment(read.pull_request_comment, section)
    raise _unconfigured("remediate", read.type, file, place)


def render_alert(
    definition: Mapping[str, Any] | None, context: ActionContext, file: str = "", place: Place | None = None
) -> Remediation | None:
    """What the `alert` section of a failing rule would say; None if the rule has none.

    >>> context = ActionContext({"owner": "acme", "name": "shop"}, rule_name="signed", profile_name="base")
    >>> render_alert({"type": "security_advisory", "security_advisory": {}}, context).as_data()["summary"]
    'minder: profile base failed with rule signed'
    """
    if definition is None:
        return None
    read = _read(AlertSection, "alert", definition, file, place)
    section = Section(context, file, place, (read.type,))
    if read.security_advisory is not None and read.type == "security_advisory":
        return alerts.advisory(read.security_advisory, section)
    if read.pull_request_comment is not None and read.type == "pull_request_comment":
        return alerts.comment(read.pull_request_comment, section)
    if read.commit_status is not None and read.type == "commit_status":
        return alerts.commit_status(read.commit_status, section)
    raise _unconfigured("alert", read.type, file, place)


def check_actions(
    remediate: Mapping[str, Any] | None,
    alert: Mapping[str, Any] | None,
    file: str = "",
    remediate_place: Place | None = None,
    alert_place: Place | None = None,
) -> None:
    """Refuse sections that cannot work for any evaluation: unknown keys, templates that do not parse.

    Raises one InputError with every problem.
    """
    problems: list[Problem] = []
    if remediate is not None:
        problems += _problems(RemediateSection, "remediate", remediate, file, remediate_place)
    if alert is not None:
        problems += _problems(AlertSection, "alert", alert, file, alert_place)
    if problems:
        raise InputError(problems)


def _problems(
    model: type[Model], name: str, definition: Mapping[str, Any], file: str, place: Place | None
) -> list[Problem]:
    try:
        kind = _read(model, name, definition, file, place).type
        if definition.get(kind) is None:
            raise _unconfigured(name, kind, file, place)
    except InputError as error:
        return list(error.problems)
    problems: list[Problem] = []
    for path, template in _templates(definition[kind], (kind,)):
        line, column = place(*path) if place else (1, 1)
        html = _TEMPLATES[str(path[-1])] or (kind in ("pull_request", "issue") and path[1:] == ("body",))
        try:
            compile_template(template, file, line, column, escape_html=html)
        except InputError as error:
            problems.extend(error.problems)
    return problems


def _templates(value: Any, path: tuple[str | int, ...]) -> list[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, Mapping):
        return [found for key, part in value.items() for found in _templates(part, (*path, key))]
    if isinstance(value, list):
        return [found for index, part in enumerate(value) for found in _templates(part, (*path, index))]
    return [(path, value)] if isinstance(value, str) and path[-1] in _TEMPLATES else []


def _read(
    model: type[Model], name: str, definition: Mapping[str, Any], file: str, place: Place | None
) -> Model:
    where = _Place(definition, place, ())
    return validate(model, Document(file, definition, Positions(where)))


def _unconfigured(name: str, kind: str, file: str, place: Place | None) -> InputError:
    line, column = place("type") if place else (None, None)
    message = f"the {name} section of type {kind} has no '{kind}'"
    return InputError([Problem(message, file, line, column, hint=f"write what it does below '{kind}:'")])


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
