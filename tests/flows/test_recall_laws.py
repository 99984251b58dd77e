"""Laws of ``recall`` over whole stores: what is asked for more of begins the same, and the future says nothing.

What a question may not see takes no part: it is as if it had never been written.

Recall finds what stood at the moment asked for, as if the rest had never been written.
"""

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
from evolore.domain.episode import EpisodeState, Statement
from evolore.domain.language import Language
from evolore.episodes.settings import IntegrationSettings
from evolore.flows.item_keys import keys_with, vectors_of
from evolore.index.settings import IndexSettings
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import Change, ChangeKind, FieldChange, IndexedText, MadeEpisode, SourceText
from evolore.recall.settings import Decay, DecaySettings
from evolore.store.store import Store
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.query import Hit, Recall

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


@settings(max_examples=tried(5, long=25), phases=(Phase.generate,), report_multiple_bugs=False)
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


@settings(max_examples=tried(5, long=25), phases=(Phase.generate,), report_multiple_bugs=False)
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
        indexes = IndexSettings(exact_up_to=500)
        store = Store(tmp_path / "s", model=context.embedder.model, clock=context.clock, indexes=indexes)
        apart = IntegrationSettings(enabled=False)  # how they are found does not hang on what they became
        settings = context.settings.model_copy(update={"integration": apart})
        memory = Memory(replace(context, store=store, settings=settings))
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


BEFORE = datetime(2026, 3, 1, tzinfo=UTC)
MOMENT = BEFORE + timedelta(days=20)
AFTER = MOMENT + timedelta(days=1)
SAID_HIDDEN = st.sampled_from(
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
ASKED_HIDDEN = st.sampled_from(
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
        text=SAID_HIDDEN,
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


def open_memory_hidden(folder: Path, clock: Clock) -> Memory:
    return Memory.open(folder, namespace="n", embedder=HashingEmbedder(32), clock=clock)


@settings(max_examples=tried(5, long=25))
@given(pages("early"), statements(BEFORE), pages("late"), statements(AFTER), ASKED_HIDDEN)
def test_as_of_a_moment_all_is_as_if_what_came_later_were_not_there(
    early: list[SourceText], said: list[Statement], late: list[SourceText], later: list[Statement], question: str
) -> None:
    with TemporaryDirectory() as folder:
        whole, part = Clock(), Clock()
        with (
            open_memory_hidden(Path(folder) / "whole", whole) as memory,
            open_memory_hidden(Path(folder) / "part", part) as earlier,
        ):
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
            with open_memory_hidden(Path(folder) / name, Clock()) as memory:
                memory.remember("A beginning.", session="s")
                memory.add(*order)
                found.append(memory.recall(question, as_of=MOMENT, limit=100, fold_echoes=False).hits)
        return found


@settings(max_examples=tried(5, long=20))
@given(pages("page"), st.randoms(use_true_random=False), ASKED_HIDDEN)
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


@settings(max_examples=tried(5, long=20))
@given(pages("page", most=24), st.randoms(use_true_random=False), ASKED_HIDDEN)
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


DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)
STATED = [
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
    made = MadeEpisode(
        id=context.store.new_id(context.clock.now()),
        kind=one.kind,
        text=text.text,
        language=Language.EN,
        recorded_at=one.recorded_at,
        keys=keys_with(text, vector, estimate=context.estimates(context.embedder.model)),
        members=(first, second),
        session=one.session,
        position=one.position,
        occurred_at=two.occurred_at,
        valid_from=two.occurred_at,
    )
    hidden = tuple(FieldChange(episode_id=id_, stands_until=two.occurred_at) for id_ in (first, second))
    change = Change(kind=ChangeKind.MERGED, subject_id=first, reason="more", made=(made,), fields=hidden)
    with context.store.write("n") as writer:
        return writer.apply(change, at=context.clock.now())


def found(recalled: Recall) -> list[tuple[str, float]]:
    return [(hit.episode.text, round(hit.score, 3)) for hit in recalled.hits]


@pytest.mark.parametrize("question", QUESTIONS)
def test_before_a_merge_just_what_was_said_by_then_is_found(tmp_path: Path, question: str) -> None:
    said = [(text, at(number)) for number, text in enumerate(STATED)]
    with opened(tmp_path / "plain", said) as plain, opened(tmp_path / "merged", said) as memory:
        ids = {one.text: one.id for one in memory.list().statements}
        merge(memory, ids[STATED[0]], ids[STATED[2]])
        for number in (0, 1):
            moment = at(number) + timedelta(hours=1)
            expected = found(plain.recall(question, as_of=moment))
            assert found(memory.recall(question, as_of=moment)) == expected
        assert found(plain.recall(question)) != found(memory.recall(question))


@pytest.mark.parametrize("question", QUESTIONS)
def test_after_a_merge_what_was_merged_takes_no_part(tmp_path: Path, question: str) -> None:
    said = [(text, at(number)) for number, text in enumerate(STATED)]
    rest = [pair for pair in said if pair[0] not in {STATED[0], STATED[2]}]
    with opened(tmp_path / "plain", [(MERGED, at(2)), *rest]) as plain, opened(tmp_path / "merged", said) as memory:
        ids = {one.text: one.id for one in memory.list().statements}
        event_id = merge(memory, ids[STATED[0]], ids[STATED[2]])
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
