"""Canaries: a new text before some people, beside the old one, until it is before everybody or nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.domain.evolution import JobState
from evolore.errors import InvalidValue, NotFound
from evolore.evolution.canary import CanaryStatus
from evolore.evolution.settings import CanarySettings
from evolore.flows.evolve.canary import running_canaries, stop
from evolving.canaries import HOW_LONG, QUICK, ask, begun, crowd, people, reopened, waiting
from evolving.complaints import BETTER, TEXT, text_of
from evolving.scripted import NEW, OLD

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory


def shadows_of(memory: Memory) -> list[str]:
    with memory._context.store.read(memory.namespace) as reader:
        return [one.document_id for one in reader.shadows()]


def test_a_canary_is_before_its_share_of_people_and_the_document_stays(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        assert memory.evolution.show(job_id).state is JobState.CANARY
        assert (promotion.percent, promotion.documents[0].after) == (20, None)
        assert text_of(memory) == TEXT
        new, old = people(promotion, is_new=True, count=3), people(promotion, is_new=False, count=3)
        assert all(NEW in ask(memory, who) for who in new)
        assert all(OLD in ask(memory, who) for who in old)
        assert OLD in ask(memory, None)


def test_answers_say_which_text_they_were_made_from(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        assert memory.answer(HOW_LONG, principal="x").canaries == ()
        promotion = begun(memory, job_id)
        (new,), (old,) = people(promotion, is_new=True, count=1), people(promotion, is_new=False, count=1)
        told = {who: memory.answer(HOW_LONG, principal=who) for who in (new, old)}
        assert told[new].canaries == ((promotion.id, True),)
        assert told[old].canaries == ((promotion.id, False),)
        assert told[new].citations[0].source == told[old].citations[0].source == "refunds.md"


def test_a_person_brings_it_further_and_before_everybody_as_one_generation(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        for percent, following in ((20, 50), (50, None)):
            with pytest.raises(InvalidValue, match="wait for"):
                memory.evolution.canary(promotion.id, grow=True)
            for who in crowd(promotion, percent=percent):
                ask(memory, who)
            shown = memory.evolution.canary(promotion.id)
            assert (shown.percent, shown.next_percent) == (percent, following or 100)
            assert memory.evolution.canaries(step=True) == ()
            memory.evolution.canary(promotion.id, principal="boss", grow=True)
        assert text_of(memory) == BETTER
        assert memory.evolution.show(job_id).state is JobState.PROMOTED
        (generation,) = memory.evolution.generations("refunds.md")
        assert (generation.before, generation.after) == (TEXT, BETTER)
        assert generation.promotion.percent == 100
        assert not shadows_of(memory)
        assert NEW in ask(memory, None)
        assert not memory.evolution.canary(promotion.id).is_running
        assert memory.evolution.canaries() == ()


def test_it_grows_by_itself_where_that_is_set(tmp_path: Path) -> None:
    with waiting(tmp_path, CanarySettings(stages=(20, 50, 100), least_questions=6, grows_by_itself=True)) as (
        memory,
        job_id,
    ):
        promotion = begun(memory, job_id)
        for percent in (20, 50):
            for who in crowd(promotion, percent=percent):
                ask(memory, who)
            assert [one.id for one in memory.maintain().canaries] == [promotion.id]
        assert text_of(memory) == BETTER


def test_a_text_that_is_rated_worse_is_taken_from_everybody_by_the_rating_that_proves_it(tmp_path: Path) -> None:
    with waiting(tmp_path, CanarySettings(stages=(20, 100))) as (memory, job_id):
        promotion = begun(memory, job_id)
        new, old = people(promotion, is_new=True), people(promotion, is_new=False, count=160)
        taken = memory.evolution.feedback("refunds.md")
        for number, who in enumerate(new):
            for other in old[4 * number : 4 * number + 4]:
                ask(memory, other)
            if not memory.evolution.canaries():
                break
            ask(memory, who, bad=True)
        job = memory.evolution.show(job_id)
        assert (job.state, "rated BAD more often" in job.closing) == (JobState.WAITING, True)
        assert text_of(memory) == TEXT
        assert all(OLD in ask(memory, who) for who in new[:3])
        assert not shadows_of(memory)
        assert memory.evolution.feedback("refunds.md") == taken, "the complaints stay taken up"
        assert memory.evolution.generations("refunds.md") == ()
        shown = memory.evolution.canary(promotion.id)
        assert shown.result is not None
        assert (shown.is_running, shown.result.status) == (False, CanaryStatus.TRIPPED)
        assert shown.result.canary.rated.bad == shown.result.canary.rated.asked > 2
        again = begun(memory, job_id)
        assert again.id != promotion.id
        assert memory.evolution.canary(again.id).is_running
        assert not memory.evolution.canary(promotion.id).is_running


def test_a_text_that_is_as_good_is_left_before_people(tmp_path: Path) -> None:
    with waiting(tmp_path, CanarySettings(stages=(20, 100))) as (memory, job_id):
        promotion = begun(memory, job_id)
        for number, who in enumerate(people(promotion, is_new=True, count=12)):
            ask(memory, who, bad=number % 4 == 0)
        for number, who in enumerate(people(promotion, is_new=False, count=36)):
            ask(memory, who, bad=number % 4 == 0)
        assert memory.evolution.canary(promotion.id).is_running


def test_one_person_cannot_take_it_from_the_others(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        (angry,) = people(promotion, is_new=True, count=1)
        for who in people(promotion, is_new=False, count=30):
            ask(memory, who)
        for number in range(20):
            ask(memory, angry, bad=True, question=f"how long do refunds take in case {number}?")
        shown = memory.evolution.canary(promotion.id)
        assert shown.is_running
        assert shown.result is not None
        assert shown.result.canary.rated.asked == 2


def test_what_others_rate_does_not_count_for_who_asked(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        (who,) = people(promotion, is_new=True, count=1)
        answer = memory.answer(HOW_LONG, principal=who)
        memory.rate(answer.id, "bad", principal="somebody else")
        shown = memory.evolution.canary(promotion.id)
        assert shown.result is not None
        assert (shown.result.canary.rated.asked, shown.result.canary.rated.bad) == (1, 0)
        memory.rate(answer.id, "bad", principal=who)
        shown = memory.evolution.canary(promotion.id)
        assert shown.result is not None
        assert shown.result.canary.rated.bad == 1


def test_rolling_a_canary_back_takes_it_from_everybody_and_opens_its_feedback(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        (who,) = people(promotion, is_new=True, count=1)
        assert NEW in ask(memory, who)
        done = memory.evolution.rollback(job_id, reason="not now")
        assert (done.promotion.percent, done.promotion.rollback_reason) == (0, "not now")
        assert (
            set(done.reopened) == {one.id for one in memory.evolution.feedback("refunds.md", unprocessed=True)} != set()
        )
        assert memory.evolution.show(job_id).state is JobState.ROLLED_BACK
        assert OLD in ask(memory, who)
        with pytest.raises(InvalidValue, match="already"):
            memory.evolution.rollback(promotion.id, reason="again")
        with pytest.raises(InvalidValue, match="is over"):
            memory.evolution.canary(promotion.id, grow=True)


def test_where_the_document_changes_meanwhile_the_canary_ends(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        memory.add_text(TEXT.replace("noon", "one"), source="refunds.md", media_type=MediaType.MARKDOWN)
        assert [one.id for one in memory.evolution.canaries(step=True)] == [promotion.id]
        assert memory.evolution.show(job_id).state is JobState.SUPERSEDED
        assert memory.evolution.feedback("refunds.md", unprocessed=True)
        assert not shadows_of(memory)
        assert "at one" in text_of(memory)


def test_forgetting_the_document_forgets_its_text_on_trial(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        (who,) = people(promotion, is_new=True, count=1)
        ask(memory, who)
        memory.forget(document="refunds.md")
        assert not shadows_of(memory)
        assert all(NEW not in hit.text for hit in memory.recall(HOW_LONG, principal=who).hits)
        assert memory.evolution.canaries() == ()
        assert memory.maintain().canaries == ()
        assert memory.store.verify().is_whole
        with pytest.raises((InvalidValue, NotFound)):
            memory.evolution.canary(promotion.id)


def test_a_text_on_trial_is_no_document_of_its_own(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        listed, counted = memory.list().documents, memory.stats()
        begun(memory, job_id)
        assert memory.list().documents == listed
        now = memory.stats()
        assert (now.documents, now.chunks, now.characters) == (counted.documents, counted.chunks, counted.characters)
        assert memory.evolve() == ()


def test_a_source_that_is_kept_for_texts_on_trial_is_refused(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, _), pytest.raises(InvalidValue, match="kept for texts on trial"):
        memory.add_text("Mine.", source="canary:x/refunds.md")


def test_what_is_said_of_a_text_on_trial_counts_for_it_once_it_is_before_everybody(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        (angry, *_) = people(promotion, is_new=True, count=1)
        for percent in (20, 50):
            for who in crowd(promotion, percent=percent):
                ask(memory, who, bad=(who, percent) == (angry, 20))
            memory.evolution.canary(promotion.id, grow=True)
        (said,) = memory.evolution.feedback("refunds.md", unprocessed=True)
        assert (said.principal, said.version) == (angry, memory.list().documents[0].version)


def test_approving_begins_a_canary_where_that_is_set(tmp_path: Path) -> None:
    with waiting(tmp_path, CanarySettings(is_default=True)) as (memory, job_id):
        done = memory.evolution.approve(job_id)
        assert (done.job.state, done.promotion and done.promotion.percent) == (JobState.CANARY, 5)


def test_control_that_approving_does_not_begin_one_otherwise(tmp_path: Path) -> None:
    with waiting(tmp_path, QUICK) as (memory, job_id):
        assert memory.evolution.approve(job_id).job.state is JobState.PROMOTED
        with pytest.raises(InvalidValue, match="before everybody at once"):
            memory.evolution.canary(job_id)


def test_answers_count_also_where_a_clock_was_set_back_since(tmp_path: Path) -> None:
    with waiting(tmp_path), reopened(tmp_path, hours=9) as memory:
        (job,) = memory.evolution.jobs()
        promotion = begun(memory, job.id)
    with reopened(tmp_path, hours=2) as memory:
        for who in crowd(promotion, percent=20):
            ask(memory, who)
        assert answered_from_new(memory, promotion.id) == 8


def test_a_second_canary_of_a_job_is_the_one_that_goes_on_whatever_the_clock_says(tmp_path: Path) -> None:
    with waiting(tmp_path), reopened(tmp_path, hours=9) as memory:
        (job,) = memory.evolution.jobs()
        first = begun(memory, job.id)
        with memory._context.store.read(memory.namespace) as reader:
            (state,) = running_canaries(reader)
        stop(memory._context, state, JobState.WAITING, reason="the first")
    with reopened(tmp_path, hours=2) as memory:
        second = begun(memory, job.id)
        assert [one.id for one in memory.evolution.canaries()] == [second.id]
        assert memory.evolution.canary(job.id).id == second.id
        assert (memory.evolution.canary(first.id).reason, memory.evolution.canary(second.id).reason) == (
            "the first",
            "",
        )
        memory.evolution.rollback(job.id, reason="the second")
        assert (memory.evolution.canary(first.id).reason, memory.evolution.canary(second.id).reason) == (
            "the first",
            "the second",
        )
        assert memory.evolution.show(job.id).state is JobState.ROLLED_BACK


def answered_from_new(memory: Memory, promotion_id: str) -> int:
    result = memory.evolution.canary(promotion_id).result
    assert result is not None
    return result.canary.rated.asked
