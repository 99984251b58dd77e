"""Updates: what a newer statement does to an older one of the same speaker, by its wording."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.fact import SPEAKER, FactOrigin
from evolore.domain.language import Language
from evolore.episodes.stated_facts import fact_of
from evolore.episodes.updates import LEAST_LIKENESS, SOON, Correction, find_update, keyed_update, read_correction
from laws import tried

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
        ("每周例会是周二上午十点。", "例会改到周四下午两点了。", ZH),
        ("房租每月三千。", "房租涨到三千五了。", ZH),
        ("我抽烟。", "我已经不抽烟了。", ZH),
    ],
)
def test_a_change_of_the_same_is_a_likely_update(old: str, new: str, language: Language) -> None:
    found = find_update(old, new, language, likeness=0.6)
    assert found is not None
    assert not found.is_sure
    assert found.reason.count("“") == 2


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
def test_what_leaves_room_for_both_is_none(old: str, new: str, language: Language) -> None:
    assert find_update(old, new, language, likeness=0.5) is None


def test_what_lies_far_apart_or_shares_no_word_is_none() -> None:
    old, new = "Our weekly sync is on Tuesday at 10.", "The weekly sync has moved to Thursday at 2 pm."
    assert find_update(old, new, EN, likeness=LEAST_LIKENESS)
    assert find_update(old, new, EN, likeness=LEAST_LIKENESS - 0.01) is None
    assert find_update("Lunch is at noon.", new, EN, likeness=0.9) is None


@pytest.mark.parametrize(
    ("old", "new", "language", "how"),
    [
        ("The meeting is at 3 pm.", "The meeting is at 4 pm, not 3 pm.", EN, Correction.DENIES),
        ("We parked on level 3.", "It wasn't level 3 where we parked, it was level 5.", EN, Correction.DENIES),
        ("The total is 3,480.", "Typo on my part, the total should read 3,840.", EN, Correction.OWNS_UP),
        ("会議は三階です。", "会議は三階ではなく四階です。", JA, Correction.DENIES),
        ("法事は11月3日です。", "法事の日にち、間違えてました。10日です。", JA, Correction.OWNS_UP),
        ("分机是8012。", "分机不是8012，是8021，说错了。", ZH, Correction.DENIES),
        ("奶奶今年八十三。", "口误，奶奶今年八十四。", ZH, Correction.OWNS_UP),
        ("I drink tea in the evening.", "I drink coffee, not tea.", EN, Correction.SLIPS),
        ("Order 12 boxes of toner.", "Make that 8 boxes, I counted the shelf twice.", EN, Correction.SLIPS),
        ("新幹線は14番線から出ます。", "別の新幹線の欄を見てました。16番線です。", JA, Correction.SLIPS),
        ("门禁密码是2580。", "等下，2580是老小区的，门禁是3691。", ZH, Correction.SLIPS),
        ("I pay by card.", "I pay by card, never cash.", EN, None),
        ("The shop is open on Sunday.", "The shop isn't open on Sunday.", EN, None),
        ("我们的办公室在上海。", "我们的办公室不在上海。", ZH, None),
        ("The gym opens at 7.", "I went to the gym, it wasn't crowded.", EN, None),
        ("The gym opens at 7.", "I lost my keys by mistake.", EN, None),
    ],
)
def test_a_correction_denies_what_was_said_or_owns_up_to_an_error(
    old: str, new: str, language: Language, how: Correction | None
) -> None:
    assert read_correction(old, new, language) is how


def test_what_only_owns_up_is_sure_of_what_was_said_shortly_before() -> None:
    old, new = "The total is 3,480.", "Typo on my part, the total should read 3,840."
    soon, late = (find_update(old, new, EN, likeness=0.6, apart=SOON + timedelta(minutes=more)) for more in (0, 1))
    assert soon is not None
    assert late is not None
    assert (soon.is_sure, late.is_sure) == (True, False)
    last = find_update(old, new, EN, likeness=0.6, apart=timedelta(days=40), is_next=lambda: True)
    assert last is not None
    assert last.is_sure
    denied = find_update("It is 3 pm.", "It is 4 pm, not 3 pm.", EN, likeness=0.6, apart=timedelta(days=99))
    assert denied is not None
    assert denied.is_sure


def test_another_value_of_a_key_that_a_chat_model_read_is_sure() -> None:
    key = (SPEAKER, "hairdresser")
    gina, paulo = (fact_of(key, name, text=f"{name} cuts my hair.", language=EN) for name in ("Gina", "Paulo"))
    found = keyed_update([gina], [paulo])
    assert found is not None
    assert found.is_sure
    assert keyed_update([gina], [gina]) is None
    patterns = fact_of(key, "Paulo", text="Paulo.", language=EN, origin=FactOrigin.PATTERN)
    assert keyed_update([gina], [patterns]) is None


@settings(deadline=None, max_examples=tried(20, long=60))
@given(st.text(max_size=60), st.sampled_from(list(Language)))
def test_no_text_replaces_itself_surely(text: str, language: Language) -> None:
    found = find_update(text, text, language, likeness=1.0)
    assert found is None or not found.is_sure
