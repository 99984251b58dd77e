"""A process that goes on with whatever job is open: ``python -m crash.promoter STORE NAME ROUNDS``, from a line of input on.

A job is about two documents; after three steps both get their next text, in one transaction with the promotion and the
job's last step. It tells of each step once it is written. With a fault point and a number behind, it stops at its n-th
visit there and waits to be killed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from crash.worker import stop_at, tell
from evolore.domain.evolution import JobState, Operator, PromotedDocument, Promotion, Step
from evolore.errors import EvoloreError
from evolore.store.database import FaultPoint
from store.evolving import OLD, Evolving

if TYPE_CHECKING:
    from evolore.domain.document import Document
    from evolore.domain.evolution import JobRecord

SOURCES = ("a.md", "b.md")
STEPS = 3


class Lost(Exception):
    """Another process was first."""


def text_of(job_id: str, source: str) -> str:
    """Give the text that a job makes of a document."""
    return f"{OLD}\n## Job\n\n{job_id} changed {source}. " + f"It is {source} as {job_id} has it. " * 20


class Promoter:
    """Goes on with jobs, and begins one where none is open."""

    def __init__(self, here: Evolving, name: str) -> None:
        self._here = here
        self._name = name

    def go_on(self) -> None:
        job = self._open_job()
        if job is None:
            return
        number = job.steps + 1
        if number <= STEPS:
            if self._here.go_on(job.id, number, None, by=self._name):
                tell(step=[job.id, number], by=self._name)
            return
        try:
            self._promote(job)
        except Lost:
            return
        tell(step=[job.id, number], by=self._name, promoted=job.id)

    def _open_job(self) -> JobRecord | None:
        documents = self._documents()
        with self._here.reading() as reader:
            found = reader.jobs(states=[JobState.RUNNING])
        if found:
            return found[0]
        job_id = self._here.begin(*documents)
        if job_id is None:
            return None
        with self._here.reading() as reader:
            return reader.job(job_id)

    def _documents(self) -> tuple[Document, ...]:
        with self._here.reading() as reader:
            found = [reader.document_by_source(source) for source in SOURCES]
        return tuple(one for one in found if one is not None)

    def _promote(self, job: JobRecord) -> None:
        here, documents = self._here, self._documents()
        new = [here.new_version(document, text_of(job.id, document.source)) for document in documents]
        with here.writing(self._name) as writer:
            at = here.clock.now()
            written = [writer.put_document(one, at=at) for one in new]
            ends = tuple(
                PromotedDocument(document_id=before.id, before=before.version, after=after.version)
                for before, after in zip(documents, written, strict=True)
                if after is not None
            )
            if len(ends) < len(SOURCES):
                raise Lost
            promotion = Promotion(
                id=writer.new_id(),
                job_id=job.id,
                candidate_id="c1",
                operator=Operator.CROSSOVER_MERGE,
                documents=ends,
                win_rate=1.0,
                promoted_at=at,
                approved_by=self._name,
            )
            writer.put_promotion(promotion, at=at)
            last = Step(number=job.steps + 1, kind="promoted", body={"by": self._name}, at=at)
            if not writer.append_steps(job.id, [last], state=JobState.PROMOTED, at=at):
                raise Lost
            writer.set_processed([one.id for one in writer.feedback(unprocessed=True)], job.id)


def main() -> None:
    store, name, rounds, *fault = sys.argv[1:]
    here = Evolving(Path(store))
    for source in SOURCES:
        here.add(source)
    if fault:
        stop_at(FaultPoint(fault[0]), int(fault[1]))
    promoter = Promoter(here, name)
    tell(ready=name)
    sys.stdin.readline()
    for _ in range(int(rounds)):
        try:
            promoter.go_on()
        except EvoloreError as error:
            tell(failed=str(error))
            raise
    here.close()


if __name__ == "__main__":
    main()
