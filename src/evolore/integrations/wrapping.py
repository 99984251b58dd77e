"""Chat clients with a memory: what OpenAI's, Anthropic's and LiteLLM's calls are sent beside it, and what is remembered of them."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial, wraps
from inspect import iscoroutinefunction, unwrap
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar, cast

from evolore.domain.checks import check_name
from evolore.domain.query import checked_namespaces
from evolore.errors import InvalidValue
from evolore.integrations.chat_turns import ChatPlace, ChatTurn, with_system

if TYPE_CHECKING:
    from evolore.memory import Memory

T = TypeVar("T")
Foreign: TypeAlias = Any
"""An object of a client's package, of which only what is used here is known."""
_HOMES = {"chat.completions": False, "beta.chat.completions": False, "messages": True, "beta.messages": True}
"""The parts of clients that chat, and whether their system text is an argument of its own."""
_CALLS = ("create", "parse", "stream")
_COPIES = ("with_options", "copy")
_SNAPSHOTS = ("current_completion_snapshot", "current_message_snapshot")
"""What a stream of a ``with`` block has gathered, by OpenAI's name and Anthropic's."""


def wrap(
    client: T,
    memory: Memory,
    *,
    user: str,
    session: str | None = None,
    also: Iterable[str] = (),
    replies: bool = False,
    others: bool = False,
) -> T:
    """Return a chat client that recalls before each call and remembers after it; all else of it is as before.

    What bears on the user's last message goes into the request as one more system message, or part of Anthropic's
    ``system``; where nothing does, the request is the bare one. A fault of the memory is logged, and the call goes on.

    Args:
        client: ``OpenAI``, ``AsyncOpenAI``, ``Anthropic`` or ``AsyncAnthropic``, another with their methods, or a function
            such as ``litellm.completion`` or ``litellm.acompletion``.
        memory: The memory; it stays the caller's to close.
        user: Who speaks; what another said in the same namespace is not shown.
        session: The conversation; by default named after its first message and the day.
        also: Further namespaces that are read, such as one that people share.
        replies: Whether to remember what the assistant says, too.
        others: Whether to show what other people said in the memory's own namespace.

    Raises:
        InvalidValue: The client is none, or a name is not of its form.
    """
    check_name(user, "user")
    check_name(session, "session")
    place = ChatPlace(
        memory=memory, user=user, session=session, also=checked_namespaces(also), replies=replies, others=others
    )
    if callable(client) and not isinstance(client, type):
        return cast("T", _call(client, place, is_async=iscoroutinefunction(unwrap(client))))
    if isinstance(client, type) or not any(hasattr(client, name) for name in ("chat", "messages")):
        raise InvalidValue(f"{client!r} is no chat client: pass OpenAI(…), Anthropic(…) or litellm.completion.")
    return cast("T", _Client(client, place))


class _Passing:
    """Passes on whatever is asked of an object, also its class."""

    def __init__(self, wrapped: Foreign) -> None:
        vars(self)["_wrapped"] = wrapped

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride] - `isinstance` asks for it
        return type(self._wrapped)

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

    def __init__(self, wrapped: Foreign, place: ChatPlace, path: str = "", *, is_async: bool | None = None) -> None:
        super().__init__(wrapped)
        is_async = hasattr(wrapped, "__aenter__") if is_async is None else is_async
        vars(self).update(_place=place, _path=path, _is_async=is_async)

    def __getattr__(self, name: str) -> Foreign:
        own = vars(self)
        found, path = getattr(own["_wrapped"], name), own["_path"]
        part = f"{path}.{name}".removeprefix(".")
        if path in _HOMES and name in _CALLS:
            if name == "stream":
                return wraps(found)(
                    lambda *args, **named: _Opened(found, partial(_Request, own["_place"], path, args, named))
                )
            return _call(found, own["_place"], path, is_async=own["_is_async"])
        if any(f"{home}.".startswith(f"{part}.") for home in _HOMES):
            return _Client(found, own["_place"], part, is_async=own["_is_async"])
        if not path and name in _COPIES:
            return lambda *args, **named: _Client(found(*args, **named), own["_place"])
        return found


class _Request:
    """A call's arguments with what is recalled, and its turn; no turn where there are no messages."""

    def __init__(self, place: ChatPlace, path: str, args: tuple[Foreign, ...], named: dict[str, Foreign]) -> None:
        self.args, self.named, self.turn = args, named, cast("ChatTurn | None", None)
        if "messages" not in named and len(args) > 1:  # LiteLLM's function takes it by its place
            self.args, self.named = args[:1], {"messages": args[1], **named}
        messages = self.named.get("messages")
        if not isinstance(messages, Iterable) or isinstance(messages, (str, bytes, Mapping)):
            return
        listed = cast("list[Foreign]", messages if isinstance(messages, list) else [*messages])
        self.turn = ChatTurn(place, listed)
        self.named = {**self.named, "messages": listed}
        if (told := self.turn.told()) and _HOMES.get(path):
            self.named["system"] = _with_part(self.named.get("system"), told)
        elif told:
            self.named["messages"] = with_system(listed, told)


def _with_part(system: Foreign, told: str) -> list[Foreign]:
    parts = [{"type": "text", "text": system}] if isinstance(system, str) else system
    return [*(parts if isinstance(parts, Iterable) else ()), {"type": "text", "text": told}]


def _call(bare: Callable[..., Foreign], place: ChatPlace, path: str = "", *, is_async: bool) -> Foreign:
    """Return a call with a memory."""

    @wraps(bare)
    def call(*args: Foreign, **named: Foreign) -> Foreign:
        asked = _Request(place, path, args, named)
        reply = bare(*asked.args, **asked.named)
        if asked.turn is None:
            return reply
        if named.get("stream"):
            return _Stream(reply, asked.turn)
        asked.turn.hear(reply)
        asked.turn.remember()
        return reply

    @wraps(bare)
    async def acall(*args: Foreign, **named: Foreign) -> Foreign:
        asked = await to_thread(_Request, place, path, args, named)
        reply = await bare(*asked.args, **asked.named)
        if asked.turn is None:
            return reply
        if named.get("stream"):
            return _AsyncStream(reply, asked.turn)
        asked.turn.hear(reply)
        await to_thread(asked.turn.remember)
        return reply

    return acall if is_async else call


class _Stream(_Passing):
    """A stream that hears what it hands on, and remembers it when it is over or closed."""

    def __init__(self, wrapped: Foreign, turn: ChatTurn) -> None:
        super().__init__(wrapped)
        vars(self)["_turn"] = turn

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

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if error[0] is None:
            self._turn.remember()

    def close(self) -> None:
        self._wrapped.close()
        self._turn.remember()


class _AsyncStream(_Stream):
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

    async def __aexit__(self, *error: object) -> None:
        await super().__aexit__(*error)
        if error[0] is None:
            await to_thread(self._turn.remember)

    async def close(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - awaited, as the client's own
        await self._wrapped.close()
        await to_thread(self._turn.remember)


class _Opened:
    """A stream of a ``with`` block: it is asked for where the block begins, and remembered where it ends."""

    def __init__(self, bare: Callable[..., Foreign], ask: Callable[[], _Request]) -> None:
        self._bare, self._ask = bare, ask

    def _begin(self, asked: _Request) -> Foreign:
        self._turn, self._manager = asked.turn, self._bare(*asked.args, **asked.named)
        return self._manager

    def _end(self) -> None:
        if self._turn is not None:
            for name in _SNAPSHOTS:
                with suppress(AssertionError):  # nothing came
                    self._turn.hear(getattr(self._stream, name, None))
            self._turn.remember()

    def __enter__(self) -> Foreign:
        self._stream = self._begin(self._ask()).__enter__()
        return self._stream

    def __exit__(self, *error: object) -> None:
        self._manager.__exit__(*error)
        if error[0] is None:
            self._end()

    async def __aenter__(self) -> Foreign:
        self._stream = await self._begin(await to_thread(self._ask)).__aenter__()
        return self._stream

    async def __aexit__(self, *error: object) -> None:
        await self._manager.__aexit__(*error)
        if error[0] is None:
            await to_thread(self._end)
