"""Use moves arousal; what swells is scaled down; both are events that can be undone, and only those."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import Statement
from evolore.errors import InvalidValue, NotFound

if TYPE_CHECKING:
    from evolore.domain.episode import Episode
    from evolore.memory import Memory


def arousal_of(memory: Memory, item: Episode) -> float | None:
    shown = memory.show(item.id)
    return getattr(shown, "arousal")  # noqa: B009 - a document has none, and none is asked for here


def test_a_stated_arousal_moves_a_fifth_of_the_way_and_back(memory: Memory) -> None:
    said = memory.remember("The lighthouse was lit again.", arousal=0.4)
    calm = memory.remember("The list is in the drawer.", arousal=0.1)
    moved = memory.questions.resonate(said.id, arousal=0.9)
    assert moved.episodes[0].arousal == pytest.approx(0.5)
    assert (moved.deflated, moved.deflation_id) == (0, None)
    assert arousal_of(memory, calm) == 0.1
    assert moved.event_id is not None
    undone = memory.undo(moved.event_id)
    assert undone.undone_ids == (moved.event_id,)
    assert arousal_of(memory, said) == 0.4
    memory.undo(undone.event_ids[0])
    assert arousal_of(memory, said) == pytest.approx(0.5)


def test_one_that_nobody_stated_starts_from_its_estimate_and_goes_back_to_it(memory: Memory) -> None:
    grief = memory.remember("My daughter died and I can't stop crying.")
    record = memory.remember("The meeting is in room 4 of the annex.")
    moved = memory.questions.resonate(grief.id, record.id, arousal=0.5)
    felt = [episode.arousal for episode in moved.episodes]
    assert felt[0] is not None
    assert felt[1] is not None
    assert 0.1 <= felt[1] < 0.3 < felt[0]
    assert moved.event_id is not None
    memory.undo(moved.event_id)
    assert arousal_of(memory, grief) is None


def test_a_passage_of_a_document_can_be_used_but_a_document_cannot(memory: Memory) -> None:
    document = memory.add_text("The oven is lit at four.", source="oven.txt")
    (hit,) = memory.recall("When is the oven lit?", limit=1).hits
    assert memory.questions.resonate(hit.episode.id, arousal=0.5).episodes[0].id == hit.episode.id
    with pytest.raises(NotFound, match="no statement or passage"):
        memory.questions.resonate(document.id, arousal=0.5)


def test_a_mean_above_six_tenths_scales_all_that_was_stated_and_is_undone_first(memory: Memory) -> None:
    statements = [Statement(text=f"Matter {number}.", arousal=0.7) for number in range(3)]
    said = memory.remember_many(statements).episodes
    unstated = memory.remember("The list is in the drawer.")
    moved = memory.questions.resonate(said[0].id, arousal=1.0)
    assert moved.deflated == 3
    assert [arousal_of(memory, one) for one in said] == pytest.approx([0.76 * 0.9, 0.63, 0.63])
    assert arousal_of(memory, unstated) is None
    assert moved.event_id is not None
    assert moved.deflation_id is not None
    with pytest.raises(InvalidValue, match=moved.deflation_id):
        memory.undo(moved.event_id)
    memory.undo(moved.deflation_id)
    memory.undo(moved.event_id)
    assert [arousal_of(memory, one) for one in said] == [0.7, 0.7, 0.7]


def test_a_mean_of_six_tenths_scales_nothing(memory: Memory) -> None:
    said = memory.remember_many([Statement(text=f"Matter {number}.", arousal=0.6) for number in range(3)]).episodes
    moved = memory.questions.resonate(said[0].id, arousal=0.6)
    assert (moved.event_id, moved.deflation_id) == (None, None)


def test_each_counts_once_and_beginnings_of_ids_will_do(memory: Memory) -> None:
    said = memory.remember("The lighthouse was lit again.", arousal=0.0)
    moved = memory.questions.resonate(said.id, said.id[:20], said.id.upper(), arousal=0.5)
    assert [episode.arousal for episode in moved.episodes] == pytest.approx([0.1])


def test_uses_that_are_none_are_refused_and_change_nothing(memory: Memory) -> None:
    said = memory.remember("The lighthouse was lit again.", arousal=0.4)
    for arousal in (-0.1, 1.1, float("nan")):
        with pytest.raises(InvalidValue, match="arousal"):
            memory.questions.resonate(said.id, arousal=arousal)
    with pytest.raises(InvalidValue, match="No episode is named"):
        memory.questions.resonate(arousal=0.5)
    with pytest.raises(NotFound, match="zzz"):
        memory.questions.resonate(said.id, "zzz", arousal=0.5)
    assert arousal_of(memory, said) == 0.4


def test_what_was_forgotten_is_left_out_of_an_undoing(memory: Memory) -> None:
    kept, gone = memory.remember_many(
        [Statement(text="The lighthouse was lit.", arousal=0.2), Statement(text="It rained.", arousal=0.2)]
    ).episodes
    moved = memory.questions.resonate(kept.id, gone.id, arousal=0.7)
    assert moved.event_id is not None
    memory.forget(gone.id)
    memory.undo(moved.event_id)
    assert arousal_of(memory, kept) == 0.2


def test_nothing_but_a_change_of_arousal_is_undone(memory: Memory) -> None:
    said = memory.remember("The lighthouse was lit again.")
    for event_id in (said.id, "nonsense"):
        with pytest.raises(NotFound, match="No event has the id"):
            memory.undo(event_id)
    (remembered,) = memory.history(said.id)
    with pytest.raises(NotFound, match="No change that can be undone"):
        memory.undo(remembered.id)
    with pytest.raises(InvalidValue, match="blank"):
        memory.undo(" ")


def test_the_indexes_hear_of_it_and_the_chain_of_events_holds(memory: Memory) -> None:
    said = memory.remember("The lighthouse was lit again.", arousal=0.4)
    memory.recall("lighthouse")
    memory.questions.resonate(said.id, arousal=0.9)
    (hit,) = memory.recall("lighthouse").hits
    assert hit.episode.arousal == pytest.approx(0.5)
    assert memory.store.verify().is_whole
    assert memory.store.doctor().is_whole
