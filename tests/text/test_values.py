"""One value is read the same in whatever notation, and another one is another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.episodes.contradictions import contradiction
from evolore.episodes.differences import difference
from evolore.evolution.gates.screen import run_gates
from evolore.evolution.gates.verdicts import Gate
from evolore.text.values import read_values
from growth import assert_in_proportion
from text.notations import EN, JA, SAME, ZH

OTHER = [
    (EN, "My talk takes 90 minutes.", "My talk takes 2 hours."),
    (EN, "The order has two dozen eggs.", "The order has two eggs."),
    (EN, "The hall seats a hundred people.", "The hall seats five people."),
    (EN, "The office opens on 05/03/2026.", "The office opens on 4 May 2026."),
    (EN, "The sale opens in spring 2026.", "The sale opens in autumn 2026."),
    (EN, "The lease ends on 25/12/2026.", "The lease ends on 24/12/2026."),
    (EN, "My shift starts at 9 am.", "My shift starts at 10 am."),
    (JA, "私の発表は90分です。", "私の発表は2時間です。"),
    (JA, "予算は一兆円です。", "予算は一億円です。"),
    (ZH, "走路要半小时。", "走路要一小时。"),
    (ZH, "我的报告要90分钟。", "我的报告要2小时。"),
]
CHANGED = [
    ("Each order has two dozen eggs.", "Each order has two eggs."),
    ("A hundred people may come.", "Five people may come."),
    ("The sale opens in spring 2026.", "The sale opens in autumn 2026."),
]


def _says_all(language: Language, one: str, other: str) -> bool:
    ours, theirs = read_values(one, language), read_values(other, language)
    return bool(ours) and all(any(value.is_same(twin) for twin in theirs) for value in ours)


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_one_value_in_two_notations_is_one(language: Language, one: str, other: str) -> None:
    assert _says_all(language, one, other)
    assert _says_all(language, other, one)
    assert difference(one, other, language) is None
    assert contradiction(one, other, language) is None


@pytest.mark.parametrize(("language", "one", "other"), OTHER)
def test_another_value_is_another(language: Language, one: str, other: str) -> None:
    assert not _says_all(language, one, other)
    assert difference(one, other, language) is not None


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_a_rewrite_that_changes_a_value_is_refused(before: str, after: str) -> None:
    around = "The desk is on the ground floor. {} Ask the staff where you are not sure."
    verdicts = run_gates(around.format(before), around.format(after), language=EN)
    assert any(not one.passes for one in verdicts if one.gate is not Gate.NOVELTY)


@given(st.text(max_size=80), st.sampled_from(list(Language)))
def test_a_value_quotes_the_text_where_it_stands(text: str, language: Language) -> None:
    assert all(one.quote == one.span.of(text) for one in read_values(text, language))


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("twenty-five", EN, [("25", "")]),
        ("two hundred and five dollars", EN, [("205 USD", "money")]),
        ("three dozen eggs", EN, [("36 item", "egg")]),
        ("half a million people", EN, [("500000 person", "person")]),
        ("€1,500.50 and 20k users", EN, [("1500.5 EUR", "money"), ("20000 user", "person")]),
        ("at 10:30, version 3.11.2", EN, [("10:30", "clock"), ("3.11.2", "")]),
        ("no one called, one dog barked", EN, [("1", "dog")]),
        ("一个人花了1.5万元", ZH, [("1 person", "person"), ("15000 CNY", "money")]),
        ("百分之五", ZH, [("5 %", "share")]),
        ("二十三歳の人が3名", JA, [("23 age", "age"), ("3 person", "person")]),
        ("12時半", JA, [("12:30", "clock")]),
        ("一番好きで一緒に", JA, []),
    ],
)
def test_values_are_read_in_one_spelling(text: str, language: Language, values: list[tuple[str, str]]) -> None:
    assert [(one.canonical, one.unit) for one in read_values(text, language)] == values


@given(st.integers(0, 10**7))
def test_thousands_separators_change_nothing(number: int) -> None:
    (plain,), (grouped,) = (read_values(text, EN) for text in (f"{number} euros", f"{number:,} euros"))
    assert plain.canonical == grouped.canonical == f"{number} EUR"


_REPEATED = (
    "一1",
    "一二三",
    "12,345.",
    "1 ",
    "1/",
    "1年",
    "5月",
    "05/03/2026 ",
    "half an hour ",
    "9 am ",
    "two dozen ",
    "半",
)


@pytest.mark.parametrize("unit", _REPEATED)
@pytest.mark.parametrize("language", [EN, JA, ZH])
def test_reading_takes_time_in_proportion_to_the_length(unit: str, language: Language) -> None:
    def run(size: int) -> None:
        read_values.cache_clear()
        read_values((unit * size)[:size] + "終", language)

    assert_in_proportion(run, 1000)
