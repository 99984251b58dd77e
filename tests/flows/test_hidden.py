"""What a question may not see takes no part: it is as if it had never been written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from evolore.domain.query import Hit

BEFORE = datetime(2026, 3, 1, tzinfo=UTC)
MOMENT = BEFORE + timedelta(days=20)
AFTER = MOMENT + timedelta(days=1)
SAID = st.sampled_from(
    [
        "I met Kurt Cobain in Aberdeen on 3 March 2024.",
        "When did you move to Osaka?",
        "We moved to Osaka last spring, and Mika was so happy!",
        "Mika plays the guitar since 2019.",
        "Aberdeen is where Nirvana began.",
        "The server runs version 3.11 now.",
        "去年三月我搬到了东京。",
        "先週の金曜にミカと「七人の侍」を見た。",
    ]
)
PAGES = st.sampled_from(
    [
        ("Nirvana (band)", "Nirvana was founded by Kurt Cobain in Aberdeen in 1987."),
        ("Kurt Cobain", "Kurt Cobain was born in Aberdeen. His band Nirvana broke up in 1994."),
        ("Aberdeen", "Aberdeen lies in Washington. Kurt Cobain lived there."),
        ("Mika", "Mika was born in Osaka in 1983 and plays the guitar."),
        ("Psycho", "Psycho is a film of 1960 by Alfred Hitchcock."),
        ("Saw Psycho", "Saw Psycho is a song that names Alfred Hitchcock and Mika."),
    ]
)
ASKED = st.sampled_from(
    [
        "Where was the founder of Nirvana born?",
        "who saw psycho by Alfred Hitchcock?",
        "When did Mika move to Osaka?",
        "What happened before Mika moved to Osaka?",
        "What did we do last spring?",
        "What was the first thing in 2024?",
        'Mika: "I feel so alone."\nAnn: "Why?"',
        "ミカはいつ映画を見た？",
        "去年三月发生了什么？",
        "everything",
    ]
)


class Clock:
    """Says what it is told to say."""

    def __init__(self) -> None:
        self.moment = BEFORE

    def now(self) -> datetime:
        return self.moment


def statements(first: datetime) -> st.SearchStrategy[list[Statement]]:
    one = st.builds(
        Statement,
        text=SAID,
        occurred_at=st.integers(0, 9).map(lambda days: first + timedelta(days=days)),
        speaker=st.sampled_from([None, "Mika", "Jonas"]),
        session=st.sampled_from([None, "call", "lunch"]),
    )
    return st.lists(one, max_size=6)


def pages(name: str, *, most: int = 5) -> st.SearchStrategy[list[SourceText]]:
    def page(place: int, told: tuple[str, str]) -> SourceText:
        return SourceText(source=f"{name} {place}", title=told[0], text=told[1], media_type=MediaType.PLAIN)

    return st.lists(PAGES, max_size=most).map(lambda told: [page(place, one) for place, one in enumerate(told)])


def scored(hits: Sequence[Hit]) -> dict[tuple[str, str, str, str], list[tuple[float, dict[str, float]]]]:
    found: dict[tuple[str, str, str, str], list[tuple[float, dict[str, float]]]] = {}
    for hit in hits:
        one = hit.episode
        key = (one.text, str(one.occurred_at), str(one.speaker), str(one.source or one.session))
        found.setdefault(key, []).append((hit.score, {term.name: term.value for term in hit.terms}))
    return {key: sorted(values, key=lambda value: value[0]) for key, values in found.items()}


def scores_by_text(hits: Sequence[Hit]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for hit in hits:
        found.setdefault(hit.text, []).append(hit.score)
    return {text: sorted(scores) for text, scores in found.items()}


def open_memory(folder: Path, clock: Clock) -> Memory:
    return Memory.open(folder, namespace="n", embedder=HashingEmbedder(32), clock=clock)


@settings(max_examples=tried(10, long=25))
@given(pages("early"), statements(BEFORE), pages("late"), statements(AFTER), ASKED)
def test_as_of_a_moment_all_is_as_if_what_came_later_were_not_there(
    early: list[SourceText], said: list[Statement], late: list[SourceText], later: list[Statement], question: str
) -> None:
    with TemporaryDirectory() as folder:
        whole, part = Clock(), Clock()
        with open_memory(Path(folder) / "whole", whole) as memory, open_memory(Path(folder) / "part", part) as earlier:
            for one in (memory, earlier):
                one.remember("A beginning.")
                one.add(*early)
                one.remember_many(said)
            whole.moment = AFTER
            memory.add(*late)
            memory.remember_many(later)
            asked = memory.recall(question, as_of=MOMENT, limit=100, fold_echoes=False)
            wanted = earlier.recall(question, as_of=MOMENT, limit=100, fold_echoes=False)
            assert asked.searched == wanted.searched
            assert asked.asked_time == wanted.asked_time
            found, expected = scored(asked.hits), scored(wanted.hits)
            assert found.keys() == expected.keys()
            for key, values in expected.items():
                for (score, terms), (other, others) in zip(values, found[key], strict=True):
                    assert other == pytest.approx(score, abs=1e-4)
                    for name in terms.keys() | others.keys():
                        assert others.get(name, 0.0) == pytest.approx(terms.get(name, 0.0), abs=1e-4), name
                    assert sum(others.values()) == pytest.approx(other, abs=1e-4)


def asked_in_two_orders(told: list[SourceText], random: Random, question: str) -> list[Sequence[Hit]]:
    mixed = random.sample(told, len(told))
    with TemporaryDirectory() as folder:
        found: list[Sequence[Hit]] = []
        for name, order in (("told", told), ("mixed", mixed)):
            with open_memory(Path(folder) / name, Clock()) as memory:
                memory.remember("A beginning.", session="s")
                memory.add(*order)
                found.append(memory.recall(question, as_of=MOMENT, limit=100, fold_echoes=False).hits)
        return found


@settings(max_examples=tried(10, long=20))
@given(pages("page"), st.randoms(use_true_random=False), ASKED)
def test_the_order_in_which_documents_are_added_changes_no_score(
    told: list[SourceText], random: Random, question: str
) -> None:
    first, second = (
        {key: [score for score, _ in values] for key, values in scored(hits).items()}
        for hits in asked_in_two_orders(told, random, question)
    )
    assert first.keys() == second.keys()
    for key, values in first.items():
        assert second[key] == pytest.approx(values, abs=1e-4)


@settings(max_examples=tried(10, long=20))
@given(pages("page", most=24), st.randoms(use_true_random=False), ASKED)
def test_of_more_equal_documents_than_the_best_ten_the_order_only_says_which_has_which_score(
    told: list[SourceText], random: Random, question: str
) -> None:
    first, second = asked_in_two_orders(told, random, question)
    by_text, other = scores_by_text(first), scores_by_text(second)
    assert by_text.keys() == other.keys()
    for text, values in by_text.items():
        assert other[text] == pytest.approx(values, abs=1e-4)
    for hits in (first, second):  # so the texts stand in one order, but among equal scores
        assert all(one.score >= next_one.score for one, next_one in pairwise(hits))
