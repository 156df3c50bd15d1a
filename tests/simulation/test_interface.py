"""A connector takes the place of any other: what an interface asks for it has, takes alike, or is refused with why."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

import pytest

from understudy.context import ExecutionContext
from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector
from understudy.simulation.interface import fit_to_interface


@runtime_checkable
class DocumentConnector(Protocol):
    """The interface of the document's table, as a platform library may declare it."""

    COST_UNIT: int

    def authenticate(self) -> None: ...
    def health_check(self) -> dict[str, Any]: ...
    def list_objects(
        self,
        stix_type: str | None = None,
        filters: dict[str, Any] | None = None,
        page: int = 1,
        page_size: int = 100,
    ) -> list[dict[str, Any]]: ...
    def get_object(self, stix_id: str) -> dict[str, Any]: ...
    def upsert_object(self, obj: dict[str, Any]) -> dict[str, Any]: ...
    def delete_object(self, stix_id: str) -> None: ...
    def to_stix(self, obj: Any) -> Any: ...
    def from_stix(self, stix_obj: Any) -> Any: ...


class Mixin(ABC):
    """The same of another library, as an abstract class with methods of its own."""

    TRUST_LEVEL = "untrusted_external"

    @abstractmethod
    def get_object(self, identifier: str, /) -> dict[str, Any]: ...

    @abstractmethod
    def search(self, query: str, *, limit: int = 10) -> list[dict[str, Any]]: ...

    @staticmethod
    def parse(text: str) -> Any:
        return text

    @classmethod
    def open(cls, url: str) -> Mixin:
        raise NotImplementedError

    def _private(self, anything: int) -> None:
        raise NotImplementedError


def search(connector: SimulationConnector, query: str, limit: int = 10) -> list[dict[str, Any]]:
    return connector.list_objects(filters={"name": {"contains": query}}, limit=limit)


def test_the_documents_interface_fits() -> None:
    connector = SimulationConnector(interface=DocumentConnector)
    assert isinstance(connector, DocumentConnector)


def test_what_an_interface_has_beyond_ours_is_given_as_extra() -> None:
    connector: Any = SimulationConnector(
        [{"id": "tool--1", "name": "nmap"}, {"id": "tool--2", "name": "sqlmap"}],
        interface=Mixin,
        extra={
            "search": search,
            "parse": lambda self, text: text,
            "open": lambda self, url: self,
            "VERSION": 3,
        },
    )
    assert connector.search("sql") == [{"id": "tool--2", "name": "sqlmap"}]
    assert connector.open("https://a.test") is connector
    assert connector.VERSION == 3


class AsyncConnector(Protocol):
    """An interface of which a part is awaited."""

    async def list_objects(self, stix_type: str | None = None) -> list[dict[str, Any]]: ...
    async def get_object(self, stix_id: str) -> dict[str, Any]: ...
    async def search(self, query: str, *, limit: int = 10) -> list[dict[str, Any]]: ...
    def to_stix(self, obj: Any) -> Any: ...


async def search_later(connector: Any, query: str, *, limit: int = 10) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await connector.list_objects("tool")
    return [obj for obj in found if query in obj["name"]][:limit]


def test_what_an_interface_awaits_is_awaited() -> None:
    context = ExecutionContext.create("test", "ingestion")
    connector: Any = SimulationConnector(
        [
            {"type": "tool", "id": "tool--1", "name": "nmap"},
            {"type": "tool", "id": "tool--2", "name": "sqlmap"},
        ],
        interface=AsyncConnector,
        extra={"search": search_later},
        context=context,
    )

    async def pipeline() -> list[Any]:
        with pytest.raises(KeyError):
            await connector.get_object("tool--3")
        both = await asyncio.gather(connector.get_object("tool--1"), connector.search("sql", limit=1))
        return [both[0]["name"], [obj["name"] for obj in both[1]], connector.to_stix("same")]

    assert asyncio.run(pipeline()) == ["nmap", ["sqlmap"], "same"]
    assert context.budget.used == 3
    assert [obj["id"] for obj in connector.iter_fixtures()] == ["tool--1", "tool--2"]
    assert SimulationConnector().list_objects() == []  # others are not awaited


def test_an_async_interface_is_compared_like_any_other() -> None:
    class Odd(Protocol):
        async def get_object(self, stix_id: str, depth: int = 1) -> dict[str, Any]: ...

    with pytest.raises(InputError, match=r"Odd\.get_object: its parameter 'depth' is called 'version'"):
        SimulationConnector(interface=Odd)


def test_extra_takes_the_place_of_ours() -> None:
    connector = SimulationConnector(extra={"health_check": lambda self: {"status": "degraded"}})
    assert connector.health_check() == {"status": "degraded"}
    assert SimulationConnector().health_check() == {"status": "ok"}


def test_all_that_is_missing_is_told_with_what_to_do() -> None:
    with pytest.raises(InputError) as caught:
        SimulationConnector(interface=Mixin)
    assert [str(problem) for problem in caught.value.problems] == [
        "Mixin has the method 'open', the connector has not (give it by extra={'open': ...})",
        "Mixin has the method 'parse', the connector has not (give it by extra={'parse': ...}; the nearest is 'page')",
        "Mixin has the method 'search', the connector has not (give it by extra={'search': ...})",
    ]


class Subject:
    """What interfaces are compared with."""

    limit = 5

    def plain(self, one: int, two: int = 2) -> None: ...
    def only_by_place(self, one: int, two: int = 0, /) -> None: ...
    def anything(self, *args: Any, **kwargs: Any) -> None: ...
    def by_name(self, one: int, *, needed: int) -> None: ...
    async def soon(self) -> None: ...


def asking(name: str, method: Any) -> type:
    return type("Asked", (), {name: method})


async def _soon(self: Any) -> None: ...


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("plain", lambda self, one: None),
        ("plain", lambda self, first: None),  # given by its place
        ("plain", lambda self, one, two=7: None),
        ("plain", lambda self, one, *, two=7: None),
        ("plain", staticmethod(lambda one, two=2: None)),
        ("plain", classmethod(lambda cls, one, two=2: None)),
        ("only_by_place", lambda self, one, two, /: None),
        ("anything", lambda self, one, two=2, *, three, **more: None),
        ("by_name", lambda self, one, *, needed: None),
        ("soon", _soon),
        ("limit", 100),
        ("_private", lambda self: None),
    ],
)
def test_what_can_be_called_alike_fits(name: str, method: Any) -> None:
    fit_to_interface(Subject(), asking(name, method))


@pytest.mark.parametrize(
    ("name", "method", "said"),
    [
        ("plain", lambda self: None, "the connector also needs 'one'"),
        ("plain", lambda self, one, two=2, three=3: None, "'three' is not taken in that place"),
        ("plain", lambda self, one, count=2: None, "its parameter 'count' is called 'two' in the connector"),
        (
            "only_by_place",
            lambda self, one, two=2: None,
            "its parameter 'two' is called 'two' in the connector",
        ),
        (
            "only_by_place",
            lambda self, one=1, /: None,
            "its parameter 'one' may be left out, the connector needs it",
        ),
        (
            "plain",
            lambda self, two, one=1: None,
            "its parameter 'two' stands in another place in the connector",
        ),
        ("by_name", lambda self, one, needed: None, "its parameter 'needed' is not taken in that place"),
        ("plain", lambda self, one=1: None, "its parameter 'one' may be left out, the connector needs it"),
        ("plain", lambda self, one, *, limit=2: None, "its parameter 'limit' is not taken by the connector"),
        ("by_name", lambda self, one: None, "the connector also needs 'needed'"),
        ("soon", lambda self: None, "the connector's is async, and this one is not"),
        ("limit", lambda self: None, "Asked.limit is a method, the connector's limit is none"),
        ("plian", lambda self: None, "the nearest is 'plain'"),
    ],
)
def test_what_would_be_called_otherwise_is_told(name: str, method: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        fit_to_interface(Subject(), asking(name, method))
    assert said in str(caught.value)


def test_attributes_that_are_only_declared_count() -> None:
    class Declared(Protocol):
        region: str

    with pytest.raises(InputError, match="Declared has the attribute 'region', the connector has not"):
        SimulationConnector(interface=Declared)
    SimulationConnector(interface=Declared, extra={"region": "eu"})


@pytest.mark.parametrize("interface", [5, "DocumentConnector", DocumentConnector.get_object])
def test_an_interface_is_a_class(interface: Any) -> None:
    with pytest.raises(InputError, match="interface is a Protocol or a class, not"):
        SimulationConnector(interface=interface)


@pytest.mark.parametrize("extra", [["search"], {5: search}, {"not a name": search}, "search"])
def test_extra_is_a_mapping_of_names(extra: Any) -> None:
    with pytest.raises(InputError, match="has no names of methods"):
        SimulationConnector(extra=extra)


def test_generators_and_inherited_methods_of_an_interface_count() -> None:
    class Base(Protocol):
        def iter_fixtures(self) -> Iterator[dict[str, Any]]: ...

    class Derived(Base, Protocol):
        def add_fixtures(self, *sources: Iterable[Any]) -> None: ...
        def vanish(self) -> None: ...

    with pytest.raises(InputError) as caught:
        SimulationConnector(interface=Derived)
    assert [problem.message for problem in caught.value.problems] == [
        "Derived has the method 'vanish', the connector has not"
    ]
