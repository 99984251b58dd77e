from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.text.contrasts.amounts import read_amounts

EN, JA, ZH = Language.EN, Language.JA, Language.ZH


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("twenty-five", EN, [("25", "")]),
        ("two hundred and five dollars", EN, [("205", "$")]),
        ("three dozen eggs", EN, [("36", "egg")]),
        ("€1,500.50 and 20k users", EN, [("1500.5", "€"), ("20000", "user")]),
        ("at 10:30, version 3.11.2", EN, [("10:30", ""), ("3.11.2", "")]),
        ("at 9:00", EN, [("9", "")]),
        ("三万两千元", ZH, [("32000", "元")]),
        ("一个人花了1.5万元", ZH, [("1", "个"), ("15000", "元")]),
        ("半小时", ZH, [("0.5", "小时")]),
        ("百分之五", ZH, [("5", "%")]),
        ("八万五千円", JA, [("85000", "円")]),
        ("二十三歳の人が3名", JA, [("23", "歳"), ("3", "人")]),
        ("12時半", JA, [("12", "時"), ("30", "分")]),
        ("一番好きで一緒に", JA, []),
    ],
)
def test_amounts_are_read_in_one_spelling(text: str, language: Language, values: list[tuple[str, str]]) -> None:
    assert [(one.value, one.unit) for one in read_amounts(text, language)] == values


@given(st.integers(0, 10**7))
def test_thousands_separators_change_nothing(number: int) -> None:
    (plain,) = read_amounts(f"{number} euros", EN)
    (grouped,) = read_amounts(f"{number:,} euros", EN)
    assert plain.value == grouped.value == str(number)


@given(st.text(max_size=80), st.sampled_from(list(Language)))
def test_any_text_is_read(text: str, language: Language) -> None:
    assert all(one.quote for one in read_amounts(text, language))
