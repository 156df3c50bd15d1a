"""`understudy rules check` as a user runs it: on git repositories, with profiles, mocks and a network on loopback."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from cli.command import Command, Done, understudy
from rules.check.checked import LICENSE, PRIVATE, commit, rego_rule, repository, write
from testbed.recording_server import Answer, RecordingServer

ALLOW_ALL = "default allow := true"
PROFILE = """\
version: v1
type: profile
name: baseline
repository:
  - type: license
    def: {file: COPYING}
  - type: license
    name: Has a readme
    def: {file: README.md}
"""


@pytest.fixture
def rules(here: Path) -> Path:
    return write(here / "rules", {"license.yaml": LICENSE})


@pytest.fixture
def repo(here: Path) -> Path:
    repository(here / "repo", {"README.md": "hello"}).close()
    return here / "repo"


def check(command: Command, *arguments: str | Path) -> tuple[Done, dict[str, Any]]:
    """Run it on ./rules and ./repo; what it said, and the outcomes by name."""
    done = command("rules", "check", "--dir", "rules", "--repo", "repo", "--json", "report.json", *arguments)
    if not Path("report.json").exists():
        return done, {}
    outcomes = json.loads(Path("report.json").read_text())["outcomes"]
    return done, {outcome["id"].partition("::")[2]: outcome for outcome in outcomes}


def test_a_rule_that_holds_passes(command: Command, rules: Path, repo: Path) -> None:
    write(repo, {"LICENSE": "free"})
    done, outcomes = check(command)
    assert (done.code, outcomes["rules/license.yaml::check/license"]["status"]) == (0, "passed")


def test_every_violation_is_a_failure_at_the_rule_with_what_explains_it(
    command: Command, rules: Path, repo: Path
) -> None:
    policy = 'violations contains {"msg": "one"} if true\nviolations contains {"msg": "two"} if print("seen")'
    text = rego_rule("twice", policy).replace("deny-by-default", "constraints")
    write(rules, {"twice.yaml": text})
    done, outcomes = check(command)
    failed = outcomes["rules/twice.yaml::check/twice"]
    assert done.code == 1
    assert [failure["message"] for failure in failed["failures"]] == ["one", "two"]
    assert failed["location"] == {"file": "rules/twice.yaml", "line": 3}
    missing = outcomes["rules/license.yaml::check/license"]
    attached = {entry["name"]: entry["text"] for entry in missing["attachments"]}
    assert '"file": "LICENSE"' in attached["evaluation of license"]
    assert attached["guidance"] == "Add a licence."
    assert {entry["name"]: entry["text"] for entry in failed["attachments"]}["printed"] == "seen"
    assert set(missing["tags"]) == {"check", "repository", "high"}
    assert missing["durationMs"] > 0


def test_a_failure_shows_which_expression_did_not_hold_and_asks_nothing_twice(
    command: Command, here: Path, rules: Path, repo: Path
) -> None:
    source = (
        "version: v1\ntype: data-source\nname: api\n"
        "rest: {def: {ask: {endpoint: 'https://api.example/a', parse: json, input_schema: {}}}}\n"
    )
    policy = "default allow := false\nallow if minder.datasource.api.ask({}).body.level > 3"
    write(
        rules, {"asks.yaml": rego_rule("asks", policy) + REFERENCE.replace("conf", "api"), "api.yaml": source}
    )
    write(here, {"mocks.yaml": '"GET https://api.example/a": [{body: {level: 2}}, {status: 500}]'})
    _, outcomes = check(command, "--mocks", "mocks.yaml")
    failed = outcomes["rules/asks.yaml::check/asks"]
    told = {entry["name"]: entry["text"] for entry in failed["attachments"]}["evaluation of asks"]
    assert "minder.datasource.api.ask({}).body.level > 3   was false" in told
    assert "minder.datasource.api.ask({}).body.level = 2" in told
    assert told.count("request: ") == 1


def test_the_rerun_of_a_failure_works_when_pasted(here: Path, rules: Path, repo: Path) -> None:
    write(here, {"my mocks.yaml": '"GET /repos/acme/*": {body: {private: false}}'})
    write(rules, {"private.yaml": PRIVATE})
    words = [
        "rules",
        "check",
        "--dir",
        "rules",
        "--repo",
        "repo",
        "--mocks",
        "my mocks.yaml",
        "--set",
        "name=a b",
    ]
    first = understudy(words, here)
    reruns = [line.partition("rerun: ")[2] for line in first.out.splitlines() if "rerun: " in line]
    assert len(reruns) == 2
    for line in reruns:
        again = understudy(shlex.split(line)[1:], here)
        assert (again.code, "1 failed" in again.out) == (1, True), again.text


def test_no_rule_is_exit_code_5(command: Command, here: Path, repo: Path) -> None:
    write(here / "rules", {"notes.yaml": "a: 1"})
    done, _ = check(command)
    assert (done.code, done.err) == (5, "error: no case was found by rules\n")


def test_skips_and_errors_of_rules_say_why(command: Command, rules: Path, repo: Path) -> None:
    write(
        rules,
        {
            "skips.yaml": rego_rule("skips", "default allow := false\nskip := true"),
            "breaks.yaml": rego_rule("breaks", "allow := file.raed('x')".replace("'", '"')),
        },
    )
    done, outcomes = check(command)
    assert done.code == 1
    assert outcomes["rules/skips.yaml::check/skips"]["status"] == "skipped"
    assert outcomes["rules/skips.yaml::check/skips"]["reason"] == "rule not applicable"
    broken = outcomes["rules/breaks.yaml::check/breaks"]
    assert broken["status"] == "errored"
    assert "rules/breaks.yaml:14:18: " in broken["reason"]
    assert "file.read" in broken["reason"]


# Rules and data sources


def test_a_broken_rule_file_is_told_with_its_line_and_the_others_run(
    command: Command, rules: Path, repo: Path
) -> None:
    write(
        rules,
        {
            "deep/broken.yaml": "version: v1\ntype: rule-type\nname: broken\ndef: {ingest: {type: gti}}\n",
            "plain.rego": "package minder\n",
        },
    )
    done, outcomes = check(command)
    assert done.code == 1
    broken = outcomes["rules/deep/broken.yaml::check/(load)"]
    assert broken["status"] == "errored"
    assert "rules/deep/broken.yaml:4:" in broken["reason"]
    assert "no METADATA comment" in outcomes["rules/plain.rego::check/(load)"]["reason"]
    assert outcomes["rules/license.yaml::check/license"]["status"] == "failed"


def test_two_rules_of_one_name_in_a_folder_are_an_error(command: Command, rules: Path, repo: Path) -> None:
    write(rules, {"other.yaml": LICENSE, "sub/license.yaml": LICENSE})
    _, outcomes = check(command)
    assert "twice: also in license.yaml" in outcomes["rules/other.yaml::check/(load)"]["reason"]
    assert outcomes["rules/sub/license.yaml::check/license"]["status"] == "failed"


def test_a_rule_file_that_leads_out_of_the_root_is_refused(
    command: Command, rules: Path, repo: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = write(tmp_path_factory.mktemp("outside"), {"x.yaml": LICENSE}) / "x.yaml"
    (rules / "link.yaml").symlink_to(outside)
    _, outcomes = check(command)
    assert "outside of" in outcomes["rules/link.yaml::check/(load)"]["reason"]


SOURCE = """\
version: v1
type: data-source
name: conf
structured:
  def:
    read: {path: {file_name: conf.json}}
"""
USES_SOURCE = "default allow := false\nallow if minder.datasource.conf.read({}).ok"
REFERENCE = "    data_sources: [{name: conf}]\n"


@pytest.mark.parametrize("named", [False, True])
def test_data_sources_beside_the_rules_or_named_are_called(
    command: Command, rules: Path, repo: Path, named: bool
) -> None:
    write(rules, {"uses.yaml": rego_rule("uses", USES_SOURCE) + REFERENCE})
    write(rules.parent if named else rules, {"sources/conf.yaml": SOURCE})
    write(repo, {"conf.json": '{"ok": true}'})
    _, outcomes = check(command, *(("--data-source", "sources/conf.yaml") if named else ()))
    assert outcomes["rules/uses.yaml::check/uses"]["status"] == "passed"


def test_a_data_source_that_is_not_there_is_named_with_the_nearest(
    command: Command, rules: Path, repo: Path
) -> None:
    text = rego_rule("uses", ALLOW_ALL) + REFERENCE.replace("conf", "cnof")
    write(rules, {"uses.yaml": text, "conf.yaml": SOURCE})
    _, outcomes = check(command)
    reason = outcomes["rules/uses.yaml::check/uses"]["reason"]
    assert "no data source is called 'cnof' (did you mean 'conf'?)" in reason
    assert reason.startswith("rules/uses.yaml:15:")


# Profiles


def test_a_profile_runs_what_it_names_with_what_it_says(
    command: Command, here: Path, rules: Path, repo: Path
) -> None:
    write(rules, {"unused.yaml": rego_rule("unused", "default allow := false")})
    write(here, {"profile.yaml": PROFILE + "  - {type: license}\n"})
    done, outcomes = check(command, "--profile", "profile.yaml")
    assert done.code == 1
    assert {name: outcome["status"] for name, outcome in outcomes.items()} == {
        "profile.yaml::check/license": "failed",
        "profile.yaml::check/Has a readme": "passed",
        "profile.yaml::check/license#2": "failed",
    }
    failed = outcomes["profile.yaml::check/license"]
    assert failed["failures"][0]["message"] == "COPYING is missing"
    assert failed["location"] == {"file": "profile.yaml", "line": 5}
    assert failed["failures"][0]["location"] == {"file": "rules/license.yaml", "line": 3}


HEADER = "version: v1\ntype: profile\nname: x\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            f"{HEADER}repository: [{{type: licence}}]\n",
            ":4:21: no rule is called 'licence' (did you mean 'license'?)",
        ),
        (f"{HEADER}repositry: []\n", ":4:1: unknown key 'repositry' (did you mean 'repository'?)"),
        (f"{HEADER}repository: {{type: license}}\n", ":4:13: 'repository' must be a list"),
        (
            f"{HEADER}artifact: [{{type: license}}]\n",
            ":4:19: the rule 'license' is about repository, and stands un",
        ),
        ("version: v1\ntype: rule-type\n", ":2:7: is of type 'rule-type', and no profile"),
        ("a: [", ":2:1: is not valid YAML"),
    ],
)
def test_a_broken_profile_is_wrong_input(
    command: Command, here: Path, rules: Path, repo: Path, text: str, told: str
) -> None:
    write(here, {"profile.yaml": text})
    done, _ = check(command, "--profile", "profile.yaml")
    assert done.code == 2
    assert f"profile.yaml{told}" in done.err


def test_values_that_break_a_rules_schema_are_told_at_the_profile(
    command: Command, here: Path, rules: Path, repo: Path
) -> None:
    write(here, {"profile.yaml": PROFILE.replace("COPYING", "[7]")})
    done, outcomes = check(command, "--profile", "profile.yaml")
    errored = outcomes["profile.yaml::check/license"]
    assert (done.code, errored["status"]) == (1, "errored")
    assert "the profile does not fit the rule's schema: file: " in errored["reason"]
    assert errored["location"]["line"] == 6
    assert outcomes["profile.yaml::check/Has a readme"]["status"] == "passed"


def test_a_rule_of_a_profile_whose_file_is_broken_is_told_from_one_that_is_not_there(
    command: Command, here: Path, rules: Path, repo: Path
) -> None:
    write(rules, {"other.yaml": "type: rule-type\nname: license-2\ndef: 7\n"})
    write(here, {"profile.yaml": PROFILE + "  - type: license-2\n"})
    _, outcomes = check(command, "--profile", "profile.yaml")
    assert "rules/other.yaml:3:6" in outcomes["profile.yaml::check/license-2"]["reason"]


def test_a_rule_that_needs_a_profile_is_skipped_without_one(
    command: Command, rules: Path, repo: Path
) -> None:
    schema = "  rule_schema: {required: [level], properties: {level: {type: integer}}}\n"
    write(rules, {"needs.yaml": rego_rule("needs", ALLOW_ALL, more=schema)})
    _, outcomes = check(command)
    skipped = outcomes["rules/needs.yaml::check/needs"]
    assert skipped["status"] == "skipped"
    assert skipped["reason"] == "needs values that have no defaults: give --profile FILE"
    assert '"level" is a required property' in skipped["notes"][0]


# What is checked


def test_a_commit_is_checked_instead_of_the_working_tree(command: Command, rules: Path, repo: Path) -> None:
    write(repo, {"LICENSE": "not committed"})
    done, outcomes = check(command, "--revision", "HEAD")
    assert (done.code, outcomes["rules/license.yaml::check/license"]["status"]) == (1, "failed")


def test_the_working_tree_is_what_git_would_commit(command: Command, rules: Path, repo: Path) -> None:
    write(repo, {".gitignore": "secret/\n*.log\n", "secret/LICENSE": "x", "a.log": "x", "new.txt": "x"})
    policy = (
        'default allow := false\nallow if file.walk(".") == {".gitignore", "README.md", "new.txt"}'
        '\nmessage := sprintf("%v", [file.walk(".")])'
    )
    write(
        rules,
        {
            "walks.yaml": rego_rule(
                "walks", policy.replace('file.walk(".") ==', '{f | some f in file.walk(".")} ==')
            )
        },
    )
    done, outcomes = check(command)
    assert outcomes["rules/walks.yaml::check/walks"]["status"] == "passed", done.out


def test_rules_about_changes_see_both_states(command: Command, here: Path, rules: Path) -> None:
    repo = repository(here / "repo", {"a.txt": "one\n"})
    commit(repo, {"b.txt": "two\n"})
    policy = (
        "default allow := false\n"
        'allow if { not base_file.exists("b.txt"); file.exists("b.txt")\n'
        '  [f.name | some f in input.ingested.files] == ["b.txt"]\n'
        '  input.ingested.pr.repo_owner == "acme"; input.ingested.pr.base_ref == "HEAD~1" }'
    )
    text = rego_rule("change", policy, ingest="diff", kind="pull_request").replace(
        "diff: {}", "diff: {type: full}"
    )
    write(rules, {"change.yaml": text})
    repo.close()
    _, without = check(command)
    skipped = without["rules/change.yaml::check/change"]
    assert skipped["status"] == "skipped"
    assert (
        skipped["reason"] == "is about a pull request, and needs the state before a change: give --base REV"
    )
    _, outcomes = check(command, "--revision", "main", "--base", "HEAD~1")
    assert outcomes["rules/change.yaml::check/change"]["status"] == "passed", outcomes


def test_rules_about_what_a_repository_does_not_show_are_skipped(
    command: Command, rules: Path, repo: Path
) -> None:
    write(rules, {"image.yaml": rego_rule("image", ALLOW_ALL, ingest="artifact", kind="artifact")})
    _, outcomes = check(command)
    assert outcomes["rules/image.yaml::check/image"]["reason"].startswith("is about an artifact, ")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("nowhere", "nowhere: no such folder"),
        ("file", "file: is not a folder"),
        ("plain", "plain: is not a git repository (name the folder that holds .git)"),
        ("repo/sub", "is not a git repository (the repository is "),
        ("broken", "is a git repository that cannot be read"),
    ],
)
def test_what_is_no_repository_is_wrong_input(
    command: Command, here: Path, rules: Path, repo: Path, path: str, told: str
) -> None:
    write(here, {"file": "", "plain/a": "", "repo/sub/a": "", "broken/.git": "gitdir: nowhere"})
    done = command("rules", "check", "--dir", "rules", "--repo", path)
    assert done.code == 2
    assert told in done.err


def test_an_unknown_revision_is_wrong_input_with_the_nearest(
    command: Command, rules: Path, repo: Path
) -> None:
    done, _ = check(command, "--revision", "mian")
    assert done.code == 2
    assert "has no commit 'mian' (did you mean 'main'?)" in done.err


def test_a_repository_without_commits_is_checked_by_its_working_tree(
    command: Command, here: Path, rules: Path
) -> None:
    repository(here / "repo", {}).close()
    write(here / "repo", {"LICENSE": "free"})
    done, _ = check(command)
    assert done.code == 0
    done, _ = check(command, "--revision", "HEAD")
    assert (done.code, "has no commit yet" in done.err) == (2, True)


def test_a_bare_repository_is_checked_by_its_commit(command: Command, here: Path, rules: Path) -> None:
    source = repository(here / "source", {"LICENSE": "free"})
    bare = source.clone(str(here / "repo"), mkdir=True, bare=True, checkout=False)
    bare.close()
    source.close()
    done, outcomes = check(command)
    assert (done.code, outcomes["rules/license.yaml::check/license"]["status"]) == (0, "passed")


def test_a_link_out_of_the_repository_leads_nowhere(
    command: Command, rules: Path, repo: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = write(tmp_path_factory.mktemp("outside"), {"LICENSE": "x"})
    (repo / "LICENSE").symlink_to(outside / "LICENSE")
    done, outcomes = check(command)
    assert (done.code, outcomes["rules/license.yaml::check/license"]["status"]) == (1, "failed")


def test_a_repository_of_very_many_files_is_walked_to_a_bound(
    command: Command, rules: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound itself is 200,000; that many files are walked once, in the tests of trees."""
    for folder in range(20):
        write(repo, {f"{folder}/{number}": "" for number in range(100)})
    write(
        rules,
        {"walks.yaml": rego_rule("walks", 'default allow := false\nallow if count(file.walk(".")) == 2001')},
    )
    done, outcomes = check(command)
    assert outcomes["rules/walks.yaml::check/walks"]["status"] == "passed", done.out


# The entity

SHOWS_ENTITY = "default allow := false\nmessage := json.marshal(input.ingested)"


def entity_of(outcomes: dict[str, Any]) -> Any:
    return json.loads(outcomes["rules/shows.yaml::check/shows"]["failures"][0]["message"])


@pytest.fixture
def shows(rules: Path) -> Path:
    text = rego_rule("shows", SHOWS_ENTITY, ingest="builtin").replace(
        "builtin: {}", "builtin: {method: Passthrough}"
    )
    return write(rules, {"shows.yaml": text})


def test_the_entity_is_what_git_says(command: Command, shows: Path, repo: Path) -> None:
    _, outcomes = check(command)
    assert entity_of(outcomes) == {
        "owner": "acme",
        "name": "widgets",
        "default_branch": "main",
        "clone_url": "https://github.com/acme/widgets.git",
        "properties": {
            "name": "acme/widgets",
            "github/repo_owner": "acme",
            "github/repo_name": "widgets",
            "github/clone_url": "https://github.com/acme/widgets.git",
            "github/default_branch": "main",
        },
    }


def test_what_the_user_says_holds_over_what_git_says(
    command: Command, here: Path, shows: Path, repo: Path
) -> None:
    write(here, {"entity.yaml": "github/repo_name: gadgets\nis_private: true\nproperties: {team: core}\n"})
    _, outcomes = check(
        command, "--entity", "entity.yaml", "--set", "owner=other", "--set", "github/repo_id=7"
    )
    entity = entity_of(outcomes)
    assert (entity["owner"], entity["name"], entity["is_private"]) == ("other", "gadgets", True)
    properties = entity["properties"]
    assert (properties["name"], properties["team"], properties["github/repo_id"]) == (
        "other/gadgets",
        "core",
        7,
    )
    assert properties["is_private"] is True


@pytest.mark.parametrize(
    ("arguments", "file", "told"),
    [
        (["--set", "ownr=acme"], "", "unknown field 'ownr' of an entity (did you mean 'owner'?)"),
        (["--set", "owner"], "", "--set 'owner' sets nothing"),
        (["--set", "number=many"], "", "--set number: must be a whole number"),
        (["--entity", "e.yaml"], "owner: acme\nname: [x]\n", "e.yaml:2:7: 'name' must be text"),
        (["--entity", "e.yaml"], "- a\n", "e.yaml:1:1: the entity must be a mapping"),
        (["--entity", "gone.yaml"], "", "gone.yaml: --entity: no such file"),
    ],
)
def test_a_wrong_entity_is_wrong_input(
    command: Command, here: Path, rules: Path, repo: Path, arguments: list[str], file: str, told: str
) -> None:
    write(here, {"e.yaml": file})
    done, _ = check(command, *arguments)
    assert done.code == 2
    assert told in done.err


def test_a_detached_head_has_the_branch_of_the_remote(command: Command, here: Path, shows: Path) -> None:
    repo = repository(here / "repo", {"a": ""})
    head = repo.head()
    git = Path(repo.path) / ".git"
    write(git, {"refs/remotes/origin/HEAD": "ref: refs/remotes/origin/trunk\n", "HEAD": head.decode()})
    repo.close()
    _, outcomes = check(command)
    assert entity_of(outcomes)["default_branch"] == "trunk"


def test_a_repository_without_a_remote_is_named_by_its_folder_and_says_what_is_missing(
    command: Command, here: Path, shows: Path
) -> None:
    repository(here / "repo", {"a": ""}, origin="").close()
    _, outcomes = check(command)
    entity = entity_of(outcomes)
    assert (entity["name"], "owner" in entity) == ("repo", False)
    assert "--set owner=NAME" in outcomes["rules/shows.yaml::check/shows"]["notes"][0]
    _, outcomes = check(command, "--set", "owner=acme")
    assert not outcomes["rules/shows.yaml::check/shows"].get("notes")


# HTTP


@pytest.fixture
def private(rules: Path) -> Path:
    (rules / "license.yaml").unlink()
    return write(rules, {"private.yaml": PRIVATE})


PRIVATE_ID = "rules/private.yaml::check/private"


def test_without_mocks_or_network_what_needs_http_is_skipped(
    command: Command, private: Path, repo: Path
) -> None:
    send = 'default allow := false\nallow if http.send({"method": "GET", "url": "https://x.test/"}).status_code == 200'
    write(private, {"send.yaml": rego_rule("send", send)})
    done, outcomes = check(command)
    assert done.code == 5, "nothing was checked, so that it must not look green"
    assert "2 cases: needs HTTP: give --mocks FILE, or --allow-network\n" in done.out
    assert outcomes[PRIVATE_ID]["status"] == "skipped"
    assert outcomes[PRIVATE_ID]["notes"] == ["it asks GET https://api.github.com/repos/acme/widgets"]
    assert outcomes["rules/send.yaml::check/send"]["notes"] == ["it asks GET https://x.test/"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("{body: {private: true}}", "passed"),
        ("{private: true}", "passed"),
        ("""'{"private": true}'""", "passed"),
        ("{status: 200, body: {private: false}}", "failed"),
        ("{status: 404}", "errored"),
        ("{timeout: true}", "errored"),
        ("[{body: {private: true}}, {status: 500}]", "passed"),
        ("[1, 2]", "errored"),
    ],
)
def test_mocks_answer_in_every_form(
    command: Command, here: Path, private: Path, repo: Path, answer: str, status: str
) -> None:
    write(here, {"mocks.yaml": f'"GET https://api.github.com/repos/acme/*": {answer}\n'})
    _, outcomes = check(command, "--mocks", "mocks.yaml")
    assert outcomes[PRIVATE_ID]["status"] == status, outcomes


def test_a_failing_assertion_shows_where_and_what_was_asked(
    command: Command, here: Path, private: Path, repo: Path
) -> None:
    write(here, {"mocks.yaml": "/repos/acme/*: {private: false}\n"})
    done, outcomes = check(command, "--mocks", "mocks.yaml")
    failure = outcomes[PRIVATE_ID]["failures"][0]
    assert (failure["expected"], failure["actual"]) == (True, False)
    assert failure["location"] == {"file": "rules/private.yaml", "line": 13, "column": 9}
    assert "answered 200 by the mock '/repos/acme/*'" in done.out


def test_an_unmatched_request_errs_with_the_nearest_mocks(
    command: Command, here: Path, private: Path, repo: Path
) -> None:
    write(here, {"mocks.yaml": "GET /repos/acme/widget: {private: false}\n"})
    done, outcomes = check(command, "--mocks", "mocks.yaml")
    reason = outcomes[PRIVATE_ID]["reason"]
    assert (done.code, outcomes[PRIVATE_ID]["status"]) == (1, "errored")
    assert 'not "GET /repos/acme/widget": ' in reason
    assert 'add to mocks.yaml: "GET https://api.github.com/repos/acme/widgets": {body: ...}' in reason


def test_a_mock_that_no_rule_asks_for_is_dead(
    command: Command, here: Path, private: Path, repo: Path
) -> None:
    write(
        here,
        {"mocks.yaml": "/repos/acme/*: {private: true}\n/dead: {status: 204}\n/spare: {optional: true}\n"},
    )
    done, outcomes = check(command, "--mocks", "mocks.yaml")
    dead = outcomes["mocks.yaml::check/(mocks)"]
    assert done.code == 1
    assert [failure["location"]["line"] for failure in dead["failures"]] == [2]
    assert "the mock '/dead' is dead" in dead["failures"][0]["message"]
    Path("report.json").unlink()
    write(private, {"license.yaml": LICENSE})
    done, outcomes = check(command, "--mocks", "mocks.yaml", "-k", "private")
    assert (done.code, list(outcomes)) == (0, [PRIVATE_ID])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/a: 1\nGET: {status: 200}\n", "m.yaml:2:"),
        ("/a: {status: 9}\n", "m.yaml:1:5: the mock '/a' has the status 9"),
        ("/a: {staus: 404}\n", "m.yaml:1:6: unknown part 'staus' of an answer (did you mean 'status'?"),
        ("/a: [{status: 404}, 7]\n", "m.yaml:1:21: the mock '/a' lists answers and other values"),
        ("/a: 1\n/a: 2\n", "m.yaml:2:1: the key '/a' is given twice"),
        ("- a\n", "m.yaml:1:1: must be a mapping of requests to answers"),
    ],
)
def test_wrong_mocks_are_wrong_input(
    command: Command, here: Path, rules: Path, repo: Path, text: str, told: str
) -> None:
    write(here, {"m.yaml": text})
    done, _ = check(command, "--mocks", "m.yaml")
    assert done.code == 2
    assert told in done.err


def test_the_network_is_asked_with_the_token_of_the_environment(
    command: Command, here: Path, private: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "hush-hush-hush")
    server = RecordingServer()
    try:
        server.answers["/api/repos/acme/widgets"] = Answer({"private": False, "echo": "hush-hush-hush"})
        project = f'[rules]\ndirs = ["rules"]\nproviders = {{github = "{server.url}/api"}}\n'
        write(here, {"understudy.toml": project})
        done, outcomes = check(command, "--allow-network", "-v")
        assert outcomes[PRIVATE_ID]["status"] == "failed", done.text
        assert [seen.headers["authorization"] for seen in server.seen] == ["Bearer hush-hush-hush"]
        assert "hush-hush-hush" not in done.text + Path("report.json").read_text()
    finally:
        server.close()


def test_mocks_and_network_contradict_each_other(
    command: Command, here: Path, rules: Path, repo: Path
) -> None:
    write(here, {"m.yaml": ""})
    done, _ = check(command, "--mocks", "m.yaml", "--allow-network")
    assert (done.code, "contradict each other" in done.err) == (2, True)


def test_an_unknown_provider_is_an_error_of_its_rule(command: Command, rules: Path, repo: Path) -> None:
    write(
        rules,
        {
            "x.yaml": rego_rule("x", ALLOW_ALL).replace(
                "def:\n  in", "context: {provider: gitlba}\ndef:\n  in", 1
            )
        },
    )
    _, outcomes = check(command)
    assert (
        "the provider 'gitlba' is not known (did you mean 'gitlab'?)"
        in outcomes["rules/x.yaml::check/x"]["reason"]
    )


# Hostile rules


def test_a_rule_that_never_ends_is_stopped_and_the_others_run(
    command: Command, rules: Path, repo: Path
) -> None:
    policy = """default allow := false
numbers_ := numbers.range(1, 30000)
allow if count([1 | some i in numbers_; some j in numbers_; i == 0 - j]) == 7"""
    write(rules, {"endless.yaml": rego_rule("endless", policy), "zeta.yaml": rego_rule("zeta", ALLOW_ALL)})
    done, outcomes = check(command, "--rule-timeout", "1")
    assert "ran longer than the 1 s allowed" in outcomes["rules/endless.yaml::check/endless"]["reason"]
    assert outcomes["rules/zeta.yaml::check/zeta"]["status"] == "passed"
    assert done.code == 1


def test_a_rule_that_wants_all_memory_is_stopped(
    command: Command, here: Path, rules: Path, repo: Path
) -> None:
    write(here, {"understudy.toml": '[rules]\ndirs = ["rules"]\nmemory = 64\n'})
    policy = """default allow := false
megabyte := concat("", [x | some i in numbers.range(1, 10000); x := sprintf("%100d", [i])])
allow if count(concat("", [megabyte | some i in numbers.range(1, 300)])) == 7"""
    write(rules, {"greedy.yaml": rego_rule("greedy", policy)})
    _, outcomes = check(command)
    assert "64 MiB of memory" in outcomes["rules/greedy.yaml::check/greedy"]["reason"]
    assert outcomes["rules/license.yaml::check/license"]["status"] == "failed"


# The project file


def test_a_project_declares_a_check_that_run_runs_too(
    command: Command, here: Path, rules: Path, repo: Path
) -> None:
    table = '[rules]\ndirs = ["rules"]\ntests = false\n\n[rules.check]\nrepo = "repo"\nentity = {owner = "acme"}\n'
    write(here, {"understudy.toml": table, "repo/COPYING": "x", "profile.yaml": PROFILE})
    done = command("run")
    assert (done.code, "LICENSE is missing" in done.out) == (1, True)
    done = command("rules", "check")
    assert (done.code, "LICENSE is missing" in done.out) == (1, True)
    done = command("rules", "check", "--profile", "profile.yaml", "--workers", "2")
    assert (done.code, "2 passed" in done.out) == (0, True), done.text


def test_tests_alone_leave_checks_out(command: Command, here: Path, rules: Path, repo: Path) -> None:
    write(here, {"understudy.toml": '[rules]\ndirs = ["rules"]\n[rules.check]\nrepo = "repo"\n'})
    write(rules, {"license.star": "def test_it():\n    check.eq(1, 1)\n"})
    done = command("rules", "test")
    assert (done.code, "1 passed" in done.out) == (0, True), done.text
    done = command("run")
    assert (done.code, "1 failed, 1 passed" in done.out or "1 passed, 1 failed" in done.out) == (1, True), (
        done.text
    )


def test_a_project_may_name_its_rules(command: Command, here: Path, rules: Path, repo: Path) -> None:
    table = '[rules]\ndirs = ["rules"]\n[rules.check]\nrepo = "repo"\nrules = ["licence"]\n'
    write(here, {"understudy.toml": table})
    done = command("rules", "check")
    assert (done.code, "no rule is called 'licence' (did you mean 'license'?)" in done.err) == (2, True)


def test_without_rules_the_command_says_what_to_name(command: Command, here: Path, repo: Path) -> None:
    done = command("rules", "check", "--repo", "repo")
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_cases_are_listed_and_selected_by_tag(command: Command, rules: Path, repo: Path) -> None:
    write(rules, {"zeta.yaml": rego_rule("zeta", ALLOW_ALL)})
    done = command("rules", "check", "rules/license.yaml", "rules/zeta.yaml", "--repo", "repo", "--list")
    assert done.out == "rules::rules/license.yaml::check/license\nrules::rules/zeta.yaml::check/zeta\n"
    done, outcomes = check(command, "-m", "not high")
    assert (done.code, list(outcomes)) == (0, ["rules/zeta.yaml::check/zeta"])
