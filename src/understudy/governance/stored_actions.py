"""Actions of agents in the store: written in batches, and kept once they are acknowledged."""

from __future__ import annotations

from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import select

from understudy.governance.action_log import checked_action, wanted_agent
from understudy.governance.actions import AgentAction
from understudy.governance.damaged_rows import readable
from understudy.governance.given_store import checked_store
from understudy.store.batches import BatchWriter
from understudy.store.tables import agent_actions

if TYPE_CHECKING:
    from understudy.store import Store, Ticket


class StoredActions:
    """A recorder for a governor. `flush` returns when all that was recorded is on disk, a ticket's `wait` for one.

    >>> from understudy.governance import AgentGovernor
    >>> from understudy.store import open_store
    >>> with open_store("sqlite://") as store, StoredActions(store) as actions:
    ...     AgentGovernor(recorder=actions).can_act("triage-bot", "export", "semi_trusted")
    ...     actions.of("triage-bot")[0].status
    False
    'denied'
    """

    def __init__(self, store: Store, *, every_one: bool = False) -> None:
        """With `every_one`, each action is on disk before it is recorded, and so before it is done: safer, slower."""
        self._store = checked_store(store)
        self._every_one = every_one
        self._writer = BatchWriter(store, agent_actions, max_delay=0 if every_one else 0.02)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def record(self, action: AgentAction) -> Ticket:
        """Take one action over. It is on disk when the ticket's `wait` or a `flush` has returned."""
        ticket = self._writer.add(_row(checked_action(action)))
        if self._every_one:
            ticket.wait()
        return ticket

    def flush(self) -> None:
        """Wait until everything that was recorded is on disk; raises what kept it from there."""
        self._writer.flush()

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()

    def of(self, agent_id: str | None = None) -> list[AgentAction]:
        """The actions of one agent, or of all, also of processes before this one, in the order of their recording."""
        wanted_agent(agent_id)
        self.flush()
        query = select(agent_actions).order_by(agent_actions.c.sequence)
        if agent_id is not None:
            query = query.where(agent_actions.c.agent_id == agent_id)
        hint = "bring the row back from a backup, or delete it"
        with self._store.read() as connection, readable(self._store, "one of the actions", hint):
            return [
                AgentAction(
                    agent_id=row["agent_id"],
                    action_type=row["action_type"],
                    target_ref=row["target_ref"],
                    impact_level=row["impact_level"],
                    trust_level=row["trust_level"],
                    status=row["status"],
                    reason=row["reason"],
                    arguments_hash=row["arguments_hash"],
                    review_id=row["review_id"] or "",
                    reviewed_by=row["reviewed_by"] or "",
                    context_id=row["context_id"] or "",
                    recorded_at=datetime.fromisoformat(row["recorded_at"]),
                    action_id=row["action_id"],
                )
                for row in connection.execute(query).mappings()
            ]


def _row(action: AgentAction) -> dict[str, Any]:
    moment = action.recorded_at or datetime.now(UTC)
    # An action that was recorded by hand may have no id; the table gives it one.
    own_id = {"action_id": action.action_id} if action.action_id else {}
    return own_id | {
        "agent_id": action.agent_id,
        "action_type": str(action.action_type),
        "target_ref": action.target_ref,
        "impact_level": str(action.impact_level),
        "trust_level": str(action.trust_level),
        "status": action.status,
        "reason": action.reason,
        "arguments_hash": action.arguments_hash,
        "review_id": action.review_id,
        "reviewed_by": action.reviewed_by,
        "context_id": action.context_id,
        "recorded_at": moment.astimezone(UTC).isoformat(timespec="microseconds"),
    }
