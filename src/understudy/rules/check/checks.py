"""All cases of a check: one for every rule, or for every entry of a profile, with what speaks against running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.ids import Numbering, case_id
from understudy.core.nearness import closest_name
from understudy.core.outcome import Location
from understudy.documents.validate import problem_at
from understudy.engine.act import CaseRef
from understudy.rules.check.profile import Entry, Profile
from understudy.rules.check.rule_folders import BrokenFile, Found
from understudy.rules.outcomes import ACT
from understudy.rules.rule_files import RuleFile

LOADING = "(load)"
NEEDS_BASE = "needs the state before a change: give --base REV"
_RUN = ("repository", "pull_request")


@dataclass(frozen=True, slots=True)
class Check:
    """One case: a rule and what it is evaluated with, or why it is not (`problems`, `skip`)."""

    ref: CaseRef
    rule: RuleFile | None = None
    problems: tuple[Problem, ...] = ()
    skip: str = ""
    definition: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    profile: Profile | None = None
    entry: Entry | None = None


def checks_of_rules(found: Found, wanted: Sequence[str], *, has_base: bool) -> list[Check]:
    """Every rule with its defaults, or those of the names wanted, and every file that is broken. Raises InputError."""
    names = {rule.rule.name for rule in found.rules}
    broken_names = {name for entry in found.broken for name in entry.names}
    unknown = [name for name in wanted if name not in names and name not in broken_names]
    if unknown:
        raise InputError(
            [Problem(f"no rule is called {name!r}", hint=_hint(name, names)) for name in unknown]
        )
    rules: list[RuleFile | BrokenFile] = [
        rule for rule in found.rules if not wanted or rule.rule.name in wanted
    ]
    rules += [entry for entry in found.broken if not wanted or set(entry.names) & set(wanted)]
    numberings: dict[str, Numbering] = {}
    checks: list[Check] = []
    for rule in sorted(rules, key=lambda rule: rule.shown):
        name = LOADING if isinstance(rule, BrokenFile) else rule.rule.name
        label = numberings.setdefault(rule.shown, Numbering())(f"check/{name}")
        identifier = case_id(ACT, rule.shown, label)
        if isinstance(rule, BrokenFile):
            line = next((problem.line for problem in rule.problems if problem.line), 1)
            ref = CaseRef(identifier, label, ("check",), Location(rule.shown, line))
            checks.append(Check(ref, problems=rule.problems))
        else:
            ref = CaseRef(identifier, label, _tags(rule), Location(rule.shown, rule.place("name")[0]))
            checks.append(Check(ref, rule, skip=why_not(rule, has_base=has_base)))
    return checks


def checks_of_profile(found: Found, profile: Profile, *, has_base: bool) -> list[Check]:
    """The rules that a profile wants, in its order. Raises InputError with the place of every one that there is not."""
    numbering = Numbering()
    problems: list[Problem] = []
    checks: list[Check] = []
    for entry in profile.entries:
        label = numbering(f"check/{entry.rule.name or entry.rule.type}")
        identifier = case_id(ACT, profile.shown, label)
        place = Location(profile.shown, profile.place(entry)[0])
        rules = found.named(entry.rule.type)
        broken = [file for file in found.broken if entry.rule.type in file.names] if not rules else []
        told = tuple(problem for file in broken for problem in file.problems)
        if not rules and told:
            checks.append(Check(CaseRef(identifier, label, ("check",), place), problems=told))
            continue
        wrong = list(_wrong(profile, entry, rules, found))
        problems += wrong
        if not wrong:
            checks.append(
                Check(
                    CaseRef(identifier, label, _tags(rules[0]), place),
                    rules[0],
                    skip=why_not(rules[0], has_base=has_base),
                    definition=entry.rule.definition or {},
                    params=entry.rule.params or {},
                    profile=profile,
                    entry=entry,
                )
            )
    if problems:
        raise InputError(problems)
    return checks


def why_not(rule: RuleFile, *, has_base: bool) -> str:
    """Why a rule is not run; '' if it is."""
    kind = rule.rule.definition.in_entity
    if kind not in _RUN:
        what = kind.replace("_", " ")
        return f"is about {'an' if what[0] in 'aeiou' else 'a'} {what}, of which a repository on disk says nothing"
    if kind == "pull_request" and not has_base:
        return f"is about a pull request, and {NEEDS_BASE}"
    if rule.rule.definition.ingest.type == "diff" and not has_base:
        return NEEDS_BASE
    return ""


def _wrong(profile: Profile, entry: Entry, rules: Sequence[RuleFile], found: Found) -> Iterator[Problem]:
    at = (*entry.path, "type")
    name = entry.rule.type
    if not rules:
        names = {rule.rule.name for rule in found.rules}
        yield problem_at(profile.document, at, f"no rule is called {name!r}", _hint(name, names))
    elif len(rules) > 1:
        files = ", ".join(rule.shown for rule in rules)
        message = f"more than one rule is called {name!r}: {files}"
        yield problem_at(profile.document, at, message, "name only the folder of the one that is meant")
    elif rules[0].rule.definition.in_entity != entry.kind:
        meant = rules[0].rule.definition.in_entity
        message = f"the rule {name!r} is about {meant}, and stands under {entry.kind}"
        yield problem_at(profile.document, at, message, f"write it under '{meant}:'")


def _tags(rule: RuleFile) -> tuple[str, ...]:
    severity = rule.rule.severity.value
    return tuple(dict.fromkeys(("check", rule.rule.definition.in_entity, severity)))


def _hint(name: str, names: set[str]) -> str:
    near = closest_name(name, sorted(names))
    if near:
        return f"did you mean {near!r}?"
    shown = sorted(names)
    return (
        f"there are {', '.join(shown[:20])}"
        if shown
        else "there is no rule at all; name their folder with --dir"
    )
