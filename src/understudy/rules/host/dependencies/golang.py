"""Packages in go.mod files: what is required, replaced where the file says so, and Go itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from understudy.rules.host.dependencies.packages import Package, Read

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|=>|[^\s()"`]+|[()]')


def go_mod(text: str, path: str, read: Read) -> Iterator[Package]:
    """The modules of a go.mod, indirect ones too; versions have no `v`. `stdlib` has the version of Go."""
    required: dict[tuple[str, str], tuple[str, str]] = {}
    replaced: list[list[str]] = []
    go = toolchain = ""
    for verb, arguments in _directives(text):
        if verb == "require" and len(arguments) >= 2:
            module = arguments[0], arguments[1].removeprefix("v")
            required[module] = module
        elif verb == "replace" and "=>" in arguments:
            replaced.append(arguments)
        elif verb == "go" and arguments:
            go = arguments[0]
        elif verb == "toolchain" and arguments:
            toolchain = arguments[0].removeprefix("go").partition("-")[0]
    for arguments in replaced:
        arrow = arguments.index("=>")
        old, new = arguments[:arrow], arguments[arrow + 1 :]
        if not old or not new:
            continue
        for module in required:
            if module[0] == old[0] and (len(old) == 1 or module[1] == old[1].removeprefix("v")):
                required[module] = new[0], new[1].removeprefix("v") if len(new) > 1 else ""
    for name, version in dict.fromkeys(required.values()):
        yield Package(name, version, "golang")
    if go:
        yield Package("stdlib", toolchain if toolchain not in ("", "default") else go, "golang")


def _directives(text: str) -> Iterator[tuple[str, list[str]]]:
    block = ""
    for line in text.split("\n"):
        tokens = [token.strip('"`') for token in _TOKEN.findall(line.partition("//")[0])]
        if not tokens:
            continue
        if block and tokens[0] == ")":
            block = ""
        elif block:
            yield block, tokens
        elif len(tokens) > 1 and tokens[1] == "(":
            block = tokens[0]
        else:
            yield tokens[0], tokens[1:]
