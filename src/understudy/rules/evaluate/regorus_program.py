"""One policy as the engine is given it: parsed, with its calls led to the host, and as safe as it had to become."""

from __future__ import annotations

import json
import re
from typing import Any

from understudy.core.errors import Problem
from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.evaluate.rego_checks import Names, own_function
from understudy.rules.evaluate.rego_places import Edit, EditedText, Lines
from understudy.rules.evaluate.rego_sprintf import is_plain
from understudy.rules.evaluate.regorus_errors import Failure
from understudy.rules.evaluate.regorus_extensions import add_extensions, provided
from understudy.rules.evaluate.regorus_host import HostCalls
from understudy.rules.evaluate.regorus_support import (
    CALL_HOST,
    IN_LIBRARY,
    LIBRARY,
    LIBRARY_TEXT,
    WORKS,
    Site,
    Support,
    hoisted,
)
from understudy.rules.evaluate.regorus_tree import Anchor, Call, Domain, Tree, read_tree

FILE = "policy.rego"
_OTHER_PLACE = re.compile(rf"{re.escape(FILE)}:(\d+):(\d+)")
_SILENT = frozenset({"time.parse_duration_ns", "net.cidr_expand"})
_OPEN = ("engine", "sprintf", "library")
_OF_DOMAIN = re.compile(r"^`some \.\. in collection` expects|^item cannot be indexed")
_MOST_COLUMNS, _MOST_BYTES, _MOST_LINES = 4 << 20, 8 << 20, 1 << 20


class Program:
    """The text of a policy with the sites in it that need something of ours, and engines that run it."""

    def __init__(self, text: PolicyText, *, v0: bool) -> None:
        """Parse the text in one dialect. Raises the engine's RuntimeError if it is not of it."""
        self.text = text
        self._v0 = v0
        self._bytes = text.text.encode()
        self._lines = Lines(self._bytes)
        self._edits: list[Edit] = []
        self._edited = EditedText(self._bytes, ())
        self._parsed: Any = _engine(v0)
        self._parsed.add_policy(FILE, text.text)
        self.tree: Tree = read_tree(json.loads(self._parsed.get_ast_as_json())[0], self._bytes)
        self.sites: list[Site] = []
        self._support = Support(lambda name: None)

    def lead(self, names: Names) -> None:
        """Lead each call to where it is answered: the engine, the host, or a module of ours."""
        self._support = Support(names.arity)
        for call in self.tree.calls:
            if not own_function(self.tree, call.name) and call.name != "print":
                self.sites.append(Site(len(self.sites), call.name, call, _way(call, names)))
        for operation in self.tree.operations:
            if operation.sign_at >= 0:
                self.sites.append(Site(len(self.sites), operation.name, operation, "engine"))
        for domain in self.tree.domains:
            self.sites.append(Site(len(self.sites), domain.name, domain, "engine"))
        self._edit()

    def first_engine(self) -> Any:
        """The engine that parsed the text, unless the text had to be changed."""
        if self._edits:
            return self.engine()
        engine, self._parsed = self._parsed, None
        return engine

    def engine(self) -> Any:
        """An engine that has the text as it is now."""
        self._parsed = None
        engine = _engine(self._v0)
        engine.add_policy(FILE, self._edited.text.decode())
        return engine

    def attach(self, engine: Any, calls: HostCalls) -> None:
        """Add to an engine that has the text what the text needs beside it."""
        add_extensions(engine)
        engine.add_extension(CALL_HOST, 3, calls.call)
        engine.add_extension(WORKS, 3, calls.works)
        for name, module in self._support.modules().items():
            engine.add_policy(f"{name}.rego", module)
        if any(site.name in IN_LIBRARY for site in self.sites):
            engine.add_policy(f"{LIBRARY}.rego", LIBRARY_TEXT)

    def make_safe(self, failure: Failure) -> bool:
        """Change the sites that failed so that they are undefined instead; whether any could be changed."""
        sites = self._failed(failure)
        for site in sites:
            site.way = "safe"
        if sites:
            self._edit()
        return bool(sites)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column in the rule file of an offset in the policy's text."""
        line, column = self._lines.place(offset)
        return line + self.text.line - 1, column + self.text.indent

    def problem(self, failure: Failure) -> Problem:
        """What the engine reports, in the words and places of the rule file."""
        message = _OTHER_PLACE.sub(lambda m: self._elsewhere(int(m[1]), int(m[2])), failure.message)
        if failure.file != FILE:
            return Problem(message, self.text.file)
        line, column = self._place_of(failure.line, failure.column)
        return Problem(message, self.text.file, line, column)

    def _elsewhere(self, line: int, column: int) -> str:
        return ":".join([self.text.file, *map(str, self._place_of(line, column))])

    def _place_of(self, line: int, column: int) -> tuple[int, int]:
        offset = Lines(self._edited.text).offset(line, column)
        return self.place(self._edited.original(offset))

    def _edit(self) -> None:
        self._edits = self._support.edits(self.sites, self._bytes)
        self._edits += hoisted(self.tree.declarations, self._bytes)
        self._edited = EditedText(self._bytes, self._edits)

    def _failed(self, failure: Failure) -> list[Site]:
        """The sites that an error can be of: those reported there; a named one rather than others."""
        of_domain = bool(_OF_DOMAIN.search(failure.message))
        open_sites = [
            site for site in self.sites if site.way in _OPEN and isinstance(site.node, Domain) == of_domain
        ]
        if not failure.file:  # some builtins fail without saying where
            return [site for site in open_sites if site.name in _SILENT] or open_sites
        if failure.file != FILE:
            return [site for site in open_sites if site.way == "library"]
        there = [site for site in open_sites if self._reported_at(site, failure)]
        named = [site for site in there if f"`{site.name}`" in failure.message]
        if there:
            return named or there
        offset = self._edited.original(Lines(self._edited.text).offset(failure.line, failure.column))
        around = [site for site in open_sites if site.node.start <= offset < site.node.end]
        return sorted(around, key=lambda site: site.node.end - site.node.start)[:1]

    def _reported_at(self, site: Site, failure: Failure) -> bool:
        return any(
            anchor.line == failure.line and anchor.column + self._shift(anchor) == failure.column
            for anchor in site.node.anchors
        )

    def _shift(self, anchor: Anchor) -> int:
        """How far the edits moved an anchor to the right."""
        start = self._lines.offset(anchor.line, 1)
        return sum(
            len(edit.text) - (edit.end - edit.start)
            for edit in self._edits
            if start <= edit.start and edit.end <= anchor.offset
        )


def _way(call: Call, names: Names) -> str:
    if call.name in names.host:
        return "host"
    if call.name in IN_LIBRARY:
        return "library"
    if call.name == "sprintf":
        return "engine" if is_plain(call.arguments) else "sprintf"
    if call.name in provided() and len(call.arguments) > provided()[call.name][0]:
        return "safe"  # a function of Python cannot put its result into an argument
    return "engine"


def _engine(v0: bool) -> Any:
    import regorus

    engine = regorus.Engine()
    engine.set_policy_length_config(max_col=_MOST_COLUMNS, max_file_bytes=_MOST_BYTES, max_lines=_MOST_LINES)
    engine.set_rego_v0(v0)
    engine.set_gather_prints(True)
    return engine
