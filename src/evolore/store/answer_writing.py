"""Answers are written down, with what they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select

from evolore.store.evolution_rows import write_canaries
from evolore.store.evolution_tables import answer_citations, answers
from evolore.store.prepared import among, as_json
from evolore.store.query_rows import there_of
from evolore.store.rows import timestamp
from evolore.store.tables import episodes, versions

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.domain.answering import Answer
    from evolore.store.batch import Batch


def put_answer(batch: Batch, answer: Answer, *, at: datetime) -> None:
    """Write an answer, unless a question, an episode or a version of a document that it names is not there any more."""
    if not _stands(batch, answer):
        return
    row = {
        "ns": batch.ns,
        "id": answer.id,
        "query_id": answer.query_id,
        "question": answer.question,
        "text": answer.text,
        "kind": answer.kind.value,
        "language": answer.language.value,
        "principal": answer.principal,
        "model": answer.model,
        "prompt_version": answer.prompt_version,
        "calls": answer.usage.calls,
        "prompt_tokens": answer.usage.prompt_tokens,
        "reply_tokens": answer.usage.reply_tokens,
        "cost_micros": answer.usage.cost_micros,
        "reason": answer.reason,
        "canaries": write_canaries(answer.canaries),
        "recorded_at": timestamp(at),
    }
    batch.connection.execute(insert(answers), [row])
    cited = [
        {
            "ns": batch.ns,
            "answer_id": answer.id,
            "number": one.number,
            "episode_id": one.episode_id,
            "start": one.span.start,
            "end": one.span.end,
            "quote": one.quote,
            "document_id": one.document_id,
            "version": one.version,
            "source": one.source,
        }
        for one in answer.citations
    ]
    if cited:
        batch.connection.execute(insert(answer_citations), cited)


def _stands(batch: Batch, answer: Answer) -> bool:
    """Tell whether all that an answer names is there: what was forgotten meanwhile must not come back in its words."""
    if answer.query_id is not None and not there_of(batch.connection, batch.ns, [answer.query_id]):
        return False
    cited = sorted({one.episode_id for one in answer.citations})
    here = (episodes.c.ns == batch.ns, episodes.c.id.in_(among("ids")))
    if batch.connection.scalar(select(func.count()).where(*here), {"ids": as_json(cited)}) != len(cited):
        return False
    return all(_has_version(batch, one.document_id, one.version) for one in answer.citations if one.document_id)


def _has_version(batch: Batch, document_id: str, version: int | None) -> bool:
    here = (versions.c.ns == batch.ns, versions.c.document_id == document_id, versions.c.number == version)
    return batch.connection.scalar(select(versions.c.number).where(*here)) is not None
