"""Find the document a complaint is about: of those that an answer rests on, the oldest is examined first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import cached_property
from itertools import combinations, islice

from evolore.domain.contest import Complaint
from evolore.domain.document import Document
from evolore.domain.evolution import JobState
from evolore.domain.feedback import Feedback
from evolore.evolution.contest_questions import words_of
from evolore.evolution.fact_proof import newest_day
from evolore.evolution.gates.injection import find_injections
from evolore.evolution.job_steps import StepKind, read_step
from evolore.evolution.requests import LONGEST_JOINED
from evolore.store.reading import StoreReader

_ENDED = frozenset({JobState.REJECTED, JobState.ROLLED_BACK, JobState.SUPERSEDED})
"""States of a job whose result a person refused, or which has none as its document changed."""

_OPEN = frozenset({JobState.RUNNING, JobState.WAITING, JobState.CANARY})

_RECENT_DAYS = 365
"""A document that names a day this near says itself how new it is."""


_MOST_PAIRED = 20
_LEAST_SHARED = 2


def crossable(
    reader: StoreReader, due: Sequence[Document], *, but: Collection[Collection[str]] = ()
) -> tuple[Document, ...]:
    """Return the two documents that answer the same rated questions, those with the most; none where there are none.

    Each shares half of the questions that were rated of it, good or bad, and at least two. They are of one language and
    short enough to be shown together. The first twenty of ``due`` are looked at, and pairs of ids in ``but`` are left out.
    """
    best, found = _LEAST_SHARED - 1, ()
    asked, size = dict[str, set[str]](), dict[str, int]()
    for one in due[:_MOST_PAIRED]:
        asked[one.id] = {words_of(said.question) for said in reader.feedback(document_id=one.id) if said.question}
        size[one.id] = len(reader.document_text(one.id) or "")
    for one, other in combinations(due[:_MOST_PAIRED], 2):
        shared, most = len(asked[one.id] & asked[other.id]), max(len(asked[one.id]), len(asked[other.id]))
        is_fit = one.language is other.language and size[one.id] + size[other.id] <= LONGEST_JOINED
        if shared > best and 2 * shared >= most and is_fit and {one.id, other.id} not in but:
            best, found = shared, (one, other)
    return found


class Complaints:
    """What people complained of, and which document each complaint is about.

    An answer may rest on several documents, and who calls it bad says nothing of which. A page that was right once is more
    often at fault than the bulletin that says what holds now: so a document that names a day of the last year is excused
    where the answer rests on an older one too, or on one that names no day, that enough people complained of or that has an
    open job. That one has its turn first; only if its result was refused, or its proved correction answers something else,
    is the complaint about the newer one. All others take it up.

    Args:
        reader: Of the memory.
        least: From how many people on a document is rewritten.
        today: The day on which it is asked; days to come say nothing of a document's age.
    """

    def __init__(self, reader: StoreReader, *, least: int, today: date) -> None:
        self._reader, self._least, self._today = reader, least, today
        self._days: dict[str, date | None] = {}
        self._waiting: dict[str, list[Feedback]] = {}
        self._known: dict[str, tuple[Feedback, ...]] = {}

    def documents(self) -> tuple[Document, ...]:
        """List the documents that enough people complained of, the most first; none that an open job is about."""
        rated = self._reader.rated_documents(least=self._least)
        self._read(rated)
        return self._reader.documents_with([id_ for id_ in rated if self.are_enough(id_)])

    def about(self, document_id: str) -> tuple[Feedback, ...]:
        """Return the complaints about a document that no job has taken up, oldest first."""
        if document_id not in self._known:  # it asks strictly older documents alone, so it ends
            self._known[document_id] = tuple(one for one in self._open(document_id) if not self._is_excused(one))
        return self._known[document_id]

    def are_enough(self, document_id: str) -> bool:
        """Return whether enough people complained of a document."""
        return self._is_enough(self.about(document_id))

    def _is_enough(self, said: Sequence[Feedback]) -> bool:
        """Return whether enough people said something; who speaks to a model in any comment counts for none."""
        comments: defaultdict[str, list[str]] = defaultdict(list)
        for one in said:
            comments[one.principal or one.id].append(one.comment or "")
        heard = (1 for own in comments.values() if not any(map(find_injections, filter(None, own))))
        return sum(islice(heard, self._least)) >= self._least  # reading a comment takes time: no more than it needs

    def _open(self, document_id: str) -> Sequence[Feedback]:
        if document_id not in self._waiting:
            self._read([document_id])
        return self._waiting[document_id]

    def _read(self, document_ids: Sequence[str]) -> None:
        """Read what waits about documents, of all of them at once."""
        self._waiting |= {id_: [] for id_ in document_ids}
        for one in self._reader.open_complaints(document_ids):
            self._waiting[one.document_id].append(one)

    def _is_excused(self, one: Feedback) -> bool:
        if one.query_id is None:
            return False  # said of the document itself
        return any(
            self._is_older(other.document_id, one.document_id) and self._has_turn(other)
            for other in self._beside[one.query_id, one.principal]
        )

    @cached_property
    def _beside(self) -> Mapping[tuple[str | None, str | None], list[Feedback]]:
        found: defaultdict[tuple[str | None, str | None], list[Feedback]] = defaultdict(list)
        for one in self._reader.complaints_beside():
            found[one.query_id, one.principal].append(one)
        return found

    def _has_turn(self, one: Feedback) -> bool:
        """Return whether a complaint is taken up for its document, or will be: older documents decide about theirs first."""
        if one.job_id is None:
            mine = self.about(one.document_id)
            if one not in mine or self._is_enough(mine):
                return one in mine
            return bool(self._reader.jobs(document_id=one.document_id, states=_OPEN, limit=1))
        job = self._reader.job(one.job_id)
        return job is None or (job.state not in _ENDED and not self._is_left(one, one.job_id))

    def _is_left(self, one: Feedback, job_id: str) -> bool:
        """Return whether a job proved a correction, and that answers something else than a complaint."""
        steps = self._reader.steps_of([job_id], {StepKind.PROVED.value}).get(job_id, ())
        proof = next((told.proof for told in map(read_step, reversed(steps)) if told.proof.is_proved), None)
        return proof is not None and proof.leaves(
            Complaint(feedback_id=one.id, question=one.question or "", comment=one.comment or "")
        )

    def _is_older(self, document_id: str, other: str) -> bool:
        """Return whether a document is older than another that says itself how new it is."""
        mine, theirs = self._day(document_id), self._day(other)
        is_recent = theirs is not None and (self._today - theirs).days <= _RECENT_DAYS
        return is_recent and (mine is None or (theirs is not None and mine < theirs))

    def _day(self, document_id: str) -> date | None:
        if document_id not in self._days:
            document = self._reader.document(document_id)
            text = self._reader.document_text(document_id) or ""
            day = None
            if document is not None:
                day = newest_day(f"{document.title}\n{text}", document.language, today=self._today)
            self._days[document_id] = day
        return self._days[document_id]
