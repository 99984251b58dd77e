"""Which document a complaint is about: of those that an answer rests on, the oldest is looked at first."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from evolore.domain.evolution import JobState
from evolore.domain.feedback import people
from evolore.domain.outcome import Rating
from evolore.evolution.fact_proof import newest_day

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from evolore.domain.document import Document
    from evolore.domain.feedback import Feedback
    from evolore.store.reading import StoreReader

_ANSWERED = frozenset({JobState.RUNNING, JobState.WAITING, JobState.CANARY, JobState.PROMOTED})
"""States of a job that has, or may yet have, an answer to the complaints that it took up."""

_RECENT_DAYS = 365
"""A document that names a day this near is taken for newer than one that names none."""


class Complaints:
    """What people complained of, and which document each complaint is about.

    An answer may rest on several documents, and who calls it bad says nothing of which. A complaint is about the one that is
    oldest by its own words: a page that was right once is more often at fault than the bulletin that says what holds now.
    One that names no day is older than one that names a day of the last year. The others are excused while that one has a turn, or was put right; only
    where nothing came of that is it about them. Those that are of one age all take it up.

    Args:
        reader: Of the memory.
        today: The day on which it is asked; days to come say nothing of a document's age.
    """

    def __init__(self, reader: StoreReader, *, today: date) -> None:
        self._reader = reader
        self._today = today
        self._days: dict[str, date | None] = {}

    def documents(self, *, least: int) -> tuple[Document, ...]:
        """List the documents that so many people complain of at least, the most first; none that an open job is about."""
        found = [
            self._reader.document(id_) for id_ in self._reader.rated_documents(least=least) if self.people(id_) >= least
        ]
        return tuple(one for one in found if one is not None)

    def people(self, document_id: str) -> int:
        """Count the people whose open complaints are about a document."""
        return people(self.about(document_id))

    def about(self, document_id: str) -> tuple[Feedback, ...]:
        """Give the complaints about a document that no job has taken up, oldest first."""
        return tuple(
            one
            for one in self._reader.feedback(document_id=document_id, unprocessed=True)
            if one.rating is Rating.BAD and not self._is_excused(one)
        )

    def _is_excused(self, one: Feedback) -> bool:
        if one.query_id is None:
            return False  # said of the document itself
        beside = self._beside[one.query_id, one.principal]
        return any(self._is_older(other.document_id, one.document_id) and self._has_turn(other) for other in beside)

    @cached_property
    def _beside(self) -> Mapping[tuple[str | None, str | None], list[Feedback]]:
        found: defaultdict[tuple[str | None, str | None], list[Feedback]] = defaultdict(list)
        for one in self._reader.feedback():
            if one.rating is Rating.BAD:
                found[one.query_id, one.principal].append(one)
        return found

    def _has_turn(self, one: Feedback) -> bool:
        job = None if one.job_id is None else self._reader.job(one.job_id)
        return job is None or job.state in _ANSWERED

    def _is_older(self, document_id: str, other: str) -> bool:
        mine, theirs = self._day(document_id), self._day(other)
        if theirs is None:
            return False
        return mine < theirs if mine is not None else (self._today - theirs).days <= _RECENT_DAYS

    def _day(self, document_id: str) -> date | None:
        if document_id not in self._days:
            document = self._reader.document(document_id)
            text = self._reader.document_text(document_id) or ""
            day = None
            if document is not None:
                day = newest_day(f"{document.title}\n{text}", document.language, today=self._today)
            self._days[document_id] = day
        return self._days[document_id]
