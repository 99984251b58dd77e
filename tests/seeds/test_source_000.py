"""Splitting by conflict, as its source asks for it, in default stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Episode, Statement
from evolore.episodes.settings import EpisodeSettings
from evolore.episodes.splitting import is_mixed
from evolore.memory import Memory
from flows.test_contexts import COMPANY, FRUIT, LANGUAGES, apple

if TYPE_CHECKING:
    from pathlib import Path


def remembered(folder: Path, language: str, *texts: str, **settings: float) -> tuple[Memory, list[str]]:
    """Remember three statements about fruit, three about a company, and then texts; return the ids of these."""
    splitting = EpisodeSettings(**settings)  # pyright: ignore[reportArgumentType] - some are whole numbers
    memory = Memory.open(folder / "store", settings=Settings(episodes=splitting))
    memory.remember_many([Statement(text=text) for text in (*FRUIT[language][3:6], *COMPANY[language][3:])])
    return memory, [memory.remember(text).id for text in texts]


def parts_of(memory: Memory, id_: str) -> list[Episode]:
    found = [memory.show(one) for one in memory.outline.standing_for(id_)]
    return [one for one in found if isinstance(one, Episode)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mixed_note_is_split_and_each_part_holds_sentences_of_one_matter(language: str, tmp_path: Path) -> None:
    memory, (id_,) = remembered(tmp_path, language, apple(language, fruit=3, company=3))
    with memory:
        sentences = [set(one.text.split("\n")) for one in parts_of(memory, id_)]
        assert sentences == [set(FRUIT[language][:3]), set(COMPANY[language][:3])]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_note_of_one_matter_stays_whole(language: str, tmp_path: Path) -> None:
    joined = (" " if language == "en" else "").join
    memory, ids = remembered(tmp_path, language, joined(FRUIT[language][:3]), joined(COMPANY[language][:3]))
    with memory:
        memory.maintain()
        assert [len(parts_of(memory, id_)) for id_ in ids] == [1, 1]


@pytest.mark.parametrize(
    ("parameter", "value", "reason"),
    [
        ("conflict_threshold", 0.99, "is below 0.99"),
        ("min_connections", 30, "30 are needed"),
        ("auto_split_enabled", False, "switched off"),
    ],
)
def test_each_condition_holds_a_split_back_and_is_reported(
    parameter: str, value: float, reason: str, tmp_path: Path
) -> None:
    memory, (id_,) = remembered(tmp_path, "en", apple("en", fruit=3, company=3), **{parameter: value})
    with memory:
        memory.maintain()
        assert len(parts_of(memory, id_)) == 1
        assert reason in memory.questions.contexts(id_).reason


@pytest.mark.parametrize(("decay", "confidence"), [(0.8, 0.4), (0.5, 0.25)])
def test_parts_keep_their_share_of_the_confidence(decay: float, confidence: float, tmp_path: Path) -> None:
    memory, (id_,) = remembered(tmp_path, "en", apple("en", fruit=3, company=3), split_decay=decay)
    with memory:
        assert [one.confidence for one in parts_of(memory, id_)] == [confidence, confidence]


def test_a_long_text_is_split_though_its_matters_alternate(tmp_path: Path) -> None:
    pairs = zip(FRUIT["en"][:3], COMPANY["en"][:3], strict=True)
    text = " ".join(sentence for pair in pairs for sentence in pair)
    assert len(text) >= 500
    memory, (id_,) = remembered(tmp_path, "en", text)
    with memory:
        sentences = [set(one.text.split("\n")) for one in parts_of(memory, id_)]
        assert sentences == [set(FRUIT["en"][:3]), set(COMPANY["en"][:3])]


def test_length_or_five_merges_make_a_text_a_candidate() -> None:
    settings = EpisodeSettings()
    assert [is_mixed(length, 0, settings) for length in (499, 500)] == [False, True]
    assert [is_mixed(9, merges, settings) for merges in (4, 5)] == [False, True]


def test_what_is_said_again_goes_into_the_part_it_belongs_to(tmp_path: Path) -> None:
    memory, (id_,) = remembered(tmp_path, "en", apple("en", fruit=3, company=3))
    with memory:
        fruit, _ = parts_of(memory, id_)
        again = memory.remember(FRUIT["en"][0])
        assert memory.outline.standing_for(again.id) == (fruit.id,)


def test_the_three_measures_are_reported_with_their_total(tmp_path: Path) -> None:
    memory, (id_,) = remembered(tmp_path, "en", apple("en", fruit=3, company=3))
    with memory:
        found = memory.questions.contexts(id_)
        measures = (found.conflict.semantic, found.conflict.directional, found.conflict.cluster)
        assert all(0.0 < one < 1.0 for one in measures)
        assert found.conflict.total >= 0.7
        assert found.would_split
