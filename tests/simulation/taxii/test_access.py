"""Who is let in, and who is told what is needed instead."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector
from understudy.simulation.taxii import TaxiiAccess

from .asking import OBJECTS, Asking


def basic(text: str | bytes) -> str:
    return "Basic " + b64encode(text if isinstance(text, bytes) else text.encode()).decode()


@pytest.fixture
def guarded() -> Asking:
    access = TaxiiAccess(users={"ann": "pa:ss", "bo": ""}, tokens={"t0ken", "käse"})
    return Asking(SimulationConnector(), access=access)


@pytest.mark.parametrize(
    "header",
    [
        basic("ann:pa:ss"),
        "basic   " + basic("ann:pa:ss")[6:],
        basic("bo:"),
        "Token t0ken",
        "bearer t0ken",
        "Bearer  t0ken ",
    ],
)
def test_the_right_credentials_are_let_in(guarded: Asking, header: str) -> None:
    assert guarded(OBJECTS, headers={"authorization": header}).status == 200


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Basic",
        "Basic !!!",
        basic("ann"),
        basic("ann:"),
        basic("ann:pa"),
        basic("nobody:"),
        basic("bo"),
        basic(b"\xff:\xff"),
        basic("ann:pa:ss") + "x",
        "Token",
        "Token t0kenn",
        "Token \xff\xfe",
        "t0ken",
        "Digest ann:pa:ss",
    ],
)
def test_all_others_are_told_what_is_needed(guarded: Asking, header: str) -> None:
    for path in ("/taxii2/", OBJECTS, "/nowhere/"):
        answered = guarded(path, headers={"authorization": header} if header else {})
        assert answered.status == 401
        assert "Basic, Token, Bearer" in answered.said
        assert 'realm="taxii"' in answered.headers["www-authenticate"]


def test_without_users_and_tokens_everybody_is_let_in() -> None:
    ask = Asking(SimulationConnector())
    assert ask(OBJECTS, headers={"authorization": "Token whatever"}).status == 200


def test_only_what_is_there_is_offered() -> None:
    answered = Asking(SimulationConnector(), access=TaxiiAccess(users={"a": "b"}))(OBJECTS)
    assert answered.headers["www-authenticate"] == 'Basic realm="taxii"'


def test_secrets_are_not_shown() -> None:
    assert "pass" not in repr(TaxiiAccess(users={"ann": "pass"}, tokens=["pass"]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tokens": "t0ken"}, "tokens are a list of texts"),
        ({"tokens": [""]}, "a token is not empty"),
        ({"users": {"a:b": "c"}}, "has no ':'"),
        ({"users": {"": "c"}}, "is not empty"),
    ],
)
def test_access_that_would_let_the_wrong_in_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        TaxiiAccess(**given)
