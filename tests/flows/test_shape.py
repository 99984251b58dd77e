"""How what was found is given: echoes folded, within a budget of tokens, at the level of sessions and documents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore import MediaType, Memory, Settings, Statement
from evolore.domain.citation import GAP, Citing, Level
from evolore.episodes.settings import IntegrationSettings
from evolore.errors import InvalidValue
from evolore.jobs.clock import SteppingClock
from evolore.models.offline import HashingEmbedder
from evolore.text.tokens import estimate_tokens
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evolore import Hit, Recall

SAID = st.lists(
    st.builds(
        Statement,
        text=st.sampled_from(
            ["The wheel is red.", "the wheel is red", "The wheel is not red.", "A garden.", "Wheel 7."]
        ),
        session=st.sampled_from(["one", "two", None]),
        speaker=st.sampled_from(["Ann", "Ben", None]),
    ),
    min_size=1,
    max_size=12,
)
LIMITS = st.integers(1, 15)
START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


class Words:
    """Counts a token a word."""

    def token_starts(self, text: str) -> Sequence[int]:
        return [place for place in range(len(text)) if text[place] != " " and text[max(0, place - 1)] in " \n"]


def open_memory(folder: str | Path) -> Memory:
    clock = SteppingClock(START, step=timedelta(seconds=1))
    return Memory.open(f"{folder}/store", embedder=HashingEmbedder(), clock=clock)


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.episode.id for hit in hits]


def page(name: str, parts: int) -> str:
    return f"# {name}\n\n" + "".join(
        f"## Part {number}\n\n" + f"The wheel of {name} in part {number} turns slowly round and round. " * 12 + "\n\n"
        for number in range(parts)
    )


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.remember_many(
        [
            Statement(text="Where is the red wheel?", speaker="Ann", session="call", occurred_at=START),
            Statement(text="In the garden.", speaker="Ben", session="call", occurred_at=START + timedelta(minutes=1)),
            Statement(text="The ferry leaves at nine.", speaker="Ann", session="trip", occurred_at=START),
            Statement(text="A wheel came off.", speaker="Ben", occurred_at=START),
        ]
    )
    memory.add_text(page("Short", 1), source="short.md", media_type=MediaType.MARKDOWN)
    memory.add_text(page("Long", 12), source="long.md", media_type=MediaType.MARKDOWN)
    return memory


@pytest.fixture
def apart(store_path: Path) -> Iterator[Memory]:
    """Open a memory that merges nothing: what says the same again stands for itself, as passages do."""
    chosen = Settings(integration=IntegrationSettings(enabled=False))
    with Memory.open(store_path, embedder=HashingEmbedder(), settings=chosen) as opened:
        yield opened


def test_what_says_the_same_again_stands_behind_the_better_hit(apart: Memory) -> None:
    memory = apart
    memory.remember("The red wheel is in the garden.", speaker="Ann", occurred_at=START)
    memory.remember("the red wheel is in the garden!", speaker="Ann", occurred_at=START + timedelta(days=9))
    memory.remember("The red wheel is not in the garden.", speaker="Ann")
    memory.remember("The red wheel is in the garden.", speaker="Ben")
    hits = memory.recall("where is the red wheel?", limit=9).hits
    assert [hit.rank for hit in hits] == [1, 2, 3]
    (first,) = [hit for hit in hits if hit.echoes]
    (echo,) = first.echoes
    assert echo.similarity == 1.0
    assert echo.rank > first.rank
    assert {first.episode.text, echo.episode.text} == {
        "The red wheel is in the garden.",
        "the red wheel is in the garden!",
    }
    assert sum(term.value for term in echo.terms) == pytest.approx(echo.score, abs=1e-5)
    assert len(memory.recall("where is the red wheel?", limit=9, fold_echoes=False).hits) == 4  # the control


@settings(max_examples=tried(5, long=25))
@given(SAID, LIMITS)
def test_every_item_is_in_one_hit_and_hits_follow_the_ranking(said: list[Statement], limit: int) -> None:
    with TemporaryDirectory() as folder, open_memory(folder) as memory:
        memory.remember_many(said)
        plain = memory.recall("is the wheel red?", limit=99, fold_echoes=False).hits
        folded = memory.recall("is the wheel red?", limit=99).hits
        standing = memory.recall("is the wheel red?", limit=limit).hits
    everything = [episode.id for hit in folded for episode in hit.episodes]
    assert sorted(everything) == sorted(episode.id for hit in plain for episode in hit.episodes)
    assert ids(folded) == [id_ for id_ in ids(plain) if id_ in set(ids(folded))]
    assert ids(standing) == ids(folded)[:limit]
    ranks = {hit.episode.id: hit.rank for hit in plain}
    for hit in folded:
        assert [echo.rank for echo in hit.echoes] == [ranks[echo.episode.id] for echo in hit.echoes]
        assert all(echo.rank > ranks[hit.episode.id] for echo in hit.echoes)


@settings(max_examples=tried(5, long=25))
@given(SAID, st.integers(1, 150), st.sampled_from([*Level]))
def test_a_budget_is_passed_by_a_first_hit_alone(said: list[Statement], budget: int, level: Level) -> None:
    with TemporaryDirectory() as folder, open_memory(folder) as memory:
        memory.remember_many(said)
        memory.add_text(page("Short", 3), source="short", media_type=MediaType.MARKDOWN)
        free = memory.recall("is the wheel red?", level=level, limit=100)
        found = memory.recall("is the wheel red?", level=level, tokens=budget)
    assert found.tokens == estimate_tokens(found.context)
    assert found.is_estimated
    assert found.is_over_budget == (found.tokens > budget)
    assert len(found.hits) == 1 if found.is_over_budget else found.tokens <= budget
    assert ids(found.hits) == ids(free.hits)[: len(found.hits)]
    if len(found.hits) < len(free.hits) and not found.is_over_budget:
        assert estimate_tokens(Citing().all(free.hits[: len(found.hits) + 1])) > budget
    assert (free.tokens, free.is_estimated, free.is_over_budget) == (0, False, False)


def test_a_tokenizer_that_is_set_counts(filled: Memory) -> None:
    from dataclasses import replace  # noqa: PLC0415 - likewise

    counting = Memory(replace(filled._context, tokenizer=Words()))
    found = counting.recall("red wheel", tokens=60)
    assert not found.is_estimated
    assert found.tokens == len(Words().token_starts(found.context)) <= 60
    assert len(found.hits) > 1


def test_without_a_limit_a_budget_decides(filled: Memory) -> None:
    assert len(filled.recall("wheel").hits) == 5
    assert len(filled.recall("wheel", tokens=100_000).hits) == filled.recall("wheel").searched > 5
    assert len(filled.recall("wheel", tokens=100_000, limit=3).hits) == 3


def test_siblings_are_folded_where_the_chunk_above_them_fits(store_path: Path) -> None:
    with patch("evolore.recall.expansion._MOST_CHARACTERS", 9000), open_memory(store_path) as memory:
        memory.add_text(page("Short", 3), source="short.md", media_type=MediaType.MARKDOWN)
        wide = memory.recall("wheel of Short", expand=True, tokens=2000)
        assert wide.hits[0].expansion is not None
        assert wide.tokens <= 2000
        narrow = memory.recall("wheel of Short", expand=True, tokens=300)
        assert narrow.hits[0].expansion is not None
        assert len(narrow.hits[0].text) < len(wide.hits[0].text)
        assert narrow.tokens <= 300
        assert [hit.expansion for hit in memory.recall("wheel of Short", expand=True, tokens=120).hits] == [None]


def test_each_session_comes_once_with_its_turns_and_what_was_found(filled: Memory) -> None:
    found = filled.recall("where is the red wheel?", level="session", limit=9)
    best = found.hits[0]
    assert [hit.whole.name if hit.whole else hit.episode.text for hit in found.hits] == [
        "call",
        "A wheel came off.",
        "trip",
    ]
    assert best.whole is not None
    assert best.text == "Ann: Where is the red wheel?\nBen: In the garden."
    assert (best.whole.level, best.whole.is_complete, best.whole.episodes) == (Level.SESSION, True, 2)
    assert best.whole.found[0].episode == best.episode
    assert best.score == best.whole.found[0].score
    assert sum(term.value for term in best.terms) == pytest.approx(best.score, abs=1e-5)


@settings(max_examples=tried(5, long=25))
@given(SAID, LIMITS)
def test_sessions_stand_where_their_best_turns_do(said: list[Statement], limit: int) -> None:
    with TemporaryDirectory() as folder, open_memory(folder) as memory:
        memory.remember_many(said)
        turns = [hit.episode for hit in memory.recall("is the wheel red?", limit=99, fold_echoes=False).hits]
        hits = memory.recall("is the wheel red?", level="session", limit=limit).hits
    expected = list(dict.fromkeys(turn.session or turn.id for turn in turns))
    assert [hit.episode.session or hit.episode.id for hit in hits] == expected[:limit]
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    for hit in hits:
        assert (hit.whole is None) == (hit.episode.session is None)
        if hit.whole:
            spoken = [turn for turn in turns if turn.session == hit.whole.name]
            assert hit.whole.episodes == len(spoken)
            assert {one.episode.id for one in hit.whole.found} <= {turn.id for turn in spoken}


def test_a_short_document_is_given_whole_and_of_a_long_one_what_was_found(filled: Memory) -> None:
    hits = {hit.episode.source: hit for hit in filled.recall("wheel in part 7", level="document", limit=9).hits}
    assert set(hits) == {"short.md", "long.md"}
    short, long = hits["short.md"].whole, hits["long.md"].whole
    assert short is not None
    assert long is not None
    assert (short.text, short.is_complete) == (page("Short", 1), True)
    assert not long.is_complete
    assert len(long.text) <= 4000 + 20 * len(GAP)
    assert long.found[0].episode.text in long.text
    assert long.name == hits["long.md"].episode.document_id
    parts = long.text.split(f"\n{GAP}\n")
    places = [page("Long", 12).find(part) for part in parts]
    assert places == sorted(places)
    assert -1 not in places


def test_a_document_is_given_whole_in_the_order_of_its_text_after_a_change(memory: Memory) -> None:
    memory.add_text(page("A", 3), source="a", media_type=MediaType.MARKDOWN)
    changed = page("A", 3).replace(
        "## Part 0", "## Before\n\n" + "Something wholly new about ferries. " * 15 + "\n\n## Part 0"
    )
    memory.add_text(changed, source="a", media_type=MediaType.MARKDOWN)
    (hit,) = memory.recall("ferries", level="document").hits
    assert hit.text == changed


def test_a_session_shows_nothing_of_what_the_question_may_not_see(filled: Memory) -> None:
    hits = filled.recall("red wheel", level="session", as_of=START).hits
    assert [hit.whole and hit.whole.episodes for hit in hits if hit.text == "Ann: Where is the red wheel?"] == [1]
    (hit, *_) = filled.recall("garden", level="session", speaker="Ben", session="call").hits
    assert hit.text == "Ben: In the garden."


def test_a_long_session_gives_what_was_found_and_what_stands_beside_it(memory: Memory) -> None:
    turns = [
        Statement(text=f"Number {place} is about the ferry and nothing else. " * 3, speaker="Ann", session="talk")
        for place in range(80)
    ]
    turns[40] = Statement(text="The red wheel broke.", speaker="Ben", session="talk")
    memory.remember_many(turns)
    (hit,) = memory.recall("red wheel", level="session").hits
    assert hit.whole is not None
    assert not hit.whole.is_complete
    assert hit.whole.episodes == 80
    lines = hit.text.splitlines()
    assert "Ben: The red wheel broke." in lines
    assert any(line.startswith("Ann: Number 39 ") for line in lines)
    assert any(line.startswith("Ann: Number 41 ") for line in lines)
    assert not any(line.startswith("Ann: Number 3 ") for line in lines)


def test_a_level_has_its_words_and_refuses_others(filled: Memory) -> None:
    def found(level: str) -> Recall:
        return filled.recall("wheel", level=level)

    assert found("turn").hits == found("passage").hits == found("episode").hits == filled.recall("wheel").hits
    with pytest.raises(InvalidValue, match="level is 'week': use 'episode' or 'session' or 'document'"):
        found("week")
    with pytest.raises(InvalidValue, match="tokens is 0"):
        filled.recall("wheel", tokens=0)
