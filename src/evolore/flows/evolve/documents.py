"""Documents with their texts as jobs need them, what ids name, and how near sentences are in meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evolore.domain.checks import check_name
from evolore.domain.contest import DocumentText
from evolore.domain.document import Document
from evolore.domain.evolution import Base, JobRecord, Promotion, ProposedText
from evolore.errors import AmbiguousId, NotFound
from evolore.evolution.gates.claims import Similar
from evolore.flows.browse import document_named
from evolore.flows.embedding import embed
from evolore.ports import Embedder, TextRole
from evolore.store.reading import StoreReader


def texts_of(reader: StoreReader, bases: Iterable[Base]) -> tuple[DocumentText, ...]:
    """Return documents with the texts they had at the versions named.

    Raises:
        NotFound: One is not there any more.
    """
    found: list[DocumentText] = []
    for base in bases:
        document = reader.document(base.document_id)
        text = reader.document_text(base.document_id, base.version)
        if document is None or text is None:
            raise NotFound(f"The document {base.document_id} is not there any more: it was forgotten.")
        found.append(
            DocumentText(
                document_id=document.id,
                version=base.version,
                source=document.source,
                title=document.title,
                text=text,
                media_type=document.media_type,
                language=document.language,
            )
        )
    return tuple(found)


def joined(texts: Iterable[str]) -> str:
    """Return several texts as one, a blank line between."""
    return "\n\n".join(text.strip("\n") for text in texts)


def joined_after(documents: Sequence[DocumentText], texts: Sequence[ProposedText]) -> str:
    """Return as one text what documents say once a candidate is taken over: new ones first, and those it leaves alone too."""
    proposed = {one.document_id: one.text for one in texts if one.document_id is not None}
    new = [one.text for one in texts if one.document_id is None]
    return joined([*new, *(proposed.get(one.document_id, one.text) for one in documents)])


def as_one(documents: Sequence[DocumentText]) -> DocumentText:
    """Return documents as one, to be asked: the first, with the text of all."""
    first = documents[0]
    return first if len(documents) == 1 else replace(first, text=joined(one.text for one in documents))


def document_to_rewrite(reader: StoreReader, name: str) -> Document:
    """Return the document that a source, a file's path, an id or the beginning of one names.

    Raises:
        NotFound: It names no document, or a text on trial.
        AmbiguousId: It begins several ids.
    """
    found = document_named(reader, name)
    on_trial = next((one for one in reader.shadows() if one.document_id == found.id), None)
    if on_trial is not None:
        raise NotFound(
            f"{name!r} names a text on trial, which is no document of its own: `evolore evolution canary {on_trial.promotion_id}` "
            f"shows how it does; its document is {found.source}."
        )
    return found


def job_named(reader: StoreReader, prefix: str) -> JobRecord:
    """Return the job that an id, or the beginning of one, names."""
    found = reader.job(_only(prefix, reader.resolve_job, "job"))
    assert found is not None
    return found


def promotion_named(reader: StoreReader, prefix: str) -> Promotion:
    """Return the promotion that an id of its own or of its job, or the beginning of one, names."""
    check_name(prefix, "id")
    if not reader.resolve_promotion(prefix):
        jobs = reader.resolve_job(prefix)
        of_job = reader.promotions(job_id=jobs[0]) if len(jobs) == 1 else ()
        if of_job:  # canaries that ended may have come before, by a clock that was set back since
            return next((one for one in of_job if one.rolled_back_at is None), of_job[-1])
    found = reader.promotion(_only(prefix, reader.resolve_promotion, "promotion"))
    assert found is not None
    return found


def _only(prefix: str, resolve: Callable[[str], tuple[str, ...]], what: str) -> str:
    check_name(prefix, "id")
    found = resolve(prefix)
    first = next(iter(found), None)
    if first is None:
        raise NotFound(f"No {what} has an id that begins with {prefix!r}: `evolore {_LISTS[what]}` lists them.")
    if len(found) > 1:
        raise AmbiguousId(f"{prefix!r} begins several ids: {', '.join(found)} and maybe more; write more of it.")
    return first


_LISTS = {"job": "evolution jobs", "promotion": "evolution generations DOCUMENT"}


def similar_by(embedder: Embedder) -> Similar:
    """Return a measure of sentences: cosines of their vectors, each sentence embedded once.

    Returns:
        A function of two lists of sentences; its matrix has a row for each of the first, a column for each of the second.
    """
    known: dict[str, npt.NDArray[np.float32]] = {}

    def vectors(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, embed(embedder, new, role=TextRole.PASSAGE), strict=True))
        return np.stack([known[text] for text in texts])

    def similar(one: Sequence[str], other: Sequence[str]) -> npt.NDArray[np.float32]:
        first, second = vectors(one), vectors(other)
        lengths = np.outer(np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1))
        return np.divide(first @ second.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)

    return similar
