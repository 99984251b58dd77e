"""``forget``: what is named is erased everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.episodes import EpisodeKind
from evolore.errors import InvalidValue
from evolore.flows.browse import resolve

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.ports import Receipt


def forget(context: Context, item_id: str) -> Receipt:
    """Erase a document with all its versions, or a statement, and everything derived from it.

    Args:
        context: The ports.
        item_id: Its id, or the beginning of it.

    Raises:
        NotFound: It names nothing.
        AmbiguousId: It begins several ids.
        InvalidValue: It names a part of a document; the document as a whole can be forgotten.
    """
    with context.store.read(context.namespace) as reader:
        whole_id = resolve(reader, item_id)
        for episode in reader.episodes([whole_id]):
            if episode.kind is EpisodeKind.CHUNK:
                raise InvalidValue(
                    f"{whole_id} is a part of the document {episode.document_id}: forget the document, "
                    "or add it again without that part."
                )
    return context.store.erase(context.namespace, whole_id)
