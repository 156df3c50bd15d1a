"""The Rego of ours that stands beside a policy: how it reaches the host, and how a failing builtin is undefined.

A call `file.read("x")` becomes `data.understudy_host.f0(7, "x")`, and `to_number(x)`, once it was seen to fail,
`data.understudy_safe.f1(8, x)`: functions of the modules written here, whose first argument is the number of
the site, so that what happens can be told with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from understudy.rules.evaluate.rego_places import Edit
from understudy.rules.evaluate.regorus_tree import Call, Declaration, Domain, Operation

HOST, SAFE, LIBRARY, WANTED = (f"understudy_{name}" for name in ("host", "safe", "library", "wanted"))
CALL_HOST, WORKS, SPRINTF, SPRINTF_TYPED, ADD_DATE, FORMAT_TIME = (
    f"understudy.{name}" for name in ("call", "works", "sprintf", "sprintf_typed", "add_date", "format_time")
)

# What OPA has, or has otherwise, and Rego itself can say.
LIBRARY_TEXT = f"""package {LIBRARY}
import rego.v1
any(xs) := true in xs
all(xs) := count([x | some x in xs; x != true]) == 0 if {{ is_array(xs) }} else := xs - {{true}} == set()
set_diff(a, b) := a - b
cast_array(x) := x if is_array(x) else := [e | some e in x] if is_set(x)
cast_set(x) := x if is_set(x) else := {{e | some e in x}} if is_array(x)
cast_string(x) := x if is_string(x)
cast_boolean(x) := x if is_boolean(x)
cast_null(x) := x if is_null(x)
cast_object(x) := x if is_object(x)
array__flatten(xs) := [e | some x in xs; some e in _elements(x)] if is_array(xs)
_elements(x) := x if is_array(x) else := [x]
json__marshal(x) := strings.replace_n(
	{{"<": "\\\\u003c", ">": "\\\\u003e", "&": "\\\\u0026", "\\u2028": "\\\\u2028", "\\u2029": "\\\\u2029"}},
	json.marshal(x))
json__is_valid(x) := json.is_valid(x) if is_string(x) else := false if not is_string(x)
yaml__is_valid(x) := yaml.is_valid(x) if is_string(x) else := false if not is_string(x)
base64__is_valid(x) := base64.is_valid(x) if is_string(x) else := false if not is_string(x)
net__cidr_is_valid(x) := net.cidr_is_valid(x) if is_string(x) else := false if not is_string(x)
json__match_schema(x, schema) := [found[0], [e | some e in found[1]]] if {{
	found := json.match_schema(x, schema)
	is_array(found[1])
}} else := [found[0], []] if {{
	found := json.match_schema(x, schema)
}}
opa__runtime() := {{}}
time__add_date(x, y, m, d) := {ADD_DATE}(x, y, m, d) if is_number(x) else := time.add_date(x, y, m, d)
time__format(x) := {FORMAT_TIME}(x[0], time.format([x[0], x[1], "-07:00"]), x[1], x[2]) if {{
	is_array(x)
	count(x) == 3
	is_string(x[2])
}} else := regex.replace(time.format(x), `(\\.[0-9]*[1-9])0+(Z|[+-])`, "$1$2")
rego__metadata__chain() := []
rego__metadata__rule() := {{}}
plus(a, b) := a + b
minus(a, b) := a - b
mul(a, b) := a * b
div(a, b) := a / b
rem(a, b) := a % b
eq(a, b) := a == b
equal(a, b) := a == b
neq(a, b) := a != b
gt(a, b) := a > b
gte(a, b) := a >= b
lt(a, b) := a < b
lte(a, b) := a <= b
and(a, b) := a & b
or(a, b) := a | b
"""

_LIBRARY_RULES = frozenset(
    line.partition("(")[0]
    for line in LIBRARY_TEXT.split("\n")
    if "(" in line.partition(" ")[0] and line[0] != "_"
)
IN_LIBRARY = frozenset(rule.replace("__", ".") for rule in _LIBRARY_RULES)
"""The functions that the module of ours has instead of the engine."""


@dataclass(slots=True)
class Site:
    """A place of the policy that does something which is not, or not any more, left to the engine alone.

    `way` is one of: `engine` (as it was written), `host`, `library`, `sprintf`, and `safe`, where failing is
    being undefined.
    """

    number: int
    name: str
    node: Call | Operation | Domain
    way: str

    @property
    def arguments(self) -> int:
        """How many values the site hands over."""
        if isinstance(self.node, Call):
            return len(self.node.arguments)
        return 1 if isinstance(self.node, Domain) else 2


class Support:
    """Writes the modules of ours that the sites of one policy need, and the edits that make it call them."""

    def __init__(self, arities: Callable[[str], int | None]) -> None:
        self._arities = arities
        self._rules: dict[tuple[str, str, int], str] = {}

    def edits(self, sites: Iterable[Site], text: bytes) -> list[Edit]:
        """What to change in the text of the policy, so that its sites reach what they call."""
        edits: list[Edit] = []
        for site in sites:
            if site.way == "engine":
                continue
            if isinstance(site.node, Call):
                edits += self._call(site, site.node, text)
            elif isinstance(site.node, Operation):
                edits += self._operation(site, site.node)
            else:
                edits += self._around(site, site.node)
        return edits

    def modules(self) -> dict[str, str]:
        """The texts of the modules by their names, for the edits that were made so far."""
        texts: dict[str, list[str]] = (
            {"safe": [_LITERAL]} if any(key[0] == "safe" for key in self._rules) else {}
        )
        for (way, name, arguments), rule in self._rules.items():
            texts.setdefault(way, []).append(_rule(way, name, arguments, rule))
        packages = {"host": HOST, "safe": SAFE}
        return {
            packages[way]: "\n".join([f"package {packages[way]}", "import rego.v1", *rules])
            for way, rules in sorted(texts.items())
        }

    def _call(self, site: Site, call: Call, text: bytes) -> list[Edit]:
        if site.way == "library":
            rule = call.name.replace(".", "__")
            return [Edit(call.start, call.name_end, f"data.{LIBRARY}.{rule}".encode())]
        if site.way == "sprintf":
            return [Edit(call.start, call.name_end, SPRINTF.encode())]
        inside = text.index(b"(", call.name_end) + 1
        number = f"{site.number}, " if call.arguments else f"{site.number}"
        return [
            Edit(call.start, call.name_end, self._reach(site).encode()),
            Edit(inside, inside, number.encode()),
        ]

    def _operation(self, site: Site, node: Operation) -> list[Edit]:
        return [*self._around(site, node), Edit(node.sign_at, node.sign_at + 1, b"), (")]

    def _around(self, site: Site, node: Operation | Domain) -> list[Edit]:
        length = node.end - node.start
        return [
            Edit(node.start, node.start, f"{self._reach(site)}({site.number}, (".encode(), -length),
            Edit(node.end, node.end, b"))", length),
        ]

    def _reach(self, site: Site) -> str:
        arity = self._arities(site.name)
        key = (site.way, site.name, site.arguments if arity is None else arity)
        rule = self._rules.setdefault(key, f"f{len(self._rules)}")
        return f"data.{HOST if site.way == 'host' else SAFE}.{rule}"


def hoisted(declarations: Iterable[Declaration], text: bytes) -> list[Edit]:
    """The edits that put declarations of variables before the statements among which they stand."""
    edits = []
    for found in declarations:
        kept = bytes(c if c == 0x0A else 0x20 for c in text[found.start : found.end])
        edits.append(Edit(found.start, found.end, b"true" + kept[4:]))
        edits.append(Edit(found.query_start, found.query_start, f"some {found.names}; ".encode()))
    return edits


def expression(name: str, arguments: Sequence[str]) -> str:
    """The call of a builtin, or its operator between its operands.

    >>> expression("count", ["x"]), expression("div", ["x", "y"])
    ('count(x)', 'x / y')
    """
    sign = SIGNS.get(name)
    if sign:
        return f"{arguments[0]} {sign} {arguments[1]}"
    reach = f"data.{LIBRARY}.{name.replace('.', '__')}" if name in IN_LIBRARY else name
    return f"{reach}({', '.join(arguments)})"


SIGNS: Mapping[str, str] = {
    "plus": "+",
    "minus": "-",
    "mul": "*",
    "div": "/",
    "rem": "%",
    "or": "|",
    "and": "&",
}
"""The operators by the names that OPA gives them."""


def wanted_module(package: str, wanted: Sequence[str], policy: str) -> str:
    """A module whose one value is the wanted rules: of each nothing, or whether it is a set, and its value."""
    parts = ", ".join(f"[[is_set(v), v] | v := data.{policy}[{_quoted(name)}]]" for name in wanted)
    return f"package {package}\nvalues := [{parts}]\n"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


# the engine writes an empty set as it writes an empty object
_LITERAL = """literal(x) := "[set()]" if x == set() else := sprintf("%v", [[x]])
text(x) := "set()" if x == set() else := sprintf("%v", [x])"""


def _rule(way: str, name: str, arguments: int, rule: str) -> str:
    given = [f"a{index}" for index in range(arguments)]
    head, listed = f"{rule}({', '.join(['s', *given])})", ", ".join(given)
    if way == "host":
        return f'{head} := {CALL_HOST}("{name}", s, json.marshal([{listed}]))[_]'
    if name in ("some", "index"):
        return f"{head} := a0 if is_array(a0) else := a0 if is_object(a0) else := a0 if is_set(a0) else := []"
    literals = ", ".join(f"literal({argument})" for argument in given)
    works = f'{WORKS}("{name}", s, [{literals}])'
    if name == "sprintf":
        typed = "[[type_name(x), text(x)] | some x in a1]"
        return (
            f"{head} := r if {{ is_string(a0); is_array(a1); r := {SPRINTF_TYPED}(a0, {typed}) }}"
            f' else := r if {{ {works}; r := "" }}'
        )
    return f"{head} := r if {{ {works}; r := {expression(name, given)} }}"
