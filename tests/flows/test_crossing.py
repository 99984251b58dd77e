"""Crossovers are whole or nothing, and what documents say differently is listed and stays on both sides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.evolution.edits import apply_edits
from evolore.evolution.proposals import Proposal
from evolore.evolution.requests import Unusable, read_data
from evolore.flows.evolve.candidates import propose
from evolore.models.offline_chat import ScriptedFault
from flows.evolving_words import EVIDENCE, GUIDE, GUIDE_JA, asking, document, plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.contest import DocumentText

MERGE, EXTRACT = Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT
FAQ = "# Money back\n\nRefunds take 7 days. The limit is 8,000 JPY per order.\n\n# Hours\n\nWe answer from 9:00.\n"
LIMIT = {
    "first_document": 1,
    "first": "The limit is 5,000 JPY per order.",
    "second_document": 2,
    "second": "The limit is 8,000 JPY per order.",
}
BOTH = "## Limits\n\nThe limit is 5,000 JPY per order. According to “Faq”, the limit is 8,000 JPY per order."
TAKEN = [
    {"document": 1, "place": "1", "rest": "It is done by the shop.", "reason": "Both say it."},
    {"document": 2, "place": "1", "rest": "The limit is 8,000 JPY per order.", "reason": "Both say it."},
]


def two() -> tuple[DocumentText, DocumentText]:
    return document(), document(FAQ, name="faq")


def merging(*edits: Mapping[str, object], conflicts: object = ()) -> str:
    standard: dict[str, object] = {"kind": "replace", "reason": "It is joined.", "evidence": []}
    return json.dumps({"edits": [standard | dict(one) for one in edits], "conflicts": conflicts})


def extracting(**changes: object) -> str:
    said = {"title": "Refund times", "text": "Refunds take 7 days.", "taken": TAKEN, "conflicts": []}
    return json.dumps(said | changes)


HOURS = {"kind": "insert", "place": "2", "text": "# Hours\n\nWe answer from 9:00.", "evidence": ["2:2", "e1"]}


def proposed(operator: Operator, reply: str, *documents: DocumentText) -> Proposal | Unusable:
    asker, _ = asking(reply)
    return propose(asker, plan(operator, *(documents or two()), evidence=(EVIDENCE,)))


def reason(operator: Operator, reply: str) -> str:
    found = proposed(operator, reply)
    assert isinstance(found, Unusable)
    return found.reason


def test_a_merge_edits_the_first_document_and_leaves_a_reference_in_the_others() -> None:
    found = proposed(MERGE, merging({"place": "1.1", "text": BOTH, "evidence": ["2:1"]}, HOURS))
    assert isinstance(found, Proposal)
    first, other = found.texts
    assert "8,000 JPY" in first.text
    assert first.text.endswith("# Hours\n\nWe answer from 9:00.\n")
    assert (other.document_id, other.text.strip()) == (
        "doc-faq",
        "# Faq\n\nThis document is now part of “Guide” (guide.md).",
    )
    for base, text, edits in zip(two(), found.texts, found.edits, strict=True):
        assert text.text == apply_edits(base.text, edits)
    assert [one.evidence for one in found.edits[0]] == [("doc-faq#1",), ("doc-faq#2", "e1")]
    assert found.prompt == "merge_documents_1"


def test_what_a_rule_finds_is_listed_whether_the_model_lists_it_or_not() -> None:
    edit = {"place": "1.1", "text": BOTH}
    silent = proposed(MERGE, merging(edit))
    assert isinstance(silent, Proposal)
    (conflict,) = silent.conflicts
    assert (conflict.first_document, conflict.second_document) == ("doc-guide", "doc-faq")
    assert (conflict.first, conflict.second) == (LIMIT["first"], LIMIT["second"])
    told = proposed(MERGE, merging(edit, conflicts=[LIMIT | {"first": "5,000 JPY per order", "reason": "Two limits."}]))
    assert isinstance(told, Proposal)
    assert told.conflicts == silent.conflicts


def test_what_only_the_model_finds_is_listed_beside() -> None:
    more = {
        "first_document": 2,
        "first": "We answer from\n9:00.",
        "second_document": 1,
        "second": "Write to help@shop.example.",
    }
    edit = {"place": "1.1", "text": BOTH}
    assert "One side" in reason(MERGE, merging(edit, conflicts=[more | {"reason": "Which one?"}]))  # 9:00 would be gone
    found = proposed(MERGE, merging(edit, HOURS, conflicts=[more | {"reason": "Which one?"}]))
    assert isinstance(found, Proposal)
    assert [(one.first, one.reason) for one in found.conflicts[1:]] == [("We answer from 9:00.", "Which one?")]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("{}", "Field required"),
        ('{"edits": []}', "conflicts: Field required"),
        (merging(), "nothing_to_improve"),
        (merging({"place": "1.1", "text": "## Limits\n\nThe limit is 8,000 JPY per order."}), "One side"),
        (merging(HOURS), "One side"),
        (merging(HOURS | {"evidence": ["2:7"]}), "was not given"),
        (merging(HOURS | {"evidence": ["1:1"]}), "was not given"),
        (merging({"place": "3", "text": "# X\n\nY."}), "names no section"),
        (merging(HOURS, conflicts=[LIMIT | {"second": "No limit.", "reason": "x"}]), "is not in document 2"),
        (merging(HOURS, conflicts=[LIMIT | {"second_document": 1, "reason": "x"}]), "name two others"),
        (merging(HOURS, conflicts=[LIMIT | {"second_document": 3, "reason": "x"}]), "name two others"),
        (merging(HOURS, conflicts=[LIMIT | {"second_document": 0, "reason": "x"}]), "second_document"),
    ],
)
def test_a_merge_that_cannot_all_be_used_changes_no_document(reply: str, said: str) -> None:
    assert said in reason(MERGE, reply)


@pytest.mark.parametrize("operator", [MERGE, EXTRACT])
def test_a_crossover_is_asked_with_all_documents_and_the_conflicts_of_the_rule(operator: Operator) -> None:
    asker, model = asking(ScriptedFault.REFUSAL)
    found = propose(asker, plan(operator, *two(), evidence=(EVIDENCE,)))
    assert isinstance(found, Unusable)
    (request,) = model.requests
    data = read_data(request)
    assert request.seed == 7
    assert data["conflicts"] == [LIMIT]
    shown = data["documents"]
    assert isinstance(shown, list)
    assert [one["document"] for one in shown if isinstance(one, dict)] == [1, 2]
    assert shown[1] == {
        "document": 2,
        "title": "Faq",
        "sections": [
            {
                "place": "1",
                "path": "Money back",
                "text": "# Money back\n\nRefunds take 7 days. The limit is 8,000 JPY per order.",
            },
            {"place": "2", "path": "Hours", "text": "# Hours\n\nWe answer from 9:00."},
        ],
    }


def test_a_common_part_becomes_a_document_and_its_sources_keep_a_reference_and_what_is_theirs() -> None:
    found = proposed(EXTRACT, extracting())
    assert isinstance(found, Proposal)
    new, first, second = found.texts
    assert (new.document_id, new.base_version, new.title) == (None, 0, "Refund times")
    assert new.text == "# Refund times\n\nRefunds take 7 days.\n"
    assert new.source.startswith("extracted/")
    see = f"See “Refund times” ({new.source})."
    assert first.text == GUIDE.replace(
        "Refunds take 7 days. It is done by the shop.", f"It is done by the shop.\n\n{see}"
    )
    assert second.text.startswith(f"# Money back\n\nThe limit is 8,000 JPY per order.\n\n{see}\n\n# Hours")
    assert found.edits[0] == ()
    for base, text, edits in zip(two(), found.texts[1:], found.edits[1:], strict=True):
        assert text.text == apply_edits(base.text, edits)


def test_conflicts_between_sections_that_go_stay_on_both_sides() -> None:
    limits = [
        {"document": 1, "place": "1.1", "rest": "", "reason": "x"},
        {"document": 2, "place": "1", "rest": "", "reason": "x"},
    ]
    text = "Refunds take 7 days. The limit is 5,000 JPY per order."
    assert "One side" in reason(EXTRACT, extracting(text=text, taken=limits))
    kept = [limits[0], limits[1] | {"rest": "The limit is 8,000 JPY per order."}]
    found = proposed(EXTRACT, extracting(text=text, taken=kept))
    assert isinstance(found, Proposal)
    assert [one.second for one in found.conflicts] == [LIMIT["second"]]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("{}", "Field required"),
        (extracting(taken=[], title="", text=""), "nothing_to_improve"),
        (extracting(taken=TAKEN[:1]), "one document alone"),
        (extracting(taken=[*TAKEN, TAKEN[0]]), "twice"),
        (extracting(taken=[TAKEN[0], TAKEN[1] | {"place": "5"}]), "names no section of document 2"),
        (extracting(taken=[TAKEN[0], TAKEN[1] | {"document": 3}]), "there are 2"),
        (extracting(text=""), "blank"),
        (extracting(title=" # "), "title"),
        (extracting(text="# Refunds\n\nRefunds take 7 days."), "rank 1"),
        (extracting(text="返金には7日かかります。手続きは店舗が行います。"), "language"),
        (extracting(text="Refunds take 7 days. " * 60), "characters"),
        (extracting(taken=[TAKEN[0] | {"rest": "# Who\n\nThe shop."}, TAKEN[1]]), "has headings"),
        (extracting(taken=[TAKEN[0] | {"rest": "手続きは店舗が行います。"}, TAKEN[1]]), "language"),
    ],
)
def test_an_extraction_that_cannot_all_be_used_changes_no_document(reply: str, said: str) -> None:
    assert said in reason(EXTRACT, reply)


def test_references_are_in_the_language_of_the_document_they_stand_in() -> None:
    ja = document(GUIDE_JA, name="ja", language=Language.JA)
    found = proposed(MERGE, merging(HOURS | {"evidence": []}), document(), ja)
    assert isinstance(found, Proposal)
    assert found.texts[1].text.strip() == "# Ja\n\nこの文書は「Guide」(guide.md)に統合されました。"


@pytest.mark.parametrize("operator", [MERGE, EXTRACT])
@pytest.mark.parametrize("fault", [*ScriptedFault])
def test_a_fault_is_told_and_changes_no_document(operator: Operator, fault: ScriptedFault) -> None:
    asker, _ = asking(fault)
    found = propose(asker, plan(operator, *two()))
    assert isinstance(found, Unusable)
    assert found.reason


def test_documents_too_long_together_are_not_asked_about() -> None:
    asker, model = asking(merging(HOURS))
    with patch("evolore.flows.evolve.candidates.LONGEST_JOINED", len(GUIDE) + 10):
        assert propose(asker, plan(MERGE, *two())) == Unusable(reason="too_long")
    assert model.calls == 0
