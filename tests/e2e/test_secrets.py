"""A secret of the environment is in no byte that a run writes or prints, and two secrets stay two."""

from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote

import pytest

from e2e.small_project import SmallProject, case, route
from testbed.recording_server import Answer, Seen

# With what has to be escaped in JSON, XML, HTML, a shell and a URL.
FIRST = 'corr3ct "horse" & <bätt\'ry>/+%'
SECOND = "st4ple-orbit-lantern"
WAYS = [[], ["--concurrency", "8"], ["--workers", "2"]]


def forms(secret: str) -> list[bytes]:
    """How a secret may look in a file."""
    texts = [secret, quote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1]]
    texts += [
        json.dumps(secret, ensure_ascii=False)[1:-1],
        base64.b64encode(f"ada:{secret}".encode()).decode(),
    ]
    texts += [secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")]
    return [text.encode() for text in texts] + [text.replace('"', "&quot;").encode() for text in texts]


@pytest.fixture
def leaky(small: SmallProject, monkeypatch: pytest.MonkeyPatch) -> SmallProject:
    """A server that tells every secret that it was sent, in every way, and cases that all fail."""
    monkeypatch.setenv("FIRST_SECRET", FIRST)
    monkeypatch.setenv("SECOND_SECRET", SECOND)
    small.project(
        environment=(
            'headers = {X-Api-Key = {env = "SECOND_SECRET"}}\n'
            'variables = {one = {env = "FIRST_SECRET"}, two = {command = "printenv SECOND_SECRET"}}'
        ),
        testbed='scripts = ["more.yaml"]\ninclude_generated = true\nroute_coverage = 100',
    )
    small.suite(
        route("echo", case("header", 201, input={"headers": {"X-One": "${two}"}})),
        route(
            "path",
            case("in the path", 201, input={"params": {"p": "${one}"}}),
            path="/echo/{p}",
            params=["p"],
        ),
        route("unused"),
        route("moved", case("redirected", 201)),
        route("refused", case("cannot be sent", input={"headers": {"X": "${one}\n${two}"}})),
    )
    small.write(
        "more.yaml",
        "http:\n"
        "  - {operation: echo, name: 'compared', query: {q: '${one}'}, "
        "expect: {status: 201, bodyContains: ['${two}', 'never ${one}'], json: {$.query.q: ['other ${two}']}}}\n"
        "  - {operation: echo, name: captured, query: {q: '${two}'}, capture: {got: $.query.q}, "
        "expect: {status: 201}}\n",
    )

    def echo(seen: Seen) -> Answer:
        return Answer(
            {"headers": seen.headers, "query": seen.query, "target": seen.target, "one": FIRST, "two": SECOND}
        )

    small.server.answers["/echo"] = echo
    small.server.answers["/echo/" + quote(FIRST, safe="")] = echo
    small.server.answers["/moved"] = Answer(
        f"go to {SECOND}", 302, {"Location": f"/echo?token={SECOND}", "Set-Cookie": f"sid={SECOND}"}
    )
    return small


@pytest.mark.parametrize("way", WAYS)
def test_no_secret_is_in_any_byte(
    leaky: SmallProject, way: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(leaky.path("out/summary.md")))
    leaky.path("out").mkdir()
    files = {kind: str(leaky.path(f"out/report.{kind}")) for kind in ("json", "junit", "html", "report")}
    words = [word for kind, file in files.items() for word in (f"--{kind}", file)]
    result = leaky.command(
        "testbed", "run", "--project", str(leaky.folder), *words, "--update", "--yes", "--github", "-v", *way
    )
    assert result.code == 1
    asked = " ".join(seen.target + seen.headers.get("x-one", "") for seen in leaky.server.seen)
    assert SECOND in asked
    written = {"terminal": (result.out + result.err).encode()}
    for file in leaky.folder.rglob("*"):
        if file.is_file():
            written[str(file.relative_to(leaky.folder))] = file.read_bytes()
    assert {"out/report.json", "out/summary.md", ".understudy/memory.sqlite"} <= set(written)
    for name, content in written.items():
        for form in (*forms(FIRST), *forms(SECOND)):
            assert form not in content, f"{form!r} in {name}"


def test_two_secrets_stay_two_and_are_numbered_alike_however_they_are_run(leaky: SmallProject) -> None:
    told = []
    for number, way in enumerate(WAYS):
        leaky.run("--json", str(leaky.path(f"{number}.json")), "-k", "compared", *way)
        (outcome,) = leaky.report(f"{number}.json")["outcomes"]
        assert "<secret:" not in leaky.read(f"{number}.json")
        body = next(entry["text"] for entry in outcome["attachments"] if entry["name"] == "exchange")
        marks = dict(re.findall(r'"(one|two)": "(<secret \d+>)"', body))
        assert len(set(marks.values())) == 2
        assert f"never {marks['one']}" in outcome["failures"][1]["message"]
        assert f"other {marks['two']}" in outcome["failures"][2]["message"]
        told.append([failure["message"] for failure in outcome["failures"]])
    assert told[0] == told[1] == told[2]


def test_the_output_of_the_app_is_redacted_and_numbered_like_the_cases(
    small: SmallProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRST_SECRET", "corr3ct-horse")
    monkeypatch.setenv("SECOND_SECRET", SECOND)
    small.write(
        "app.py",
        "import http.server, os, sys\n"
        "print(os.environ['SECOND_SECRET'], 'then', os.environ['FIRST_SECRET'], flush=True)\n"
        "class Handler(http.server.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        self.send_response(200); self.send_header('X-Got', self.headers['X-One']); self.end_headers()\n"
        "    def log_message(self, *_): pass\n"
        "http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()\n",
    )
    small.write(
        "understudy.toml",
        '[app]\nstart = "python app.py {port}"\n'
        '[environments.here.variables]\none = {env = "FIRST_SECRET"}\ntwo = {env = "SECOND_SECRET"}\n'
        '[testbed]\nsuites = ["suite.json"]\n',
    )
    small.suite(route("x", case("a", 404, input={"headers": {"X-One": "${one}"}})))
    result = small.run("--json", str(small.path("report.json")))
    (output,) = small.report()["attachments"]
    assert output["text"].splitlines() == ["<secret 2> then <secret 1>"]
    assert "X-One: <secret 1>" in small.report()["outcomes"][0]["attachments"][0]["text"]
    assert "<secret 2> then <secret 1>" in result.out


@pytest.mark.parametrize("way", [[], ["--workers", "1"]])
def test_a_secret_that_was_observed_is_neither_reported_nor_written_into_a_script(
    small: SmallProject, way: list[str]
) -> None:
    small.project(testbed='scripts = ["more.yaml"]')
    small.suite(route("login"))
    small.answers(login=Answer({"access_token": "observed-77", "n": 1}))
    text = "http:\n  - {operation: login, name: more, expect: {json: {$.access_token: old, $.n: 2}}}\n"
    small.write("more.yaml", text)
    result = small.run("--update", "--yes", "--json", str(small.path("report.json")), *way)
    assert "observed-77" not in result.out + result.err + small.read("report.json") + small.read("more.yaml")
    assert small.read("more.yaml") == text.replace("$.n: 2", "$.n: 1")
