"""Each builtin of OPA is the engine's, ours, or refused by name; and gives what OPA documents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.evaluate.policy import PolicyEngine, PolicyText
from understudy.rules.evaluate.rego_builtins import ANY_NUMBER, DEPRECATED, IN_ENGINE, NOT_IN_ENGINE
from understudy.rules.evaluate.rego_engine import open_engine
from understudy.rules.evaluate.regorus_extensions import provided
from understudy.rules.evaluate.regorus_support import IN_LIBRARY

UNDEFINED = object()


@pytest.fixture(scope="module")
def engine() -> PolicyEngine:
    return open_engine()


VALUES: list[tuple[str, Any]] = [
    ('count("aé")', 2),
    ('count({"a":1})', 1),
    ("sum([1,2.5])", 3.5),
    ("sum(set())", 0),
    ("product([2,3])", 6),
    ("max([1,3,2])", 3),
    ("max([])", UNDEFINED),
    ("min({3,1})", 1),
    ('sort({3,1,"a"})', [1, 3, "a"]),
    ("array.concat([1],[2])", [1, 2]),
    ("array.slice([1,2,3,4],1,3)", [2, 3]),
    ("array.slice([1,2],-1,9)", [1, 2]),
    ("array.reverse([1,2])", [2, 1]),
    ("intersection({{1,2},{2}})", [2]),
    ("union({{1},{2}})", [1, 2]),
    ("union(set())", []),
    ('concat(",", {"b","a"})', "a,b"),
    ('contains("abc","b")', True),
    ('contains("abc","")', True),
    ('endswith("abc","c")', True),
    ('startswith("abc","ab")', True),
    ("format_int(15.5, 16)", "f"),
    ("format_int(-7, 2)", "-111"),
    ('indexof("héllo","l")', 2),
    ('indexof("a","z")', -1),
    ('indexof_n("banana","a")', [1, 3, 5]),
    ('lower("ÀB")', "àb"),
    ('upper("ab")', "AB"),
    ('replace("aaa","a","b")', "bbb"),
    ('replace("abc","","-")', "-a-b-c-"),
    ('split("a,b",",")', ["a", "b"]),
    ('split("abc","")', ["a", "b", "c"]),
    ('split("",",")', [""]),
    ('substring("hello",1,3)', "ell"),
    ('substring("hello",1,-1)', "ello"),
    ('substring("hello",9,1)', ""),
    ('substring("hello",-1,1)', UNDEFINED),
    ('substring("héllo",1,1)', "é"),
    ('trim("  a ", " ")', "a"),
    ('trim("xyaxy","xy")', "a"),
    ('trim_left("xxa","x")', "a"),
    ('trim_right("axx","x")', "a"),
    ('trim_prefix("foobar","foo")', "bar"),
    ('trim_suffix("foobar","bar")', "foo"),
    ('trim_space("\\n a \\t")', "a"),
    ('strings.reverse("héa")', "aéh"),
    ('strings.replace_n({"<":"&lt;",">":"&gt;"},"<a>")', "&lt;a&gt;"),
    ('strings.any_prefix_match(["abc","x"],["a"])', True),
    ('strings.any_prefix_match("abc",{"b"})', False),
    ('strings.any_suffix_match("abc","bc")', True),
    ('strings.count("cheese","e")', 3),
    ('glob.match("*.github.com", [], "api.github.com")', True),
    ('glob.match("*.github.com", ["."], "api.github.com")', True),
    ('glob.match("*.github.com", [], "api.cdn.github.com")', False),
    ('glob.match("*hub.com", null, "api.cdn.github.com")', True),
    ('glob.match("*:github:com", [":"], "api:github:com")', True),
    ('glob.match("api.**.com", [], "api.github.com")', True),
    ('glob.match("api.**.com", ["."], "api.cdn.github.com")', True),
    ('glob.match("?at", [], "cat")', True),
    ('glob.match("[abc]at", [], "bat")', True),
    ('glob.match("[!abc]at", [], "bat")', False),
    ('glob.match("[!a-c]at", [], "dat")', True),
    ('glob.match("{cat,bat,[fr]at}", [], "rat")', True),
    ('glob.match("{cat,bat,[fr]at}", [], "at")', False),
    ('glob.quote_meta("*.github.com")', "\\*.github.com"),
    ('units.parse("10K")', 10000),
    ('units.parse("1.5Ki")', 1536),
    ('units.parse("200m")', 0.2),
    ('units.parse("10")', 10),
    ('units.parse_bytes("10KB")', 10000),
    ('units.parse_bytes("1MiB")', 1048576),
    ('units.parse_bytes("12.5kb")', 12500),
    ("type_name(set())", "set"),
    ('to_number("1.5")', 1.5),
    ("to_number(null)", 0),
    ("to_number(true)", 1),
    ('to_number("0x10")', UNDEFINED),
    ('base64.encode("héllo")', "aMOpbGxv"),
    ('base64.decode("aMOpbGxv")', "héllo"),
    ('base64.decode("!")', UNDEFINED),
    ('base64.is_valid("aMOpbGxv")', True),
    ('base64url.encode("a?>")', "YT8-"),
    ('base64url.encode_no_pad("a")', "YQ"),
    ('base64url.decode("YQ")', "a"),
    ('base64url.decode("YQ==")', "a"),
    ('hex.encode("ab")', "6162"),
    ('hex.decode("6162")', "ab"),
    ('hex.decode("zz")', UNDEFINED),
    ('urlquery.encode("a b&c/d")', "a+b%26c%2Fd"),
    ('urlquery.decode("a+b%26c")', "a b&c"),
    ('urlquery.encode_object({"a":["b","c"],"d":"e f"})', "a=b&a=c&d=e+f"),
    ('urlquery.decode_object("a=1&a=2&b=")', {"a": ["1", "2"], "b": [""]}),
    ('json.filter({"a":{"b":1,"c":2},"d":3}, {"a/b"})', {"a": {"b": 1}}),
    ('json.filter({"a":{"b":1,"c":2},"d":3}, [["a","b"]])', {"a": {"b": 1}}),
    ('json.is_valid("{}")', True),
    ('json.is_valid("{")', False),
    ("json.is_valid(1)", False),
    ('json.marshal({"b":1,"a":[1.5,null,{2}]})', '{"a":[1.5,null,[2]],"b":1}'),
    ('json.marshal_with_options({"a":1}, {"pretty":true,"indent":"  "})', '{\n  "a": 1\n}'),
    ('json.unmarshal("{\\"a\\":[1]}")', {"a": [1]}),
    ('json.remove({"a":{"b":1,"c":2}}, ["a/b"])', {"a": {"c": 2}}),
    ('json.patch({"a":[1,2]}, [{"op":"add","path":"/a/1","value":9}])', {"a": [1, 9, 2]}),
    ('json.patch({"a":{"foo":1}}, [{"op":"add","path":"/a/bar","value":2}])', {"a": {"foo": 1, "bar": 2}}),
    ('json.patch({"a":1}, [{"op":"remove","path":"/b"}])', UNDEFINED),
    ('json.patch({"a":1}, [{"op":"replace","path":"a","value":2}])', {"a": 2}),
    ('json.match_schema({"a":1}, {"type":"object","required":["b"]})[0]', False),
    ('json.match_schema({"a":1}, {"type":"object"})', [True, []]),
    ('json.verify_schema({"type":"object"})', [True, None]),
    ('yaml.unmarshal("a: [1, x]\\non: y")', {"a": [1, "x"], "on": "y"}),
    ('yaml.unmarshal("a: yes")', {"a": "yes"}),
    ('yaml.marshal({"a":[1]})', "a:\n- 1\n"),
    ('yaml.is_valid("a: [")', False),
    ('yaml.is_valid("a: 1")', True),
    ('time.parse_rfc3339_ns("2024-01-02T03:04:05Z")', 1704164645000000000),
    ('time.parse_rfc3339_ns("2024-01-02T03:04:05.5+02:00")', 1704157445500000000),
    ('time.parse_ns("2006-01-02","2024-01-02")', 1704153600000000000),
    ('time.parse_ns("2006-01-02T15:04:05Z07:00","2024-01-02T03:04:05Z")', 1704164645000000000),
    ('time.parse_ns("RFC1123","Tue, 02 Jan 2024 03:04:05 UTC")', 1704164645000000000),
    ('time.parse_duration_ns("1h30m")', 5400000000000),
    ('time.parse_duration_ns("1.5s")', 1500000000),
    ('time.parse_duration_ns("-2ms")', -2000000),
    ("time.date(1704164645000000000)", [2024, 1, 2]),
    ('time.date([1704164645000000000, "Asia/Tokyo"])', [2024, 1, 2]),
    ("time.clock(1704164645000000000)", [3, 4, 5]),
    ('time.clock([1704164645000000000, "America/New_York"])', [22, 4, 5]),
    ("time.weekday(1704164645000000000)", "Tuesday"),
    ("time.diff(1704164645000000000, 0)", [54, 0, 1, 3, 4, 5]),
    ("time.format(1704164645000000000)", "2024-01-02T03:04:05Z"),
    ('time.format([1704164645000000000, "UTC", "Jan 2, 2006"])', "Jan 2, 2024"),
    ('graph.reachable({"a":["b"],"b":["c"],"c":[]}, {"a"})', ["a", "b", "c"]),
    ('net.cidr_contains("10.0.0.0/8","10.1.2.3")', True),
    ('net.cidr_contains("10.0.0.0/8","10.1.0.0/16")', True),
    ('net.cidr_contains("10.0.0.0/8","11.1.0.0/16")', False),
    ('net.cidr_contains("x","11.1.0.0/16")', UNDEFINED),
    ('net.cidr_expand("192.168.0.0/30")', ["192.168.0.0", "192.168.0.1", "192.168.0.2", "192.168.0.3"]),
    ('net.cidr_is_valid("10.0.0.0/8")', True),
    ('net.cidr_is_valid("10.0.0.0")', False),
    ('uuid.parse("00000000-0000-4000-8000-000000000000").version', 4),
    ('semver.compare("1.2.3","1.10.0")', -1),
    ('semver.compare("1.2.3","1.2.3-rc1")', 1),
    ('semver.compare("v1","1.2.3")', UNDEFINED),
    ('semver.is_valid("1.2.3")', True),
    ('semver.is_valid("v1.2.3")', False),
    ('object.filter({"a":1,"b":2}, ["a"])', {"a": 1}),
    ('object.get({"a":{"b":1}}, ["a","b"], 0)', 1),
    ('object.get({"a":{"b":1}}, ["a","z"], 0)', 0),
    ('object.keys({"a":1})', ["a"]),
    ('object.remove({"a":1,"b":2}, {"b"})', {"a": 1}),
    ('object.subset({"a":{"b":1,"c":2}}, {"a":{"b":1}})', True),
    ("object.subset([1,2,3],[2,3])", True),
    ("object.subset({1,2},{3})", False),
    ('object.union({"a":{"x":1}},{"a":{"y":2}})', {"a": {"x": 1, "y": 2}}),
    ('object.union_n([{"a":1},{"b":2},{"a":3}])', {"a": 3, "b": 2}),
    ("numbers.range(1,3)", [1, 2, 3]),
    ("numbers.range(3,1)", [3, 2, 1]),
    ("numbers.range_step(1,7,3)", [1, 4, 7]),
    ("numbers.range_step(1,7,0)", UNDEFINED),
    ("abs(-1.5)", 1.5),
    ("ceil(1.2)", 2),
    ("floor(-1.2)", -2),
    ("round(1.5)", 2),
    ("bits.and(6,3)", 2),
    ("bits.or(6,1)", 7),
    ("bits.xor(6,3)", 5),
    ("bits.lsh(1,4)", 16),
    ("bits.rsh(16,4)", 1),
    ("bits.negate(1)", -2),
    ('crypto.sha256("a")', "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
    ('crypto.sha1("a")', "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"),
    ('net.cidr_merge(["10.0.0.0/25","10.0.0.128/25"])', ["10.0.0.0/24"]),
    ('net.cidr_intersects("10.0.0.0/8","10.1.0.0/16")', True),
    ('net.cidr_contains_matches(["10.0.0.0/8"],["10.1.0.0/16"])', [[0, 0]]),
    ('regex.template_match("urn:foo:{.*}", "urn:foo:bar:baz", "{", "}")', True),
    ("opa.runtime()", {}),
    ("rego.metadata.rule()", {}),
    ("rego.metadata.chain()", []),
    ("7 % 3", 1),
    ("-7 % 3", -1),
    ("7 / 2", 3.5),
    ("1 / 3 * 3", 1),
    ("0.1 + 0.2", 0.30000000000000004),
    ('"a" < "b"', True),
    ("[1,2] < [1,3]", True),
    ("null < false", True),
    ("{1,2} & {2}", [2]),
    ("{1} | {2}", [1, 2]),
    ('"é" == "é"', True),
    ("array.flatten([1,[2,[3]]])", [1, 2, [3]]),
    ("lower(1)", UNDEFINED),
    ('concat(",", [1])', UNDEFINED),
    ('startswith(null, "a")', UNDEFINED),
    ('split(null, "a")', UNDEFINED),
    ('contains(["a"], "a")', UNDEFINED),
    ("count(1)", UNDEFINED),
    ('sort("a")', UNDEFINED),
    ('trim(1,"a")', UNDEFINED),
    ('replace(1,"a","b")', UNDEFINED),
    ("time.parse_rfc3339_ns(1)", UNDEFINED),
    ("json.unmarshal(1)", UNDEFINED),
    ("is_string(input.nope)", UNDEFINED),
    ('object.get(null,"a",1)', UNDEFINED),
    ("object.keys([1])", UNDEFINED),
    ('crypto.md5("a")', "0cc175b9c0f1b6a831c399e269772661"),
    ('crypto.hmac.sha256("foo", "bar")', "147933218aaabc0b8b10a2b3a5c34684c8d94341bcf10a4736dc7270f7741851"),
    ('crypto.hmac.equal("a", "a")', True),
    ('io.jwt.decode("eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.YWI")', [{"alg": "HS256"}, {"a": 1}, "6162"]),
    ('[p | [_, p, _] := io.jwt.decode("eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.YWI")]', [{"a": 1}]),
    ('json.marshal("<&>")', '"\\u003c\\u0026\\u003e"'),
    ("time.add_date(1704164645000000000, 0, 1, 0)", 1706843045000000000),
    ('regex.replace("a ${{ b }}", `\\${{(.*?)}}`, "[$1]")', "a [ b ]"),
    ('regex.find_n("a.", "paranormal", -1)', ["ar", "an", "al"]),
    ('regex.split("/", "a/b")', ["a", "b"]),
    ('regex.find_all_string_submatch_n("a(x*)b", "axb-ab", 1)', [["axb", "x"]]),
    ("count({1, 2}) + plus(1, 2)", 5),
]


@pytest.mark.parametrize(("expression", "expected"), VALUES)
def test_the_value_of_a_call(engine: PolicyEngine, expression: str, expected: Any) -> None:
    policy = engine.compile(PolicyText("r.rego", f"package minder\nx := {expression}"))
    value = policy.evaluate({}, {}, ["x"]).values.get("x", UNDEFINED)
    assert value == expected
    assert isinstance(value, bool) == isinstance(expected, bool)


NOT_PROVIDED = {
    "crypto.parse_private_keys",
    "crypto.x509.parse_and_verify_certificates",
    "crypto.x509.parse_and_verify_certificates_with_options",
    "crypto.x509.parse_certificate_request",
    "crypto.x509.parse_certificates",
    "crypto.x509.parse_keypair",
    "crypto.x509.parse_rsa_private_key",
    "graphql.is_valid",
    "graphql.parse",
    "graphql.parse_and_verify",
    "graphql.parse_query",
    "graphql.parse_schema",
    "graphql.schema_is_valid",
    "io.jwt.decode_verify",
    "io.jwt.encode_sign",
    "io.jwt.encode_sign_raw",
    *(f"io.jwt.verify_{kind}{bits}" for kind in ("es", "ps", "rs") for bits in (256, 384, 512)),
    "io.jwt.verify_eddsa",
    "ldap.parse",
    "net.lookup_ip_addr",
    "providers.aws.sign_req",
    "regex.globs_match",
    "rego.parse_module",
    "strings.render_template",
}


def test_the_table_of_what_is_missing_is_true() -> None:
    assert NOT_IN_ENGINE.keys() - provided().keys() - IN_LIBRARY == NOT_PROVIDED
    assert not IN_ENGINE.keys() & NOT_IN_ENGINE.keys()


@pytest.mark.parametrize("name", sorted((IN_ENGINE.keys() | NOT_IN_ENGINE.keys()) - {"http.send"}))
def test_every_builtin_is_found_or_refused_by_name(engine: PolicyEngine, name: str) -> None:
    arity = IN_ENGINE.get(name, NOT_IN_ENGINE.get(name, 0))
    arguments = ", ".join(["input.given"] * arity)
    text = PolicyText("r.rego", f"package minder\nx = y {{ y := {name}({arguments}) }}")
    if name in NOT_PROVIDED:
        with pytest.raises(InputError, match="OPA has it, but it cannot be evaluated here"):
            engine.compile(text)
        return
    for given in ("a", 1, None, [1], {"a": 1}):
        engine.compile(text).evaluate({"given": given}, {}, ["x"])


def test_what_rego_v1_dropped_is_refused_in_it(engine: PolicyEngine) -> None:
    for name in sorted(DEPRECATED):
        arguments = ", ".join(["input.a"] * NOT_IN_ENGINE[name])
        with pytest.raises(InputError, match=f"deprecated built-in function {name}"):
            engine.compile(PolicyText("r.rego", f"package minder\nimport rego.v1\nx if {name}({arguments})"))


def test_print_takes_any_number_of_arguments() -> None:
    assert "print" in ANY_NUMBER


def test_what_is_chance_in_opa_is_the_same_in_every_run() -> None:
    rego = 'package minder\nx := [uuid.rfc4122("a"), uuid.rfc4122("b"), rand.intn("a", 1000), rand.intn("b", 1000)]'
    first, second = (
        open_engine().compile(PolicyText("r.rego", rego)).evaluate({}, {}, ["x"]).values["x"]
        for _ in range(2)
    )
    assert first == second
    assert len({json.dumps(value) for value in first}) == 4


def test_the_clock_of_one_evaluation_stands_still(engine: PolicyEngine) -> None:
    rego = "package minder\nx if { a := time.now_ns(); numbers.range(1, 1000); a == time.now_ns() }"
    assert engine.compile(PolicyText("r.rego", rego)).evaluate({}, {}, ["x"]).values == {"x": True}
