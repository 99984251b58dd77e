"""A process that asks what others ask too: ``python -m crash.asker STORE NAME [POINT VISIT]``.

It begins at a line of input. Each question is taken down, and what it touched is evaluated, in one transaction; once that
is over it tells of it. With a fault point it stops at its n-th visit there, says so, and waits to be killed.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crash.worker import stop_at, tell
from evolore.domain.episode import EdgeKind
from evolore.domain.language import Language
from evolore.domain.outcome import Given, Outcome
from evolore.domain.query import Intent
from evolore.jobs.clock import SystemClock
from evolore.models.offline import HashingEmbedder
from evolore.ports import Entering, NewQuery, QueryEdge, TextRole
from evolore.store.database import FaultPoint
from evolore.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.store.writing import StoreWriter

QUESTIONS = 100
GATHER = 5
SHARE = 0.2
EMBEDDER = HashingEmbedder()
AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def opened(store: Path) -> Store:
    return Store(store, model=EMBEDDER.model, clock=SystemClock())


def is_insight(number: int) -> bool:
    """Tell which questions lead to insight: of the earlier half one in three, of the later one in ten."""
    return number % (3 if number < QUESTIONS / 2 else 10) == 0


def targets_of(number: int, targets: Sequence[str]) -> list[str]:
    return [targets[(number + step * step) % len(targets)] for step in range(4)]


def ask(writer: StoreWriter, text: str, number: int, targets: Sequence[str]) -> str:
    """Take a question down, let its edges enter or wait, and evaluate what gathered: as a flow does."""
    given = list(dict.fromkeys(targets_of(number, targets)))
    new = NewQuery(
        text=text,
        language=Language.EN,
        intent=Intent.FACTUAL,
        vector=np.asarray(EMBEDDER.embed([text], role=TextRole.QUERY)[0]),
        asked_at=AT,
        outcome=Outcome.INSIGHT if is_insight(number) else Outcome.RETRIEVAL,
        given=tuple(Given(episode_id=id_, rank=place) for place, id_ in enumerate(given, start=1)),
    )
    id_ = writer.put_query(new, at=AT).id
    led = is_insight(number)
    first = QueryEdge(query_id=id_, target_id=given[0], kind=EdgeKind.QUERY_INSIGHT, led_to_insight=True)
    rest = [
        QueryEdge(query_id=id_, target_id=target, kind=EdgeKind.QUERY_RETRIEVAL, led_to_insight=led)
        for target in given[1 if led else 0 :]
    ]
    writer.put_query_edges(rest, at=AT)
    if led:
        entering = [Entering(edge=first, weight=1.0)]
        writer.enter_query_edges(given[0], entering, evaluated=False, reason="insight", at=AT)
    for target in given:
        evaluate(writer, target)
    return id_


def evaluate(writer: StoreWriter, target: str) -> None:
    touching = writer.touching([target]).get(target, ())
    waiting = [edge for edge in touching if edge.kind is not EdgeKind.QUERY_INSIGHT]
    if len(waiting) < GATHER:
        return
    share = sum(edge.led_to_insight for edge in touching) / len(touching)
    if share > SHARE:
        entering = [Entering(edge=edge, weight=share) for edge in waiting]
        writer.enter_query_edges(target, entering, evaluated=True, reason="share", at=AT)
    else:
        writer.dismiss_query_edges(target, at=AT)


def main() -> None:
    folder, name, *fault = sys.argv[1:]
    store = opened(Path(folder))
    with store.read("crash") as reader:
        targets = sorted(one.id for one in reader.statements(limit=100))
    if fault:
        stop_at(FaultPoint(fault[0]), int(fault[1]))
    tell(ready=name)
    sys.stdin.readline()
    for number in range(QUESTIONS):
        with store.write("crash", principal=name) as writer:
            id_ = ask(writer, f"{name} {number}", number, targets)
        tell(id=id_)


if __name__ == "__main__":
    main()
