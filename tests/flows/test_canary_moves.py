"""Moves of canaries: whole or not at all, by one process at a time, for all documents of a promotion together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import BytesIO
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.domain.evolution import JobState, Operator, ProposedText
from evolore.domain.outcome import Rating
from evolore.errors import EvoloreError, InvalidValue, StoreBusy
from evolore.evolution.settings import CanarySettings
from evolore.flows.evolve.canary import begin, running_canaries, stop
from evolore.flows.evolve.log import JobLog
from evolore.flows.evolve.promote import Approval, Moved
from evolore.store import database
from evolving.canaries import HOW_LONG, QUICK, ask, begun, crowd, people, reopened, waiting
from evolving.complaints import BETTER, NEWS, TEXT, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from evolore.domain.evolution import Promotion
    from evolore.memory import Memory
    from evolore.store.database import FaultPoint

GIFTS = "# Gifts\n\nGifts are wrapped in blue paper by the desk.\n"
SHORT = "# News of May\n\nSee the gifts.\n"


class Killed(BaseException):
    """Stands for the end of a process."""


@pytest.fixture
def killing() -> Iterator[Callable[[int], None]]:
    """Give what has everything end at the n-th point that a write reaches."""
    left = [0]

    def hear(point: FaultPoint) -> None:
        del point
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    def at(number: int) -> None:
        left[0] = number

    database.listeners.append(hear)
    yield at
    database.listeners.remove(hear)


def fill(memory: Memory, promotion: Promotion, *, percent: int, bad: bool = False) -> None:
    new = set(people(promotion, is_new=True, percent=percent, count=100))
    for who in crowd(promotion, percent=percent, new=30 if bad else 8):
        answer = memory.answer(HOW_LONG, principal=who)
        if bad and who in new:
            with memory._context.store.write(memory.namespace, principal=who) as writer:
                assert answer.query_id is not None
                writer.rate_query(answer.query_id, Rating.BAD, comment=None, at=memory._context.clock.now())


def stands(memory: Memory, job_id: str) -> tuple[JobState, int, int, int, str]:
    """Say where all that a move touches stands, and check that it fits together."""
    job = memory.evolution.show(job_id)
    with memory._context.store.read(memory.namespace) as reader:
        shadows = reader.shadows()
    last = job.promotions[-1] if job.promotions else None
    percent = 0 if last is None else last.percent
    assert bool(shadows) == (job.state is JobState.CANARY) == (0 < percent < 100)
    assert (job.state is JobState.PROMOTED) == (percent == 100) == (text_of(memory) == BETTER)
    assert memory.store.verify().is_whole
    return job.state, len(job.promotions), len(shadows), percent, text_of(memory)


def ended(
    memory: Memory, job_id: str, killing: Callable[[int], None], move: Callable[[], object]
) -> tuple[JobState, int, int, int, str]:
    """Kill a move at its first point, its second, and so on, until it is done; say where all stands then."""
    before = stands(memory, job_id)
    for number in range(1, 60):
        killing(number)
        with suppress(Killed):
            move()
        killing(0)
        if stands(memory, job_id) != before:
            assert number > 3
            return stands(memory, job_id)
    raise AssertionError(before)


def test_a_move_that_is_killed_leaves_either_stage_whole(tmp_path: Path, killing: Callable[[int], None]) -> None:
    with waiting(tmp_path, CanarySettings(stages=(50, 60, 100), least_questions=6)) as (memory, job_id):
        assert ended(memory, job_id, killing, lambda: memory.evolution.approve(job_id, canary=True))[3] == 50
        for percent, following in ((50, 60), (60, 100)):
            (promotion,) = memory.evolution.show(job_id).promotions
            fill(memory, promotion, percent=percent)
            told = ended(memory, job_id, killing, lambda: memory.evolution.canary(promotion.id, grow=True))  # noqa: B023 - called at once
            assert told[3] == following


def test_taking_back_that_is_killed_is_done_next_time(tmp_path: Path, killing: Callable[[int], None]) -> None:
    with waiting(tmp_path, CanarySettings(stages=(50, 100))) as (memory, job_id):
        promotion = begun(memory, job_id)
        fill(memory, promotion, percent=50, bad=True)
        assert ended(memory, job_id, killing, partial(memory.evolution.canaries, step=True))[:1] == (JobState.WAITING,)


def test_of_two_processes_one_moves_a_canary(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id), reopened(tmp_path, hours=2) as other:
        promotion = begun(memory, job_id)
        fill(memory, promotion, percent=20)
        both = Barrier(2)

        def grow(one: Memory) -> int:
            both.wait()
            try:
                return one.evolution.canary(promotion.id, grow=True).percent
            except EvoloreError:
                return 0

        with ThreadPoolExecutor(2) as pool:
            told = list(pool.map(grow, (memory, other)))
        assert sorted(told) == [0, 50]
        assert other.evolution.canary(promotion.id).percent == memory.evolution.canary(promotion.id).percent == 50


def test_what_was_read_before_another_moved_moves_nothing(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        begun(memory, job_id)
        with memory._context.store.read(memory.namespace) as reader:
            (state,) = running_canaries(reader)
        memory.evolution.rollback(job_id, reason="no")
        with pytest.raises((StoreBusy, InvalidValue)):
            stop(memory._context, state, JobState.WAITING, reason="late")
        assert memory.evolution.show(job_id).state is JobState.ROLLED_BACK


@pytest.fixture
def crossed(tmp_path: Path) -> Iterator[tuple[Memory, str, Promotion]]:
    """Give a memory with a canary of two documents that leave their common part to a third."""
    with waiting(tmp_path, replace(QUICK, stages=(50, 100))) as (memory, job_id):
        log = JobLog(memory._context, job_id)
        ids = {one.source: one.id for one in memory.list().documents}
        texts = (
            ProposedText(text=BETTER, document_id=ids["refunds.md"], base_version=1),
            ProposedText(text=SHORT, document_id=ids["news.md"], base_version=1),
            ProposedText(text=GIFTS, source="gifts.md", title="Gifts"),
        )
        candidate = replace(log.job.candidates[0], operator=Operator.CROSSOVER_EXTRACT, texts=texts, edits=((), (), ()))
        yield memory, job_id, begin(memory._context, log, candidate, Approval(texts=texts, by="boss"))


def found(memory: Memory, who: str | None) -> set[str]:
    return {hit.text for hit in memory.recall("gifts refunds news May", principal=who, limit=20).hits}


def test_all_documents_of_a_promotion_are_on_trial_together(crossed: tuple[Memory, str, Promotion]) -> None:
    memory, _, promotion = crossed
    new, old = (people(promotion, is_new=is_new, percent=50, count=1)[0] for is_new in (True, False))
    assert found(memory, new) == {BETTER, SHORT, GIFTS}
    assert found(memory, old) == found(memory, None) == {TEXT, NEWS}
    assert {one.source for one in memory.list().documents} == {"refunds.md", "news.md"}


def test_all_documents_of_a_promotion_come_before_everybody_together(crossed: tuple[Memory, str, Promotion]) -> None:
    memory, job_id, promotion = crossed
    fill(memory, promotion, percent=50)
    memory.evolution.canary(promotion.id, grow=True)
    assert found(memory, None) == {BETTER, SHORT, GIFTS}
    assert {one.source for one in memory.list().documents} == {"refunds.md", "news.md", "gifts.md"}
    memory.evolution.rollback(job_id, reason="no")
    assert found(memory, None) == {TEXT, NEWS}


def test_all_documents_of_a_promotion_are_taken_back_together(crossed: tuple[Memory, str, Promotion]) -> None:
    memory, job_id, promotion = crossed
    memory.evolution.rollback(job_id, reason="no")
    (new,) = people(promotion, is_new=True, percent=50, count=1)
    assert found(memory, new) == {TEXT, NEWS}
    assert memory.evolution.show(job_id).promotions[0].rollback_reason == "no"


@pytest.mark.parametrize("source", ["refunds.md", "news.md"])
def test_where_one_document_is_forgotten_no_text_on_trial_is_left(
    crossed: tuple[Memory, str, Promotion], source: str
) -> None:
    memory, _, promotion = crossed
    memory.forget(document=source)
    (new,) = people(promotion, is_new=True, percent=50, count=1)
    assert found(memory, new) == {TEXT, NEWS} - {TEXT if source == "refunds.md" else NEWS}


def test_what_should_be_new_and_is_there_begins_nothing(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        memory.add_text(GIFTS, source="gifts.md", media_type=MediaType.MARKDOWN)
        log = JobLog(memory._context, job_id)
        texts = (ProposedText(text=GIFTS, source="gifts.md", title="Gifts"),)
        with pytest.raises(Moved):
            begin(memory._context, log, log.job.candidates[0], Approval(texts=texts, by=None))
        assert memory.evolution.canaries() == ()


def test_a_canary_goes_on_where_its_memory_was_exported_to(tmp_path: Path) -> None:
    with waiting(tmp_path / "here") as (memory, job_id):
        promotion = begun(memory, job_id)
        fill(memory, promotion, percent=20)
        stream = BytesIO()
        memory.store.export(stream)
        (tmp_path / "there").mkdir()
        with reopened(tmp_path / "there", hours=2) as there:
            stream.seek(0)
            there.store.import_(stream)
            assert there.evolution.canary(promotion.id) == memory.evolution.canary(promotion.id)
            for who in crowd(promotion, percent=20)[:6]:
                assert ask(there, who) == ask(memory, who)
            assert there.list().documents == memory.list().documents


def test_what_examines_a_store_finds_nothing_wrong_with_a_canary(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        fill(memory, promotion, percent=20)
        assert memory.store.doctor().findings == ()
        memory.evolution.canary(promotion.id, grow=True)
        memory.evolution.rollback(promotion.id, reason="no")
        assert memory.store.doctor().findings == ()
