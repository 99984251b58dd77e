"""The calls of mem0's ``Memory`` on an Evolore memory: a program moves by changing one import.

The differences are in ``docs/connections.md``: no chat model has to be configured, changed facts supersede, and what is
deleted is erased with its history.
"""

from __future__ import annotations

import asyncio
import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from operator import ge, gt, le, lt
from typing import Any, Self, TypeAlias, cast

from evolore.domain.episode import Deed, Episode, EpisodeState, Statement
from evolore.domain.filed import filed, read_filed
from evolore.errors import InputError, InvalidValue, NotFound
from evolore.integrations.chat_turns import text_of
from evolore.memory import Memory as EvoloreMemory

Json: TypeAlias = Any
"""What JSON holds."""
_SCOPES = ("user_id", "agent_id", "run_id")
_WHO = ("role", "actor_id")
_NOBODY = frozenset({"system", "developer", "tool", "function"})
"""Roles whose messages no person and no assistant said."""
_OWN = (*_SCOPES, *_WHO, "expiration_date")
_OF, _WAS, _EXTRA, _CREATED = "mem0_id", "mem0_was", "mem0_metadata", "mem0_created"
_MOST = 1_000_000
_UNSET: Json = object()


class Memory:
    """mem0's ``Memory``, kept in an Evolore memory on disk.

    Each message is remembered as it was said, by its user or agent, in its run: repeated messages are kept once, and
    what changes supersedes what it changes, which ``search`` and ``get_all`` then leave out and ``get`` still returns.

    Args:
        memory: Where it is kept; it stays the caller's to close. By default the default store, in the namespace ``mem0``.
    """

    def __init__(self, memory: EvoloreMemory | None = None) -> None:
        self._own = memory is None
        self.memory = memory or EvoloreMemory.open(namespace="mem0")

    @classmethod
    def from_config(cls, config: Mapping[str, Json]) -> Self:
        """Open a memory as ``config["evolore"]`` says: ``store`` and ``namespace``; other parts are not used, with a warning."""
        unused = sorted(set(config) - {"evolore", "version"})
        if unused:
            told = f"{', '.join(unused)}: Evolore does not need it; its own settings say which models it uses."
            warnings.warn(told, stacklevel=2)
        said = dict(config.get("evolore") or {})
        one = cls(EvoloreMemory.open(said.get("store"), namespace=said.get("namespace", "mem0")))
        one._own = True
        return one

    def add(
        self,
        messages: str | Mapping[str, Json] | Sequence[Mapping[str, Json]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        expiration_date: str | date | None = None,
        **unused: Json,
    ) -> dict[str, list[dict[str, Json]]]:
        """Remember the texts of what users and assistants said; return the id and outcome of each.

        Messages of the system and of tools, images, and messages without a text are left out.

        ``ADD`` is new, ``NONE`` was known already, and ``SUPERSEDE`` names a memory whose place a new one took.

        Raises:
            InvalidValue: No scope is given, there is no message, or one is no object.
        """
        if unused.get("timestamp") is not None:
            raise InvalidValue("timestamp is not taken: import what has times with `evolore store import`.")
        scope = {name: str(one).strip() for name, one in zip(_SCOPES, (user_id, agent_id, run_id), strict=True) if one}
        _check_scope(scope)
        own = dict(scope) | ({} if expiration_date is None else {"expiration_date": _day(expiration_date)})
        said_now = [_statement(one, own, metadata or {}) for one in _messages(messages)]
        if not said_now:
            return {"results": []}
        kept = self.memory.remember_many(said_now)
        results: list[dict[str, Json]] = []
        for said, one in zip(kept.episodes, kept.integrated, strict=True):
            is_known = one.episode_id != said.id
            told = {"id": one.episode_id, "memory": said.text, "event": "NONE" if is_known else "ADD"}
            results.append(told | {name: said.metadata[name] for name in _WHO if name in said.metadata})
            results += [
                {"id": old, "memory": cast("Episode", self.memory.show(old)).text, "event": "SUPERSEDE"}
                for old in (action.episode_ids[0] for action in one.actions if action.deed is Deed.SUPERSEDED)
            ]
        return {"results": results}

    def get(self, memory_id: str) -> dict[str, Json] | None:
        """Return a memory; None where there is none."""
        one = self._find(memory_id)
        return None if one is None else _record(one) | {"score": None}

    def get_all(
        self, *, filters: Mapping[str, Json] | None = None, top_k: int = 20, show_expired: bool = False, **unused: Json
    ) -> dict[str, list[dict[str, Json]]]:
        """List the memories of a scope that hold now, the newest first.

        Raises:
            InvalidValue: The filters name no scope, or a scope is given beside them.
        """
        scope, others = _filters(filters, unused)
        found = self.memory.list(limit=_MOST, where=scope).statements
        holding = (_record(one) for one in found if one.state is not EpisodeState.SUPERSEDED)
        return {"results": [one for one in holding if _fits(one, others, show_expired=show_expired)][:top_k]}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Json] | None = None,
        threshold: float | None = None,
        show_expired: bool = False,
        **unused: Json,
    ) -> dict[str, list[dict[str, Json]]]:
        """Find memories of a scope, the best first; those that hold now.

        Raises:
            InvalidValue: The filters name no scope, a scope is given beside them, or the query is blank.
        """
        scope, others = _filters(filters, unused)
        limit = top_k
        while True:
            found = self.memory.recall(query, limit=limit, where=scope, record=False)
            records = [_record(hit.episode) | {"score": hit.score} for hit in found.hits if not hit.is_superseded]
            fitting = [one for one in records if _fits(one, others, show_expired=show_expired)]
            if len(fitting) >= top_k or len(found.hits) < limit:
                return {"results": [one for one in fitting if threshold is None or one["score"] >= threshold][:top_k]}
            limit *= 4

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        expiration_date: Json = _UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Return a memory another text, metadata or day on which it expires; its id stays.

        Raises:
            InvalidValue: There is none, or nothing is given.
        """
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is _UNSET:
            raise InvalidValue("Nothing is given: pass a text, metadata or an expiration_date.")
        one = self._there(memory_id)
        own = {name: str(one.metadata[name]) for name in _OWN if name in one.metadata}
        if expiration_date is not _UNSET:
            own.pop("expiration_date", None)
            own |= {} if expiration_date is None else {"expiration_date": _day(expiration_date)}
        labels = {
            **own,
            **_extra({**(read_filed(_EXTRA, one.metadata) or {}), **(metadata or {})}),
            **filed(_WAS, _told(one), what="The history"),
            _OF: _id_of(one),
            _CREATED: str(one.metadata.get(_CREATED, one.recorded_at.isoformat())),
        }
        statement = Statement(text=text or one.text, speaker=one.speaker, session=one.session, metadata=labels)
        self.memory.remember_many([statement])
        self.memory.forget(one.id)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Erase a memory with its history.

        Raises:
            InvalidValue: There is none.
        """
        self.memory.forget(self._there(memory_id).id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Erase all memories of a scope.

        Raises:
            InvalidValue: None is given; ``reset`` erases everything.
        """
        scope = {name: str(one).strip() for name, one in zip(_SCOPES, (user_id, agent_id, run_id), strict=True) if one}
        _check_scope(scope)
        with suppress(NotFound):  # there is none
            self.memory.forget(where=scope)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Json]]:
        """List what a memory said and when, the oldest first; nothing of one that was deleted."""
        one = self._find(memory_id)
        if one is None:
            return []
        told = _told(one)
        return [
            {
                "id": f"{memory_id}:{place}",
                "memory_id": memory_id,
                "old_memory": told[place - 1]["memory"] if place else None,
                "new_memory": now["memory"],
                "event": "UPDATE" if place else "ADD",
                "created_at": told[0]["at"],
                "updated_at": now["at"],
                "is_deleted": False,
                **{name: one.metadata.get(name) for name in _WHO},
            }
            for place, now in enumerate(told)
        ]

    def reset(self) -> None:
        """Erase everything that this memory holds."""
        with suppress(NotFound):
            self.memory.forget(everything=True)

    def close(self) -> None:
        """Close the memory, where it was opened here."""
        if self._own:
            self.memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _find(self, memory_id: str) -> Episode | None:
        """Return the episode of an id: the newest text it was given, or what was remembered under it."""
        updated = self.memory.list(limit=1, where={_OF: memory_id}).statements if memory_id else ()
        try:
            found = updated[0] if updated else self.memory.show(memory_id)
        except InputError:
            return None
        return found if isinstance(found, Episode) and found.id in {memory_id, *(one.id for one in updated)} else None

    def _there(self, memory_id: str) -> Episode:
        found = self._find(memory_id)
        if found is None:
            raise InvalidValue(f"Memory with id {memory_id} not found: list them with get_all.")
        return found


def _messages(messages: Json) -> list[Mapping[str, Json]]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    every: list[Json] = [messages] if isinstance(messages, Mapping) else list(messages)
    if not every:
        raise InvalidValue("messages is empty: pass one.")
    for place, one in enumerate(every):
        if not isinstance(one, Mapping):
            raise InvalidValue(f'messages[{place}] is {one!r}: write {{"role": "user", "content": "…"}}.')
    said: list[Mapping[str, Json]] = [one for one in every if one.get("role") not in _NOBODY]
    return [{**one, "content": text} for one in said if (text := text_of(one.get("content"))).strip()]


def _statement(message: Mapping[str, Json], own: Mapping[str, str], metadata: Mapping[str, Json]) -> Statement:
    role = str(message.get("role", "user"))
    by_agent = role == "assistant"
    speaker = message.get("name") or own.get("agent_id" if by_agent else "user_id") or role
    named = {"actor_id": str(message["name"])} if message.get("name") else {}
    labels = {**own, "role": role, **named, **_extra(metadata)}
    return Statement(text=message["content"], speaker=str(speaker), session=own.get("run_id"), metadata=labels)


def _extra(metadata: Mapping[str, Json]) -> dict[str, Any]:
    return filed(_EXTRA, dict(metadata), what="The metadata") if metadata else {}


def _id_of(one: Episode) -> str:
    return str(one.metadata.get(_OF, one.id))


def _told(one: Episode) -> list[dict[str, str]]:
    """Return what a memory said and since when, the oldest first."""
    earlier: list[dict[str, str]] = read_filed(_WAS, one.metadata) or []
    return [*earlier, {"memory": one.text, "at": one.recorded_at.isoformat()}]


def _record(one: Episode) -> dict[str, Json]:
    created = str(one.metadata.get(_CREATED, one.recorded_at.isoformat()))
    return {
        "id": _id_of(one),
        "memory": one.text,
        "hash": hashlib.md5(one.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": read_filed(_EXTRA, one.metadata),
        "created_at": created,
        "updated_at": one.recorded_at.isoformat(),
        **{name: one.metadata[name] for name in _OWN if name in one.metadata},
    }


def _check_scope(scope: Mapping[str, Json]) -> None:
    if not scope:
        raise InvalidValue(f"No scope is given: pass at least one of {', '.join(_SCOPES)}.")


def _filters(filters: Mapping[str, Json] | None, unused: Mapping[str, Json]) -> tuple[dict[str, str], dict[str, Json]]:
    """Return the scope that filters name, and all else that they ask for."""
    beside = [name for name in _SCOPES if unused.get(name) is not None]
    if beside:
        raise InvalidValue(f"{beside[0]} is beside filters: write filters={{{beside[0]!r}: …}}.")
    if unused.get("reference_date") is not None:
        raise InvalidValue("reference_date is not taken: ask the memory itself, `recall(…, as_of=…)`.")
    wanted = dict(filters or {})
    scope = {
        name: wanted.pop(name).strip() for name in _SCOPES if isinstance(wanted.get(name), str) and wanted[name] != "*"
    }
    _check_scope({name: one for name, one in scope.items() if one} or {name: 1 for name in _SCOPES if name in wanted})
    return scope, wanted


def _fits(record: Mapping[str, Json], wanted: Mapping[str, Json], *, show_expired: bool) -> bool:
    is_over = str(record.get("expiration_date", "9999")) < datetime.now(UTC).date().isoformat()
    return (show_expired or not is_over) and _holds({**(record["metadata"] or {}), **record}, wanted)


_JOINED = {"AND": "AND", "OR": "OR", "NOT": "NOT", "$and": "AND", "$or": "OR", "$not": "NOT"}


def _holds(values: Mapping[str, Json], wanted: Mapping[str, Json]) -> bool:
    for name, one in wanted.items():
        if name in _JOINED:
            found = [_holds(values, each) for each in one]
            fits = all(found) if _JOINED[name] == "AND" else any(found) == (_JOINED[name] == "OR")
        elif name.startswith("$"):
            raise InvalidValue(f"The filter has {name!r}: use one of {', '.join(_JOINED)}.")
        elif isinstance(one, Mapping):
            fits = all(_compare(values.get(name), *each) for each in cast("Mapping[str, Json]", one).items())
        else:
            fits = name in values if one == "*" else values.get(name) == one
        if not fits:
            return False
    return True


_COMPARED: Mapping[str, Callable[[Json, Json], bool]] = {
    "eq": lambda value, other: value == other,
    "ne": lambda value, other: value != other,
    "in": lambda value, other: value in other,
    "nin": lambda value, other: value not in other,
    "gt": gt,
    "gte": ge,
    "lt": lt,
    "lte": le,
    "contains": lambda value, other: other in value,
    "icontains": lambda value, other: other.casefold() in value.casefold(),
}


def _compare(value: Json, operator: str, other: Json) -> bool:
    if operator not in _COMPARED:
        raise InvalidValue(f"The filter has {operator!r}: use one of {', '.join(_COMPARED)}.")
    try:
        return bool(_COMPARED[operator](value, other))
    except (TypeError, AttributeError):  # what cannot be compared fits nothing
        return False


def _day(value: str | date) -> str:
    try:
        return (value if isinstance(value, date) else date.fromisoformat(value.strip()[:10])).isoformat()[:10]
    except ValueError as error:
        raise InvalidValue(f"expiration_date is {value!r}: write a day, such as 2026-12-31.") from error


def _awaited(name: str) -> Callable[..., Json]:
    async def call(self: AsyncMemory, *given: Json, **named: Json) -> Json:
        return await asyncio.to_thread(getattr(self.sync, name), *given, **named)

    call.__name__, call.__doc__ = name, getattr(Memory, name).__doc__
    return call


class AsyncMemory:
    """mem0's ``AsyncMemory``: the same calls, each awaited.

    Args:
        memory: As for ``Memory``.
    """

    def __init__(self, memory: EvoloreMemory | None = None) -> None:
        self.sync = Memory(memory)

    add, get, get_all, search = map(_awaited, ("add", "get", "get_all", "search"))
    update, delete, delete_all, history, reset = map(_awaited, ("update", "delete", "delete_all", "history", "reset"))

    def close(self) -> None:
        """Close the memory, where it was opened here."""
        self.sync.close()
