"""The functions that OPA has, with the number of their arguments, and which of them the engine has too."""

from __future__ import annotations

# "name:arguments"; those of a line that begins with "-" are not in the engine.
_TABLE = """
count:1 sum:1 product:1 max:1 min:1 sort:1
array.concat:2 array.slice:3 array.reverse:1
intersection:1 union:1
concat:2 contains:2 endswith:2 startswith:2 format_int:2 indexof:2 indexof_n:2 lower:1 upper:1 replace:3
split:2 sprintf:2 substring:3 trim:2 trim_left:2 trim_prefix:2 trim_right:2 trim_suffix:2 trim_space:1
strings.reverse:1 strings.replace_n:2 strings.any_prefix_match:2 strings.any_suffix_match:2 strings.count:2
regex.match:2 regex.is_valid:1 regex.find_all_string_submatch_n:3 regex.find_n:3 regex.replace:3 regex.split:2
regex.template_match:4 glob.match:3 glob.quote_meta:1 units.parse:1 units.parse_bytes:1
is_array:1 is_boolean:1 is_null:1 is_number:1 is_object:1 is_set:1 is_string:1 type_name:1 to_number:1
base64.encode:1 base64.decode:1 base64.is_valid:1 base64url.encode:1 base64url.encode_no_pad:1 base64url.decode:1
hex.encode:1 hex.decode:1 urlquery.encode:1 urlquery.decode:1 urlquery.encode_object:1 urlquery.decode_object:1
json.filter:2 json.is_valid:1 json.marshal:1 json.marshal_with_options:2 json.match_schema:2 json.patch:2
json.remove:2 json.unmarshal:1 json.verify_schema:1 yaml.is_valid:1 yaml.marshal:1 yaml.unmarshal:1
time.add_date:4 time.clock:1 time.date:1 time.diff:2 time.format:1 time.now_ns:0 time.parse_duration_ns:1
time.parse_ns:2 time.parse_rfc3339_ns:1 time.weekday:1
walk:1 graph.reachable:2 graph.reachable_paths:2 net.cidr_contains:2 net.cidr_expand:1 net.cidr_is_valid:1
uuid.rfc4122:1 uuid.parse:1 semver.compare:2 semver.is_valid:1 opa.runtime:0 trace:1
object.filter:2 object.get:3 object.keys:1 object.remove:2 object.subset:2 object.union:2 object.union_n:1
numbers.range:2 numbers.range_step:3 rand.intn:2 abs:1 ceil:1 floor:1 round:1
bits.and:2 bits.lsh:2 bits.negate:1 bits.or:2 bits.rsh:2 bits.xor:2
- all:1 any:1 set_diff:2 re_match:2
- cast_array:1 cast_boolean:1 cast_null:1 cast_object:1 cast_set:1 cast_string:1
- array.flatten:1 strings.render_template:2 regex.globs_match:2
- crypto.hmac.equal:2 crypto.hmac.md5:2 crypto.hmac.sha1:2 crypto.hmac.sha256:2 crypto.hmac.sha512:2
- crypto.md5:1 crypto.sha1:1 crypto.sha256:1 crypto.parse_private_keys:1 crypto.x509.parse_certificates:1
- crypto.x509.parse_certificate_request:1 crypto.x509.parse_keypair:2 crypto.x509.parse_rsa_private_key:1
- crypto.x509.parse_and_verify_certificates:1 crypto.x509.parse_and_verify_certificates_with_options:2
- io.jwt.decode:1 io.jwt.decode_verify:2 io.jwt.encode_sign:3 io.jwt.encode_sign_raw:3
- io.jwt.verify_es256:2 io.jwt.verify_es384:2 io.jwt.verify_es512:2 io.jwt.verify_hs256:2 io.jwt.verify_hs384:2
- io.jwt.verify_hs512:2 io.jwt.verify_ps256:2 io.jwt.verify_ps384:2 io.jwt.verify_ps512:2 io.jwt.verify_rs256:2
- io.jwt.verify_rs384:2 io.jwt.verify_rs512:2 io.jwt.verify_eddsa:2
- graphql.is_valid:2 graphql.parse:2 graphql.parse_and_verify:2 graphql.parse_query:1 graphql.parse_schema:1
- graphql.schema_is_valid:1 ldap.parse:1
- net.cidr_contains_matches:2 net.cidr_intersects:2 net.cidr_merge:1 net.cidr_overlap:2 net.lookup_ip_addr:1
- rego.metadata.chain:0 rego.metadata.rule:0 rego.parse_module:2 providers.aws.sign_req:3
- plus:2 minus:2 mul:2 div:2 rem:2 eq:2 equal:2 neq:2 gt:2 gte:2 lt:2 lte:2 and:2 or:2
"""


def _read(native: bool) -> dict[str, int]:
    lines = (line for line in _TABLE.split("\n") if line.startswith("- ") != native)
    pairs = (word.rpartition(":") for line in lines for word in line.removeprefix("- ").split())
    return {name: int(arguments) for name, _, arguments in pairs}


IN_ENGINE = _read(native=True)
"""What the engine evaluates by itself."""

NOT_IN_ENGINE = _read(native=False)
"""What OPA has and the engine lacks."""

ANY_NUMBER = frozenset({"print"})
"""What takes any number of arguments, and never fails."""

DEPRECATED = frozenset(
    {"all", "any", "set_diff", "re_match", "net.cidr_overlap", "cast_array", "cast_boolean", "cast_null"}
    | {"cast_object", "cast_set", "cast_string"}
)
"""What Rego v1 no longer allows, and v0 does."""

HOST_NAMES: dict[str, int] = {
    **{
        f"{tree}.{name}": 1
        for tree in ("file", "base_file")
        for name in ("exists", "read", "ls", "ls_glob", "walk", "archive", "http_type", "deps")
    },
    "github_workflow.ls_actions": 1,
    "github_workflow.base_ls_actions": 1,
    "jq.is_true": 2,
    "parse_yaml": 1,
    "parse_toml": 1,
    "http.send": 1,
}
"""The functions that the host of every rule offers."""
