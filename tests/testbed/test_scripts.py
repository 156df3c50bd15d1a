"""Scripts are read with the place of every entry, and all that is wrong with them is told at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.testbed.scripts import load_script, load_scripts, read_scripts

GOOD = """\
http:
  - operation: getItem
    name: first item
    params: {id: 1}
    query: {q: x}
    headers: {X-Trace: 7}
    locals: {}
    body: {}
    expect: {status: 200, headers: {}, bodyContains: [], streamContains: []}
websocket:
  - operation: feed
    name: echo
    messages: [{type: text, data: hi}, {type: close}]
    expect: {messages: [{type: text, data: hi}], closeCode: 1000}
graphql:
  - endpoint: shop          # name or path
    name: all
    query: "{items{id}}"
    expect: {bodyContains: [items]}
grpc:
  - service: shop.Inventory
    method: Get
    name: known
    message: {sku: a}
    expect: {code: OK, message: {stock: 3}}
queue:
  - queue: orders
    job: ship
    name: ships
    body: '{"id":1}'
    headers: {trace: "7"}
    expect: {error: ""}
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_script(text: str) -> Path:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.yaml"
        path.write_text(text)
        return path

    return write_script


def problems_of(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_script(path)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


def test_the_script_of_the_shapes_page_is_read(write: Write) -> None:
    script = load_script(write(GOOD))
    assert script.http[0].params == {"id": 1}
    assert script.websocket[0].expect.close_code == 1000
    assert script.graphql[0].query == "{items{id}}"
    assert script.grpc[0].expect.message == {"stock": 3}
    assert script.queue[0].headers == {"trace": "7"}


def test_script_and_entries_know_the_file_as_it_was_given_and_their_place(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = write(GOOD).name
    monkeypatch.chdir(tmp_path)
    script = load_script(name)
    assert script.file == name
    source = script.grpc[0].source
    assert source is not None
    assert (source.file, source.line, source.column) == (name, 21, 5)


def test_several_scripts_come_in_the_order_given(write: Write) -> None:
    paths = [write(GOOD), write("http: [{operation: a}]")]
    assert [script.file for script in load_scripts(reversed(paths))] == [str(paths[1]), str(paths[0])]


def test_extension_keys_are_read_in_entries_of_every_kind(write: Write) -> None:
    common = """
    known: {reason: slow, until: 2026-12-31}
    tags: [nightly]
    capture: {id: $.id}
    needs: [other]
    finally: true
    retry: {attempts: 3, delayMs: 10}
    followRedirects: false
    timeoutMs: 500
    until: {latencyMs: 10, attempts: 2}
    failIf: {latencyMs: 10}
"""
    script = load_script(
        write(
            f"http:\n  - operation: a{common}"
            f"websocket:\n  - operation: b{common}"
            f"graphql:\n  - endpoint: c\n    query: q{common}"
            f"grpc:\n  - service: d\n    method: e{common}"
            f"queue:\n  - queue: f\n    job: g{common}"
        )
    )
    for entry in (script.http, script.websocket, script.graphql, script.grpc, script.queue):
        (read,) = entry
        assert read.known is not None
        assert (read.known.reason, read.known.until) == ("slow", "2026-12-31")
        assert (read.tags, read.needs, read.finally_) == (["nightly"], ["other"], True)
        assert (read.follow_redirects, read.timeout_ms) == (False, 500)
        assert read.until is not None
        assert read.until.attempts == 2
        assert read.fail_if is not None
        assert read.fail_if.latency_ms == 10


def test_unknown_keys_are_errors_with_the_nearest_key(write: Write) -> None:
    text = """\
htpp: []
http:
  - operaton: getItem
    expect: {statsu: 200, bodyContain: [x]}
websocket:
  - messages: [{tipe: text}]
    expect: {closeCod: 1}
graphql:
  - variabels: {}
grpc:
  - metadta: {}
queue:
  - bodyBase46: ''
    known: {reason: x, untl: 2026-12-31}
"""
    assert problems_of(write(text)) == [
        "1:1: unknown key 'htpp' (did you mean 'http'?)",
        "3:5: unknown key 'operaton' (did you mean 'operation'?)",
        "4:14: unknown key 'statsu' (did you mean 'status'?)",
        "4:27: unknown key 'bodyContain' (did you mean 'bodyContains'?)",
        "6:17: unknown key 'tipe' (did you mean 'type'?)",
        "7:14: unknown key 'closeCod' (did you mean 'closeCode'?)",
        "9:5: unknown key 'variabels' (did you mean 'variables'?)",
        "11:5: unknown key 'metadta' (did you mean 'metadata'?)",
        "13:5: unknown key 'bodyBase46' (did you mean 'bodyBase64'?)",
        "14:24: unknown key 'untl' (did you mean 'until'?)",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("http: [{operation: a, params: [1]}]", "1:31: 'params' must be a mapping, not a list"),
        ("http: [{expect: {status: abc}}]", "1:26: 'status' must be a whole number, not text \"abc\""),
        ("http: [{expect: {bodyContains: x}}]", "1:32: 'bodyContains' must be a list, not text \"x\""),
        ("http: [{expect: [x]}]", "1:17: 'expect' must be a mapping, not a list"),
        ("http: [{body: 7}]", "1:15: 'body': must be a mapping with text as keys, a list or a text, not 7"),
        ("http: [{tags: 7}]", "1:15: 'tags' must be a list, not the number 7"),
        ("http: [{known: yes}]", "1:16: 'known' must be a mapping, not true"),
        ("http: [{known: {until: 2026-12-31}}]", "1:16: 'reason' is missing"),
        ("http: [{known: {reason: ''}}]", "1:25: 'reason' must not be empty"),
        (
            "http: [{expect: {json: {'$.a[': 1}}}]",
            "1:25: the key '$.a[': '$.a[' is no JSONPath: unbalanced brackets, line 1, column 4",
        ),
        (
            "http: [{expect: {json: {a..b: 1}}}]",
            "1:25: the key 'a..b': 'a..b' is no path: write $.items[0].id, items[0].id or /items/0/id",
        ),
        (
            "graphql: [{expect: {data: {a..b: 1}}}]",
            "1:28: the key 'a..b': 'a..b' is no path: write $.items[0].id, items[0].id or /items/0/id",
        ),
        (
            "graphql: [{expect: {errors: {a..b: 1}}}]",
            "1:29: 'errors': at 'a..b': 'a..b' is no path: write $.items[0].id, items[0].id or /items/0/id",
        ),
        (
            "http: [{capture: {x: a..b}}]",
            "1:22: 'x': 'a..b' is no path: write $.items[0].id, items[0].id or /items/0/id",
        ),
        (
            "http: [{capture: {x: 'regex:('}}]",
            "1:22: 'x': '(' is no regular expression: missing ), unterminated subpattern at position 0",
        ),
        (
            "http: [{capture: {x: {cokie: sid}}}]",
            "1:22: 'x': a capture takes one of json, header, cookie, regex, status, body, not {'cokie': 'sid'}",
        ),
        ("http: [5]", "1:8: 'http[0]' must be a mapping, not the number 5"),
        ("http:\n  -\n", "2:4: 'http[0]' must be a mapping, not nothing (null)"),
        ("http: {operation: a}", "1:7: 'http' must be a list, not a mapping"),
        ("graphql: text", "1:10: 'graphql' must be a list, not text \"text\""),
        ("queue: [{headers: {a: 7}}]", "1:23: 'a' must be text, not the number 7"),
        ("[1, 2]", "1:1: the content must be a mapping, not a list"),
        ("just text", '1:1: the content must be a mapping, not text "just text"'),
    ],
)
def test_a_wrong_type_is_one_problem_at_its_place(write: Write, text: str, problem: str) -> None:
    assert problems_of(write(text)) == [problem]


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", "http: []\ngrpc:\n", "~"])
def test_a_script_without_cases_is_a_problem_since_nothing_would_be_checked(write: Write, text: str) -> None:
    (problem,) = problems_of(write(text))
    assert "the script has no cases" in problem
    assert problem.endswith("(add a case under http, websocket, graphql, grpc or queue)")


def test_every_unusable_file_gives_one_clear_problem_and_the_others_are_still_checked(
    tmp_path: Path, write: Write
) -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 20)
    )
    contents: dict[str, tuple[bytes, str]] = {
        "empty": (b"", "is empty: the script has no cases"),
        "binary": (b"\x7fELF\0\0", "is binary"),
        "latin1": ("http: [{operation: grün}]".encode("latin-1"), "is not UTF-8"),
        "large": (b"#" * ((16 << 20) + 1), "is too large"),
        "deep": (b"http: " + b"[" * 50_000, "is nested more than 100 levels deep"),
        "bomb": (bomb.encode(), "its aliases written out"),
        "list": (b"- http", "the content must be a mapping, not a list"),
        "syntax": (b"http: [", "is not valid YAML"),
        "two": (b"http: []\n---\nhttp: []", "a second document begins here"),
        "twice": (b"http: []\nhttp: []", "the key 'http' is given twice"),
        "wrong": (b"http: [{operation: 7}]", "'operation' must be text, not the number 7"),
    }
    paths = [tmp_path / "absent", tmp_path]
    messages = ["does not exist", "is a directory"]
    for name, (content, message) in contents.items():
        (tmp_path / name).write_bytes(content)
        paths.append(tmp_path / name)
        messages.append(message)
    good = write(GOOD)
    scripts, problems = read_scripts([*paths, good])
    assert [problem.file for problem in problems] == [str(path) for path in paths]
    for problem, message in zip(problems, messages, strict=True):
        assert message in str(problem)
    assert scripts[-1].file == str(good)
    with pytest.raises(InputError) as caught:
        load_scripts([*paths, good])
    assert caught.value.problems == tuple(problems)


def test_what_is_right_about_a_wrong_entry_is_kept_to_be_checked_too(write: Write) -> None:
    text = (
        "http:\n  - operation: a\n    tags: 3\n    expect: {status: x, bodyContains: [y]}\n  - operation: 7\n"
    )
    (script,), problems = read_scripts([write(text)])
    assert len(problems) == 3
    (entry,) = script.http
    assert (entry.operation, entry.tags, entry.expect.body_contains) == ("a", [], ["y"])
    assert entry.source is not None
    assert entry.source.line == 2
