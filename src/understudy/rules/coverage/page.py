"""Coverage as one HTML page: the figures of every rule file, and its source with what was reached marked in it.

It needs nothing else: no network, no server and no script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import resources

from understudy import __version__
from understudy.core.brief import visible
from understudy.rules.coverage.figures import Coverage, RuleFigures, ranges, shown_percent

_LONGEST_LINE = 2_000
_MOST_LINES = 20_000
_MARKS = {True: ("reached", "✓"), False: ("missed", "✗")}


def coverage_page(
    coverage: Coverage, sources: Mapping[str, Sequence[str]], *, wanted: float = 0, warning: str = ""
) -> str:
    """The page; `sources` are the lines of the rule files, `wanted` is the percentage that is demanded.

    >>> rule = RuleFigures("a.rego", "a", 1, frozenset({1, 2}), frozenset({1}))
    >>> page = coverage_page(Coverage([rule]), {"a.rego": ["allow if x", "allow if <y>"]})
    >>> "allow if &lt;y&gt;" in page, "50%" in page
    (True, True)
    """
    style = resources.files(__package__).joinpath("page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    body = "".join([*_head(coverage, wanted, warning), *_list(coverage), *_sources(coverage, sources)])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{digest}'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{shown_percent(coverage.percent)} reached · Coverage of rules · Understudy</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def _head(coverage: Coverage, wanted: float, warning: str) -> Iterator[str]:
    tone = _tone(coverage.hit, coverage.total)
    files = f"{len(coverage.rules)} rule file{'' if len(coverage.rules) == 1 else 's'}"
    demanded = f"; {wanted:g}% wanted" if wanted else ""
    yield f'<header class="top {tone}">\n<h1>Coverage of rules: '
    yield f'<span class="percent">{shown_percent(coverage.percent)}</span></h1>\n'
    yield f'<p class="quiet">{coverage.hit:,} of {coverage.total:,} lines and jq assertions of {files} were '
    yield f"reached by tests{demanded}. Understudy {escape(__version__)}</p>\n"
    yield _gauge(coverage.percent)
    if warning:
        yield f'<p class="warning">{_text(warning)}</p>\n'
    yield "</header>\n"


def _list(coverage: Coverage) -> Iterator[str]:
    yield '<h2>Rule files</h2>\n<ul class="files">\n'
    for number, rule in enumerate(coverage.rules):
        yield f'<li class="{_tone(rule.hit, rule.total)}"><a href="#f{number}">{_name(rule.file)}</a>'
        yield f'{_gauge(rule.percent if rule.total else 0)}<span class="percent">{_percent(rule)}</span>'
        if remark := _remark(rule, number):
            yield f'<span class="quiet">{remark}</span>'
        yield "</li>\n"
    yield "</ul>\n"


def _sources(coverage: Coverage, sources: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield "<h2>Sources</h2>\n"
    for number, rule in enumerate(coverage.rules):
        is_open = rule.hit < rule.total or bool(rule.broken)
        yield f'<details class="source {_tone(rule.hit, rule.total)}" id="f{number}"{" open" if is_open else ""}>'
        yield f'<summary><b>{_name(rule.file)}</b><span class="quiet">{_text(rule.rule)}</span>'
        yield f'<span class="percent">{_percent(rule)}</span></summary>\n'
        if remark := _remark(rule, number):
            yield f'<p class="quiet">{remark}</p>\n'
        yield from _source(rule, number, sources.get(rule.file, ()))
        yield "</details>\n"


def _source(rule: RuleFigures, place: int, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    notes = dict(_notes(rule))
    # Too long for a window means that it scrolls, which the keyboard must be able to do as well.
    yield f'<div class="lines" tabindex="0" role="region" aria-label="source of {_text(rule.file)}"><table>\n'
    for number, line in enumerate(lines[:_MOST_LINES], 1):
        kind, mark = _MARKS[rule.lines[number]] if number in rule.lines else ("", "")
        label = f' aria-label="{kind}"' if kind else ""
        text = _text(line.expandtabs(4)[:_LONGEST_LINE])
        note = f"<em>{_text(notes[number])}</em>" if number in notes else ""
        marked = f' class="{kind}"' if kind else ""
        anchor = f' id="f{place}l{number}"' if kind == "missed" else ""
        yield f'<tr{marked}{anchor}><td class="at">{number}</td>'
        yield f'<td class="mark"{label}>{mark}</td><td>{text}{note}</td></tr>\n'
    yield "</table></div>\n"
    if len(lines) > _MOST_LINES:
        yield f'<p class="quiet">… and {len(lines) - _MOST_LINES:,} more lines</p>\n'


def _notes(rule: RuleFigures) -> Iterator[tuple[int, str]]:
    """What is to be said of jq assertions beside their lines."""
    by_line: dict[int, list[str]] = {}
    for entry in rule.assertions:
        if not entry.is_reached:
            by_line.setdefault(entry.line, []).append("never compared")
        elif entry.held != entry.failed:
            by_line.setdefault(entry.line, []).append("always held" if entry.held else "always failed")
    for line, notes in by_line.items():
        yield line, ", ".join(notes)


def _remark(rule: RuleFigures, place: int) -> str:
    """What is missing, as HTML: each range of lines leads to its first."""
    parts = [_text(f"cannot be measured: {rule.broken}")] if rule.broken else []
    if not rule.evaluations and not rule.broken:
        parts.append("no test evaluates it")
    if missed := [number for number, is_reached in rule.lines.items() if not is_reached]:
        links = ", ".join(
            f'<a href="#f{place}l{part.partition("-")[0]}">{part}</a>' for part in ranges(missed).split(", ")
        )
        parts.append(f"line{'s' if len(missed) > 1 else ''} {links} missed")
    return "; ".join(parts)


def _percent(rule: RuleFigures) -> str:
    return shown_percent(rule.percent) if rule.total else "-"


def _gauge(percent: float) -> str:
    """A bar; its width is an attribute of the drawing, since the page's policy allows no style in elements."""
    width = f"{percent:.2f}"
    return (
        '<svg class="gauge" width="100%" height="8" aria-hidden="true" preserveAspectRatio="none" '
        f'viewBox="0 0 100 1"><rect width="{width}" height="1"/></svg>'
    )


def _tone(hit: int, total: int) -> str:
    if not total:
        return "empty"
    return "all" if hit == total else "some" if hit else "none"


def _name(file: str) -> str:
    """A path that a narrow screen may break where a reader would."""
    return _text(file).replace("/", "/<wbr>").replace("_", "_<wbr>")


def _text(text: str) -> str:
    return escape(visible(text))
