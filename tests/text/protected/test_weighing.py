from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.text.protected.spans import SpanKind
from evolore.text.protected.weighing import weigh_spans

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
SAME = [
    (EN, "Wait 24 hours.", "Wait a day."),
    (EN, "It lasts 12 months.", "It lasts one year."),
    (EN, "A carton holds 12 eggs.", "A carton holds a dozen eggs."),
    (EN, "Wait 15 minutes.", "Wait a quarter of an hour."),
    (EN, "Open from 2 p.m. to 7 p.m.", "Open in the afternoon from 2 to 7 pm."),
    (EN, "It starts at 6:30 p.m.", "It starts at half past six in the evening."),
    (EN, "It costs $1,800.", "It costs 1,800 US dollars."),
    (EN, "From the 31st day on.", "Starting on the thirty-first day."),
    (EN, "From 18 to 20 May.", "18–20 May."),
    (EN, "On Friday, 12 June 2026.", "On June 12th."),
    (EN, "Half of the fee is due.", "50 % of the fee is due."),
    (EN, "There are three ways: by train, by bus, on foot.", "Go by train, by bus or on foot."),
    (EN, "The fee is $120; students pay half.", "The fee is $120, 60 for students."),
    (JA, "3月1日から4月15日まで。", "3/1〜4/15です。"),
    (JA, "充電は90分です。", "充電は一時間半です。"),
    (JA, "30km地点です。", "30キロ地点です。"),
    (ZH, "利息为1.2%。", "利息为百分之一点二。"),
    (ZH, "可享受2%的折扣。", "可打九八折。"),
    (ZH, "下午2点至7点开放。", "14:00到19:00开放。"),
    (ZH, "迟到15分钟。", "迟到一刻钟。"),
    (EN, "It cost 1.5 million.", "It cost 1,500,000."),
    (JA, "参加者は1.5千人です。", "参加者は1,500人です。"),
    (ZH, "气压低于0.3兆帕。", "气压低于0.3 MPa。"),
    (EN, "Above 20,000 it alarms.", "Above 20 000 it alarms."),
    (EN, "Six lessons of three hours.", "Six three-hour lessons."),
    (EN, "It lasts 80 minutes.", "It lasts 1 hour and 20 minutes."),
    (EN, "It costs 29.4 cents.", "It costs €0.294."),
    (JA, "1回2時間半です。", "1回2時間30分です。"),
    (JA, "１キロワット時あたり31円です。", "1kWhあたり31円です。"),
    (JA, "37.5度です。", "37度5分です。"),
    (EN, "Feed 1.5 kg of fondant.", "Feed one and a half kilos of fondant."),
    (EN, "Breakfast is at 0345.", "Breakfast is at 3:45 a.m."),
    (JA, "高さ二メートル二十センチまで。", "高さは2.2m以内。"),
    (JA, "消灯は二十二時。", "夜は10時に消灯します。"),
    (ZH, "佣金为一成二。", "佣金为12%。"),
    (ZH, "零下20摄氏度。", "温度保持在-20℃。"),
    (ZH, "打九折。", "按九成发。"),
    (ZH, "11:30开始。", "11 点 30 分开始。"),
    (ZH, "炖80分钟。", "炖一小时二十分钟。"),
]
CHANGED = [
    (EN, "It opens at 9 am.", "It opens at 9 pm.", SpanKind.TIME),
    (EN, "Beyond 12 nautical miles.", "Beyond 12 kilometres.", SpanKind.NUMBER),
    (EN, "Leave 2 frames between.", "Leave 2 seconds between.", SpanKind.NUMBER),
    (EN, "Add 20 µl.", "Add 20 ml.", SpanKind.NUMBER),
    (ZH, "每天八时、二十时各读一次。", "每天六时、二十时各读一次。", SpanKind.TIME),
    (ZH, "次年一月退还。", "次年三月退还。", SpanKind.DATE),
    (JA, "毎週水曜日です。", "隔週水曜日です。", SpanKind.RATE),
    (EN, "Every Tuesday.", "Every other week on Tuesday.", SpanKind.RATE),
    (JA, "約三分の二です。", "約3分の1です。", SpanKind.NUMBER),
    (JA, "２週間に１度です。", "2か月に1回です。", SpanKind.NUMBER),
    (ZH, "超过10万行时。", "超过 10,000 行时。", SpanKind.NUMBER),
    (ZH, "每个收1元。", "每个收1角。", SpanKind.NUMBER),
    (EN, "It cost 1.5 million.", "It cost 1.5 billion.", SpanKind.NUMBER),
    (ZH, "气压低于0.3兆帕。", "气压低于0.3千帕。", SpanKind.NUMBER),
    (EN, "Wait an hour: 5 minutes.", "Wait an hour: 5 days.", SpanKind.NUMBER),
    (EN, "Send 100 requests per minute.", "Send 100 requests a second.", SpanKind.RATE),
    (EN, "It starts on 12 June.", "It starts on 13 June.", SpanKind.DATE),
    (EN, "It opens at 3 pm.", "It opens at 16:00.", SpanKind.TIME),
    (EN, "It takes 24 hours.", "It takes three days.", SpanKind.NUMBER),
    (JA, "発酵は1時間です。", "発酵は1日です。", SpanKind.NUMBER),
    (JA, "水曜と金曜です。", "水曜と木曜です。", SpanKind.DATE),
    (ZH, "每小时90元。", "90元/天。", SpanKind.RATE),
    (ZH, "2027年底公布。", "2028年年底公布。", SpanKind.DATE),
]


@pytest.mark.parametrize(("language", "before", "after"), SAME)
def test_one_value_in_another_notation_is_no_harm(language: Language, before: str, after: str) -> None:
    assert [change for change in weigh_spans(before, after, language) if change.is_certain] == []


@pytest.mark.parametrize(("language", "before", "after", "kind"), CHANGED)
def test_a_value_that_became_another_is_certain_harm(
    language: Language, before: str, after: str, kind: SpanKind
) -> None:
    kinds = {one.kind for change in weigh_spans(before, after, language) if change.is_certain
             for one in (change.lost, change.added) if one}  # fmt: skip
    assert kind in kinds


def test_what_is_lost_without_another_in_its_place_is_doubted() -> None:
    changes = weigh_spans("Open on Mondays for 40 minutes.", "It opens regularly.", EN)
    assert changes
    assert not any(change.is_certain for change in changes)


def test_what_is_invented_is_certain_harm_unless_it_is_cited() -> None:
    before, after = "Refunds are slow.", "Refunds over 500 EUR are slow."
    assert any(change.is_certain for change in weigh_spans(before, after, EN))
    assert weigh_spans(before, after, EN, evidence=["Refunds over 500 EUR take long."]) == ()


@given(st.text(max_size=60), st.sampled_from(list(Language)))
def test_a_text_says_all_that_it_says(text: str, language: Language) -> None:
    assert weigh_spans(text, text, language) == ()


_PIECES = st.sampled_from(
    [
        *"0123456789０１２.,，：:/-~%￥$万億兆千百十〇一二三半割折分時日月年第個元円℃ ()",
        "前後",
        "以内",
        "上下",
        "不",
        "half",
        "dozen",
        "pm",
        "GB",
        "kg",
        "令和",
    ]
)


@given(before=st.lists(_PIECES, max_size=14).map("".join), after=st.lists(_PIECES, max_size=14).map("".join))
def test_however_numbers_are_put_together_they_are_compared(before: str, after: str) -> None:
    for language in (EN, JA, ZH):
        assert all(change.lost or change.added for change in weigh_spans(before, after, language))
        assert not weigh_spans(before, before, language)
