from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.episodes.slots import Comparison, Mark, UpdateKind, marks_of, slot_update

EN, JA, ZH = Language.EN, Language.JA, Language.ZH


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("Our weekly sync is on Tuesday at 10.", "The weekly sync has moved to Thursday at 2 pm.", EN),
        ("Maria leads the data team.", "Tom has taken over the data team from Maria.", EN),
        ("We use MySQL for the billing service.", "The billing service runs on Postgres now.", EN),
        ("I smoke a pack a day.", "I quit smoking two months ago.", EN),
        ("私は札幌に住んでいます。", "先月、福岡に引っ越しました。", JA),
        ("家賃は8万円です。", "今月から家賃が8万5千円に上がった。", JA),
        ("毎朝コーヒーを飲んでいる。", "もうコーヒーは飲んでいない。紅茶にした。", JA),
        ("每周例会是周二上午十点。", "例会改到周四下午两点了。", ZH),
        ("房租每月三千。", "房租涨到三千五了。", ZH),
        ("我抽烟。", "我已经不抽烟了。", ZH),
    ],
)
def test_a_change_of_the_same_takes_its_place(old: str, new: str, language: Language) -> None:
    found = slot_update(old, new, language)
    assert found.kind is UpdateKind.SUPERSEDES
    assert found.is_conflict
    assert found.reason.count('"') == 4


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("Anna's birthday is on March 3.", "Anna's birthday is on April 12, see her passport.", EN),
        ("I'm allergic to peanuts.", "I'm not allergic to peanuts.", EN),
        ("会議室は3階にある。", "会議室は5階にある。", JA),
        ("会议室在三楼。", "会议室在五楼。", ZH),
    ],
)
def test_another_value_is_a_conflict(old: str, new: str, language: Language) -> None:
    assert slot_update(old, new, language, likeness=0.7).is_conflict


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("I live in Leeds.", "My flat in Leeds has a balcony.", EN),
        ("I live in Leeds.", "My sister moved to York.", EN),
        ("I live in Leeds.", "We thought about moving to York, but might stay.", EN),
        ("I speak Spanish.", "I'm learning French too.", EN),
        ("The store opens at 9.", "Does the store open at 8 now?", EN),
        ("猫を一匹飼っている。", "犬も飼い始めた。", JA),
        ("家賃は8万円です。", "友人の家賃が10万円に上がったらしい。", JA),
        ("我会说英语。", "我也在学法语。", ZH),
        ("我在华为上班。", "今天天气很好。", ZH),
    ],
)
def test_what_leaves_room_for_both_is_no_conflict(old: str, new: str, language: Language) -> None:
    assert not slot_update(old, new, language, likeness=0.4).is_conflict


def test_nearness_raises_the_score_and_the_threshold_decides() -> None:
    old, new = "We deploy on Thursdays.", "The deploys go out on Monday mornings."
    far, near = (slot_update(old, new, EN, likeness=likeness).score for likeness in (0.1, 0.9))
    assert near > far
    with patch("evolore.episodes.slots._FLAG_SCORE", 10.0):
        assert not slot_update("I live in Leeds.", "I have moved to York.", EN).is_conflict


def test_what_sets_two_things_apart_is_a_mark_against() -> None:
    pairs = [
        ("3月の電気代は9,800円だった。", "4月の電気代は7,100円で済みました。", JA),
        ("我左眼近视 300 度。", "我右眼近视 475 度。", ZH),
        ("The big hall has 800 seats.", "The small hall has 120 seats.", EN),
    ]
    for old, new, language in pairs:
        assert Mark.APART in marks_of(Comparison(old, new, language))
    assert Mark.APART not in marks_of(Comparison("誕生日は5月3日です。", "誕生日は6月8日です。", JA))


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(list(Language)))
def test_any_two_texts_are_read_alike_each_time(old: str, new: str, language: Language) -> None:
    found = slot_update(old, new, language)
    assert found == slot_update(old, new, language)
    assert found.reason
