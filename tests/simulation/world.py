"""What a simulated memory lives in: texts of three languages, a clock that jumps, models that fail, and what befalls a call.

Every text carries a mark, such as ``qua17z``, that tells its namespace and is in no other: so wherever it turns up, in a
result, in a message or among the bytes of the store, it can be told whether it may be there.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.chat import ChatFailure, ChatFailureKind, ChatReply
from evolore.models.offline import HashingEmbedder
from evolore.store import database
from evolore.store.location import DATABASE
from evolving.scripted import USAGE, ScriptedEditor

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Generator, Sequence
    from datetime import date
    from pathlib import Path

    from evolore.domain.chat import ChatOutcome, ChatRequest
    from evolore.ports import EmbeddingModel, TextRole, Vectors

START = datetime(2026, 4, 1, 9, tzinfo=UTC)
MARK = re.compile(r"qu[a-z]\d+z")  # no id holds a "u"
SAYINGS = (
    ("The office of {} is in {}.", ("Kobe", "Osaka")),
    ("The office of {} is in {}. It has a garden on the roof.", ("Kobe", "Osaka")),
    ("The office of {} isn't in {}.", ("Kobe", "Osaka")),
    ("My rent for {} is {} euros.", ("500", "600")),
    ("My rent for {} is now {} euros. Mika pays half of it.", ("500", "600")),
    ("{} takes the {} train at nine.", ("red", "blue")),
    ("{}のオフィスは{}にあります。", ("神戸", "大阪")),
    ("{}のオフィスは{}にあります。屋上に庭があります。", ("神戸", "大阪")),
    ("{}のオフィスは{}に変わった。", ("神戸", "大阪")),
    ("{}的办公室在{}。", ("上海", "北京")),
    ("{}的办公室在{}。楼顶有花园。", ("上海", "北京")),
    ("{}的办公室不在{}。", ("上海", "北京")),
    ("{}的办公室改成在{}。", ("上海", "北京")),
)
"""What is said: a form for a subject and a value, and the values. A walk draws five forms, so that some repeat or contradict others."""
ASKED = ("Where is the office?", "オフィスはどこにありますか。", "办公室在哪里？")
MOODS = (
    None,
    None,
    None,
    ChatFailureKind.REFUSED,
    ChatFailureKind.TIMED_OUT,
    "",
    '{"sentences": [{"te',
    '{"verdict": [1, 2]}',
)
CALLS_A_DAY = 12
HASHING = HashingEmbedder().model.id
KILLED = 9


def marks(said: object) -> set[str]:
    """Give the marks in whatever can be written out."""
    return set(MARK.findall(said if isinstance(said, str) else repr(said)))


class JumpingClock:
    """Moves a second each time it is read, and otherwise when told, back as well."""

    def __init__(self) -> None:
        self._now = START

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    def today(self) -> date:
        return self._now.date()

    def jump(self, hours: float) -> None:
        self._now = max(START, self._now + timedelta(hours=hours))


class EmbedderFailed(RuntimeError):
    """What the embedder raises."""


class Embedder(HashingEmbedder):
    """Embeds by hashing, as one of two models, until it fails."""

    def __init__(self, name: str = HASHING) -> None:
        super().__init__()
        self.name, self.fails = name, False

    @property
    def model(self) -> EmbeddingModel:
        return replace(super().model, id=self.name)

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        if self.fails:
            raise EmbedderFailed("The embedder does not answer.")
        found = super().embed(texts, role=role)
        return found if self.name == HASHING else np.ascontiguousarray(found[:, ::-1])


class MoodyModel(ScriptedEditor):
    """A chat model that edits and answers by rules, and now and then refuses, is late, or says what nobody asked for.

    Attributes:
        days: How often it was asked on each day of the clock.
    """

    def __init__(self, chance: random.Random, clock: JumpingClock) -> None:
        super().__init__()
        self.days: Counter[date] = Counter()
        self._random, self._clock = chance, clock

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        return [self._moody(request) for request in requests]

    def _moody(self, request: ChatRequest) -> ChatOutcome:
        self.days[self._clock.today()] += 1
        match self._random.choice(MOODS):
            case ChatFailureKind() as kind:
                return ChatFailure(kind=kind, detail="Not now.")
            case str(said):
                return ChatReply(text=said, usage=USAGE)
            case _:
                return self._reply(request)


def killed(passage: int, call: Callable[[], object]) -> bool:
    """Do it in a child that dies at its n-th passage of any fault point; tell whether it died there."""
    child = os.fork()
    if child == 0:
        passages = count(1)

        def listen(_: database.FaultPoint) -> None:
            if next(passages) == passage:
                os._exit(KILLED)  # nothing is closed, flushed or undone

        database.listeners.append(listen)
        try:
            call()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


@contextmanager
def reading(store: Path) -> Generator[None]:
    """Hold a snapshot of the store, as whoever reads for long does: nothing can be written anew meanwhile."""
    connection = sqlite3.connect(store / DATABASE)
    connection.execute("begin")
    connection.execute("select count(*) from episodes").fetchone()
    try:
        yield
    finally:
        connection.close()


def held_bytes(store: Path) -> bytes:
    """Give what lies in the files of a store."""
    return b"\0".join(path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file())


def rows_by_namespace(store: Path) -> dict[str, int]:
    """Give a digest of all rows of each namespace, by its name."""
    connection = sqlite3.connect(f"file:{store / DATABASE}?mode=ro", uri=True)
    try:
        names = dict(connection.execute("select ns, name from namespaces").fetchall())
        digests: dict[str, list[object]] = {name: [] for name in names.values()}
        for (table,) in connection.execute("select name from sqlite_master where type = 'table'").fetchall():
            columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
            if "ns" not in columns:
                continue
            place = columns.index("ns")
            for row in connection.execute(f"select * from {table}"):
                digests[names[row[place]]].append((table, row))
        return {name: hash(tuple(sorted(map(repr, rows)))) for name, rows in digests.items()}
    finally:
        connection.close()
