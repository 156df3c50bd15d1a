"""No secret of the environment, of a command or of a login is in anything that a run prints or writes."""

from __future__ import annotations

import sys
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest

from cli.command import suite_of, understudy
from project.processes import write_app
from testbed.recording_server import Answer, RecordingServer, Seen

TOKEN = "t0ken/of+the environment"
PASSWORD = "pass-of-a-command"
CAPTURED = "captured-at-the-login"
FORMS = [
    form
    for secret in (TOKEN, PASSWORD, CAPTURED)
    for form in (secret, quote(secret), b64encode(secret.encode()).decode())
]
CONFIG = f"""
[environments.local]
headers = {{X-Shop = {{env = "SHOP_TOKEN"}}, Authorization = "Bearer ${{token}}"}}
cookies = {{sid = {{command = "{sys.executable} secret.py"}}}}
variables = {{password = {{command = "{sys.executable} secret.py"}}, where = {{env = "SHOP_TOKEN"}}}}
BASE
[testbed]
suites = ["shop.json"]
[testbed.login]
path = "/login"
body = {{password = "${{password}}"}}
capture = {{token = "$.token"}}
"""


def echo(seen: Seen) -> Answer:
    """A server that tells everything it was told, as a careless one would."""
    return Answer({"headers": seen.headers, "target": seen.target, "body": seen.body.decode()}, 500)


@pytest.fixture
def careless(server: RecordingServer) -> RecordingServer:
    server.answers.update({"/login": Answer({"token": CAPTURED}), "/a": echo})
    Path("secret.py").write_text(f"print({PASSWORD!r})")
    base_url = f'base_url = "{server.url}"'
    Path("understudy.toml").write_text(CONFIG.replace("BASE", base_url))
    suite = suite_of(
        (
            "a",
            "/a",
            {"status": 200, "bodyContains": ["${password} of ${where}"], "headers": {"X": "${password}"}},
        )
    )
    suite = suite.replace(
        '"name": "a", "expect"', '"name": "a", "input": {"query": {"q": "${where}"}}, "expect"'
    )
    Path("shop.json").write_text(suite)
    return server


REPORTS = ["--json", "r/r.json", "--junit", "r/r.xml", "--html", "r/r.html", "-v"]


@pytest.mark.parametrize("executor", [(), ("--workers", "1")], ids=["here", "in a worker"])
def test_secrets_are_sent_but_nowhere_else_to_be_found(
    careless: RecordingServer, here: Path, executor: tuple[str, ...]
) -> None:
    arguments = ["run", *REPORTS, "--github", *executor]
    done = understudy(
        arguments, here, {"SHOP_TOKEN": TOKEN, "GITHUB_STEP_SUMMARY": str(here / "r" / "summary.md")}
    )
    assert done.code == 1, done.text
    sent = next(seen for seen in careless.seen if seen.path == "/a")
    assert sent.headers["x-shop"] == TOKEN
    assert sent.headers["authorization"] == f"Bearer {CAPTURED}"
    assert sent.headers["cookie"] == f"sid={PASSWORD}"
    assert sent.query == {"q": [TOKEN]}
    assert next(seen for seen in careless.seen if seen.path == "/login").json == {"password": PASSWORD}
    files = [file for folder in ("r", ".understudy") for file in (here / folder).iterdir()]
    assert {file.suffix for file in files} >= {".json", ".xml", ".html", ".sqlite", ".md"}
    contents = {"terminal": done.text.encode(), **{file.name: file.read_bytes() for file in files}}
    for place, content in contents.items():
        for form in FORMS:
            assert form.encode() not in content, (place, form)
    assert "<secret 1>" in done.out


def test_the_output_of_the_app_is_redacted_too(here: Path) -> None:
    write_app(here)
    Path("understudy.toml").write_text(
        '[app]\nstart = "python app.py {port} environment"\nenv = {GREETING = {env = "SHOP_TOKEN"}}\n'
        '[testbed]\nsuites = ["shop.json"]\n'
    )
    Path("shop.json").write_text(suite_of(("a", "/a", {"status": 418})))
    done = understudy(["run", *REPORTS], here, {"SHOP_TOKEN": TOKEN})
    assert done.code == 1
    assert "GREETING=<secret 1>" in done.out
    for content in (done.text, *(file.read_text() for file in (here / "r").iterdir())):
        assert TOKEN not in content


def test_a_secret_in_the_start_that_fails_is_not_told(here: Path) -> None:
    """An app that prints its environment when it dies, which becomes the reason of every case."""
    Path("understudy.toml").write_text(
        '[app]\nstart = "python -c \'import os; exit(os.environ[\\"GREETING\\"])\'"\n'
        'env = {GREETING = {env = "SHOP_TOKEN"}}\n[testbed]\nsuites = ["shop.json"]\n'
    )
    Path("shop.json").write_text(suite_of(("a", "/a", {"status": 200})))
    done = understudy(["run", *REPORTS], here, {"SHOP_TOKEN": TOKEN})
    assert done.code == 1
    assert "ended with exit code 1 before it was ready" in done.out
    for content in (done.text, *(file.read_text() for file in (here / "r").iterdir())):
        assert TOKEN not in content


def test_a_password_in_a_base_url_of_the_command_line_is_not_told(
    here: Path, server: RecordingServer
) -> None:
    server.answers["/a"] = echo
    Path("shop.json").write_text(suite_of(("a", "/a", {"status": 200})))
    base_url = server.url.replace("://", f"://bob:{PASSWORD}@")
    done = understudy(["testbed", "run", "shop.json", "--base-url", base_url, *REPORTS], here)
    assert done.code == 1
    credentials = b64encode(f"bob:{PASSWORD}".encode()).decode()
    assert server.seen[0].headers["authorization"] == f"Basic {credentials}"
    for content in (done.text, *(file.read_text() for file in (here / "r").iterdir())):
        assert PASSWORD not in content
        assert credentials not in content


def test_a_missing_secret_is_told_before_anything_is_sent(careless: RecordingServer, here: Path) -> None:
    done = understudy(["run"], here, {"SHOP_TOKEN": ""})
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("environment variable SHOP_TOKEN is empty (run with SHOP_TOKEN=... set)") == 2
    assert "understudy.toml:3:21: " in done.err
    assert careless.seen == []


def test_a_literal_secret_is_refused_and_not_repeated(here: Path) -> None:
    Path("understudy.toml").write_text(
        '[testbed]\nsuites = ["shop.json"]\n[environments.local.headers]\nAuthorization = "Bearer hunter2hunter2"\n'
    )
    Path("shop.json").write_text(suite_of(("a", "/a", {})))
    done = understudy(["run"], here)
    assert done.code == 2
    assert "understudy.toml:4:17: environments.local.headers.Authorization is a secret" in done.err
    assert "hunter2" not in done.text


def test_a_list_of_cases_needs_no_secret(careless: RecordingServer, here: Path) -> None:
    done = understudy(["run", "--list"], here)
    assert (done.code, done.out) == (0, "testbed::shop.json::http/a/a\n")
