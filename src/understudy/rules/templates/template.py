"""A template, compiled once and rendered often; every fault becomes an InputError at its place in the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.rules.templates.compiler import compile_trees
from understudy.rules.templates.expressions import MissingKey
from understudy.rules.templates.faults import TemplateFault
from understudy.rules.templates.functions import PREDEFINED, TemplateFunction
from understudy.rules.templates.lexer import tokens_of
from understudy.rules.templates.parser import MAIN, parse
from understudy.rules.templates.run import Execute, Run

OUTPUT_LIMIT = 1 << 20
_TEXT_LIMIT = 1 << 20


class Template:
    """A compiled template. `file`, `line` and `column` say where its first character stands."""

    __slots__ = ("_main", "_slots", "_templates", "column", "file", "line", "text")

    def __init__(
        self, text: str, templates: Mapping[str, tuple[Execute, int]], file: str, line: int, column: int
    ) -> None:
        self.text = text
        self.file = file
        self.line = line
        self.column = column
        self._templates = templates
        self._main, self._slots = templates[MAIN]

    def render(self, data: Any, *, limit: int = OUTPUT_LIMIT) -> str:
        """What comes out for `data`; more than `limit` bytes, or what the data lack, is an InputError.

        >>> compile_template("{{range .}}<{{.}}>{{end}}").render([1, "b"])
        '<1><b>'
        """
        run = Run(self._templates, limit)
        try:
            self._main(run, [data] * self._slots, data)
        except TemplateFault as fault:
            fault.message = f"executing {fault.message}"
            raise _input_error(fault, self.text, self.file, self.line, self.column) from None
        except RecursionError:
            deep = TemplateFault("executing: nested too deeply", 0, hint="nest templates and data less")
            raise _input_error(deep, self.text, self.file, self.line, self.column) from None
        return "".join(run.written)


def compile_template(
    text: str,
    file: str = "",
    line: int = 1,
    column: int = 1,
    *,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    missing_key: MissingKey = "error",
    escape_html: bool = False,
) -> Template:
    """Compile a template of Go's text/template, with the functions that Minder adds (`asMap`, `mapGet`).

    The text begins at `line` and `column` of `file`, and all its lines at that column, as in a block of YAML.
    As in Minder, a key that a map lacks is an error (`index .Params "x"` is not); `missing_key="default"` is
    Go's own way, which prints `<no value>`. With `escape_html` values are escaped as html/template does in text.

    >>> compile_template("/repos/{{.Owner}}{{if .Name}}/{{.Name}}{{end}}").render({"Owner": "a", "Name": "b"})
    '/repos/a/b'
    """
    known = dict(PREDEFINED)
    for name, function in (functions or {}).items():
        known[name] = TemplateFunction(function, 0, -1)
    try:
        if len(text) > _TEXT_LIMIT:
            message = f"too large: {len(text):,} characters, and at most {_TEXT_LIMIT:,} are read"
            raise TemplateFault(message, 0, hint="split it")
        templates = compile_trees(text, parse(tokens_of(text), known), known, missing_key, escape_html)
    except TemplateFault as fault:
        raise _input_error(fault, text, file, line, column) from None
    return Template(text, templates, file, line, column)


def _input_error(fault: TemplateFault, text: str, file: str, line: int, column: int) -> InputError:
    offset = max(fault.offset, 0)
    before = text.count("\n", 0, offset)
    in_line = offset - (text.rfind("\n", 0, offset) + 1)
    message = f"template: {fault.message}"
    return InputError([Problem(message, file, line + before, column + in_line, hint=fault.hint)])
