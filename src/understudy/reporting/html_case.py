"""One outcome as a piece of the HTML page: a row if it has nothing to tell, else a card that unfolds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from understudy.core.outcome import Attachment, Failure, Outcome
from understudy.reporting.escaping import html_text, visible_lines
from understudy.reporting.failure_text import diff_style
from understudy.reporting.grouping import kind_of, place_of
from understudy.reporting.wording import duration_in_words, shortened, value_text

_NAME_LIMIT = 1000
_MESSAGE_LIMIT = 4000
_TEXT_LIMIT = 64_000
_DIFF_LINES = 2000


def case_row(outcome: Outcome, note: str = "", anchor: str = "") -> str:
    """An outcome in one line, as small as can be: there may be 100,000 of them."""
    place = place_of(outcome)
    kind = kind_of(outcome)
    remarks = [note or (outcome.reason if kind == "skipped" else ""), *outcome.tags]
    text = ", ".join(remark for remark in remarks if remark)
    remark = f"<em>{html_text(shortened(text, _MESSAGE_LIMIT))}</em>" if text else ""
    mark = f' id="{anchor}"' if anchor else ""
    return (
        f'<div class="c {kind}"{mark}><b>{html_text(shortened(place.name, _NAME_LIMIT))}</b>'
        f"{remark}<i>{duration_in_words(outcome.duration_ms)}</i></div>\n"
    )


def case_link(outcome: Outcome, anchor: str) -> str:
    """A row that leads to where the case stands in full."""
    place = place_of(outcome)
    kind = kind_of(outcome)
    name = html_text(shortened(place.name, _NAME_LIMIT))
    return f'<a class="jump {kind}" href="#{anchor}"><b>{name}</b><i>{kind}</i></a>\n'


def has_more(outcome: Outcome) -> bool:
    """True if a row cannot say what a reader would look for here."""
    is_bad = kind_of(outcome) in ("failed", "errored", "known")
    return is_bad or bool(outcome.failures or outcome.notes or outcome.attachments)


def case_card(outcome: Outcome, anchor: str, *, is_open: bool) -> str:
    """An outcome with all it has to say."""
    return "".join(_card(outcome, anchor, is_open))


def attachment_block(attachment: Attachment) -> str:
    """An attachment, folded."""
    text = html_text(shortened(attachment.text, _TEXT_LIMIT))
    copy = '<button class="copy" type="button" hidden>copy</button>' if attachment.name == "curl" else ""
    return (
        f'<details class="more"><summary>{html_text(attachment.name)}</summary>'
        f'<div class="code">{copy}<pre>{text}</pre></div></details>\n'
    )


def data_block(title: str, data: Any, limit: int = _TEXT_LIMIT) -> str:
    """Plain data, folded."""
    text = html_text(value_text(data, limit))
    return f'<details class="more"><summary>{html_text(title)}</summary><pre>{text}</pre></details>\n'


def _card(outcome: Outcome, anchor: str, is_open: bool) -> Iterator[str]:
    place = place_of(outcome)
    kind = kind_of(outcome)
    yield f'<details class="c {kind}" id="{anchor}"{" open" if is_open else ""}><summary>'
    yield f'<span class="pill {kind}">{kind}</span><b>{html_text(shortened(place.name, _NAME_LIMIT))}</b>'
    yield f"<i>{duration_in_words(outcome.duration_ms)}</i>"
    headline = _headline(outcome)
    if headline:
        yield f'<span class="headline">{html_text(shortened(headline, 300))}</span>'
    yield '</summary><div class="body">\n'
    yield f'<p class="where"><span class="id">{html_text(shortened(outcome.id, _NAME_LIMIT))}</span>'
    if outcome.location:
        yield f'<span class="at">{html_text(str(outcome.location))}</span>'
    yield "".join(f'<span class="tag">{html_text(tag)}</span>' for tag in outcome.tags)
    yield "</p>\n"
    if outcome.known:
        until = f" (until {outcome.known.until})" if outcome.known.until else ""
        yield f'<p class="m known">Known: {html_text(outcome.known.reason + until)}</p>\n'
    if outcome.reason:
        yield f'<p class="m">{html_text(shortened(outcome.reason, _MESSAGE_LIMIT))}</p>\n'
    for failure in outcome.failures:
        yield from _failure(failure, outcome)
    for note in outcome.notes:
        yield f'<p class="note">{html_text(shortened(note, _MESSAGE_LIMIT))}</p>\n'
    for attachment in outcome.attachments:
        yield attachment_block(attachment)
    if outcome.details:
        yield data_block("details", outcome.details)
    if outcome.rerun:
        yield '<div class="code rerun"><button class="copy" type="button" hidden>copy</button>'
        yield f"<pre>{html_text(outcome.rerun)}</pre></div>\n"
    yield "</div></details>\n"


def _headline(outcome: Outcome) -> str:
    """What is told of a folded card."""
    if outcome.known:
        return outcome.known.reason
    if outcome.reason:
        return outcome.reason
    if not outcome.failures:
        return ""
    more = f" (and {len(outcome.failures) - 1} more)" if len(outcome.failures) > 1 else ""
    return outcome.failures[0].message.strip().partition("\n")[0] + more


def _failure(failure: Failure, outcome: Outcome) -> Iterator[str]:
    yield f'<div class="failure"><p class="m">{html_text(shortened(failure.message, _MESSAGE_LIMIT))}</p>\n'
    if failure.location and failure.location != outcome.location:
        yield f'<p class="where"><span class="at">{html_text(str(failure.location))}</span></p>\n'
    has_pair = failure.expected is not None or failure.actual is not None
    if failure.diff:
        yield f'<pre class="diff">{"".join(_diff_lines(failure.diff))}</pre>\n'
        if has_pair:
            yield '<details class="more"><summary>expected and actual</summary>'
            yield f"{_pair(failure)}</details>\n"
    elif has_pair:
        yield f"{_pair(failure)}\n"
    yield "</div>\n"


def _pair(failure: Failure) -> str:
    sides = []
    for label, value in (("expected", failure.expected), ("actual", failure.actual)):
        text = html_text(value_text(value)) or '<span class="empty">(empty text)</span>'
        sides.append(f'<div class="{label}"><h4>{label}</h4><pre>{text}</pre></div>')
    return f'<div class="pair">{"".join(sides)}</div>'


def _diff_lines(diff: str) -> Iterator[str]:
    lines = visible_lines(diff)
    for line in lines[:_DIFF_LINES]:
        style = diff_style(line)
        text = html_text(shortened(line, _MESSAGE_LIMIT))
        yield f"{text}\n" if style == "plain" else f'<span class="{style}">{text}\n</span>'
    if len(lines) > _DIFF_LINES:
        yield f"… ({len(lines) - _DIFF_LINES:,} more lines)\n"
