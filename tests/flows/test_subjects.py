"""All that is one person's is given, and goes: from every table, file, export, index and log."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from builders import exported
from evolore import Rating
from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.domain.person import SubjectRecordKind
from evolore.errors import InvalidValue, NotFound
from evolore.flows.remember.plan import Became
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.service import KeptReply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.domain.person import SubjectExport

DAY = datetime(2026, 3, 2, tzinfo=UTC)
SAFE = "The key of the red safe is kept in the kitchen behind the tea."
CANARIES = ("zqcanary", "Zqcanary")
"""Of what the person said, asked and wrote; the name is another matter."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def memory(store: Path, tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(score_log=tmp_path / "scores.jsonl")
    with Memory.open(store, embedder=HashingEmbedder(), settings=settings) as opened:
        yield opened


def fill(memory: Memory, *, who: str, speaker: str | None) -> dict[str, Any]:
    """Have a person say, ask, be answered and rate; and Bob besides."""
    memory.add_text(f"# Safe\n\n{SAFE}", source="safe.md")
    kept = [
        memory.remember(SAFE, speaker="Bob", principal="Bob", occurred_at=DAY),
        memory.remember("I live in Kobe now.", speaker="Bob", principal="Bob", occurred_at=DAY),
    ]
    merged = memory.remember_many(
        [Statement(text=f"{SAFE} The zqcanary1 opens it.", speaker=speaker, occurred_at=DAY + timedelta(days=1))],
        principal=who,
    )
    said = memory.remember_many(
        [
            Statement(text="I live in Zqcanary2 now.", speaker=speaker, session="zqcanarysession"),
            Statement(text="I work for Zqcanary3.", speaker=speaker, metadata={"zqcanaryname": "zqcanaryvalue"}),
            Statement(text="My dog is called Zqcanary4.", speaker=speaker, tags=("zqcanarytag",)),
        ],
        principal=who,
    )
    about = memory.remember("Likes zqcanary5.", speaker="Bob", about=(who, "zqcanaryattribute"), principal="Bob")
    own = memory.answer("Where is the key of the red safe kept, zqcanary6?", principal=who)
    memory.rate(own.id, Rating.BAD, comment="You left out zqcanary7.", principal=who)
    theirs = memory.answer("Where is the key of the red safe kept?", principal="Bob")
    memory.rate(theirs.id, Rating.GOOD, comment="Good, says Bob.", principal="Bob")
    memory.rate(theirs.id, Rating.BAD, comment="No: zqcanary8.", principal=who)
    memory.rate("safe.md", Rating.BAD, comment="It lacks zqcanary9.", principal=who)
    memory.rate("safe.md", Rating.GOOD, comment="It has all, says Bob.", principal="Bob")
    memory.questions.record_answer("zqcanary10?", "It is zqcanary11.", principal=who)
    return {"kept": kept, "merged": merged, "said": said, "about": about, "own": own, "theirs": theirs}


def held(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


WAYS = {"speaker": ("Mika", "Mika", {"speaker": "Mika"}), "principal": ("u-17", None, {"of_principal": "u-17"})}


def of(way: str) -> tuple[str, str | None, dict[str, str], dict[str, str]]:
    who, speaker, named = WAYS[way]
    return who, speaker, named, {way: who}


@pytest.mark.parametrize("way", WAYS)
def test_afterwards_nothing_of_the_person_is_left_anywhere(memory: Memory, tmp_path: Path, way: str) -> None:
    who, speaker, named, whose = of(way)
    done = fill(memory, who=who, speaker=speaker)
    service = memory._context.store.service()  # as a server keeps replies
    service.put(KeptReply(key_id="", name="x", asked="y", status=201, body={"text": "zqcanary12"}, at=DAY))
    memory.recall("zqcanary", record=True, principal=who)
    before = held(tmp_path)
    assert all(
        canary.encode() in before for canary in (*CANARIES, *(f"canary{n}" for n in range(1, 13)))
    )  # the control
    would, receipt = memory.forget(**named, dry_run=True), memory.forget(**named)  # pyright: ignore[reportArgumentType]
    counted = (
        "documents",
        "episodes",
        "payloads",
        "vectors",
        "answers",
        "feedback",
        "queries",
        "comments",
        "ratings",
        "facts",
    )
    assert {name: getattr(would, name) for name in counted} == {name: getattr(receipt, name) for name in counted}
    assert (receipt.documents, receipt.queries) == (0, 3)
    assert (
        min(receipt.episodes, receipt.answers, receipt.feedback, receipt.comments, receipt.ratings, receipt.facts) > 0
    )
    assert receipt.lingering_in == ()
    left = held(tmp_path)
    assert [canary for canary in CANARIES if canary.encode() in left] == []
    assert not [canary for canary in CANARIES if canary.encode() in exported(memory)]
    assert not [one for one in memory.history(limit=1000) if "zqcanary" in json.dumps(one.to_dict())]
    found = memory.recall("zqcanary", limit=100, record=False)
    assert not [hit for hit in found.hits if "zqcanary" in hit.episode.text.lower()]
    assert memory.export_subject(**whose).records == ()
    assert memory.profile(who).text == ""
    with pytest.raises(NotFound):
        memory.forget(**named)  # pyright: ignore[reportArgumentType]
    texts = {one.text for one in memory.list(limit=100).statements}
    assert texts == {SAFE, "I live in Kobe now."}
    assert all(memory.show(one.id) == one for one in done["kept"] if one.text != SAFE)
    bob = memory.export_subject(speaker="Bob")
    assert bob.counts[SubjectRecordKind.RATING] == 1
    assert memory.store.verify().is_whole
    assert memory.store.doctor().findings == ()


def test_what_was_merged_with_anothers_stays_whole_for_the_other(memory: Memory) -> None:
    kept = memory.remember(SAFE, principal="Bob", occurred_at=DAY)
    mine = memory.remember_many(
        [Statement(text=f"{SAFE} It is green.", occurred_at=DAY + timedelta(days=1))], principal="Mika"
    )
    assert mine.integrated[0].became is Became.MERGED  # the control; what two speakers said is never merged
    assert "green" in memory.list().statements[0].text
    receipt = memory.forget(of_principal="Mika")
    assert (receipt.episodes, receipt.freed) == (2, 1)
    assert [one.text for one in memory.list().statements] == [SAFE]
    assert memory.show(kept.id) == kept


def texts(found: SubjectExport) -> set[tuple[str, str]]:
    return {(one.kind.value, one.text) for one in found.records}


@pytest.mark.parametrize("way", WAYS)
def test_all_of_a_person_is_exported_with_dates(memory: Memory, way: str) -> None:
    who, speaker, _, whose = of(way)
    fill(memory, who=who, speaker=speaker)
    found = memory.export_subject(**whose)
    told = texts(found)
    assert ("statement", "I live in Zqcanary2 now.") in told
    assert ("statement", "Likes zqcanary5.") in told
    assert ("question", "Where is the key of the red safe kept, zqcanary6?") in told
    assert {
        ("rating", "You left out zqcanary7."),
        ("rating", "No: zqcanary8."),
        ("feedback", "It lacks zqcanary9."),
    } <= told
    assert ("answer", "It is zqcanary11.") in told
    assert not [text for _, text in told if "says Bob" in text]
    assert ("statement", "I live in Kobe now.") not in told
    home = next(one for one in found.records if one.text == "I live in Zqcanary2 now.")
    assert (home.session, home.facts, home.speaker) == ("zqcanarysession", (("home", "Zqcanary2"),), speaker)
    lines = [json.loads(line) for line in found.lines()]
    assert len(lines) == len(found.records) == sum(found.counts.values())
    assert all("at" in line and "kind" in line for line in lines)
    assert [one.kind for one in found.records] == sorted(
        (one.kind for one in found.records), key=list(SubjectRecordKind).index
    )


def test_what_others_learned_from_stands_as_if_the_person_had_not_rated(memory: Memory) -> None:
    done = fill(memory, who="Mika", speaker="Mika")
    memory.forget(speaker="Mika")
    record = memory.questions.show(done["theirs"].query_id)
    assert [(one.principal, one.rating) for one in record.ratings] == [("Bob", Rating.GOOD)]


def test_an_empty_memory_has_nothing_of_anybody(memory: Memory) -> None:
    assert memory.export_subject(speaker="Mika").records == ()


@pytest.mark.parametrize("named", [{}, {"speaker": "a", "principal": "b"}, {"speaker": " "}])
def test_one_person_is_to_be_named(memory: Memory, named: dict[str, str]) -> None:
    with pytest.raises(InvalidValue):
        memory.export_subject(**named)


def test_nothing_of_another_namespace_is_given_or_goes(store: Path) -> None:
    for name in ("a", "b"):
        with Memory.open(store, namespace=name, embedder=HashingEmbedder()) as memory:
            fill(memory, who="Mika", speaker="Mika")
    with Memory.open(store, namespace="b", embedder=HashingEmbedder()) as memory:
        before = memory.export_subject(speaker="Mika")
    with Memory.open(store, namespace="a", embedder=HashingEmbedder()) as memory:
        memory.forget(speaker="Mika")
    with Memory.open(store, namespace="b", embedder=HashingEmbedder()) as memory:
        assert memory.export_subject(speaker="Mika") == before
