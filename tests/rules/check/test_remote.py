"""The URL of a remote says whose repository it is, and its credentials go nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.check.remote import Remote, read_remote

HTTPS = "https://github.com/acme/widgets"


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("https://github.com/acme/widgets.git", Remote("github.com", "acme", "widgets", f"{HTTPS}.git")),
        ("https://GitHub.com/acme/widgets/", Remote("github.com", "acme", "widgets", HTTPS)),
        ("git@github.com:acme/widgets.git", Remote("github.com", "acme", "widgets", f"{HTTPS}.git")),
        ("github.com:acme/widgets", Remote("github.com", "acme", "widgets", HTTPS)),
        ("ssh://git@github.com:22/acme/widgets.git", Remote("github.com", "acme", "widgets", f"{HTTPS}.git")),
        ("http://git.test:8080/a/b", Remote("git.test", "a", "b", "http://git.test:8080/a/b")),
        ("https://gitlab.com/a/b/c", Remote("gitlab.com", "a/b", "c", "https://gitlab.com/a/b/c")),
        ("https://git.test/a%20b/c%20d", Remote("git.test", "a b", "c d", "https://git.test/a b/c d")),
        ("https://git.test/widgets", Remote("git.test", "", "widgets", "https://git.test/widgets")),
        ("file:///srv/widgets.git", Remote(name="widgets")),
        ("/srv/widgets.git/", Remote(name="widgets")),
        ("../widgets", Remote(name="widgets")),
        ("..", Remote()),
        ("https://[broken/a/b", Remote()),
        ("https://host:port/a/b", Remote()),
        ("", Remote()),
    ],
)
def test_every_form_of_url_is_read(url: str, remote: Remote) -> None:
    assert read_remote(url) == remote


@given(st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=12, max_size=20))
def test_no_password_is_kept(password: str) -> None:
    assert password not in repr(read_remote(f"https://bob:{password}@github.com/acme/widgets"))


@given(st.text(max_size=60))
def test_no_text_is_too_odd(url: str) -> None:
    assert isinstance(read_remote(url), Remote)


def test_a_gitlab_has_properties_of_its_own() -> None:
    assert (Remote("gitlab.acme.test").forge, Remote("git.acme.test").forge) == ("gitlab", "github")
