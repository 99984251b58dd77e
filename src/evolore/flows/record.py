"""``record``: record a question with what was handed over for it, and its edges; those of recalls in batches."""

from __future__ import annotations

import atexit
import os
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from threading import Lock, Timer
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.domain.checks import check_name, checked_word
from evolore.domain.outcome import Given, Outcome, QueryRecord
from evolore.domain.query import Recall
from evolore.domain.secret import SecretsPolicy
from evolore.errors import EvoloreError, InvalidValue, TryAgain
from evolore.flows.calibrate import Scales
from evolore.flows.lessons import leave_edges
from evolore.flows.question_lookup import among_given, query_with_id, question_vector
from evolore.flows.rate import follow_ratings, refuse_other_citations
from evolore.ports import NewQuery
from evolore.queries.edges import edges_of
from evolore.queries.outcomes import first_outcome, rests_on
from evolore.text.scripts import detect_language
from evolore.text.secret_signs import find_secrets, without_secrets

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.store.writing import StoreWriter


_BYPASS_PROBABILITY = 0.98
"""From which probability of the same matter on one episode was surely meant."""


def record(
    context: Context,
    recall: Recall,
    *,
    cited: Iterable[str] = (),
    outcome: Outcome | str | None = None,
    answer_id: str | None = None,
) -> QueryRecord:
    """Record a question with the hits that were handed over, in one transaction with the edges it leaves.

    One that was recorded already is completed by this call.
    """
    stated = None if outcome is None else checked_word(Outcome, outcome, "outcome")
    check_name(answer_id, "answer_id")
    given = handed_over(recall, context.namespace)
    named = among_given(given, cited)
    given = tuple(Given(episode_id=one.episode_id, rank=one.rank, is_cited=one.episode_id in named) for one in given)
    _refuse_elsewhere(context, recall)
    at = context.clock.now()
    if recall.query_id is not None:
        return _complete(context, recall, given, outcome=stated, answer_id=answer_id, at=at)
    new = replace(new_query(context, recall, given, outcome=stated, at=at), answer_id=answer_id)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return take_down(context, writer, new, at=at)


def _complete(
    context: Context,
    recall: Recall,
    given: tuple[Given, ...],
    *,
    outcome: Outcome | None,
    answer_id: str | None,
    at: datetime,
) -> QueryRecord:
    """Complete a question that was recorded already: what it led to, and on what its answer rests."""
    cited = [one.episode_id for one in given if one.is_cited] or None
    told = outcome
    if told is None and cited:
        told = _outcome(context, question_vector(context, recall.query.text), given)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        present = query_with_id(writer, recall.query_id or "")
        if cited is not None:
            refuse_other_citations(present, cited, by=context.principal)
        if outcome is None and (told is None or present.is_stated):
            told = present.outcome
        assert told is not None
        if outcome is not None or cited is not None:
            is_stated = present.is_stated or outcome is not None
            writer.set_outcome(present.id, told, is_stated=is_stated, cited=cited, at=at)
            follow_ratings(writer, query_with_id(writer, present.id), settings=context.settings.queries, at=at)
        if answer_id is not None:
            writer.set_answer_id(present.id, answer_id, at=at)
        return query_with_id(writer, present.id)


def _refuse_elsewhere(context: Context, recall: Recall) -> None:
    """Refuse what another namespace or store brought back: its question is unknown here."""
    is_here = recall.namespace in {None, context.namespace}
    own = [one.episode_id for one in handed_over(recall, context.namespace)]
    if is_here and own:
        with context.store.read(context.namespace) as reader:
            is_here = bool(reader.standing_for(own))
    if not (is_here and own):
        context.store.require(context.namespace)
    if not is_here:
        raise InvalidValue(
            "Nothing of what was recalled is here: record it with the memory that recalled it, and before it is forgotten."
        )


def new_query(
    context: Context,
    recall: Recall,
    given: tuple[Given, ...],
    *,
    outcome: Outcome | None = None,
    vector: npt.NDArray[np.float32] | None = None,
    at: datetime,
) -> NewQuery:
    """Return a question as it is recorded, outside of any transaction."""
    text = recall.query.text
    if context.secrets is not SecretsPolicy.KEEP and (secrets := find_secrets(text)):
        text, vector = without_secrets(text, secrets), None
    vector = question_vector(context, text) if vector is None else vector
    return NewQuery(
        text=text,
        language=detect_language(text),
        intent=recall.intent,
        vector=vector,
        asked_at=recall.query.as_of or at,
        outcome=outcome or _outcome(context, vector, given),
        is_stated=outcome is not None,
        given=given,
    )


def _outcome(context: Context, vector: npt.NDArray[np.float32], given: tuple[Given, ...]) -> Outcome:
    """Return what a question led to from what was handed over and what its answer rests on."""
    return first_outcome(given, best_probability=_probability(context, vector, given), least=_BYPASS_PROBABILITY)


def take_down(context: Context, writer: StoreWriter, new: NewQuery, *, at: datetime) -> QueryRecord:
    """Write a question with the edges it leaves, and return it as it is kept: edges are no part of that."""
    settings = context.settings.queries
    taken = writer.put_query(new, at=at)
    leave_edges(writer, edges_of(taken.id, taken.given, new.outcome), settings=settings, at=at)
    return taken


def handed_over(recall: Recall, namespace: str) -> tuple[Given, ...]:
    """Return the hits' own episodes as what was handed over, each once with its best rank; those of one namespace alone."""
    best: dict[str, int] = {}
    for hit in recall.hits:
        if hit.namespace in {None, namespace}:
            best.setdefault(hit.episode.id, hit.rank)
    return tuple(Given(episode_id=id_, rank=rank) for id_, rank in best.items())


def _probability(context: Context, vector: npt.NDArray[np.float32], given: Sequence[Given]) -> float | None:
    """Return how likely question and episode are of one matter, where an answer rests on one; None elsewhere."""
    used = rests_on(given)
    if len(used) != 1:
        return None
    with context.store.index(context.namespace) as (view, reader):
        number = view.numbers.get(used[0].episode_id)
        found = reader.episodes([used[0].episode_id])
        if number is None or not found:
            return None
        model = context.embedder.model
        scale = Scales(context.calibrations, model, reader.calibrations(model.id)).of(found[0].language)
        row = view.vectors.rows_of(np.array([number], dtype=np.int32))
        return float(scale.probability(scale.cosines(vector[np.newaxis], row))[0, 0])


TOGETHER = 64
"""So many are written in one go at the latest: few enough to hold the store for some tens of milliseconds."""
SECONDS = 2.0
"""After so long they are written at the latest; what a process that is killed has not written is lost."""
MOST = 1000
"""So many wait at most while nothing can be written; the first are let go of."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _WaitingQuestion:
    """A question that waits."""

    id: str  #: The id it will have.
    principal: str | None  #: On whose behalf it was asked.
    recall: Recall  #: What it brought back, without the hits.
    given: tuple[Given, ...]  #: The hits' episodes.
    vector: npt.NDArray[np.float32]  #: The question's, shape (dimension,).
    at: datetime  #: When it was asked.


class QuestionQueue:
    """What was asked through one memory and is not written yet. Threads may share it; a forked process begins again.

    Args:
        context: Where it is written.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._begin()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, recall: Recall, vector: npt.NDArray[np.float32], *, principal: str | None) -> Recall:
        """Queue what a question brought back, and return it with the id under which it will be found.

        Where nothing was ever written, nothing is recorded. The disk is not waited for.
        """
        context = self._context
        given = handed_over(recall, context.namespace)
        if not given and not context.store.has(context.namespace):
            return recall
        at = context.clock.now()
        asked = _WaitingQuestion(
            id=context.store.new_id(at),
            principal=principal,
            recall=replace(recall, hits=(), suppressed=(), learned_from=()),
            given=given,
            vector=vector,
            at=at,
        )
        self._leave_parent_process()
        with self._lock:
            self._waiting.append(asked)
            if len(self._waiting) in {1, TOGETHER}:
                self._set_due(0.0 if len(self._waiting) == TOGETHER else SECONDS)
        return replace(recall, query_id=asked.id)

    def write(self) -> None:
        """Write what waits, in the order it was asked; what cannot be written waits on.

        Raises:
            StoreBusy: Another process wrote for too long.
            StoreFailed: The disk is full or failing.
            StoreUnwritable: The store cannot be written.
            EmbedderMismatch: The store has changed its model.
        """
        if not self._waiting:  # nothing waits, and nothing is being written that does not stay until it is
            return
        self._leave_parent_process()
        with self._turn:
            while some := self._first():
                for principal, asked in groupby(some, key=lambda one: one.principal):
                    self._write(principal, list(asked))
            with self._lock:
                if not self._waiting:
                    self._set_due(None)

    def write_quietly(self) -> None:
        """Write what waits where that can be done: what only has to be tried again waits on, the rest is let go of."""
        try:
            self.write()
        except TryAgain:
            with self._lock:
                self._set_due(SECONDS)
        except EvoloreError:
            self._let_go()

    def close(self) -> None:
        """Write what waits where that can be done, and let go of the rest."""
        self.write_quietly()
        self._let_go()

    def _first(self) -> list[_WaitingQuestion]:
        with self._lock:
            return list(self._waiting)[:TOGETHER]

    def _write(self, principal: str | None, asked: list[_WaitingQuestion]) -> None:
        context = replace(self._context, principal=principal)
        new = [
            replace(new_query(context, one.recall, one.given, vector=one.vector, at=one.at), id=one.id) for one in asked
        ]
        with context.store.write(context.namespace, principal=principal) as writer:
            for one, query in zip(asked, new, strict=True):
                take_down(context, writer, query, at=one.at)
        written = {one.id for one in asked}
        with self._lock:
            self._waiting = deque((one for one in self._waiting if one.id not in written), maxlen=MOST)

    def _set_due(self, seconds: float | None) -> None:
        """Schedule what waits to be written so much later, and before the process ends; None where nothing waits."""
        if self._due is not None:
            self._due.cancel()
            atexit.unregister(self.write_quietly)
        self._due = None
        if seconds is not None:
            self._due = Timer(seconds, self.write_quietly)
            self._due.daemon = True
            self._due.start()
            atexit.register(self.write_quietly)

    def _let_go(self) -> None:
        with self._lock:
            self._waiting.clear()
            self._set_due(None)

    def _begin(self) -> None:
        self._lock, self._turn = Lock(), Lock()
        self._waiting: deque[_WaitingQuestion] = deque(maxlen=MOST)
        self._due: Timer | None = None
        self._process = os.getpid()

    def _leave_parent_process(self) -> None:
        """Leave what was asked before a fork to the process in which it was asked."""
        if self._process != os.getpid():
            atexit.unregister(self.write_quietly)
            self._begin()
