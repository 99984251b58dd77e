"""Recall inherits what served earlier questions about the same matter, and nothing else moves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.config import Settings
from evolore.domain.episode import EdgeKind, Statement
from evolore.domain.outcome import Rating
from evolore.errors import InvalidValue
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.queries.settings import QuerySettings
from evolore.recall.settings import Decay, DecaySettings
from flows.asking import rate
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.domain.query import EarlierQuestion, Recall

STEP = timedelta(minutes=1)
BEGAN = datetime(2026, 5, 4, 8, tzinfo=UTC)
SAID = (
    "The night shift on the third floor belongs to Ana.",
    "Bo waters the plants in the hall on Mondays.",
    "The third floor was painted in spring.",
    "Night buses stop at the station until one.",
    "The lift on the third floor is out of order.",
    "Cara keeps the keys of the archive.",
    "Shifts are written on the board in the kitchen.",
    "The archive holds letters from the war.",
)
ASKED = "Who works at night on the third floor?"
AGAIN = "At night, who works on the third floor?"
OTHER = "Who has the keys of the archive?"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def opened(store: Path, *, decay: Decay = Decay.NONE, learned_weight: float = 6.0) -> Memory:
    """Open a memory; without decay, in which what gains changes nothing but its own place."""
    chosen = Settings(queries=QuerySettings(learned_weight=learned_weight), decay=DecaySettings(decay=decay))
    return Memory.open(store, namespace="house", clock=SteppingClock(BEGAN, step=STEP), settings=chosen)


@pytest.fixture
def memory(store: Path) -> Iterator[Memory]:
    with opened(store) as one:
        one.remember_many([Statement(text=text) for text in SAID])
        yield one


def order(found: Recall) -> list[tuple[str, float]]:
    return [(hit.episode.text, hit.score) for hit in found.hits]


def gain(found: Recall, text: str) -> float:
    [hit] = [one for one in found.hits if one.episode.text == text]
    return sum(term.value for term in hit.terms if term.name == "learned")


def now(memory: Memory) -> datetime:
    """Read the memory's clock, which moves on."""
    return memory._context.clock.now()


def teach(memory: Memory, text: str, cited: str, *, rating: Rating = Rating.GOOD, principal: str | None = "ann") -> str:
    found = memory.recall(text, limit=8, principal=principal, record=True)
    assert found.query_id is not None
    [id_] = [hit.episode.id for hit in found.hits if hit.episode.text == cited]
    memory.rate(found.query_id, rating, cited=[id_], principal=principal)
    return found.query_id


def test_what_served_a_question_gains_when_it_is_asked_in_other_words(memory: Memory) -> None:
    before = memory.recall(AGAIN, limit=8)
    query_id = teach(memory, ASKED, SAID[6])
    after = memory.recall(AGAIN, limit=8)
    assert gain(before, SAID[6]) == 0.0
    assert gain(after, SAID[6]) == pytest.approx(3.0, abs=0.3)
    assert [one.query_id for one in after.learned_from] == [query_id]
    others = [(text, score) for text, score in order(after) if text != SAID[6]]
    assert others == [(text, score) for text, score in order(before) if text != SAID[6]]


def test_a_question_about_something_else_is_answered_as_before(memory: Memory) -> None:
    before = order(memory.recall(OTHER, limit=8))
    teach(memory, ASKED, SAID[6])
    after = memory.recall(OTHER, limit=8)
    assert (order(after), after.learned_from) == (before, ())


def test_a_bad_answer_teaches_nothing(memory: Memory) -> None:
    before = order(memory.recall(AGAIN, limit=8))
    teach(memory, ASKED, SAID[6], rating=Rating.BAD)
    assert order(memory.recall(AGAIN, limit=8)) == before


def test_what_is_unlearned_is_as_if_it_had_never_been_taught_until_that_is_undone(memory: Memory) -> None:
    def then() -> list[tuple[str, float]]:
        # One moment: lessons fade from minute to minute.
        return order(memory.recall(AGAIN, limit=8, as_of=BEGAN + timedelta(days=1)))

    before = then()
    teach(memory, ASKED, SAID[6])
    taught = then()
    assert taught != before
    event_id = memory.questions.unlearn("ann").event_id
    assert then() == before
    assert event_id is not None
    memory.undo(event_id)
    assert then() == taught


def test_who_says_it_often_gives_no_more_and_a_second_person_does(memory: Memory) -> None:
    teach(memory, ASKED, SAID[6])
    once = gain(memory.recall(AGAIN, limit=8), SAID[6])
    for _ in range(5):
        teach(memory, ASKED, SAID[6])
    assert gain(memory.recall(AGAIN, limit=8), SAID[6]) == pytest.approx(once, rel=1e-3)
    teach(memory, ASKED, SAID[6], principal="bob")
    assert gain(memory.recall(AGAIN, limit=8), SAID[6]) > once * 1.3


def learned(memory: Memory, at: datetime) -> tuple[dict[str, float], tuple[EarlierQuestion, ...]]:
    """What a recall as of a moment learned: gains by text, and from which questions."""
    found = memory.recall(AGAIN, limit=8, as_of=at)
    return {hit.episode.text: gain(found, hit.episode.text) for hit in found.hits}, found.learned_from


def test_a_moment_knows_what_was_taught_up_to_it_whenever_the_question_was_asked_for(memory: Memory) -> None:
    past = now(memory)
    nothing = learned(memory, past)
    found = memory.recall(ASKED, limit=8, as_of=past, record=True)
    assert found.query_id is not None
    asked = now(memory)
    memory.rate(found.query_id, "good", cited=[found.hits[-1].episode.id])
    assert learned(memory, past) == learned(memory, asked) == nothing
    [known] = learned(memory, now(memory))[1]
    assert known.query_id == found.query_id


def test_what_an_answer_rests_on_counts_from_when_that_was_said(memory: Memory) -> None:
    found = memory.recall(ASKED, limit=8, principal="ann")
    query_id = memory.questions.record(found, outcome="retrieval").id
    memory.rate(query_id, "good", principal="bob")
    rated = now(memory)
    before = learned(memory, rated)
    memory.rate(query_id, "good", cited=[found.hits[-1].episode.id], principal="ann")
    assert learned(memory, rated) == before
    assert before[1] == ()
    assert learned(memory, now(memory))[1]


def test_who_says_the_same_again_has_taught_it_since_the_first_time(memory: Memory) -> None:
    query_id = teach(memory, ASKED, SAID[6])
    first = now(memory)
    before = learned(memory, first)
    assert before[1]
    memory.rate(query_id, "good", comment="still right", principal="ann")
    assert learned(memory, first) == before


def test_what_was_taught_later_does_not_hide_what_was_taught_before(memory: Memory) -> None:
    teach(memory, ASKED, SAID[6], principal="bob")
    before = now(memory)
    alone = learned(memory, before)
    assert alone[1]
    for place in range(40):
        teach(memory, AGAIN, SAID[7], principal=f"person {place}")
    assert learned(memory, before) == alone


ACTS = st.lists(
    st.tuples(st.sampled_from([ASKED, AGAIN, OTHER, "Who is on the night shift?"]), st.booleans(), st.integers(0, 7)),
    min_size=2,
    max_size=9,
)


@given(acts=ACTS)
@settings(max_examples=tried(4, long=12))
def test_a_recall_as_of_a_moment_learns_what_it_learned_then(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, bool, int]]
) -> None:
    with opened(tmp_path_factory.mktemp("law") / "store") as memory:
        memory.remember_many([Statement(text=text) for text in SAID])
        ids: list[str] = []
        told = [(now(memory), learned(memory, BEGAN + timedelta(days=1)))]
        for place, (text, is_good, number) in enumerate(acts):
            rating = Rating.GOOD if is_good else Rating.BAD
            if number < 5 or not ids:
                ids.append(teach(memory, text, SAID[number], rating=rating, principal=f"person {place}"))
            else:  # somebody else rates an answer that others rated before, and changes what they taught
                memory.rate(ids[number % len(ids)], rating, principal=f"person {place}")
            at = now(memory)
            told.append((at, learned(memory, at)))
            assert gain(memory.recall(AGAIN, limit=8), SAID[0]) == pytest.approx(told[-1][1][0][SAID[0]], abs=1e-3)
        assert told[0][1][1] == ()
        assert [learned(memory, at) for at, _ in told[1:]] == [then for _, then in told[1:]]


def test_lessons_reach_what_a_target_was_merged_into(memory: Memory) -> None:
    teach(memory, ASKED, SAID[6])
    merged = memory.remember_many([Statement(text=f"{SAID[6]} Yes.")])
    [held] = [one.merged_with for one in merged.integrated]
    assert held is not None
    found = memory.recall(AGAIN, limit=8)
    [hit] = [one for one in found.hits if SAID[6] in one.episode.text]
    assert hit.episode.is_made
    assert sum(term.value for term in hit.terms if term.name == "learned") > 2.0


def test_nothing_is_learned_where_the_settings_say_so(store: Path, memory: Memory) -> None:
    before = order(memory.recall(AGAIN, limit=8))
    teach(memory, ASKED, SAID[6])
    memory.close()
    with opened(store, learned_weight=0.0) as plain:
        assert [text for text, _ in order(plain.recall(AGAIN, limit=8))] == [text for text, _ in before]


def test_only_who_asked_may_say_anew_what_an_answer_rests_on(memory: Memory) -> None:
    query_id = teach(memory, ASKED, SAID[0])
    junk = memory.questions.show(query_id).given[-1].episode_id
    with pytest.raises(InvalidValue, match="rests on was said already"):
        memory.rate(query_id, "good", cited=[junk], principal="mallory")
    assert rate(memory, query_id, "good", principal="bob").query.cited_ids == memory.questions.show(query_id).cited_ids
    assert rate(memory, query_id, "good", cited=[junk], principal="ann").query.cited_ids == (junk,)


def test_what_served_once_and_was_replaced_since_does_not_come_back_by_that(store: Path) -> None:
    with opened(store, decay=Decay.RIVAL) as memory:
        about = ("night shift", "nurse")
        memory.remember_many([Statement(text=text) for text in SAID[1:]])
        memory.remember(SAID[0], about=about, occurred_at=BEGAN)
        teach(memory, ASKED, SAID[0])
        assert memory.recall(AGAIN).hits[0].episode.text == SAID[0]
        now = "The night shift on the third floor belongs to Dov now."
        memory.remember(now, about=about, occurred_at=BEGAN + timedelta(days=1))
        assert memory.recall(AGAIN).hits[0].episode.text == now


def test_who_asks_one_thing_over_and_over_does_not_hide_what_others_taught(memory: Memory) -> None:
    teach(memory, ASKED, SAID[6], principal="bob")
    alone = gain(memory.recall(AGAIN, limit=8), SAID[6])
    for _ in range(40):
        teach(memory, AGAIN, SAID[7], principal="mallory")
    found = memory.recall(AGAIN, limit=8)
    assert gain(found, SAID[6]) == pytest.approx(alone, rel=1e-2)
    assert gain(found, SAID[7]) <= 3.0


def test_insights_of_some_teach_nothing_of_what_others_were_handed_for_another_question(memory: Memory) -> None:
    asked = memory.recall(OTHER, limit=8, principal="reader", record=True)  # the edge to each hit waits
    before = memory.recall(OTHER, limit=8)
    for number in range(5):
        who = f"ring {number}"
        found = memory.recall(f"{ASKED} {number}", limit=8, principal=who, record=True)
        cited = [hit.episode.id for hit in found.hits[:2]]
        memory.questions.record(found, cited=cited, outcome="insight", principal=who)
        memory.rate(found, "good", principal=who)
    after = memory.recall(OTHER, limit=8)
    with memory._context.store.read(memory.namespace) as reader:
        ids = [hit.episode.id for hit in asked.hits]
        entered = {edge.source_id for edge in reader.edges_around(ids, kinds=[EdgeKind.QUERY_RETRIEVAL], limit=1_000)}
    assert asked.query_id in entered
    assert (order(after), after.learned_from) == (order(before), ())
