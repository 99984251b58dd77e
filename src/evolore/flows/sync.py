"""``add`` with ``sync``: documents whose files left the folders are reported, or forgotten."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.filters import Target
from evolore.errors import InvalidValue, NotFound
from evolore.ports import PathFilter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.knowledge import Document
    from evolore.flows.context import Context
    from evolore.ports import Receipt


class SyncMode(StrEnum):
    """What to do about documents whose files left the folders that are added."""

    REPORT = "report"
    FORGET = "forget"


def sync_mode(word: str | None) -> SyncMode | None:
    """Read the word for it.

    Raises:
        InvalidValue: It is another word.
    """
    if word is None:
        return None
    try:
        return SyncMode(word)
    except ValueError as error:
        raise InvalidValue(f"sync is {word!r}: give 'report' or 'forget'.") from error


def path_filter(include: Sequence[str], exclude: Sequence[str], *, follow_links: bool = False) -> PathFilter:
    """Gather patterns.

    Raises:
        InvalidValue: One is blank, or a lone text stands where several are asked for.
    """
    for patterns in (include, exclude):
        if isinstance(patterns, str):
            raise InvalidValue(f"{patterns!r} is one pattern: give a list of patterns, such as [{patterns!r}].")
    return PathFilter(include=tuple(include), exclude=tuple(exclude), follow_links=follow_links)


def settle_vanished(
    context: Context, paths: Sequence[Path], *, where: PathFilter, sync: SyncMode | None
) -> tuple[tuple[Document, ...], Receipt | None]:
    """Find the documents whose files are no longer in the folders, and forget them where that is asked for.

    Returns:
        The documents, oldest first, and the receipt of their erasure.
    """
    if sync is None:
        return (), None
    vanished = _vanished(context, paths, where)
    if not vanished or sync is SyncMode.REPORT:
        return vanished, None
    try:
        gone = Target(item_ids=tuple(document.id for document in vanished))
        return vanished, context.store.erase(context.namespace, gone, principal=context.principal)
    except NotFound:  # another process has just forgotten some: the rest is known anew
        return settle_vanished(context, paths, where=where, sync=sync)


def _vanished(context: Context, paths: Sequence[Path], where: PathFilter) -> tuple[Document, ...]:
    with context.store.read(context.namespace) as reader:
        documents = reader.documents()
    gone = set(context.reader.gone([document.source for document in documents], below=paths, where=where))
    return tuple(document for document in documents if document.source in gone)
