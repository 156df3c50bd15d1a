"""Secrets are found wherever they stand, and nothing else is touched."""

from __future__ import annotations

import base64
import json
import pickle
import re
from typing import Any

import pytest

from endless import ends
from understudy.core.outcome import Attachment, Failure, Known, Outcome, Status
from understudy.core.redact import DEFAULT_RULES, Numbered, Redactor, Rule

SAMPLE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/=\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"


def shown(text: str, *secrets: str) -> str:
    redactor = Redactor(secrets)
    marked = redactor.text(text)
    assert redactor.text(marked) == marked, "redaction is not idempotent"
    numbered = Numbered()(marked)
    assert redactor.text(numbered) == numbered, "what was numbered is redacted again"
    return numbered


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Bearer abc.def", "Authorization: Bearer <secret 1>"),
        ("authorization: abc", "authorization: <secret 1>"),
        ("Proxy-Authorization: Basic dXNlcjpwYXNz", "Proxy-Authorization: Basic <secret 1>"),
        ("Cookie: sid=abc; theme=dark", "Cookie: sid=<secret 1>; theme=<secret 2>"),
        ("Set-Cookie: sid=abc; Path=/", "Set-Cookie: sid=<secret 1>; Path=/"),
        ("Set-Cookie: sid=; Max-Age=0", "Set-Cookie: sid=; Max-Age=0"),
        ("X-Api-Key: k1", "X-Api-Key: <secret 1>"),
        ("> X-Auth-Token: k1", "> X-Auth-Token: <secret 1>"),
    ],
)
def test_a_header_line_keeps_its_scheme_its_cookie_names_and_its_attributes(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://user:pa@ss@host/x", "https://user:<secret 1>@host/x"),
        ("https://tok123@host/x", "https://<secret 1>@host/x"),
        ("https://tok:x-oauth-basic@host/", "https://<secret 1>:x-oauth-basic@host/"),
        ("/x?to=https%3A%2F%2Fu%3Ap%252Fw%40h%2Fa&q=1", "/x?to=https%3A%2F%2Fu%3A<secret 1>%40h%2Fa&q=1"),
        ("/x?to=https%3a%2f%2ftok123%40h", "/x?to=https%3a%2f%2f<secret 1>%40h"),
        ("/x?to=https%3A%2F%2Fh%2Fa%40b", "/x?to=https%3A%2F%2Fh%2Fa%40b"),
        ("/x?token=abc&q=1#frag", "/x?token=<secret 1>&q=1#frag"),
        ("/x?q=1&token=abc#frag", "/x?q=1&token=<secret 1>#frag"),
        ("/cb#access_token=abc&state=s", "/cb#access_token=<secret 1>&state=s"),
        ("/x?X-Amz-Signature=ab12&sig=cd34", "/x?X-Amz-Signature=<secret 1>&sig=<secret 2>"),
        ("/x?a=1&amp;token=abc&amp;b=2", "/x?a=1&amp;token=<secret 1>&amp;b=2"),
    ],
)
def test_a_url_loses_its_userinfo_and_its_secret_parameters(text: str, expected: str) -> None:
    assert shown(text) == expected
    assert Numbered()(Redactor().url(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password=abc&user=me&client_secret=a%2Fb", "password=<secret 1>&user=me&client_secret=<secret 2>"),
        ("user[password]=abc", "user[password]=<secret 1>"),
        ("user%5Bpassword%5D=abc", "user%5Bpassword%5D=<secret 1>"),
        ("export API_KEY=abc,def; DB=x", "export API_KEY=<secret 1>; DB=x"),
        ('PASSWORD="abc def" USER=x', 'PASSWORD="<secret 1>" USER=x'),
        ("Login(password='x y', id=3)", "Login(password='<secret 1>', id=3)"),
        ("run --token abc --password=x1 y", "run --token <secret 1> --password=<secret 2> y"),
        (
            """curl -d '[{"name": "pin_token", "value": "a1"}, {"name": "n", "value": "b"}]' h""",
            """curl -d '[{"name": "pin_token", "value": "<secret 1>"}, {"name": "n", "value": "b"}]' h""",
        ),
        (
            r"""curl -d '{"b":"{\"key\":\"token\",\"value\":\"a1\"}"}' h""",
            r"""curl -d '{"b":"{\"key\":\"token\",\"value\":\"<secret 1>\"}"}' h""",
        ),
        ("{'name': 'token'} {'value': 'b'}", "{'name': 'token'} {'value': 'b'}"),
        ("{'password': 'abc', 'n': 1}", "{'password': '<secret 1>', 'n': 1}"),
        ("<user><password>abc</password></user>", "<user><password><secret 1></password></user>"),
        ("got token=Bearer abc.def from x", "got token=Bearer <secret 1> from x"),
        ("/x?token=Bearer HTTP/1.1", "/x?token=<secret 1> HTTP/1.1"),
        ("login failed with password: hunter2.", "login failed with password: <secret 1>."),
        ("  password: correct horse\n  user: x", "  password: <secret 1>\n  user: x"),
        ("-token: 'a b' # c\n+token: d", "-token: '<secret 1>' # c\n+token: <secret 2>"),
        ("--- a\n-password = abc\n", "--- a\n-password = <secret 1>\n"),
    ],
)
def test_a_value_behind_a_secret_name_is_hidden_in_every_notation(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"password":"x","n":1}', '{"password":"<secret 1>","n":1}'),
        ('{"apiKey": ["a",1,"b"],"n":[2]}', '{"apiKey": ["<secret 1>","<secret 2>","<secret 3>"],"n":[2]}'),
        ('{"token": 123, "n": 123}', '{"token": "<secret 1>", "n": 123}'),
        (r'{"client_secret":"q\"uo\\te\\","ok":1}', '{"client_secret":"<secret 1>","ok":1}'),
        (
            r'{"a":"{\"password\":\"x\\\"y\",\"u\":1}","b":2}',
            r'{"a":"{\"password\":\"<secret 1>\",\"u\":1}","b":2}',
        ),
        (r'{"a":"{\"token\":[1,2]}"}', r'{"a":"{\"token\":[\"<secret 1>\",\"<secret 2>\"]}"}'),
        (
            r'{"raw":"GET / HTTP/1.1\r\nCookie: a=b\r\nHost: h\r\n\r\npassword=abc"}',
            r'{"raw":"GET / HTTP/1.1\r\nCookie: a=<secret 1>\r\nHost: h\r\n\r\npassword=<secret 2>"}',
        ),
        ('{"key": ' + json.dumps(SAMPLE_KEY) + "}", '{"key": "<secret 1>"}'),
        ('[{"name":"password","value":"x"}]', '[{"name":"password","value":"<secret 1>"}]'),
        (
            '{"value":"x","n":[1,{}],"name":"X-Api-Key"}',
            '{"value":"<secret 1>","n":[1,{}],"name":"X-Api-Key"}',
        ),
        ('{"key":"token","value":7}', '{"key":"token","value":"<secret 1>"}'),
        (
            '{"name":"Set-Cookie","value":"a=b; Path=/"}',
            '{"name":"Set-Cookie","value":"a=<secret 1>; Path=/"}',
        ),
        ('{"name":"size","value":"x"}', '{"name":"size","value":"x"}'),
        ('{"value":"x","in":{"name":"token"}}', '{"value":"x","in":{"name":"token"}}'),
        ('{"set-cookie": ["a=b; Path=/"]}', '{"set-cookie": ["a=<secret 1>; Path=/"]}'),
    ],
)
def test_a_json_body_is_still_json_when_its_secrets_are_gone(text: str, expected: str) -> None:
    assert shown(text) == expected
    json.loads(expected)


def test_a_body_that_was_cut_inside_a_secret_shows_nothing_of_it() -> None:
    assert shown('{"user":"me","password":"abcdef') == '{"user":"me","password":"<secret 1>'


@pytest.mark.parametrize(
    "text",
    [
        '{"tokens": 15, "author": "me", "max_tokens": 9, "next_page_token": "abc", "token_type": "bearer"}',
        '{"password": null, "secret": true, "token": ""}',
        "X-Trace: 123e4567-e89b-12d3-a456-426614174000",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        'WWW-Authenticate: Bearer realm="x", error="invalid_token"',
        "use a Bearer token, or Basic authentication; the bearer of this is right",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZQ==",
        "the monkey=1 keyboard=2 secretary=3 tokenizer: x",
        "pip install sk-learn-extra-tools-here",
        "syntax error: unexpected token: found ')'",
        "https://host:8080/path?q=1&page=2",
        "mail me@example.org about http://host/a@b",
        "password=${DB_PASSWORD} token=***",
        "if token == other and password != x:",
        "",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert Redactor(["hunter2"]).text(text) is text


@pytest.mark.parametrize(
    "token",
    [
        "ghp_abcdefghijklmnopqrst1234",
        "gho_abcdefghijklmnopqrst1234",
        "ghs_abcdefghijklmnopqrst1234",
        "github_pat_11ABCDEFG0abcdefgh_ijklmnop",
        "AKIAABCDEFGHIJKLMNOP",
        "xoxb-1234567890-abcdef",
        "sk-proj-abcDEF123456789012",
        "glpat-abcdefghij1234567890",
        JWT,
        SAMPLE_KEY,
    ],
)
def test_a_token_is_known_by_its_shape(token: str) -> None:
    assert shown(f"before ({token}) after") == "before (<secret 1>) after"
    assert shown(json.dumps({"text": f"a\n{token}\nb"})) == '{"text": "a\\n<secret 1>\\nb"}'


def test_bearer_and_basic_credentials_are_found_in_free_text() -> None:
    assert shown("sent Bearer abcdefgh, got 401") == "sent Bearer <secret 1>, got 401"
    assert shown("sent Basic dXNlcjpwYXNz") == "sent Basic <secret 1>"


def test_a_curl_command_keeps_everything_but_the_secrets() -> None:
    command = (
        "curl -X POST 'http://h/login?api_key=k1' -H 'Authorization: Bearer x' -H \"X-Api-Key: k2\" \\\n"
        '  -u user:pass -b \'sid=1; lang=en\' --cookie=sid=2 -U me:pw --data \'{"password":"x","n":1}\''
    )
    assert shown(command) == (
        "curl -X POST 'http://h/login?api_key=<secret 1>' -H 'Authorization: Bearer <secret 2>' "
        '-H "X-Api-Key: <secret 3>" \\\n'
        "  -u user:<secret 4> -b 'sid=<secret 5>; lang=<secret 6>' --cookie=sid=<secret 7> -U me:<secret 8> "
        '--data \'{"password":"<secret 2>","n":1}\''
    )
    body = r"""curl --data '{"n":{"note":"password="},"b":"x","c":"token=\"abc","d":1}' -H 'X: secret='"""
    assert shown(body) == body.replace("abc", "<secret 1>")
    assert shown("curl -u 'me:it'\\''s' http://h") == "curl -u 'me:<secret 1>' http://h"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_exchange_as_text_is_redacted_line_by_line(newline: str) -> None:
    lines = (
        "POST /login?token=abc HTTP/1.1",
        "Host: shop.test",
        "Authorization: Basic dXNlcjpwYXNz",
        "",
        '{"user": "bob",',
        ' "password": "x y"}',
    )
    assert shown(newline.join(lines)).split(newline) == [
        "POST /login?token=<secret 1> HTTP/1.1",
        "Host: shop.test",
        "Authorization: Basic <secret 2>",
        "",
        '{"user": "bob",',
        ' "password": "<secret 3>"}',
    ]


def test_a_line_of_a_structural_diff_hides_the_values_of_a_secret_path() -> None:
    assert (
        shown('$.user.token: expected "a", got "b"')
        == '$.user.token: expected "<secret 1>", got "<secret 2>"'
    )
    assert shown("$['api key'][0]: expected 1, got null") == "$['api key'][0]: expected <secret 1>, got null"
    plain = '$.user.name: expected "a", got "b"'
    assert shown(plain) == plain


LITERAL = 's3cr/t&"x y'


@pytest.mark.parametrize(
    "spelled",
    [
        LITERAL,
        "s3cr%2Ft%26%22x%20y",
        "s3cr%2ft%26%22x+y",
        json.dumps(LITERAL)[1:-1],
        json.dumps(json.dumps(LITERAL))[3:-3],
        "s3cr/t&amp;&quot;x y",
    ],
)
def test_a_literal_secret_is_found_however_it_is_spelled_and_is_the_same_one(spelled: str) -> None:
    assert shown(f"x {LITERAL} [{spelled}]", LITERAL) == "x <secret 1> [<secret 1>]"


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "abcd"])
def test_a_literal_secret_is_found_in_base64_wherever_it_starts(before: str) -> None:
    encoded = base64.b64encode(f"{before}:hunter2?>:tail".encode()).decode()
    text = shown(f"x {encoded} y", "hunter2?>")
    assert "<secret 1>" in text
    rest = "".join(re.split("<secret 1>|x | y", text))
    assert len(rest) <= len(encoded) - len(base64.b64encode(b"hunter2")) + 3


def test_a_literal_secret_is_hidden_where_a_text_was_cut_in_it() -> None:
    assert shown('got "hunte… and …nter2 more', "hunter2") == 'got "<secret 1>… and <secret 1> more'.replace(
        "and <secret 1>", "and …<secret 1>"
    )


def test_a_number_that_is_a_secret_leaves_valid_json() -> None:
    text = '{"n": 12345, "s": "a, 12345, b", "l": [12345, -12345, 912345], "f": 12345.5}'
    redacted = shown(text, "12345")
    assert redacted == (
        '{"n": "<secret 1>", "s": "a, <secret 1>, b", "l": ["<secret 1>", "<secret 1>", 912345], "f": 12345.5}'
    )
    json.loads(redacted)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Bearer tok-en77", "Authorization: Bearer <secret 1>"),
        ("sent token=Bearer tok-en77", "sent token=Bearer <secret 1>"),
        ('{"seen": "tok-en77"}', '{"seen": "<secret 1>"}'),
        ("got tok-en77 from Bearer tok-en77", "got <secret 1> from Bearer <secret 1>"),
    ],
)
def test_a_literal_credential_is_known_without_its_scheme(text: str, expected: str) -> None:
    assert shown(text, "Bearer tok-en77") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password=correct horse battery", "password=<secret 1>"),
        ("run --password correct horse battery --now", "run --password <secret 1> --now"),
        ("the password: correct horse battery is set", "the password: <secret 1> is set"),
        ("Bearer correct horse battery", "Bearer <secret 1>"),
    ],
)
def test_a_literal_of_several_words_is_hidden_whole_behind_a_secret_name(text: str, expected: str) -> None:
    assert shown(text, "correct horse battery") == expected


def test_a_literal_that_begins_like_an_escape_leaves_the_escape_whole() -> None:
    assert shown('{"a": "x\\nabcdef"}', "nabcdef") == '{"a": "x\\nabcdef"}'
    assert shown('cut: {"a": "x\\nabcdef', "nabcdef") == 'cut: {"a": "x\\n<secret 1>'


def test_literals_of_one_or_two_characters_are_no_secrets() -> None:
    assert shown("a ab abc abcd", "a", "ab", "abc", "  ") == "a ab <secret 1> abcd"


def test_a_literal_that_is_the_word_secret_does_not_break_marks() -> None:
    assert shown("the secret, password=abc", "secret") == "the <secret 1>, password=<secret 2>"


def test_the_same_secret_has_the_same_number_in_every_place() -> None:
    text = '{"password":"p%40ss"} Authorization: Bearer p%40ss'
    assert (
        shown("password=p%40ss\nAuthorization: Bearer p@ss")
        == "password=<secret 1>\nAuthorization: Bearer <secret 1>"
    )
    assert shown(text).count("<secret 1>") == 2


def test_a_mark_says_nothing_of_the_secret_to_one_without_the_key() -> None:
    one, other = Redactor(), Redactor()
    assert one.text("password=abc") != other.text("password=abc")
    assert Redactor(key=b"k").text("password=abc") == Redactor(key=b"k").text("password=abc")
    assert "hunter2" not in repr(Redactor(["hunter2"]))


def test_a_pickled_redactor_marks_alike() -> None:
    redactor = Redactor(["hunter2"], rules=(*DEFAULT_RULES, Rule(names=("pin",))))
    text = "pin=1234 hunter2 password=x " + JWT
    redactor.text(text)
    copy: Redactor = pickle.loads(pickle.dumps(redactor))
    assert copy.text(text) == redactor.text(text) != text


def test_rules_of_ones_own_add_names_and_shapes() -> None:
    rules = (*DEFAULT_RULES, Rule(names=("pin",)), Rule(shape=r"acme-(?P<secret>\d+)"))
    redact = Redactor(rules=rules)
    assert Numbered()(redact.text("pin=77 card_pin=78 acme-99 spin=3")) == (
        "pin=<secret 1> card_pin=<secret 2> acme-<secret 3> spin=3"
    )
    assert Redactor().text("pin=77 acme-99") == "pin=77 acme-99"


def test_headers_are_redacted_as_pairs() -> None:
    pairs = (
        ("Set-Cookie", "sid=abc; Path=/"),
        ("X-Api-Key", "k"),
        ("Location", "/x?token=t"),
        ("X-Trace", "7"),
    )
    marked = Redactor().headers(pairs)
    assert [(name, Numbered()(value)) for name, value in marked] == [
        ("Set-Cookie", "sid=<secret 1>; Path=/"),
        ("X-Api-Key", "<secret 1>"),
        ("Location", "/x?token=<secret 1>"),
        ("X-Trace", "7"),
    ]


def test_data_is_redacted_by_key_by_label_and_by_text() -> None:
    data = {
        "password": "a1",
        "n": 1,
        "headers": [{"name": "X-Api-Key", "value": "b1"}, ["Authorization", "Bearer c1"]],
        "token": 5,
        "codes": {"secrets": ["d1", None, True]},
        "cookies": {"sid": "e1"},
        "text": "curl -u me:f1 http://h",
        "schema": {"password": {"type": "string"}},
    }
    assert Numbered().data(Redactor().data(data)) == {
        "password": "<secret 1>",
        "n": 1,
        "headers": [{"name": "X-Api-Key", "value": "<secret 2>"}, ["Authorization", "Bearer <secret 3>"]],
        "token": "<secret 4>",
        "codes": {"secrets": ["<secret 5>", None, True]},
        "cookies": {"sid": "<secret 6>"},
        "text": "curl -u me:<secret 7> http://h",
        "schema": {"password": {"type": "string"}},
    }


@pytest.mark.parametrize(
    ("where", "value", "hidden"),
    [
        (["expect", "json", "$.user.access_token", "equals"], "abc", "<secret 1>"),
        (["expect", "json", "$['token']"], ["abc", 1], ["<secret 1>", "<secret 2>"]),
        (["expect", "headers", "Set-Cookie"], "sid=abc; Path=/", "sid=<secret 1>; Path=/"),
        (["expect", "json", "$.count"], "abc", "abc"),
    ],
)
def test_a_value_that_says_where_it_stands_is_hidden_by_that(
    where: list[str], value: Any, hidden: Any
) -> None:
    data = {"updates": [{"file": "a.yaml", "where": where, "value": value}]}
    numbered = Numbered().data(Redactor().data(data))
    assert numbered == {"updates": [{"file": "a.yaml", "where": where, "value": hidden}]}


def test_data_without_secrets_is_the_same_object() -> None:
    data: dict[str, Any] = {
        "a": [1, "x", {"b": None, "c": ()}],
        "cookies": {},
        "password": {"type": "string"},
    }
    assert Redactor(["hunter2"]).data(data) is data
    assert Numbered().data(data) is data


def test_data_too_deep_to_be_redacted_is_left_out_and_says_so() -> None:
    deep: Any = "hunter2"
    for _ in range(100_000):
        deep = [deep]
    redacted: Any = Redactor(["hunter2"]).data(deep)
    depth = 0
    while isinstance(redacted, list):
        (redacted,) = redacted
        depth += 1
    assert depth == 200
    assert "nested too deeply" in redacted


def outcome(**changes: Any) -> Outcome:
    fields = {"id": "testbed::a.json::x", "act": "testbed", "name": "x", "status": Status.FAILED} | changes
    return Outcome(**fields)


def test_everything_that_is_kept_of_an_outcome_is_redacted() -> None:
    kept = outcome(
        failures=(Failure("token=s1", {"password": "s2"}, "Bearer s3s3", '$.token: expected "s4"'),),
        reason="https://u:s5@h/ refused",
        notes=("Cookie: a=s6",),
        attachments=(Attachment("exchange", "X-Api-Key: s7"),),
        known=Known("until password=s8 is gone"),
        rerun="understudy run --token s9",
        details={"secret": "s10"},
    )
    redacted = Redactor().outcome(kept)
    assert not re.search(r"\bs\d", repr(redacted))
    numbered = repr(Numbered().outcome(redacted))
    assert re.findall(r"<secret (\d+)>", numbered) == [
        str(number) for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    ]


def test_an_id_changes_only_where_a_literal_secret_stands_in_it() -> None:
    kept = outcome(id="testbed::a::GET /x?token=abc", name="GET /x?token=abc", reason="token=abc")
    assert Redactor().outcome(kept).id == kept.id
    assert Redactor().outcome(kept).reason != kept.reason
    known = outcome(id="testbed::a::hunter2 works", name="hunter2 works", status=Status.PASSED)
    redacted = Numbered().outcome(Redactor(["hunter2"]).outcome(known))
    assert (redacted.id, redacted.name) == ("testbed::a::<secret 1> works", "<secret 1> works")


@pytest.mark.parametrize(
    "message", ["$.user.token: does not hold", "header X-Api-Key is wrong: 'k1' is not 'k2'"]
)
def test_the_values_of_a_failure_about_a_secret_field_are_hidden(message: str) -> None:
    failure = Failure(message, "k2", "k1", "--- expected\n+++ actual\n@@ -1 +1 @@\n-k2\n+k1")
    (redacted,) = Redactor().outcome(outcome(failures=(failure,))).failures
    assert not re.search(r"\bk[12]\b", repr(redacted))
    assert redacted.expected != redacted.actual


def test_a_passed_outcome_without_text_is_not_even_copied() -> None:
    redactor, numbered = Redactor(["hunter2", "correct horse", "battery staple"]), Numbered()
    passed = outcome(status=Status.PASSED)
    assert redactor.outcome(passed) is passed
    assert numbered.outcome(passed) is passed


MEGABYTE = 1 << 20
HOSTILE = [
    *("a", '"', "\\", "'", "…", "$[0]", "\n-", "-u ", "--token ", "--token= ", "a=b&", "&token=", "\\\\\\'"),
    *(
        "token=",
        "token:",
        "token: ",
        "x token: ",
        "token: null ",
        "token=<",
        "token=\\",
        "token=${",
        "token={{",
    ),
    *(
        '"password":[',
        '"password":"',
        '"password":',
        '\\"token\\":\\"',
        '"token": {"',
        "password: 'x",
        "'token: \n",
    ),
    *(
        "\\'token: x\n",
        "$.token: ",
        "$['a",
        "$['a'].token: \n",
        "<password>",
        "<password ",
        "<a ",
        "<secret:",
    ),
    *(
        "<secret:0123456789abcdef>",
        "<secret 1>",
        "://",
        "https://a@",
        "%3A%2F%2Fa%3A",
        "%3A%2F%2Fa%40",
        '{"name":"token","value":"a"},',
        "a://a@",
        "Cookie: a;",
        "x cookie: a=; ",
    ),
    *(
        "Set-Cookie: a",
        "Authorization: a ",
        "curl -u 'a:b",
        "curl -b a= ",
        "curl ",
        "eyJ",
        "eyJ-",
        "eyJaaaaa.",
    ),
    *(
        "sk-",
        "ghp_",
        "xoxb-",
        "AIza",
        "SG.aaaaaaaaaaaaaaaa.",
        "Bearer ",
        "bearer a",
        "basic a",
        "-----BEGIN ",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----aaaa ",
        "hunter2",
        "hunte…",
        "12345,",
        '"12345',
    ),
    *(
        "a.b-c%[",
        "{",
        "[1,",
        "pa%73sword=",
        "user:pa@",
        "token = ",
        "token\t",
        '"token" ',
        "\\n\\r",
        "key=\\u0026",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_megabyte_takes_linear_time(piece: str) -> None:
    text = "x " + (piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE]
    with ends():
        Redactor(["hunter2", "12345"]).text(text)


def quoted(text: str, times: int) -> str:
    for _ in range(times):
        text = json.dumps({"token_type": text})
    return text


@pytest.mark.parametrize(
    "text",
    [
        '{"token":"a","b":' * 50_000 + "1" + "}" * 50_000,
        "[" * 500_000 + "]" * 500_000,
        "[" + '"token=a",' * 100_000 + "1]",
        "\n\n{}" * 250_000,
        "\n\n[" * 250_000,
        quoted("password=x " + "a" * 500_000, 14),
    ],
)
def test_a_hostile_megabyte_of_json_takes_linear_time(text: str) -> None:
    with ends():
        Redactor(["hunter2", "12345"]).text(text)


def test_json_in_json_in_json_is_redacted_and_still_json() -> None:
    text: Any = json.loads(shown(quoted('{"password": "x", "n": [12345]} or password=', 6), "12345"))
    for _ in range(5):
        text = json.loads(text["token_type"])
    assert text["token_type"] == '{"password": "<secret 1>", "n": ["<secret 2>"]} or password='


@pytest.mark.parametrize("tail", ["token=", '"token": "', " ", '"'])
@pytest.mark.parametrize("filler", ["a", " ", "\\", "[", '"'])
def test_a_megabyte_of_filler_around_a_name_takes_linear_time(filler: str, tail: str) -> None:
    with ends():
        Redactor(["hunter2"]).text('{"token":' + filler * MEGABYTE + tail)
