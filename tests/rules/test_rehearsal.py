"""`eval(...)` in tests: what it takes, what it gives, and what it makes of wrong calls."""

from __future__ import annotations

import pytest

from rules.rule_folder import RuleFolder
from understudy.core.outcome import Status

MOCK = '"GET https://api.github.com/repos/acme/shop"'


def test_a_rule_is_evaluated_against_mocks_with_defaults_filled_in(folder: RuleFolder) -> None:
    outcome = folder.run_body(
        f'result = eval(rule = "visibility", entity = E, mocks = {{{MOCK}: body({{"visibility": "private"}})}})',
        'check.eq((result.status, result.message, result.violations, result.output), ("pass", "", [], None))',
        f'result = eval("visibility", E, {{{MOCK}: body({{"visibility": "public"}})}})',
        'check.eq((result.status, result.message), ("fail", "The repository is public"))',
        "check.eq(len(result.violations), 1)",
        'check.eq(result.violations[0].msg, "The repository is public")',
        'check.eq(result.output, {"is": "public"})',
        f'result = eval("visibility", E, {{{MOCK}: body({{"visibility": "x"}})}}, profile = {{"wanted": "x"}})',
        'check.eq(result.status, "pass")',
        f'result = eval("visibility", E, {{{MOCK}: body({{"archived": True, "visibility": ""}})}})',
        'check.eq((result.status, result.violations), ("skip", []))',
    )
    assert outcome.status is Status.PASSED, outcome
    assert outcome.attachments[0].text == "it is private\nit is public\nit is x\nit is "


def test_fallbacks_and_statuses_are_those_of_the_rule(folder: RuleFolder) -> None:
    outcome = folder.run_body(
        f'result = eval("visibility", E, {{{MOCK}: code(404)}})',
        'check.eq((result.status, result.output), ("fail", {"is": "none"}))',
        f'result = eval("visibility", E, {{{MOCK}: code(500)}})',
        'check.eq((result.status, result.violations), ("error", []))',
        'check.contains(result.message, "answered 500")',
        f'result = eval("visibility", E, {{{MOCK}: timeout()}})',
        'check.eq(result.status, "error")',
        f'result = eval("visibility", E, {{{MOCK}: body("not json")}})',
        'check.eq(result.status, "error")',
    )
    assert outcome.status is Status.PASSED, outcome


def test_files_are_given_as_a_dict(folder: RuleFolder) -> None:
    outcome = folder.run_body(
        'result = eval("licence", E, files = {"LICENSE": "MIT", "docs/a.md": "text"})',
        'check.eq(result.status, "pass")',
        'result = eval("licence", E, files = {"docs/a.md": "", "docs/b.md": ""})',
        'check.eq(result.message, "docs/a.md is empty\\ndocs/b.md is empty\\nthere is no LICENSE")',
        "check.eq([violation.msg for violation in result.violations], result.message.splitlines())",
        "check.eq(result.output, result.message.splitlines())",
        'result = eval("licence", E, files = {})',
        'check.eq(result.status, "fail")',
        'result = eval("licence", E)',
        'check.eq(result.status, "error")',
    )
    assert outcome.status is Status.PASSED, outcome


def test_jq_rules_compare_with_the_profile_and_with_constants(folder: RuleFolder) -> None:
    outcome = folder.run_body(
        'mocks = {"/repos/acme/shop": body({"has_issues": True, "size": 1.0})}',
        'check.eq(eval("issues", E, mocks, profile = {"enabled": True}).status, "pass")',
        'result = eval("issues", E, mocks, profile = {"enabled": False})',
        'check.eq((result.status, len(result.violations)), ("fail", 1))',
        'check.contains(result.message, ".has_issues")',
        "check.eq(result.violations[0].msg, result.message)",
    )
    assert outcome.status is Status.PASSED, outcome


def test_values_that_break_the_schema_are_an_error_of_the_evaluation(folder: RuleFolder) -> None:
    outcome = folder.run_body(
        'result = eval("visibility", E, profile = {"wanted": 1})',
        'check.eq(result.status, "error")',
        'check.contains(result.message, "wanted: 1 is not of type")',
        'result = eval("visibility", E, params = {"api": 1})',
        'check.contains(result.message, "the params")',
    )
    assert outcome.status is Status.PASSED, outcome


def test_mocks_answer_in_sequence_by_path_and_by_pattern(folder: RuleFolder) -> None:
    outcome = folder.run_body(
        'mocks = {"GET https://api.github.com/repos/*/shop": [code(503), body({"visibility": "private"})]}',
        'check.eq(eval("visibility", E, mocks).status, "error")',
        'check.eq(eval("visibility", E, {"/repos/acme/shop": body(\'{"visibility": "private"}\')}).status, "pass")',
        'check.eq(eval("visibility", E, {"/**": code(404)}).status, "fail")',
        'check.eq(eval("visibility", E, {"/*": code(404)}).status, "fail")',
    )
    assert outcome.status is Status.PASSED, outcome


def test_an_unmatched_request_is_an_error_with_the_nearest_mocks(folder: RuleFolder) -> None:
    outcome = folder.run_body(
        'eval("visibility", E, {"GET /repos/acme/shops": body({}), "POST /repos/acme/shop": code(200)})'
    )
    assert outcome.status is Status.ERRORED
    assert "no mock matches GET https://api.github.com/repos/acme/shop" in outcome.reason
    assert "method is GET, the mock has POST" in outcome.reason
    assert "'shop', the pattern has 'shops'" in outcome.reason


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ('eval("visibilty", E)', "did you mean 'visibility'?"),
        ("eval(1, E)", "rule must be the name of a rule, not number 1"),
        ('eval("visibility", [])', "entity must be a dict, not array"),
        ('eval("visibility", E, profile = "x")', "profile must be a dict"),
        ('eval("visibility", E, mocks = [1])', "mocks must be a mapping"),
        ('eval("visibility", E, mocks = {"GET /x": 3})', "where an answer must stand: 3"),
        ('eval("visibility", E, mocks = {"GET /x": code(99)})', "status 99"),
        ('eval("licence", E, files = {"../a": "b"})', "leads out of the root"),
        ('eval("licence", E, files = {"a": 1})', "the content of 'a' must be text"),
        ('eval("licence", E, files = "a")', "files must be a dict"),
        ('eval("licence", E, datasources = ["nope.yaml"])', "'nope.yaml' cannot be loaded"),
        ('eval("licence", E, datasources = "x")', "datasources must be a list of paths"),
        ('eval("licence", E, mock = {})', "eval: there is no argument 'mock' (did you mean 'mocks'?)"),
        ("eval()", "Missing"),
    ],
)
def test_a_call_that_makes_no_sense_is_an_error_of_its_test(
    folder: RuleFolder, call: str, words: str
) -> None:
    outcome = folder.run_body(call)
    assert outcome.status is Status.ERRORED
    assert words in outcome.reason
    assert outcome.location is not None
    assert outcome.location.line == 3
    assert "<understudy>" not in outcome.reason


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("input.ingested.visibility == input", "input.ingested.visibility = = input", "visibility.yaml:26:"),
        ('print("it is"', 'prnt("it is"', "visibility.yaml:25:"),
        ("{{ .Params.api }}", "{{ .Params.api", "visibility.yaml:13:"),
        ("type: rest\n", "type: artifact\n", "visibility.yaml:11:"),
        ("type: deny-by-default", "type: allow", "visibility.yaml:19:"),
    ],
)
def test_a_broken_rule_is_an_error_of_the_test_at_its_own_place(
    folder: RuleFolder, old: str, new: str, place: str
) -> None:
    text = (folder.root / "visibility.yaml").read_text()
    assert old in text
    folder.write("visibility.yaml", text.replace(old, new))
    outcome = folder.run_body(f'eval("visibility", E, {{{MOCK}: body({{"visibility": "private"}})}})')
    assert outcome.status is Status.ERRORED
    assert place in outcome.reason


def test_a_failed_test_shows_what_its_evaluations_saw(folder: RuleFolder) -> None:
    outcome = folder.run_body(
        f'check.eq(eval("visibility", E, {{{MOCK}: body({{"visibility": "public"}})}}).status, "pass")'
    )
    assert outcome.status is Status.FAILED
    text = "\n".join(attachment.text for attachment in outcome.attachments)
    assert '"visibility": "public"' in text
    assert "GET https://api.github.com/repos/acme/shop" in text


def test_rules_of_the_folder_of_the_test_are_meant_even_in_a_library(folder: RuleFolder) -> None:
    folder.write(
        "lib/shared.star", 'def evaluated(entity): return eval("licence", entity, files = {"LICENSE": ""})'
    )
    ran = folder.run(
        'load("lib/shared.star", "evaluated")\ndef test_it(): check.eq(evaluated({}).status, "pass")'
    )
    assert ran.statuses == {"test_it": "passed"}


def test_mindevs_dialect_answers_404_to_what_no_mock_matches(folder: RuleFolder) -> None:
    ran = folder.run(
        """
        E = {"owner": "acme", "name": "shop", "unknown_field": 1}
        def test_unmatched():
            res = eval(rule = "visibility", entity = E, mock_http = {"/other": body("{}")})
            assert.eq(res["status"], "fail")
            assert.eq(res.get("output"), {"is": "none"})
        def test_matched():
            mocks = {"https://api.github.com/repos/acme/shop?x=1": body('{"visibility": "private"}')}
            res = eval(rule = "visibility", entity = E, mock_http = mocks)
            assert.eq(res, {"status": "pass", "message": ""})
        def test_files():
            res = eval(rule = "licence", mock_fs = {"/LICENSE": "MIT"})
            assert.eq(res["status"], "pass")
        def test_error():
            assert.eq(eval(rule = "licence")["status"], "error")
            assert.fails(lambda: eval(rule = "nothing"), "not found")
        def test_fixed_answers():
            res = eval(rule = "licence", mock_fs = {"LICENSE": ""}, data_sources = {"some.thing": 1})
            assert.eq(res["status"], "pass")
        """
    )
    assert set(ran.statuses.values()) == {"passed"}, ran.outcomes


def test_remediation_and_alert_of_a_failure_can_be_asserted(folder: RuleFolder) -> None:
    text = (folder.root / "visibility.yaml").read_text()
    folder.write(
        "visibility.yaml",
        text
        + """\
  remediate:
    type: rest
    rest:
      method: PATCH
      endpoint: "/repos/{{.Entity.Owner}}/{{.Entity.Name}}"
      body: '{"private": true}'
  alert:
    type: security_advisory
    security_advisory: {severity: high}
""",
    )
    outcome = folder.run_body(
        f'result = eval("visibility", E, {{{MOCK}: body({{"visibility": "public"}})}})',
        'check.eq((result.remediation.method, result.remediation.endpoint), ("PATCH", "/repos/acme/shop"))',
        'check.eq(result.remediation.body, {"private": True})',
        'check.eq(result.alert.type, "security_advisory")',
        f'result = eval("visibility", E, {{{MOCK}: body({{"visibility": "private"}})}})',
        "check.eq((result.remediation, result.alert), (None, None))",
    )
    assert outcome.status is Status.PASSED, outcome


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("{'n': 1 << 100000}", "eval: an argument holds a number of more than 4,300 digits"),
        ("{'f': len}", "a function is among the values, and JSON has no form for it"),
    ],
)
def test_what_cannot_be_handed_on_is_an_error_without_a_word_of_our_own_making(
    folder: RuleFolder, argument: str, words: str
) -> None:
    for call in ("eval('licence', %s, files = {})", "eval('licence', {}, {'/x': body(%s)}, files = {})"):
        outcome = folder.run_body(call % argument)
        assert outcome.status is Status.ERRORED, call
        assert words in outcome.reason
        assert "sys." not in outcome.reason
