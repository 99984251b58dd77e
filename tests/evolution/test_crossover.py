from __future__ import annotations

from evolore.evolution.crossover import common_sections
from evolore.evolution.proposals import find_conflicts
from flows.evolving_words import document

FIRST = "# Refunds\n\nRefunds take 7 days.\n\n# Limits\n\nThe limit is 5,000 JPY per order.\n"
SECOND = "# Refunds\n\nRefunds take 7 days. Write to refunds@shop.example.\n\n# Limits\n\nThe limit is 8,000 JPY per order.\n\n# Contact\n\nCall us.\n"


def test_what_two_documents_say_differently_is_listed_and_not_settled() -> None:
    (conflict,) = find_conflicts([document(FIRST), document(SECOND, name="faq")])
    assert conflict.path == ("Limits",)
    assert "5,000 JPY" in " ".join(conflict.first_says)
    assert "8,000 JPY" in " ".join(conflict.second_says)
    assert (conflict.first_document, conflict.second_document) == ("doc-guide", "doc-faq")


def test_documents_that_agree_have_no_conflict() -> None:
    assert find_conflicts([document(FIRST), document(FIRST.replace("5,000", "５０００"), name="faq")]) == ()


def test_nearly_the_same_sections_are_common() -> None:
    ((first, second), *_) = common_sections(FIRST, "# Paying back\n\nRefunds take 7 days.\n")
    assert (first.path, second.path) == (("Refunds",), ("Paying back",))
    assert not common_sections(FIRST, "# Other\n\nThe weather is fine today.\n")
