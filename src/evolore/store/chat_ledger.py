"""Costs of chats on each day, and their replies, kept in the store: for every process that uses it.

Nothing is made on disk for them: until something is written to the store, and where it cannot be written, they are kept
in memory. What was spent meanwhile is added to the store's days as soon as there is one.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import date
from threading import Lock

from sqlalchemy import Connection, Integer, Text, cast, delete, func, select

from evolore.domain.chat import ChatBudget, ChatUsage
from evolore.domain.checks import check_count
from evolore.errors import InputError, SetupError, TryAgain
from evolore.ports import ChatCache
from evolore.store.database import WriteTurn
from evolore.store.opening import OpenStore
from evolore.store.sql import upsert
from evolore.store.tables import chat_replies, chat_spend, settings

_NOTHING = ChatUsage()
_AMOUNTS = ("calls", "prompt_tokens", "reply_tokens", "cost_micros")
_NO_STORE = (InputError, SetupError)
_ERASURES = "reply_erasures"


class StoredSpendLog:
    """Keeps what was spent on each day in a store; threads and processes share it.

    What is taken is written before the call that it is for, so that a process that dies has spent it.
    """

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened
        self._waiting: dict[date, ChatUsage] = {}
        self._lock = Lock()

    def take(self, day: date, wanted: ChatUsage, budget: ChatBudget) -> bool:
        """Add to a day's spend in one step, if the budget allows the sum; return whether it did.

        Where others write for too long, what was spent is unknown: then a budget that has a limit allows nothing.
        """
        with self._lock:
            try:
                return self._take(day, wanted, budget)
            except _NO_STORE:
                is_allowed = budget.allows(self._known(day) + wanted)
            except TryAgain:
                is_allowed = not budget.is_limited
            if is_allowed:
                self._wait(day, wanted)
            return is_allowed

    def settle(self, day: date, taken: ChatUsage, used: ChatUsage) -> None:
        """Put what was used in place of what was taken for it; where that fails, at the next chance."""
        with self._lock:
            self._wait(day, used - taken)
            with suppress(*_NO_STORE, TryAgain):
                with _writing(self._opened) as connection:
                    self._carry(connection)
                self._waiting.clear()

    def spent(self, day: date) -> ChatUsage:
        """Return what was spent on a day, with what is taken and not settled yet."""
        with self._lock:
            return self._known(day)

    def days(self) -> tuple[date, ...]:
        """Return the days on which something was spent, the first one first."""
        with self._lock:
            found = set(self._waiting)
            with suppress(*_NO_STORE, TryAgain), _reading(self._opened) as connection:
                found.update(date.fromisoformat(day) for day in connection.scalars(select(chat_spend.c.day)))
            return tuple(sorted(found))

    def _take(self, day: date, wanted: ChatUsage, budget: ChatBudget) -> bool:
        with _writing(self._opened) as connection:
            self._carry(connection)
            is_allowed = budget.allows(_spent(connection, day) + wanted)
            if is_allowed:
                _add(connection, day, wanted)
        self._waiting.clear()
        return is_allowed

    def _known(self, day: date) -> ChatUsage:
        waiting = self._waiting.get(day, _NOTHING)
        with suppress(*_NO_STORE, TryAgain), _reading(self._opened) as connection:
            return _spent(connection, day) + waiting
        return waiting

    def _wait(self, day: date, more: ChatUsage) -> None:
        self._waiting[day] = self._waiting.get(day, _NOTHING) + more

    def _carry(self, connection: Connection) -> None:
        for day, usage in self._waiting.items():
            _add(connection, day, usage)


class StoredChatCache:
    """Keeps so many replies in a store; the one that was kept first goes first. Threads and processes share it.

    A reply to what was asked before something was erased is not kept: it may quote that.

    Args:
        opened: The store.
        most: How many, at least 1.
        until: What keeps them while nothing can be written to the store.

    Raises:
        InvalidValue: Below 1.
    """

    def __init__(self, opened: OpenStore, most: int, *, until: ChatCache) -> None:
        check_count(most, "most")
        self._opened, self._most, self._until = opened, most, until
        self._asked: dict[str, int] = {}

    def get(self, key: str) -> str | None:
        """Return the reply that was kept, or None."""
        try:
            with _reading(self._opened) as connection:
                kept = connection.scalar(select(chat_replies.c.reply).where(chat_replies.c.key == key))
                erasures = _erasures(connection)
        except (*_NO_STORE, TryAgain):
            return self._until.get(key)
        if kept is None:
            self._asked[key] = erasures
        return kept

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        asked = self._asked.pop(key, None)
        try:
            with _writing(self._opened) as connection:
                if asked is None or asked == _erasures(connection):
                    self._put(connection, key, reply)
        except _NO_STORE:
            self._until.put(key, reply)
        except TryAgain:
            return

    def clear(self) -> None:
        """Delete all of them; an erasure of the store has done so itself, and does not wait here."""
        self._until.clear()
        with suppress(*_NO_STORE):
            with _reading(self._opened) as connection:
                is_empty = connection.scalar(select(chat_replies.c.seq).limit(1)) is None
            if not is_empty:
                with _writing(self._opened) as connection:
                    clear_replies(connection)

    def _put(self, connection: Connection, key: str, reply: str) -> None:
        last: int = connection.scalar(select(func.max(chat_replies.c.seq))) or 0
        row = {"key": key, "seq": last + 1, "reply": reply}
        kept = upsert(chat_replies, {"seq": last + 1, "reply": reply})
        connection.execute(kept.values(row))
        connection.execute(delete(chat_replies).where(chat_replies.c.seq <= last + 1 - self._most))


def clear_replies(connection: Connection) -> int:
    """Delete all replies of the chat model, and keep none that is on its way: one may quote what was erased."""
    deleted = connection.execute(delete(chat_replies)).rowcount
    more = cast(cast(settings.c.value, Integer) + 1, Text)
    connection.execute(upsert(settings, {"value": more}).values(name=_ERASURES, value="1"))
    return deleted


def _erasures(connection: Connection) -> int:
    return int(connection.scalar(select(settings.c.value).where(settings.c.name == _ERASURES)) or 0)


def _spent(connection: Connection, day: date) -> ChatUsage:
    row = connection.execute(select(chat_spend).where(chat_spend.c.day == day.isoformat())).mappings().first()
    return _NOTHING if row is None else ChatUsage(**{name: row[name] for name in _AMOUNTS})


def _add(connection: Connection, day: date, more: ChatUsage) -> None:
    amounts: dict[str, int] = {name: getattr(more, name) for name in _AMOUNTS}
    sums = {name: chat_spend.c[name] + amount for name, amount in amounts.items()}
    connection.execute(upsert(chat_spend, sums).values(day=day.isoformat(), **amounts))


@contextmanager
def _writing(opened: OpenStore) -> Generator[Connection]:
    """Write in one short transaction to a store that exists, of any embedding model."""
    with opened.of_any_model() as database, opened.taking_turns(), database.writing(WriteTurn.SERVICE) as connection:
        yield connection


@contextmanager
def _reading(opened: OpenStore) -> Generator[Connection]:
    with opened.of_any_model() as database, database.reading() as connection:
        yield connection
