"""Answers are measured on what memories hold, and on what was left out of them, as the protocol says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from evolore.errors import InvalidValue
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.answers import (
    AnswerGroup,
    AskedQuestion,
    area,
    evaluate_answers,
    grouped,
    read_answer_set,
    unanswered_elsewhere,
    withheld,
)
from evolore_evaluation.measure import Run

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("Anna", "Boris", "Chloe", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Karin", "Luigi")


def written(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def corpus(path: Path) -> Path:
    docs: list[dict[str, object]] = [
        {"type": "doc", "id": f"d{place}", "title": name, "text": f"The parcel of {name} lies on shelf {place + 20}."}
        for place, name in enumerate(NAMES)
    ]
    asked: list[dict[str, object]] = [
        {
            "type": "q",
            "id": f"q{place}",
            "text": f"On which shelf does the parcel of {name} lie?",
            "gold": [f"d{place}"],
            "answer": [f"shelf {place + 20}"],
        }
        for place, name in enumerate(NAMES)
    ]
    return written(path, [*docs, *asked])


def page(path: Path) -> Path:
    text = "# Violins\n\nViolins are tuned in fifths.\n"
    question = {"kind": "question", "id": "v1", "document": "v", "text": "How are violins tuned?"}
    return written(
        path,
        [
            {"kind": "document", "id": "v", "title": "Violins", "text": "Wrong.", "good": text},
            {**question, "answer": {"all_of": [["fifths", "5ths"], ["tuned"]]}},
            {"kind": "feedback", "id": "f"},
        ],
    )


def test_both_forms_are_read_and_the_good_text_of_a_page_is_taken(tmp_path: Path) -> None:
    one = read_answer_set(page(tmp_path / "page.jsonl"))
    assert [document.text[:9] for document in one.documents] == ["# Violins"]
    (question,) = one.questions
    assert question.is_answered_by("They are TUNED in ５ths.")
    assert not question.is_answered_by("They are tuned.")
    assert len(read_answer_set(corpus(tmp_path / "corpus.jsonl")).questions) == len(NAMES)


def test_an_answer_of_another_form_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [{"type": "q", "id": "q", "text": "Who?", "gold": ["d"], "answer": 7}])
    with pytest.raises(InvalidValue, match="all_of"):
        read_answer_set(path)


def test_a_question_part_of_whose_documents_is_left_out_is_not_asked() -> None:
    asked = [AskedQuestion(id=f"q{place}", text="Who?", documents=frozenset({f"d{place}"})) for place in range(30)]
    held = withheld(asked)
    assert 3 <= len(held) <= 20
    groups = {one.id: group for one, group in grouped(asked)}
    assert {one.id for one in asked if one.documents <= held} == {
        id_ for id_, group in groups.items() if group is AnswerGroup.WITHHELD
    }
    last = max(held)
    stays = min(document for one in asked for document in one.documents - held)
    assert stays < last  # the first document of a question decides, so that this one leaves nothing more out
    mixed = AskedQuestion(id="mixed", text="Who?", documents=frozenset({stays, last}))
    assert "mixed" not in {one.id for one, _ in grouped([*asked, mixed])}
    assert withheld([*asked, mixed]) == held


@pytest.mark.parametrize(("other", "count"), [("It takes 7 days.", 0), ("It takes a week.", 1)])
def test_what_another_page_says_as_well_is_not_withheld(tmp_path: Path, other: str, count: int) -> None:
    texts = {"e": "Refunds take 7 days.", "b": other}
    pages: list[dict[str, object]] = [
        {"kind": "document", "id": name, "title": name, "text": text} for name, text in texts.items()
    ]
    wanted = {"all_of": ["7 days"]}
    asked: dict[str, object] = {"kind": "question", "id": "q", "document": "e", "text": "How long?", "answer": wanted}
    one = read_answer_set(written(tmp_path / "pages.jsonl", [*pages, asked]))
    assert withheld(one.questions) == {"e"}
    assert len(list(unanswered_elsewhere(one, grouped(one.questions)))) == count


def test_the_area_counts_pairs_in_the_right_order() -> None:
    assert area([0.9, 0.8], [0.1]) == 1.0
    assert area([0.1], [0.9, 0.1]) == 0.25


def test_a_memory_is_asked_what_it_holds_what_was_left_out_and_what_is_foreign(tmp_path: Path) -> None:
    lines = tmp_path / "predicted.jsonl"
    paths = [corpus(tmp_path / "corpus.jsonl"), page(tmp_path / "page.jsonl")]
    report = evaluate_answers(paths, embedder=HashingEmbedder(), run=Run(predictions=lines))
    found = report.sets[0].metrics
    assert found["answerable_questions"] + found["withheld_questions"] == len(NAMES)
    assert found["foreign_questions"] == 1
    assert found["holds_answer"] == 1.0
    assert found["refused"] == 0.0
    assert found["auc_foreign"] == 1.0
    assert [found[f"refused_foreign_at_{share}"] for share in (5, 10, 20, 30)] == [1.0] * 4
    predicted = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert {one["group"] for one in predicted} == {"answerable", "withheld", "foreign"}
    assert all(0 <= one["likelihood"] <= 1 for one in predicted)
