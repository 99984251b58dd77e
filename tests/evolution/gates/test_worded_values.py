from __future__ import annotations

import pytest

from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.evolution.gates.screen import run_gates

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
HARMFUL = [
    (EN, "The farm sells two dozen eggs to each visitor.", "The farm sells two eggs to each visitor."),
    (EN, "The hall holds a hundred people.", "The hall holds five people."),
    (EN, "The new rules start in spring 2026.", "The new rules start in autumn 2026."),
    (EN, "The library is closed in summer.", "The library is closed in winter."),
    (EN, "Three score guests came to the opening.", "Three guests came to the opening."),
    (EN, "Prune the roses in early March.", "Prune the roses in late March."),
    (EN, "Most of the parts are made here.", "Few of the parts are made here."),
    (JA, "卵は一人二ダースまでです。", "卵は一人2個までです。"),
    (JA, "ホールには百人が入れます。", "ホールには五人が入れます。"),
    (JA, "規則は2026年の春に始まります。", "規則は2026年の秋に始まります。"),
    (JA, "規則は春に始まります。", "規則は秋に始まります。"),
    (JA, "料金は今年値上がりします。", "料金は来年値上がりします。"),
    (JA, "部品の大半はここで作られています。", "部品の一部はここで作られています。"),
    (ZH, "每人限购两打鸡蛋。", "每人限购两个鸡蛋。"),
    (ZH, "大厅可容纳一百人。", "大厅可容纳五个人。"),
    (ZH, "新规定春天开始实行。", "新规定秋天开始实行。"),
    (ZH, "表决须有半数成员出席。", "表决须有全体成员出席。"),
    (ZH, "玫瑰在三月上旬修剪。", "玫瑰在三月下旬修剪。"),
]
HARMLESS = [
    (EN, "The farm sells two dozen eggs to each visitor.", "The farm sells 24 eggs to each visitor."),
    (EN, "The library is closed in autumn.", "The library is closed in the fall."),
    (EN, "Three score guests came to the opening.", "Sixty guests came to the opening."),
    (EN, "The letters date from 1640 to 1815.", "The letters: 1640–1815."),
    (EN, "A quorum of two thirds of the 90 members is required.", "At least 60 of the 90 members have to attend."),
    (EN, "At most 0.3 % of the parts may fail.", "Of 1,000 parts, up to 3 may turn out to be bad."),
    (JA, "図書館は夏の間は休館します。", "図書館は夏季は休館します。"),
    (JA, "面積は2.4倍です。", "面積は1.4倍増えました。"),
    (JA, "費用は半分になります。", "費用は二分の一になります。"),
    (JA, "コップの三分の一まで水を入れます。", "コップの1/3まで水を入れます。"),
    (ZH, "备两三把钥匙。", "备2到3把钥匙。"),
    (ZH, "图书馆夏季不开放。", "图书馆夏天不开放。"),
    (ZH, "面积是原来的2.4倍。", "面积增加了1.4倍。"),
]
FLAGGED = [
    (EN, "Sensors are checked by Mr. Lindqvist each Monday.", "Each Monday, Mr. Holm inspects the sensors."),
    (EN, "Visitors come to Ward B in the afternoon.", "In the afternoon, Ward D takes visitors."),
    (EN, "Requests go to Mr Ferreira by the 20th.", "Send your request to Mr Pereira by the 20th."),
    (EN, "Store the lens and the cap in the case.", "Store the lens or the cap in the case."),
    (EN, "Before cleaning, unplug it and let it cool.", "Before cleaning, let it cool."),
    (JA, "管理者は設定を変更できます。", "管理者と閲覧者は設定を変更できます。"),
    (ZH, "上级是唐丽，由她签工时表。", "工时表由上级唐敏签署。"),
]


def levels(language: Language, before: str, after: str) -> tuple[bool, bool]:
    """Return whether the gates refuse a rewrite without evidence, and whether they refuse or flag it."""
    found = tuple(run_gates(before, after, language=language, operator=Operator.MUTATION_CLARITY))
    return not all(one.passes for one in found), any(one.findings for one in found)


@pytest.mark.parametrize(("language", "before", "after"), HARMFUL)
def test_another_amount_season_or_part_of_a_date_is_refused(language: Language, before: str, after: str) -> None:
    assert levels(language, before, after)[0]


@pytest.mark.parametrize(("language", "before", "after"), HARMLESS)
def test_the_same_amount_or_season_in_other_words_is_not_refused(language: Language, before: str, after: str) -> None:
    assert not levels(language, before, after)[0]


@pytest.mark.parametrize(("language", "before", "after"), FLAGGED)
def test_a_changed_name_and_words_put_in_or_left_out_are_flagged(language: Language, before: str, after: str) -> None:
    assert levels(language, before, after)[1]
