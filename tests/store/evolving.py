"""A store whose documents are answered from, rated and improved by hand, as flows would."""

from __future__ import annotations

from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

from evolore.domain.answer import Answer, AnswerKind, Citation
from evolore.domain.document import MediaType, Span
from evolore.domain.evolution import Base, NewJob, Operator, PromotedDocument, Promotion, Step
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.flows.document_version import cut_text, kept_leaves
from evolore.flows.item_keys import keys_of
from evolore.ports import IndexedText, NewDocument, SourceText
from flows.memories import opened
from store.questions import Asked

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from evolore.domain.document import Document
    from evolore.domain.evolution import JobState, StepValue
    from evolore.domain.feedback import Feedback
    from evolore.store.reading import StoreReader
    from evolore.store.writing import StoreWriter

OLD = "# Backup\n\nThe backup runs at 02:00.\n\nIt takes an hour.\n"
NEW = "# Backup\n\nThe backup runs at 03:00.\n\nIt takes an hour.\n"
GOOD, BAD = Rating.GOOD, Rating.BAD


class Evolving(Asked):
    """One namespace with documents, and what becomes of them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.memory = opened(folder)

    def close(self) -> None:
        self.memory.close()
        self.store.close()

    @contextmanager
    def reading(self) -> Generator[StoreReader]:
        with self.store.read(self.namespace) as reader:
            yield reader

    @contextmanager
    def writing(self, principal: str | None = None) -> Generator[StoreWriter]:
        with self.store.write(self.namespace, principal=principal) as writer:
            yield writer

    def add(self, source: str = "backup.md", text: str = OLD) -> Document:
        (added,) = self.memory.add(SourceText(source=source, text=text, media_type=MediaType.MARKDOWN)).documents
        return added.document

    def text(self, document: Document, version: int | None = None) -> str | None:
        with self.reading() as reader:
            return reader.document_text(document.id, version)

    def new_version(self, present: Document, text: str) -> NewDocument:
        """Cut and embed what a promotion makes of a document."""
        context = self.memory._context
        source_text = SourceText(source=present.source, text=text, media_type=present.media_type, title=present.title)
        cut = cut_text(context, source_text)
        kept = kept_leaves(context, cut, present)
        fresh = [place for place in range(len(cut.tree.leaves)) if place not in kept]
        leaves = [
            IndexedText(
                text=cut.tree.leaves[place].span.of(text),
                language=cut.language,
                title=cut.title,
                heading_path=cut.tree.leaves[place].heading_path,
            )
            for place in fresh
        ]
        return NewDocument(
            source_text=source_text,
            title=cut.title,
            language=cut.language,
            content_sha256=sha256(text.encode()).hexdigest(),
            tree=cut.tree,
            keys=dict(zip(fresh, keys_of(context, leaves), strict=True)),
            kept=kept,
            previous_id=present.id,
            previous_version=present.version,
            is_from_source=False,
        )

    def promote(self, present: Document, text: str = NEW, *, job_id: str = "j", percent: int = 100) -> Promotion:
        """Write a version, with the promotion it comes from, in one transaction."""
        new = self.new_version(present, text)
        with self.writing() as writer:
            at = self.clock.now()
            written = writer.put_document(new, at=at)
            assert written is not None
            promotion = Promotion(
                id=writer.new_id(),
                job_id=job_id,
                candidate_id="c1",
                operator=Operator.MUTATION_CLARITY,
                documents=(PromotedDocument(document_id=present.id, before=present.version, after=written.version),),
                win_rate=0.8,
                promoted_at=at,
                approved_by="ann",
                reason="reads better",
                percent=percent,
            )
            writer.put_promotion(promotion, at=at)
        return promotion

    def answered(
        self, question: str, document: Document, *, principal: str | None = None, quote: str = "The backup"
    ) -> Answer:
        """Ask, and write down an answer that cites the document's first leaf."""
        with self.reading() as reader:
            leaf = reader.leaf_episodes(document.id)[0]
        query_id = self.ask(question, leaf.id, cited=[leaf.id], principal=principal)
        with self.writing(principal) as writer:
            answer = Answer(
                id=writer.new_id(),
                question=question,
                text="It runs at two [1].",
                kind=AnswerKind.EXTRACTED,
                language=Language.EN,
                citations=(
                    Citation(
                        number=1,
                        episode_id=leaf.id,
                        span=Span(0, len(quote)),
                        quote=quote,
                        document_id=document.id,
                        version=document.version,
                        source=document.source,
                    ),
                ),
                query_id=query_id,
                principal=principal,
                canaries=(("p1", True),),
            )
            writer.put_answer(answer, at=self.clock.now())
        return answer

    def citing(self, question: str, episode_id: str) -> Answer:
        """Write down an answer that cites a statement."""
        with self.writing() as writer:
            cited = Citation(number=1, episode_id=episode_id, span=Span(0, 3), quote="The")
            answer = Answer(
                id=writer.new_id(),
                question=question,
                text="It is [1].",
                kind=AnswerKind.EXTRACTED,
                language=Language.EN,
                citations=(cited,),
            )
            writer.put_answer(answer, at=self.clock.now())
        return answer

    def said(
        self,
        document: Document,
        rating: Rating = BAD,
        *,
        by: str | None = None,
        query_id: str | None = None,
        comment: str | None = None,
    ) -> str:
        with self.writing(by) as writer:
            return writer.put_feedback(document.id, rating, query_id=query_id, comment=comment, at=self.clock.now())

    def feedback(self, document: Document | None = None, *, unprocessed: bool = False) -> tuple[Feedback, ...]:
        with self.reading() as reader:
            return reader.feedback(document_id=document.id if document else None, unprocessed=unprocessed)

    def rated(self, least: int = 1) -> tuple[str, ...]:
        with self.reading() as reader:
            return reader.rated_documents(least=least)

    def begin(self, *documents: Document, feedback_ids: tuple[str, ...] = ()) -> str | None:
        bases = tuple(Base(document_id=one.id, version=one.version) for one in documents)
        with self.writing() as writer:
            return writer.begin_job(NewJob(bases=bases, seed="7", feedback_ids=feedback_ids), at=self.clock.now())

    def go_on(self, job_id: str, number: int, state: JobState | None = None, **body: StepValue) -> bool:
        with self.writing() as writer:
            at = self.clock.now()
            return writer.append_steps(
                job_id, [Step(number=number, kind="tried", body=body, at=at)], state=state, at=at
            )
