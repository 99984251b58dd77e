from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.text.protected import protected_spans
from evolore.text.protected.polarity import denials
from evolore.text.protected.weighing import compare_spans, weigh_spans
from evolore.text.values import SpanKind
from evolore.text.values.spans import fold

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                "5,000",
                "５００",
                "円",
                "三十",
                "万",
                "分",
                " minutes",
                "at least ",
                "以上",
                "`a b`",
                "https://a.example/x",
                "半",
                "2024年5月1日",
                "9 a.m.",
                "\u200b",
                "ｶﾞ",
                "。",
                "\n",
                "| a |",
            ]
        ),
        max_size=12,
    ).map("".join),
)

SAME = [
    (EN, "It costs 5,000 JPY.", "It costs 5000 JPY."),
    (EN, "It costs 5,000 JPY.", "It costs ¥5000."),
    (EN, "It takes 7 business days.", "It takes seven working days."),
    (EN, "Wait two hours.", "Wait 120 minutes."),
    (EN, "Wait half an hour.", "Wait 30 min."),
    (EN, "Use 10-20 GB.", "Use 10 to 20 GB."),
    (EN, "It costs $1.5 million.", "It costs 1,500,000 dollars."),
    (EN, "Due on May 1, 2024.", "Due on 2024-05-01."),
    (EN, "Due on 1 May 2024 at 6 p.m.", "Due on May 1st, 2024 at 18:00."),
    (EN, "Run `sync` now.", "Run\n\n    sync\n\nnow."),
    (EN, "Uptime is 99.9 percent.", "Uptime is 99.9 %."),
    (EN, "At most 5 files.", "No more than five files."),
    (JA, "上限は5,000円です。", "上限は５０００円です。"),
    (JA, "3万5千円を払う。", "35,000円を払う。"),
    (JA, "二〇二四年五月一日から。", "2024年5月1日から。"),
    (JA, "令和6年5月1日から。", "2024/5/1から。"),
    (JA, "午後3時30分に始まる。", "15:30に始まる。"),
    (JA, "深夜は25%増し。", "深夜は二割五分増し。"),
    (JA, "１２か月。", "十二ヶ月。"),
    (JA, "毎週火曜と金曜です。", "毎週、火・金です。"),
    (ZH, "费用为5000元。", "费用为五千元。"),
    (ZH, "需要两个半小时。", "需要150分钟。"),
    (ZH, "占百分之十五。", "占15%。"),
    (ZH, "下午三点半开始。", "15:30开始。"),
    (ZH, "每周一开会。", "星期一开会。"),
]
DIFFERENT = [
    (EN, "It costs 5,000 JPY.", "It costs 50,000 JPY.", SpanKind.NUMBER),
    (EN, "It costs 5,000 JPY.", "It costs 5,000 USD.", SpanKind.NUMBER),
    (EN, "It takes 7 business days.", "It takes 7 days.", SpanKind.NUMBER),
    (EN, "Use 10 MB.", "Use 10 Mb.", SpanKind.NUMBER),
    (EN, "Due on May 1.", "Due on May 2.", SpanKind.DATE),
    (EN, "Open at 9 a.m.", "Open at 9 p.m.", SpanKind.TIME),
    (EN, "At least 5 files.", "At most 5 files.", SpanKind.LIMIT),
    (EN, "It costs 5 USD per order.", "It costs 5 USD per person.", SpanKind.RATE),
    (EN, "Run `POST /refund`.", "Run `PUT /refund`.", SpanKind.CODE),
    (EN, "See https://a.example/help.", "See https://a.example/faq.", SpanKind.URL),
    (EN, "Mail a@b.example.", "Mail c@b.example.", SpanKind.EMAIL),
    (EN, "Set MAX_RETRY.", "Set MAX_TRIES.", SpanKind.IDENTIFIER),
    (EN, "The parcel is w3x130.", "The parcel is w3x137.", SpanKind.IDENTIFIER),
    (EN, "Commit 3f9a1c2 broke it.", "Commit 3f9a1d2 broke it.", SpanKind.IDENTIFIER),
    (JA, "部品はx4k7です。", "部品はx4k9です。", SpanKind.IDENTIFIER),
    (
        ZH,
        "设备550e8400-e29b-41d4-a716-446655440000离线。",
        "设备550e8400-e29b-41d4-a716-446655440001离线。",
        SpanKind.IDENTIFIER,
    ),
    (EN, "Needs version 2.1.0.", "Needs version 2.2.0.", SpanKind.VERSION),
    (EN, "Open /etc/app.conf.", "Open /etc/apt.conf.", SpanKind.PATH),
    (EN, "We met Tanaka there.", "We met Suzuki there.", SpanKind.NAME),
    (EN, "Ask the platform team.", "Ask the security team.", SpanKind.BODY),
    (JA, "30秒待つ。", "30分待つ。", SpanKind.NUMBER),
    (JA, "5件以上です。", "5件以下です。", SpanKind.LIMIT),
    (JA, "5件以下です。", "5件未満です。", SpanKind.LIMIT),
    (JA, "担当は田中です。", "担当は鈴木です。", SpanKind.NAME),
    (JA, "申請は人事課へ。", "申請は総務課へ。", SpanKind.BODY),
    (ZH, "每人5000元。", "每人5000美元。", SpanKind.NUMBER),
    (ZH, "不超过5天。", "不少于5天。", SpanKind.LIMIT),
    (ZH, "负责人是王伟。", "负责人是李娜。", SpanKind.NAME),
    (ZH, "每单5元。", "每人5元。", SpanKind.RATE),
]


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_spellings_of_one_thing_have_one_value(language: Language, one: str, other: str) -> None:
    difference = compare_spans(protected_spans(one, language), protected_spans(other, language))
    assert not difference, difference


@pytest.mark.parametrize(("language", "one", "other", "kind"), DIFFERENT)
def test_what_is_changed_is_seen_both_ways(language: Language, one: str, other: str, kind: SpanKind) -> None:
    ours, theirs = protected_spans(one, language), protected_spans(other, language)
    assert kind in {span.kind for span in compare_spans(ours, theirs).lost}
    assert kind in {span.kind for span in compare_spans(theirs, ours).lost}


@given(TEXTS, st.sampled_from(list(Language)))
def test_a_span_quotes_the_text_where_it_stands(text: str, language: Language) -> None:
    for span in protected_spans(text, language):
        assert span.quote == span.span.of(text)
        assert 0 <= span.span.start <= span.span.end <= len(text)


@given(TEXTS, st.sampled_from(list(Language)))
def test_a_text_has_all_its_own_spans(text: str, language: Language) -> None:
    spans = protected_spans(text, language)
    assert not compare_spans(spans, spans)


@given(TEXTS)
def test_folding_keeps_a_place_for_every_character(text: str) -> None:
    folded = fold(text)
    assert len(folded.offsets) == len(folded.text) + 1
    assert list(folded.offsets) == sorted(folded.offsets)
    assert folded.offsets[-1] == len(text)


@given(st.integers(1, 10**9))
def test_thousands_separators_and_width_change_no_value(number: int) -> None:
    spellings = [
        f"{number}円",
        f"{number:,}円",
        f"{number:,}円".translate(str.maketrans("0123456789,", "０１２３４５６７８９，")),
    ]
    values = {tuple(span.canonical for span in protected_spans(f"上限は{one}", JA)) for one in spellings}
    assert len(values) == 1


@pytest.mark.parametrize(
    ("language", "sentence", "count"),
    [
        (EN, "Do not call it; never wait.", 2),
        (EN, "Not only this: it can't fail.", 1),
        (EN, "It must not exceed 5.", 0),
        (JA, "押さないでください。", 1),
        (JA, "必ず押さなければならない。", 0),
        (JA, "再起動は不要です。", 1),
        (ZH, "不得重复调用。", 1),
        (ZH, "不仅如此，不超过5天。", 0),
    ],
)
def test_denials_are_counted_and_what_looks_like_one_is_not(language: Language, sentence: str, count: int) -> None:
    assert len(denials(sentence, language)) == count


SAME_WEIGHING = [
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


@pytest.mark.parametrize(("language", "before", "after"), SAME_WEIGHING)
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
