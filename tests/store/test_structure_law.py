"""Whatever is merged, split, superseded, undone and forgotten: no text is lost, and undoing gives back what was."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from evolore.domain.filters import Target
from evolore.errors import InvalidValue, NotFound
from evolore.index.settings import IndexSettings
from laws import tried
from store.structures import Structured
from store.test_index import facts

WORDS = ("red", "blue", "green", "white", "black", "brown")
NUMBERS = st.integers(0, 50)
SESSIONS = st.sampled_from([None, "a", "b"])


class Structure(RuleBasedStateMachine):
    """A store under everything that can be done to its structure."""

    def __init__(self) -> None:
        super().__init__()
        self.place = TemporaryDirectory()
        small = IndexSettings(exact_up_to=3, tail_share=0.2)
        self.one = Structured(Path(self.place.name) / "s", small)
        self.sources: set[str] = set(self.one.remember("the first", session="a"))
        self.events: list[str] = []

    def teardown(self) -> None:
        self.one.store._open.snapshots.wait()
        self.one.store.close()
        self.place.cleanup()

    def pick(self, number: int) -> str:
        standing = self.one.standing()
        return standing[number % len(standing)]

    def two(self, number: int, other: int) -> tuple[str, str]:
        standing = self.one.standing()
        first = number % len(standing)
        second = other % (len(standing) - 1)
        return standing[first], standing[second + (second >= first)]

    def is_many(self) -> bool:
        return len(self.one.standing()) > 1

    def is_held(self) -> bool:
        return bool(self.sources)

    @rule(word=st.sampled_from(WORDS), session=SESSIONS)
    def remember(self, word: str, session: str | None) -> None:
        self.sources |= set(self.one.remember(word, session=session))

    @precondition(is_many)
    @rule(number=NUMBERS, other=NUMBERS)
    def merge(self, number: int, other: int) -> None:
        before = self.one.dump()
        done = self.one.merge(*self.two(number, other))
        self.events.append(done.event_id)
        self.undo_and_do_again(done.event_id, before)

    @precondition(is_many)
    @rule(number=NUMBERS, other=NUMBERS)
    def absorb(self, number: int, other: int) -> None:
        before = self.one.dump()
        done = self.one.absorb(*self.two(number, other))
        self.events.append(done.event_id)
        self.undo_and_do_again(done.event_id, before)

    @precondition(is_many)
    @rule(number=NUMBERS, other=NUMBERS)
    def supersede(self, number: int, other: int) -> None:
        before = self.one.dump()
        done = self.one.supersede(*self.two(number, other))
        self.events.append(done.event_id)
        self.undo_and_do_again(done.event_id, before)

    @precondition(is_held)
    @rule(number=NUMBERS, cut=st.integers(1, 5))
    def split(self, number: int, cut: int) -> None:
        whole = self.pick(number)
        members = self.one.sources([whole])
        cut = min(cut, len(members))
        self.events.append(self.one.split(whole, members[:cut], members[cut - 1 :]).event_id)

    @precondition(is_held)
    @rule(number=NUMBERS, confidence=st.floats(0, 1))
    def trust(self, number: int, confidence: float) -> None:
        self.events.append(self.one.trust(self.pick(number), confidence).event_id)

    @precondition(is_held)
    @rule(number=NUMBERS)
    def feel(self, number: int) -> None:
        with self.one.store.write("n") as writer:
            event_id = writer.set_arousal({self.pick(number): number / 50}, at=self.one.clock.now(), reason="use")
        self.events += [event_id] if event_id else []

    @precondition(lambda self: self.events)
    @rule(number=NUMBERS, cascade=st.booleans())
    def undo(self, number: int, cascade: bool) -> None:  # noqa: FBT001 - as it is drawn
        event_id = self.events[number % len(self.events)]
        before = self.one.dump()
        try:
            undone = self.one.undo(event_id, cascade=cascade)
        except (InvalidValue, NotFound):
            assert self.one.dump() == before
            return
        self.events += undone.event_ids
        assert undone.undone_ids[-1] == event_id
        again = [self.one.undo(one) for one in reversed(undone.event_ids)]
        assert self.one.dump() == before
        for one in reversed(again):
            self.one.undo(one.event_ids[0])

    @precondition(is_held)
    @rule(number=NUMBERS)
    def forget(self, number: int) -> None:
        ids = sorted(self.sources)
        id_ = ids[number % len(ids)]
        self.sources.remove(id_)
        self.one.store.erase("n", Target(item_id=id_))

    @precondition(is_held)
    @rule(number=NUMBERS)
    def forget_what_stands(self, number: int) -> None:
        id_ = self.pick(number)
        made = any(one.is_made for one in self.one.episodes([id_]))
        self.sources -= set(self.one.sources([id_])) if made else {id_}
        self.one.store.erase("n", Target(item_id=id_))

    @rule()
    def index(self) -> None:
        with self.one.store.index("n") as (view, _):
            facts(view)

    def undo_and_do_again(self, event_id: str, before: object) -> None:
        after = self.one.dump()
        undone = self.one.undo(event_id).event_ids[0]
        assert self.one.dump() == before
        self.one.undo(undone)
        assert self.one.dump() == after

    @invariant()
    def every_statement_stands_or_is_held(self) -> None:
        with self.one.store.read("n") as reader:
            there = {one.id for one in reader.episodes(sorted(self.sources))}
            assert there == self.sources
            standing = reader.standing_for(sorted(self.sources))
        assert all(standing.values()), standing

    @invariant()
    def the_index_equals_one_built_anew(self) -> None:
        with self.one.store.index("n") as (view, _):
            kept = facts(view)
        with Structured(self.one.folder).store.index("n") as (view, _):
            assert facts(view) == kept

    @invariant()
    def doctor_finds_nothing(self) -> None:
        assert self.one.store.examine("n")[1] == ()


Structure.TestCase.settings = settings(max_examples=tried(3, long=15), stateful_step_count=12, deadline=None)
TestStructure = Structure.TestCase
