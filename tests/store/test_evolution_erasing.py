"""Forgetting and unlearning reach answers, feedback, steps and replies; undoing brings back what was not erased."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Engine, delete, event

from evolore.domain.evolution import JobState, PromotedDocument
from evolore.domain.filters import Target
from evolore.domain.health import FindingKind
from evolore.errors import NotFound
from evolore.store.tables import evolution_step_names
from store.evolving import BAD, NEW, Evolving

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from evolore.domain.evolution import JobRecord

SECRET = "Quetzalcoatl7731"


@pytest.fixture
def here(tmp_path: Path) -> Generator[Evolving]:
    made = Evolving(tmp_path / "s")
    yield made
    made.close()


def job_of(here: Evolving, job_id: str) -> JobRecord:
    with here.reading() as reader:
        found = reader.job(job_id)
    assert found is not None
    return found


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_forgetting_a_document_erases_all_that_speaks_of_it_and_nothing_else(here: Evolving) -> None:
    document, other = here.add(text=f"The key is {SECRET}.\n"), here.add("other.md")
    here.said(document, by="ann", comment=f"{SECRET} is wrong")
    here.said(other, by="ann", comment="fine")
    answer = here.answered("Which key?", document, quote=f"The key is {SECRET}")
    kept = here.answered("When?", other)
    job, beside = str(here.begin(document)), str(here.begin(other))
    assert here.go_on(job, 1, JobState.WAITING, reply=f"{SECRET} rewritten")
    assert here.go_on(beside, 1, JobState.WAITING, reply="elsewhere")
    promotion = here.promote(document, f"The key, {SECRET}, is kept.\n", job_id=job)
    here.store.chat_cache(5, until=NoCache()).put("asked", f"Of {SECRET}.")
    assert SECRET.encode() in bytes_of(here.folder)
    receipt = here.memory.forget(document.id)
    assert receipt.lingering_in == ()
    with here.reading() as reader:
        assert (reader.answer(answer.id), reader.answer(kept.id)) == (None, kept)
        assert [one.comment for one in reader.feedback()] == ["fine"]
        assert (reader.steps(job), len(reader.steps(beside))) == ((), 1)
        left = reader.promotion(promotion.id)
        assert left is not None
        assert (left.documents, left.reason) == (promotion.documents, "")
    ended = job_of(here, job)
    assert (ended.state, ended.steps) == (JobState.ORIGINAL_STAYS, 0)
    assert job_of(here, beside).state is JobState.WAITING
    here.close()
    assert SECRET.encode() not in bytes_of(here.folder)
    assert here.memory.store.verify().is_whole
    assert here.memory.store.doctor().is_whole


class NoCache:
    """Keeps nothing: a reply that it is asked to keep was not kept in the store."""

    def get(self, key: str) -> str | None:
        raise AssertionError(key)

    def put(self, key: str, reply: str) -> None:
        raise AssertionError((key, reply))

    def clear(self) -> None:
        """Forget nothing."""


def test_a_closed_job_keeps_its_state_when_its_steps_are_erased_and_never_goes_on(here: Evolving) -> None:
    document = here.add()
    job = str(here.begin(document))
    assert here.go_on(job, 1, JobState.REJECTED)
    here.memory.forget(document.id)
    assert job_of(here, job).state is JobState.REJECTED
    assert not here.go_on(job, 1)
    assert not here.go_on(job, 2)


def test_steps_that_quote_a_forgotten_statement_are_erased_by_its_id(here: Evolving) -> None:
    evidence, other = here.remember(f"The deploy key is {SECRET}.", "Nothing.")
    quoting, silent = str(here.begin(here.add())), str(here.begin(here.add("other.md")))
    assert here.go_on(quoting, 1, None, evidence=[{"id": evidence, "text": SECRET}])
    assert here.go_on(silent, 1, None, evidence=[{"id": other, "text": "Nothing."}])
    here.memory.forget(evidence)
    assert job_of(here, quoting).state is JobState.ORIGINAL_STAYS
    assert job_of(here, silent).state is JobState.RUNNING


def test_forgetting_reads_no_step_to_find_those_that_quote_it(here: Evolving) -> None:
    document = here.add()
    job = str(here.begin(document))
    said = here.memory.remember(f"The key is {SECRET}.")
    here.go_on(job, 1, JobState.WAITING, evidence=said.id)
    asked: list[str] = []

    def note(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        asked.append(sql)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        here.memory.forget(said.id)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    with here.reading() as reader:
        assert reader.steps(job) == ()
    assert [sql for sql in asked if "evolution_step_names" in sql]
    assert not [sql for sql in asked if "evolution_steps.body" in sql and sql.startswith("SELECT")]


def test_what_is_noted_wrong_of_steps_is_found_and_noted_anew(here: Evolving) -> None:
    document = here.add()
    job = str(here.begin(document))
    said = here.memory.remember(f"The key is {SECRET}.")
    here.go_on(job, 1, JobState.WAITING, evidence=said.id)
    with here.store._open.database().writing(namespace=here.namespace) as connection:
        connection.execute(delete(evolution_step_names))
    doctor = partial(here.memory.store.doctor, all_namespaces=False)
    (found,) = doctor().findings
    assert (found.kind, found.examples) == (FindingKind.HISTORY, (job,))
    assert doctor(repair=True).findings[0].is_repaired
    assert doctor().findings == ()
    here.memory.forget(said.id)
    with here.reading() as reader:
        assert reader.steps(job) == ()


def test_a_job_whose_next_step_quotes_what_was_forgotten_meanwhile_ends(here: Evolving) -> None:
    (evidence,) = here.remember(f"The deploy key is {SECRET}.")
    document = here.add()
    job = str(here.begin(document))
    assert here.go_on(job, 1)
    here.memory.forget(evidence)
    assert job_of(here, job).state is JobState.RUNNING
    assert not here.go_on(job, 2, None, evidence=[{"id": evidence, "text": SECRET}])
    assert job_of(here, job).state is JobState.ORIGINAL_STAYS
    assert SECRET.encode() not in bytes_of(here.folder)
    assert here.begin(document) is not None


def test_forgetting_a_statement_erases_the_answers_that_cite_it(here: Evolving) -> None:
    document = here.add()
    (statement,) = here.remember("The deploy key is new.")
    kept = here.answered("When?", document)
    citing = here.citing("Which key?", statement)
    here.memory.forget(statement)
    with here.reading() as reader:
        assert (reader.answer(citing.id), reader.answer(kept.id)) == (None, kept)


def test_forgetting_everything_leaves_no_row(here: Evolving) -> None:
    document = here.add()
    here.said(document, by="ann")
    here.answered("When?", document)
    here.go_on(str(here.begin(document)), 1)
    here.promote(document)
    here.memory.forget(everything=True)
    stats = here.memory.stats()
    assert (stats.answers, stats.feedback, stats.open_jobs, stats.promotions) == (0, 0, 0, 0)
    with here.reading() as reader:
        assert reader.jobs() == ()
        assert reader.promotions() == ()
    assert here.memory.store.verify().is_whole
    assert here.memory.store.doctor().is_whole


def test_a_dry_run_erases_nothing(here: Evolving) -> None:
    document = here.add()
    id_ = here.said(document, by="ann")
    here.store.erase(here.namespace, Target(item_id=document.id), is_dry_run=True)
    assert [one.id for one in here.feedback()] == [id_]


def test_what_a_principal_said_counts_no_longer_until_that_is_undone(here: Evolving) -> None:
    document = here.add()
    mine = here.said(document, by="ann")
    theirs = here.said(document, by="bob")
    done = here.withdraw("ann")
    assert done.event_id is not None
    assert [one.id for one in here.feedback()] == [theirs]
    assert (here.rated(1), here.rated(2)) == ((document.id,), ())
    undone = here.undo(done.event_id)
    assert [one.id for one in here.feedback()] == [mine, theirs]
    assert here.rated(2) == (document.id,)
    with pytest.raises(Exception, match="undid it already"):
        here.undo(done.event_id)
    here.undo(undone.event_ids[0])
    assert [one.id for one in here.feedback()] == [theirs]
    assert here.withdraw("ann").event_id is None


def test_who_says_it_again_after_unlearning_counts_again(here: Evolving) -> None:
    document = here.add()
    first = here.said(document, by="ann")
    done = here.withdraw("ann")
    assert here.said(document, by="ann") != first
    assert len(here.feedback()) == 1
    assert done.event_id is not None
    here.undo(done.event_id)
    assert len(here.feedback()) == 1


def test_unlearning_that_erases_takes_answers_feedback_and_the_steps_that_quote_them(here: Evolving) -> None:
    document, other = here.add(), here.add("other.md")
    answer = here.answered(f"Is it {SECRET}?", document, principal="ann")
    kept = here.answered("When?", document, principal="bob")
    mine = here.said(document, by="ann", comment=f"no {SECRET}")
    of_others = here.said(document, by="bob", query_id=answer.query_id, comment=f"yes {SECRET}")
    theirs = here.said(document, by="bob")
    job, beside = str(here.begin(document)), str(here.begin(other))
    assert here.go_on(job, 1, None, complaints=[{"feedback": mine, "comment": f"no {SECRET}"}])
    assert here.go_on(beside, 1, None, complaints=[{"feedback": theirs}])
    done = here.withdraw("ann", erase=True)
    with here.reading() as reader:
        assert (reader.answer(answer.id), reader.answer(kept.id)) == (None, kept)
        assert [one.id for one in reader.feedback()] == [theirs]
    assert of_others not in {one.id for one in here.feedback()}
    assert job_of(here, job).state is JobState.ORIGINAL_STAYS
    assert job_of(here, beside).state is JobState.RUNNING
    assert done.event_id is not None
    with pytest.raises(NotFound, match="for good"):
        here.undo(done.event_id)
    here.close()
    assert SECRET.encode() not in bytes_of(here.folder)
    assert here.memory.store.doctor().is_whole


def test_unlearning_one_who_only_rated_documents_is_an_event(here: Evolving) -> None:
    document = here.add()
    here.said(document, by="ann")
    assert here.withdraw("cid", erase=True).event_id is None
    assert here.withdraw("ann", erase=True).event_id is not None
    assert here.feedback() == ()


def test_the_history_of_a_document_tells_what_became_of_it(here: Evolving) -> None:
    document, other = here.add(), here.add("other.md")
    feedback_id = here.said(document, BAD, by="ann")
    job = str(here.begin(document, feedback_ids=(feedback_id,)))
    assert here.go_on(job, 1)
    promotion = here.promote(document, NEW, job_id=job, percent=5)
    ends = (PromotedDocument(document_id=document.id, before=1, after=2, restored=3),)
    with here.writing("bob") as writer:
        writer.set_percent(promotion.id, 25, documents=promotion.documents, at=here.clock.now())
        writer.close_promotion(promotion.id, documents=ends, reason="worse", at=here.clock.now())
    assert here.go_on(job, 2, JobState.ROLLED_BACK)
    told = [event.kind for event in here.memory.history(document.id)]
    assert told == [
        "document_added",
        "feedback_given",
        "job_begun",
        "document_added",
        "promoted",
        "percent_changed",
        "rolled_back",
        "job_decided",
    ]
    assert [event.kind for event in here.memory.history(other.id)] == ["document_added"]
    assert here.memory.store.verify().is_whole
    with here.reading() as reader:
        assert all(event.episode_ids == () for event in reader.history(document.id))


def test_stats_count_what_holds(here: Evolving) -> None:
    document, other = here.add(), here.add("other.md")
    here.answered("When?", document)
    for name in ("ann", "bob"):
        here.said(document, by=name)
    here.withdraw("bob")
    first = str(here.begin(document))
    here.begin(other)
    here.go_on(first, 1, JobState.PROMOTED)
    gone = here.promote(document, job_id=first)
    here.promote(other, job_id="j")
    with here.writing() as writer:
        writer.close_promotion(gone.id, documents=gone.documents, reason="", at=here.clock.now())
    stats = here.memory.stats()
    assert (stats.answers, stats.feedback, stats.open_jobs, stats.promotions) == (1, 1, 1, 1)
