from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.episodes.slots import Comparison, Mark, conflict_score, differing_values, marks_of
from laws import tried

EN, JA, ZH = Language.EN, Language.JA, Language.ZH


def test_nearness_raises_the_score() -> None:
    pair = Comparison("We deploy on Thursdays.", "The deploys go out on Monday mornings.", EN)
    far, near = (conflict_score(pair, likeness)[0] for likeness in (0.1, 0.9))
    assert near > far


def test_what_sets_two_things_apart_is_a_mark_against() -> None:
    pairs = [
        ("3月の電気代は9,800円だった。", "4月の電気代は7,100円で済みました。", JA),
        ("我左眼近视 300 度。", "我右眼近视 475 度。", ZH),
        ("The big hall has 800 seats.", "The small hall has 120 seats.", EN),
    ]
    for old, new, language in pairs:
        assert Mark.APART in marks_of(Comparison(old, new, language))
    assert Mark.APART not in marks_of(Comparison("誕生日は5月3日です。", "誕生日は6月8日です。", JA))


@settings(deadline=None, max_examples=tried(15, long=60))
@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(list(Language)))
def test_any_two_texts_are_read_alike_each_time(old: str, new: str, language: Language) -> None:
    pair = Comparison(old, new, language)
    assert conflict_score(pair, 0.5) == conflict_score(pair, 0.5)
    assert all(isinstance(one, str) for one in differing_values(pair))
