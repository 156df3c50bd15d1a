"""What may be handed to the engine: halves of surrogate pairs, and great depth, would end the process."""

from __future__ import annotations

import json
import marshal
from typing import Any


def is_safe(value: Any) -> bool:
    """Whether plain data can be handed over as it is; said in a fraction of what handing it over costs.

    Every half of a surrogate pair is written with this byte, some other letters too; marshal itself refuses
    more than 2,000 levels and what is no plain data.

    >>> is_safe({"a": [1, "é", None]}), is_safe({"a": "\\ud800"})
    (True, False)
    """
    try:
        return b"\xed" not in marshal.dumps(value)
    except ValueError:
        return False


def as_json(value: Any) -> str:
    """The JSON of a value, with the replacement character for what is no character, as Go reads it.

    Raises ValueError if it is not plain data, or nested too deeply.

    >>> as_json({"a": "\\ud800b"})
    '{"a": "\ufffdb"}'
    """
    try:
        text = json.dumps(value, default=dict, ensure_ascii=False)
    except (RecursionError, TypeError) as error:
        raise ValueError(f"is no plain data: {error}") from None
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def safe(value: Any) -> Any:
    """The value, or the same with the replacement character for what is no character.

    >>> safe("한\\ud800"), safe(["a"])
    ('한\ufffd', ['a'])
    """
    return value if is_safe(value) else json.loads(as_json(value))
