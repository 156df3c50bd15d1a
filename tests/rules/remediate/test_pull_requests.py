"""A remediation by pull request is rendered with its branch, its files and the patch that they make."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.remediate import ActionContext, render_remediation
from understudy.trees import memory_tree

REPOSITORY = {"owner": "acme", "name": "shop", "default_branch": "trunk"}
COMMIT = "a" * 40
BRANCH_HEAD = "b" * 40
WORKFLOW = (
    """\
on: push
jobs:
  build:
    steps:
      - uses: actions/checkout@v4 # pinned soon
      - uses: actions/checkout@v4
      # - uses: actions/commented@v1
      - uses: acme/tools/lint@main
      - uses: ./local
      - uses: docker://alpine:3
      - uses: acme/kept@v1
      - uses: acme/lost@v9
      - uses: acme/done@"""
    + "c" * 40
    + "\n"
)


def opened(method: str = "", files: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    context = {key: fields.pop(key) for key in ("profile", "params", "output", "fetch") if key in fields}
    action = {"title": "Pin Actions", "body": "Pins <all> actions", "method": method, **fields}
    section = {"type": "pull_request", "pull_request": action}
    tree = None if files is None else memory_tree(files)
    result = render_remediation(
        section, ActionContext(REPOSITORY, tree=tree, **context), "rule.yaml", lambda *path: (9, len(path))
    )
    assert result is not None
    return result.as_data()


def contents(*entries: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"action": "replace", **entry} for entry in entries]


def test_files_are_written_whole_and_shown_as_a_patch() -> None:
    data = opened(
        files={"README.md": "# Shop\n"},
        title="Add {{.Profile.file}} & {{.Profile.more}}",
        body="For {{.Entity.Owner}}: {{.Profile.why}}",
        contents=contents(
            {"path": "{{.Profile.file}}", "content": "{{range .EvalResultOutput}}{{.}}\n{{end}}"},
            {"path": "./README.md", "content": "# Shop\n\nOpen.\n"},
            {"path": "run.sh", "content": "true", "mode": "100755"},
        ),
        profile={"file": ".gitignore", "why": "a<b", "more": "x>y"},
        output=["*.pem", ".env"],
    )
    assert data == {
        "type": "pull_request",
        "title": "Add .gitignore & x&gt;y",
        "body": "For acme: a&lt;b",
        "branch": "minder_add_.gitignore_&_x&gt;y",
        "base": "trunk",
        "commit_message": "Add .gitignore & x&gt;y",
        "files": {".gitignore": "*.pem\n.env\n", "README.md": "# Shop\n\nOpen.\n", "run.sh": "true"},
        "modes": {".gitignore": "100644", "README.md": "100644", "run.sh": "100755"},
        "patch": """\
diff --git a/.gitignore b/.gitignore
new file mode 100644
--- /dev/null
+++ b/.gitignore
@@ -0,0 +1,2 @@
+*.pem
+.env
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1 +1,3 @@
 # Shop
+
+Open.
diff --git a/run.sh b/run.sh
new file mode 100755
--- /dev/null
+++ b/run.sh
@@ -0,0 +1 @@
+true
\\ No newline at end of file
""",
    }


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "pull request config contents cannot be empty"),
        (
            {"contents": contents({"path": "../x", "content": "a"})},
            "rule.yaml:9:4: the path '../x' is none within",
        ),
        ({"contents": contents({"path": "/etc/x", "content": "a"})}, "the path '/etc/x' is none within"),
        ({"contents": contents({"path": ".", "content": "a"})}, "the path '.' is none within"),
        (
            {"contents": contents({"path": "x", "content": "{{if false}}a{{end}}"})},
            "content (index 0) is empty",
        ),
        ({"contents": contents({"path": "x", "content": "a", "mode": "rwx"})}, "cannot parse mode 'rwx'"),
        ({"contents": contents({"path": "x", "content": "a", "action": "append"})}, "action"),
        ({"method": "minder.contnet"}, "method"),
        ({"contents": contents({"path": "folder", "content": "a"})}, "the repository's files: folder"),
    ],
)
def test_what_cannot_be_opened_is_an_error_at_its_place(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        opened(files={"folder/a": ""}, **fields)
    assert message in str(caught.value)


def test_without_the_files_of_a_repository_there_is_nothing_to_change() -> None:
    with pytest.raises(InputError, match="no git repo was ingested"):
        opened(contents=contents({"path": "x", "content": "a"}))


class Refs:
    """Answers for the tag v4 of checkout and the branch main of tools."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, method: str, url: str, body: Any) -> tuple[int, Any]:
        self.asked.append(url)
        if url == "/repos/actions/checkout/git/refs/tags/v4":
            return 200, {"ref": "refs/tags/v4", "object": {"sha": COMMIT, "type": "commit"}}
        if url == "/repos/acme/tools/git/refs/heads/main":
            return 200, {"object": {"sha": BRANCH_HEAD}}
        return 404, None


PIN = "minder.actions.replace_tags_with_sha"


def test_tags_of_actions_become_commits() -> None:
    refs = Refs()
    files = {
        ".github/workflows/ci.yml": WORKFLOW,
        ".github/workflows/notes.md": WORKFLOW,
        "other.yml": WORKFLOW,
    }
    data = opened(PIN, files, fetch=refs, actions_replace_tags_with_sha={"exclude": ["acme/kept"]})
    pinned = WORKFLOW.replace("checkout@v4", f"checkout@{COMMIT} # v4", 1)
    pinned = pinned.replace(
        "      - uses: actions/checkout@v4\n", f"      - uses: actions/checkout@{COMMIT} # v4\n"
    )
    pinned = pinned.replace("lint@main", f"lint@{BRANCH_HEAD} # main")
    assert data["files"] == {".github/workflows/ci.yml": pinned}
    assert f"+      - uses: acme/tools/lint@{BRANCH_HEAD} # main" in data["patch"]
    assert refs.asked == [
        "/repos/actions/checkout/git/refs/tags/v4",
        "/repos/acme/tools/git/refs/tags/main",
        "/repos/acme/tools/git/refs/heads/main",
        "/repos/acme/lost/git/refs/tags/v9",
        "/repos/acme/lost/git/refs/heads/v9",
    ]


@pytest.mark.parametrize(
    ("configuration", "profile"),
    [
        ("ghactions:\n  exclude: [actions/checkout]\n", {"exclude": ["acme/tools/lint"]}),
        ("ghactions: {}\n", {"exclude": ["actions/checkout@v4"]}),
    ],
)
def test_what_is_excluded_stands_in_the_repository_or_the_profile(configuration: str, profile: Any) -> None:
    files = {".github/workflows/ci.yaml": "- uses: actions/checkout@v4\n", ".frizbee.yml": configuration}
    assert opened(PIN, files, fetch=Refs(), profile=profile)["files"] == {}


YQ = "minder.yq.evaluate"
NO_TARGET = """\
.on |= (select(type == "!!map") | del(.pull_request_target)) |
.on |= (select(type == "!!seq") | map(select(. != "pull_request_target"))) |
(.on | select(. == "pull_request_target")) = "{{.Params.instead}}" |
(.on |= (select(length > 0) // "{{.Params.instead}}"))
"""


def yq(expression: str, *patterns: str) -> dict[str, Any]:
    return {
        "expression": expression,
        "patterns": [{"pattern": pattern, "type": "glob"} for pattern in patterns],
    }


def test_an_expression_of_yq_changes_only_what_it_must() -> None:
    files = {
        ".github/workflows/map.yml": "# top\non:\n  pull_request_target:\n    branches: [main]\n  push: # kept\n",
        ".github/workflows/list.yml": "on:\n  - pull_request_target\n  - push\n",
        ".github/workflows/plain.yaml": "on: pull_request_target # why\njobs: {}\n",
        ".github/workflows/alone.yml": "on:\n  pull_request_target:\njobs:\n  a: 1\n",
        ".github/workflows/fine.yml": "on: push\n",
        "elsewhere.yml": "on: pull_request_target\n",
    }
    params = yq(NO_TARGET, ".github/workflows/*.yml", ".github/workflows/*.yaml")
    data = render_yq(files, params, {"instead": "workflow_dispatch"})
    assert data["files"] == {
        ".github/workflows/map.yml": "# top\non:\n  push: # kept\n",
        ".github/workflows/list.yml": "on:\n  - push\n",
        ".github/workflows/plain.yaml": "on: workflow_dispatch # why\njobs: {}\n",
        ".github/workflows/alone.yml": "on: workflow_dispatch\njobs:\n  a: 1\n",
    }


def render_yq(files: dict[str, str], params: dict[str, Any], rule_params: dict[str, Any]) -> dict[str, Any]:
    action = {"title": "t", "body": "b", "method": YQ, "params": params}
    context = ActionContext(REPOSITORY, params=rule_params, tree=memory_tree(files))
    section = {"type": "pull_request", "pull_request": action}
    result = render_remediation(section, context, "rule.yaml", lambda *path: (9, len(path)))
    assert result is not None
    return result.as_data()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (yq("(.on |= if oops then spoo)", "*.yml"), "cannot parse expression"),
        (yq('.a style="double"', "*.yml"), "operators of yq alone"),
        (yq(".a", "*.yml"), "the expression gives 1 for a.yml"),
        (yq(".b[]", "*.yml"), "cannot evaluate expression on a.yml: Cannot iterate over null"),
        (yq("empty", "*.yml"), "the expression gives no value"),
        (yq("., .", "*.yml"), "the expression gives several values"),
        (yq(".a = " + "1" * 3000, "*.yml"), "exceeded size limit (at most 3,000 bytes"),
        (yq(".", "["), "the pattern '['"),
        (yq(".", "broken"), "cannot execute yq: broken:2:1"),
        ({"expresion": "."}, "expresion"),
    ],
)
def test_an_expression_that_cannot_be_run_is_an_error(params: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        render_yq({"a.yml": "a: 1\n", "broken": "a: [\n"}, params, {})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('.a = ([.[] | type] | join(" "))', "!!int !!float !!str !!bool !!null !!seq !!map"),
        (".a = (.c | upcase | downcase) + (.g | tag)", "x!!map"),
        ("with(.g; .h = 1) | .a = (.g.h | type)", "!!int"),
        (".a |= empty | .a = (.a | type)", "!!int"),
        (".a = ($ENV | length | tostring)", "0"),
    ],
)
def test_an_expression_speaks_yq_where_that_differs_from_jq(expression: str, expected: str) -> None:
    files = {"a.yml": "a: 1\nb: 1.5\nc: x\nd: true\ne:\nf: []\ng: {}\n"}
    changed = render_yq(files, yq(expression, "*.yml"), {})["files"]["a.yml"]
    assert changed.partition("\n")[0] in (f"a: {expected}", f"a: '{expected}'")


def test_another_type_of_pattern_and_no_parameters_change_nothing() -> None:
    params = {"expression": ".a = 2", "patterns": [{"pattern": "a.yml", "type": "regex"}]}
    assert render_yq({"a.yml": "a: 1\n"}, params, {})["files"] == {}
    assert render_yq({"a.yml": "a: 1\n"}, {}, {})["files"] == {}
