"""Questions that were not served, sorted into matters."""

from __future__ import annotations

import numpy as np

from evolore.evolution.gaps import NEAR, SAME, Matter, likeness, matters


def alike(*pairs: tuple[int, int, float], count: int) -> np.ndarray:
    made = np.eye(count)
    for one, other, value in pairs:
        made[one, other] = made[other, one] = value
    return made


def test_questions_of_one_matter_come_together_and_others_do_not() -> None:
    found = matters(alike((0, 2, SAME + 0.1), count=3), [False, False, False])
    assert found == (Matter(unserved=(0, 2), served=()), Matter(unserved=(1,), served=()))


def test_a_question_near_an_earlier_one_that_was_served_is_no_gap() -> None:
    assert matters(alike((0, 1, NEAR), count=2), [True, False]) == ()
    assert matters(alike((0, 1, NEAR - 0.1), count=2), [True, False]) == (Matter(unserved=(1,), served=()),)


def test_a_later_question_that_is_served_belongs_to_the_gap_it_lies_near() -> None:
    near = alike((0, 1, 0.6), (0, 2, 0.6), (1, 2, 0.6), count=4)
    assert matters(near, [False, False, True, True]) == (Matter(unserved=(0, 1), served=(2,)),)


def test_a_gap_that_was_served_once_stays_one_when_the_next_asker_is_not() -> None:
    near = alike((0, 1, 0.6), (0, 2, 0.6), (1, 2, 0.6), (0, 3, 0.5), (1, 3, 0.5), (2, 3, 0.6), count=4)
    assert matters(near, [False, False, True, False]) == (Matter(unserved=(0, 1, 3), served=(2,)),)


def test_nothing_asked_and_everything_served_are_no_gaps() -> None:
    assert matters(np.zeros((0, 0)), []) == ()
    assert matters(np.eye(2), [True, True]) == ()


def test_what_all_questions_share_makes_none_alike() -> None:
    chance = np.random.default_rng(1)
    common, own = chance.normal(size=64), chance.normal(size=(30, 64))
    own[1] = own[0] + 0.3 * own[1]
    vectors = 1.5 * common + own
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert (vectors @ vectors.T)[2, 3] > 0.5
    found = likeness(vectors, np.zeros_like(vectors))
    assert found[0, 1] > 0.8
    assert abs(found[2, 3]) < 0.5


def test_many_copies_of_one_question_do_not_hide_what_two_others_share() -> None:
    chance = np.random.default_rng(2)
    one, two, own = chance.normal(size=64), chance.normal(size=64), 0.3 * chance.normal(size=(42, 64))
    vectors = np.concatenate([one + own[:40], two + own[40:]])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert likeness(vectors, np.zeros_like(vectors))[40, 41] > SAME
