from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.feedback import DEFLATION, DEFLATION_FACTOR, RESONANCE, RESONANCE_RATE, Effect, stepped
from evolore.domain.outcome import Rating
from evolore.errors import InvalidValue, NotFound
from evolore.ports import Change, ChangeKind, FieldChange
from store.questions import Asked

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "s")


def trust(asked: Asked, id_: str, reason: str, principal: str | None) -> str:
    (one,) = asked.episodes([id_])
    confidence = stepped(one.confidence, Effect(reason).step)
    change = Change(
        kind=ChangeKind.CONFIDENCE_CHANGED,
        subject_id=id_,
        reason=reason,
        fields=(FieldChange(episode_id=id_, confidence=confidence),),
    )
    with asked.store.write("n", principal=principal) as writer:
        return writer.apply(change, at=asked.clock.now())


def resonate(asked: Asked, id_: str, felt_as: float, principal: str | None) -> str | None:
    with asked.store.write("n", principal=principal) as writer:
        now = writer.arousals([id_])[id_]
        start = 0.5 if now is None else now
        return writer.set_arousal(
            {id_: start + RESONANCE_RATE * (felt_as - start)}, at=asked.clock.now(), reason=RESONANCE
        )


def take_back(asked: Asked, event_id: str | None, principal: str | None) -> None:
    assert event_id is not None
    with asked.store.write("n", principal=principal) as writer:
        assert writer.take_back(event_id, at=asked.clock.now())


def deflate(asked: Asked, ids: list[str], principal: str | None) -> None:
    with asked.store.write("n", principal=principal) as writer:
        scaled = {id_: DEFLATION_FACTOR * felt for id_, felt in writer.arousals(ids).items() if felt is not None}
        writer.set_arousal(scaled, at=asked.clock.now(), reason=DEFLATION)


def felt(asked: Asked, *ids: str) -> list[tuple[float, float | None]]:
    return [(one.confidence, one.arousal) for one in asked.episodes(ids)]


def test_what_one_principal_taught_leaves_graph_and_lessons(asked: Asked) -> None:
    one, two = asked.remember("the red house", "the blue house")
    own, other = asked.ask("one?", one, principal="eve"), asked.ask("two?", two, cited=[two], principal="bob")
    asked.enter(one, own)
    asked.enter(two, other, weight=0.5)
    asked.rate(other, Rating.GOOD, principal="eve")
    before = asked.taught()
    done = asked.withdraw("eve")
    assert (done.queries, done.edges, done.ratings, done.episodes) == (1, 1, 1, 0)
    assert asked.edges_to(one) == []
    assert asked.query(other).ratings == ()
    assert list(asked.taught()) == [other]
    assert done.event_id is not None
    undone = asked.undo(done.event_id)
    assert asked.taught() == before
    assert len(asked.query(other).ratings) == 1
    asked.undo(undone.event_ids[0])
    assert list(asked.taught()) == [other]
    assert asked.query(other).ratings == ()


def test_an_undone_withdrawal_cannot_be_undone_twice(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    asked.rate(asked.ask("one?", one), Rating.GOOD, principal="eve")
    event_id = asked.withdraw("eve").event_id
    assert event_id is not None
    asked.undo(event_id)
    with pytest.raises(InvalidValue, match="undid it already"):
        asked.undo(event_id)


def test_where_nothing_was_taught_nothing_is_told(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    asked.ask("one?", one, principal="eve")
    assert asked.withdraw("eve").event_id is None
    assert asked.withdraw(None).event_id is None


def test_edges_that_wait_count_no_longer_until_it_is_undone(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    own, other = asked.ask("one?", one, principal="eve"), asked.ask("two?", one)
    for id_ in (own, other):
        asked.wait(id_, one)
    event_id = asked.withdraw("eve").event_id
    assert asked.touching(one) == [other]
    assert asked.gathered(2) == ()
    assert asked.enter(one, own) is None
    assert event_id is not None
    asked.undo(event_id)
    assert asked.gathered(2) == (one,)


def test_confidence_becomes_what_the_others_made_of_it(asked: Asked) -> None:
    (one, twin) = asked.remember("the red house", "the blue house")
    for reason, who in (
        ("helpful", "ann"),
        ("selected", "eve"),
        ("selected", "eve"),
        ("helpful", "bob"),
        ("unhelpful", "eve"),
        ("unhelpful", "ann"),
        ("selected", None),
    ):
        trust(asked, one, reason, who)
        if who != "eve":
            trust(asked, twin, reason, who)
    assert felt(asked, one) != felt(asked, twin)
    before = asked.dump()
    done = asked.withdraw("eve")
    assert done.episodes == 1
    assert felt(asked, one) == felt(asked, twin)
    assert done.event_id is not None
    asked.undo(done.event_id)
    assert asked.dump() == before


def test_a_step_that_was_bounded_counts_whole_once_the_bound_is_gone(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    for _ in range(5):
        trust(asked, one, "selected", "eve")
    trust(asked, one, "helpful", "ann")
    assert felt(asked, one)[0][0] == 1.0
    asked.withdraw("eve")
    assert felt(asked, one)[0][0] == pytest.approx(0.65)


def test_arousal_becomes_what_the_others_made_of_it(asked: Asked) -> None:
    one, twin = asked.remember("the red house", "the blue house")
    for felt_as, who in ((0.9, "eve"), (0.8, "ann"), (1.0, "eve"), (0.3, "bob")):
        resonate(asked, one, felt_as, who)
        if who != "eve":
            resonate(asked, twin, felt_as, who)
        if felt_as == 0.8:
            deflate(asked, [one, twin], "ann")
    asked.withdraw("eve")
    ((_, left), (_, wanted)) = felt(asked, one, twin)
    assert left == pytest.approx(wanted)


def test_what_others_took_back_of_their_own_stays_taken_back(asked: Asked) -> None:
    one, twin = asked.remember("the red house", "the blue house")
    resonate(asked, one, 0.9, "eve")
    trust(asked, one, "selected", "eve")
    for id_ in (one, twin):
        effects = trust(asked, id_, "helpful", "ann"), resonate(asked, id_, 0.8, "ann")
        resonate(asked, id_, 0.1, "bob")
        trust(asked, id_, "unhelpful", "bob")
        for event_id in effects:
            take_back(asked, event_id, "ann")
    asked.withdraw("eve")
    left, wanted = felt(asked, one, twin)
    assert left == pytest.approx(wanted)
    assert left == pytest.approx((0.4, 0.5 + 0.2 * (0.1 - 0.5)))


def test_what_is_taken_back_leaves_what_the_later_ones_make_of_it_and_can_be_undone(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    first = trust(asked, one, "helpful", "ann")
    for _ in range(4):
        trust(asked, one, "selected", "bob")
    assert felt(asked, one)[0][0] == 1.0
    with asked.store.write("n", principal="ann") as writer:
        event_id = writer.take_back(first, at=asked.clock.now())
    assert felt(asked, one)[0][0] == pytest.approx(0.9)
    assert event_id is not None
    asked.undo(event_id)
    assert felt(asked, one)[0][0] == 1.0
    with asked.store.write("n") as writer:
        assert writer.take_back("0" * 26, at=asked.clock.now()) is None


def test_arousal_that_only_one_moved_is_unknown_again(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    resonate(asked, one, 0.9, "eve")
    asked.withdraw("eve")
    assert felt(asked, one)[0][1] is None


def test_what_was_undone_counts_neither_way(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    undone = trust(asked, one, "helpful", "ann")
    asked.undo(undone)
    trust(asked, one, "selected", "eve")
    trust(asked, one, "helpful", "bob")
    asked.withdraw("eve")
    assert felt(asked, one)[0][0] == pytest.approx(0.65)


def test_what_was_withdrawn_before_stays_withdrawn(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    for who in ("eve", "mal", "ann"):
        trust(asked, one, "selected", who)
    asked.withdraw("eve")
    trust(asked, one, "selected", "eve")
    asked.withdraw("mal")
    assert felt(asked, one)[0][0] == pytest.approx(0.7)
    asked.withdraw("eve")
    assert felt(asked, one)[0][0] == pytest.approx(0.6)


def test_erasing_takes_questions_texts_vectors_and_comments_for_good(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    own, other = asked.ask("a xylophone question?", one, principal="eve"), asked.ask("two?", one, principal="bob")
    asked.enter(one, own)
    asked.rate(other, Rating.GOOD, principal="eve", comment="a xylophone comment")
    done = asked.withdraw("eve", erase=True)
    with asked.store.read("n") as reader:
        assert [found.id for found in reader.queries(limit=9)] == [other]
    assert asked.query(other).ratings == ()
    written = b"".join(path.read_bytes() for path in asked.folder.iterdir() if path.is_file())
    assert b"xylophone" not in written
    assert b"two?" in written
    assert asked.taught() == {}
    assert done.event_id is not None
    with pytest.raises(NotFound, match="erased, for good"):
        asked.undo(done.event_id)
    assert asked.store.verify("n").is_whole


def test_an_entering_whose_questions_were_erased_cannot_be_undone(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    own = asked.ask("one?", one, principal="eve")
    event_id = asked.enter(one, own)
    assert event_id is not None
    asked.withdraw("eve", erase=True)
    with pytest.raises(NotFound, match="erased since"):
        asked.undo(event_id)


def test_of_questions_nobody_in_particular_asked_all_are_withdrawn(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    own, other = asked.ask("one?", one), asked.ask("two?", one, principal="bob")
    asked.enter(one, own, other)
    asked.withdraw(None)
    assert [edge[0] for edge in asked.edges_to(one)] == [other]
