"""Whatever is remembered, maintained, undone, settled and forgotten: nothing said is lost, and undoing gives back all."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from evolore.domain.episode import EpisodeState, Statement
from evolore.domain.review import Keep, ReviewStatus
from evolore.episodes.shared_sentences import folded
from evolore.errors import InvalidValue, NotFound
from evolore.store.tables import review_items
from evolore.text.sentences import sentence_spans
from flows.memories import START, day, everything, opened, standing
from flows.test_remember import TEXTS
from laws import tried
from store.structures import dump_of
from store.test_index import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.episode import Episode

SAID = st.builds(
    Statement,
    text=st.sampled_from(TEXTS),
    occurred_at=st.sampled_from([None, day(1), day(2), day(3)]),
    speaker=st.sampled_from([None, None, "Mika"]),
    session=st.sampled_from([None, "a", "b"]),
    about=st.sampled_from([None, None, None, ("office", "city")]),
)
PLACES = st.integers(0, 50)
UNDOABLE = {"merged", "split", "superseded", "conflict_found", "conflict_settled", "undone"}

LOSES = "no episode would represent it"


def rows_of(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Give every row; of review items only whether they are open, since they tell when and by whom they were resolved."""
    rows = dump_of(folder)
    place = list(review_items.c.keys()).index("status")
    return rows | {"review_items": [(row[1], row[place]) for row in rows["review_items"]]}


class Remembering(RuleBasedStateMachine):
    """A memory under everything that a user may do to it."""

    def __init__(self) -> None:
        super().__init__()
        self.place = TemporaryDirectory()
        self.folder = Path(self.place.name) / "s"
        self.memory = opened(self.folder)
        self.said: dict[str, str] = {}
        self.events: list[str] = []
        self.remember(Statement(text=TEXTS[0], occurred_at=day(1)))

    def teardown(self) -> None:
        self.memory.close()
        self.place.cleanup()

    @rule(said=SAID)
    def remember(self, said: Statement) -> None:
        self.remember_many([said])

    @rule(said=st.lists(SAID, min_size=2, max_size=5))
    def remember_many(self, said: list[Statement]) -> None:
        done = self.memory.remember_many(said)
        self.said |= {one.id: one.text for one in done.episodes}
        self.events += done.event_ids
        assert [one.text for one in done.episodes] == [one.text for one in said]

    @rule(items=st.sampled_from([1, 3, 100]))
    def maintain(self, items: int) -> None:
        done = self.memory.maintain(items=items)
        self.events += done.event_ids
        assert done.examined <= items

    @rule()
    def try_to_maintain(self) -> None:
        before = dump_of(self.folder)
        self.memory.maintain(dry_run=True)
        assert dump_of(self.folder) == before

    @precondition(lambda self: self.events)
    @rule(place=PLACES, cascade=st.booleans())
    def undo(self, place: int, cascade: bool) -> None:  # noqa: FBT001 - as it is drawn
        event_id = self.events[place % len(self.events)]
        before = rows_of(self.folder)
        try:
            undone = self.memory.undo(event_id, cascade=cascade)
        except (InvalidValue, NotFound) as error:
            refused = str(error)
            assert LOSES not in refused
            assert rows_of(self.folder) == before
            return
        after = rows_of(self.folder)
        again = [self.memory.undo(one) for one in reversed(undone.event_ids)]
        assert rows_of(self.folder) == before
        for one in reversed(again):
            self.memory.undo(one.event_ids[0])
        assert rows_of(self.folder) == after
        self.events += undone.event_ids

    @precondition(lambda self: self.said)
    @rule(place=PLACES)
    def forget(self, place: int) -> None:
        id_ = sorted(self.said)[place % len(self.said)]
        del self.said[id_]
        self.memory.forget(id_)
        assert id_ not in {one.id for one in everything(self.memory)}

    @rule(session=st.sampled_from(["a", "b"]))
    def forget_a_conversation(self, session: str) -> None:
        ids = {one.id for one in everything(self.memory) if one.session == session and not one.is_made}
        try:
            self.memory.forget(session=session)
        except NotFound:
            return
        self.said = {id_: text for id_, text in self.said.items() if id_ not in ids}

    @rule(place=PLACES, keep=st.sampled_from(Keep))
    def settle(self, place: int, keep: Keep) -> None:
        items = self.memory.review.list(category="contradiction")
        if not items:
            return
        before = dump_of(self.folder)
        try:
            done = self.memory.review.settle(items[place % len(items)].id or "", keep=keep)
        except NotFound:
            assert dump_of(self.folder) == before
            return
        self.events.append(done.event_id)

    @rule()
    def recall(self) -> None:
        for hit in self.memory.recall("Where is the office?", limit=20).hits:
            assert hit.episode.state is not EpisodeState.REVOKED
            assert hit.episode.stands

    @invariant()
    def nothing_that_was_said_is_lost(self) -> None:
        episodes = {one.id: one for one in everything(self.memory)}
        assert {id_: one.text for id_, one in episodes.items() if not one.is_made} == self.said
        with self.memory._context.store.read("n") as reader:
            holders = reader.standing_for(sorted(self.said))
            members = reader.members(sorted(episodes))
        for id_, ids in holders.items():
            # What nobody stands for was taken back by a person who settled, or went into what was.
            assert ids or self.is_revoked(id_, episodes, members)
            for part in (span.of(self.said[id_]) for span in sentence_spans(self.said[id_])):
                held = "".join(folded(episodes[holder].text) for holder in ids)
                assert not ids or folded(part) in held

    def is_revoked(self, id_: str, episodes: Mapping[str, Episode], members: Mapping[str, tuple[Episode, ...]]) -> bool:
        above = [one for one, held in members.items() if id_ in {member.id for member in held}]
        return any(episodes[one].state is EpisodeState.REVOKED for one in (id_, *above))

    @invariant()
    def what_was_made_has_members_and_those_alone_hide(self) -> None:
        episodes = everything(self.memory)
        with self.memory._context.store.read("n") as reader:
            members = reader.members([one.id for one in episodes])
        for one in episodes:
            held = members.get(one.id, ())
            if one.is_made and one.state is not EpisodeState.REVOKED:  # a making that was taken back holds none
                assert held
            assert all(not member.is_made for member in held)
            assert one.id not in {member.id for member in held}
            if one.stands:
                assert all(not member.stands for member in held)

    @invariant()
    def counts_match(self) -> None:
        stats = self.memory.stats()
        episodes = everything(self.memory)
        assert stats.statements == len(standing(self.memory)) == sum(one.stands for one in episodes)
        assert stats.hidden_statements == sum(not one.stands for one in episodes)
        assert stats.sessions == len({one.session for one in episodes if one.stands} - {None})
        assert stats.open_review_items == len(self.memory.review.list())

    @invariant()
    def the_open_index_equals_one_built_anew(self) -> None:
        with self.memory._context.store.index("n") as (view, _):
            kept = facts(view)
        with opened(self.folder) as fresh, fresh._context.store.index("n") as (view, _):
            assert facts(view) == kept

    @invariant()
    def the_store_is_whole(self) -> None:
        assert self.memory.store.doctor().findings == ()
        assert self.memory.store.verify().is_whole

    @invariant()
    def at_every_moment_only_what_had_been_said_is_found(self) -> None:
        episodes = everything(self.memory)
        dated = [one for one in episodes if one.occurred_at is not None and not one.is_made]
        for moment in (day(1), day(2), day(3)):
            said = "".join(
                folded(one.text) for one in dated if one.occurred_at is not None and one.occurred_at <= moment
            )
            for one in episodes:
                when = one.occurred_at or one.recorded_at
                if when <= moment < (one.stands_until or START) and one.state is not EpisodeState.REVOKED:
                    assert all(folded(span.of(one.text)) in said for span in sentence_spans(one.text))


Remembering.TestCase.settings = settings(max_examples=tried(3, long=8), stateful_step_count=12, deadline=None)
TestRemembering = Remembering.TestCase


def test_undoing_one_of_several_conflicts_of_a_statement_and_back_gives_all_items_back(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        memory.remember("The office is in Kobe.", occurred_at=day(1))
        kobe, osaka = Statement(text="The office is in Kobe."), Statement(text="The office is in Osaka.")
        first = memory.remember_many([kobe, osaka, kobe]).event_ids[0]
        filed = [one.status for one in memory.review.list()]
        assert len(filed) > 1
        undone = memory.undo(first)
        for event in reversed(undone.event_ids):
            memory.undo(event)
        assert [one.status for one in memory.review.list()] == filed


def test_what_a_person_resolved_stays_so_when_the_conflict_is_undone_and_back(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        kobe, osaka = Statement(text="The office is in Kobe."), Statement(text="The office is in Osaka.")
        said = memory.remember_many([kobe, osaka])
        (item,) = memory.review.list()
        memory.review.resolve(item.id or "")
        for event in said.event_ids:
            for back in reversed(memory.undo(event).event_ids):
                memory.undo(back)
        (same,) = memory.review.list(status=None)
        assert (same.id, same.status) == (item.id, ReviewStatus.RESOLVED)
