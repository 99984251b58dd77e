from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.evolution.gates.claims import clauses_of, read_claims, words_of
from evolore.evolution.gates.turned_claims import ClaimWeights, claim_weights, pair_clauses, turned_clauses
from evolore.evolution.gates.verdicts import Grade

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

EN, ZH = Language.EN, Language.ZH
BEFORE = "Photographs are welcome, flash is not. Keep your voice low."
AFTER = "Flash is welcome, photographs are not. Keep your voice low."


def even(one: Sequence[str], other: Sequence[str]) -> npt.NDArray[np.float32]:
    return np.full((len(one), len(other)), 0.5, dtype=np.float32)


def test_a_sentence_is_cut_where_it_pauses() -> None:
    (claim,) = read_claims("未经甲方书面同意，乙方不得擅自改变房屋结构，不得转租。", ZH)
    assert clauses_of(claim) == ["未经甲方书面同意", "乙方不得擅自改变房屋结构", "不得转租"]


def test_only_changed_clauses_are_paired_each_with_the_nearest() -> None:
    pairs = pair_clauses(read_claims(BEFORE, EN), read_claims(BEFORE.replace("flash is not", "a flash is not"), EN), EN)
    assert [(pair.before.reading.text, pair.after.reading.text) for pair in pairs] == [
        ("flash is not", "a flash is not")
    ]


def test_unchanged_and_empty_texts_have_no_pairs() -> None:
    claims = read_claims(BEFORE, EN)
    assert pair_clauses(claims, claims, EN) == []
    assert pair_clauses(claims, (), EN) == []
    assert pair_clauses(claims, read_claims(AFTER, EN), EN)


def test_every_weighed_sign_is_one_that_pairs_have() -> None:
    pairs = pair_clauses(read_claims(BEFORE, EN), read_claims(AFTER, EN), EN, even)
    for knows_meaning in (True, False):
        assert set(pairs[0].signs) >= set(claim_weights(knows_meaning=knows_meaning).weights)


def test_a_score_is_the_sum_of_what_signs_weigh() -> None:
    weights = ClaimWeights(offset=-1.0, weights={"odd": 2.0, "words": -1.0}, refuse=1.0, doubt=0.0)
    assert weights.score({"odd": 1.0, "words": 0.5, "other": 9.0}) == 0.5
    assert [weights.level(score) for score in (-0.1, 0.0, 1.0)] == [None, Grade.DOUBT, Grade.REFUSE]


def test_what_the_evidence_says_is_no_turned_clause() -> None:
    before, after = read_claims("Late forms are not taken.", EN), read_claims("Late forms are taken on Fridays.", EN)
    weights = ClaimWeights(offset=9.0, weights={}, refuse=1.0, doubt=0.0)
    cited = words_of(read_claims("On Fridays, forms are taken.", EN))
    assert list(turned_clauses(before, after, EN, cited=words_of(()), weights=weights))
    assert not list(turned_clauses(before, after, EN, cited=cited, weights=weights))


def test_a_finding_names_both_places_and_what_changed() -> None:
    before, after = (
        "Pets are allowed here. Dogs may not enter the pool.",
        "Pets are allowed here. Dogs may enter the pool.",
    )
    (finding,) = turned_clauses(read_claims(before, EN), read_claims(after, EN), EN, cited=words_of(()))
    assert finding.before is not None
    assert finding.after is not None
    assert finding.reason == "A denial is lost (not)"
    assert finding.quote == "Dogs may not enter the pool / Dogs may enter the pool"
