"""What is quoted of passages is theirs word for word, and comes with what it needs to be understood."""

from __future__ import annotations

import itertools
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evolore.answers.extraction import Extract, Passage, ReadPassage, extract, nearest_unit
from evolore.answers.settings import AnswerSettings
from evolore.answers.units import UnitKind, answer_units
from evolore.text.question_words import AskedWords, rarity

LINES = st.sampled_from(
    (
        "# Heading",
        "A refund is paid within 30 days. It is paid once.",
        "Do the following:",
        "- Call the shop.",
        "2. Name the order.",
        "| Plan | Price |",
        "|---|---|",
        "| Pro | 20 |",
        "```sh",
        "sync --all",
        "```",
        "",
        "   ",
        "返金は30日以内です。送料は無料です。",
        "退款需要三十天。",
        "How long does it take?",
        "---",
    )
)
TEXTS = st.one_of(st.lists(LINES, max_size=14).map("\n".join), st.text(max_size=80))
SETTINGS = AnswerSettings()
SENTENCES = "evolore.answers.extraction._MOST_SENTENCES"


def said(question: str, *texts: str, settings: AnswerSettings = SETTINGS) -> tuple[Extract, list[str]]:
    read = [ReadPassage.of(Passage(text=text)) for text in texts]
    alike = [np.zeros(len(one.units)) for one in read]
    found = extract(AskedWords.of(question, {}), read, alike, items=len(texts), settings=settings)
    return found, [quote.span.of(texts[quote.passage]) for quote in found.quoted]


@given(text=TEXTS)
def test_units_stand_in_their_order_apart_and_without_blanks(text: str) -> None:
    units = answer_units(text)
    quotes = [unit.span.of(text) for unit in units]
    assert all(quote and quote == quote.strip() for quote in quotes)
    assert all(one.span.end <= other.span.start for one, other in itertools.pairwise(units))
    assert all(one.block <= other.block for one, other in itertools.pairwise(units))


@given(texts=st.lists(TEXTS, max_size=4), question=st.sampled_from(("How long is a refund?", "返金は何日？", "?")))
def test_what_is_quoted_is_whole_units_and_none_twice(texts: list[str], question: str) -> None:
    found, _ = said(question, *texts)
    assert 0.0 <= found.likelihood <= 1.0
    for quote in found.quoted:
        units = answer_units(texts[quote.passage])
        assert quote.span.start in {unit.span.start for unit in units}
        assert quote.span.end in {unit.span.end for unit in units}
    ends = [(quote.passage, place) for quote in found.quoted for place in range(quote.span.start, quote.span.end)]
    assert len(ends) == len(set(ends))


@given(texts=st.lists(TEXTS, min_size=1, max_size=4), characters=st.integers(1, 80), sentences=st.integers(1, 3))
@example(texts=["00", "How long does it take?\n# Heading"], characters=1, sentences=2)
def test_beyond_the_first_nothing_makes_an_answer_too_long(texts: list[str], characters: int, sentences: int) -> None:
    with patch(SENTENCES, sentences):
        found, quotes = said("How long is a refund?", *texts, settings=AnswerSettings(characters=characters))
    with patch(SENTENCES, 1):
        one, _ = said("How long is a refund?", *texts, settings=AnswerSettings(characters=1))
    least = sum(len(quote.span) for quote in one.quoted)
    blanks = sum(sum(char.isspace() for char in quote) for quote in quotes)
    assert sum(len(quote.span) for quote in found.quoted) - blanks <= max(characters, least)


PAGE = """# Shop

To book the carrier, do the following:

- Call the office.
- Name the order.

Cats are welcome.

| Plan | Price | Users |
|---|---|---|
| Basic | 10 | one |
| Pro | 20 | many |

## How long does a delivery take?

About a week.
"""


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        (
            "How do I book the carrier?",
            ["To book the carrier, do the following:\n\n- Call the office.\n- Name the order."],
        ),
        ("Whom must I call at the office?", ["To book the carrier, do the following:\n\n- Call the office."]),
        ("What does the Pro plan cost for many users?", ["| Plan | Price | Users |", "| Pro | 20 | many |"]),
        ("How long does a delivery take?", ["About a week."]),
        ("Are cats welcome?", ["Cats are welcome."]),
    ],
)
def test_what_leads_to_a_quote_or_follows_from_it_comes_along(question: str, quotes: list[str]) -> None:
    with patch(SENTENCES, 1):
        assert said(question, PAGE)[1] == quotes


@pytest.mark.parametrize(
    ("question", "text", "quote"),
    [
        (
            "返金は何日以内ですか？",
            "店は月曜休みです。返金は30日以内にします。猫がいます。",
            "返金は30日以内にします。",
        ),
        ("退款要多少天？", "商店周一休息。退款需要三十天。有一只猫。", "退款需要三十天。"),
        ("When is a refund paid?", "Cats sleep. A refund is paid on Friday. Dogs bark.", "A refund is paid on Friday."),
    ],
)
def test_the_sentence_that_answers_is_chosen_in_three_languages(question: str, text: str, quote: str) -> None:
    with patch(SENTENCES, 1):
        assert said(question, text)[1] == [quote]


def test_the_same_said_twice_is_quoted_once() -> None:
    text = "A refund is paid within thirty days."
    assert said("When is a refund paid?", text, f"{text} Cats sleep.")[1] == [text]


def test_the_more_of_a_question_is_found_the_likelier_is_an_answer() -> None:
    question = "When does the Lyon office pay a refund?"
    texts = ("The Lyon office pays a refund when asked.", "The office is closed.", "Cats sleep.")
    likely = [said(question, text)[0].likelihood for text in texts]
    assert likely == sorted(likely, reverse=True)
    assert likely[0] > 0.9
    assert likely[2] < 0.5
    assert said(question)[0] == Extract()


def test_units_are_told_by_their_marks() -> None:
    kinds = [unit.kind for unit in answer_units(PAGE)]
    assert kinds.count(UnitKind.TABLE_HEAD) == 1
    assert kinds.count(UnitKind.TABLE_ROW) == 2
    assert kinds.count(UnitKind.ITEM) == 2
    assert kinds.count(UnitKind.HEADING) == 2


def test_rare_words_count_more_and_unknown_ones_most() -> None:
    found = rarity({"common": 90, "rare": 1, "unknown": 0}, 100)
    assert found["common"] < found["rare"] < found["unknown"]


def test_a_sentence_rests_on_the_unit_it_repeats() -> None:
    passage = ReadPassage.of(Passage(text="Cats sleep. Dogs bark."))
    words = AskedWords.of("Dogs bark loudly.", {})
    unit = nearest_unit(words, passage, np.zeros(2))
    assert unit is not None
    assert unit.span.of(passage.passage.text) == "Dogs bark."
    assert nearest_unit(words, ReadPassage.of(Passage(text="")), np.zeros(0)) is None
