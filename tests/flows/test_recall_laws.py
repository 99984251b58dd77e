"""Laws of ``recall`` over whole stores: what is asked for more of begins the same, and the future says nothing."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.episodes.settings import IntegrationSettings
from evolore.index.settings import IndexSettings
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore.recall.settings import Decay, DecaySettings
from evolore.store.store import Store
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.query import Recall

START = datetime(2026, 1, 1, tzinfo=UTC)
SAID = st.sampled_from(
    [
        "The API listens on port 8080.",
        "The API now listens on port 9000.",
        "Mika Virtanen moved to Osaka in March 2024.",
        "Mika Virtanen met Jonas Weber on 3 May 2024.",
        "Jonas Weber: the flood at Katowice was horrible!",
        "Where did we meet?",
        "We went to the Aquarium of Osaka.",
        "The wheel turns.",
        "The wheel turns.",
        "来月は大阪の水族館に行きます。",
        "我们去年搬到了大阪。",
    ]
)
ASKED = st.sampled_from(
    [
        "Which port does the API listen on?",
        "Where did Mika Virtanen go after the flood at Katowice?",
        "What happened before we went to the Aquarium of Osaka?",
        "What did Jonas Weber say in May 2024?",
        "What happened last week?",
        "the first wheel",
        "How did it feel?",
        "大阪の水族館にはいつ行きますか？",
        "…?!",
    ]
)
STATEMENTS = st.lists(
    st.builds(
        Statement,
        text=SAID,
        occurred_at=st.integers(0, 20).map(lambda day: START + timedelta(days=day)),
        speaker=st.sampled_from([None, "Mika", "Jonas"]),
        session=st.sampled_from([None, "call", "lunch"]),
        arousal=st.sampled_from([None, 0.1, 0.9]),
    ),
    min_size=1,
    max_size=12,
).map(lambda said: sorted(said, key=lambda one: one.occurred_at or START))
DOCUMENTS = st.lists(
    st.builds(
        SourceText,
        source=st.sampled_from(["a.md", "b.md", "c.md"]),
        text=st.lists(SAID, min_size=1, max_size=4).map(
            lambda texts: "# Handbook of Osaka\n\n" + "\n\n".join(f"## {text}\n\n" + f"{text} " * 12 for text in texts)
        ),
        media_type=st.just(MediaType.MARKDOWN),
    ),
    max_size=3,
    unique_by=lambda document: document.source,
)


def open_memory(folder: str, name: str = "s", *, decay: Decay = Decay.RIVAL) -> Memory:
    clock = SteppingClock(START + timedelta(days=30), step=timedelta(hours=1))
    chosen = Settings(decay=DecaySettings(decay=decay))
    return Memory.open(Path(folder) / name, embedder=HashingEmbedder(32), clock=clock, settings=chosen)


def told(found: Recall) -> list[tuple[str, float]]:
    return [(hit.episode.id, hit.score) for hit in found.hits]


def scores_by_what_is_shown(found: Recall) -> dict[tuple[str, int], list[float]]:
    scores: dict[tuple[str, int], list[float]] = {}
    for hit in found.hits:
        scores.setdefault((hit.text, len(hit.echoes)), []).append(hit.score)
    return {key: sorted(values) for key, values in scores.items()}


@settings(max_examples=tried(10, long=25), phases=(Phase.generate,), report_multiple_bugs=False)
@given(
    statements=STATEMENTS,
    documents=DOCUMENTS,
    text=ASKED,
    decay=st.sampled_from(Decay),
    fold=st.booleans(),
    depth=st.sampled_from([None, 1, 2]),
    level=st.sampled_from(["episode", "session", "document"]),
)
def test_the_first_hits_are_the_same_however_many_are_wanted(
    *,
    statements: Sequence[Statement],
    documents: Sequence[SourceText],
    text: str,
    decay: Decay,
    fold: bool,
    depth: int | None,
    level: str,
) -> None:
    moment = START + timedelta(days=60)
    with TemporaryDirectory() as folder, open_memory(folder, decay=decay) as memory:
        memory.remember_many(statements)
        memory.add(*documents)

        def ask(limit: int) -> Recall:
            return memory.recall(text, limit=limit, as_of=moment, fold_echoes=fold, depth=depth, level=level)

        everything = told(ask(1000))
        assert told(ask(1000)) == everything
        for limit in (1, 2, 3, 5, 8):
            assert told(ask(limit)) == everything[:limit]


@settings(max_examples=tried(10, long=25), phases=(Phase.generate,), report_multiple_bugs=False)
@given(
    statements=STATEMENTS,
    text=ASKED,
    decay=st.sampled_from(Decay),
    day=st.integers(0, 20),
    fold=st.booleans(),
    level=st.sampled_from(["episode", "session"]),
)
def test_as_of_a_moment_nothing_tells_of_what_came_later(
    *, statements: Sequence[Statement], text: str, decay: Decay, day: int, fold: bool, level: str
) -> None:
    moment = START + timedelta(days=day)
    earlier = [one for one in statements if one.occurred_at and one.occurred_at <= moment]
    with TemporaryDirectory() as folder, open_memory(folder, decay=decay) as memory:
        memory.remember_many(statements)
        found = memory.recall(text, limit=20, as_of=moment, fold_echoes=fold, level=level)
        if not earlier:
            assert not found.hits
            return
        with open_memory(folder, "earlier", decay=decay) as other:
            other.remember_many(earlier)
            ended = other.recall(text, limit=20, as_of=moment, fold_echoes=fold, level=level)
        # What is as good as another may stand before or behind it, for sums differ in their last digits: all else stays.
        shown, wanted = (scores_by_what_is_shown(one) for one in (found, ended))
        assert shown.keys() == wanted.keys()
        for key, scores in wanted.items():
            assert shown[key] == pytest.approx(scores, abs=1e-4)
        assert all(one.score >= next_one.score for one, next_one in pairwise(found.hits))
        assert (found.searched, found.asked_time) == (ended.searched, ended.asked_time)
        assert len(found.suppressed) == len(ended.suppressed)


@pytest.mark.parametrize("later", [0, 30])
def test_an_event_is_found_as_of_a_moment_whatever_was_said_later(tmp_path: Path, later: int) -> None:
    said = ["The flood came.", "A big dog barks.", "A big cat sleeps.", "A big tree fell."]
    said += ["The flood is over."] * later
    with open_memory(str(tmp_path)) as memory:
        memory.remember_many(
            Statement(text=text, occurred_at=START + timedelta(days=day)) for day, text in enumerate(said)
        )
        asked = memory.recall("What fell after the big flood?", as_of=START + timedelta(days=3)).asked_time
    assert asked is not None
    assert [one.first for one in asked.periods] == [START.date()]


def test_in_a_large_namespace_the_first_hundred_hits_do_not_depend_on_how_many_are_wanted(tmp_path: Path) -> None:
    draw = Random(1)
    words = [f"word{number}" for number in range(300)]
    with open_memory(str(tmp_path)) as opened:
        context = opened._context
        settings = IndexSettings(exact_up_to=500)
        store = Store(tmp_path / "s", model=context.embedder.model, clock=context.clock, indexes=settings)
        apart = IntegrationSettings(enabled=False)  # how they are found does not hang on what they became
        memory = Memory(replace(context, store=store, integration_settings=apart))
        memory.remember_many(Statement(text=" ".join(draw.choices(words, k=9))) for _ in range(3000))
        memory.store.prepare()
        for _ in range(5):
            text = " ".join(draw.choices(words, k=4))
            found = {limit: told(memory.recall(text, limit=limit, fold_echoes=False)) for limit in (3, 50, 51, 100)}
            for limit, hits in found.items():
                assert hits == found[100][:limit]
        store.close()


@pytest.mark.parametrize(
    ("fact", "question", "other"),
    [
        ("My sister moved to Oslo.", "Where does my sibling live?", "Valve {n} was tightened to {m} newton metres."),
        ("姉はオスロに住んでいます。", "お姉さんの家はどこ？", "弁{n}を{m}ニュートンメートルで締めた。"),
        ("我姐姐住在奥斯陆。", "姐姐的家在哪里？", "{n}号阀门拧紧到{m}牛米。"),
    ],
)
@pytest.mark.parametrize("count", [1, 10, 100, pytest.param(1000, marks=pytest.mark.long)])
def test_however_many_unrelated_items_follow_the_only_related_one_comes_first(
    tmp_path: Path, *, count: int, fact: str, question: str, other: str
) -> None:
    said = [Statement(text=fact, occurred_at=START)]
    said += [
        Statement(text=other.format(n=number, m=7 * number), occurred_at=START + timedelta(days=1 + number))
        for number in range(1, count + 1)
    ]
    with closing(Memory.open(tmp_path / "s")) as memory:
        memory.remember_many(said)
        assert memory.recall(question, limit=1).hits[0].episode.text == fact
