"""The mutants of small policies, all of them and nothing else."""

from __future__ import annotations

import textwrap

import pytest

from understudy.core.errors import InputError
from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.evaluate.rego_engine import open_engine
from understudy.rules.mutation.mutant import KINDS
from understudy.rules.mutation.policy import policy_mutants

V1 = "package minder\nimport rego.v1\n"


def listed(policy: str) -> list[str]:
    """The mutants of a policy that begins in line 3, without its two first lines."""
    found = policy_mutants(PolicyText("a.rego", policy))
    return [f"{mutant.line}:{mutant.column} {mutant.kind}: {mutant.words}" for mutant in found]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("default allow := false", ["3:18 default: false -> true"]),
        (
            "allow if input.ingested.private",
            [
                "3:10 statement: input.ingested.private -> (dropped)",
                "3:10 negate: input.ingested.private -> not input.ingested.private",
            ],
        ),
        (
            "allow if not archived(input.x)",
            [
                "3:10 statement: not archived(input.x) -> (dropped)",
                "3:10 negate: not archived(input.x) -> archived(input.x)",
            ],
        ),
        (
            'allow if { input.a == "x"; input.b >= 2 }',
            [
                '3:12 statement: input.a == "x" -> (dropped)',
                "3:20 comparison: == -> !=",
                '3:23 constant: "x" -> "understudy"',
                "3:28 statement: input.b >= 2 -> (dropped)",
                "3:36 comparison: >= -> >",
                "3:36 comparison: >= -> <",
                "3:39 constant: 2 -> 3",
            ],
        ),
        (
            "allow if {\n  some x in input.xs\n  x != 1 # != 2\n}",
            [
                "4:3 statement: some x in input.xs -> (dropped)",
                "5:3 statement: x != 1 -> (dropped)",
                "5:5 comparison: != -> ==",
                "5:8 constant: 1 -> 2",
            ],
        ),
        (
            "allow if every x in input.xs { x < 3 }",
            [
                "3:10 statement: every x in input.xs { x < 3 } -> (dropped)",
                "3:32 statement: x < 3 -> (dropped)",
                "3:34 comparison: < -> <=",
                "3:34 comparison: < -> >=",
                "3:36 constant: 3 -> 4",
            ],
        ),
        (
            'names := [n | some n in input.ns; n != ""]',
            [
                "3:15 statement: some n in input.ns -> (dropped)",
                '3:35 statement: n != "" -> (dropped)',
                "3:37 comparison: != -> ==",
                '3:40 constant: "" -> "understudy"',
            ],
        ),
        (
            'level := 1 if input.a else := "b" if input.b',
            [
                "3:10 constant: 1 -> 2",
                "3:15 statement: input.a -> (dropped)",
                "3:15 negate: input.a -> not input.a",
                '3:23 else: else := "b" if input.b -> (dropped)',
                '3:10 else: 1 -> "b", and 1 instead of "b" in the else',
                '3:31 constant: "b" -> "understudy"',
                "3:38 statement: input.b -> (dropped)",
                "3:38 negate: input.b -> not input.b",
            ],
        ),
        (
            "allow if input.a\nallow if input.b",
            [
                "3:1 body: allow if input.a -> (dropped)",
                "3:10 statement: input.a -> (dropped)",
                "3:10 negate: input.a -> not input.a",
                "4:1 body: allow if input.b -> (dropped)",
                "4:10 statement: input.b -> (dropped)",
                "4:10 negate: input.b -> not input.b",
            ],
        ),
        (
            'violations contains {"msg": m, "n": 1} if m := "bad"',
            [
                "3:37 constant: 1 -> 2",
                '3:48 message: "bad" -> "understudy"',
            ],
        ),
        (
            'message := sprintf("%d x", [7]) if print("never")',
            ['3:20 message: "%d x" -> "understudy"', "3:29 constant: 7 -> 8"],
        ),
        (
            "allow if input.a with input.a as true",
            [
                "3:10 statement: input.a with input.a as true -> (dropped)",
                "3:10 negate: input.a with input.a as true -> not input.a with input.a as true",
                "3:34 constant: true -> false",
            ],
        ),
        (
            'allow if input["ü"] == `é`',
            [
                '3:10 statement: input["ü"] == `é` -> (dropped)',
                "3:21 comparison: == -> !=",
                '3:16 constant: "ü" -> "understudy"',
                '3:24 constant: `é` -> "understudy"',
            ],
        ),
        ("allow if true", ["3:10 constant: true -> false"]),
        ("allow if { some x; print(input) }", []),
    ],
)
def test_the_mutants_of_a_policy(policy: str, expected: list[str]) -> None:
    assert listed(V1 + policy) == expected


def test_the_mutants_of_a_policy_in_v0() -> None:
    policy = "package minder\ndefault allow = false\nallow { input.a == 1 } { not input.b }\nf(x) = 1 { x } else = 2"
    assert listed(policy) == [
        "2:17 default: false -> true",
        "3:9 statement: input.a == 1 -> (dropped)",
        "3:17 comparison: == -> !=",
        "3:20 constant: 1 -> 2",
        "3:24 body: { not input.b } -> (dropped)",
        "3:26 statement: not input.b -> (dropped)",
        "3:26 negate: not input.b -> input.b",
        "4:8 constant: 1 -> 2",
        "4:12 statement: x -> (dropped)",
        "4:12 negate: x -> not x",
        "4:16 else: else = 2 -> (dropped)",
        "4:8 else: 1 -> 2, and 1 instead of 2 in the else",
        "4:23 constant: 2 -> 3",
    ]


def test_places_are_those_of_the_rule_file() -> None:
    (mutant,) = policy_mutants(PolicyText("a.yaml", "package minder\ndefault allow := false", 31, 8))
    assert (mutant.line, mutant.column) == (32, 26)


@pytest.mark.parametrize("policy", ["", "package minder\nallow if {", "x := " + "[" * 50])
def test_what_is_no_policy_has_no_mutants(policy: str) -> None:
    assert policy_mutants(PolicyText("a.rego", policy)) == []


LARGER = V1 + textwrap.dedent(
    """
    default allow := false

    allow if {
        input.ingested.visibility in {"public", "internal"}
        count(loose) == 0 # none of them
        level(input.ingested.stars) > 1
        not archived
    }

    archived if input.ingested.archived == true

    loose contains action if {
        some path in file.ls_glob("./.github/workflows/*.y*ml")
        some job in parse_yaml(file.read(path)).jobs
        some step in job.steps
        action := step.uses
        not regex.match(`@[0-9a-f]{40}$`, action)
    }

    level(n) := 3 if n > 100
    else := 2 if {
        n > 10
    } else := 1

    message := sprintf("%d actions are loose: %s", [count(loose), concat(", ", sort(loose))])
    """
)


def test_mutants_differ_from_their_rule_and_from_each_other() -> None:
    found = policy_mutants(PolicyText("a.rego", LARGER))
    texts = [mutant.changed.policy for mutant in found]
    assert LARGER not in texts
    assert len(set(texts)) == len(texts) > 40
    assert {mutant.kind for mutant in found} <= set(KINDS)


def test_each_mutant_is_one_edit_of_its_line_and_parses() -> None:
    lines = LARGER.splitlines()
    refused: list[str] = []
    for mutant in policy_mutants(PolicyText("a.rego", LARGER)):
        first_word = mutant.before.split()[0]
        assert lines[mutant.line - 1][mutant.column - 1 :].startswith(first_word)
        assert mutant.changed.policy is not None
        try:
            open_engine().compile(PolicyText("a.rego", mutant.changed.policy))
        except InputError as error:
            refused.append(f"{mutant.line} {mutant.kind}: {error.problems[0].message}")
    assert all("unsafe" in message for message in refused), refused
    assert len(refused) == 3


def test_mutants_come_in_the_same_order_each_time() -> None:
    assert listed(LARGER) == listed(LARGER)
