"""What a scalar of a YAML file means, as JSON data."""

from __future__ import annotations

import math
from collections.abc import Callable

NUMBER_LIMIT = 1_000
_STANDARD = "tag:yaml.org,2002:"
_TRUTH = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}

Scalar = str | int | float | bool | None


class NotMeaningful(ValueError):
    """The scalar cannot be what its form or its tag says; `hint` says what to write instead."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def short_tag(tag: str) -> str:
    """A tag as a user writes it.

    >>> short_tag("tag:yaml.org,2002:set"), short_tag("!mine")
    ('!!set', '!mine')
    """
    return ("!!" + tag.removeprefix(_STANDARD) if tag.startswith(_STANDARD) else tag)[:60]


def scalar_meaning(text: str, tag: str, *, is_tagged: bool) -> Scalar:
    """The value of a scalar with the given tag, which was written (`is_tagged`) or follows from its form.

    Dates and times stay the text they are, since everything here goes to JSON; so do base 60 numbers, because
    who writes 12:30 means a time.
    """
    kind = tag.removeprefix(_STANDARD)
    if kind == "str" or tag == "!":
        return text
    convert = _CONVERSIONS.get(kind)
    if convert is None or kind == tag:
        raise NotMeaningful(f"the tag {short_tag(tag)} is not supported", "write the value without a tag")
    try:
        return convert(text)
    except NotMeaningful:
        raise
    except ValueError:
        if is_tagged:
            message = f"{short_tag(tag)} does not fit the text {text[:40]!r}"
            raise NotMeaningful(message, "write the value without a tag") from None
        return text


def _null(text: str) -> None:
    if text not in ("", "~", "null", "Null", "NULL"):
        raise ValueError(text)


def _truth(text: str) -> bool:
    try:
        return _TRUTH[text.lower()]
    except KeyError:
        raise ValueError(text) from None


def _integer(text: str) -> int:
    if len(text) > NUMBER_LIMIT:
        raise NotMeaningful(f"the number has more than {NUMBER_LIMIT:,} digits", "quote it to mean text")
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits[1:] if digits[:1] in ("-", "+") else digits
    if not digits[:1].isdigit():
        raise ValueError(text)
    if digits.startswith("0b"):
        return sign * int(digits[2:], 2)
    if digits.startswith("0x"):
        return sign * int(digits[2:], 16)
    return sign * int(digits, 8 if digits.startswith("0") else 10)


def _float(text: str) -> float:
    plain = text.replace("_", "").lower()
    if plain.lstrip("+-") in (".inf", ".nan"):
        raise NotMeaningful(f"{text} has no form in JSON", "write a number, or quote it to mean text")
    number = float(plain)
    if not math.isfinite(number):
        raise NotMeaningful(f"the number {text[:40]} is too large", "quote it to mean text")
    return number


_CONVERSIONS: dict[str, Callable[[str], Scalar]] = {
    "null": _null,
    "bool": _truth,
    "int": _integer,
    "float": _float,
    "timestamp": str,
    "value": str,  # a lone "="
    "merge": str,  # a lone "<<" that is no key
}
