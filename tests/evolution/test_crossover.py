from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolore.evolution.crossover import Side, common_sections, cross_sections, extract_edits, find_conflicts
from evolore.evolution.edits import apply_edits
from evolore.text.sections import read_sections

FIRST = "# Refunds\n\nRefunds take 7 days.\n\n# Limits\n\nThe limit is 5,000 JPY per order.\n"
SECOND = "# Refunds\n\nRefunds take 7 days. Write to refunds@shop.example.\n\n# Limits\n\nThe limit is 8,000 JPY per order.\n\n# Contact\n\nCall us.\n"
DOCUMENTS = st.lists(st.sampled_from(["# A", "# B", "Wait 5 days.", "Wait 7 days.", "", "表"]), max_size=8).map(
    "\n".join
)


def test_the_richer_section_is_taken_and_new_ones_follow() -> None:
    crossed = cross_sections(FIRST, SECOND)
    assert "refunds@shop.example" in crossed.text
    assert "The limit is 5,000 JPY per order." in crossed.text
    assert crossed.text.endswith("# Contact\n\nCall us.\n")
    assert [(one.path[-1], one.side) for one in crossed.taken] == [
        ("Refunds", Side.SECOND),
        ("Limits", Side.FIRST),
        ("Contact", Side.SECOND),
    ]


def test_what_two_documents_say_differently_is_listed_and_not_settled() -> None:
    (conflict,) = find_conflicts(FIRST, SECOND)
    assert conflict.path == ("Limits",)
    assert "5,000 JPY" in " ".join(conflict.first_says)
    assert "8,000 JPY" in " ".join(conflict.second_says)


def test_documents_that_agree_have_no_conflict() -> None:
    assert find_conflicts(FIRST, FIRST.replace("5,000", "５０００")) == ()


def test_nearly_the_same_sections_are_common() -> None:
    (common, *_) = common_sections(FIRST, "# Paying back\n\nRefunds take 7 days.\n")
    assert common.first.path == ("Refunds",)
    assert common.second.path == ("Paying back",)
    assert not common_sections(FIRST, "# Other\n\nThe weather is fine today.\n")


def test_a_common_part_leaves_a_reference_behind() -> None:
    shared = [one.first for one in common_sections(FIRST, SECOND) if one.first.path == ("Limits",)]
    shared = shared or [read_sections(FIRST)[1]]
    text = apply_edits(FIRST, extract_edits(FIRST, shared, reference="See [limits](limits.md).", reason="Shared."))
    assert text == "# Refunds\n\nRefunds take 7 days.\n\n# Limits\n\nSee [limits](limits.md).\n"


@given(DOCUMENTS, DOCUMENTS)
def test_a_crossover_is_the_same_every_time(first: str, second: str) -> None:
    assert cross_sections(first, second) == cross_sections(first, second)


@given(DOCUMENTS)
def test_a_document_crossed_with_itself_stays(document: str) -> None:
    assert cross_sections(document, document).text == document


def test_sections_of_other_headings_are_paired_by_what_they_say() -> None:
    first = "# A\n\n## Time\n\nRefunds for orders take 7 business days and go to the card that paid.\n\n## Who\n\nThe desk decides.\n"
    second = (
        "# B\n\n## How long it takes\n\nRefunds for orders take 7 business days and go to the card that paid. "
        "Write to desk@shop.example.\n"
    )
    crossed = cross_sections(first, second)
    assert "## Time\n\nRefunds for orders take 7 business days" in crossed.text
    assert "desk@shop.example" in crossed.text
    assert "How long it takes" not in crossed.text
