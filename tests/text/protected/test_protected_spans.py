from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.text.protected import SpanKind, protected_spans
from evolore.text.protected.polarity import denials
from evolore.text.protected.spans import fold
from evolore.text.protected.weighing import compare_spans

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
    values = {tuple(span.value for span in protected_spans(f"上限は{one}", JA)) for one in spellings}
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
