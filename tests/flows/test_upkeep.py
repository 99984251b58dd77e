"""Documents have an owner and a day by which somebody verifies them; what is past it is marked and listed."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from evolore.config import Settings
from evolore.domain.document import MediaType, Upkeep
from evolore.domain.query import HitWarning
from evolore.errors import InvalidValue
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
BODY = "# Refunds\n\nRefunds take 7 business days. They go to the card that paid.\n"
PAST = "---\nowner: mika\nreview_by: 2026-02-28\n---\n"


@pytest.fixture
def memory(tmp_path: Path) -> Generator[Memory]:
    clock = SteppingClock(DAY, step=timedelta(milliseconds=1))
    with Memory.open(tmp_path, embedder=HashingEmbedder(), clock=clock, settings=Settings()) as memory:
        yield memory


def add(memory: Memory, text: str, source: str = "refunds.md", **labels: object) -> None:
    memory.add_text(text, source=source, media_type=MediaType.MARKDOWN, **labels)  # pyright: ignore[reportArgumentType]


def upkeep(memory: Memory, source: str = "refunds.md") -> Upkeep:
    return Upkeep.of(memory.show(source).metadata)


def late(memory: Memory) -> list[str]:
    listing = memory.list(overdue=True)
    assert listing.statements == ()
    return [one.source for one in listing.documents]


def test_owner_and_dates_are_read_from_front_matter(memory: Memory) -> None:
    add(memory, f"---\nOwner: 'The desk'\nverify_by: 2026-12-31\nlast_verified: 2026-01-05\n---\n{BODY}")
    known = upkeep(memory)
    assert known == Upkeep(owner="The desk", verify_by=date(2026, 12, 31), last_verified=date(2026, 1, 5))
    assert late(memory) == []


def test_metadata_decides_over_front_matter(memory: Memory) -> None:
    add(memory, PAST + BODY, metadata={"Verify-By": "2026-09-01", "team": "ops"})
    assert (upkeep(memory).owner, upkeep(memory).verify_by) == ("mika", date(2026, 9, 1))
    assert memory.show("refunds.md").metadata["team"] == "ops"


def test_what_is_no_date_is_left_out(memory: Memory) -> None:
    text = f"---\nverify_by: soon\nowner:\nlast_verified: true\n---\n{BODY}"
    added = memory.add(SourceText(source="refunds.md", text=text, media_type=MediaType.MARKDOWN))
    assert added.documents[0].notes == ("No day to verify by was kept: 'soon' is no date such as 2026-12-31.",)
    assert upkeep(memory) == Upkeep()
    assert dict(memory.show("refunds.md").metadata) == {}


def test_what_is_past_its_day_is_listed_until_somebody_verifies_it(memory: Memory) -> None:
    add(memory, PAST + BODY)
    add(memory, BODY, "other.md")
    assert late(memory) == ["refunds.md"]
    assert memory.maintain().overdue == 1
    before = memory.show("refunds.md")
    done = memory.verify("refunds.md", by="ann")
    assert (done.id, getattr(before, "version", 0), done.version) == (before.id, 1, 1)
    assert upkeep(memory) == Upkeep(
        owner="mika", verify_by=date(2026, 2, 28), last_verified=DAY.date(), verified_by="ann"
    )
    assert late(memory) == []
    assert memory.maintain().overdue == 0


@pytest.mark.parametrize("until", ["2026-12-31", date(2026, 12, 31)])
def test_a_verification_sets_the_next_day_and_outlives_the_file(memory: Memory, until: date | str) -> None:
    add(memory, PAST + BODY)
    memory.verify("refunds.md", verify_by=until, principal="ann")
    ways: tuple[tuple[str, dict[str, Any]], ...] = (
        (PAST + BODY, {}),
        (f"{PAST}{BODY}\nMore.\n", {}),
        (PAST + BODY, {"metadata": {"team": "ops"}}),
    )
    for text, labels in ways:
        add(memory, text, **labels)
        assert upkeep(memory) == Upkeep(
            owner="mika", verify_by=date(2026, 12, 31), last_verified=DAY.date(), verified_by="ann"
        )
    add(memory, f"---\nowner: ben\nverify_by: 2027-06-30\n---\n{BODY}")
    assert (upkeep(memory).owner, upkeep(memory).verify_by) == ("ben", date(2027, 6, 30))


def test_a_day_that_is_over_or_none_is_refused(memory: Memory) -> None:
    add(memory, BODY)
    for wrong in ("2026-03-01", "soon"):
        with pytest.raises(InvalidValue, match="verify_by"):
            memory.verify("refunds.md", verify_by=wrong)
    assert dict(memory.show("refunds.md").metadata) == {}


def test_a_hit_of_what_is_past_its_day_is_marked_and_keeps_its_rank(memory: Memory) -> None:
    add(memory, PAST + BODY)
    add(memory, "# Cards\n\nA card that paid is charged within 3 business days.\n", "cards.md")
    found = memory.recall("how long do refunds take?")
    marked = [(one.episode.source, one.warnings) for one in found.hits]
    assert marked[0] == ("refunds.md", (HitWarning.OVERDUE,))
    assert "past its day to be verified" in found.context
    memory.verify("refunds.md")
    again = memory.recall("how long do refunds take?")
    assert [(one.episode.id, one.score) for one in again.hits] == [(one.episode.id, one.score) for one in found.hits]
    assert not any(one.warnings for one in again.hits)
    assert "past its day" not in again.context


def test_a_question_as_of_a_day_before_is_not_marked(memory: Memory) -> None:
    add(memory, PAST.replace("2026-02-28", "2026-03-05") + BODY)
    assert not memory.recall("refunds").hits[0].warnings
    assert memory.recall("refunds", as_of="2026-03-07T00:00:00+00:00").hits[0].warnings == (HitWarning.OVERDUE,)
