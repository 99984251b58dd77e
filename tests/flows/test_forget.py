"""What is forgotten leaves every file of the store, and nothing else does.

What was forgotten leaves what people wrote about answers from it; questions and answers can be forgotten themselves.

Of what was merged and is forgotten, nothing is left; of what was merged with it, nothing is lost.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import rows
from evolore import Rating
from evolore.domain.document import MediaType
from evolore.domain.episode import EpisodeState, Statement
from evolore.domain.health import FindingKind
from evolore.errors import InvalidValue, NamespaceNotFound, NotFound, StoreBusy
from evolore.flows.remember.plan import Became
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import events
from evolore.store.database import FaultPoint
from evolore.store.location import DATABASE
from evolore.store.sqlite import open_database
from evolore.store.tables import metadata as tables
from flows.memories import everything, found_in, opened, say, standing, texts_of
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from evolore.ports import Receipt

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def held(store: Path) -> bytes:
    """Give every byte of every file of the store."""
    return b"".join(file.read_bytes() for file in sorted(store.rglob("*")) if file.is_file())


def vectors(store: Path, episode_ids: Iterable[str]) -> list[bytes]:
    wanted = ", ".join(f"'{id_}'" for id_ in episode_ids)
    join = "payloads p on p.ns = v.ns and p.id = v.payload_id"
    return [row[0] for row in rows(store, f"select v.data from vectors v join {join} where p.episode_id in ({wanted})")]


def fill(memory: Memory) -> None:
    """Write two of everything: what will go, marked by GONE and its like, and what will stay."""
    for mark, stem in (("GONE", "vanishing"), ("STAYS", "lasting")):
        memory.remember_many(
            Statement(
                text=f"{mark}text{number} {stem} " + f"{mark}long " * 300 * number,
                speaker=f"{mark}speaker",
                session=f"{mark}session",
                about=(f"{mark}subject", f"{mark}attribute"),
                occurred_at=DAY + timedelta(days=number, hours=0 if mark == "GONE" else 2400),
                metadata={f"{mark}name": f"{mark}value"},
                tags=(f"{mark}tag",),
            )
            for number in range(3)
        )
        memory.add_text(
            f"# {mark}heading\n\n" + f"The {mark}word of {stem} is kept here. " * 60,
            source=f"{mark}source.md",
            title=f"{mark}title",
            media_type=MediaType.MARKDOWN,
            metadata={f"{mark}name": f"{mark}value", "year": 2026},
            tags=(f"{mark}tag",),
        )


WAYS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    # Of each way: what is named, and which of the marks must be gone then.
    "session": ({"session": "GONEsession"}, ("text", "session", "speaker", "subject", "attribute")),
    "speaker": ({"speaker": "GONEspeaker"}, ("text", "session", "speaker", "subject", "attribute")),
    "times": ({"since": DAY, "until": DAY + timedelta(days=9)}, ("text", "session", "speaker", "subject")),
    "document": ({"document": "GONEsource.md"}, ("source", "word", "heading", "title")),
    "where": ({"where": {"GONEname": "GONEvalue"}}, ("",)),
    "tags": ({"tags": ["GONEtag"]}, ("",)),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_named_leaves_every_file_and_the_rest_stays(memory: Memory, store_path: Path, way: str) -> None:
    named, marks = WAYS[way]
    fill(memory)
    going = [
        hit.episode
        for hit in memory.recall("GONE", limit=1000, fold_echoes=False, record=False).hits
        if "GONE" in hit.episode.text
    ]
    if way in {"session", "speaker", "times"}:
        going = [episode for episode in going if episode.session is not None]
    elif way == "document":
        going = [episode for episode in going if episode.document_id is not None]
    gone_vectors = vectors(store_path, (episode.id for episode in going))
    tokens = [b"gonelong", b"vanish"] if way in {"where", "tags"} else []
    gone = [*(f"GONE{mark}".encode() for mark in marks), *tokens, *gone_vectors]
    before = held(store_path)
    assert len(gone_vectors) == len(going) > 2
    assert [mark for mark in gone if mark not in before] == []  # the control: all of it was there
    receipt = memory.forget(**named)
    assert (receipt.episodes, receipt.payloads, receipt.vectors) == (len(going),) * 3
    assert receipt.lingering_in == ()
    memory.recall("anything", limit=1000)
    after = held(store_path)
    assert [mark for mark in gone if mark in after] == []
    stays = [f"STAYS{mark}".encode() for mark in ("text", "session", "speaker", "value", "tag", "source", "word")]
    assert [mark for mark in stays if mark not in after] == []
    memory.close()
    assert [mark for mark in gone if mark in held(store_path)] == []


def test_a_forgotten_namespace_leaves_its_name_and_its_chain(memory: Memory, store_path: Path) -> None:
    other = Memory.open(store_path, namespace="other", embedder=HashingEmbedder())
    fill(memory)
    other.remember("OTHERtext", speaker="OTHERspeaker", tags=["OTHERtag"])
    ids = [hit.episode.id for hit in memory.recall("GONE", limit=1000, fold_echoes=False, record=False).hits]
    gone = [b"GONE", b"STAYS", b"vanish", b"lasting", *vectors(store_path, ids)]
    assert [mark for mark in gone if mark not in held(store_path)] == []
    count = memory.stats().events
    before = other.recall("OTHERtext").hits
    memory.forget(everything=True)
    counted = memory.stats()
    assert (counted.documents, counted.chunks, counted.statements, counted.characters) == (0, 0, 0, 0)
    assert counted.events == count + 1
    assert memory.recall("GONE", record=False).hits == ()
    assert other.recall("OTHERtext").hits == before
    other.close()
    memory.close()
    after = held(store_path)
    assert [mark for mark in gone if mark in after] == []
    for mark in (b"support", b"OTHERtext", b"OTHERspeaker", b"OTHERtag"):
        assert mark in after
    left = {table for table in tables.tables if "ns" in tables.tables[table].c}
    left = {table for table in left if rows(store_path, f"select 1 from {table} where ns = 1")}
    assert left == {"namespaces", "events", "event_episodes", "index_log"}  # the last two hold ids and numbers
    database = open_database(store_path / "evolore.db")
    with database.reading() as connection:
        assert events.broken_at(connection, 1) is None
    database.close()
    said = memory.remember("A new beginning.")
    assert [hit.episode for hit in memory.recall("beginning").hits] == [said]


def test_an_index_that_is_behind_hears_of_a_namespace_forgotten_twice(memory: Memory) -> None:
    memory.remember("A beginning.")
    assert memory.recall("beginning").searched == 1
    memory.forget(everything=True)
    memory.forget(everything=True)
    assert memory.recall("beginning").hits == ()


def test_another_process_sees_that_a_namespace_was_forgotten(memory: Memory, store_path: Path) -> None:
    with Memory.open(store_path, namespace="support", embedder=HashingEmbedder()) as other:
        memory.remember_many(Statement(text=f"number {number}") for number in range(5))
        assert other.recall("number").searched == 5
        memory.forget(everything=True)
        assert other.recall("number").searched == 0
        memory.remember("number six")
        assert other.recall("number").searched == 1


@pytest.mark.parametrize("way", [*WAYS, "id", "everything"])
def test_a_dry_run_counts_what_would_go_and_changes_nothing(memory: Memory, store_path: Path, way: str) -> None:
    fill(memory)
    named: dict[str, Any] = WAYS[way][0] if way in WAYS else {"everything": True}
    if way == "id":
        named = {"item_id": memory.list().statements[0].id}
    memory.close()
    before = held(store_path)
    would_go = memory.forget(**named, dry_run=True)
    assert (would_go.is_dry_run, would_go.event_id) == (True, "")
    memory.close()
    assert held(store_path) == before
    went = memory.forget(**named)
    assert went.episodes > 0
    assert replace(would_go, event_id=went.event_id, erased_at=went.erased_at, is_dry_run=False) == went


def test_one_event_records_a_whole_set_without_a_name(memory: Memory, store_path: Path) -> None:
    fill(memory)
    count = memory.stats().events
    ids = sorted(item.id for item in memory.list(limit=1000).statements if item.session == "GONEsession")
    receipt = memory.forget(session="GONEsession")
    assert memory.stats().events == count + 1
    ((kind, subject_id, body),) = rows(
        store_path, f"select kind, subject_id, body from events where id = '{receipt.event_id}'"
    )
    assert (kind, subject_id) == ("erased", "")
    assert json.loads(body) == {"by": "session", "documents": 0, "episodes": 3, "items": ids}


def test_a_filter_of_times_alone_leaves_documents(memory: Memory) -> None:
    fill(memory)
    assert memory.forget(since=datetime(2000, 1, 1, tzinfo=UTC)).documents == 0
    assert [document.title for document in memory.list().documents] == ["GONEtitle", "STAYStitle"]
    (first, _) = memory.list().documents
    assert memory.forget(where={"year": 2026}, until=first.recorded_at + timedelta(microseconds=1)).documents == 1
    assert [document.title for document in memory.list().documents] == ["STAYStitle"]


def test_a_set_of_documents_goes_with_every_version(memory: Memory) -> None:
    for number in range(3):
        memory.add_text(f"The first text of {number}.", source=f"{number}", tags=["draft"])
        memory.add_text(f"Quite another text of {number}.", source=f"{number}")
    memory.add_text("Something final.", source="final")
    receipt = memory.forget(tags=["draft"])
    assert (receipt.documents, receipt.episodes, receipt.vectors) == (3, 6, 6)
    assert memory.stats().documents == 1


@pytest.mark.parametrize(
    ("named", "error", "message"),
    [
        ({}, InvalidValue, "Nothing was named to forget"),
        ({"session": "a", "speaker": "b"}, InvalidValue, "session and speaker were named"),
        ({"item_id": "x", "everything": True}, InvalidValue, "id and everything were named"),
        ({"document": "x", "tags": ["t"]}, InvalidValue, "document and filter were named"),
        ({"session": "none"}, NotFound, "No statement has the session 'none' here: check the name"),
        ({"speaker": "none"}, NotFound, "Nothing here is of the speaker 'none': check the name"),
        ({"where": {"a": 1}}, NotFound, "matches the filter"),
        ({"document": "none.md"}, NotFound, "Nothing here has the id 'none.md'"),
        ({"item_id": "zzz"}, NotFound, "Nothing here has the id 'zzz'"),
    ],
)
def test_what_names_nothing_or_too_much_is_refused(
    memory: Memory, named: dict[str, Any], error: type[Exception], message: str
) -> None:
    fill(memory)
    before = memory.stats()
    for dry_run in (True, False):
        with pytest.raises(error, match=message):
            memory.forget(**named, dry_run=dry_run)
    assert memory.stats() == before


def test_a_statement_is_no_document_and_a_part_is_none_either(memory: Memory) -> None:
    fill(memory)
    with pytest.raises(NotFound, match="is a statement, not a document"):
        memory.forget(document=memory.list().statements[0].id)
    passage = next(hit.episode for hit in memory.recall("word").hits if hit.episode.document_id)
    for dry_run in (True, False):
        with pytest.raises(InvalidValue, match="is a part of the document"):
            memory.forget(passage.id, dry_run=dry_run)


def test_forgetting_in_a_namespace_that_is_not_there_makes_none(store_path: Path) -> None:
    with Memory.open(store_path, namespace="a", embedder=HashingEmbedder()) as memory:
        memory.remember("x")
    with Memory.open(store_path, namespace="b", embedder=HashingEmbedder()) as memory:
        for dry_run in (True, False):
            with pytest.raises(NamespaceNotFound):
                memory.forget(everything=True, dry_run=dry_run)
    assert rows(store_path, "select name from namespaces") == [("a",)]


NAMED = st.sampled_from([None, "a", "b"])
WORDS = st.lists(st.sampled_from(["red", "blue", "猫", "train"]), min_size=1, max_size=4).map(" ".join)
VERBS = st.one_of(
    st.tuples(st.just("remember"), WORDS, NAMED, NAMED),
    st.tuples(st.just("add"), WORDS, st.sampled_from(["a", "b"]), NAMED),
    st.tuples(st.just("recall"), WORDS, NAMED, NAMED),
    st.tuples(
        st.just("forget"), st.sampled_from(["session", "speaker", "tags", "document", "everything"]), NAMED, NAMED
    ),
)


def act(memory: Memory, verb: tuple[str, str, str | None, str | None]) -> object:
    """Do one thing, and say what came of it without ids and times."""
    match verb:
        case ("remember", text, session, speaker):
            tags = [speaker] if speaker else []
            return memory.remember(text, session=session, speaker=speaker, tags=tags).position
        case ("add", text, source, tag):
            assert source is not None
            tags = None if tag is None else [tag]
            return memory.add_text(f"{text}.\n\nAnd {text}.", source=source, tags=tags).version
        case ("recall", text, session, tag):
            found = memory.recall(text, session=session, tags=[tag] if tag else [])
            return found.searched, [(hit.episode.text, hit.score, hit.episode.tags) for hit in found.hits]
        case ("forget", by, name, _):
            return outcome(lambda: memory.forget(**{by: value_of(by, name or "a")}))
        case _:
            raise AssertionError(verb)


def value_of(by: str, name: str) -> Any:  # noqa: ANN401 - each way takes its own type
    return {"tags": [name], "everything": True}.get(by, name)


def outcome(forget: Callable[[], Receipt]) -> object:
    try:
        receipt = forget()
    except NotFound:
        return "not found"
    return receipt.documents, receipt.episodes, receipt.payloads, receipt.vectors


@settings(max_examples=tried(4, long=15))
@given(st.lists(st.tuples(st.booleans(), VERBS), max_size=12))
def test_two_namespaces_never_mix(verbs: list[tuple[bool, tuple[str, str, str | None, str | None]]]) -> None:
    """What comes of the verbs in one namespace is what comes of them in a store without the other."""

    def opened(folder: str, store: str, namespace: str) -> Memory:
        clock = SteppingClock(DAY, step=timedelta(seconds=1))
        place = Path(folder) / store
        memory = Memory.open(place, namespace=namespace, embedder=HashingEmbedder(16), clock=clock)
        memory.remember("a beginning")
        return memory

    with (
        TemporaryDirectory() as folder,
        opened(folder, "shared", "one") as one,
        opened(folder, "shared", "two") as two,
        opened(folder, "first", "one") as first_alone,
        opened(folder, "second", "two") as second_alone,
    ):
        for is_first, verb in verbs:
            shared, alone = (one, first_alone) if is_first else (two, second_alone)
            assert act(shared, verb) == act(alone, verb)


class Cut(BaseException):
    """Ends a verb as a crash would."""


@pytest.mark.parametrize("point", [FaultPoint.COMMITTED, FaultPoint.REWRITTEN])
@pytest.mark.parametrize("cure", ["doctor", "forget"])
def test_what_an_interrupted_erasure_left_in_files_is_found_and_taken_out(
    memory: Memory, store_path: Path, point: FaultPoint, cure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    cut_off(memory, monkeypatch, point)
    memory.remember("Something else.")
    assert b"GONEtext" in held(store_path)  # the control: it is in no table, and still there
    with pytest.raises(NotFound):
        memory.forget(session="GONEsession")
    [finding] = memory.store.doctor().findings
    assert (finding.kind, finding.can_be_repaired) == (FindingKind.LEFTOVER, True)
    if cure == "doctor":
        assert memory.store.doctor(repair=True).is_whole
    else:
        with Memory.open(store_path, namespace="other", embedder=HashingEmbedder()) as other:
            other.forget(other.remember("Another namespace's.").id)
    assert b"GONEtext" not in held(store_path)
    assert memory.store.doctor().findings == ()
    assert b"STAYStext" in held(store_path)


def cut_off(memory: Memory, monkeypatch: pytest.MonkeyPatch, point: FaultPoint) -> None:
    """Forget a session, and be stopped at a point after its rows are gone."""

    def stop(reached: FaultPoint) -> None:
        if reached is point:
            raise Cut

    with monkeypatch.context() as patch:
        patch.setattr("evolore.store.database.listeners", [stop])
        with pytest.raises(Cut):
            memory.forget(session="GONEsession")
    assert "GONEsession" not in {item.session for item in memory.list(limit=100).statements}


def test_a_receipt_is_given_also_where_others_write_too_long(
    memory: Memory, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)

    def busy(*_: object) -> None:
        raise StoreBusy("Another process has been writing")

    with monkeypatch.context() as patch:
        patch.setattr("evolore.index.vector_search.SnapshotKeeper.take_out_erased", busy)
        receipt = memory.forget(session="GONEsession")
    assert receipt.lingering_in == ("evolore.db", "evolore.db-wal")
    assert memory.store.doctor(repair=True).is_whole
    assert b"GONEtext" not in held(store_path)


SECRET = "the code 4711"
ASKED = "Where is the key of the red safe kept?"


@pytest.fixture
def shop(store_path: Path) -> Iterator[Memory]:
    with opened(store_path) as one:
        one.add_text("# Safe\n\nThe key of the red safe is kept in the kitchen.", source="safe")
        one.add_text("# Boat\n\nThe blue boat leaves at nine.", source="boat")
        yield one


def rated(shop: Memory, question: str = ASKED) -> tuple[str, str]:
    """Ask and rate; give the ids of the answer and of its question."""
    answer = shop.answer(question)
    assert answer.citations
    shop.rate(answer.id, Rating.BAD, comment=f"You left out {SECRET}.", principal="ann")
    assert answer.query_id is not None
    return answer.id, answer.query_id


def holds(store: Path, text: str) -> list[str]:
    """Give the tables that hold a text anywhere."""
    tables = [table for (table,) in rows(store, "select name from sqlite_schema where type = 'table'")]
    return [table for table in tables if any(text in str(row) for row in rows(store, f"select * from {table}"))]


def test_comments_on_answers_from_a_document_go_with_it(shop: Memory, store_path: Path) -> None:
    rated(shop)
    kept = shop.answer("When does the blue boat leave?")
    shop.rate(kept.id, Rating.BAD, comment="Not at ten?", principal="ann")
    assert holds(store_path, SECRET)
    would = shop.forget(document="safe", dry_run=True)
    receipt = shop.forget(document="safe")
    kept_comments = 1 if holds(store_path, "Not at ten?") else 0  # whether the other answer quotes it, too
    assert would.comments == receipt.comments == 2 - kept_comments
    assert not holds(store_path, SECRET)
    assert SECRET.encode() not in (store_path / DATABASE).read_bytes()
    assert shop.store.doctor().is_whole
    assert shop.store.verify().is_whole


def test_comments_of_a_namespace_are_counted(shop: Memory, store_path: Path) -> None:
    rated(shop)
    assert shop.forget(everything=True).comments == 1
    assert not holds(store_path, SECRET)


def test_a_question_goes_with_its_answers_ratings_and_edges(shop: Memory, store_path: Path) -> None:
    answer_id, query_id = rated(shop)
    for _ in range(3):
        other = shop.answer(ASKED)
        shop.rate(other.id, Rating.GOOD, principal="ben")
    receipt = shop.forget(query_id)
    assert (receipt.queries, receipt.documents, receipt.episodes) == (1, 0, 0)
    assert receipt.answers == 1
    assert receipt.comments >= 1
    assert not holds(store_path, SECRET)
    assert query_id not in {one.id for one in shop.questions.list()}
    with pytest.raises(NotFound):
        shop.forget(answer_id)
    assert shop.recall(ASKED).hits
    shop.maintain()
    assert shop.store.doctor().is_whole
    assert shop.store.verify().is_whole


def test_an_answer_goes_with_the_comments_on_it(shop: Memory, store_path: Path) -> None:
    answer_id, query_id = rated(shop)
    receipt = shop.forget(answer_id[:-2])
    assert (receipt.answers, receipt.queries) == (1, 0)
    assert not holds(store_path, SECRET)
    assert query_id in {one.id for one in shop.questions.list()}
    assert shop.store.doctor().is_whole


KOBE, SECRET_FORGETTING_MERGED = "The office is in Kobe.", "The vault opens with the word XYLOPHONE."


def test_what_was_merged_is_found_nowhere_and_the_other_stands_again(store_path: Path) -> None:
    with opened(store_path) as memory:
        kept = say(memory, KOBE, on=1)
        gone = say(memory, f"{KOBE} {SECRET_FORGETTING_MERGED}", on=2)
        again = say(memory, SECRET_FORGETTING_MERGED, on=3)
        assert [one.became for one in (*gone.integrated, *again.integrated)] == [Became.MERGED, Became.DUPLICATE]
        memory.recall("What opens the vault?")
        (made,) = standing(memory)
        marks = [b"XYLOPHONE", *vectors(store_path, [made.id, gone.episodes[0].id])]
        assert [mark for mark in marks if mark not in held(store_path)] == []  # the control
        would = memory.forget(gone.episodes[0].id, dry_run=True)
        receipt = memory.forget(gone.episodes[0].id)
        assert (would.episodes, would.freed) == (receipt.episodes, receipt.freed) == (2, 2)
        assert texts_of(standing(memory)) == [KOBE, SECRET_FORGETTING_MERGED]
        memory.forget(again.episodes[0].id)
        assert [mark for mark in marks if mark in held(store_path)] == []
        assert texts_of(standing(memory)) == [KOBE]
        assert standing(memory)[0].id == kept.episodes[0].id
        assert found_in(memory.recall("What opens the vault?")) == [KOBE]
        for event_id in (*gone.event_ids, *again.event_ids):
            with pytest.raises(NotFound, match="erased"):
                memory.undo(event_id)
        assert memory.store.verify().is_whole
        assert memory.store.doctor().findings == ()
        memory.maintain()
        assert texts_of(standing(memory)) == [KOBE]


def test_the_one_that_stood_for_both_may_be_forgotten_too(store_path: Path) -> None:
    with opened(store_path) as memory:
        first = say(memory, KOBE, on=1)
        second = say(memory, KOBE, on=2)
        memory.forget(first.episodes[0].id)
        (left,) = standing(memory)
        assert left.id == second.episodes[0].id
        assert left.state is EpisodeState.ACTIVE
        with pytest.raises(NotFound, match="erased"):
            memory.undo(second.event_ids[0])


def test_a_merge_that_was_taken_back_leaves_nothing_of_what_is_forgotten(store_path: Path) -> None:
    with opened(store_path) as memory:
        say(memory, KOBE, on=1)
        gone = say(memory, f"{KOBE} {SECRET_FORGETTING_MERGED}", on=2)
        memory.undo(gone.event_ids[0])
        assert len(everything(memory)) == 3
        memory.forget(gone.episodes[0].id)
        assert b"XYLOPHONE" not in held(store_path)
        assert texts_of(everything(memory)) == [KOBE]


def test_forgetting_one_side_of_a_contradiction_takes_its_words_out_of_the_question(store_path: Path) -> None:
    with opened(store_path) as memory:
        kept = say(memory, "The vault opens with 5 keys.", on=1)
        gone = say(memory, "The vault opens with 7391645281 keys.", on=2)
        assert [one.episode_ids[0] for one in gone.only.conflicts] == [kept.episodes[0].id]
        assert b"7391645281" in held(store_path)
        memory.forget(gone.episodes[0].id)
        assert b"7391645281" not in held(store_path)
        assert memory.review.list(category="contradiction") == ()
        (left,) = standing(memory)
        assert left.text == kept.episodes[0].text
        assert memory.store.doctor().findings == ()
