"""Which promotions a version of a document rests on: a rollback takes the text before one back, with all made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evolore.domain.evolving import PromotedDocument, Promotion


def rests_on(line: Iterable[Promotion], document_id: str, version: int) -> frozenset[str]:
    """Give the promotions whose text stands in a version of a document, by id.

    Args:
        line: The promotions of the document, whether they were taken back or not.
        document_id: Which.
        version: The version that is looked at.
    """
    known = list(line)
    made = {mine.after: (one.id, mine) for one, mine in _of(known, document_id) if mine.after}
    restored = {mine.restored: mine for _, mine in _of(known, document_id) if mine.restored}
    found: set[str] = set()
    while version in made or version in restored:
        if version in restored:
            version = restored[version].before
            continue
        id_, mine = made[version]
        found.add(id_)
        version = mine.before
    return frozenset(found)


def is_from_source(line: Iterable[Promotion], document_id: str, version: int) -> bool:
    """Tell whether a version was written by no promotion and no rollback: its source said so."""
    return not any(version in {mine.after, mine.restored} for _, mine in _of(line, document_id))


def _of(line: Iterable[Promotion], document_id: str) -> Iterator[tuple[Promotion, PromotedDocument]]:
    return ((one, mine) for one in line for mine in one.documents if mine.document_id == document_id)
