"""Recall finds what stood at the moment asked for, as if the rest had never been written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import EpisodeState, Statement
from evolore.domain.language import Language
from evolore.flows.item_keys import keys_with, vectors_of
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import Change, ChangeKind, EpisodeDraft, FieldChange, IndexedText

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.query import Recall

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAID = [
    "Mika moved to Osaka last spring.",
    "The server runs version 3.11 now.",
    "Mika plays the guitar since 2019.",
    "When did you move to Osaka, Mika?",
    "We saw Psycho by Alfred Hitchcock.",
    "Mika was so happy in Osaka!",
]
QUESTIONS = ["Where did Mika move to?", "guitar", "When did Mika move to Osaka?", "everything about Mika and Osaka"]
MERGED = "Mika moved to Osaka last spring. Mika plays the guitar since 2019."


def at(number: int) -> datetime:
    return DAY + timedelta(days=number)


def opened(folder: Path, said: Sequence[tuple[str, datetime]]) -> Memory:
    clock = SteppingClock(at(100), step=timedelta(seconds=1))
    memory = Memory.open(folder, namespace="n", embedder=HashingEmbedder(), clock=clock)
    memory.remember_many([Statement(text=text, occurred_at=moment, session="talk") for text, moment in said])
    return memory


def merge(memory: Memory, first: str, second: str) -> str:
    """Merge the first statement and a later one, and give the event."""
    context = memory._context
    with context.store.read("n") as reader:
        one, two = reader.episodes([first, second])
    text = IndexedText(text=f"{one.text} {two.text}", language=Language.EN, occurred_at=two.occurred_at)
    (vector,) = vectors_of(context.embedder, [text])
    draft = EpisodeDraft(
        text=text.text,
        language=Language.EN,
        keys=keys_with(text, vector, estimate=context.estimates(context.embedder.model)),
        members=(first, second),
        session=one.session,
        position=one.position,
        occurred_at=two.occurred_at,
        valid_from=two.occurred_at,
    )
    hidden = tuple(FieldChange(episode_id=id_, stands_until=two.occurred_at) for id_ in (first, second))
    change = Change(kind=ChangeKind.MERGED, subject_id=first, reason="more", made=(draft,), fields=hidden)
    with context.store.write("n") as writer:
        return writer.apply(change, at=context.clock.now()).event_id


def found(recalled: Recall) -> list[tuple[str, float]]:
    return [(hit.episode.text, round(hit.score, 3)) for hit in recalled.hits]


@pytest.mark.parametrize("question", QUESTIONS)
def test_before_a_merge_just_what_was_said_by_then_is_found(tmp_path: Path, question: str) -> None:
    said = [(text, at(number)) for number, text in enumerate(SAID)]
    with opened(tmp_path / "plain", said) as plain, opened(tmp_path / "merged", said) as memory:
        ids = {one.text: one.id for one in memory.list().statements}
        merge(memory, ids[SAID[0]], ids[SAID[2]])
        for number in (0, 1):
            moment = at(number) + timedelta(hours=1)
            expected = found(plain.recall(question, as_of=moment))
            assert found(memory.recall(question, as_of=moment)) == expected
        assert found(plain.recall(question)) != found(memory.recall(question))


@pytest.mark.parametrize("question", QUESTIONS)
def test_after_a_merge_what_was_merged_takes_no_part(tmp_path: Path, question: str) -> None:
    said = [(text, at(number)) for number, text in enumerate(SAID)]
    rest = [pair for pair in said if pair[0] not in {SAID[0], SAID[2]}]
    with opened(tmp_path / "plain", [(MERGED, at(2)), *rest]) as plain, opened(tmp_path / "merged", said) as memory:
        ids = {one.text: one.id for one in memory.list().statements}
        event_id = merge(memory, ids[SAID[0]], ids[SAID[2]])
        assert found(memory.recall(question)) == found(plain.recall(question))
        moment = at(4) + timedelta(hours=1)
        assert found(memory.recall(question, as_of=moment)) == found(plain.recall(question, as_of=moment))
        memory.undo(event_id)
        with opened(tmp_path / "never", said) as never:
            assert found(memory.recall(question)) == found(never.recall(question))


def test_what_is_superseded_is_so_only_from_then_on(tmp_path: Path) -> None:
    said = [("Mika lives in Osaka.", at(0)), ("Mika lives in Berlin.", at(4)), ("The sun shone.", at(8))]
    with opened(tmp_path / "s", said) as memory:
        ids = {one.text: one.id for one in memory.list().statements}
        superseded = FieldChange(episode_id=ids["Mika lives in Osaka."], state=EpisodeState.SUPERSEDED, valid_to=at(4))
        change = Change(
            kind=ChangeKind.SUPERSEDED, subject_id=ids["Mika lives in Osaka."], reason="about", fields=(superseded,)
        )
        before = memory.recall("Where does Mika live?", as_of=at(2))
        with memory._context.store.write("n") as writer:
            writer.apply(change, at=at(101))
        marked = "it is marked as superseded"
        assert memory.recall("Where does Mika live?", as_of=at(2)).suppressed == before.suppressed
        for moment in (at(5), None):
            later = memory.recall("Where does Mika live?", as_of=moment)
            assert [(one.episode_id, one.reason) for one in later.suppressed] == [(ids["Mika lives in Osaka."], marked)]
