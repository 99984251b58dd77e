"""Whatever a model replies, a crossover is its edits applied to all documents it touches, or nothing."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.evolution import Operator
from evolore.evolution.edits import EditKind, apply_edits
from evolore.evolution.proposals import Proposal
from evolore.evolution.requests import Unusable
from evolore.flows.evolve.candidates import propose
from evolore.text.alignment import find_quote
from flows.evolving_words import GUIDE, asking, document, plan
from laws import tried

MERGE, EXTRACT = Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT
FAQ = "# Money back\n\nRefunds take 7 days. The limit is 8,000 JPY per order.\n\n# Hours\n\nWe answer from 9:00.\n"
OURS, THEIRS = "The limit is 5,000 JPY per order.", "The limit is 8,000 JPY per order."
TEXTS = st.sampled_from(
    [
        "",
        "Text.",
        f"## Limits\n\n{OURS} {THEIRS}",
        f"## Limits\n\n{THEIRS}",
        f"# Limits too\n\n{THEIRS}",
        "# Hours\n\nFrom 9:00.",
    ]
)
PLACES = st.sampled_from(["1", "1.1", "2", "5", ""])
NUMBERS = st.integers(0, 3)
CONFLICTS = st.lists(
    st.fixed_dictionaries(
        {
            "first_document": NUMBERS,
            "first": st.sampled_from([OURS, THEIRS, "nothing"]),
            "second_document": NUMBERS,
            "second": st.sampled_from([OURS, THEIRS, "We answer from 9:00."]),
            "reason": st.just("They differ."),
        }
    ),
    max_size=2,
)
MERGES = st.fixed_dictionaries(
    {
        "edits": st.lists(
            st.fixed_dictionaries(
                {
                    "kind": st.sampled_from([one.value for one in EditKind]),
                    "place": PLACES,
                    "text": TEXTS,
                    "reason": st.just("It is joined."),
                    "evidence": st.lists(st.sampled_from(["2:1", "2:2", "1:1"]), max_size=1),
                }
            ),
            max_size=3,
        ),
        "conflicts": CONFLICTS,
    }
)
EXTRACTS = st.fixed_dictionaries(
    {
        "title": st.sampled_from(["", "Limits", "# Limits\nof orders"]),
        "text": st.sampled_from(["", "Refunds take 7 days.", OURS, f"{OURS} {THEIRS}", "# Limits\n\nNone."]),
        "taken": st.lists(
            st.fixed_dictionaries(
                {
                    "document": NUMBERS,
                    "place": PLACES,
                    "rest": st.sampled_from(["", OURS, THEIRS, "It is done by the shop."]),
                    "reason": st.just("Both say it."),
                }
            ),
            max_size=3,
        ),
        "conflicts": CONFLICTS,
    }
)


def proposed(operator: Operator, said: object) -> Proposal | Unusable:
    asker, _ = asking(json.dumps(said))
    return propose(asker, plan(operator, document(), document(FAQ, name="faq")))


def holds(found: Proposal | Unusable) -> bool:
    """Check what holds of every crossover, and tell whether there is one."""
    if isinstance(found, Unusable):
        assert found.reason
        return False
    originals = {"doc-guide": GUIDE, "doc-faq": FAQ}
    whole = "\n".join(one.text for one in found.texts)
    for text, edits in zip(found.texts, found.edits, strict=True):
        if text.document_id is not None:
            assert text.text == apply_edits(originals[text.document_id], edits)
            assert text.base_version == 3
    for conflict in found.conflicts:
        assert find_quote(conflict.first, originals[conflict.first_document])
        assert find_quote(conflict.second, originals[conflict.second_document])
        assert "5,000" in whole or "5,000" not in conflict.first + conflict.second
        assert "8,000" in whole or "8,000" not in conflict.first + conflict.second
    return True


@settings(max_examples=tried(20, long=60))
@given(MERGES)
def test_a_merge_is_whole_lists_the_limits_and_keeps_both(said: object) -> None:
    found = proposed(MERGE, said)
    if holds(found):
        assert isinstance(found, Proposal)
        assert [one.document_id for one in found.texts] == ["doc-guide", "doc-faq"]
        assert (OURS, THEIRS) in [(one.first, one.second) for one in found.conflicts]
        assert "5,000" in found.texts[0].text
        assert "8,000" in found.texts[0].text


@settings(max_examples=tried(20, long=60))
@given(EXTRACTS)
def test_an_extraction_is_whole_and_leaves_a_reference_in_each_document_it_takes_from(said: object) -> None:
    found = proposed(EXTRACT, said)
    if holds(found):
        assert isinstance(found, Proposal)
        new, *changed = found.texts
        assert new.document_id is None
        assert {one.document_id for one in changed} == {"doc-guide", "doc-faq"}
        assert all(new.source in one.text for one in changed)


def test_the_laws_meet_crossovers_that_are_made() -> None:
    edit = {
        "kind": "replace",
        "place": "1.1",
        "text": f"## Limits\n\n{OURS} {THEIRS}",
        "reason": "x",
        "evidence": ["2:1"],
    }
    assert holds(proposed(MERGE, {"edits": [edit], "conflicts": []}))
    taken = [
        {"document": number, "place": "1", "rest": THEIRS if number > 1 else "", "reason": "x"} for number in (1, 2)
    ]
    said = {"title": "Refunds", "text": "Refunds take 7 days.", "taken": taken, "conflicts": []}
    assert holds(proposed(EXTRACT, said))
