"""The verbs that keep what is remembered in order, and take back what that did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.flows import (
    calibrate,
    maintain,
    resonate,
    undoing,
)

if TYPE_CHECKING:
    from evolore.flows.calibrate import Calibrated
    from evolore.flows.maintain import Maintained, MaintainProgress
    from evolore.flows.resonate import Resonated
    from evolore.ports import Undone

from evolore.verbs.binding import Bound


class MemoryMaintaining(Bound):
    """How a memory keeps itself in order."""

    def maintain(
        self,
        *,
        items: int = maintain.DEFAULT_ITEMS,
        seconds: float | None = None,
        dry_run: bool = False,
        principal: str | None = None,
        progress: MaintainProgress | None = None,
    ) -> Maintained:
        """Look again at what changed since the last time: merge, split, link, find what does not fit together, prune.

        It goes on where it was. Others may read and write meanwhile. Every change is an event that ``undo`` takes back.

        Args:
            items: How many episodes it may look at, at least 1.
            seconds: How long it may begin new work, above 0; by default until the items are done.
            dry_run: Tell what it would do, and change nothing.
            principal: On whose behalf; it is kept in the events.
            progress: Hears how far it has come.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            InvalidValue: A number is out of range.
            StoreBusy: Another process held the store for too long; what was done before stays.
        """
        budget = maintain.Budget(items=items, seconds=seconds)
        return maintain.maintain(self._for(principal), budget=budget, is_dry_run=dry_run, progress=progress)

    def calibrate(self, *, dry_run: bool = False, principal: str | None = None) -> tuple[Calibrated, ...]:
        """Find anew, from this namespace's own texts, what similarities mean in each of its languages.

        What was decided before stays as it is. Below 40 texts of a language nothing is changed; below 230 what is found
        leans on what ships with Evolore, or on nothing for an embedder of your own.

        Args:
            dry_run: Tell what would be found, and change nothing.
            principal: On whose behalf; it is kept in the events.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
        """
        return calibrate.calibrate(self._for(principal), is_dry_run=dry_run)

    def resonate(self, *episode_ids: str, arousal: float, principal: str | None = None) -> Resonated:
        """Say that memories were used, and how strongly that was felt: their arousal moves a fifth of the way there.

        One whose arousal nobody stated starts from its estimate, or from 0.5. If then the mean of all arousals that
        were stated, or moved by use, is above 0.6, all of these are scaled by 0.9. Both are events that ``undo`` takes
        back.

        Args:
            *episode_ids: The ids of statements or passages, or the beginnings of them.
            arousal: How strongly the use was felt, 0–1.
            principal: On whose behalf; it is kept in the events.

        Raises:
            InvalidValue: No id is given, or the arousal is out of range.
            NotFound: An id names nothing, or a document.
            AmbiguousId: It begins several ids.
        """
        return resonate.resonate_with(self._for(principal), episode_ids, arousal=arousal)

    def undo(self, event_id: str, *, cascade: bool = False, principal: str | None = None) -> Undone:
        """Take back what an event did, exactly: a merge, a split, a supersession, a conflict, a change of arousal.

        Undoing is an event too: undoing that does the change again. What a person undid, maintenance does not do again.

        Args:
            event_id: The id that the change was reported with, or the beginning of it; ``history`` shows those of an
                episode.
            cascade: Whether later changes that depend on it are undone first, newest first, all in one transaction.
            principal: On whose behalf; it is kept in the events.

        Raises:
            NotFound: No event that can be undone has the id, or what it changed was erased.
            AmbiguousId: It begins several ids.
            InvalidValue: It was undone already, or later changes depend on it; the message names them.
        """
        return undoing.undo(self._for(principal), event_id, cascade=cascade)
