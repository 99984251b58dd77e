"""``forget``: erase from everywhere what is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from evolore.chat.budget import BudgetedChat
from evolore.domain.checks import check_text
from evolore.domain.episode import EpisodeKind
from evolore.domain.filters import Target
from evolore.errors import InvalidValue, NotFound
from evolore.flows.browse import complete, document_named, resolve
from evolore.flows.context import Context
from evolore.flows.lessons import reconsidered
from evolore.flows.remember.world import bring_in_line
from evolore.flows.review import whole_id as whole_review_id
from evolore.ports import Receipt
from evolore.store.reading import StoreReader


def forget(context: Context, target: Target, *, is_dry_run: bool = False) -> Receipt:
    """Erase what is named, documents with all their versions, and everything derived from it."""
    with context.store.read(context.namespace) as reader:
        if not reader.revision:
            context.store.require(context.namespace)
        try:
            whole = _with_whole_id(reader, target)
        except NotFound:
            half_written = _half_written(reader, target.document or target.item_id or "")
            if half_written is None:
                raise
            whole = Target(item_id=half_written)
    if is_dry_run:
        return context.store.erase(context.namespace, whole, is_dry_run=True)
    receipt = erase_named(context, lambda _: whole)
    assert receipt is not None
    return receipt


def erase_named(context: Context, name: Callable[[StoreReader], Target | None]) -> Receipt | None:
    """Erase what is named in the transaction in which it goes, bring the rest in line, and forget a chat model's replies.

    Returns:
        None where nothing was to go.

    Raises:
        NotFound: It names what is not there.
    """
    with context.store.write(context.namespace, principal=context.principal) as writer:
        target = name(writer)
        if target is None:
            return None
        person = target.person
        anew = () if person is None else reconsidered(writer, person, settings=context.settings.queries)
        receipt = writer.erase(target, anew=anew, at=context.clock.now())
    receipt = replace(receipt, lingering_in=context.store.take_out_erased())
    if receipt.review_items:  # the other side of a contradiction has nothing to wait for now
        with context.store.write(context.namespace, principal=context.principal) as writer:
            bring_in_line(writer, at=context.clock.now())
    if isinstance(context.chat_model, BudgetedChat):
        context.chat_model.forget_replies()
    return receipt


def _half_written(reader: StoreReader, named: str) -> str | None:
    """Return the id of a document of which nothing is visible yet, by its source or path."""
    return reader.staged(named) or reader.staged(str(Path(named).resolve()))


def _with_whole_id(reader: StoreReader, target: Target) -> Target:
    """Name a document or statement by its whole id; leave other targets as they are."""
    if target.document is not None:
        return replace(target, document=None, item_id=document_named(reader, target.document).id)
    if target.item_id is None:
        return target
    whole_id = _whole_id(reader, target.item_id)
    for episode in reader.episodes([whole_id]):
        if episode.kind is EpisodeKind.CHUNK:
            raise InvalidValue(
                f"{whole_id} is a part of the document {episode.document_id}: forget the document, "
                "or add it again without that part."
            )
    return replace(target, item_id=whole_id)


def _whole_id(reader: StoreReader, item_id: str) -> str:
    """Complete the beginning of an id of a document or statement, else of a review item, a question or an answer."""
    check_text(item_id, "The id")
    written = item_id.strip().lower()
    items = reader.resolve(written)
    if items:
        return complete(item_id, lambda _: items, unknown="")
    if reader.resolve_review(written):
        return whole_review_id(reader, item_id)
    for completing in (reader.resolve_query, reader.resolve_answer):
        if completing(written):
            return complete(item_id, completing, unknown=f"Nothing here has the id {item_id!r}.")
    return resolve(reader, item_id)
