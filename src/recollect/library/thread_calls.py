"""Wraps a method of the synchronous library as a coroutine function that runs it in a thread."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Concatenate, ParamSpec, Protocol, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Sync = TypeVar("Sync")
Sync_co = TypeVar("Sync_co", covariant=True)


class AsyncTwin(Protocol[Sync_co]):
    """An object whose methods are those of `sync`, as coroutines."""

    @property
    def sync(self) -> Sync_co: ...


def in_thread(
    method: Callable[Concatenate[Sync, Arguments], Result],
) -> Callable[Concatenate[AsyncTwin[Sync], Arguments], Coroutine[None, None, Result]]:
    async def call(twin: AsyncTwin[Sync], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return await asyncio.to_thread(method, twin.sync, *args, **kwargs)

    call.__doc__ = method.__doc__
    return call
