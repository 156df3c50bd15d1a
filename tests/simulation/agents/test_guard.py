"""A guarded tool runs once for each approval, for the very arguments that were approved, and otherwise not at all."""

from __future__ import annotations

import asyncio
import functools
import inspect
import typing
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.governance import (
    AgentPermissionDenied,
    RateLimitExceeded,
    ReviewItem,
    ReviewService,
)
from understudy.simulation import ActionRejected, AgentTestHarness, Answer, approve, no_answer, reject


class Desk:
    """A tool set whose ledger shows what really was done."""

    def __init__(self) -> None:
        self.ledger: list[Any] = []

    def send(self, to: str, rows: int = 10, *labels: str, urgent: bool = False) -> str:
        """Send some rows to somebody."""
        self.ledger.append((to, rows, labels, urgent))
        return f"sent {rows} to {to}"

    async def send_later(self, to: str) -> str:
        """Send to somebody, later."""
        await asyncio.sleep(0)
        self.ledger.append(to)
        return f"sent to {to}"

    def stream(self, to: str) -> Generator[str, str, int]:
        """Send piece by piece."""
        self.ledger.append(f"open {to}")
        try:
            answer = yield "first"
            self.ledger.append(answer)
            yield "second"
            return 2
        finally:
            self.ledger.append("closed")

    async def stream_later(self, to: str) -> AsyncGenerator[str, str]:
        """Send piece by piece, later."""
        self.ledger.append(f"open {to}")
        try:
            try:
                answer = yield "first"
            except KeyError as error:
                answer = f"told of {error}"
            self.ledger.append(answer)
            yield "second"
        finally:
            self.ledger.append("closed")

    def __call__(self, to: str) -> str:
        """Send everything to somebody."""
        self.ledger.append(("all", to))
        return "done"


@pytest.fixture(name="desk")
def _desk() -> Desk:
    return Desk()


@pytest.fixture(name="harness")
def _harness() -> AgentTestHarness:
    return AgentTestHarness(trust_level="semi_trusted")


async def listed(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


def test_a_permitted_tool_runs_and_returns_what_it_returns(desk: Desk, harness: AgentTestHarness) -> None:
    send = harness.guard(desk.send, action_type="ingest", agent_id="clerk", target_ref="feed--1")

    assert send("ann", 3, "new", urgent=True) == "sent 3 to ann"

    assert desk.ledger == [("ann", 3, ("new",), True)]
    harness.assert_action_recorded("ingest", "approved", "clerk", "feed--1", times=1)
    harness.assert_tool_ran("send")


def test_a_tool_that_is_not_permitted_does_not_run(desk: Desk, harness: AgentTestHarness) -> None:
    send = harness.guard(desk.send, action_type="export")

    with pytest.raises(AgentPermissionDenied):
        send("ann")

    assert desk.ledger == []
    harness.assert_action_recorded("export", "denied")
    harness.assert_tool_never_ran("send")


@pytest.mark.parametrize("answer", [reject("no"), no_answer(), approve(after=4000)])
def test_a_tool_that_people_do_not_approve_does_not_run(
    answer: Answer, desk: Desk, harness: AgentTestHarness
) -> None:
    harness.set_reviewer(answer)
    send = harness.guard(desk.send, action_type="ingest", impact_level="high")

    with pytest.raises(
        ActionRejected, match="the action was not approved: test-agent ingest: rejected"
    ) as caught:
        send("ann")

    assert caught.value.action.status == "rejected"
    assert desk.ledger == []


def test_a_tool_beyond_the_rate_limit_does_not_run(desk: Desk) -> None:
    harness = AgentTestHarness(max_calls_per_window=1)
    send = harness.guard(desk.send, action_type="ingest")

    send("ann")
    with pytest.raises(RateLimitExceeded):
        send("bob")

    assert desk.ledger == [("ann", 10, (), False)]


def test_reviewers_see_the_arguments_by_their_names_with_defaults(
    desk: Desk, harness: AgentTestHarness
) -> None:
    seen: list[Any] = []

    def look(item: ReviewItem) -> Answer:
        seen.append(item.payload["arguments"])
        return approve()

    harness.set_reviewer(look)
    harness.guard(desk.send, action_type="ingest", impact_level="high")("ann", 3, "new")

    assert seen == [{"to": "ann", "rows": 3, "labels": ["new"], "urgent": False}]


def test_arguments_that_change_while_people_look_at_them_run_nothing(harness: AgentTestHarness) -> None:
    rows = ["one"]
    stored: list[list[str]] = []

    def slow(item: ReviewItem) -> Answer:
        rows.append("smuggled")
        return approve()

    harness.set_reviewer(slow)
    store = harness.guard(lambda rows: stored.append(rows), action_type="ingest", impact_level="high")

    with pytest.raises(ActionRejected, match="other arguments"):
        store(rows)

    assert stored == []
    assert [a.status for a in harness.recorded_actions] == ["approved", "rejected"]


def test_what_bind_makes_of_the_arguments_is_looked_at_again_before_the_tool_runs(
    harness: AgentTestHarness,
) -> None:
    class Order:
        total = 5

    order = Order()
    paid: list[int] = []

    def raise_total(item: ReviewItem) -> Answer:
        order.total = 500
        return approve()

    def pay(order: Order) -> None:
        paid.append(order.total)

    guarded = harness.guard(
        pay, action_type="ingest", impact_level="high", bind=lambda given: {"total": given["order"].total}
    )
    guarded(order)
    harness.set_reviewer(raise_total)
    with pytest.raises(ActionRejected, match="other arguments"):
        guarded(order)

    assert paid == [5]


def test_arguments_that_cannot_be_bound_run_nothing_at_any_impact(
    desk: Desk, harness: AgentTestHarness
) -> None:
    send = harness.guard(desk.send, action_type="ingest")

    with pytest.raises(InputError, match=r"send: arguments cannot be bound .*; or say with bind= what"):
        send("ann", rows=object())  # type: ignore[arg-type]  # wrong on purpose

    assert desk.ledger == []


def test_a_method_that_is_guarded_without_its_object_says_how_it_can_be(harness: AgentTestHarness) -> None:
    class Shop:
        @harness.guard(action_type="ingest")
        def store(self, item: str) -> None:
            raise AssertionError("it ran")

    with pytest.raises(InputError, match=r"store: arguments cannot be bound .* as in guard\(it\.store\)"):
        Shop().store("tea")


def test_arguments_that_do_not_fit_the_tool_ask_nobody(desk: Desk, harness: AgentTestHarness) -> None:
    send: Callable[..., str] = harness.guard(desk.send, action_type="ingest")

    with pytest.raises(TypeError, match="missing a required argument: 'to'"):
        send()

    assert harness.recorded_actions == []


def test_a_store_that_fails_between_approval_and_execution_runs_nothing(desk: Desk) -> None:
    class Falling(ReviewService):
        def redeem(self, review_id: str, binding: str, by: str) -> ReviewItem:
            raise OSError("the database is gone")

    reviews = Falling()
    harness = AgentTestHarness(review_service=reviews, patience=30)
    send = harness.guard(desk.send_later, action_type="ingest", impact_level="high")

    async def approved_in_time() -> None:
        running = asyncio.create_task(send("ann"))
        await asyncio.sleep(0)
        reviews.approve(reviews.list()[0].id, "bob")
        await running

    with pytest.raises(OSError, match="the database is gone"):
        asyncio.run(approved_in_time())

    assert desk.ledger == []
    assert [a.status for a in harness.recorded_actions][-1] == "rejected"


def test_what_a_tool_raises_is_raised_and_it_counts_as_having_run(harness: AgentTestHarness) -> None:
    def fail() -> None:
        raise LookupError("no such row")

    with pytest.raises(LookupError):
        harness.guard(fail, action_type="enrich")()

    harness.assert_tool_ran("fail")


@pytest.mark.parametrize("name", ["send", "send_later", "stream", "stream_later"])
def test_signature_documentation_and_kind_are_kept(name: str, desk: Desk, harness: AgentTestHarness) -> None:
    tool = getattr(desk, name)
    guarded = harness.guard(tool, action_type="ingest")

    assert inspect.signature(guarded) == inspect.signature(tool)
    assert (guarded.__name__, guarded.__doc__) == (name, tool.__doc__)
    assert typing.get_type_hints(guarded) == typing.get_type_hints(tool)
    for kind in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction):
        assert kind(guarded) == kind(tool)


def test_marks_of_a_function_are_kept_and_what_an_object_holds_is_not(
    desk: Desk, harness: AgentTestHarness
) -> None:
    def tool() -> None: ...

    tool.__dict__["needs_review"] = True
    marked, thing = (harness.guard(one, action_type="enrich") for one in (tool, desk))

    assert marked.__dict__["needs_review"] is True
    assert "ledger" not in thing.__dict__


class TestAsync:
    def test_a_permitted_tool_runs(self, desk: Desk, harness: AgentTestHarness) -> None:
        send = harness.guard(desk.send_later, action_type="ingest", impact_level="high")

        assert asyncio.run(send("ann")) == "sent to ann"
        assert desk.ledger == ["ann"]

    def test_a_refused_tool_does_not_run(self, desk: Desk, harness: AgentTestHarness) -> None:
        harness.set_auto_reject("ingest")
        send = harness.guard(desk.send_later, action_type="ingest", impact_level="high")

        with pytest.raises(ActionRejected):
            asyncio.run(send("ann"))

        assert desk.ledger == []

    def test_parallel_calls_each_need_an_approval_of_their_own(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        harness.set_reviewer(
            lambda item: approve() if item.payload["arguments"]["to"] in ("ann", "cy") else reject()
        )
        send = harness.guard(desk.send_later, action_type="ingest", impact_level="high")

        async def all_at_once() -> list[Any]:
            return await asyncio.gather(*map(send, ["ann", "bob", "cy"]), return_exceptions=True)

        results = asyncio.run(all_at_once())

        assert [isinstance(result, ActionRejected) for result in results] == [False, True, False]
        assert sorted(desk.ledger) == ["ann", "cy"]


class TestStreams:
    def test_nothing_is_asked_or_run_before_a_stream_is_read(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        stream = harness.guard(desk.stream, action_type="ingest", impact_level="high")

        unread = stream("ann")

        assert (harness.recorded_actions, desk.ledger) == ([], [])
        assert next(unread) == "first"
        assert desk.ledger == ["open ann"]

    def test_what_is_sent_into_a_stream_and_what_it_returns_go_through(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        stream = harness.guard(desk.stream, action_type="ingest")("ann")

        assert [next(stream), stream.send("go on")] == ["first", "second"]
        with pytest.raises(StopIteration) as ended:
            next(stream)

        assert ended.value.value == 2
        assert desk.ledger == ["open ann", "go on", "closed"]

    def test_a_refused_stream_raises_when_it_is_read_and_never_opens(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        stream = harness.guard(desk.stream, action_type="export")("ann")

        with pytest.raises(AgentPermissionDenied):
            next(stream)

        assert desk.ledger == []

    def test_a_stream_that_is_left_is_closed(self, desk: Desk, harness: AgentTestHarness) -> None:
        stream = harness.guard(desk.stream, action_type="ingest")("ann")
        next(stream)

        stream.close()

        assert desk.ledger == ["open ann", "closed"]

    def test_an_async_stream_takes_and_gives_as_the_tool_does(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        async def talk() -> list[str]:
            stream = harness.guard(desk.stream_later, action_type="ingest")("ann")
            items = [await anext(stream), await stream.asend("go on")]
            return items + await listed(stream)

        assert asyncio.run(talk()) == ["first", "second"]
        assert desk.ledger == ["open ann", "go on", "closed"]

    def test_an_async_stream_is_told_of_errors_and_closed_when_it_is_left(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        async def talk() -> str:
            stream = harness.guard(desk.stream_later, action_type="ingest")("ann")
            await anext(stream)
            second = await stream.athrow(KeyError("oops"))
            await stream.aclose()
            return second

        assert asyncio.run(talk()) == "second"
        assert desk.ledger == ["open ann", "told of 'oops'", "closed"]

    def test_a_refused_async_stream_never_opens(self, desk: Desk, harness: AgentTestHarness) -> None:
        harness.set_auto_reject("ingest")
        stream = harness.guard(desk.stream_later, action_type="ingest", impact_level="high")

        with pytest.raises(ActionRejected):
            asyncio.run(listed(stream("ann")))

        assert desk.ledger == []

    def test_what_is_said_instead_of_a_refused_stream_is_its_only_item(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        options: Any = {"action_type": "export", "on_refusal": lambda error: "refused"}

        assert list(harness.guard(desk.stream, **options)("ann")) == ["refused"]
        assert asyncio.run(listed(harness.guard(desk.stream_later, **options)("ann"))) == ["refused"]
        assert desk.ledger == []


class TestKinds:
    def test_a_partial_a_callable_object_a_class_and_a_builtin_are_tools(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        partial = harness.guard(functools.partial(desk.send, rows=1), action_type="ingest")
        thing: Callable[[str], str] = harness.guard(desk, action_type="ingest")
        made = harness.guard(Desk, action_type="ingest")
        largest: Callable[..., int] = harness.guard(max, action_type="enrich")

        assert (partial("ann"), thing("ann"), largest(1, 2)) == ("sent 1 to ann", "done", 2)
        assert isinstance(made(), Desk)
        assert list(harness.tools.calls) == ["send", "Desk", "max"]

    def test_partials_and_objects_keep_being_async(self, desk: Desk, harness: AgentTestHarness) -> None:
        class Later:
            async def __call__(self) -> str:
                return "later"

        partial = harness.guard(functools.partial(desk.send_later, "ann"), action_type="ingest")
        later: Callable[[], Any] = harness.guard(Later(), action_type="ingest")
        both: Callable[[], Any] = harness.guard(functools.partial(Later()), action_type="ingest")

        assert all(map(inspect.iscoroutinefunction, (partial, later, both)))
        assert asyncio.run(partial()) == "sent to ann"
        assert (asyncio.run(later()), asyncio.run(both())) == ("later", "later")

    def test_a_decorated_function_is_a_guarded_tool(self, harness: AgentTestHarness) -> None:
        @harness.guard(action_type="ingest", target_ref=lambda given: f"{given['feed']}!")
        def store(feed: str) -> str:
            return feed

        assert store("feed--1") == "feed--1"
        harness.assert_action_recorded("ingest", "approved", "test-agent", "feed--1!")

    def test_a_tool_is_the_action_of_its_own_name(self, harness: AgentTestHarness) -> None:
        def export() -> None:
            raise AssertionError("it ran")

        def refund_order() -> str:
            return "refunded"

        for tool in (export, refund_order):
            with pytest.raises(AgentPermissionDenied):
                harness.guard(tool)()
        harness.set_policy_override("test-agent", "refund_order", True)

        assert harness.guard(refund_order)() == "refunded"

    def test_a_refusal_can_be_answered_in_the_tools_place(
        self, desk: Desk, harness: AgentTestHarness
    ) -> None:
        send = harness.guard(desk.send, action_type="export", on_refusal=lambda error: f"not done: {error}")
        later: Callable[..., Any] = harness.guard(
            desk.send_later, action_type="export", on_refusal=lambda error: "not done"
        )

        async def in_words(error: Exception) -> str:
            return type(error).__name__

        asked: Callable[..., Any] = harness.guard(desk.send_later, action_type="export", on_refusal=in_words)
        stream: Callable[..., Any] = harness.guard(
            desk.stream_later, action_type="export", on_refusal=in_words
        )

        assert send("ann").startswith("not done: 'test-agent' may not export")
        assert asyncio.run(later("ann")) == "not done"
        assert asyncio.run(asked("ann")) == "AgentPermissionDenied"
        assert asyncio.run(listed(stream("ann"))) == ["AgentPermissionDenied"]
        assert desk.ledger == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tool": 5}, "5 cannot be called, which the tool has to be"),
        ({"bind": "all"}, "which the bind has to be"),
        ({"on_refusal": "no"}, "which the on_refusal has to be"),
        ({"target_ref": 5}, "which the target_ref, if it is no text, has to be"),
        ({"action_type": "exprot"}, "did you mean 'export'"),
        ({"impact_level": "hihg"}, "did you mean 'high'"),
        ({"agent_id": ""}, "the agent's name"),
        ({"tool": lambda: None, "action_type": None}, "say which action it is"),
    ],
)
def test_what_a_tool_could_never_be_called_with_is_refused_when_it_is_guarded(
    options: dict[str, Any], message: str, desk: Desk, harness: AgentTestHarness
) -> None:
    given = {"tool": desk.send, "action_type": "ingest", **options}

    with pytest.raises(InputError, match=message):
        harness.guard(given.pop("tool"), **given)


def test_a_target_that_is_no_text_runs_nothing(desk: Desk, harness: AgentTestHarness) -> None:
    target: Any = lambda given: 7  # noqa: E731 - it is an argument
    send = harness.guard(desk.send, action_type="ingest", target_ref=target)

    with pytest.raises(InputError, match="the target_ref is a text, not a int"):
        send("ann")

    assert desk.ledger == []


def test_assertions_about_tools_say_what_ran_and_refuse_names_that_were_never_guarded(
    desk: Desk, harness: AgentTestHarness
) -> None:
    send = harness.guard(desk.send, action_type="ingest", target_ref="feed--1")

    with pytest.raises(AssertionError, match="send never ran\nrecorded actions: none"):
        harness.assert_tool_ran("send")
    send("ann")
    with pytest.raises(
        AssertionError, match=r"send ran\ntools that ran:\n  1\. test-agent ran send \(ingest\) on feed"
    ):
        harness.assert_tool_never_ran("send")
    for check in (harness.assert_tool_ran, harness.assert_tool_never_ran):
        with pytest.raises(InputError, match="did you mean 'send'"):
            check("sned")


def test_refusals_survive_a_process_border(desk: Desk, harness: AgentTestHarness) -> None:
    import pickle

    harness.set_auto_reject("ingest")
    with pytest.raises(ActionRejected) as caught:
        harness.guard(desk.send, action_type="ingest", impact_level="high")("ann")

    again = pickle.loads(pickle.dumps(caught.value))

    assert (str(again), again.action) == (str(caught.value), caught.value.action)


def test_an_iterator_that_a_plain_tool_returns_is_handed_on(harness: AgentTestHarness) -> None:
    def rows() -> Iterator[int]:
        return iter([1, 2])

    assert list(harness.guard(rows, action_type="enrich")()) == [1, 2]
