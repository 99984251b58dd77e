from __future__ import annotations

from evolore.evolution.crossover import common_sections, extract_edits, find_conflicts
from evolore.evolution.edits import apply_edits
from evolore.text.sections import read_sections

FIRST = "# Refunds\n\nRefunds take 7 days.\n\n# Limits\n\nThe limit is 5,000 JPY per order.\n"
SECOND = "# Refunds\n\nRefunds take 7 days. Write to refunds@shop.example.\n\n# Limits\n\nThe limit is 8,000 JPY per order.\n\n# Contact\n\nCall us.\n"


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
