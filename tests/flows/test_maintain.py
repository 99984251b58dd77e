"""Maintenance ends: what was merged and split comes to rest, and stays so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.config import Settings
from evolore.domain.episode import Deed, Statement
from evolore.domain.language import Language
from evolore.episodes.calibration import Calibration
from evolore.episodes.settings import EpisodeSettings
from evolore.flows.calibrate import to_parameters
from evolore.flows.remember.plan import Became
from evolore.ports import EmbeddingModel, TextRole, Vectors
from flows.memories import START, day, described, everything, opened, say, standing, texts_of
from flows.test_remember import TEXTS
from laws import tried
from store.structures import dump_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.memory import Memory

TOPICS = ("oven", "river", "violin", "ledger")
_SIZE = 64


class TopicEmbedder:
    """Puts texts where the topics that they name lie, and a little to a side that each text has for itself."""

    def __init__(self) -> None:
        self._model = EmbeddingModel(id="topics", dimension=_SIZE)

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:  # noqa: ARG002 - both roles alike
        rows = np.zeros((len(texts), _SIZE), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place, topic in enumerate(TOPICS):
                row[place] = text.lower().count(topic)
            row[len(TOPICS) + sum(text.encode()) % (_SIZE - len(TOPICS))] += 0.2
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


SCALE = Calibration(
    centre=np.zeros(_SIZE, dtype=np.float32), slope=16.0, offset=-8.0, copies=np.linspace(0.9, 1.0, 11), texts=100
)
QUICK = Settings(episodes=EpisodeSettings(candidate_characters=60))


def topical(folder: Path) -> Memory:
    memory = opened(folder, TopicEmbedder(), QUICK)
    say(memory, "Nothing yet.")
    with memory._context.store.write("n") as writer:
        writer.put_calibration("topics", Language.EN, to_parameters(SCALE), texts=100, at=START)
    return memory


def test_what_was_forgotten_before_it_was_looked_at_is_not_left_to_do(memory: Memory) -> None:
    memory.remember("It stays.")
    assert memory.maintain().remaining == 0
    memory.forget(memory.remember("It goes.").id)
    assert memory.stats().changed == 0
    assert memory.maintain().remaining == 0


def about(topic: str, number: int) -> str:
    verbs = ("warms", "calms", "feeds", "draws", "keeps", "holds", "lifts", "turns", "moves", "greets")
    things = ("baker", "miller", "sailor", "tailor", "mason", "painter", "hunter", "weaver", "potter", "carter")
    return f"The {topic} {verbs[number % 10]} one {things[(number // 3) % 10]} beside another {topic}."


def rested(memory: Memory, *, items: int = 1000, most: int = 40) -> list[int]:
    """Maintain until nothing is left, and give how much each call did; a call after that must do nothing."""
    done: list[int] = []
    for _ in range(most):
        found = memory.maintain(items=items)
        done.append(len(found.actions))
        if not found.remaining:
            break
    else:
        raise AssertionError(f"it does not end: {done}")
    return done


def test_what_its_neighbours_pull_apart_is_split_once_and_stays_so(store_path: Path) -> None:
    with topical(store_path) as memory:
        for topic in ("oven", "river"):
            say(memory, *(about(topic, number) for number in range(5)))
        mixed = " ".join(about(topic, number) for topic in ("oven", "river") for number in (7, 8, 9))
        done = say(memory, mixed)
        made = memory.maintain()
        parts = [
            *done.integrated[0].parts,
            *(id_ for one in made.actions if one.deed is Deed.SPLIT for id_ in one.episode_ids),
        ]
        assert parts, "it was not split"
        assert mixed not in texts_of(standing(memory))
        rested(memory)
        settled = dump_of(store_path)
        texts = texts_of(standing(memory))
        for _ in range(3):
            found = memory.maintain()
            assert (found.examined, found.remaining, found.actions) == (0, 0, ())
        assert dump_of(store_path) == settled
        for one in texts:
            assert not ("oven" in one and "river" in one)


@pytest.mark.parametrize(("speaker", "session"), [(None, None), ("Mika", None)])
@pytest.mark.parametrize("comes_first", [True, False])
def test_a_mixed_note_is_split_whoever_says_it_and_when(
    store_path: Path, speaker: str | None, session: str | None, *, comes_first: bool
) -> None:
    mixed = " ".join(about(topic, number) for topic in ("oven", "river") for number in (7, 8, 9))
    note = Statement(text=mixed, speaker=speaker, session=session)
    around = [
        Statement(text=about(topic, number), speaker=speaker) for topic in ("oven", "river") for number in range(5)
    ]
    with topical(store_path) as memory:
        said = [
            memory.remember_many([one]).episodes[0] for one in ([note, *around] if comes_first else [*around, note])
        ]
        heads = memory.outline.standing_for(said[0 if comes_first else -1].id)
        assert len(heads) == 2
        memory.maintain()
        assert memory.outline.standing_for(said[0 if comes_first else -1].id) == heads


@pytest.mark.parametrize("worded", [("The ", "This "), ("one ", "a "), ("another", "an other")])
def test_a_note_that_was_said_again_in_other_words_is_split_too(store_path: Path, worded: tuple[str, str]) -> None:
    mixed = " ".join(about(topic, number) for topic in ("oven", "river") for number in (7, 8, 9))
    with topical(store_path) as memory:
        said = [memory.remember(text) for text in (mixed, mixed.replace(*worded))]
        assert said[1].integrated.became in {Became.MERGED, Became.DUPLICATE}
        say(memory, *(about(topic, number) for topic in ("oven", "river") for number in range(5)))
        heads = memory.outline.standing_for(said[0].id)
        assert len(heads) == 2
        assert memory.outline.standing_for(said[1].id) == heads
        assert memory.store.doctor().is_whole


def test_a_turn_of_a_conversation_stays_whole(store_path: Path) -> None:
    mixed = " ".join(about(topic, number) for topic in ("oven", "river") for number in (7, 8, 9))
    with topical(store_path) as memory:
        say(memory, *(about(topic, number) for topic in ("oven", "river") for number in range(5)))
        turn = memory.remember(mixed, speaker="Mika", session="chat")
        memory.maintain()
        assert memory.outline.standing_for(turn.id) == (turn.id,)


def test_what_was_split_does_not_merge_again_and_what_was_merged_is_not_split_for_it(store_path: Path) -> None:
    with topical(store_path) as memory:
        for topic in ("oven", "river"):
            say(memory, *(about(topic, number) for number in range(5)))
        mixed = " ".join(about(topic, number) for topic in ("oven", "river") for number in (7, 8, 9))
        for number in range(4):
            said = say(memory, mixed, mixed + " " + about(TOPICS[number % 2], number + 2), on=None)
            assert len(said.event_ids) + sum(rested(memory)) < 20
        kinds = {event.kind for one in everything(memory) for event in memory.history(one.id)}
        assert {"merged", "split"} <= kinds
        texts = texts_of(standing(memory))
        rested(memory)
        assert texts_of(standing(memory)) == texts


def test_undoing_a_split_keeps_it_whole_from_then_on(store_path: Path) -> None:
    with topical(store_path) as memory:
        for topic in ("oven", "river"):
            say(memory, *(about(topic, number) for number in range(5)))
        mixed = " ".join(about(topic, number) for topic in ("oven", "river") for number in (7, 8, 9))
        said = say(memory, mixed)
        rested(memory)
        (source,) = said.episodes
        split = [one for one in memory.history(source.id) if one.kind == "split"]
        assert len(split) == 1
        memory.undo(split[0].id, cascade=True)
        assert mixed in texts_of(standing(memory))
        rested(memory)
        assert mixed in texts_of(standing(memory))


@settings(max_examples=tried(4, long=12))
@given(
    said=st.lists(
        st.one_of(
            st.builds(about, st.sampled_from(TOPICS[:3]), st.integers(0, 29)),
            st.lists(st.builds(about, st.sampled_from(TOPICS[:3]), st.integers(0, 29)), min_size=3, max_size=6).map(
                " ".join
            ),
            st.sampled_from(TEXTS),
        ),
        min_size=3,
        max_size=14,
    ),
    items=st.sampled_from([2, 5, 1000]),
)
def test_maintenance_ends_and_then_does_nothing(
    tmp_path_factory: pytest.TempPathFactory, said: list[str], items: int
) -> None:
    with topical(tmp_path_factory.mktemp("ends") / "s") as memory:
        memory.remember_many([Statement(text=text, occurred_at=day(1 + place % 3)) for place, text in enumerate(said)])
        rested(memory, items=items, most=60)
        before = described(memory)
        found = memory.maintain()
        assert (found.examined, found.remaining, found.actions, found.links) == (0, 0, (), 0)
        assert described(memory) == before
        assert memory.store.doctor().findings == ()
