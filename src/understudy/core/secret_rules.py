"""What is taken for a secret: the names that secrets go by, and the shapes that tokens have."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

MARK = r"<secret(?::[0-9a-f]{16}|\ [0-9]{1,9})>"
# What stands before a credential and is none itself.
SCHEME = re.compile(r"(?:bearer|basic|digest|negotiate|apikey)[ \t]++(?=[^\s\"'])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to know a secret; pass more of them to a Redactor beside DEFAULT_RULES.

    `names` are names of headers, fields, parameters and options, in lower case with underscores: `api_key` is
    also `X-Api-Key` and `serviceApiKey`. `except_names` are names that end alike and are harmless.
    `query_names` count only as parameters of a URL. `shape` is a regular expression for free text, searched
    where one of `hints` (in lower case) stands, or everywhere without hints; its group `secret`, or else the
    whole match, is the secret, if `accept` agrees.

    >>> Rule(names=("pin",)).names
    ('pin',)
    """

    names: tuple[str, ...] = ()
    except_names: tuple[str, ...] = ()
    query_names: tuple[str, ...] = ()
    shape: str = ""
    hints: tuple[str, ...] = ()
    accept: Callable[[str], bool] | None = None


def is_basic_credential(text: str) -> bool:
    """Whether a text is base64 of `user:password`."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded and all(32 <= byte < 127 or byte >= 0xC2 for byte in decoded)


_NAMES = Rule(
    names=(
        *(
            "authorization",
            "cookie",
            "password",
            "passwd",
            "passphrase",
            "passcode",
            "pwd",
            "secret",
            "token",
        ),
        *(
            "passwords",
            "secrets",
            "credential",
            "credentials",
            "jwt",
            "otp",
            "cvv",
            "cvc",
            "sessid",
            "session_id",
        ),
        *("api_key", "access_key", "secret_key", "private_key", "signing_key", "encryption_key", "auth_key"),
        *("account_key", "shared_key", "session_key", "master_key", "subscription_key", "functions_key"),
        *("password_hash", "password_confirmation", "password_confirm", "csrf", "xsrf", "connection_string"),
    ),
    except_names=(
        *("page_token", "next_token", "previous_token", "prev_token", "continuation_token", "sync_token"),
        *("eos_token", "bos_token", "pad_token", "unk_token", "mask_token", "sep_token", "cls_token"),
        *("stop_token", "max_token", "cancel_token", "cancellation_token", "per_token"),
    ),
    query_names=("sig", "signature", "auth"),
)

# A token starts where a word starts; an escape such as \n or %3D may stand before it.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_SHAPES = (
    Rule(shape=_START + r"gh[opsur]_[A-Za-z0-9]{16,}+", hints=("gho_", "ghp_", "ghs_", "ghu_", "ghr_")),
    Rule(shape=_START + r"github_pat_[A-Za-z0-9_]{20,}+", hints=("github_pat_",)),
    Rule(shape=_START + r"glpat-[A-Za-z0-9_-]{20,}+", hints=("glpat-",)),
    Rule(shape=_START + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])", hints=("akia", "asia")),
    Rule(shape=_START + r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}+", hints=("xox", "xapp-")),
    Rule(
        shape=r"(?:(?<![\w-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))eyJ[\w-]{5,}+\.[\w-]++(?:\.[\w-]*+){1,3}",
        hints=("eyj",),
    ),
    Rule(
        shape=(
            r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?!-----)(?:[A-Za-z0-9+/=\s:,.-]|\\++[nrt]))*+"
            r"(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
        hints=("private key",),
    ),
    # with a digit in it, or it is a name such as sk-learn-extra-tools
    Rule(
        shape=_START + r"sk-(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{16,}+",
        hints=("sk-",),
    ),
    Rule(
        shape=_START + r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}+",
        hints=("k_live_", "k_test_", "whsec_"),
    ),
    Rule(shape=_START + r"AIza[A-Za-z0-9_-]{35}", hints=("aiza",)),
    Rule(shape=_START + r"npm_[A-Za-z0-9]{36}", hints=("npm_",)),
    Rule(shape=_START + r"pypi-[A-Za-z0-9_-]{50,}+", hints=("pypi-",)),
    Rule(shape=_START + r"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+", hints=("sg.",)),
    Rule(
        shape=(
            _START + r"(?:Bearer|BEARER|bearer(?= [A-Za-z_.~+/-]{0,40}[0-9])) {1,4}"
            r"(?!(?:tokens?|auth\w*|scheme|realm|error|credentials?|header|is|was|of|and|or|for|in|required)\b)"
            r"(?P<secret>[A-Za-z0-9._~+/-]{4,}+=*+)"
        ),
        hints=("bearer ",),
    ),
    Rule(
        shape=_START + r"(?:Basic|basic|BASIC) {1,4}(?P<secret>[A-Za-z0-9+/]{4,}+={0,2}+)",
        hints=("basic ",),
        accept=is_basic_credential,
    ),
)
DEFAULT_RULES: tuple[Rule, ...] = (_NAMES, *_SHAPES)

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_INDEX = re.compile(r"(?:\[\d*\])+$")
_NAME_SHOWN = 100
_REMEMBERED = 2_000


def plain_name(name: str) -> str:
    """A name in lower case with underscores, without a trailing index or number.

    >>> plain_name("X-Api-Key"), plain_name("user[clientSecret]"), plain_name("password2")
    ('x_api_key', 'user_client_secret', 'password')
    """
    name = _INDEX.sub("", name[-_NAME_SHOWN:])
    return _NOT_WORD.sub("_", _CAMEL.sub("_", name).lower()).strip("_").rstrip("0123456789").rstrip("_")


@dataclass(slots=True)
class SecretNames:
    """Which names are names of secrets, by all the rules together."""

    rules: Iterable[Rule]
    keywords: tuple[str, ...] = ()
    _names: tuple[str, ...] = ()
    _exceptions: tuple[str, ...] = ()
    _query: frozenset[str] = frozenset()
    _known: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rules = tuple(self.rules)
        names = [name for rule in self.rules for name in rule.names]
        self._query = frozenset(name for rule in self.rules for name in rule.query_names)
        self._names = tuple(names)
        self._exceptions = tuple(name for rule in self.rules for name in rule.except_names)
        words = {name.rpartition("_")[2] for name in (*names, *self._query)}
        # one keyword inside another says nothing more
        self.keywords = tuple(
            sorted(word for word in words if not any(word != other and other in word for other in words))
        )

    def __contains__(self, name: str) -> bool:
        known = self._known.get(name)
        if known is None:
            known = self._judge(plain_name(name))
            if len(self._known) < _REMEMBERED:
                self._known[name] = known
        return known

    def is_query_secret(self, name: str) -> bool:
        """Whether this is the name of a secret when it is a parameter of a URL."""
        plain = plain_name(name)
        return plain in self._query or plain.rpartition("_")[2] in self._query or name in self

    def _judge(self, plain: str) -> bool:
        if _ends(plain, self._exceptions):
            return False
        return _ends(plain, self._names)


def _ends(plain: str, names: Iterable[str]) -> bool:
    """Whether a name ends in one of the names, as whole words, or run together if the name is long enough."""
    run_together = plain.replace("_", "")
    for name in names:
        if plain == name or plain.endswith("_" + name):
            return True
        joined = name.replace("_", "")
        if len(joined) >= 5 and run_together.endswith(joined) and _may_join(plain, name):
            return True
    return False


def _may_join(plain: str, name: str) -> bool:
    """`accesstoken` and `apikey` are run together; `tokens_per_minute` and `monkey` are something else."""
    return "_" not in plain or "_" in name or plain.rpartition("_")[2].endswith(name)
