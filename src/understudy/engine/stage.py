"""The stage: resources that cases share, each made on first use in its scope and torn down whatever fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Generic, TypeVar, cast

from understudy.core.errors import UnderstudyError

T = TypeVar("T")


class Scope(IntEnum):
    """How long a resource lives and who shares it: the whole run, one worker, or one unit."""

    RUN = 0
    WORKER = 1
    UNIT = 2


@dataclass(frozen=True, slots=True)
class Resource(Generic[T]):
    """A description of something that cases use; equal names mean the same resource.

    `make` gets the stage of the resource's own scope, so that a resource can only use others that live at least
    as long. A resource of scope RUN has one value in the whole run, worker processes included, so its value must
    be picklable.
    """

    name: str
    scope: Scope
    make: Callable[[Stage], AbstractAsyncContextManager[T]]


class ResourceFailed(UnderstudyError):
    """A resource could not be made, of which every case that wants it is told, or could not be torn down."""


class Stage:
    """A typed registry of resources in one scope, over the stages of the wider scopes."""

    def __init__(
        self,
        scope: Scope = Scope.RUN,
        wider: Stage | None = None,
        remote: Callable[[str], Awaitable[Any]] | None = None,
    ) -> None:
        self._scope = scope
        self._wider = wider
        self._remote = remote
        self._made: dict[str, asyncio.Future[Any]] = {}
        self._open: list[tuple[str, AbstractAsyncContextManager[Any]]] = []

    def narrower(self) -> Stage:
        """A stage of the next scope, whose resources end with it."""
        return Stage(Scope(self._scope + 1), self)

    async def get(self, resource: Resource[T]) -> T:
        """The resource's value, made now if this is its first use."""
        stage: Stage = self
        while stage._scope > resource.scope and stage._wider is not None:
            stage = stage._wider
        if stage._scope < resource.scope:
            raise UnderstudyError(
                f"resource {resource.name!r} lives for one {resource.scope.name.lower()} only and cannot be used "
                f"by something that lives for a whole {stage._scope.name.lower()}"
            )
        made = stage._made.get(resource.name)
        if made is None:
            made = stage._made[resource.name] = asyncio.ensure_future(stage._make(resource))
        if made.done():
            return cast("T", made.result())
        return cast("T", await asyncio.shield(made))

    async def _make(self, resource: Resource[T]) -> T:
        try:
            if self._remote is not None and self._scope is Scope.RUN:
                return cast("T", await self._remote(resource.name))
            manager = resource.make(self)
            value = await manager.__aenter__()
            self._open.append((resource.name, manager))
            return value
        except UnderstudyError:
            raise
        except Exception as error:
            raise ResourceFailed(
                f"{resource.name} could not be made: {str(error) or type(error).__name__}"
            ) from error

    async def give_up(self) -> None:
        """End what is still being made; who asks for it again is told so."""
        pending = {name: made for name, made in self._made.items() if not made.done()}
        if not pending:
            return
        for name, made in pending.items():
            made.cancel()
            self._made[name] = asyncio.get_running_loop().create_future()
            self._made[name].set_exception(ResourceFailed(f"{name} was given up before it was ready"))
        await asyncio.gather(*pending.values(), return_exceptions=True)

    async def aclose(self) -> None:
        """Give up what is still being made, then tear everything down, last made first.

        What fails, or is cancelled, keeps nothing else from its own teardown; it is raised when all is done.
        """
        try:
            await self.give_up()
        finally:
            for made in self._made.values():
                if made.done() and not made.cancelled():
                    made.exception()  # seen here, so that an unused failure is not warned about
            self._made.clear()
            await self._tear_down()

    async def _tear_down(self) -> None:
        failures: list[str] = []
        cancelled: BaseException | None = None
        while self._open:
            name, manager = self._open.pop()
            try:
                await manager.__aexit__(None, None, None)
            except Exception as error:
                failures.append(f"{name} could not be torn down: {type(error).__name__}: {error}")
            except BaseException as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled
        if failures:
            raise ResourceFailed("; ".join(failures))
