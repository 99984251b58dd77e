"""A section is taken from the document that served people better, says more, or is newer; else it stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.contest import DocumentText
from evolore.domain.document import MediaType
from evolore.domain.language import Language
from evolore.evolution.crossover import Rated, Served, Side, cross_many, served_sections, take_section
from evolore.text.sections import Section, read_sections

MAY = datetime(2026, 5, 1, tzinfo=UTC)
JUNE = MAY + timedelta(days=31)
GUIDE = "# Refunds\n\n## Time\n\nRefunds take 7 days.\n\n## Who\n\nThe desk decides about the card.\n"


def section(text: str) -> Section:
    return read_sections(f"# Time\n\n{text}\n")[0]


def served(net: int, written_at: datetime = MAY) -> Served:
    return Served(net=net, written_at=written_at)


def document(text: str = GUIDE) -> DocumentText:
    return DocumentText(
        document_id="d",
        version=1,
        source="guide.md",
        title="Guide",
        text=text,
        media_type=MediaType.MARKDOWN,
        language=Language.EN,
    )


OURS, OTHER = section("Refunds take 7 days."), section("Refunds take 10 days.")
MORE = section("Refunds take 7 days and need form 12.")
AGAIN = section("Refunds always take 7 days.")


def test_the_one_that_served_people_better_is_taken_whatever_it_says() -> None:
    assert take_section(OURS, OTHER, {Side.FIRST: served(-3), Side.SECOND: served(0)}).side is Side.SECOND
    assert take_section(OURS, MORE, {Side.FIRST: served(1), Side.SECOND: served(-1)}).side is Side.FIRST


def test_where_ratings_do_not_tell_what_says_more_is_taken_and_what_disagrees_is_not() -> None:
    for known in ({}, {Side.FIRST: served(2), Side.SECOND: served(2)}, {Side.FIRST: served(-3)}):
        assert take_section(OURS, MORE, known).side is Side.SECOND
        assert take_section(OURS, OTHER, known).side is Side.FIRST


def test_of_two_that_say_the_same_the_newer_is_taken() -> None:
    newer = {Side.FIRST: served(0), Side.SECOND: served(0, JUNE)}
    assert take_section(OURS, AGAIN, newer).side is Side.SECOND
    assert take_section(OURS, AGAIN, {Side.FIRST: served(0, JUNE), Side.SECOND: served(0)}).side is Side.FIRST
    assert take_section(section("Nobody knows."), section("The sea is calm."), newer).side is Side.FIRST


def test_a_rating_concerns_the_section_it_speaks_of_and_each_person_counts_once() -> None:
    said = [
        *(Rated(about="how long does a refund take in days?", is_good=False, principal=who) for who in ("a", "a", "b")),
        Rated(about="who decides about my card?", is_good=True, principal="a"),
        Rated(about="is the shop open?", is_good=False, principal="c"),
    ]
    found = served_sections(document(), said, written_at=MAY)
    assert {key[-1]: one.net for key, one in found.items()} == {"refunds": 0, "time": -2, "who": 1}


@given(st.lists(st.tuples(st.sampled_from(["refund days", "card desk", "boat"]), st.booleans(), st.text(max_size=2))))
def test_the_order_in_which_people_said_it_does_not_matter(said: list[tuple[str, bool, str]]) -> None:
    ratings = [Rated(about=about, is_good=good, principal=who or None) for about, good, who in said]
    one = served_sections(document(), ratings, written_at=MAY)
    assert one == served_sections(document(), ratings[::-1], written_at=MAY)


def test_of_three_documents_each_section_is_the_best_served_ones() -> None:
    texts = [GUIDE.replace("7 days", f"{days} days") for days in (7, 8, 9)]
    known = [
        served_sections(document(text), [Rated(about="refund days", is_good=good)] if rated else [], written_at=MAY)
        for text, rated, good in zip(texts, (True, True, False), (False, True, False), strict=True)
    ]
    (edit,) = cross_many(texts[0], texts[1:], served=known)
    assert "8 days" in edit.text
    assert "served better" in edit.reason
    assert cross_many(texts[0], texts[1:]) == ()
