from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from evolore.chunking.review import broken_reason, whole_note
from evolore.config import Settings
from evolore.domain.review import Priority, Resolution, ReviewCategory, ReviewStatus
from evolore.episodes.settings import MaintenanceSettings
from evolore.errors import ChatModelMissing, InvalidValue, NotFound
from evolore.flows.check_chunks import Reread
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evolore.domain.chat import ChatRequest
    from evolore.jobs.clock import SteppingClock

PAGE = "\n\n".join(
    f"Part {number} tells of {word}. " + f"The {word} is old. " * 30
    for number, word in enumerate(("ovens", "mills", "boats", "lamps", "stones", "roads"))
)


def judging(
    is_whole: Callable[[str], bool], *, reason: str = "It breaks off.", suggestion: str = "Join it."
) -> Callable[[ChatRequest], str]:
    def reply(request: ChatRequest) -> str:
        passages = json.loads(request.messages[-1].text.split("\n")[1])["passages"]
        verdicts = [
            {"number": one["number"], "whole": is_whole(one["text"]), "reason": reason, "suggestion": suggestion}
            for one in passages
        ]
        return json.dumps({"verdicts": verdicts})

    return reply


def opened(store: Path, clock: SteppingClock, model: ScriptedChatModel | None) -> Memory:
    return Memory.open(store, embedder=HashingEmbedder(), clock=clock, settings=Settings(), chat_model=model)


def test_what_is_found_broken_is_filed_and_nothing_is_cut(store_path: Path, clock: SteppingClock) -> None:
    model = ScriptedChatModel([judging(lambda text: "mills" not in text)])
    with opened(store_path, clock, model) as memory:
        memory.add_text(PAGE, source="page.txt")
        before = memory.outline.tree("page.txt")
        found = memory.review.check_chunks(sample=100, calls=100)
        assert memory.outline.tree("page.txt") == before
        assert found.whole + found.broken == found.chunks == before.document.episode_count
        assert found.broken >= 1
        assert not found.skips
        assert found.filed == memory.review.list(category="wholeness")
        item = found.filed[0]
        assert item.category is ReviewCategory.WHOLENESS
        assert item.priority is Priority.LOW
        assert "It breaks off." in item.reason
        assert item.suggestion == "Join it."
        assert item.source == "page.txt"
        assert item.span is not None
        assert "mills" in item.span.of(PAGE)
        assert found.usage.calls == model.calls == -(-found.chunks // 5)


def test_a_finding_is_filed_once_and_a_resolved_one_does_not_come_back(store_path: Path, clock: SteppingClock) -> None:
    with opened(store_path, clock, ScriptedChatModel([judging(lambda _: False)])) as memory:
        memory.add_text(PAGE, source="page.txt")
        first = memory.review.check_chunks(sample=100, calls=100)
        memory.review.resolve(first.filed[0].id or "", note="fine as it is")
        second = memory.review.check_chunks(sample=100, calls=100)
        assert second.broken == first.broken
        assert second.filed == ()
        assert len(memory.review.list()) == len(first.filed) - 1


def test_a_passage_that_left_takes_its_finding_with_it(store_path: Path, clock: SteppingClock) -> None:
    with opened(store_path, clock, ScriptedChatModel([judging(lambda _: False)])) as memory:
        memory.add_text(PAGE, source="page.txt")
        memory.review.check_chunks(sample=100, calls=100)
        memory.add_text("All is new. " * 30, source="page.txt")
        assert memory.review.list() == ()
        assert {item.resolution for item in memory.review.list(status=None)} == {"gone"}
        memory.add_text(PAGE, source="page.txt")
        again = memory.review.check_chunks(sample=100, calls=100)
        assert len(again.filed) == again.broken
        assert {item.status for item in again.filed} == {ReviewStatus.OPEN}
        assert memory.store.doctor().is_whole


@pytest.mark.parametrize("fault", ScriptedFault)
def test_every_fault_is_a_counted_skip(store_path: Path, clock: SteppingClock, fault: ScriptedFault) -> None:
    model = ScriptedChatModel([fault])
    with opened(store_path, clock, model) as memory:
        memory.add_text(PAGE, source="page.txt")
        before = memory.outline.tree("page.txt")
        found = memory.review.check_chunks(sample=100, calls=100)
        assert (found.whole, found.broken, found.filed) == (0, 0, ())
        (skip,) = found.skips
        assert skip.chunks == found.chunks > 0
        assert bool(skip.detail) == (skip.reason != "unusable_reply")
        assert memory.outline.tree("page.txt") == before
        assert memory.review.list(status=None) == ()


def test_verdicts_on_nothing_or_twice_are_skipped_and_the_others_count(store_path: Path, clock: SteppingClock) -> None:
    one, two, nobody = ({"number": number, "whole": True} for number in (1, 2, 99))
    model = ScriptedChatModel([json.dumps({"verdicts": [one, two, two, nobody]})])
    with opened(store_path, clock, model) as memory:
        memory.add_text(PAGE, source="page.txt")
        found = memory.review.check_chunks(sample=3, chunks_per_call=3)
        assert (found.whole, found.broken) == (1, 0)
        assert [(skip.reason, skip.chunks) for skip in found.skips] == [("no_verdict", 2)]


def test_the_budget_is_kept_and_what_is_over_it_is_counted(store_path: Path, clock: SteppingClock) -> None:
    model = ScriptedChatModel([judging(lambda _: True)])
    with opened(store_path, clock, model) as memory:
        memory.add_text(PAGE, source="page.txt")
        found = memory.review.check_chunks(sample=6, chunks_per_call=2, calls=1)
        assert model.calls == found.usage.calls == 1
        assert [(skip.reason, skip.chunks) for skip in found.skips] == [("out_of_budget", 4)]


def test_the_same_seed_chooses_the_same_passages(store_path: Path, clock: SteppingClock) -> None:
    model = ScriptedChatModel([judging(lambda _: True)])
    with opened(store_path, clock, model) as memory:
        memory.add_text(PAGE, source="page.txt")
        for seed in (1, 1, 2, 3):
            memory.review.check_chunks(sample=3, seed=seed)
    first, same, *others = [request.messages[-1].text for request in model.requests]
    assert first == same
    assert any(first != other for other in others)


def test_a_model_that_answers_in_another_language_or_with_control_characters_is_not_quoted(
    store_path: Path, clock: SteppingClock
) -> None:
    replies = [
        judging(lambda _: False, reason="これは途中で切れています。", suggestion="\x1b[31m\x00 Join \n it."),
    ]
    with opened(store_path, clock, ScriptedChatModel(replies)) as memory:
        memory.add_text(PAGE, source="page.txt")
        (item,) = memory.review.check_chunks(sample=1).filed
        assert "これ" not in item.reason
        assert item.suggestion == "[31m Join it."


def test_a_passage_that_was_forgotten_meanwhile_is_not_filed(store_path: Path, clock: SteppingClock) -> None:
    def forget_first(request: ChatRequest) -> str:
        memory.forget(document="page.txt")
        return judging(lambda _: False)(request)

    with opened(store_path, clock, ScriptedChatModel([forget_first])) as memory:
        memory.add_text(PAGE, source="page.txt")
        assert memory.review.check_chunks(sample=1).filed == ()
        assert memory.review.list(status=None) == ()
        assert memory.store.doctor().is_whole


def test_without_a_model_the_error_says_what_to_do(store_path: Path, clock: SteppingClock) -> None:
    with opened(store_path, clock, None) as memory:
        memory.add_text(PAGE, source="page.txt")
        with pytest.raises(ChatModelMissing, match=r"chat_model="):
            memory.review.check_chunks()


def test_wrong_numbers_and_documents_are_refused(store_path: Path, clock: SteppingClock) -> None:
    with opened(store_path, clock, ScriptedChatModel()) as memory:
        memory.add_text(PAGE, source="page.txt")
        for sample, chunks_per_call, calls in ((0, 1, 1), (1, 0, 1), (1, 1, -1)):
            with pytest.raises(InvalidValue):
                memory.review.check_chunks(sample=sample, chunks_per_call=chunks_per_call, calls=calls)
        with pytest.raises(NotFound):
            memory.review.check_chunks("elsewhere.txt")


HARD = "x" * 12_000
"""A word that no tier can cut well."""


def maintained(memory: Memory, name: str = "hard.txt") -> Reread:
    memory.add_text(HARD, source=name)
    assert memory.review.list(category="chunking")
    done = memory.maintain().reread
    assert done is not None
    return done


def test_maintain_has_what_was_cut_hard_read_again_and_resolves_what_is_whole(
    store_path: Path, clock: SteppingClock
) -> None:
    model = ScriptedChatModel([judging(lambda _: True)])
    with opened(store_path, clock, model) as memory:
        done = maintained(memory)
        assert (done.items, len(done.resolved), done.noted, done.skips) == (1, 1, (), ())
        assert done.usage.calls == model.calls > 0
        (item,) = memory.review.list(status="resolved", category="chunking")
        assert (item.resolution, item.note) == (Resolution.MODEL, whole_note(item.language))
        calls = model.calls
        assert memory.maintain().reread == Reread()
        assert model.calls == calls


def test_what_is_found_broken_stays_open_with_a_note_and_is_not_read_twice(
    store_path: Path, clock: SteppingClock
) -> None:
    model = ScriptedChatModel([judging(lambda _: False)])
    with opened(store_path, clock, model) as memory:
        done = maintained(memory)
        (item,) = done.noted
        assert (done.resolved, item.status) == ((), ReviewStatus.OPEN)
        assert item.note == f"{broken_reason('It breaks off.', item.language)} Join it."
        assert memory.maintain().reread == Reread()
        memory.review.resolve(item.id or "", note="fine as it is")
        assert memory.store.doctor().is_whole


def test_maintain_asks_no_more_than_its_calls_and_nobody_where_there_is_no_model(
    store_path: Path, clock: SteppingClock
) -> None:
    with opened(store_path, clock, None) as memory:
        memory.add_text(HARD, source="hard.txt")
        assert memory.maintain().reread is None
    model = ScriptedChatModel([judging(lambda _: True)])
    for calls, reason in ((0, None), (1, "too_long")):
        settings = Settings(maintenance=MaintenanceSettings(review_calls=calls))
        with Memory.open(
            store_path, embedder=HashingEmbedder(), clock=clock, settings=settings, chat_model=model
        ) as memory:
            assert memory.maintain(dry_run=True).reread is None
            done = memory.maintain().reread
            assert [one.reason for one in done.skips] == [reason] if done is not None else reason is None
    assert model.calls == 0


@pytest.mark.parametrize("fault", ScriptedFault)
def test_a_fault_while_reading_again_leaves_the_item_as_it_was(
    store_path: Path, clock: SteppingClock, fault: ScriptedFault
) -> None:
    with opened(store_path, clock, ScriptedChatModel([fault])) as memory:
        done = maintained(memory)
        assert (done.items, done.resolved, done.noted) == (0, (), ())
        assert sum(one.chunks for one in done.skips) > 0
        (item,) = memory.review.list(category="chunking")
        assert item.note is None
