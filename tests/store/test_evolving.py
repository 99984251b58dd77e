from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from evolore.domain.evolution import JobState, PromotedDocument, Step
from evolore.errors import InvalidValue, NotFound
from store.evolving import BAD, GOOD, NEW, OLD, Evolving

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from evolore.domain.evolution import StepValue


@pytest.fixture
def here(tmp_path: Path) -> Generator[Evolving]:
    made = Evolving(tmp_path / "s")
    yield made
    made.close()


def test_the_text_of_every_version_is_what_was_added(here: Evolving) -> None:
    first = here.add()
    second = here.add(text=NEW)
    assert (first.version, second.version) == (1, 2)
    assert [here.text(first, number) for number in (None, 1, 2, 3)] == [NEW, OLD, NEW, None]
    with here.reading() as reader:
        assert reader.document_text("nowhere") is None


def test_an_answer_is_read_back_as_it_was_given(here: Evolving) -> None:
    answer = here.answered("When does the backup run?", here.add(), principal="ann")
    with here.reading() as reader:
        assert reader.answer(answer.id) == answer
        assert reader.resolve_answer(answer.id[:12]) == (answer.id,)
        assert reader.answer("nothing") is None


def test_an_answer_that_rests_on_what_was_forgotten_is_left_out(here: Evolving) -> None:
    document = here.add()
    answer = here.answered("When does the backup run?", document)
    here.memory.forget(document.id)
    with here.writing() as writer:
        writer.put_answer(answer, at=here.clock.now())
    with here.reading() as reader:
        assert reader.answer(answer.id) is None


def test_one_person_is_counted_once_for_one_answer_and_once_for_a_document(here: Evolving) -> None:
    document = here.add()
    answer = here.answered("When does the backup run?", document)
    for _ in range(50):
        here.said(document, by="ann", query_id=answer.query_id)
    here.said(document, by="ann")
    here.said(document)
    assert len(here.feedback(document)) == 3
    assert here.rated(2) == (document.id,)
    assert here.rated(3) == ()
    here.said(document, by="bob")
    assert here.rated(3) == (document.id,)


def test_feedback_names_the_version_and_the_question_that_were_rated(here: Evolving) -> None:
    first = here.add()
    answer = here.answered("When does the backup run?", first)
    second = here.add(text=NEW)
    here.said(second, by="ann", query_id=answer.query_id, comment="out of date")
    here.said(second, GOOD, by="ann")
    of_answer, itself = here.feedback(second)
    assert (of_answer.version, of_answer.question, of_answer.comment) == (1, answer.question, "out of date")
    assert (itself.version, itself.question, itself.rating) == (2, None, GOOD)


def test_saying_the_same_again_leaves_feedback_processed_and_anything_else_opens_it(here: Evolving) -> None:
    document = here.add()
    first = here.said(document, by="ann", comment="old")
    with here.writing() as writer:
        writer.set_processed([first], "job")
    assert here.said(document, by="ann", comment="old") == first
    assert here.feedback(document, unprocessed=True) == ()
    assert here.said(document, by="ann", comment="older still") != first
    assert len(here.feedback(document, unprocessed=True)) == 1


def test_feedback_that_a_job_took_up_is_no_other_jobs(here: Evolving) -> None:
    id_ = here.said(here.add(), by="ann")
    for job_id in ("first", "second"):
        with here.writing() as writer:
            writer.set_processed([id_], job_id)
    with here.reading() as reader:
        assert [one.id for one in reader.feedback(job_id="first")] == [id_]
        assert reader.feedback(job_id="second") == ()
    with here.writing() as writer:
        writer.reopen_feedback("first")
    assert [one.id for one in here.feedback(unprocessed=True)] == [id_]


def test_what_is_taken_over_is_opened_again_by_the_job_that_has_it_alone(here: Evolving) -> None:
    id_ = here.said(here.add(), by="ann")
    with here.writing() as writer:
        writer.set_processed([id_], "first")
        writer.set_processed([id_], "second", is_taken_over=True)
        assert writer.reopen_feedback("first") == ()
    assert here.feedback(unprocessed=True) == ()
    with here.writing() as writer:
        assert writer.reopen_feedback("second") == (id_,)
    assert [one.id for one in here.feedback(unprocessed=True)] == [id_]


def test_feedback_on_nothing_is_refused(here: Evolving) -> None:
    document = here.add()
    with pytest.raises(NotFound, match="No question has the id 'none'"):
        here.said(document, query_id="none")
    here.memory.forget(document.id)
    with pytest.raises(NotFound, match="No document has the id"):
        here.said(document)


def test_documents_of_an_open_job_are_left_out_of_those_that_are_rated(here: Evolving) -> None:
    document, other = here.add(), here.add("other.md")
    for one in (document, other):
        here.said(one, by="ann")
    here.said(other, by="bob")
    assert here.rated() == (other.id, document.id)
    job = here.begin(document)
    assert job is not None
    assert here.rated() == (other.id,)
    assert here.go_on(job, 1, JobState.ORIGINAL_STAYS)
    assert here.rated() == (other.id, document.id)


def test_a_job_begins_on_documents_as_they_are_and_once(here: Evolving) -> None:
    document, other = here.add(), here.add("other.md")
    job = here.begin(other, document)
    assert here.begin(document) is None
    stale = here.add("third.md")
    here.add("third.md", NEW)
    assert here.begin(stale) is None
    with here.reading() as reader:
        record = reader.job(str(job))
        assert record is not None
        assert [base.document_id for base in record.bases] == [other.id, document.id]
        assert (record.state, record.steps, record.seed) == (JobState.RUNNING, 0, "7")
        assert reader.resolve_job(record.id[:12]) == (record.id,)
        assert reader.jobs() == reader.jobs(document_id=document.id) == reader.jobs(states=[JobState.RUNNING])
        assert reader.jobs(states=[JobState.WAITING]) == ()
    with pytest.raises(InvalidValue, match="each once"):
        here.begin(stale, stale)


def test_steps_go_on_where_the_last_one_stands(here: Evolving) -> None:
    job = str(here.begin(here.add()))
    body: dict[str, StepValue] = {"b": ["ä", 1.5, None], "a": {"y": True, "x": "\ud800"}}
    assert here.go_on(job, 1, None, **body)
    assert not here.go_on(job, 1)
    assert not here.go_on(job, 3)
    assert here.go_on(job, 2, JobState.WAITING)
    assert not here.go_on("nothing", 1)
    with here.reading() as reader:
        first, second = reader.steps(job)
        assert (first.body, second.number) == (body, 2)
        record = reader.job(job)
        assert record is not None
        assert (record.steps, record.state) == (2, JobState.WAITING)


@pytest.mark.parametrize("numbers", [(), (1, 3), (2, 1)])
def test_steps_that_do_not_follow_each_other_are_refused(here: Evolving, numbers: tuple[int, ...]) -> None:
    job = str(here.begin(here.add()))
    at = here.clock.now()
    steps = [Step(number=number, kind="tried", body={}, at=at) for number in numbers]
    with here.writing() as writer, pytest.raises(InvalidValue, match="use at least one, each behind"):
        writer.append_steps(job, steps, at=at)
    with here.writing() as writer, pytest.raises(InvalidValue, match="cannot be written as JSON"):
        writer.append_steps(job, [Step(number=1, kind="tried", body={"x": float("nan")}, at=at)], at=at)


def test_a_promotion_is_one_transaction_with_its_document(here: Evolving) -> None:
    document = here.add()
    promotion = here.promote(document)
    assert (here.text(document), here.text(document, 1)) == (NEW, OLD)
    with here.reading() as reader:
        assert reader.promotion(promotion.id) == promotion
        assert reader.promotions(document_id=document.id) == (promotion,) == reader.promotions(job_id="j")
        assert reader.promotions(job_id="other") == ()
        assert reader.resolve_promotion(promotion.id[:12]) == (promotion.id,)


def test_a_promotion_is_taken_back_once(here: Evolving) -> None:
    document = here.add()
    promotion = here.promote(document, percent=5)
    ends = (PromotedDocument(document_id=document.id, before=1, after=2, restored=3),)
    with here.writing("bob") as writer:
        writer.set_percent(promotion.id, 25, documents=promotion.documents, at=here.clock.now())
        writer.close_promotion(promotion.id, documents=ends, reason="worse", at=here.clock.now())
    with here.reading() as reader:
        found = reader.promotion(promotion.id)
        assert found is not None
        assert (found.percent, found.documents, found.rolled_back_by) == (25, ends, "bob")
        assert found.rolled_back_at is not None
    with here.writing() as writer, pytest.raises(InvalidValue, match="was taken back"):
        writer.close_promotion(promotion.id, documents=ends, reason="worse", at=here.clock.now())
    with here.writing() as writer, pytest.raises(NotFound, match="No promotion"):
        writer.set_percent("none", 50, documents=(), at=here.clock.now())
    with here.writing() as writer, pytest.raises(InvalidValue, match="use 0 to 100"):
        writer.set_percent(promotion.id, 101, documents=(), at=here.clock.now())


def test_a_file_that_is_as_it_was_leaves_what_was_promoted_since(here: Evolving) -> None:
    document = here.add()
    here.promote(document)
    assert here.add().version == 2
    assert here.text(document) == NEW
    assert here.add(text=OLD + "More.\n").version == 3
    assert here.text(document) == OLD + "More.\n"


def test_a_source_that_takes_a_promoted_text_over_may_go_back_later(here: Evolving) -> None:
    document = here.add()
    here.promote(document)
    here.add(text=NEW)
    here.add(text=OLD)
    assert here.text(document) == OLD


def test_ids_that_are_asked_for_rise(here: Evolving) -> None:
    here.add()
    with here.writing() as writer:
        ids = [writer.new_id() for _ in range(100)]
    assert ids == sorted(set(ids))


def test_figures_are_those_of_the_moment_whatever_was_counted_before(here: Evolving) -> None:
    def figures() -> tuple[dict[str, int], tuple[int, int, int], tuple[tuple[int, int], ...]]:
        with here.reading() as reader:
            return reader.counts(), reader.feedback_counts(), reader.ratings_since([date(2020, 1, 1)])

    document, other = here.add(), here.add("other.md")
    assert figures()[1] == (0, 0, 0)
    here.said(document, by="ann")
    counts, *rated = figures()
    assert (counts["feedback"], counts["documents"], rated) == (1, 2, [(0, 1, 1), ((0, 1),)])
    with here.writing() as writer:
        writer.set_processed([one.id for one in here.feedback(document)], "job")
    assert figures()[1] == (0, 1, 0)
    with here.writing("ben") as writer:
        assert writer.feedback_counts() == (0, 1, 0)
        writer.put_feedback(other.id, GOOD, query_id=None, comment=None, at=here.clock.now())
        assert (writer.feedback_counts(), writer.counts()["feedback"]) == ((1, 1, 0), 2)
    assert figures()[1:] == ((1, 1, 0), ((1, 1),))
    with here.reading() as reader:
        assert reader.ratings_since([date(2020, 1, 1), date(2999, 1, 1)]) == ((1, 1), (0, 0))
    here.memory.forget(other.id)
    counts, *rated = figures()
    assert (counts["feedback"], counts["documents"], rated) == (1, 1, [(0, 1, 0), ((0, 1),)])
    here.memory.forget(everything=True)
    counts, *rated = figures()
    assert (set(counts.values()), rated) == ({0}, [(0, 0, 0), ((0, 0),)])


def test_the_most_rated_document_comes_first_and_good_ratings_do_not_count(here: Evolving) -> None:
    few, many = here.add(), here.add("other.md")
    here.said(few, by="ann")
    here.said(few, GOOD, by="bob")
    for name in ("ann", "bob", "cid"):
        here.said(many, BAD, by=name)
    assert here.rated() == (many.id, few.id)
    assert here.rated(2) == (many.id,)
