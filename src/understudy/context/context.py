"""The execution context: who does something, for whom, how far they are trusted, and what they may spend."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, NoReturn, Self

from understudy.context.budget import QueryBudget, whole_units
from understudy.context.carrying import using
from understudy.context.log import Entry, ExecutionLog, MemoryLog
from understudy.context.trust import TrustLevel
from understudy.core.brief import brief
from understudy.core.canonical import content_hash
from understudy.core.clock import Clock, IdSource, SystemClock, random_ids
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.core.plain import plain

TRUST_CLAIM = "trust_claim"
_CLOCK = SystemClock()
_TEXTS = ("context_id", "initiated_by", "domain", "workspace_id", "policy_set")
_CHANGES = ("initiated_by", "domain", "workspace_id", "trust_level", "policy_set", "is_replay")


@dataclass(frozen=True, kw_only=True)
class ExecutionContext:
    """What travels with every call of a pipeline. It never changes; only what is spent and logged of it grows.

    Two are equal if they say the same; what they may spend, and where they are logged, is left out of it. Another
    process gets one by `to_dict` and `from_dict`.

    >>> context = ExecutionContext.create("ann", "ingestion", max_budget_units=5)
    >>> context.charge(2, "search")
    >>> context.budget.remaining, context.trust_level.value, context.is_replay
    (3, 'semi_trusted', False)
    """

    context_id: str
    initiated_by: str
    domain: str
    workspace_id: str
    trust_level: TrustLevel
    policy_set: str
    created_at: datetime
    parent_context_id: str | None = None
    is_replay: bool = False
    budget: QueryBudget = field(compare=False)
    _store: ExecutionLog = field(repr=False, compare=False)
    _clock: Clock = field(repr=False, compare=False, default=_CLOCK)
    _new_id: IdSource = field(repr=False, compare=False, default=random_ids)

    def __post_init__(self) -> None:
        problems = [
            Problem(f"{name} must be {what}, not {brief(value)}", "the context")
            for names, kind, what in ((_TEXTS, str, "a text"), (("is_replay",), bool, "true or false"))
            for name in names
            if not isinstance(value := getattr(self, name), kind)
        ]
        if problems:
            raise InputError(problems)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, seen: dict[int, Any]) -> Self:
        """The same one, as it never changes: a copy with a budget of its own could spend it once more."""
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a context stays in its process, with its budget and its log: hand over context.to_dict(), and make one "
            "of it there with ExecutionContext.from_dict()"
        )

    @classmethod
    def create(
        cls,
        initiated_by: str,
        domain: str,
        workspace_id: str = "default",
        *,
        trust_level: TrustLevel | str = TrustLevel.SEMI_TRUSTED,
        policy_set: str = "default",
        max_budget_units: int | None = None,
        is_replay: bool = False,
        log: ExecutionLog | None = None,
        clock: Clock = _CLOCK,
        new_id: IdSource = random_ids,
    ) -> Self:
        """A context that has no parent. Without a limit its budget only counts; without a log it gets its own."""
        return cls(
            context_id=new_id(),
            initiated_by=initiated_by,
            domain=domain,
            workspace_id=workspace_id,
            trust_level=TrustLevel(trust_level),
            policy_set=policy_set,
            created_at=clock.now(),
            is_replay=is_replay,
            budget=QueryBudget(max_budget_units),
            _store=MemoryLog() if log is None else log,
            _clock=clock,
            _new_id=new_id,
        )

    @classmethod
    def from_connector(
        cls,
        connector: Any,
        initiated_by: str,
        domain: str,
        workspace_id: str = "default",
        *,
        trust_level: TrustLevel | str | None = None,
        **options: Any,
    ) -> Self:
        """A context as trusted as the connector (its `TRUST_LEVEL`; without one it is not trusted).

        `trust_level` may ask for less. Who asks for more gets what the connector has, and a security event is
        written. The other options are those of `create`.
        """
        actual = TrustLevel(getattr(connector, "TRUST_LEVEL", TrustLevel.UNTRUSTED_EXTERNAL))
        context = cls.create(initiated_by, domain, workspace_id, trust_level=actual, **options)
        if trust_level is None:
            return context
        subject = str(getattr(connector, "name", "") or type(connector).__name__)
        return context._trusted(TrustLevel(trust_level), subject)

    @classmethod
    def from_dict(
        cls,
        record: Mapping[str, Any],
        log: ExecutionLog | None = None,
        *,
        at_most: TrustLevel | str = TrustLevel.TRUSTED_INTERNAL,
        clock: Clock = _CLOCK,
        new_id: IdSource = random_ids,
    ) -> Self:
        """Read what `to_dict` gave; anything else is an InputError with everything that is wrong with it.

        A record proves nothing. Where it comes from outside, say how far the sender is trusted `at_most`: a
        claim to more is lowered, and a security event is written.
        """
        from understudy.context.record import read_record

        values = read_record(record)
        claimed = values.pop("trust_level")
        context = cls(
            **values,
            trust_level=claimed.at_most(at_most),
            _store=MemoryLog() if log is None else log,
            _clock=clock,
            _new_id=new_id,
        )
        return context._trusted(claimed, context.initiated_by)

    @property
    def log(self) -> ExecutionLog:
        """Where this context writes what it does."""
        return self._store

    def child(self, **changes: Any) -> Self:
        """A context for a part of the work: with an id of its own, and the budget and the log of this one.

        It can be trusted less, but not more (who tries is written down), and in a replay it is one too.

        >>> parent = ExecutionContext.create("ann", "ingestion", is_replay=True)
        >>> child = parent.child(initiated_by="enricher")
        >>> child.is_replay, child.parent_context_id == parent.context_id, child.budget is parent.budget
        (True, True, True)
        """
        for name in changes:
            if name not in _CHANGES:
                near = closest_name(name, _CHANGES)
                hint = f"did you mean {near!r}?" if near else f"it can have another {', '.join(_CHANGES)}"
                raise InputError([Problem(f"a child has no {name!r} of its own", hint=hint)])
        if self.is_replay and changes.get("is_replay") is False:
            hint = "make a context of its own for what is to have effects"
            raise InputError([Problem("a child of a replay is a replay too", hint=hint)])
        claimed = TrustLevel(changes.pop("trust_level", self.trust_level))
        child = replace(
            self,
            **changes,
            context_id=self._new_id(),
            parent_context_id=self.context_id,
            created_at=self._clock.now(),
        )
        return child._trusted(claimed, child.initiated_by)

    def to_dict(self) -> dict[str, Any]:
        """The context as JSON data; what was logged is not in it."""
        return {
            "context_id": self.context_id,
            "initiated_by": self.initiated_by,
            "domain": self.domain,
            "workspace_id": self.workspace_id,
            "trust_level": self.trust_level.value,
            "policy_set": self.policy_set,
            "created_at": moment_text(self.created_at),
            "parent_context_id": self.parent_context_id,
            "is_replay": self.is_replay,
            "budget": {"max_units": self.budget.max_units, "used": self.budget.used},
        }

    def charge(self, units: int, by: str) -> None:
        """Spend units of the budget, or raise BudgetExceeded."""
        self.budget.charge(units, by)

    def record(
        self,
        operation: str,
        *,
        subject: str = "",
        kind: str = "call",
        target_ref: str = "",
        content: Any = None,
        units: int = 0,
        status: str = "ok",
        details: Mapping[str, Any] | None = None,
    ) -> Entry:
        """Write down one step. Of the content only a hash is kept, the same for equal content.

        >>> context = ExecutionContext.create("ann", "ingestion")
        >>> entry = context.record("upsert_object", kind="write", target_ref="indicator--1", content={"a": 1})
        >>> context.log.query(context.context_id)[0]["target_ref"]
        'indicator--1'
        """
        entry = {
            "entry_id": self._new_id(),
            "context_id": self.context_id,
            "parent_context_id": self.parent_context_id,
            "initiated_by": self.initiated_by,
            "domain": self.domain,
            "workspace_id": self.workspace_id,
            "trust_level": self.trust_level.value,
            "policy_set": self.policy_set,
            "is_replay": self.is_replay,
            "subject": subject,
            "operation": operation,
            "kind": kind,
            "target_ref": target_ref,
            "content_hash": "" if content is None else content_hash(content),
            "units": whole_units(units, "units"),
            "status": status,
            "recorded_at": moment_text(self._clock.now()),
            "details": plain(details) if details else {},
        }
        self._store.append(entry)
        return entry

    def security_event(
        self, kind: str, *, subject: str, claimed: str, actual: str, details: Mapping[str, Any] | None = None
    ) -> Entry:
        """Write down what somebody should not have tried."""
        event = {
            "event_id": self._new_id(),
            "context_id": self.context_id,
            "kind": kind,
            "subject": subject,
            "claimed": claimed,
            "actual": actual,
            "recorded_at": moment_text(self._clock.now()),
            "details": plain(details) if details else {},
        }
        self._store.security_event(event)
        return event

    def use(self) -> AbstractContextManager[ExecutionContext]:
        """Within the block, `current_context()` is this one.

        >>> from understudy.context import current_context
        >>> context = ExecutionContext.create("ann", "ingestion")
        >>> with context.use():
        ...     current_context() is context
        True
        """
        return using(self)

    def _trusted(self, claimed: TrustLevel, subject: str) -> Self:
        """This context as trusted as claimed, but not more than it is; more is written down."""
        if claimed > self.trust_level:
            self.security_event(
                TRUST_CLAIM, subject=subject, claimed=claimed.value, actual=self.trust_level.value
            )
        return self if claimed >= self.trust_level else replace(self, trust_level=claimed)


def moment_text(moment: datetime) -> str:
    """A moment as it is kept: ISO 8601 in UTC, always equally long, so that texts sort as times do.

    >>> moment_text(datetime(2026, 1, 2, tzinfo=UTC))
    '2026-01-02T00:00:00.000000+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
