"""How the sections of documents served people, and which other document covers the same headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Query
from evolore.domain.knowledge import MediaType
from evolore.domain.queries import Rating
from evolore.evolution.section_taking import Rated, section_key, served_sections
from evolore.flows.recall import recall
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.domain.feedback import Feedback
    from evolore.domain.knowledge import Document
    from evolore.domain.proposing import DocumentText
    from evolore.evolution.section_taking import SectionKey, Served
    from evolore.flows.context import Context
    from evolore.ports import StoreReader

_HITS = 30
_HEADINGS = 12
_LEAST_SHARED = 2


def served_of(reader: StoreReader, documents: Sequence[DocumentText]) -> tuple[Mapping[SectionKey, Served], ...]:
    """Say how the sections of each document served people, by the ratings of the version at hand."""
    return tuple(_served(reader, one) for one in documents)


def _served(reader: StoreReader, document: DocumentText) -> Mapping[SectionKey, Served]:
    found = reader.document(document.document_id)
    if found is None:
        return {}
    ratings = [_rated(one) for one in reader.feedback(document_id=found.id) if one.version == document.version]
    return served_sections(document, ratings, written_at=found.recorded_at)


def _rated(one: Feedback) -> Rated:
    about = " ".join(said for said in (one.question, one.comment) if said)
    return Rated(about=about, is_good=one.rating is Rating.GOOD, principal=one.principal)


def likest_document(context: Context, document: Document) -> Document | None:
    """Give the document that covers most of the same headings, the newest of equals; None where none shares two.

    It is looked for among the documents of what recall finds for the headings.
    """
    with context.store.read(context.namespace) as reader:
        own = _headings(reader, document)
    if not own:
        return None
    asked = " ".join(dict.fromkeys(key[-1] for key in sorted(own)[:_HEADINGS]))
    hits = recall(context, Query(text=asked, limit=_HITS, expand=False)).hits
    ids = sorted({one.episode.document_id for one in hits if one.episode.document_id} - {document.id})
    with context.store.read(context.namespace) as reader:
        others = [found for found in map(reader.document, ids) if found is not None]
        shared = [(len(own & _headings(reader, one)), one.recorded_at, one.id, one) for one in others]
    best = max(shared, key=lambda one: one[:3], default=None)
    return best[3] if best is not None and best[0] >= _LEAST_SHARED else None


def _headings(reader: StoreReader, document: Document) -> set[SectionKey]:
    text = reader.document_text(document.id)
    if text is None or document.media_type is not MediaType.MARKDOWN:
        return set()
    return {section_key(one) for one in read_sections(text) if one.path}
