"""Documents with their texts, as jobs need them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.proposing import DocumentText
from evolore.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.evolving import Base, ProposedText
    from evolore.ports import StoreReader


def texts_of(reader: StoreReader, bases: Iterable[Base]) -> tuple[DocumentText, ...]:
    """Give documents with the texts they had at the versions named.

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
    """Give several texts as one, a blank line between."""
    return "\n\n".join(text.strip("\n") for text in texts)


def joined_after(documents: Sequence[DocumentText], texts: Sequence[ProposedText]) -> str:
    """Give as one text what documents say once a candidate is taken over: new ones first, and those it leaves alone too."""
    proposed = {one.document_id: one.text for one in texts if one.document_id is not None}
    new = [one.text for one in texts if one.document_id is None]
    return joined([*new, *(proposed.get(one.document_id, one.text) for one in documents)])


def as_one(documents: Sequence[DocumentText]) -> DocumentText:
    """Give documents as one, to be asked: the first, with the text of all."""
    first = documents[0]
    if len(documents) == 1:
        return first
    return DocumentText(
        document_id=first.document_id,
        version=first.version,
        source=first.source,
        title=first.title,
        text=joined(one.text for one in documents),
        media_type=first.media_type,
        language=first.language,
    )
