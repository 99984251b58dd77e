"""Chat clients with a memory: OpenAI's and Anthropic's, and functions such as LiteLLM's."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import wraps
from inspect import iscoroutinefunction, unwrap
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar, cast

from evolore.domain.query import checked_namespaces
from evolore.errors import InvalidValue
from evolore.integrations.chat_turns import ChatPlace, ChatTurn, field_of, with_system

if TYPE_CHECKING:
    from evolore.memory import Memory

T = TypeVar("T")
Foreign: TypeAlias = Any
"""An object of a client's package, of which only what is used here is known."""
_CALLS = ("create", "parse", "stream")
_HOMES = {
    "chat.completions": "",
    "beta.chat.completions": "",
    "responses": "instructions",
    "messages": "system",
    "beta.messages": "system",
}
"""The parts of clients that chat, and the argument that their system text is, where it is no message."""


def wrap(
    client: T,
    memory: Memory,
    *,
    user: str,
    session: str | None = None,
    also: Iterable[str] = (),
    replies: bool = True,
    others: bool = False,
) -> T:
    """Return a chat client that recalls before each call and remembers after it; all else of it is as before.

    What bears on the user's last message goes into the request as one more system message, part of Anthropic's
    ``system``, or end of ``instructions`` of the Responses API; where nothing does, the request is the bare one. A fault of the memory is logged, and the call goes on.

    Args:
        client: ``OpenAI``, ``AsyncOpenAI``, ``Anthropic`` or ``AsyncAnthropic``, another with their methods, or a function
            such as ``litellm.completion`` or ``litellm.acompletion``.
        memory: The memory; it stays the caller's to close.
        user: Who speaks; what another said in the same namespace is not shown.
        session: The conversation; by default named after its first message and the day.
        also: Further namespaces that are read, such as one that people share.
        replies: Whether to remember what the assistant says, too; more questions find their evidence then
            (``benchmarks/replies.py``).
        others: Whether to show what other people said in the memory's own namespace.

    Raises:
        InvalidValue: The client is none, or a name is not of its form.
    """
    if cast("object", memory) is None or iscoroutinefunction(getattr(type(memory), "recall", None)):
        raise InvalidValue(f"The memory is {memory!r}: pass a Memory, or what `evolore.client.connect` returns.")
    place = ChatPlace(
        memory=memory, user=user, session=session, also=checked_namespaces(also), replies=replies, others=others
    )
    if callable(client) and not isinstance(client, type):
        return cast("T", _call(client, place, "", is_async=iscoroutinefunction(unwrap(client))))
    if isinstance(client, type) or not any(hasattr(client, name) for name in ("chat", "messages")):
        raise InvalidValue(f"{client!r} is no chat client: pass OpenAI(…), Anthropic(…) or litellm.completion.")
    return cast("T", _Client(client, place, "", is_async=hasattr(client, "__aenter__")))


class _Passing:
    """Passes on whatever is asked of an object, also its class."""

    def __init__(self, wrapped: Foreign, **own: object) -> None:
        vars(self).update(own, _wrapped=wrapped)

    @property
    def __class__(self) -> type[object]:  # pyright: ignore[reportIncompatibleMethodOverride] - `isinstance` asks for it
        return cast("type[object]", type(self._wrapped))

    def __getattr__(self, name: str) -> Foreign:
        return getattr(vars(self)["_wrapped"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._wrapped, name, value)

    def __repr__(self) -> str:
        return repr(self._wrapped)

    def __dir__(self) -> Iterable[str]:
        return dir(self._wrapped)

    def __enter__(self) -> Self:
        self._wrapped.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._wrapped.__exit__(*error)

    async def __aenter__(self) -> Self:
        await self._wrapped.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._wrapped.__aexit__(*error)


class _Client(_Passing):
    """A client, or a part of it."""

    def __init__(self, wrapped: Foreign, place: ChatPlace, path: str, *, is_async: bool) -> None:
        super().__init__(wrapped, _own=(place, path, is_async))

    def __getattr__(self, name: str) -> Foreign:
        found, (place, path, is_async) = super().__getattr__(name), vars(self)["_own"]
        part = f"{path}.{name}".removeprefix(".")
        if path in _HOMES and name in _CALLS:
            return _call(found, place, path, is_async=is_async, is_block=name == "stream")
        if any(f"{home}.".startswith(f"{part}.") for home in _HOMES):
            return _Client(found, place, part, is_async=is_async)
        if not path and name in {"copy", "with_options"}:
            return wraps(found)(lambda *args, **named: _Client(found(*args, **named), place, "", is_async=is_async))
        return found


class _Request:
    """A call's arguments with what is recalled, and its turn; no turn where there are no messages."""

    turn: ChatTurn | None = None

    def __init__(self, place: ChatPlace, path: str, args: tuple[Foreign, ...], named: dict[str, Foreign]) -> None:
        self.args, self.named = args, named
        name = "input" if path == "responses" else "messages"
        placed = () if name in named else args[1:2]  # LiteLLM's function takes them by their place
        given = placed[0] if placed else named.get(name)
        messages = [{"role": "user", "content": given}] if isinstance(given, str) and name == "input" else given
        if not isinstance(messages, Iterable) or isinstance(messages, (str, Mapping)):
            return
        listed = cast("list[Foreign]", messages if isinstance(messages, list) else [*messages])
        self.turn = ChatTurn(place, listed)
        told, own = self.turn.told(), _HOMES.get(path, "")
        if isinstance(named.get("prompt"), Mapping):  # one that is kept at OpenAI, with instructions of its own
            own = ""
        if told and own:
            named[own] = _with_system(named.get(own), told, are_parts=own == "system")
        elif told:
            listed = with_system(listed, told)
        if placed:
            self.args = (*args[:1], listed, *args[2:])
        elif not isinstance(given, str) or len(listed) > 1:
            named[name] = listed


def _with_system(system: Foreign, told: str, *, are_parts: bool) -> Foreign:
    if not are_parts:
        return f"{system}\n\n{told}" if isinstance(system, str) and system else told
    parts: Foreign = [{"type": "text", "text": system}] if isinstance(system, str) else system
    return [*(parts if isinstance(parts, Iterable) else ()), {"type": "text", "text": told}]


def _call(
    bare: Callable[..., Foreign], place: ChatPlace, path: str, *, is_async: bool, is_block: bool = False
) -> Foreign:
    """Return a call with a memory, or one that opens a stream for a ``with`` block."""

    @wraps(bare)
    def call(*args: Foreign, **named: Foreign) -> Foreign:
        asked = _Request(place, path, args, named)
        return _heard(asked.turn, bare(*asked.args, **asked.named), is_stream=bool(named.get("stream")))

    @wraps(bare)
    async def awaited(*args: Foreign, **named: Foreign) -> Foreign:
        asked = await to_thread(_Request, place, path, args, named)
        reply = await bare(*asked.args, **asked.named)
        return await to_thread(_heard, asked.turn, reply, is_stream=bool(named.get("stream")))

    @contextmanager
    def block(*args: Foreign, **named: Foreign) -> Generator[Foreign]:
        asked = _Request(place, path, args, named)
        with bare(*asked.args, **asked.named) as stream:
            yield stream
        _heard(asked.turn, stream)

    @asynccontextmanager
    async def awaited_block(*args: Foreign, **named: Foreign) -> AsyncGenerator[Foreign]:
        asked = await to_thread(_Request, place, path, args, named)
        async with bare(*asked.args, **asked.named) as stream:
            yield stream
        await to_thread(_heard, asked.turn, stream)

    return (awaited_block if is_async else block) if is_block else awaited if is_async else call


def _heard(turn: ChatTurn | None, reply: Foreign, *, is_stream: bool = False) -> Foreign:
    """Return a reply and remember it; of the stream of a block, what it gathered, by OpenAI's names or Anthropic's."""
    if turn is not None and is_stream:
        return _Stream(reply, _turn=turn)
    said = field_of(field_of(reply, "_state"), "_completed_response") or reply
    with suppress(AssertionError):  # nothing came
        said = getattr(reply, "current_completion_snapshot", None) or getattr(reply, "current_message_snapshot", said)
    if turn is not None:
        turn.hear(said)
        turn.remember()
    return reply


class _Stream(_Passing):
    """A stream that hears what it hands on, and remembers it when it is over or closed."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Foreign:
        try:
            part = next(self._wrapped)
        except StopIteration:
            self._turn.remember()
            raise
        self._turn.hear(part)
        return part

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Foreign:
        try:
            part = await anext(self._wrapped)
        except StopAsyncIteration:
            await to_thread(self._turn.remember)
            raise
        self._turn.hear(part)
        return part

    def __getattr__(self, name: str) -> Foreign:
        found = super().__getattr__(name)

        async def awaited() -> None:
            await found()
            await to_thread(self._turn.remember)

        def close() -> Foreign:
            done = found()
            self._turn.remember()
            return done

        return found if name != "close" else wraps(found)(awaited if iscoroutinefunction(found) else close)

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self._turn.remember() if error[0] is None else None

    async def __aexit__(self, *error: object) -> None:
        await super().__aexit__(*error)
        await to_thread(self._turn.remember) if error[0] is None else None
