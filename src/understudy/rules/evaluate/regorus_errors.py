"""What the engine says when it fails, taken apart: where, what, and in which of the modules."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

_PLACE = re.compile(r"\s*-->\s*(?P<file>.*?):(?P<line>\d+):(?P<column>\d+)\n")
_RAISED = re.compile(r"extension '[^']*' raises Python error: \w+: ?", re.DOTALL)
_BACKTRACE = "\n\nStack backtrace:"
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Failure:
    """One error of the engine. `line` is 0 when it does not say where it happened."""

    message: str
    file: str = ""
    line: int = 0
    column: int = 0


def read_failure(error: BaseException) -> Failure:
    """What an exception of the engine says, without its drawing and its backtrace.

    >>> read_failure(RuntimeError("\\n--> p.rego:9:6\\n  |\\n9 | x := 1/0\\n  |      ^\\nerror: divide by zero"))
    Failure(message='divide by zero', file='p.rego', line=9, column=6)
    >>> read_failure(RuntimeError("invalid duration: a\\n\\nStack backtrace:\\n   0: main"))
    Failure(message='invalid duration: a', file='', line=0, column=0)
    """
    text = str(error).partition(_BACKTRACE)[0]
    place = _PLACE.match(text)
    message = text[text.find("\nerror: ") + 8 :] if place and "\nerror: " in text else text
    message = _RAISED.sub("", message.partition("\n-->")[0]).strip().rstrip(":")
    message = " ".join(message.split("\nCaused by:"))
    message = " ".join(message.split())[:_LONGEST]
    if place is None:
        return Failure(message)
    return Failure(message, place["file"], int(place["line"]), int(place["column"]))


def without_backtraces() -> None:
    """Keep the engine from gathering a backtrace for every error, which costs a tenth of a second.

    It reads the environment when it first fails, and remembers; so it is made to fail once, with the variable
    set for just that long.
    """
    import regorus

    name = "RUST_LIB_BACKTRACE"
    before = os.environ.get(name)
    os.environ[name] = "0"
    try:
        regorus.Engine().eval_rule("data.nothing")
    except RuntimeError:
        pass
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
