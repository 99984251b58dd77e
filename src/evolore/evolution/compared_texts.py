"""What gates and judges compare of a candidate: all documents before, and all after, without the references between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.references import extracted_reference, merged_reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.evolving import ProposedText
    from evolore.domain.proposing import DocumentText

_BETWEEN = "\n\n"


def compared_texts(documents: Sequence[DocumentText], texts: Sequence[ProposedText]) -> tuple[str, str]:
    """Give what the documents say before a candidate and after it, each as one text.

    A document that the candidate leaves alone stands on both sides, and a new one on the second. Of several documents the
    titles stand first on both sides: a crossover may name them. References that it leaves behind are no claims: they
    are ours, and left out where they stand in a line of their own.

    Args:
        documents: What the candidate was made of.
        texts: What it proposes.
    """
    proposed = {one.document_id: one.text for one in texts if one.document_id is not None}
    new = [one.text for one in texts if one.document_id is None]
    ours = frozenset(_references(documents, texts))
    titles = [one.title for one in documents] if len(documents) > 1 else []
    after = [*new, *(proposed.get(one.document_id, one.text) for one in documents)]
    return (
        _BETWEEN.join([*titles, *(one.text for one in documents)]),
        _BETWEEN.join([*titles, *(_without(text, ours) for text in after)]),
    )


def _references(documents: Sequence[DocumentText], texts: Sequence[ProposedText]) -> Iterator[str]:
    for document in documents:
        yield merged_reference(documents[0].title, documents[0].source, document.language)
        for one in texts:
            if one.document_id is None:
                yield extracted_reference(one.title, one.source, document.language)


def _without(text: str, ours: frozenset[str]) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in ours)
