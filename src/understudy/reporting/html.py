"""A report as one HTML page that needs nothing else: no network, no server, and for reading no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from importlib import resources
from string import Template
from typing import TextIO

from understudy import __version__
from understudy.core.outcome import Outcome
from understudy.core.report import Report
from understudy.reporting.escaping import html_text
from understudy.reporting.fragments import FragmentFile
from understudy.reporting.grouping import Group
from understudy.reporting.html_case import (
    attachment_block,
    case_card,
    case_link,
    case_row,
    data_block,
    has_more,
)
from understudy.reporting.html_tree import Layout, PageGroup, Tree
from understudy.reporting.wording import (
    cases_in_words,
    counts_of,
    duration_in_words,
    in_words,
    kind_in_words,
    shard_in_words,
    stopped_in_words,
)

# Browsers open a page of this size; what comes after stands on it as a row only. JSON holds all of it.
_CARD_BUDGET = 32 << 20
_OPEN_CARDS = 100
_OPEN_ROWS = 20
_EVIDENCE_LIMIT = 200_000
_CUT = "not shown in full, as the page would grow too large; the JSON report has it"


def write_html(report: Report, out: TextIO) -> None:
    """Write a report as a page: what failed first and open, then everything by act and file.

    >>> import io
    >>> from understudy.core.report import Summary
    >>> out = io.StringIO()
    >>> write_html(Report(Summary(), []), out)
    >>> "No case was run." in out.getvalue()
    True
    """
    layout = Layout({outcome.parent for outcome in report.outcomes if outcome.parent})
    finished = 0
    with FragmentFile() as fragments:
        for fragment in _fragments(report.outcomes, layout):
            fragments.add(fragment)
        finished = layout.settle()
        start, _, end = _page(report).partition("$$body$$")
        out.write(start)
        out.write("".join(_head(report, finished)))
        body = _Body(layout, fragments, out)
        body.section("failures", "Failures", ("failed", "errored"))
        body.section("known", "Known failures", ("known",))
        body.groups()
        out.write("".join(_about(report)))
        out.write(end)


def _fragments(outcomes: Iterable[Outcome], layout: Layout) -> Iterator[str]:
    """Two texts for each outcome: the case itself, and what stands for it where it would come by its file."""
    budget, to_open = _CARD_BUDGET, _OPEN_CARDS
    for number, outcome in enumerate(outcomes):
        layout.add(outcome)
        anchor = f"c{number}"
        if not has_more(outcome):
            yield case_row(outcome)
        else:
            card = case_card(outcome, anchor, is_open=outcome.is_bad and to_open > 0)
            budget -= len(card)
            yield card if budget > 0 else case_row(outcome, note=_CUT, anchor=anchor)
        to_open -= outcome.is_bad
        yield case_link(outcome, anchor) if outcome.is_bad or outcome.known else ""


class _Body:
    """Writes the parts of the page that consist of cases."""

    def __init__(self, layout: Layout, fragments: FragmentFile, out: TextIO) -> None:
        self._layout = layout
        self._fragments = fragments
        self._out = out

    def section(self, anchor: str, title: str, kinds: tuple[str, ...]) -> None:
        """All trees of some kinds, in the order of the report; nothing if there is none."""
        is_begun = False
        for tree in self._layout.trees():
            if tree.worst in kinds:
                if not is_begun:
                    self._out.write(f'<section id="{anchor}"><h2>{title}</h2>\n')
                    is_begun = True
                self._tree(tree, rows_open=True)
        if is_begun:
            self._out.write("</section>\n")

    def groups(self) -> None:
        """All files of all acts, each with its cases; those that stand in a section of their own as links."""
        groups = self._layout.groups
        if not groups:
            self._out.write('<p class="nothing">No case was run.</p>\n')
            return
        self._out.write('<section id="all"><h2>All cases by file</h2>\n')
        for name, group in groups.items():
            self._group(name, group, is_open=len(groups) == 1 and len(group.roots) <= _OPEN_ROWS)
        self._out.write("</section>\n")

    def _group(self, name: Group, group: PageGroup, is_open: bool) -> None:
        counts = "".join(
            f'<span class="n {kind}">{kind_in_words(kind, count)}</span>'
            for kind, count in counts_of(group.summary).items()
            if count
        )
        act = f'<span class="act">{html_text(name.act)}</span>' if name.file else ""
        title = f"{act}<b>{html_text(name.file or name.act)}</b>"
        self._out.write(
            f'<details class="group" data-g="{html_text(str(name))}"{" open" if is_open else ""}>'
            f"<summary>{title}<span>{counts}</span></summary>\n"
        )
        for root in group.roots:
            tree = self._layout.tree(root)
            if tree.worst in ("failed", "errored", "known"):
                self._fragments.copy((2 * number + 1 for number in (root, *tree.rows)), self._out)
            else:
                self._tree(tree, rows_open=len(tree.rows) <= _OPEN_ROWS)
        self._out.write("</details>\n")

    def _tree(self, tree: Tree, rows_open: bool) -> None:
        if not tree.rows:
            self._fragments.copy([2 * tree.root], self._out)
            return
        self._out.write('<div class="tree">')
        self._fragments.copy([2 * tree.root], self._out)
        counts = ", ".join(
            kind_in_words(kind, count) for kind, count in self._layout.count(tree.rows).items()
        )
        rows = "1 row" if len(tree.rows) == 1 else f"{len(tree.rows):,} rows"
        self._out.write(
            f'<details class="rows"{" open" if rows_open else ""}><summary>{rows}: {counts}</summary>\n'
        )
        self._fragments.copy((2 * number for number in tree.rows), self._out)
        self._out.write("</details></div>\n")


def _head(report: Report, finished: int) -> Iterator[str]:
    summary = report.summary
    verdict = (
        "stopped" if report.stopped else "passed" if summary.is_green and summary.has_checked else "failed"
    )
    words = {"stopped": "Stopped early", "passed": "Passed", "failed": "Failed"}[verdict]
    yield f'<header class="top"><div><h1><span class="verdict {verdict}">{words}</span> '
    duration = duration_in_words(report.duration_ms).replace(" ", "\N{NO-BREAK SPACE}")
    yield f"{cases_in_words(summary.total)} in {duration}</h1>\n"
    facts = [report.started_at, report.plan.selection]
    yield f'<p class="facts">{" · ".join(html_text(fact) for fact in facts if fact)}</p></div>\n'
    yield '<button id="theme" type="button" hidden aria-label="dark or light"></button></header>\n'
    for kind, text in (("stopped", stopped_in_words(report, finished)), ("shard", _shard_banner(report))):
        if text:
            yield f'<p class="banner {kind}" role="status">{html_text(text[:1].upper() + text[1:])}</p>\n'
    counts = {kind: count for kind, count in counts_of(summary).items() if count}
    yield f'<div class="bar" role="img" aria-label="{in_words(summary)}">'
    yield "".join(f'<span class="seg {kind}"></span>' for kind in counts)
    yield '</div>\n<div class="controls">'
    for kind, count in counts.items():
        yield f'<button class="chip {kind}" type="button" data-kind="{kind}" aria-pressed="false" disabled>'
        yield f"{kind_in_words(kind, count)}</button>"
    yield '<span class="find" hidden><input id="q" type="search" placeholder="Filter by id, name or message"'
    yield ' aria-label="Filter" autocomplete="off" spellcheck="false"><kbd>/</kbd></span>'
    yield '<output id="found"></output></div>\n'


def _shard_banner(report: Report) -> str:
    shard = shard_in_words(report)
    return f"{shard} only: the other shards are in reports of their own" if shard else ""


def _about(report: Report) -> Iterator[str]:
    yield '<section id="about"><h2>About this run</h2>\n'
    for attachment in report.attachments:
        yield attachment_block(attachment)
    if report.evidence:
        yield data_block("evidence", report.evidence, _EVIDENCE_LIMIT)
    plan = report.plan
    facts = {"planned": cases_in_words(plan.cases), "seed": str(plan.seed), "plan": plan.fingerprint}
    yield "<dl>"
    yield "".join(f"<dt>{name}</dt><dd>{html_text(text)}</dd>" for name, text in facts.items() if text)
    yield f"<dt>written by</dt><dd>Understudy {html_text(__version__)}</dd></dl></section>\n"


def _page(report: Report) -> str:
    """The page around its body. Its policy lets nothing be loaded, and no style or script but ours run."""
    shares = "".join(
        f".bar .seg.{kind}{{flex-grow:{count}}}" for kind, count in counts_of(report.summary).items() if count
    )
    style = f"{_asset('page.css')}{shares}\n"
    script = _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("page.html")).substitute(
        policy=policy, style=style, script=script, title=in_words(report.summary), body="$$body$$"
    )


def _asset(name: str) -> str:
    return resources.files("understudy.reporting").joinpath("html", name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
