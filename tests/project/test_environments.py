"""Environments: which one is meant, what goes with every request, and that no secret stands in a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.project import values
from understudy.project.project import Project, load_project
from understudy.wire.target import Target, Tls

Resolve = Callable[..., Target]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Project]:
    monkeypatch.chdir(tmp_path)
    for name in ("SHOP_TOKEN", "SHOP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)

    def load(
        text: str, testbed: str = '\n[testbed]\nsuites = ["s.json"]\n', environment: str = ""
    ) -> Project:
        Path("understudy.toml").write_text(text + testbed)
        return load_project(environment=environment)

    return load


@pytest.fixture
def resolve(project: Callable[..., Project]) -> Resolve:
    def go(*arguments: Any, **more: Any) -> Target:
        loaded = project(*arguments, **more)
        loaded.resolve()
        assert loaded._target is not None
        return loaded._target

    return go


def problems(resolve: Callable[..., Any], *arguments: Any, **more: Any) -> list[str]:
    with pytest.raises(InputError) as wrong:
        resolve(*arguments, **more)
    return [
        str(problem).rpartition("/")[2] if ":" in str(problem) else str(problem)
        for problem in wrong.value.problems
    ]


@pytest.mark.parametrize("source", ['{env = "SHOP_URL"}', f"{{command = '{sys.executable} print_url.py'}}"])
@pytest.mark.parametrize(
    ("url", "secrets"),
    [
        ("http://bob:pa%2Fss@127.0.0.1:1/shop", ["pa/ss"]),
        ("http://tok-en@127.0.0.1:1", ["tok-en"]),
        ("http://127.0.0.1:1/shop", []),
    ],
)
def test_a_base_url_is_looked_up_and_only_the_password_in_it_is_a_secret(
    project: Callable[..., Project],
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    url: str,
    secrets: list[str],
) -> None:
    monkeypatch.setenv("SHOP_URL", url)
    Path("print_url.py").write_text("import os; print(os.environ['SHOP_URL'])")
    loaded = project(f"[environments.local]\nbase_url = {source}")
    loaded.resolve()
    assert loaded._target is not None
    assert loaded._target.base_url == url
    assert loaded.secrets == secrets


THREE = """
[environments.local]
base_url = "http://127.0.0.1:1"
[environments.staging]
base_url = "http://127.0.0.1:2/shop/"
"""


def test_the_named_environment_is_meant(resolve: Resolve) -> None:
    assert resolve(THREE, environment="staging").base_url == "http://127.0.0.1:2/shop/"


def test_the_environment_of_the_file_is_meant_unless_another_is_named(resolve: Resolve) -> None:
    assert resolve('environment = "local"\n' + THREE).base_url == "http://127.0.0.1:1"
    assert resolve('environment = "local"\n' + THREE, environment="staging").base_url.endswith("/shop/")


def test_the_only_environment_is_meant_if_none_is_named(resolve: Resolve) -> None:
    assert resolve(THREE.partition("[environments.staging]")[0]).base_url == "http://127.0.0.1:1"


def test_of_several_environments_none_is_guessed(resolve: Resolve) -> None:
    assert resolve(THREE).base_url == ""


@pytest.mark.parametrize(
    ("text", "environment", "expected"),
    [
        (THREE, "stagin", "understudy.toml:2:2: no environment 'stagin' (did you mean 'staging'?)"),
        (THREE, "zebra", "understudy.toml:2:2: no environment 'zebra' (declared: local, staging)"),
        ("", "zebra", "understudy.toml:1:1: no environment 'zebra' (declared: none)"),
        ('environment = "lokal"\n' + THREE, "", "no environment 'lokal' (did you mean 'local'?)"),
    ],
)
def test_an_unknown_environment_is_told_the_nearest_as_soon_as_the_file_is_read(
    project: Callable[..., Project], text: str, environment: str, expected: str
) -> None:
    found = problems(project, text, environment=environment)
    assert len(found) == 1
    assert expected in found[0]


def test_everything_of_an_environment_goes_with_the_requests(
    resolve: Resolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "t0ken")
    text = f"""
    [environments.local]
    base_url = "https://127.0.0.1:1"
    proxy = {{command = "{sys.executable} -c 'print(\\"http://bob:pw@127.0.0.1:3128\\")'"}}
    variables = {{customer = "ada", count = 3, deep = {{password = {{env = "SHOP_TOKEN"}}}}}}
    headers = {{Authorization = {{env = "SHOP_TOKEN"}}, X-Trace = "on", X-Login = "${{token}}"}}
    cookies = {{session = {{env = "SHOP_TOKEN"}}, other = "${{captured}}"}}
    """
    target = resolve(text)
    assert target.headers == {"Authorization": "t0ken", "X-Trace": "on", "X-Login": "${token}"}
    assert target.cookies == {"session": "t0ken", "other": "${captured}"}
    assert target.variables == {"customer": "ada", "count": 3, "deep": {"password": "t0ken"}}
    assert target.proxy == "http://bob:pw@127.0.0.1:3128"


def test_what_was_looked_up_is_known_as_secret(
    project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "t0ken")
    loaded = project(
        '[app]\nstart = "x"\nenv = {A = {env = "SHOP_TOKEN"}}\n[environments.local.variables]\n'
        f"b = {{command = '{sys.executable} -c \"print(1234567)\"'}}"
    )
    loaded.resolve()
    assert loaded.secrets == ["1234567", "t0ken"]


HINT = '(take it from the environment, {env = "NAME"}, or from a command, {command = "..."})'
LOCAL = "[environments.local]\n"


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        (
            LOCAL + 'headers = {Authorization = "Bearer abc"}',
            "2:28",
            "environments.local.headers.Authorization",
        ),
        (LOCAL + 'headers = {X-Api-Key = "abc"}', "2:24", "environments.local.headers.X-Api-Key"),
        (LOCAL + 'headers = {X-Odd = "Bearer abcdef1234567890"}', "2:20", "environments.local.headers.X-Odd"),
        (LOCAL + 'cookies = {theme = "dark"}', "2:20", "environments.local.cookies.theme"),
        (LOCAL + 'variables = {password = "x"}', "2:25", "environments.local.variables.password"),
        (LOCAL + "variables = {password = 123456}", "2:25", "environments.local.variables.password"),
        (LOCAL + 'variables = {user = {secret = "x"}}', "2:31", "environments.local.variables.user.secret"),
        (LOCAL + 'variables = {tokens = ["x"]}', "", ""),
        (LOCAL + 'variables = {passwords = ["x"]}', "2:27", "environments.local.variables.passwords.0"),
        (LOCAL + 'proxy = "http://bob:pw@127.0.0.1:1"', "2:9", "environments.local.proxy"),
        (LOCAL + 'base_url = "http://bob:pw12@127.0.0.1:1"', "2:12", "environments.local.base_url"),
        ('[app]\nstart = "x"\nenv = {DB_PASSWORD = "x"}', "3:22", "app.env.DB_PASSWORD"),
        (
            '[app]\nstart = "x"\nenv = {DB = "postgres://shop:s3cret@127.0.0.1/db"}',
            "3:13",
            "app.env.DB",
        ),
    ],
)
def test_a_secret_must_not_stand_in_the_file(resolve: Resolve, text: str, place: str, name: str) -> None:
    if not place:
        assert resolve(text).variables == {"tokens": ["x"]}
        return
    found = problems(resolve, text)
    assert found == [f"understudy.toml:{place}: {name} is a secret and must not stand in a file {HINT}"]


def test_a_secret_must_not_stand_in_what_an_act_sends(resolve: Resolve) -> None:
    login = """
    [testbed]
    suites = ["s.json"]
    [testbed.login]
    path = "/login"
    body = {user = "ada", password = "pw", again = "${password}"}
    headers = {X-Api-Key = "abc"}
    capture = {token = "$.token"}
    """
    found = problems(resolve, "", login)
    hint = "(write it as ${name}, and name under the environment's variables where it comes from)"
    assert found == [
        f"understudy.toml:6:38: testbed.login.body.password is a secret and must not stand in a file {hint}",
        f"understudy.toml:7:28: testbed.login.headers.X-Api-Key is a secret and must not stand in a file {hint}",
    ]


def test_every_value_that_cannot_be_had_is_told(resolve: Resolve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "")
    text = LOCAL + (
        'headers = {A = {env = "SHOP_TOKEN"}, B = {command = "no-such-command"}}\n'
        'cookies = {c = {env = "SHOP_PASSWORD"}}\n'
        "variables = {d = {command = 'a \"b'}, e = {env = 3}}\n"
    )
    assert problems(resolve, text) == [
        "understudy.toml:2:16: environment variable SHOP_TOKEN is not set (run with SHOP_TOKEN=... set)",
        (
            "understudy.toml:2:42: `no-such-command` cannot be run: there is no 'no-such-command' "
            "(install it, or correct it)"
        ),
        "understudy.toml:3:16: environment variable SHOP_PASSWORD is empty (run with SHOP_PASSWORD=... set)",
        "understudy.toml:4:29: 'command': is no command: no closing quotation",
        "understudy.toml:4:49: 'env' must be text, not the number 3",
    ]


def test_an_app_that_is_not_started_needs_no_secrets(resolve: Resolve) -> None:
    text = '[app]\nstart = "x"\nenv = {A = {env = "SHOP_TOKEN"}}\n' + THREE + "[environments.here]\n"
    assert resolve(text, environment="staging").base_url.endswith("/shop/")
    assert "SHOP_TOKEN is not set" in problems(resolve, text, environment="here")[0]


def test_a_command_that_hangs_is_given_up(resolve: Resolve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "COMMAND_SECONDS", 0.2)
    text = LOCAL + f"headers = {{A = {{command = '{sys.executable} -c \"import signal; signal.pause()\"'}}}}"
    assert "did not end within 0.2 s (run it by hand to see why)" in problems(resolve, text)[0]


def test_a_command_is_run_only_once_a_run(project: Callable[..., Project], tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text("open('count', 'a').write('x'); print('value')")
    loaded = project(f"[app]\nstart = 'x'\nenv = {{A = {{command = '{sys.executable} count.py'}}}}")
    loaded.resolve()
    assert (tmp_path / "count").read_text() == "x"
    assert loaded._app_variables == {"A": "value"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "base_url = {command = 'echo bob:pass77@127.0.0.1:1'}",
            "2:12: the base URL '<secret 1>' must have a scheme and a host",
        ),
        ('base_url = {env = "SHOP_TOKEN"}', "2:12: environment variable SHOP_TOKEN is not set"),
        ('base_url = "127.0.0.1:1"', "2:12: the base URL '127.0.0.1:1' must have a scheme and a host"),
        (
            'base_url = "ftp://127.0.0.1"',
            "2:12: the base URL 'ftp://127.0.0.1' must have a scheme and a host",
        ),
        ('proxy = "::nope"', "2:9: proxy '::nope' is not usable"),
        ('tls = {ca = "ca.pem"}', "ca.pem: ca cannot be read: No such file or directory"),
        ('tls = {client_key = "key.pem"}', "key.pem: client_key is set without client_cert"),
        ('tls = {client_cert = "junk.pem"}', "junk.pem: client_cert"),
    ],
)
def test_what_no_request_could_be_sent_with_is_refused_before_the_run(
    project: Callable[..., Project], tmp_path: Path, text: str, expected: str
) -> None:
    (tmp_path / "junk.pem").write_text("junk")
    with pytest.raises(InputError) as wrong:
        project(LOCAL + text).resolve()
    assert len(wrong.value.problems) == 1
    problem = wrong.value.problems[0]
    assert (Path(problem.file).name, problem.line) == ("understudy.toml", 2)
    assert expected in str(problem)


def test_tls_files_are_relative_to_the_project_not_to_where_the_run_starts(
    project: Callable[..., Project], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = project(LOCAL + 'tls = {ca = "certs/ca.pem", client_cert = "/etc/cert.pem"}')
    monkeypatch.setattr(Project, "_check", lambda *_: None)
    monkeypatch.chdir("/")
    loaded.resolve()
    assert loaded._target is not None
    assert loaded._target.tls == Tls(str(tmp_path / "certs/ca.pem"), "/etc/cert.pem", "")
