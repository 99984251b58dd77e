"""Documents have dates: which is read, what it does, and what is told of one that is not read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.citation import episode_place
from evolore.domain.document import MediaType
from evolore.domain.evolution import ProposedText
from evolore.flows.document_version import next_version, shadow_version
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore.recall.settings import Decay, DecaySettings
from flows.memories import START, opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from evolore.domain.episode import Episode
    from evolore.domain.metadata import MetadataValue
    from evolore.flows.add import AddedDocument

TOKYO = timezone(timedelta(hours=9))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "store") as memory:
        yield memory


def add(
    memory: Memory,
    text: str,
    *,
    source: str = "note.md",
    metadata: Mapping[str, MetadataValue] | None = None,
    media_type: MediaType = MediaType.MARKDOWN,
) -> AddedDocument:
    (added,) = memory.add(SourceText(source=source, text=text, media_type=media_type, metadata=metadata)).documents
    return added


def passages(memory: Memory, added: AddedDocument) -> tuple[Episode, ...]:
    with memory._context.store.read(memory.namespace) as reader:
        return reader.leaf_episodes(added.document.id)


def date_of(memory: Memory, added: AddedDocument) -> str | None:
    (at,) = {one.occurred_at for one in passages(memory, added)}
    return None if at is None else at.isoformat()


@pytest.mark.parametrize(
    ("front", "date"),
    [
        ("---\ntitle: Roof\nupdated: 2025-05-03\n---\n", "2025-05-03T00:00:00+00:00"),
        ("---\ndate: 2025-5-3 14:30:00 +0900\n---\n", "2025-05-03T14:30:00+09:00"),
        ('+++\ndate = "2025-05-03T14:30:00+09:00" # first\n+++\n', "2025-05-03T14:30:00+09:00"),
        ("+++\r\nlastmod = 2025-05-03T07:00:00Z\r\n+++\r\n", "2025-05-03T07:00:00+00:00"),
        ("---\ntitle: 屋根\ndate: 令和7年5月3日\n---\n", "2025-05-03T00:00:00+00:00"),
        ("---\ntitle: 会议\nLast-Modified: '2025年5月3日'\n---\n", "2025-05-03T00:00:00+00:00"),
        ("---\ncreated: 2019-01-01\nlastUpdated: 2025/05/03\n---\n", "2025-05-03T00:00:00+00:00"),
        ("---\npublished: true\ncreated: 2025.5.3\n---\n", "2025-05-03T00:00:00+00:00"),
        ("---\nupdated:\ncreated: 20250503\n---\n", "2025-05-03T00:00:00+00:00"),
        ("---\npage:\n  date: 2025-05-03\n---\n", None),
        ("date: 2025-05-03\n\n", None),
        ("", None),
    ],
)
def test_front_matter_dates_the_passages_of_markdown(memory: Memory, front: str, date: str | None) -> None:
    added = add(memory, f"{front}# Roof\n\nThe roof gets slate.\n")
    assert date_of(memory, added) == date
    assert added.notes == ()
    assert "".join(one.text for one in passages(memory, added)) == f"{front}# Roof\n\nThe roof gets slate.\n"


def test_what_a_document_is_filed_under_says_its_date_before_its_front_matter(memory: Memory) -> None:
    text = "---\nupdated: 2020-01-01\n---\nThe roof gets slate."
    assert date_of(memory, add(memory, text, source="a.md", metadata={"created": "2025/5/3"})) == (
        "2025-05-03T00:00:00+00:00"
    )
    assert date_of(memory, add(memory, text, source="b.md", metadata={"team": "ops", "date": 20250504})) == (
        "2025-05-04T00:00:00+00:00"
    )
    assert date_of(memory, add(memory, text, source="c.md", metadata={"team": "ops"})) == "2020-01-01T00:00:00+00:00"
    assert date_of(memory, add(memory, text, source="d.txt", media_type=MediaType.PLAIN)) is None


@pytest.mark.parametrize("workers", [1, 2])
def test_files_take_the_date_of_the_names_they_are_filed_under(workers: int, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"Roof {name} gets slate.", encoding="utf-8")
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as memory:
        added = memory.add(tmp_path, metadata={"updated": "令和7年5月3日"}, workers=workers)
        assert [date_of(memory, one) for one in added.documents] == ["2025-05-03T00:00:00+00:00"] * 2


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("05/03/2026", "updated '05/03/2026' is not a date or time: write it as 2026-03-02"),
        ("soon", "updated 'soon' is not a date or time"),
        ("2026-02-30", "updated '2026-02-30' is not a date or time"),
        ("2026-05", "updated '2026-05' is not a date or time"),
        ("9999-12-31", "9999-12-31T00:00:00+00:00 lies ahead"),
        ((START + timedelta(days=2)).date().isoformat(), "lies ahead"),
    ],
)
def test_a_date_that_is_not_read_or_lies_ahead_is_told_and_leaves_the_document_without(
    memory: Memory, written: str, why: str
) -> None:
    added = add(memory, f"---\nupdated: {written}\ncreated: 2020-01-01\n---\nThe roof gets slate.")
    assert date_of(memory, added) is None
    (note,) = added.notes
    assert note.startswith("No date was kept: ")
    assert why in note


def test_the_present_day_of_any_zone_does_not_lie_ahead(memory: Memory) -> None:
    ahead = (START + timedelta(hours=13)).isoformat()
    assert date_of(memory, add(memory, "The roof gets slate.", metadata={"updated": ahead})) == ahead


def test_a_passage_that_stays_keeps_the_date_of_the_version_that_first_said_it(memory: Memory) -> None:
    old, new, last = (f"## {name}\n\n" + f"{name} has words of its own. " * 14 for name in ("Roof", "Cellar", "Attic"))
    add(memory, f"{old}\n\n{new}", metadata={"updated": "2024-01-01"})
    changed = add(memory, f"{old}\n\n{last}", metadata={"updated": "2025-01-01"})
    assert [str(one.occurred_at)[:4] for one in passages(memory, changed)] == ["2024", "2025"]
    undated = add(memory, f"{old}\n\n{new}", metadata={})
    assert [one.occurred_at and one.occurred_at.year for one in passages(memory, undated)] == [2024, None]


def test_a_large_document_written_in_parts_has_its_date(tmp_path: Path) -> None:
    text = "\n\n".join(f"## Part {part}\n\n" + f"Matter {part} has its own words. " * 14 for part in range(5))
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=Settings(max_leaves_at_once=2)) as memory:
        added = add(memory, text, metadata={"updated": "2025-05-03"})
        assert len(passages(memory, added)) > 2
        assert date_of(memory, added) == "2025-05-03T00:00:00+00:00"


def test_what_was_decided_in_a_month_finds_the_note_of_that_month_first(memory: Memory) -> None:
    for month, what in ((3, "copper"), (5, "slate"), (9, "thatch")):
        text = f"We decided that the roof gets {what}. 屋根は {what} に決まった。屋顶决定用 {what}。"
        add(memory, text, source=f"{what}.md", metadata={"date": f"2025-{month:02}-12"})
    for question, what in (
        ("What was decided in May 2025?", "slate"),
        ("What was decided about the roof in September 2025?", "thatch"),
        ("2025年3月に決まったことは？", "copper"),
        ("2025年5月决定了什么？", "slate"),
    ):
        assert f"gets {what}." in memory.recall(question).hits[0].text


def test_a_day_named_from_a_note_is_counted_from_its_date(memory: Memory) -> None:
    add(memory, "Yesterday the tiles came.", source="tiles.txt", metadata={"date": "2025-05-13"})
    add(memory, "The tiles came, and we counted them.", source="other.txt", metadata={"date": "2024-05-13"})
    assert memory.recall("What came on 12 May 2025?").hits[0].text == "Yesterday the tiles came."


@pytest.mark.parametrize("years", [(2023, 2024, 2025), (2025, 2024, 2023), (2024, 2025, 2023)])
def test_of_equal_passages_the_first_or_the_latest_is_first_where_it_is_asked_for(
    memory: Memory, years: tuple[int, ...]
) -> None:
    for number, year in enumerate(years):
        add(memory, "# Roof\n\nThe roof gets slate.", source=f"{number}.md", metadata={"updated": f"{year}-01-01"})
    for question, year in (
        ("What is the latest roof that gets slate?", 2025),
        ("Which was the first roof to get slate?", 2023),
    ):
        at = memory.recall(question).hits[0].episode.occurred_at
        assert at is not None
        assert at.year == year


@pytest.mark.parametrize("days", [("2026-02-27", "2025-11-02"), ("2025-11-02", "2026-02-27")])
def test_with_decay_by_the_seed_the_fresher_of_equal_passages_is_first(tmp_path: Path, days: tuple[str, str]) -> None:
    with opened(tmp_path / "store", settings=Settings(decay=DecaySettings(decay=Decay.SEED))) as memory:
        for number, day in enumerate(days):
            add(memory, "# Roof\n\nThe roof gets slate.", source=f"{number}.md", metadata={"updated": day})
        assert str(memory.recall("roof slate").hits[0].episode.occurred_at).startswith("2026-02-27")


def test_as_of_and_times_of_a_filter_see_the_date(memory: Memory) -> None:
    add(memory, "The roof gets slate.", source="old.txt", metadata={"updated": "2024-05-03"})
    add(memory, "The roof gets copper.", source="new.txt")
    assert [hit.text for hit in memory.recall("roof", as_of=datetime(2025, 1, 1, tzinfo=UTC)).hits] == [
        "The roof gets slate."
    ]
    assert [hit.text for hit in memory.recall("roof", since=datetime(2025, 1, 1, tzinfo=UTC)).hits] == [
        "The roof gets copper."
    ]


def test_a_dated_document_answers_from_a_moment_before_it_was_added(memory: Memory) -> None:
    add(memory, "The roof of the mill gets slate.", metadata={"updated": "2024-05-03"})
    before = datetime(2025, 1, 1, tzinfo=UTC)
    assert "slate" in memory.answer("What does the roof of the mill get?", as_of=before).text
    (hit,) = memory.recall("roof of the mill", as_of=before, level="document").hits
    assert hit.episode.source == "note.md"


def test_a_rewrite_keeps_the_latest_date_of_its_document(memory: Memory) -> None:
    added = add(memory, "The roof gets slate.", metadata={"updated": "2024-05-03"})
    proposed = ProposedText(text="The roof gets grey slate.", document_id=added.document.id, base_version=1)
    with_keys = next_version(memory._context, proposed)
    assert str(with_keys.source_text.occurred_at) == "2024-05-03 00:00:00+00:00"
    assert "2024" in with_keys.keys[0].tokens
    assert shadow_version(memory._context, proposed).source_text.occurred_at == with_keys.source_text.occurred_at


def test_a_citation_says_the_day_of_a_dated_passage_alone(memory: Memory) -> None:
    dated, undated = (
        add(memory, "The roof gets slate.", source=source, metadata=metadata)
        for source, metadata in (("a.txt", {"updated": "2025-05-03T01:00+09:00"}), ("b.txt", None))
    )
    (one,), (other,) = passages(memory, dated), passages(memory, undated)
    assert episode_place(one) == "a.txt (a.txt, 1, characters 0–20, 2025-05-03)"
    assert episode_place(other) == "b.txt (b.txt, 1, characters 0–20)"


def test_the_keys_of_dated_passages_are_what_is_made_of_them_again(memory: Memory, tmp_path: Path) -> None:
    added = add(memory, "Yesterday the roof got slate.", metadata={"updated": "2025-05-03T01:00+09:00"})
    assert memory.store.doctor().is_whole
    memory.store.export(tmp_path / "copy.jsonl")
    with opened(tmp_path / "other") as other:
        other.store.import_(tmp_path / "copy.jsonl")
        (one,) = passages(other, added)
        assert one.occurred_at is not None
        assert one.occurred_at.isoformat() == "2025-05-03T01:00:00+09:00"
        assert other.store.doctor().is_whole
