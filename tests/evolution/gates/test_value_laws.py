from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.evolution.gates.claim_gate import claim_gate
from evolore.evolution.gates.screen import run_gates, span_gate
from evolore.evolution.gates.verdicts import Gate
from evolore.text.numerals import read_han
from laws import tried

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
FRAMES = {
    EN: (
        "Refunds take {} days. Ask the desk at 9:00 on 7 May.",
        "The fee is {} USD per order. There are 12 seats in room 9.",
    ),
    JA: ("返金には{}日かかります。受付は9時からです。", "料金は{}円です。定員は9名です。"),
    ZH: ("退款需要{}天。前台9点开门。", "费用为{}元。房间有9个座位。"),
}
FULL_WIDTH = str.maketrans("0123456789,.", "０１２３４５６７８９，．")
FRAMED = st.sampled_from([(language, frame) for language, frames in FRAMES.items() for frame in frames])


def refused(before: str, after: str, language: Language) -> bool:
    verdicts = (span_gate(before, after, language), claim_gate(before, after, language))
    return any(not verdict.passes for verdict in verdicts)


@given(framed=FRAMED, number=st.integers(2, 99_999))
def test_a_text_says_what_it_says(framed: tuple[Language, str], number: int) -> None:
    language, frame = framed
    document = frame.format(number)
    said = [verdict for verdict in run_gates(document, document, language=language) if verdict.gate is not Gate.NOVELTY]
    assert all(not verdict.findings for verdict in said)


@settings(max_examples=tried(25, long=200))
@given(framed=FRAMED, number=st.integers(2, 99_999), place=st.integers(0, 4), digit=st.integers(1, 9))
def test_a_digit_changed_anywhere_in_a_value_is_refused(
    framed: tuple[Language, str], number: int, place: int, digit: int
) -> None:
    language, frame = framed
    digits = list(str(number))
    index = place % len(digits)
    digits[index] = str((int(digits[index]) + digit) % 10)
    changed = int("".join(digits))
    if changed > 0:
        assert refused(frame.format(number), frame.format(changed), language)


@given(framed=FRAMED, number=st.integers(2, 99_999))
def test_a_value_in_another_notation_passes(framed: tuple[Language, str], number: int) -> None:
    language, frame = framed
    for written in (f"{number:,}", str(number).translate(FULL_WIDTH)):
        assert not refused(frame.format(number), frame.format(written), language)


@given(number=st.integers(2, 99))
def test_chinese_numerals_say_what_digits_say(number: int) -> None:
    tens, ones = divmod(number, 10)
    signs = "〇一二三四五六七八九"
    written = ("" if tens < 2 else signs[tens]) + ("十" if tens else "") + (signs[ones] if ones or not tens else "")
    assert read_han(written) == number
    assert not refused(f"返金には{number}日かかります。", f"返金には{written}日かかります。", JA)


BOUND = [
    (EN, "Refunds take 7 days. Ask at 9:00.", "Refunds take 9 days. Ask at 9:00."),
    (EN, "Pay by 30 May. We meet on 12 June.", "Pay by 30 June. We meet on 12 June."),
    (
        EN,
        "Two halves of 30 minutes. A player who gets three cards leaves.",
        "Two halves of 30 minutes. A player who gets two cards leaves.",
    ),
    (EN, "Bake it at 220 °C for 35 minutes.", "Bake it at 220 °F for 35 minutes."),
    (EN, "Sow 300 plants per square metre.", "We aim for 300 plants per square yard."),
    (EN, "A third of it went to schools.", "Two thirds of it went to schools."),
    (EN, "Call before 9:30 on the first day.", "Call after 9:30 on the first day."),
    (
        EN,
        "| Size | Chest |\n|---|---|\n| M | 98 cm |\n| L | 104 cm |",
        "| Size | Chest |\n|---|---|\n| M | 104 cm |\n| L | 98 cm |",
    ),
    (JA, "列車が2時間以上遅れたとき。期間は1年です。", "列車が1時間以上遅れたとき。期間は1年です。"),
    (JA, "大人は1回2錠、1日3回です。", "1回の量は大人で3錠、回数は1日3回です。"),
    (JA, "昆布10gは水1リットルにつける。", "昆布10gは水1カップにつける。"),
    (JA, "味噌は大さじ3が目安です。", "味噌は小さじ3が目安です。"),
    (JA, "1950年以前の議事録を閲覧できます。", "閲覧できるのは1950年以降の議事録です。"),
    (ZH, "成人一次1袋，一日3次。", "成人一次1盒，一日3次。"),
    (ZH, "不得超过桶容量的四分之三。", "最多装到桶容量的三分之二。"),
    (ZH, "每户每月可免费投放2件。", "每户每年可免费投放2件。"),
]
SAID_OTHERWISE = [
    (EN, "Three quarters of the members vote.", "75 % of the members vote."),
    (EN, "It starts at 9:30 and takes three hours.", "It runs from 9:30 for 180 minutes."),
    (EN, "Set `cache.ttl` to 300.", "Set it so: `cache.ttl 300`."),
    (JA, "料金は1kWhあたり19円80銭です。", "料金は1kWhあたり19.8円です。"),
    (JA, "支払いは3月1日です。", "支払日：3/1"),
    (ZH, "开放至下午五点，四点半停止入馆。", "17:00关门，16:30停止入馆。"),
    (ZH, "晚上八点以后不要进食，十点以后不要喝水。", "20:00起不要进食，22:00起不要喝水。"),
    (ZH, "门票十二元五角。", "门票12.5元。"),
]


@pytest.mark.parametrize(("language", "before", "after"), BOUND)
def test_a_value_belongs_to_what_it_counts(language: Language, before: str, after: str) -> None:
    assert refused(before, after, language)


@pytest.mark.parametrize(("language", "before", "after"), SAID_OTHERWISE)
def test_a_value_said_otherwise_is_the_same(language: Language, before: str, after: str) -> None:
    assert span_gate(before, after, language).passes
