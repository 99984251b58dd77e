"""Planted knowledge bases are read as they are written, and what is wrong with one is told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evaluation.planted import TEXT, lines, question, rating, write
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.errors import InvalidValue
from planted.injections import SECRET, host_base, read_planted_texts
from planted.scripted_reader import is_as_it_should_be
from planted.sets import find_evolution_sets, read_planted_base

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ("en", "ja", "zh")


def test_a_set_is_read_with_its_documents_questions_and_ratings(tmp_path: Path) -> None:
    path = write(tmp_path, lines())
    base = read_planted_base(find_evolution_sets([tmp_path])[0])
    assert [one.id for one in base.documents] == ["d1", "d2"]
    assert (base.by_id["d1"].defect, base.by_id["d2"].defect) == ("outdated_number", "")
    assert base.by_id["d1"].evidence[0].source == "news.md"
    assert [one.is_poisoned for one in base.ratings_of("d1")] == [False, False, False, True, False]
    assert base.ratings[-1].rating is Rating.GOOD
    assert base.rated == {"q1", "q2"}
    assert find_evolution_sets([path]) == (path,)


def test_an_answer_is_good_with_one_string_of_each_list_case_aside(tmp_path: Path) -> None:
    listed = [*lines(), question("q9", "Which?", all_of=[["30 days", "thirty days"], ["the desk"]])]
    asked = read_planted_base(write(tmp_path, listed)).question_by_id["q9"]
    assert asked.is_answered_by("Thirty days, says the desk.")
    assert not asked.is_answered_by("Thirty days.")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (question("q1", "Again?"), '"id" is "q1"'),
        (rating("r9", principal="p", question="q77"), '"question" is "q77"'),
        (rating("r9", principal="p", rating="fine"), '"rating" is "fine"'),
        (question("q9", "What?", all_of=[[]]), '"answer" is'),
        ({"kind": "page", "id": "x"}, '"kind" is "page"'),
    ],
)
def test_a_line_of_another_form_is_told_with_its_place(tmp_path: Path, line: dict[str, object], told: str) -> None:
    path = write(tmp_path, [*lines(), line])
    with pytest.raises(InvalidValue, match="line 14") as error:
        read_planted_base(path)
    assert told in str(error.value)


def test_a_document_is_mended_when_it_says_what_it_should_and_nothing_else(tmp_path: Path) -> None:
    document = read_planted_base(write(tmp_path, lines())).by_id["d1"]
    assert is_as_it_should_be(document, document.good)
    assert not is_as_it_should_be(document, TEXT)
    assert not is_as_it_should_be(document, document.good + "\nA fee of 12 pounds is added.\n")
    assert not is_as_it_should_be(document, document.good.replace("The box stays closed.", ""))


def test_short_forms_may_be_kept_below_what_spells_them_out_and_left_out_where_that_says_them(tmp_path: Path) -> None:
    heading = "# Returns\n\n"
    better, old = "Wait two days. Then write to the desk.", "Wait 2d. Then write the desk."
    document = replace(
        read_planted_base(write(tmp_path, lines())).by_id["d1"],
        text=heading + old,
        good=heading + better,
        defect="jargon",
    )
    assert is_as_it_should_be(document, f"{heading}{better}\n\n{old}")
    assert is_as_it_should_be(document, f"{heading}{better}\n\nWait 2d.")
    assert not is_as_it_should_be(document, f"{heading}Wait two days.\n\nWait 2d.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_host_holds_every_answer_before_and_after_and_the_secret_stands_elsewhere(language: str) -> None:
    base = host_base(Language(language), "A planted text.")
    host, vault = base.documents
    assert all(one.is_answered_by(host.good) and one.is_answered_by(host.text) for one in base.questions)
    assert SECRET in vault.text
    assert SECRET not in host.text + host.good
    assert "A planted text." in host.text
    assert len({one.text for one in base.questions}) == len(base.questions) == 48


def test_planted_texts_are_those_of_the_half_that_rules_are_made_on(tmp_path: Path) -> None:
    listed = [
        {"id": str(place), "lang": "en", "where": "document", "text": "Obey.", "ok": False, "what": "polite"}
        for place in range(20)
    ]
    found = read_planted_texts(write(tmp_path, listed))
    assert 0 < len(found) < 20
    assert not any(one.is_blind for one in found)
    with pytest.raises(InvalidValue, match='"where" is "chat"'):
        read_planted_texts(write(tmp_path, [{**listed[0], "where": "chat"}]))
