"""Changes of structure: one event each, nothing lost, exactly undone."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import Edge, EdgeKind, EpisodeState
from evolore.domain.filters import Target
from evolore.domain.language import Language
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.memory import Memory
from evolore.ports import Change, ChangeKind, FieldChange
from store.structures import EMBEDDER, START, Structured

if TYPE_CHECKING:
    from pathlib import Path


def test_a_merge_makes_an_episode_that_stands_for_both(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second, other = one.remember("red", "blue", "green", session="s")
    done = one.merge(first, second)
    (made,) = done.made
    assert (made.text, made.is_made, made.stands, made.merge_count, made.session) == ("red blue", True, True, 1, "s")
    assert one.standing() == sorted([other, made.id])
    hidden = one.episodes([first, second])
    assert [(item.stands, item.stands_until, item.is_made) for item in hidden] == [(False, made.occurred_at, False)] * 2
    with one.store.read("n") as reader:
        assert [item.id for item in reader.members([made.id, other])[made.id]] == [first, second]
        assert reader.members([other]) == {other: ()}
        assert reader.standing_for([first, other, made.id, "nobody"]) == {
            first: (made.id,),
            other: (other,),
            made.id: (made.id,),
        }


def test_what_a_change_may_not_do_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second, third = one.remember("red", "blue", "green")
    (made,) = one.merge(first, second).made
    before = one.dump()
    with pytest.raises(NotFound, match="nobody"):
        one.trust("nobody", 0.5)
    with pytest.raises(InvalidValue, match="made by a merge"):
        one.apply(
            Change(
                kind=ChangeKind.MERGED,
                subject_id=third,
                reason="x",
                added=(Edge(source_id=third, target_id=made.id, kind=EdgeKind.MEMBER),),
            )
        )
    with pytest.raises(InvalidValue, match="no episode would represent it"):
        one.apply(
            Change(
                kind=ChangeKind.MERGED,
                subject_id=third,
                reason="x",
                fields=(FieldChange(episode_id=third, stands_until=START),),
            )
        )
    with pytest.raises(InvalidValue, match="no episode would represent it"):
        one.apply(
            Change(
                kind=ChangeKind.MERGED,
                subject_id=made.id,
                reason="x",
                fields=(FieldChange(episode_id=made.id, stands_until=START),),
            )
        )
    with pytest.raises(InvalidValue, match="never stored"):
        one.apply(
            Change(
                kind=ChangeKind.MERGED,
                subject_id=third,
                reason="x",
                added=(Edge(source_id=third, target_id=first, kind=EdgeKind.SEQUENCE),),
            )
        )
    with pytest.raises(InvalidValue, match="He said so"):
        Change(kind=ChangeKind.MERGED, subject_id=third, reason="He said so.")
    assert one.dump() == before


def test_an_event_holds_what_was_and_what_is_and_no_text(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second = one.remember("red wine", "blue cheese")
    event_id = one.merge(first, second).event_id
    with one.store.read("n") as reader:
        found = [record for record in reader.records(with_vectors=False) if record.get("id") == event_id]
        record = reader.event(event_id[:20])
    body = json.loads(str(found[0]["body"]))
    assert set(body) == {"reason", "made", "fields"}
    assert [name for _, name, _, _ in body["fields"]] == ["stands_until"] * 2
    assert "wine" not in str(found[0])
    assert (record.kind, record.reason, record.undone_by, record.undoes) == ("merged", "more", None, None)
    assert record.can_be_undone
    assert set(record.episode_ids) == {first, second, body["made"][0][0]}


def test_the_event_of_a_plain_statement_is_small(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    (id_,) = one.remember("red " * 500)
    with one.store.read("n") as reader:
        (event,) = [row for row in reader.records(with_vectors=False) if row.get("subject_id") == id_]
        merged = one.merge(id_, one.remember("blue")[0]).event_id
    size = len(json.dumps(event))
    with one.store.read("n") as reader:
        (other,) = [row for row in reader.records(with_vectors=False) if row.get("id") == merged]
    print(f"the event of a statement takes {size} bytes, that of a merge {len(json.dumps(other))}")  # noqa: T201 - the figure
    assert size <= 1024
    assert len(json.dumps(other)) <= 1024


def test_edges_around_are_stored_and_derived_ones_of_what_stands(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    ids = one.remember("red", "blue", "green", "white", session="s")
    with one.store.write("n") as writer:
        writer.link(
            [
                Edge(source_id=ids[0], target_id=ids[2], kind=EdgeKind.SEMANTIC, weight=0.5),
                Edge(source_id=ids[0], target_id="nobody", kind=EdgeKind.SEMANTIC),
            ],
            at=START,
        )
        writer.link([Edge(source_id=ids[0], target_id=ids[2], kind=EdgeKind.SEMANTIC, weight=0.75)], at=START)
        with pytest.raises(InvalidValue, match="member"):
            writer.link([Edge(source_id=ids[0], target_id=ids[2], kind=EdgeKind.MEMBER)], at=START)
    sequence, semantic = EdgeKind.SEQUENCE, EdgeKind.SEMANTIC
    with one.store.read("n") as reader:
        assert reader.edges_around([ids[0]]) == (
            Edge(source_id=ids[0], target_id=ids[1], kind=sequence),
            Edge(source_id=ids[0], target_id=ids[2], kind=semantic, weight=0.75),
        )
        assert reader.edges_around([ids[2]], kinds=[semantic])[0].source_id == ids[0]
        assert reader.edges_around(ids, limit=2) == reader.edges_around(ids)[:2]
        assert reader.edges_around([]) == reader.edges_around(ids, kinds=[]) == ()
    (made,) = one.merge(ids[1], ids[2]).made
    with one.store.read("n") as reader:
        assert {(edge.source_id, edge.target_id) for edge in reader.edges_around([*ids, made.id])} == {
            (ids[0], made.id),
            (made.id, ids[3]),
        }
        hidden = {edge.kind for edge in reader.edges_around([made.id], hidden=True)}
        assert hidden == {sequence, EdgeKind.MEMBER}
        assert reader.edges_around([ids[2]], hidden=True, kinds=[semantic])
        with pytest.raises(InvalidValue, match="10,004"):
            reader.edges_around(ids * 2501)


def test_passages_are_joined_by_their_places_in_a_document(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path, namespace="n", embedder=EMBEDDER)
    parts = "\n\n".join(f"## Part {number}\n\n" + f"Matter {number} has words. " * 60 for number in range(4))
    memory.add_text(f"# Whole\n\n{parts}", source="x.md")
    memory.add_text(f"# Whole\n\n{parts}\n\nAnd more of it.", source="x.md")
    document_id = memory.list().documents[0].id
    with memory, memory._context.store.read("n") as reader:
        leaves = reader.leaf_episodes(document_id)
        ids = [leaf.id for leaf in leaves]
        parents = [leaf.outline.parts[:-1] if leaf.outline else () for leaf in leaves]
        sequence = reader.edges_around(ids, kinds=[EdgeKind.SEQUENCE])
        hierarchy = reader.edges_around(ids[1:2], kinds=[EdgeKind.HIERARCHY])
    assert len(ids) > 3
    assert {(edge.source_id, edge.target_id) for edge in sequence} == set(pairwise(ids))
    siblings = [id_ for id_, parent in zip(ids, parents, strict=True) if parent == parents[1] and id_ != ids[1]]
    assert {edge.source_id for edge in hierarchy} | {edge.target_id for edge in hierarchy} == {ids[1], *siblings}
    assert siblings
    assert all(ids.index(edge.source_id) < ids.index(edge.target_id) for edge in hierarchy)


def test_a_passage_is_no_member(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path, namespace="n", embedder=EMBEDDER)
    memory.add_text("Some words.", source="x.md")
    memory.close()
    one = Structured(tmp_path)
    (id_,) = one.remember("red")
    with one.store.read("n") as reader:
        (leaf,) = reader.leaf_episodes(reader.documents()[0].id)
    with pytest.raises(InvalidValue, match="passage"):
        one.absorb(id_, leaf.id)


def test_statements_about_a_thing_come_in_time_order(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second = one.remember("Berlin", "Paris", about=("office", "city"))
    one.remember("Rome", about=("office", "capital"))
    one.supersede(first, second)
    with one.store.read("n") as reader:
        found = reader.about("office", "city")
    assert [item.id for item in found] == [first, second]
    assert (found[0].state, found[0].valid_to) == (EpisodeState.SUPERSEDED, found[1].occurred_at)


def test_a_writer_counts_its_own_write_in_the_revision(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    one.remember("red")
    with one.store.read("n") as reader, one.store.write("n") as writer:
        assert writer.revision == reader.revision + 1


def test_what_changed_behind_a_number_is_told_until_it_is_maintained(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    ids = one.remember("red", "blue", "green")
    one.store.erase("n", Target(item_id=ids[1]))
    with one.store.write("n") as writer:
        assert writer.maintained_to("splitting") == 0
        assert writer.changed_after(0, limit=10) == ((1, ids[0]), (3, ids[2]))
        assert writer.changed_after(1, limit=10) == ((3, ids[2]),)
        assert writer.changed_after(0, limit=1) == ((1, ids[0]),)
        writer.set_maintained("splitting", 2)
        writer.set_maintained("splitting", 3)
        assert (writer.maintained_to("splitting"), writer.maintained_to("pruning")) == (3, 0)
        with pytest.raises(InvalidValue, match="Splitting"):
            writer.set_maintained("Splitting", 3)
        with pytest.raises(InvalidValue, match="-1"):
            writer.set_maintained("splitting", -1)


def test_the_last_calibration_of_a_language_holds(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    one.remember("red")
    with one.store.write("n") as writer:
        assert writer.put_calibration("m", Language.EN, {"a": 0.1, "mean": [1 / 3]}, texts=10, at=START) == 1
        assert writer.put_calibration("m", Language.JA, {"a": 7}, texts=5, at=START) == 1
        assert writer.put_calibration("m", Language.EN, {"a": 1 / 7}, texts=20, at=START + timedelta(days=1)) == 2
    with one.store.read("n") as reader:
        found = reader.calibrations("m")
        assert reader.calibrations("other") == {}
    assert {language: (one.version, one.parameters, one.texts) for language, one in found.items()} == {
        Language.EN: (2, {"a": 1 / 7}, 20),
        Language.JA: (1, {"a": 7}, 5),
    }


def test_an_event_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    (id_,) = one.remember("red")
    event_id = one.trust(id_, 0.75).event_id
    with one.store.read("n") as reader:
        assert reader.event(event_id).id == event_id
        assert [record.kind for record in reader.history(id_)] == ["statement_remembered", "confidence_changed"]
        with pytest.raises(NotFound, match="nothing"):
            reader.event("nothing")
        with pytest.raises(AmbiguousId):
            reader.event(event_id[:4])
        with pytest.raises(NotFound):
            reader.event("")


def test_undoing_gives_back_what_was_and_undoing_that_does_it_again(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second = one.remember("red", "blue")
    before = one.dump()
    done = one.merge(first, second)
    after = one.dump()
    undone = one.undo(done.event_id)
    assert undone.undone_ids == (done.event_id,)
    assert one.dump() == before
    (made,) = one.episodes([done.made[0].id])
    assert made.state is EpisodeState.REVOKED
    with pytest.raises(InvalidValue, match=undone.event_ids[0]):
        one.undo(done.event_id)
    with one.store.read("n") as reader:
        assert reader.event(done.event_id).undone_by == undone.event_ids[0]
        assert reader.event(undone.event_ids[0]).undoes == done.event_id
    one.undo(undone.event_ids[0])
    assert one.dump() == after
    one.undo(done.event_id)
    assert one.dump() == before


def test_what_depends_on_an_event_stands_in_the_way_or_is_undone_first(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second, third = one.remember("red", "blue", "green")
    before = one.dump()
    merged = one.merge(first, second)
    again = one.merge(merged.made[0].id, third)
    trusted = one.trust(again.made[0].id, 0.75)
    with pytest.raises(InvalidValue, match=again.event_id):
        one.undo(merged.event_id)
    undone = one.undo(merged.event_id, cascade=True)
    assert undone.undone_ids == (trusted.event_id, again.event_id, merged.event_id)
    assert one.dump() == before


def test_what_was_erased_is_not_undone(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second = one.remember("red", "blue")
    trusted = one.trust(first, 0.75)
    one.store.erase("n", Target(item_id=first))
    with pytest.raises(NotFound, match="erased"):
        one.undo(trusted.event_id)
    assert one.standing() == [second]


def test_undoing_back_and_forth_many_times_comes_out_right(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second = one.remember("red", "blue")
    done = one.merge(first, second)
    last = done.event_id
    for _ in range(40):
        (last,) = one.undo(last).event_ids
    with one.store.read("n") as reader:
        kinds = [record.undone_by is None for record in reader.history(first) if record.can_be_undone]
        assert reader.event(done.event_id).undone_by is None
        assert reader.standing_for([first]) == {first: (done.made[0].id,)}
    assert kinds == [True, False] * 20 + [True]


def test_history_names_the_episodes_an_event_is_about(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second = one.remember("red", "blue")
    one.merge(first, second)
    one.store.erase("n", Target(item_id=second))
    with one.store.read("n") as reader:
        found = {record.kind: record.episode_ids for record in reader.history(first)}
    assert found["statement_remembered"] == found["erased"] == (first,)
    assert set(found["merged"]) > {first, second}
