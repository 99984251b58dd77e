"""A store of which questions are asked by hand, as flows would."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episode import EdgeKind
from evolore.domain.language import Language
from evolore.domain.outcome import Given, Outcome, Rating
from evolore.domain.query import Intent
from evolore.ports import Entering, NewQuery, QueryEdge, TextRole
from store.structures import EMBEDDER, Structured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.outcome import QueryRecord
    from evolore.index.questions import TeachingQuestions
    from evolore.ports import IndexView, QueryIndex, Vectors, Withdrawn

RETRIEVAL, INSIGHT, BYPASS = EdgeKind.QUERY_RETRIEVAL, EdgeKind.QUERY_INSIGHT, EdgeKind.QUERY_BYPASS


def vector_of(text: str) -> Vectors:
    return np.asarray(EMBEDDER.embed([text], role=TextRole.QUERY)[0])


class Asked(Structured):
    """One namespace, and what is asked of it."""

    def ask(
        self,
        text: str,
        *given: str,
        cited: Sequence[str] = (),
        principal: str | None = None,
        outcome: Outcome = Outcome.RETRIEVAL,
    ) -> str:
        new = NewQuery(
            text=text,
            language=Language.EN,
            intent=Intent.FACTUAL,
            vector=vector_of(text),
            asked_at=self.clock.now(),
            outcome=outcome,
            given=tuple(
                Given(episode_id=id_, rank=place, is_cited=id_ in cited) for place, id_ in enumerate(given, start=1)
            ),
        )
        with self.store.write(self.namespace, principal=principal) as writer:
            return writer.put_query(new, at=self.clock.now()).id

    def wait(self, query_id: str, *targets: str, kind: EdgeKind = RETRIEVAL, led: bool = False) -> None:
        with self.store.write(self.namespace) as writer:
            writer.put_query_edges([edge(query_id, id_, kind, led=led) for id_ in targets], at=self.clock.now())

    def enter(
        self,
        target: str,
        *query_ids: str,
        evaluated: bool = False,
        weight: float = 1.0,
        kind: EdgeKind = INSIGHT,
        led: bool = True,
    ) -> str | None:
        entering = [Entering(edge=edge(id_, target, kind, led=led), weight=weight) for id_ in query_ids]
        reason = "share" if evaluated else "insight"
        with self.store.write(self.namespace) as writer:
            return writer.enter_query_edges(target, entering, evaluated=evaluated, reason=reason, at=self.clock.now())

    def dismiss(self, target: str) -> str | None:
        with self.store.write(self.namespace) as writer:
            return writer.dismiss_query_edges(target, at=self.clock.now())

    def rate(self, query_id: str, rating: Rating, *, principal: str | None = None, comment: str | None = None) -> None:
        with self.store.write(self.namespace, principal=principal) as writer:
            writer.rate_query(query_id, rating, comment=comment, at=self.clock.now())

    def withdraw(self, principal: str | None, *, erase: bool = False) -> Withdrawn:
        with self.store.write(self.namespace) as writer:
            done = writer.withdraw(principal, erase=erase, at=self.clock.now())
        return replace(done, lingering_in=self.store.take_out_erased()) if erase else done

    def query(self, query_id: str) -> QueryRecord:
        with self.store.read(self.namespace) as reader:
            found = reader.query(query_id)
        assert found is not None
        return found

    def touching(self, target: str) -> list[str]:
        with self.store.read(self.namespace) as reader:
            return [one.query_id for one in reader.touching([target]).get(target, ())]

    def touched_by(self, target: str) -> list[tuple[str, EdgeKind, bool]]:
        with self.store.read(self.namespace) as reader:
            found = reader.touching([target]).get(target, ())
        return sorted((one.query_id, one.kind, one.led_to_insight) for one in found)

    def gathered(self, least: int = 1) -> tuple[str, ...]:
        with self.store.read(self.namespace) as reader:
            return reader.gathered(least=least)

    def edges_to(self, target: str) -> list[tuple[str, EdgeKind, float]]:
        with self.store.read(self.namespace) as reader:
            around = reader.edges_around([target], kinds={RETRIEVAL, INSIGHT, BYPASS}, hidden=True)
        return sorted((one.source_id, one.kind, one.weight) for one in around)

    def taught(self) -> dict[str, object]:
        with self.store.index(self.namespace) as (view, _):
            return described(view)


def edge(query_id: str, target: str, kind: EdgeKind = RETRIEVAL, *, led: bool = False) -> QueryEdge:
    return QueryEdge(query_id=query_id, target_id=target, kind=kind, led_to_insight=led)


def described(view: IndexView) -> dict[str, object]:
    """Say all that the index of questions knows, by question; principals by the first question each taught."""
    index = named(view.queries)
    numbers = np.arange(index.count, dtype=np.int32)
    lessons = index.lessons_of(numbers)
    ids, tokens = list(index.ids), index.tokens_of(numbers)
    rows: dict[str, list[tuple[str, float, bool, int]]] = {id_: [] for id_ in ids}
    places: list[int] = lessons.rows.tolist()
    for row, target, weight, is_rated, who in zip(
        places,
        lessons.target_ids,
        lessons.weights.tolist(),
        lessons.is_rated.tolist(),
        lessons.principals.tolist(),
        strict=True,
    ):
        rows[ids[row]].append((target, weight, is_rated, who))
    times = index.times.tolist()
    probe = np.linspace(-1, 1, EMBEDDER.model.dimension, dtype=np.float32)
    found, cosines = index.nearest(probe, count=max(1, index.count))
    in_order: list[int] = found.tolist()
    near = {ids[number]: round(float(cosines[place]), 3) for place, number in enumerate(in_order)}
    assert set(near) == {ids[place] for place in set(places)}
    return {
        id_: (sorted(one[:3] for one in rows[id_]), _groups(rows[id_]), sorted(tokens[place]), times[place], near[id_])
        for place, id_ in enumerate(ids)
        if id_ in near  # the others taught once, and others said otherwise since
    }


def _groups(rows: list[tuple[str, float, bool, int]]) -> list[tuple[str, int]]:
    """Say how many teach each episode, and how many of them are nobody in particular."""
    return sorted((target, sum(one[3] < 0 for one in rows if one[0] == target)) for target, *_ in rows)


def named(index: QueryIndex) -> TeachingQuestions:
    from evolore.index.questions import TeachingQuestions  # noqa: PLC0415

    assert isinstance(index, TeachingQuestions)
    return index
