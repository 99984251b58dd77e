"""Whatever is asked, rated, evaluated, undone, withdrawn and forgotten: the store says what a plain account says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from evolore.domain.filters import Target
from evolore.domain.outcome import Rating
from evolore.errors import InvalidValue, NotFound
from evolore.index.settings import IndexSettings
from laws import tried
from store.questions import BYPASS, INSIGHT, RETRIEVAL, Asked
from store.test_withdrawing import felt, resonate, trust

if TYPE_CHECKING:
    from evolore.domain.episode import EdgeKind

NUMBERS = st.integers(0, 50)
ALWAYS_FILED = IndexSettings(exact_up_to=0, tail_share=0.0)
WHO = st.sampled_from([None, "ann", "bob"])


@dataclass
class Entry:
    """What the account says of an edge that entered the graph, in the place of one that was there."""

    event_id: str
    kind: EdgeKind
    weight: float


@dataclass
class Handed:
    """What the account says of one episode that was handed over for a question."""

    cited: bool
    left: EdgeKind | None = None
    evaluated: bool = False
    entered: list[Entry] = field(default_factory=list[Entry])

    @property
    def waits(self) -> bool:
        return self.left is not None and not self.evaluated and not self.entered

    @property
    def kind(self) -> EdgeKind | None:
        return self.entered[-1].kind if self.entered else self.left

    @property
    def weight(self) -> float | None:
        return self.entered[-1].weight if self.entered else None


@dataclass
class Told:
    """What the account says of one question."""

    who: str | None
    handed: dict[str, Handed]
    ratings: dict[str | None, Rating] = field(default_factory=dict[str | None, Rating])


class Teaching(RuleBasedStateMachine):
    """A store of which questions are asked, beside a plain account of what it must say."""

    def __init__(self) -> None:
        super().__init__()
        self.place = TemporaryDirectory()
        self.one = Asked(Path(self.place.name) / "s")
        self.episodes = self.one.remember("the red house", "the blue house", "the green house")
        self.told: dict[str, Told] = {}

    def teardown(self) -> None:
        self.one.store.close()
        self.place.cleanup()

    def has_questions(self) -> bool:
        return bool(self.told)

    def has_episodes(self) -> bool:
        return bool(self.episodes)

    def pick(self, number: int) -> str:
        return sorted(self.told)[number % len(self.told)]

    @precondition(has_episodes)
    @rule(who=WHO, first=NUMBERS, cited=st.booleans())
    def ask(self, who: str | None, first: int, cited: bool) -> None:  # noqa: FBT001
        given = list(dict.fromkeys(self.episodes[(first + step) % len(self.episodes)] for step in range(2)))
        id_ = self.one.ask(f"question {len(self.told)}?", *given, cited=given[:1] if cited else (), principal=who)
        self.told[id_] = Told(who, {target: Handed(cited and target == given[0]) for target in given})

    @precondition(has_questions)
    @rule(number=NUMBERS, kind=st.sampled_from([RETRIEVAL, BYPASS]))
    def wait(self, number: int, kind: EdgeKind) -> None:
        id_ = self.pick(number)
        self.one.wait(id_, *self.told[id_].handed, kind=kind)
        for handed in self.told[id_].handed.values():
            if not handed.evaluated and not handed.entered:
                handed.left = kind

    @precondition(has_questions)
    @rule(number=NUMBERS, most=st.integers(1, 2), again=st.booleans())
    def good_then_bad(self, number: int, most: int, again: bool) -> None:  # noqa: FBT001
        id_ = self.pick(number)
        handed = self.told[id_].handed
        undone: list[str] = []
        for one in handed.values():
            if one.entered and one.entered[-1].kind is INSIGHT:
                undone += self.one.undo(one.entered.pop().event_id).event_ids
        left = list(handed)[:most]
        self.one.wait(id_, *left)
        for target, one in handed.items():
            if left and not one.evaluated and not one.entered:
                one.left = RETRIEVAL if target in left else None
        for event_id in reversed(undone if again else []):
            before = self.one.dump()
            redone = self.one.undo(event_id).event_ids[0]
            assert len(self.one.dump()["edges"]) >= len(before["edges"])
            assert self.without_touch(self.one.dump()) != self.without_touch(before)
            self.what_is_in_the_graph_waits_no_more()
            self.one.undo(redone)
            assert self.without_touch(self.one.dump()) == self.without_touch(before)

    @precondition(has_questions)
    @rule(number=NUMBERS, weight=st.sampled_from([0.25, 1.0]), again=st.booleans())
    def enter(self, number: int, weight: float, again: bool) -> None:  # noqa: FBT001
        id_ = self.pick(number)
        for target, handed in self.told[id_].handed.items():
            before = self.one.dump()
            event_id = self.one.enter(target, id_, weight=weight)
            assert (event_id is None) == (handed.weight == weight and handed.kind is INSIGHT)
            if event_id is not None:
                handed.entered.append(Entry(event_id, INSIGHT, weight))
                if again:
                    self.undo_and_do_again(event_id, before)

    @precondition(has_episodes)
    @rule(number=NUMBERS, is_high=st.booleans())
    def evaluate(self, number: int, is_high: bool) -> None:  # noqa: FBT001
        target = self.episodes[number % len(self.episodes)]
        waiting = [
            (id_, one.handed[target])
            for id_, one in self.told.items()
            if target in one.handed and one.handed[target].waits
        ]
        if is_high and waiting:
            ids = [id_ for id_, _ in waiting]
            event_id = self.one.enter(target, *ids, evaluated=True, weight=0.5, kind=RETRIEVAL, led=False)
            assert event_id is not None
            for _, handed in waiting:
                handed.entered.append(Entry(event_id, RETRIEVAL, 0.5))
        else:
            touching = self.one.touching(target)
            assert (self.one.dismiss(target) is None) == (not touching)
        for one in self.told.values():
            if target in one.handed and one.handed[target].kind is not None:
                one.handed[target].evaluated = True

    @precondition(has_questions)
    @rule(number=NUMBERS, rating=st.sampled_from(Rating), who=WHO)
    def rate(self, number: int, rating: Rating, who: str | None) -> None:
        id_ = self.pick(number)
        self.one.rate(id_, rating, principal=who)
        self.told[id_].ratings[who] = rating
        for target in self.told[id_].handed:
            trust(self.one, target, "selected" if rating is Rating.GOOD else "unhelpful", who)
            resonate(self.one, target, 0.9, who)

    @rule(who=WHO)
    def withdraw_and_undo(self, who: str | None) -> None:
        before, taught, state = self.one.dump(), self.one.taught(), self.felt()
        event_id = self.one.withdraw(who).event_id
        if event_id is None:
            assert self.without_touch(self.one.dump()) == self.without_touch(before)
            return
        after, left = self.one.dump(), self.one.taught()
        undone = self.one.undo(event_id).event_ids[0]
        assert self.without_touch(self.one.dump()) == self.without_touch(before)
        assert (self.one.taught(), self.felt()) == (taught, state)
        again = self.one.undo(undone).event_ids[0]
        assert self.without_marks(self.one.dump()) == self.without_marks(after)
        assert self.one.taught() == left
        self.one.undo(again)

    @precondition(has_questions)
    @rule(who=WHO)
    def withdraw_for_good(self, who: str | None) -> None:
        self.one.withdraw(who, erase=True)
        self.told = {id_: one for id_, one in self.told.items() if one.who != who}
        for one in self.told.values():
            one.ratings.pop(who, None)

    @precondition(lambda self: len(self.episodes) > 1)
    @rule(number=NUMBERS)
    def forget(self, number: int) -> None:
        gone = self.episodes.pop(number % len(self.episodes))
        self.one.store.erase("n", Target(item_id=gone))
        for one in self.told.values():
            one.handed.pop(gone, None)

    @invariant()
    def what_waits_and_what_is_in_the_graph_is_what_was_told(self) -> None:
        for target in self.episodes:
            handed = {id_: one.handed[target] for id_, one in self.told.items() if target in one.handed}
            assert self.one.touched_by(target) == sorted(
                (id_, one.kind, one.kind is INSIGHT)
                for id_, one in handed.items()
                if one.kind is not None and not one.evaluated
            )
            assert self.one.edges_to(target) == sorted(
                (id_, one.kind, one.weight) for id_, one in handed.items() if one.weight is not None
            )

    @invariant()
    def lessons_are_what_was_told(self) -> None:
        wanted: dict[str, list[tuple[str, float, bool]]] = {}
        for id_, one in self.told.items():
            balance = sum(1 if rating is Rating.GOOD else -1 for rating in one.ratings.values())
            good = sum(rating is Rating.GOOD for rating in one.ratings.values()) if balance > 0 else 0
            rows = [(target, 1.0, True) for target, handed in one.handed.items() if handed.cited for _ in range(good)]
            rows += [
                (target, handed.weight, False)
                for target, handed in one.handed.items()
                if handed.kind is INSIGHT and handed.weight is not None and not (handed.cited and good)
                for _ in range(good or 1)  # those who rated it good teach it, each; else whoever asked
            ]
            if rows:
                wanted[id_] = sorted(rows)
        taught = self.one.taught()
        assert {id_: row[0] for id_, row in taught.items()} == wanted  # type: ignore[index]

    @invariant()
    def the_index_equals_one_built_anew_and_one_read_from_a_file(self) -> None:
        assert Asked(self.one.folder).taught() == self.one.taught()
        for _ in range(2):  # one that may write a file, and one that reads it
            filing = Asked(self.one.folder, ALWAYS_FILED)
            assert filing.taught() == self.one.taught()
            filing.store._open.snapshots.wait()
            filing.store.close()

    @invariant()
    def doctor_finds_nothing(self) -> None:
        assert self.one.store.examine("n")[1] == ()

    def what_is_in_the_graph_waits_no_more(self) -> None:
        with self.one.store.read("n") as reader:
            found = reader.stats().waiting_query_edges
        open_ = [(id_, target) for target in self.episodes for id_, _, _ in self.one.touched_by(target)]
        there = {(id_, target) for target in self.episodes for id_, _, _ in self.one.edges_to(target)}
        assert found == sum(place not in there for place in open_)

    def felt(self) -> object:
        return felt(self.one, *self.episodes)

    def undo_and_do_again(self, event_id: str, before: dict[str, list[tuple[object, ...]]]) -> None:
        after, taught = self.one.dump(), self.one.taught()
        try:
            undone = self.one.undo(event_id).event_ids[0]
        except (InvalidValue, NotFound) as error:
            raise AssertionError(error) from error
        assert self.one.dump()["edges"] == before["edges"]
        self.one.undo(undone)
        assert self.without_touch(self.one.dump()) == self.without_touch(after)
        assert self.one.taught() == taught

    def without_touch(self, dump: dict[str, list[tuple[object, ...]]]) -> object:
        """Leave out when indexes were last told of a question."""
        return {**dump, "queries": [(*row[:10], row[11]) for row in dump["queries"]]}

    def without_marks(self, dump: dict[str, list[tuple[object, ...]]]) -> object:
        """Leave out too which event it was that took something back."""
        marked = {name: [(*row[:-1], row[-1] is None) for row in dump[name]] for name in ("queries", "ratings")}
        return {**dump, **marked, "queries": [(*row[:10], row[11]) for row in marked["queries"]]}


Teaching.TestCase.settings = settings(max_examples=tried(3, long=15), stateful_step_count=12, deadline=None)
TestTeaching = Teaching.TestCase
