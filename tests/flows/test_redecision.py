"""What a rule of an earlier version superseded is decided again, once each; what a key, a person or a model decided stays."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from shutil import unpack_archive
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Deed, Edge, EdgeKind, EpisodeState, Statement
from evolore.domain.health import FindingKind
from evolore.episodes.settings import Conclude, IntegrationSettings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import Change, ChangeKind, FieldChange
from evolore.store import schema
from flows.memories import START, day, everything, opened
from once import MAKE_TABLES
from store.structures import dump_of

if TYPE_CHECKING:
    from evolore.ports import EventRecord

BY_RULES = Path(__file__).parents[1] / "data" / "stores" / "rules.tgz"
PATIENTS = ("Patient 12 takes aspirin.", "Patient 13 takes ibuprofen.")
MOVED = ("I live in Munich.", "I live in Berlin now.")
CORRECTED = ("The talk is at 3 pm.", "The talk is at 4 pm, not 3 pm.")
PLAIN = Settings(integration=IntegrationSettings(enabled=False))


@pytest.fixture(autouse=True)
def _really(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the migrations themselves, which other tests make once and write from notes."""
    monkeypatch.setattr(schema, "make_tables", MAKE_TABLES)


def written_by_0_2(folder: Path) -> Memory:
    unpack_archive(BY_RULES, folder)
    return Memory.open(folder, namespace="team", embedder=HashingEmbedder(16), settings=Settings())


def superseded(memory: Memory, old: str, new: str, *, on: int = 1, speaker: str = "Mika") -> tuple[str, str, str]:
    """Remember two statements, and have the second supersede the first as a rule of version 0.2.0 did; give ids and event."""
    said = [
        Statement(text=text, occurred_at=day(on + 30 * place), speaker=speaker) for place, text in enumerate((old, new))
    ]
    older, newer = memory.remember_many(said).episodes
    change = Change(
        kind=ChangeKind.SUPERSEDED,
        subject_id=older.id,
        fields=(FieldChange(episode_id=older.id, state=EpisodeState.SUPERSEDED, valid_to=newer.valid_from),),
        added=(Edge(source_id=newer.id, target_id=older.id, kind=EdgeKind.SUPERSEDES),),
        reason="stated_anew",
    )
    with memory._context.store.write("n") as writer:
        return older.id, newer.id, writer.apply(change, at=START + timedelta(days=on))


def states(memory: Memory) -> dict[str, str]:
    return {one.text: one.state.value for one in everything(memory)}


def state_of(memory: Memory, id_: str) -> str:
    return next(one.state.value for one in everything(memory) if one.id == id_)


def last_event(memory: Memory, id_: str) -> EventRecord:
    return memory.history(id_)[-1]


def edges(memory: Memory, kind: EdgeKind) -> set[tuple[str, str]]:
    with memory._context.store.read(memory._context.namespace) as reader:
        found = reader.edges_around([one.id for one in everything(memory)], kinds=frozenset((kind,)), hidden=True)
    return {(one.source_id, one.target_id) for one in found}


def test_a_store_of_version_0_2_gets_back_what_rules_took(tmp_path: Path) -> None:
    with closing(written_by_0_2(tmp_path / "store")) as memory:
        before, rows = states(memory), dump_of(tmp_path / "store")
        assert memory.stats().superseded_by_rule == 4
        tried = memory.maintain(redecide=True, dry_run=True)
        assert dump_of(tmp_path / "store") == rows
        assert (tried.is_dry_run, tried.examined, tried.remaining, tried.event_ids) == (True, 4, 0, ())
        done = memory.maintain(redecide=True, principal="ops")
        assert [(one.deed, one.episode_ids, one.reason) for one in done.actions] == [
            (one.deed, one.episode_ids, one.reason) for one in tried.actions
        ]
        assert [one.deed for one in done.actions] == [
            Deed.RESTORED,  # the patients
            Deed.LIKELY_SUPERSEDED,  # Munich
            Deed.RESTORED,  # the jacket
            Deed.SUPERSEDED,  # a chat model's key
        ]
        now = states(memory)
        back = {text for text, state in now.items() if state != before[text]}
        assert back == {PATIENTS[0], MOVED[0], "I bought a jacket for 80 euros."}
        assert {now[text] for text in back} == {"active"}
        assert edges(memory, EdgeKind.LIKELY_SUPERSEDES) == {done.actions[1].episode_ids[::-1]}
        assert last_event(memory, done.actions[0].episode_ids[0]).principal == "ops"
        assert memory.stats().superseded_by_rule == 0
        again = memory.maintain(redecide=True)
        assert (again.examined, again.actions, again.event_ids) == (0, (), ())
        assert memory.store.verify().is_whole
        assert {one.kind for one in memory.store.doctor(repair=True).findings} <= {
            FindingKind.TOKENS
        }  # no other forms then
        assert not memory.store.doctor().findings
        for one in done.actions:
            assert one.event_id is not None
            memory.undo(one.event_id)
        assert states(memory) == before
        assert memory.maintain(redecide=True).actions == (), "what a person took back is not done again"


def test_a_correction_in_words_that_an_earlier_version_called_a_rule_stays(store_path: Path) -> None:
    with opened(store_path, settings=PLAIN) as memory:
        old, new, _ = superseded(memory, *CORRECTED)
        (kept,) = memory.maintain(redecide=True).actions
        assert (kept.deed, kept.episode_ids) == (Deed.SUPERSEDED, (old, new))
        assert state_of(memory, old) == "superseded"
        assert (
            old in {target for _, target in edges(memory, EdgeKind.SUPERSEDES)},
            memory.stats().superseded_by_rule,
        ) == (True, 0)


def test_what_is_decided_today_is_never_decided_again(store_path: Path) -> None:
    with opened(store_path) as memory:
        for place, text in enumerate(CORRECTED):
            memory.remember(text, speaker="Mika", occurred_at=day(place + 1))
        assert states(memory)[CORRECTED[0]] == "superseded"
        for place, city in enumerate(("Kobe", "Nara")):
            memory.remember(f"The office is in {city}.", about=("office", "city"), occurred_at=day(place + 1))
        assert states(memory)["The office is in Kobe."] == "superseded"
        assert memory.stats().superseded_by_rule == 0
        assert memory.maintain(redecide=True).actions == ()


def test_it_goes_on_where_it_was_stopped(store_path: Path) -> None:
    with opened(store_path, settings=PLAIN) as memory:
        pairs = [superseded(memory, *PATIENTS, on=number, speaker=f"s{number}") for number in range(1, 41)]
        assert memory.stats().superseded_by_rule == 40

        def killed(*, done: int, remaining: int) -> None:
            raise KeyboardInterrupt(f"{done} of {remaining}")

        with pytest.raises(KeyboardInterrupt):
            memory.maintain(redecide=True, progress=killed)
        left = memory.stats().superseded_by_rule
        assert 0 < left < 40
        few = memory.maintain(redecide=True, items=5)
        assert (few.examined, few.remaining) == (5, left - 5)
        assert memory.maintain(redecide=True).examined == left - 5
        told = [one for old, _, _ in pairs for one in memory.history(old) if one.reason == "decided_again"]
        assert len(told) == len({one.id for one in told}) == 40
        assert {state_of(memory, old) for old, _, _ in pairs[::13]} == {"active"}


def test_what_was_forgotten_merged_or_taken_back_is_left_alone(store_path: Path) -> None:
    with opened(store_path, settings=PLAIN) as memory:
        gone, _, _ = superseded(memory, *PATIENTS, speaker="a")
        widow, by, _ = superseded(memory, *MOVED, speaker="b")
        undone, other, event = superseded(memory, *MOVED, on=2, speaker="c")
        revoked, _, _ = superseded(memory, *PATIENTS, on=3, speaker="d")
        memory.forget(gone)
        memory.forget(by)
        memory.undo(event)
        with memory._context.store.write("n") as writer:
            ends = FieldChange(episode_id=undone, state=EpisodeState.SUPERSEDED, valid_to=day(90))
            edge = Edge(source_id=other, target_id=undone, kind=EdgeKind.SUPERSEDES)
            settled = Change(
                kind=ChangeKind.CONFLICT_SETTLED, subject_id=other, fields=(ends,), added=(edge,), reason="newer_holds"
            )
            writer.apply(settled, at=START + timedelta(days=99))
            hidden = FieldChange(episode_id=revoked, state=EpisodeState.REVOKED)
            writer.apply(
                Change(kind=ChangeKind.RETIRED, subject_id=revoked, fields=(hidden,), reason="retired"), at=START
            )
        assert memory.stats().superseded_by_rule == 1
        (back,) = memory.maintain(redecide=True).actions
        assert (back.deed, back.episode_ids) == (Deed.RESTORED, (widow,)), "what took its place was forgotten"
        assert (state_of(memory, undone), state_of(memory, revoked)) == ("superseded", "revoked")


def test_only_the_nearest_is_marked_in_whatever_order_and_by_what_stands(store_path: Path) -> None:
    with opened(store_path, settings=PLAIN) as memory:
        near, new, _ = superseded(memory, *MOVED)
        far, _, _ = superseded(memory, "I live in a small flat near Munich with my two cats.", "I live here.", on=3)
        with memory._context.store.write("n") as writer:
            edge = Edge(source_id=new, target_id=far, kind=EdgeKind.SUPERSEDES)
            writer.apply(
                Change(kind=ChangeKind.SPLIT, subject_id=far, added=(edge,), reason="x"), at=START + timedelta(days=50)
            )
            (again,) = writer.episodes([new])
        copy = memory.remember(again.text, speaker="Mika", occurred_at=day(40))
        with memory._context.store.write("n") as writer:
            taken = FieldChange(episode_id=new, stands_until=day(40))
            held = Edge(source_id=copy.id, target_id=new, kind=EdgeKind.MEMBER)
            writer.apply(
                Change(kind=ChangeKind.MERGED, subject_id=copy.id, fields=(taken,), added=(held,), reason="duplicate"),
                at=START,
            )
        done = {one.episode_ids[0]: one for one in memory.maintain(redecide=True).actions}
        assert (done[near].deed, done[near].episode_ids) == (Deed.LIKELY_SUPERSEDED, (near, copy.id))
        assert done[far].deed is Deed.RESTORED
        assert edges(memory, EdgeKind.LIKELY_SUPERSEDES) == {(copy.id, near)}
        assert edges(memory, EdgeKind.SUPERSEDES) == set()


def test_with_nothing_concluded_no_wording_marks_anything(store_path: Path) -> None:
    nothing = Settings(integration=IntegrationSettings(enabled=False, conclude=Conclude.NOTHING))
    with opened(store_path, settings=nothing) as memory:
        superseded(memory, *MOVED)
        assert [one.deed for one in memory.maintain(redecide=True).actions] == [Deed.RESTORED]
        assert edges(memory, EdgeKind.LIKELY_SUPERSEDES) == set()


def test_a_copy_of_an_older_store_can_be_decided_again(tmp_path: Path) -> None:
    with closing(written_by_0_2(tmp_path / "store")) as memory:
        memory.store.export(tmp_path / "out.jsonl")
    with closing(
        Memory.open(tmp_path / "copy", namespace="team", embedder=HashingEmbedder(16), settings=Settings())
    ) as memory:
        memory.store.import_(tmp_path / "out.jsonl")
        assert memory.stats().superseded_by_rule == 4
        assert len(memory.maintain(redecide=True).event_ids) == 4
        assert memory.stats().superseded_by_rule == 0
        assert memory.store.verify().is_whole
