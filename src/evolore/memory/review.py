"""``memory.review``: what a person should look at, and what chat models are asked of it."""

from __future__ import annotations

from os import PathLike
from typing import IO, TYPE_CHECKING

from evolore import flows
from evolore.domain.review import ExportFormat, Keep, Priority, ReviewCategory, ReviewItem, ReviewStatus
from evolore.memory.binding import Noun, file_or_stream

if TYPE_CHECKING:
    from evolore.flows.check_chunks import Checked
    from evolore.flows.confirm_conflicts import Confirmed
    from evolore.flows.rebase import PromotionConflict, SettledPromotion
    from evolore.flows.review import Settled


class ReviewQueue(Noun):
    """What a memory asks people, and what they say."""

    def list(
        self,
        *,
        status: ReviewStatus | str | None = ReviewStatus.OPEN,
        category: ReviewCategory | str | None = None,
        priority: Priority | str | None = None,
        document: str | None = None,
        unresolved_for_days: int | None = None,
        limit: int | None = None,
    ) -> tuple[ReviewItem, ...]:
        """List the review queue: the most urgent first, and of those the oldest first.

        Args:
            status: ``"open"`` or ``"resolved"``; None for both.
            category: Only ``"chunking"``, ``"wholeness"``, ``"note"``, ``"contradiction"``, ``"disagreement"``,
                ``"promotion"``, ``"freed"``, ``"gap"``, ``"procedure"`` or ``"page"``; by default all but
                pages.
            priority: Only ``"low"``, ``"normal"``, ``"high"`` or ``"urgent"``.
            document: Only about the document with this id, source or path.
            unresolved_for_days: Only open ones filed at least so many days ago.
            limit: How many at most.

        Raises:
            InvalidValue: A word is not one of these, or a number is out of range.
            NotFound: There is no such document.
        """
        wanted = flows.review.choose(
            self._bound.context,
            status=status,
            category=category,
            priority=priority,
            document=document,
            unresolved_for_days=unresolved_for_days,
            limit=limit,
        )
        return flows.review.list_items(self._bound.context, wanted)

    def show(self, item_id: str) -> ReviewItem:
        """Return the review item that an id, or the beginning of one, names.

        Raises:
            NotFound: It names none.
            AmbiguousId: It begins several ids.
        """
        return flows.review.show(self._bound.context, item_id)

    def resolve(self, item_id: str, *, note: str | None = None, principal: str | None = None) -> ReviewItem:
        """Resolve a review item; what it was filed for is not filed again.

        Args:
            item_id: Its id, or the beginning of one.
            note: What was done about it.
            principal: On whose behalf.

        Raises:
            NotFound: The id names none.
            InvalidValue: The note is blank or too long.
        """
        return flows.review.set_status(self._bound.acting(principal), item_id, ReviewStatus.RESOLVED, note=note)

    def reopen(self, item_id: str, *, note: str | None = None, principal: str | None = None) -> ReviewItem:
        """Open a resolved review item again; its note is replaced.

        Raises:
            NotFound: The id names none.
            InvalidValue: The note is blank or too long.
        """
        return flows.review.set_status(self._bound.acting(principal), item_id, ReviewStatus.OPEN, note=note)

    def note(
        self,
        text: str,
        *,
        priority: Priority | str = Priority.NORMAL,
        about: str | None = None,
        principal: str | None = None,
    ) -> ReviewItem:
        """File a note by hand.

        Args:
            text: What a person should look at, at most 10,000 characters.
            priority: How soon.
            about: The document, by id, source or path, or the passage or statement, by id, that it is about; it is
                forgotten with it.
            principal: On whose behalf.

        Raises:
            InvalidValue: The note is blank or too long, or the priority is none.
            NotFound: What it is about is not there.
        """
        return flows.review.add_note(self._bound.acting(principal), text, priority=priority, about=about)

    def export(
        self,
        target: str | PathLike[str] | IO[bytes],
        *,
        format: ExportFormat | str = "jsonl",  # noqa: A002 - what callers look for
        status: ReviewStatus | str | None = None,
        category: ReviewCategory | str | None = None,
        priority: Priority | str | None = None,
        document: str | None = None,
        unresolved_for_days: int | None = None,
    ) -> int:
        """Write the review queue, open and resolved items, as JSON lines or CSV; return their number.

        Args:
            target: A new file, or a stream.
            format: ``"jsonl"`` or ``"csv"``.
            status: As in ``list``; by default both.
            category: As in ``list``.
            priority: As in ``list``.
            document: As in ``list``.
            unresolved_for_days: As in ``list``.

        Raises:
            InvalidValue: A word is unknown, or the file is there already.
            StoreUnwritable: The file cannot be made.
            StoreFailed: The disk is full or failing.
        """
        wanted = flows.review.choose(
            self._bound.context,
            status=status,
            category=category,
            priority=priority,
            document=document,
            unresolved_for_days=unresolved_for_days,
            limit=None,
        )
        return flows.review.export(self._bound.context, wanted, file_or_stream(target), form=format)

    def settle(
        self, item_id: str, *, keep: Keep | str, note: str | None = None, principal: str | None = None
    ) -> Settled:
        """Decide which of two statements that do not fit together holds; the review item shows both.

        Args:
            item_id: The review item's id, or its beginning.
            keep: ``"newer"``: the older is superseded from the newer's time on. ``"older"``: the newer is revoked, and
                not found any more. ``"both"``: both hold, and are not asked about again.
            note: What you say about it.
            principal: On whose behalf; it is kept in the event.

        Raises:
            NotFound: No review item has the id, or a statement of it was forgotten.
            AmbiguousId: It begins several ids.
            InvalidValue: The item is no contradiction or resolved already, or ``keep`` is another word.
        """
        return flows.review.settle(self._bound.acting(principal), item_id, keep=keep, note=note)

    def conflict(self, item_id: str) -> PromotionConflict:
        """Show a section that was promoted and that its source changed too: as it was, as promoted, and as the source has it.

        Raises:
            NotFound: No review item has the id.
            AmbiguousId: It begins several ids.
            InvalidValue: It is about something else.
        """
        return flows.rebase.conflict(self._bound.context, item_id)

    def settle_promotion(
        self, item_id: str, *, keep: Keep | str, note: str | None = None, principal: str | None = None
    ) -> SettledPromotion:
        """Decide which text of a section to keep that was promoted and that its source changed too.

        Args:
            item_id: The review item's id, or its beginning.
            keep: ``"promoted"``, which becomes the next version of the document, or ``"source"``, the present text.
            note: What you say about it.
            principal: On whose behalf.

        Raises:
            NotFound: No review item has the id.
            AmbiguousId: It begins several ids.
            InvalidValue: The item is about something else or settled already, or ``keep`` is another word.
            StoreBusy: The document changed at this moment.
        """
        return flows.rebase.settle_promotion(self._bound.acting(principal), item_id, keep=keep, note=note)

    def confirm_conflicts(self, *, calls: int = 4, pairs_per_call: int = 4, principal: str | None = None) -> Confirmed:
        """Ask the chat model about open contradictions, the most urgent and oldest first.

        Where it says that the newer statement holds, or that both do, that is settled as with ``settle``, and ``undo``
        takes it back. Where it says that the older holds, or is not sure, the item gets a note and waits for you: a
        model never takes back what was said. A call that fails is counted, and changes nothing.

        Args:
            calls: How many calls may be made; never one more. At least 0.
            pairs_per_call: How many contradictions the model is shown at a time.
            principal: On whose behalf; it is kept in the events.

        Raises:
            ChatModelMissing: The memory was opened without a chat model.
            InvalidValue: A number is out of range.
            NamespaceNotFound: Nothing was written to this namespace yet.
        """
        return flows.confirm_conflicts.confirm_conflicts(
            self._bound.acting(principal), calls=calls, pairs_per_call=pairs_per_call
        )

    def check_chunks(
        self,
        document: str | None = None,
        *,
        sample: int = 20,
        chunks_per_call: int = 5,
        calls: int = 4,
        seed: int = 0,
        principal: str | None = None,
    ) -> Checked:
        """Ask the chat model to read some passages; those it finds broken are filed for review, and nothing is cut.

        Args:
            document: The document to look at, by id, source or path; by default all.
            sample: How many passages to choose, as if by chance.
            chunks_per_call: How many the model is shown at a time.
            calls: How many calls may be made; never one more. At least 0.
            seed: Another one chooses other passages.
            principal: On whose behalf.

        Raises:
            ChatModelMissing: The memory was opened without a chat model.
            InvalidValue: A number is out of range.
            NotFound: There is no such document.
        """
        return flows.check_chunks.check_chunks(
            self._bound.acting(principal),
            document=document,
            sample=sample,
            chunks_per_call=chunks_per_call,
            calls=calls,
            seed=seed,
        )
