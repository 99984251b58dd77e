"""Evidence: arrays that do not fit together cannot become one."""

from __future__ import annotations

import numpy as np
import pytest

from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.recall.evidence import Evidence, TermScores, is_in_another

ONE_TERM = TermScores(
    starts=np.array([0, 1], dtype=np.int64), items=np.array([1], dtype=np.int32), scores=np.ones(1, dtype=np.float32)
)


def make_evidence(
    *,
    similarity: tuple[float, ...] = (0.1, 0.2),
    neighbours: tuple[tuple[int, ...], ...] = ((-1, -1, 1, -1), (-1, 0, -1, -1)),
    groups: tuple[int, ...] = (0, 0),
    named: tuple[bool, ...] = (False, False),
    terms: TermScores = ONE_TERM,
) -> Evidence:
    return Evidence(
        terms=terms,
        similarity=np.array(similarity, dtype=np.float32),
        neighbours=np.array(neighbours, dtype=np.int32),
        groups=np.array(groups, dtype=np.int32),
        is_by_named_speaker=np.array(named, dtype=np.bool_),
    )


def test_arrays_that_fit_are_taken() -> None:
    assert make_evidence().count == 2


def test_similarity_must_be_finite() -> None:
    with pytest.raises(InvalidValue, match="similarity holds a value that is not a number"):
        make_evidence(similarity=(0.1, float("nan")))


def test_neighbours_must_be_four_for_each_item() -> None:
    with pytest.raises(InvalidValue, match=r"neighbours has the shape \(2, 3\): 2 items need \(2, 4\)"):
        make_evidence(neighbours=((-1, -1, -1), (-1, -1, -1)))


def test_groups_must_be_one_for_each_item() -> None:
    with pytest.raises(InvalidValue, match="groups has the shape"):
        make_evidence(groups=(0,))


def test_speaker_flags_must_be_one_for_each_item() -> None:
    with pytest.raises(InvalidValue, match="is_by_named_speaker has the shape"):
        make_evidence(named=(True,))


def test_a_neighbour_must_be_an_item() -> None:
    with pytest.raises(InvalidValue, match="neighbours runs from -1 to 2"):
        make_evidence(neighbours=((-1, -1, 2, -1), (-1, 0, -1, -1)))


def test_a_group_is_never_negative() -> None:
    with pytest.raises(InvalidValue, match="groups runs from -1 to 0"):
        make_evidence(groups=(0, -1))


def test_a_term_scores_known_items_only() -> None:
    with pytest.raises(InvalidValue, match=r"terms\.items runs from 1 to 1: numbers from 0 to 0"):
        make_evidence(similarity=(0.1,), neighbours=((-1, -1, -1, -1),), groups=(0,), named=(False,))


@pytest.mark.parametrize("starts", [[], [1, 1], [0, 2], [0, 2, 1]])
def test_starts_that_cut_no_rows_are_refused(starts: list[int]) -> None:
    with pytest.raises(InvalidValue, match="do not cut 1 scores into rows"):
        TermScores(starts=np.array(starts, dtype=np.int64), items=ONE_TERM.items, scores=ONE_TERM.scores)


def test_each_item_of_a_row_needs_a_score() -> None:
    with pytest.raises(InvalidValue, match="1 items have 2 scores"):
        TermScores(starts=ONE_TERM.starts, items=ONE_TERM.items, scores=np.ones(2, dtype=np.float32))


def test_rows_follow_the_terms_and_pass_over_empty_ones() -> None:
    terms = TermScores(
        starts=np.array([0, 2, 2, 3], dtype=np.int64),
        items=np.array([0, 3, 1], dtype=np.int32),
        scores=np.array([1.0, 2.0, 3.0], dtype=np.float32),
    )
    assert [(items.tolist(), scores.tolist()) for items, scores in terms.rows()] == [([0, 3], [1.0, 2.0]), ([1], [3.0])]


@pytest.mark.parametrize(
    ("asked", "others"),
    [(Language.EN, "ja zh"), (Language.UND, "ja zh"), (Language.JA, "en zh und"), (Language.ZH, "en ja und")],
)
def test_all_that_is_neither_japanese_nor_chinese_is_read_alike(asked: Language, others: str) -> None:
    languages = np.arange(len(Language), dtype=np.uint8)
    found = {str(one) for one, is_other in zip(Language, is_in_another(languages, asked), strict=True) if is_other}
    assert found == set(others.split())
