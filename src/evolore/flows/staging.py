"""How a document is written: at once, or a large one in parts that become visible with the last."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.errors import TryAgain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.knowledge import Document
    from evolore.flows.context import Context
    from evolore.ports import ItemKeys, NewDocument


def write_document(
    context: Context, new: NewDocument, batches: Iterator[dict[int, ItemKeys]], *, in_parts: bool
) -> Document | None:
    """Write a document whose new leaves are embedded while it is written.

    Args:
        context: The ports.
        new: The document, without keys.
        batches: The keys of its new leaves, some at a time.
        in_parts: Whether more leaves than fit into memory at once are written in several transactions.

    Returns:
        The document as it is stored; None when another writer was faster, and it has to be computed anew.
    """
    fresh = len(new.tree.leaves) - len(new.kept)
    if in_parts and fresh > context.max_leaves_at_once:
        return _write_in_parts(context, new, batches)
    keys = {place: key for batch in batches for place, key in batch.items()}
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return writer.put_document(replace(new, keys=keys), at=context.clock.now())


def clear_leftovers(context: Context, source: str) -> None:
    """Delete what a crash left half-written of a source."""
    with context.store.read(context.namespace) as reader:
        is_staged = reader.is_staged(source)
    if is_staged:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            writer.clear_staging(source, at=context.clock.now())


def _write_in_parts(context: Context, new: NewDocument, batches: Iterator[dict[int, ItemKeys]]) -> Document | None:
    source = new.source_text.source
    with context.store.write(context.namespace, principal=context.principal) as writer:
        staging_id = writer.begin_staging(
            source, previous_id=new.previous_id, previous_version=new.previous_version, at=context.clock.now()
        )
    if staging_id is None:
        return None
    new = replace(new, staging_id=staging_id)
    try:
        for keys in _parts(batches, context.max_leaves_at_once):
            with context.store.write(context.namespace, principal=context.principal) as writer:
                if not writer.stage_leaves(replace(new, keys=keys), at=context.clock.now()):
                    return None
        with context.store.write(context.namespace, principal=context.principal) as writer:
            return writer.put_document(new, at=context.clock.now())
    except BaseException:  # a stop from the keyboard too must not leave parts behind
        with suppress(TryAgain):  # what cannot be cleared now is cleared by the next add of the source
            clear_leftovers(context, source)
        raise


def _parts(batches: Iterator[dict[int, ItemKeys]], most: int) -> Iterator[dict[int, ItemKeys]]:
    """Gather batches into parts of at most so many leaves, where a batch is not more itself."""
    part: dict[int, ItemKeys] = {}
    for batch in batches:
        if part and len(part) + len(batch) > most:
            yield part
            part = {}
        part |= batch
    if part:
        yield part
