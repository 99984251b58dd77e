"""Replaying a planted knowledge base: documents are added, people ask and rate, and the same questions are asked again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from evolore.domain.knowledge import MediaType
from evolore.domain.queries import Rating
from evolore.evolution.hashing import hashed_share
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from evolore.config import Settings
    from evolore.evaluation.evolution_sets import PlantedBase, PlantedDocument, PlantedQuestion, PlantedRating
    from evolore.ports import ChatModel, Embedder

_BEGINS = datetime(2026, 11, 1, 9, tzinfo=UTC)
_STEP = timedelta(milliseconds=5)
_ASKERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Whether a question was answered well.

    Args:
        own: From its own document.
        whole: From the whole memory.
    """

    own: bool
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """Opens the stores that one set is replayed in.

    Args:
        embedder: What makes vectors.
        settings: The settings at work.
        seed: What everything drawn is drawn from.
        past_share: Which share of the questions that no rating refers to was asked before.
    """

    embedder: Embedder
    settings: Settings
    seed: str
    past_share: float

    def open(
        self, path: Path, *, day: int, chat_model: ChatModel | None = None, settings: Settings | None = None
    ) -> Memory:
        """Open a store on some day of the replay."""
        return Memory.open(
            path,
            namespace="evolution",
            embedder=self.embedder,
            chat_model=chat_model,
            clock=SteppingClock(_BEGINS + timedelta(days=day), step=_STEP),
            settings=settings or self.settings,
        )

    def is_past(self, base: PlantedBase, question: PlantedQuestion) -> bool:
        """Tell whether people asked a question before anything was rewritten, and rated no answer to it."""
        if question.id in base.rated:
            return False
        return hashed_share("evolore.past", self.seed, question.id) < self.past_share

    def is_held_out(self, base: PlantedBase, question: PlantedQuestion) -> bool:
        """Tell whether the memory never saw a question before it is measured by it."""
        return question.id not in base.rated and not self.is_past(base, question)


def take_in(memory: Memory, base: PlantedBase) -> dict[str, str]:
    """Add the documents; give their ids in the memory by those in the set."""
    added = memory.add_texts(
        SourceText(source=one.source, text=one.text, title=one.title, media_type=MediaType.MARKDOWN)
        for one in base.documents
    )
    return {one.id: done.document.id for one, done in zip(base.documents, added.documents, strict=True)}


def ask_past(memory: Memory, questions: Iterable[PlantedQuestion]) -> None:
    """Let people ask, who say nothing of the answers."""
    for place, question in enumerate(questions):
        memory.answer(question.text, principal=f"asker-{place % _ASKERS}")


def rate(memory: Memory, base: PlantedBase, ratings: Iterable[PlantedRating], ids: Mapping[str, str]) -> int:
    """Let people ask and rate; give how many could rate the answer, since it rests on the document.

    Who sees an answer that rests on other documents alone says of the document itself what they have to say.
    """
    on_answers = 0
    for one in ratings:
        answer = memory.answer(base.question_by_id[one.question].text, principal=one.principal)
        document = ids[one.document]
        rests_on_it = document in answer.document_ids
        on_answers += rests_on_it
        item = answer.id if rests_on_it else document
        memory.rate(item, one.rating, comment=one.comment or None, principal=one.principal)
    return on_answers


def rate_up_to(
    memory: Memory,
    base: PlantedBase,
    document: PlantedDocument,
    ids: Mapping[str, str],
    *,
    count: int,
    asked: Sequence[PlantedQuestion],
) -> None:
    """Let people rate until a document has so many ratings: first those of the set, then others on what was asked before."""
    listed = base.ratings_of(document.id)[:count]
    rate(memory, base, listed, ids)
    more = asked or base.questions_of(document.id)
    for number in range(count - len(listed)):
        question = more[number % len(more)] if more else None
        if question is None:
            return
        answer = memory.answer(question.text, principal=f"rater-{number}")
        rating = Rating.GOOD if question.is_answered_by(answer.text) else Rating.BAD
        item = answer.id if ids[document.id] in answer.document_ids else ids[document.id]
        memory.rate(item, rating, principal=f"rater-{number}")


def marked(
    memory: Memory,
    base: PlantedBase,
    questions: Iterable[PlantedQuestion],
    known: Mapping[str, Marks],
    changed: Collection[str],
) -> dict[str, Marks]:
    """Ask questions without a chat model and take nothing down: of their own document, and of all.

    Args:
        memory: Whom to ask.
        base: The set.
        questions: Which.
        known: How they were answered before anything changed.
        changed: The documents that were; the others need not be asked again.
    """
    if known and not changed:
        return dict(known)
    found: dict[str, Marks] = {}
    for one in questions:
        is_known = one.id in known and one.document not in changed
        source = base.by_id[one.document].source
        own = known[one.id].own if is_known else one.is_answered_by(_answer(memory, one, source))
        found[one.id] = Marks(own=own, whole=one.is_answered_by(_answer(memory, one)))
    return found


def _answer(memory: Memory, question: PlantedQuestion, source: str | None = None) -> str:
    return memory.answer(question.text, source=source, record=False).text


def extracting(settings: Settings) -> Settings:
    """Give settings by which ``answer`` asks no chat model and always quotes, so that what is measured is the documents."""
    return settings.model_copy(update={"answer": replace(settings.answer, chat_calls=0, least_likelihood=0.0)})
