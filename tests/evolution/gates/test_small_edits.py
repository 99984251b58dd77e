from __future__ import annotations

import pytest

from evolore.domain.language import Language
from evolore.evolution.gates.claims import reading_of
from evolore.evolution.gates.turned_claims import signs_of, turned_by_small_edit
from evolore.evolution.gates.verdicts import Grade

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
TURNED = [
    (EN, "It can't be combined with other codes.", "It can be combined with other codes."),
    (EN, "The witness did not deny that the door was open.", "The witness denied that the door was open."),
    (EN, "Meet the guide before the gate at noon.", "Meet the guide after the gate at noon."),
    (JA, "しぼらないで冷やしてください。", "しぼって冷やしてください。"),
    (JA, "休憩中の外出は禁止です。", "休憩中の外出は自由です。"),
    (ZH, "未经甲方书面同意，乙方不得转租。", "未经甲方书面同意，乙方可以转租。"),
    (ZH, "加热水没过肉块，小火炖一个半小时，中途不要加冷水。", "加热水没过肉块，小火炖一个半小时，中途要加冷水。"),
]
KEPT = [
    (
        EN,
        "It is not uncommon for the first sync to take two hours.",
        "It is quite common for the first sync to take two hours.",
    ),
    (EN, "Opened items cannot be returned unless faulty.", "Opened items can be returned only if faulty."),
    (JA, "初回の同期に2時間かかることも珍しくありません。", "初回の同期に2時間かかることもよくあります。"),
    (ZH, "夜里别低于8度。", "夜里不低于8度。"),
    (ZH, "危险品不能空运。", "危险品不可空运。"),
]


@pytest.mark.parametrize(("language", "before", "after"), TURNED)
def test_a_denial_changed_in_a_sentence_that_stays_is_certain(language: Language, before: str, after: str) -> None:
    told = turned_by_small_edit(reading_of(before, language), reading_of(after, language))
    assert told is not None
    assert told[1] is Grade.REFUSE


@pytest.mark.parametrize(("language", "before", "after"), KEPT)
def test_a_denial_that_is_made_up_for_is_not_certain(language: Language, before: str, after: str) -> None:
    told = turned_by_small_edit(reading_of(before, language), reading_of(after, language))
    assert told is None or told[1] is Grade.DOUBT


def test_sentences_worded_anew_are_no_small_edits() -> None:
    first, second = (
        reading_of("Do not open the oven door.", EN),
        reading_of("The door is to stay shut, and never ajar.", EN),
    )
    assert turned_by_small_edit(first, second) is None


def test_half_a_sentence_that_is_replaced_is_no_small_edit() -> None:
    assert turned_by_small_edit(reading_of("Open.", EN), reading_of("Closed.", EN)) is None
    told = turned_by_small_edit(reading_of("Open daily.", EN), reading_of("Closed daily.", EN))
    assert told == ("open became closed", Grade.REFUSE)


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [
        ("The shop is open.", "The shop opens.", {"none_denies"}),
        ("The shop is not open.", "The shop opens.", {"denial_lost", "lost_for_nothing", "odd"}),
        ("The shop opens.", "The shop is not open.", {"denial_added", "added_for_nothing", "odd"}),
        ("The shop is not open.", "The shop never opens.", {"both_deny"}),
    ],
)
def test_denials_are_signs_by_the_side_that_holds_them(before: str, after: str, held: set[str]) -> None:
    signs = signs_of(reading_of(before, EN), reading_of(after, EN))
    told = {"denial_lost", "denial_added", "lost_for_nothing", "added_for_nothing", "odd", "both_deny", "none_denies"}
    assert {name for name in told if signs[name]} == held
