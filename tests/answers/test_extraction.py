"""What is quoted of passages is theirs word for word, and comes with what it needs to be understood.

How likely an answer is rises with what speaks for one, and does not depend on how a memory is cut into items.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evolore.answers.extraction import (
    EVIDENCE,
    AnswerEvidence,
    Extract,
    Nearness,
    Passage,
    ReadPassage,
    extract,
    nearest_unit,
    weigh_evidence,
)
from evolore.answers.settings import AnswerSettings
from evolore.answers.units import PartKind, answer_units
from evolore.text.question_words import AskedWords, rarity
from evolore.text.tokens import analyse
from evolore.text.word_files import read_fitted

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
    assert said("When is a refund paid?", text, f"Cats sleep. {text}")[1] == [text]


def test_the_sentence_after_comes_along_and_what_stands_elsewhere_does_not() -> None:
    page = "The maxdelay option limits delays. The default is three seconds."
    found = said("What is the default of the maxdelay option?", page, "A cat has no option but to sleep.")[1]
    assert found == [page]


def test_at_most_four_sentences_are_quoted() -> None:
    places = ("Oslo by night", "Lyon for Rome", "Bern without cars", "Kiel at nine", "Turku full", "Riga on ice")
    assert len(said("When does the ferry leave?", *(f"The ferry leaves {place}." for place in places))[1]) == 4


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
    assert kinds.count(PartKind.TABLE_HEAD) == 1
    assert kinds.count(PartKind.TABLE_ROW) == 2
    assert kinds.count(PartKind.ITEM) == 2
    assert kinds.count(PartKind.HEADING) == 2


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


SHARES = st.floats(0.0, 1.0)
EVIDENCES = st.builds(AnswerEvidence, best=st.floats(0.0, 2.0), found=SHARES, size=st.floats(1.4, 5.0))
HELD_SENTENCES = ("Cats sleep.", "Dogs bark at night.", "The ferry leaves at nine.", "猫がいます。", "退款需要三十天。")


def extracted(question: str, texts: list[str], *, items: int) -> Extract:
    read = [ReadPassage.of(Passage(text=text)) for text in texts]
    alike = [np.zeros(len(one.units)) for one in read]
    return extract(AskedWords.of(question, {}), read, alike, items=items, settings=AnswerSettings())


@given(one=EVIDENCES, more=SHARES)
@pytest.mark.parametrize("knows", [True, False])
def test_a_likelihood_rises_with_what_is_found_and_falls_with_size(
    knows: bool,  # noqa: FBT001 - pytest hands it over by name
    one: AnswerEvidence,
    more: float,
) -> None:
    likely = one.likelihood(knows_meaning=knows)
    assert 0.0 <= likely <= 1.0
    better = (replace(one, best=one.best + more), replace(one, found=one.found + more))
    worse = replace(one, size=one.size + more)
    assert all(other.likelihood(knows_meaning=knows) >= likely for other in better)
    assert worse.likelihood(knows_meaning=knows) <= likely


@pytest.mark.parametrize(
    "weights", [read_fitted("evolore.answers", "answering", name) for name in ("by_meaning", "by_words")]
)
def test_every_piece_of_evidence_has_its_weight(weights: dict[str, float]) -> None:
    assert list(weights) == [*EVIDENCE, "constant"]


@given(
    question=st.sampled_from(("When does the ferry leave?", "Does Anna keep dogs?", "返金は何日？", "?")),
    near=st.lists(st.tuples(st.sampled_from(HELD_SENTENCES), SHARES), min_size=1),
    sentences=st.floats(0.0, 1e9),
)
def test_evidence_stays_in_its_ranges(question: str, near: list[tuple[str, float]], sentences: float) -> None:
    read = [Nearness(words=frozenset(analyse(text)), alike=alike) for text, alike in near]
    found = weigh_evidence(AskedWords.of(question, {}), read, [one.words for one in read], sentences=sentences)
    assert 0.0 <= found.best <= 2.0 + 1e-9
    assert 0.0 <= found.found <= 1.0 + 1e-9
    assert 1.4 <= found.size <= 5.0


@given(texts=st.lists(st.sampled_from(HELD_SENTENCES[:3]), min_size=1, max_size=5), times=st.integers(1, 400))
def test_a_memory_is_as_large_however_its_sentences_are_cut_into_items(texts: list[str], times: int) -> None:
    apart = extracted("When does the ferry leave?", texts, items=times * len(texts)).evidence
    together = extracted("When does the ferry leave?", [" ".join(texts)], items=times).evidence
    assert apart is not None
    assert together is not None
    assert apart.size == pytest.approx(together.size)


def test_an_identifier_is_asked_for_to_the_letter() -> None:
    texts = ["Version 2.10.1 mends the login page.", "Version 2.1.10 mends the search page."]
    found = [extracted("What does version 2.1.10 mend?", [text], items=300) for text in texts]
    evidence = [one.evidence for one in found]
    assert evidence[0] is not None
    assert evidence[1] is not None
    assert evidence[0].best < 0.5 * evidence[1].best
    assert found[0].likelihood < AnswerSettings().least_likelihood < found[1].likelihood


def test_an_identifier_in_the_title_counts_for_what_stands_below_it() -> None:
    asked = AskedWords.of("What does version 2.1.10 mend?", {})
    here, there = (
        ReadPassage.of(Passage(text="It mends the search page.", context=f"Version {version}"))
        for version in ("2.1.10", "2.10.1")
    )
    assert asked.covered(here.all_words) > 2 * asked.covered(there.all_words)


def test_where_there_is_nothing_to_quote_nothing_is_likely() -> None:
    assert extracted("When?", [], items=0) == Extract()
    assert extracted("When?", ["# Ferries"], items=1) == Extract()
