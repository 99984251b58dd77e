"""What ratings say of documents: of those an answer rests on, or of one that is rated itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.checks import check_text, checked_word
from evolore.domain.queries import Rating
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.flows.browse import by_source_or_path
from evolore.queries.outcomes import rests_on

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from evolore.domain.feedback import Feedback
    from evolore.domain.knowledge import Document
    from evolore.domain.queries import QueryRecord
    from evolore.flows.context import Context
    from evolore.ports import StoreReader, StoreWriter

_SEVERAL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedDocument:
    """What rating a document did.

    Args:
        document: Which.
        feedback: What is kept of it.
    """

    document: Document
    feedback: Feedback


@dataclass(frozen=True, slots=True, kw_only=True)
class Rateable:
    """What an id names that can be rated: a question, by its own id or that of its answer, or a document.

    Args:
        query_id: The question; None for a document.
        document_id: The document; None for a question.
    """

    query_id: str | None = None
    document_id: str | None = None


def rateable(reader: StoreReader, item_id: str) -> Rateable:
    """Find what an id, or the beginning of one, names: a question, an answer or a document; a source names one too.

    An answer and the question it was given to are rated as one.

    Raises:
        NotFound: It names none.
        AmbiguousId: It begins several ids.
    """
    check_text(item_id, "The id")
    wanted = item_id.strip().lower()
    found: dict[str, Rateable] = {id_: Rateable(query_id=id_) for id_ in reader.resolve_query(wanted)}
    for id_ in reader.resolve_answer(wanted):
        answer = reader.answer(id_)
        found[id_] = Rateable(query_id=answer.query_id if answer else None)
    items = reader.resolve(wanted)
    found |= {id_: Rateable(document_id=id_) for id_ in items if reader.document(id_) is not None}
    if wanted in found:
        return found[wanted]
    if len(set(found.values())) > 1 or (not found and len(items) == _SEVERAL):
        raise AmbiguousId(f"{item_id!r} begins several ids, such as {_first_two(found or items)}: write more of it.")
    if not found:
        return Rateable(document_id=_with_source(reader, item_id).id)
    return next(iter(found.values()))


def _with_source(reader: StoreReader, name: str) -> Document:
    document = by_source_or_path(reader, name)
    if document is None:
        raise NotFound(
            f"No question, answer or document has the id {name!r} here: `evolore queries` shows those that were taken "
            "down, `evolore list` the documents."
        )
    return document


def rate_document(context: Context, document_id: str, rating: Rating | str, *, comment: str | None) -> RatedDocument:
    """Note what somebody says of a document itself; it takes the place of what the same person said of it before.

    Args:
        context: Where, and on whose behalf.
        document_id: The document's whole id.
        rating: ``good`` or ``bad``.
        comment: Why.

    Raises:
        NotFound: There is no such document.
        InvalidValue: The rating is none, or the comment is blank.
    """
    word = checked_word(Rating, rating, "rating")
    if comment is not None:
        check_text(comment, "comment")
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        id_ = writer.put_feedback(document_id, word, comment=comment, at=at)
        document = writer.document(document_id)
        assert document is not None
        (kept,) = (one for one in writer.feedback(document_id=document_id) if one.id == id_)
        return RatedDocument(document=document, feedback=kept)


def refuse_for_documents(*, cited: bool, helpful: bool) -> None:
    """Refuse what can be said of an answer alone.

    Raises:
        InvalidValue: It is said of a document.
    """
    if cited or helpful:
        name = "cited" if cited else "helpful"
        raise InvalidValue(f"{name} tells of an answer, and the id is a document's: leave it out, or rate the answer.")


def feedback_of_query(
    writer: StoreWriter, rated: QueryRecord, rating: Rating, *, comment: str | None, at: datetime
) -> tuple[Feedback, ...]:
    """Note what a rating says of each document the answer rests on; where none is cited, of that of the best hit.

    What people said of others, when the answer was said to rest on these, counts for these no longer.
    """
    ids = documents_of(writer, rated)
    writer.rest_feedback(rated.id, ids, at=at)
    kept = {writer.put_feedback(id_, rating, query_id=rated.id, comment=comment, at=at) for id_ in ids}
    return tuple(one for id_ in ids for one in writer.feedback(document_id=id_) if one.id in kept)


def documents_of(reader: StoreReader, rated: QueryRecord) -> tuple[str, ...]:
    """Give the documents an answer rests on that are still there, each once, best first."""
    used = [one.episode_id for one in rests_on(rated.given)]
    best = used if rated.cited_ids else used[:1]
    named = [episode.document_id for episode in reader.episodes(best)]
    return tuple(dict.fromkeys(id_ for id_ in named if id_ is not None and reader.document(id_) is not None))


def _first_two(ids: Iterable[str]) -> str:
    return " and ".join([*ids][:_SEVERAL])
