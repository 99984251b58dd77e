"""How likely an answer is rises with what speaks for one, and does not depend on how a memory is cut into items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.answers.extraction import (
    EVIDENCE,
    AnswerEvidence,
    Extract,
    Nearness,
    Passage,
    ReadPassage,
    extract,
    weigh_evidence,
)
from evolore.answers.settings import AnswerSettings
from evolore.text.question_words import AskedWords
from evolore.text.tokens import analyse
from evolore.text.word_files import read_fitted

SHARES = st.floats(0.0, 1.0)
EVIDENCES = st.builds(AnswerEvidence, best=st.floats(0.0, 2.0), found=SHARES, unnamed=SHARES, size=st.floats(2.0, 5.0))
SENTENCES = ("Cats sleep.", "Dogs bark at night.", "The ferry leaves at nine.", "猫がいます。", "退款需要三十天。")


def extracted(question: str, texts: list[str], *, items: int) -> Extract:
    read = [ReadPassage.of(Passage(text=text)) for text in texts]
    alike = [np.zeros(len(one.units)) for one in read]
    return extract(AskedWords.of(question, {}), read, alike, items=items, settings=AnswerSettings())


@given(one=EVIDENCES, more=SHARES)
@pytest.mark.parametrize("knows", [True, False])
def test_a_likelihood_rises_with_what_is_found_and_falls_with_missing_names_and_size(
    knows: bool,  # noqa: FBT001 - pytest hands it over by name
    one: AnswerEvidence,
    more: float,
) -> None:
    likely = one.likelihood(knows_meaning=knows)
    assert 0.0 <= likely <= 1.0
    better = (replace(one, best=one.best + more), replace(one, found=one.found + more))
    worse = (replace(one, unnamed=one.unnamed + more), replace(one, size=one.size + more))
    assert all(other.likelihood(knows_meaning=knows) >= likely for other in better)
    assert all(other.likelihood(knows_meaning=knows) <= likely for other in worse)


@pytest.mark.parametrize(
    "weights", [read_fitted("evolore.answers", "answering", name) for name in ("by_meaning", "by_words")]
)
def test_every_piece_of_evidence_has_its_weight(weights: dict[str, float]) -> None:
    assert list(weights) == [*EVIDENCE, "constant"]


@given(
    question=st.sampled_from(("When does the ferry leave?", "Does Anna keep dogs?", "返金は何日？", "?")),
    near=st.lists(st.tuples(st.sampled_from(SENTENCES), SHARES), min_size=1),
    sentences=st.floats(0.0, 1e9),
)
def test_evidence_stays_in_its_ranges(question: str, near: list[tuple[str, float]], sentences: float) -> None:
    read = [Nearness(words=frozenset(analyse(text)), alike=alike) for text, alike in near]
    found = weigh_evidence(AskedWords.of(question, {}), read, [one.words for one in read], sentences=sentences)
    assert 0.0 <= found.best <= 2.0 + 1e-9
    assert 0.0 <= found.found <= 1.0 + 1e-9
    assert 0.0 <= found.unnamed <= 1.0
    assert 2.0 <= found.size <= 5.0


@given(texts=st.lists(st.sampled_from(SENTENCES[:3]), min_size=1, max_size=5), times=st.integers(1, 400))
def test_a_memory_is_as_large_however_its_sentences_are_cut_into_items(texts: list[str], times: int) -> None:
    apart = extracted("When does the ferry leave?", texts, items=times * len(texts)).evidence
    together = extracted("When does the ferry leave?", [" ".join(texts)], items=times).evidence
    assert apart is not None
    assert together is not None
    assert apart.size == pytest.approx(together.size)


def test_a_name_that_stands_elsewhere_speaks_against_an_answer() -> None:
    texts = ["Petra sold the van.", "Jonas went to Lyon."]
    petra, jonas = (extracted(f"Has {name} sold the van?", texts, items=300) for name in ("Petra", "Jonas"))
    assert petra.evidence is not None
    assert jonas.evidence is not None
    assert (petra.evidence.unnamed, jonas.evidence.unnamed) == (0.0, 1.0)
    assert jonas.evidence.found == petra.evidence.found
    assert jonas.likelihood < petra.likelihood


def test_where_there_is_nothing_to_quote_nothing_is_likely() -> None:
    assert extracted("When?", [], items=0) == Extract()
    assert extracted("When?", ["# Ferries"], items=1) == Extract()
