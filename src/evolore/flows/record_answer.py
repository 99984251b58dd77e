"""``record_answer``: record an answer produced elsewhere with what it rests on, to be rated like ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from evolore.domain.answer import Answer, AnswerKind, Citation
from evolore.domain.checks import check_text, checked_word
from evolore.domain.document import Document, Span
from evolore.domain.episode import Episode
from evolore.domain.outcome import Given, Outcome
from evolore.domain.query import Query, Recall
from evolore.domain.secret import SecretsPolicy
from evolore.errors import InvalidValue, NotFound
from evolore.flows.browse import resolve
from evolore.flows.context import Context
from evolore.flows.embedding import embed
from evolore.flows.intent import guess_intent
from evolore.flows.question_lookup import question_vector
from evolore.flows.record import new_query, take_down
from evolore.ports import IndexView, TextRole
from evolore.store.reading import StoreReader
from evolore.text.scripts import detect_language
from evolore.text.secret_signs import find_secrets, without_secrets
from evolore.text.warning_signs import warnings_of


def record_answer(
    context: Context,
    question: str,
    text: str,
    *,
    cited: Iterable[str] = (),
    outcome: Outcome | str | None = None,
    answered_at: datetime | None = None,
) -> Answer:
    """Record a question with an answer that was produced elsewhere, in one transaction.

    Of a document that is cited the answer rests on the passage that is nearest to question and answer in meaning.
    """
    stated = None if outcome is None else checked_word(Outcome, outcome, "outcome")
    check_text(text, "The answer")
    if context.secrets is not SecretsPolicy.KEEP:
        text = without_secrets(text, find_secrets(text))
    query = Query(text=question, as_of=answered_at, principal=context.principal)
    context.store.require(context.namespace)
    names = list(cited)  # which may be read once only
    told = embed(context.embedder, [f"{question}\n{text}"], role=TextRole.PASSAGE)[0] if names else None
    with context.store.index(context.namespace) as (view, reader):
        citations = _citations(reader, [_cited(view, reader, name, told) for name in names], at=answered_at)
    at = context.clock.now()
    vector = question_vector(context, question)
    guess = guess_intent(question, vector, model=context.embedder.model, spaces=context.intent_spaces)
    found = Recall(query=query, hits=(), searched=0, intent=guess.intent, intent_confidence=guess.confidence)
    given = tuple(Given(episode_id=one.episode_id, rank=one.number, is_cited=True) for one in citations)
    new = new_query(context, found, given, outcome=stated, vector=vector, at=at)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        id_ = writer.new_id()
        taken = take_down(context, writer, replace(new, answer_id=id_), at=at)
        kept = Answer(
            id=id_,
            question=new.text,
            text=text,
            kind=AnswerKind.RECORDED,
            language=detect_language(text),
            citations=citations,
            query_id=taken.id,
            principal=context.principal,
        )
        if not writer.put_answer(kept, at=at):
            raise NotFound(
                "What the answer rests on was forgotten at this moment: look at what it cites, and try again."
            )
        return kept


def _cited(view: IndexView, reader: StoreReader, name: str, told: np.ndarray | None) -> Episode:
    """Return the episode that an id names, or that of the document it names which is nearest to the answer."""
    id_ = resolve(reader, name)
    if reader.document(id_) is None:
        found = reader.episodes([id_])
        if not found:
            raise NotFound(f"Nothing here has the id {name!r}: `evolore list` shows what there is.")
        return found[0]
    leaves = reader.leaf_episodes(id_)
    if not leaves:
        raise InvalidValue(f"The document {name!r} has no text, so that no answer rests on it: leave it out.")
    return _nearest(view, leaves, told)


def _nearest(view: IndexView, leaves: Sequence[Episode], told: np.ndarray | None) -> Episode:
    known = [one for one in leaves if one.id in view.numbers]
    if told is None or not known:
        return leaves[0]
    numbers = np.array([view.numbers[one.id] for one in known], dtype=np.int32)
    return known[int(np.argmax(view.vectors.similarities_of(told, numbers)))]


def _citations(reader: StoreReader, rests: Sequence[Episode], *, at: datetime | None) -> tuple[Citation, ...]:
    """Number what an answer rests on, each passage once, with the version of its document that was read."""
    once = {one.id: one for one in rests}
    found: list[Citation] = []
    for number, one in enumerate(once.values(), start=1):
        document = None if one.document_id is None else reader.document(one.document_id)
        found.append(
            Citation(
                number=number,
                episode_id=one.id,
                span=Span(0, len(one.text)),
                quote=one.text,
                document_id=None if document is None else document.id,
                version=None if document is None else _version(reader, document, at),
                source=(one.speaker if document is None else document.source) or "",
                warnings=warnings_of(one.text),
            )
        )
    return tuple(found)


def _version(reader: StoreReader, document: Document, at: datetime | None) -> int:
    """Return the version of a document that was there at a moment; the present one where none was, or none is named."""
    past = None if at is None else reader.outline_at(document.id, at)
    return document.version if past is None else past[0].version
