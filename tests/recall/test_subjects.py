"""Subjects: who is named in a question, and which items name them."""

from __future__ import annotations

import numpy as np
import pytest

from evolore.recall.evidence import TermScores
from evolore.recall.question import labels_in, names_subject

TOKENS = ("ann", "smith", "paint")
TERMS = TermScores(
    starts=np.array([0, 2, 4, 5], dtype=np.int64),
    items=np.array([0, 1, 1, 2, 3], dtype=np.int32),
    scores=np.ones(5, dtype=np.float32),
)


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ('Ann: "I miss it."\nAnn: "So much."', ("Ann",)),
        ("user: I am sad.\nBo：我也是", ("Bo",)),
        ("See https://example.org", ()),
        ("What did Ann say?", ()),
        ("at 10:30 we left", ()),
    ],
)
def test_who_speaks_in_a_quoted_conversation_is_found(question: str, labels: tuple[str, ...]) -> None:
    assert labels_in(question) == labels


def test_an_item_names_whom_it_holds_every_word_of() -> None:
    flags = names_subject(["Ann Smith"], tokens=TOKENS, terms=TERMS, count=5)
    assert flags.tolist() == [False, True, False, False, False]


def test_one_of_several_names_is_enough() -> None:
    flags = names_subject(["Ann", "Smith"], tokens=TOKENS, terms=TERMS, count=5)
    assert flags.tolist() == [True, True, True, False, False]


def test_a_name_that_is_no_token_of_the_question_names_nobody() -> None:
    assert not names_subject(["Zoe", ""], tokens=TOKENS, terms=TERMS, count=5).any()
