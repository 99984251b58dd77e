from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from sqlalchemy import text

from evolore.domain.filters import Target
from evolore.domain.health import FindingKind
from evolore.domain.outcome import Rating
from evolore.jobs.clock import SteppingClock
from evolore.models.offline import HashingEmbedder
from evolore.ports import NewVector, TextRole
from evolore.store.exports import check_record
from evolore.store.location import DATABASE
from evolore.store.sqlite import open_database
from evolore.store.store import Store
from store.questions import INSIGHT, Asked, described
from store.structures import EMBEDDER, START, keys_of

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.ports import Record

KEPT = ("queries", "query_texts", "query_vectors", "query_edges", "ratings", "edges", "episodes")


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "s")


def filled(asked: Asked) -> tuple[list[str], list[str]]:
    """Ask four questions of two statements: edges wait, entered, were dismissed, and two were rated."""
    episodes = asked.remember("the red house", "the blue house")
    ids = [asked.ask(f"question {number}?", *episodes, principal="ann") for number in range(4)]
    asked.enter(episodes[0], ids[0])
    asked.wait(ids[1], *episodes)
    asked.dismiss(episodes[0])
    asked.wait(ids[2], *episodes)
    asked.rate(ids[3], Rating.BAD, principal="bob", comment="wrong")
    asked.rate(ids[1], Rating.GOOD, principal="bob")
    return episodes, ids


def exported(asked: Asked, *, with_vectors: bool) -> list[Record]:
    with asked.store.read("n") as reader:
        return list(reader.records(with_vectors=with_vectors))


def put(asked: Asked, records: list[Record]) -> None:
    """Write an export, with what is indexed of texts made anew as importing makes it."""
    for record in records:
        check_record(record)
        for payload in cast("list[Record]", record.get("payloads", [])):
            keys = keys_of(str(payload["text"]))
            vector = b64encode(keys.vector.astype("<f2").tobytes()).decode()
            payload.update(tokens=" ".join(keys.tokens), names=[], periods=[], arousal=keys.arousal, vector=vector)
    with asked.store.write("n") as writer:
        writer.put_records(records)


@pytest.mark.parametrize("with_vectors", [True, False])
def test_questions_move_with_everything_else(asked: Asked, tmp_path: Path, with_vectors: bool) -> None:  # noqa: FBT001
    _, ids = filled(asked)
    records = exported(asked, with_vectors=with_vectors)
    other = Asked(tmp_path / "other")
    put(other, records)
    before, after = asked.dump(), other.dump()
    if not with_vectors:
        assert other.taught() == {}
        with other.store.write("n") as writer:
            texts = dict(writer.unembedded_queries(limit=9))
            assert sorted(texts) == sorted(ids)
            vectors = EMBEDDER.embed(list(texts.values()), role=TextRole.QUERY)
            writer.put_query_vectors(dict(zip(texts, vectors, strict=True)))
        after = other.dump() | {"queries": before["queries"]}
    assert {name: after[name] for name in KEPT} == {name: before[name] for name in KEPT}
    assert other.taught() == asked.taught() != {}
    assert other.store.examine("n")[1] == ()
    again = exported(other, with_vectors=with_vectors)
    tables = {"query_texts", "query_edges", "ratings", "events"}
    assert [one for one in again if one["table"] in tables] == [one for one in records if one["table"] in tables]
    assert all("tokens" not in one for one in records if one["table"] == "query_texts")


def test_vectors_of_another_model_are_made_anew_after_an_import(asked: Asked, tmp_path: Path) -> None:
    _, ids = filled(asked)
    records = exported(asked, with_vectors=True)
    for record in records:
        if record["table"] == "query_vectors":
            record["model_id"] = "another"
    other = Asked(tmp_path / "other")
    put(other, records)
    with other.store.read("n") as reader:
        assert [id_ for id_, _ in reader.unembedded_queries(limit=2)] == sorted(ids)[:2]


def test_what_is_forgotten_takes_its_edges_and_lessons_with_it(asked: Asked) -> None:
    (red, blue), ids = filled(asked)
    assert len(asked.taught()) == 1
    asked.store.erase("n", Target(item_id=red))
    assert asked.taught() == {}
    assert [given.episode_id for given in asked.query(ids[0]).given] == [blue]
    assert asked.store.examine("n")[1] == ()


def test_a_forgotten_namespace_keeps_no_question(asked: Asked) -> None:
    filled(asked)
    assert asked.taught() != {}
    asked.store.erase("n", Target(everything=True))
    dump = asked.dump()
    assert {name: dump[name] for name in KEPT if dump[name]} == {}
    assert asked.taught() == {}
    (one,) = asked.remember("said later")
    asked.enter(one, asked.ask("and now?", one))
    assert len(asked.taught()) == 1


def test_questions_edges_and_ratings_are_counted(asked: Asked) -> None:
    filled(asked)
    with asked.store.read("n") as reader:
        stats = reader.stats()
    assert (stats.queries, stats.waiting_query_edges, stats.ratings) == (4, 3, 2)


@pytest.mark.parametrize(
    "damage",
    [
        "insert into edges values (1, 'gone', '{target}', 'query_insight', 1.0, '2026-03-02T00:00:00.000000+00:00')",
        "insert into query_texts values (1, 'gone', 'a', 'a')",
        "insert into query_vectors select 1, 'gone', model_id, data from query_vectors limit 1",
        "insert into query_edges select 1, 'gone', target_id, 1, 0, null, null, 0, null, null from query_edges limit 1",
        "insert into query_edges select 1, query_id, 'gone', 9, 0, null, null, 0, null, null from query_edges limit 1",
        "insert into ratings values (1, 'gone', 'ann', 'good', null, '2026-03-02T00:00:00.000000+00:00', null)",
        "update query_vectors set model_id = 'another'",
    ],
)
def test_what_belongs_to_no_question_is_found_and_deleted(asked: Asked, damage: str) -> None:
    (red, _), _ = filled(asked)
    taught = asked.taught()
    database = open_database(asked.folder / DATABASE)
    with database.writing() as connection:
        connection.execute(text(damage.format(target=red)))
    database.close()
    found = asked.store.examine("n")[1]
    assert [one.kind for one in found] in ([FindingKind.ORPHAN], [FindingKind.VECTORS])
    asked.store.repair("n")
    assert asked.store.examine("n")[1] == ()
    assert asked.taught() == (taught if "another" not in damage else {})


def test_a_question_without_its_text_is_told_and_kept(asked: Asked) -> None:
    filled(asked)
    database = open_database(asked.folder / DATABASE)
    with database.writing() as connection:
        connection.execute(text("delete from query_texts"))
    database.close()
    assert [one.kind for one in asked.store.examine("n")[1]] == [FindingKind.TEXT_LOST]


def test_a_backup_holds_the_questions(asked: Asked, tmp_path: Path) -> None:
    filled(asked)
    asked.store.backup(tmp_path / "copy")
    assert Asked(tmp_path / "copy").taught() == asked.taught() != {}


def test_a_change_of_model_leaves_no_vector_of_the_old(asked: Asked) -> None:
    _, ids = filled(asked)
    other = HashingEmbedder(24)
    with asked.store.reembedding(other.model) as change:
        change.begin()
        while texts := change.texts(after=None):
            made = other.embed([one.text.text for one in texts], role=TextRole.PASSAGE)
            vectors = zip(texts, made, strict=True)
            change.put({one.place: NewVector(vector=np.asarray(vector)) for one, vector in vectors})
        assert change.switch(at=asked.clock.now(), principal=None) is not None
        change.clean()
    store = Store(asked.folder, model=other.model, clock=SteppingClock(START))
    assert asked.dump()["query_vectors"] == []
    with store.index("n") as (view, _):
        assert view.queries.count == 0
    with store.write("n") as writer:
        texts = dict(writer.unembedded_queries(limit=9))
        assert sorted(texts) == sorted(ids)
        writer.put_query_vectors(dict(zip(texts, other.embed(list(texts.values()), role=TextRole.QUERY), strict=True)))
    with store.index("n") as (view, _):
        assert view.queries.count == 1
    store.close()


def test_a_question_is_no_episode_around_another(asked: Asked) -> None:
    (red, blue), ids = filled(asked)
    with asked.store.read("n") as reader:
        around = reader.edges_around([red], kinds={INSIGHT})
        assert [one.source_id for one in around] == [ids[0]]
        assert reader.episodes([ids[0]]) == ()
        names = {name for event in reader.history(red) for name in event.episode_ids}
        assert not names & set(ids)
        assert reader.prunable(confidence=1.0, unused_since=asked.clock.now(), limit=9) == (red, blue)


def test_the_index_of_another_process_hears_of_all_of_it(asked: Asked) -> None:
    (red, blue), ids = filled(asked)
    beside = Asked(asked.folder)
    assert beside.taught() == asked.taught()
    asked.rate(ids[3], Rating.GOOD)
    asked.rate(ids[1], Rating.BAD)
    asked.enter(blue, ids[2], evaluated=True)
    assert beside.taught() == asked.taught()
    asked.withdraw("ann", erase=True)
    assert beside.taught() == asked.taught() == {}
    asked.store.erase("n", Target(item_id=red))
    with beside.store.index("n") as (view, _):
        assert described(view) == {}
