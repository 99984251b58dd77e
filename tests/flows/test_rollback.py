"""Rollbacks where something moved on: forgotten evidence and documents, earlier rollbacks, documents that a promotion made."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.domain.evolution import JobState, Operator, ProposedText
from evolore.errors import EvoloreError, InvalidValue, NotFound, StoreBusy
from evolore.evolution.settings import CanarySettings
from evolore.flows.evolve import rollback
from evolore.flows.evolve.log import JobLog
from evolore.flows.evolve.promote import Approval, promote
from evolving.canaries import HOW_LONG, crowd, reopened, waiting, with_canary
from evolving.complaints import BETTER, NEWS, PEOPLE, TEXT, complain, filled, open_memory, text_of
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.domain.document import Document
    from evolore.domain.evolution import Promotion
    from evolore.flows.context import Context
    from evolore.memory import Memory
    from evolore.ports import NewDocument

GIFTS = "# Gifts\n\nGifts are wrapped in blue paper by the desk.\n"
SHORT = "# News of May\n\nSee the gifts.\n"
LATER = BETTER.replace("at noon", "at ten")


def crossed(memory: Memory, job_id: str) -> Promotion:
    """Take over an extraction: two documents leave their common part to a third."""
    ids = {one.source: one.id for one in memory.list().documents}
    texts = (
        ProposedText(text=BETTER, document_id=ids["refunds.md"], base_version=1),
        ProposedText(text=SHORT, document_id=ids["news.md"], base_version=1),
        ProposedText(text=GIFTS, source="gifts.md", title="Gifts"),
    )
    return taken_over(memory, job_id, texts)


def taken_over(memory: Memory, job_id: str, texts: tuple[ProposedText, ...]) -> Promotion:
    log = JobLog(memory._context, job_id)
    candidate = replace(
        log.job.candidates[0], operator=Operator.CROSSOVER_EXTRACT, texts=texts, edits=tuple(() for _ in texts)
    )
    return promote(memory._context, log, candidate, Approval(texts=texts, by="boss"))


def followed(memory: Memory, job_id: str) -> tuple[Promotion, Promotion]:
    """Take over a change, and another that is made from it."""
    first = memory.evolution.approve(job_id).promotion
    assert first is not None
    (document,) = (one for one in memory.list().documents if one.source == "refunds.md")
    text = ProposedText(text=LATER, document_id=document.id, base_version=document.version)
    return first, taken_over(memory, job_id, (text,))


def is_sound(memory: Memory) -> bool:
    return memory.store.verify().is_whole and memory.store.doctor().is_whole


def test_what_it_rested_on_may_be_forgotten_and_it_rolls_back_all_the_same(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        memory.evolution.approve(job_id)
        memory.forget(document="news.md")
        back = memory.evolution.rollback(job_id, reason="no")
        assert text_of(memory) == TEXT
        assert len(back.reopened) == len(memory.evolution.feedback("refunds.md", unprocessed=True)) == len(PEOPLE)
        assert memory.evolution.show(job_id).state is JobState.ROLLED_BACK
        assert is_sound(memory)


def test_who_complained_may_be_erased_and_it_rolls_back_all_the_same(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        memory.evolution.approve(job_id)
        memory.questions.unlearn("ann", erase=True)
        back = memory.evolution.rollback(job_id, reason="no")
        assert text_of(memory) == TEXT
        assert len(back.reopened) == len(PEOPLE) - 1
        assert is_sound(memory)


def test_what_an_earlier_rollback_took_back_with_it_does_not_come_back(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        first, second = followed(memory, job_id)
        assert [one.id for one in memory.evolution.rollback(first.id, reason="wrong").descendants] == [second.id]
        version = memory.evolution.generations("refunds.md")[0].document.restored
        back = memory.evolution.rollback(second.id, reason="that too")
        assert text_of(memory) == TEXT
        assert [one.restored for one in back.promotion.documents] == [None]
        assert back.descendants == ()
        (document,) = (one for one in memory.list().documents if one.source == "refunds.md")
        assert document.version == version, "nothing was left of it, and nothing is written"
        assert is_sound(memory)


def test_control_the_last_goes_first_and_each_restores_what_was_before_it(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        first, second = followed(memory, job_id)
        memory.evolution.rollback(second.id, reason="wrong")
        assert text_of(memory) == BETTER
        memory.evolution.rollback(first.id, reason="that too")
        assert text_of(memory) == TEXT


def test_what_rests_on_what_was_taken_back_is_told_by_versions_and_not_by_a_clock(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        first, _ = followed(memory, job_id)
        later = memory._context.clock.now()
        with memory._context.store.write(memory.namespace) as writer:
            documents = tuple(replace(one, restored=4) for one in first.documents)
            writer.close_promotion(first.id, documents=documents, reason="by a slow clock", at=later.replace(year=2000))
        assert [one.rests_on_rolled_back for one in memory.evolution.generations("refunds.md")] == [False, True]


def test_of_a_crossover_the_documents_that_are_left_are_restored(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = crossed(memory, job_id)
        memory.forget(document="news.md")
        back = memory.evolution.rollback(promotion.id, reason="no")
        assert text_of(memory) == TEXT
        assert {one.source for one in memory.list().documents} == {"refunds.md"}
        assert [one.restored for one in back.promotion.documents] == [3, None, 0]
        assert is_sound(memory)


def test_where_every_document_of_it_was_forgotten_nothing_can_be_restored(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = crossed(memory, job_id)
        for source in ("refunds.md", "news.md"):
            memory.forget(document=source)
        with pytest.raises(NotFound, match="were forgotten"):
            memory.evolution.rollback(promotion.id, reason="no")
        assert text_of(memory, "gifts.md") == GIFTS


def test_the_common_part_of_an_extraction_may_be_forgotten_first(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        crossed(memory, job_id)
        memory.forget(document="gifts.md")
        memory.evolution.rollback(job_id, reason="no")
        assert (text_of(memory), text_of(memory, "news.md")) == (TEXT, NEWS)
        assert is_sound(memory)


def test_a_document_that_a_promotion_made_and_its_source_changed_is_not_erased(tmp_path: Path) -> None:
    own = "# Gifts\n\nWhat we say of gifts now.\n"
    with waiting(tmp_path) as (memory, job_id):
        crossed(memory, job_id)
        memory.add_text(own, source="gifts.md", media_type=MediaType.MARKDOWN)
        with pytest.raises(InvalidValue, match=r"gifts\.md was changed at its source"):
            memory.evolution.rollback(job_id, reason="no")
        assert (text_of(memory, "gifts.md"), text_of(memory)) == (own, BETTER)


def test_what_its_source_changes_while_it_is_rolled_back_is_not_erased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "# Gifts\n\nWhat we say of gifts now.\n"
    with waiting(tmp_path) as (memory, job_id):
        crossed(memory, job_id)
        ready = rollback.next_version

        def meanwhile(context: Context, text: ProposedText) -> NewDocument:
            memory.add_text(own, source="gifts.md", media_type=MediaType.MARKDOWN)
            return ready(context, text)

        monkeypatch.setattr(rollback, "next_version", meanwhile)
        with pytest.raises(StoreBusy, match="at this moment"):
            memory.evolution.rollback(job_id, reason="no")
        assert (text_of(memory, "gifts.md"), text_of(memory)) == (own, BETTER)


@pytest.mark.parametrize("verb", ["approve", "rollback"])
def test_of_two_that_decide_at_once_one_does(tmp_path: Path, verb: str) -> None:
    with waiting(tmp_path) as (memory, job_id), reopened(tmp_path, hours=2) as other:
        if verb == "rollback":
            memory.evolution.approve(job_id)
        both = Barrier(2)

        def decide(one: Memory) -> bool:
            both.wait()
            try:
                return bool(
                    one.evolution.approve(job_id) if verb == "approve" else one.evolution.rollback(job_id, reason="no")
                )
            except EvoloreError:
                return False

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(decide, (memory, other))) == [False, True]
        (promotion,) = memory.evolution.show(job_id).promotions
        assert promotion.documents[0].restored == (3 if verb == "rollback" else None)
        assert refunds(memory).version == (3 if verb == "rollback" else 2)
        assert is_sound(memory)


def test_a_rollback_that_erases_what_was_made_is_one_transaction_and_keeps_its_reason(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        crossed(memory, job_id)
        memory.evolution.rollback(job_id, reason="it reads worse")
        (promotion,) = memory.evolution.show(job_id).promotions
        assert (promotion.rollback_reason, memory.evolution.show(job_id).state) == (
            "it reads worse",
            JobState.ROLLED_BACK,
        )
        assert {one.source for one in memory.list().documents} == {"refunds.md", "news.md"}
        assert b"blue paper" not in b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
        assert is_sound(memory)


@pytest.mark.parametrize("text", ["\ufeff# Refunds\r\n\r\nx  \r\n\ttail\r", "x", "a\u2028\u0085\x0b", "\u3000x"])
def test_whatever_a_person_writes_is_kept_and_taken_back_byte_for_byte(tmp_path: Path, text: str) -> None:
    with waiting(tmp_path) as (memory, job_id):
        memory.evolution.approve(job_id, text=text)
        assert text_of(memory) == text
        memory.evolution.rollback(job_id, reason="no")
        assert text_of(memory) == TEXT
        assert is_sound(memory)


@pytest.mark.parametrize("text", ["", " \n", "\ud800 x", "a\x00b", "\u2028\u0085"])
def test_what_is_no_text_is_refused_and_nothing_is_written(tmp_path: Path, text: str) -> None:
    with waiting(tmp_path) as (memory, job_id):
        with pytest.raises(InvalidValue):
            memory.evolution.approve(job_id, text=text)
        assert (text_of(memory), memory.evolution.show(job_id).state) == (TEXT, JobState.WAITING)


@pytest.mark.parametrize("canary", [False, True])
def test_what_a_document_is_filed_under_outlives_promotion_and_rollback(tmp_path: Path, *, canary: bool) -> None:
    halves = with_canary(CanarySettings(stages=(50, 100), least_questions=1))
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=halves) as memory:
        filled(memory)
        document = memory.add_text(
            TEXT,
            source="refunds.md",
            media_type=MediaType.MARKDOWN,
            metadata={"team": "desk"},
            tags=["money"],
            title="My own title",
        )
        complain(memory, document)
        before = refunds(memory)
        (job,) = memory.evolve()
        promotion = memory.evolution.approve(job.id, canary=canary).promotion
        assert promotion is not None
        if canary:
            for who in crowd(promotion, percent=50, new=4):
                memory.answer(HOW_LONG, principal=who)
            memory.evolution.canary(promotion.id, grow=True)
        after = refunds(memory)
        assert after.content_sha256 != before.content_sha256
        assert (after.metadata, after.tags, after.title) == (before.metadata, before.tags, before.title)
        memory.evolution.rollback(job.id, reason="no")
        back = refunds(memory)
        assert (back.metadata, back.tags, back.title) == (before.metadata, before.tags, before.title)
        assert back.content_sha256 == before.content_sha256


def refunds(memory: Memory) -> Document:
    return next(one for one in memory.list().documents if one.source == "refunds.md")
