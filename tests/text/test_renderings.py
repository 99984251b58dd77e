"""One reader of values: 2,000 renderings of numbers, amounts, dates and times in three languages are read back as one value."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from evolore.domain.language import Language
from evolore.text.protected import protected_spans
from evolore.text.protected.weighing import weigh_spans
from evolore.text.values import SpanKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RENDERINGS = 2_000
WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)

TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
FRAMES = {
    Language.EN: "The value that was set for this is {}.",
    Language.JA: "ここに定める値は{}です。",
    Language.ZH: "这里规定的数值为{}。",
}


def in_words(number: int) -> str:
    """Spell out a number below a million in English."""
    ones, tens = ONES.split(), TENS.split()
    if number < 20:
        return ones[number]
    if number < 100:
        return tens[number // 10 - 2] + (f"-{ones[number % 10]}" if number % 10 else "")
    for scale, name in ((1000, "thousand"), (100, "hundred")):
        if number >= scale:
            rest = number % scale
            between = " and " if scale == 100 or rest < 100 else " "
            return f"{in_words(number // scale)} {name}" + (between + in_words(rest) if rest else "")
    raise AssertionError(number)


def in_han(number: int, *, is_chinese: bool) -> str:
    """Spell out a number below a hundred million in Chinese numerals, as either language does."""
    if number >= 10_000:
        rest = number % 10_000
        gap = "零" if is_chinese and 0 < rest < 1000 else ""
        head = in_han(number // 10_000, is_chinese=is_chinese)
        return f"{head}万{gap}{in_han(rest, is_chinese=is_chinese) if rest else ''}"
    digits = "零一二三四五六七八九"
    found, gap = "", ""
    for scale, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = number // scale, number % scale
        if digit:
            is_bare = digit == 1 and scale > 1 and (not is_chinese or (scale == 10 and not found))
            found += f"{gap if is_chinese and found else ''}{'' if is_bare else digits[digit]}{sign}"
            gap = ""
        elif found:
            gap = "零"
    return found


def english(chosen: random.Random) -> list[str]:
    """Give several notations of one value."""
    number = chosen.choice((chosen.randint(13, 99), chosen.randint(100, 9_999), chosen.randint(10_000, 999_999)))
    kinds: tuple[Callable[[], list[str]], ...] = (
        lambda: [f"{number} kilometres", f"{number:,} km", f"{in_words(number)} kilometres"],
        lambda: [f"{number} percent", f"{number}%", f"{number:,} per cent"],
        lambda: [f"${number:,}", f"{number} dollars", f"USD {number}", f"{in_words(number)} dollars"],
        lambda: [f"{number} kg", f"{number * 1000:,} g", f"{number:,} kilograms"],
        lambda: [f"{number} hours", f"{number * 60:,} minutes", f"{in_words(number)} hours"],
        lambda: [f"{number / 10} kW", f"{number * 100:,} W", f"{number * 100} watts"],
        lambda: [f"{number} litres", f"{number * 1000} ml", f"{number:,} l"],
        lambda: [f"-{number} °C", f"minus {number} degrees Celsius"],
    )
    return chosen.choice((*kinds, lambda: english_moment(chosen)))()


def english_moment(chosen: random.Random) -> list[str]:
    """Give a time of day or a date."""
    if chosen.random() < 0.5:
        hour, minute = chosen.randint(13, 23), chosen.randint(1, 59)
        return [f"{hour}:{minute:02}", f"{hour - 12}:{minute:02} p.m.", f"{hour - 12}:{minute:02} pm"]
    month, day, year = chosen.choice(("March", "June", "October")), chosen.randint(13, 28), chosen.randint(1990, 2030)
    number = {"March": 3, "June": 6, "October": 10}[month]
    return [f"{day} {month} {year}", f"{month} {day}, {year}", f"{year}-{number:02}-{day}"]


def japanese(chosen: random.Random) -> list[str]:
    """Give several notations of one value."""
    number = chosen.choice((chosen.randint(13, 99), chosen.randint(100, 9_999), chosen.randint(10_000, 999_999)))
    han, wide = in_han(number, is_chinese=False), str(number).translate(WIDE)
    hour, minute = chosen.randint(13, 23), chosen.randint(11, 29)
    year, month, day = chosen.randint(2020, 2030), chosen.randint(1, 12), chosen.randint(1, 28)
    return chosen.choice((
        [f"{number}円", f"{number:,}円", f"{wide}円", f"{han}円"],
        [f"{number}キロメートル", f"{number:,}km", f"{han}キロ", f"{wide}km"][:2],
        [f"{number}%", f"{number}パーセント", f"{wide}％"],
        [f"{number}人", f"{han}人", f"{wide}名"],
        [f"{number}時間", f"{number * 60}分", f"{han}時間"],
        [f"{number}kg", f"{number * 1000}グラム", f"{wide}キログラム"],
        [f"{hour}時{minute}分", f"午後{hour - 12}時{minute}分", f"{hour}:{minute}"],
        [f"{year}年{month}月{day}日", f"令和{year - 2018}年{month}月{day}日", f"{year}/{month}/{day}"],
        [f"マイナス{number}度", f"氷点下{number}度", f"氷点下{han}度"],
    ))  # fmt: skip


def chinese(chosen: random.Random) -> list[str]:
    """Give several notations of one value."""
    number = chosen.choice((chosen.randint(13, 99), chosen.randint(100, 9_999), chosen.randint(10_000, 999_999)))
    han, wide = in_han(number, is_chinese=True), str(number).translate(WIDE)
    share = chosen.randint(11, 99)
    hour, minute = chosen.randint(13, 23), chosen.randint(11, 29)
    year, month, day = chosen.randint(1990, 2030), chosen.randint(1, 12), chosen.randint(1, 28)
    return chosen.choice((
        [f"{number}元", f"{number:,}元", f"{wide}元", f"{han}元"],
        [f"{number}公里", f"{number}千米", f"{han}公里"],
        [f"{share}%", f"百分之{in_han(share, is_chinese=True)}", f"百分之{share}"],
        [f"{number}人", f"{han}人", f"{wide}人"],
        [f"{number}小时", f"{number * 60}分钟", f"{han}个小时"],
        [f"{number}公斤", f"{number}千克", f"{number * 1000}克"],
        [f"{hour}点{minute}分", f"{hour}:{minute}", f"{'下午' if hour < 18 else '晚上'}{hour - 12}点{minute}分"],
        [f"{year}年{month}月{day}日", f"{year}-{month:02}-{day:02}", f"{year}/{month}/{day}"],
        [f"零下{number}℃", f"-{number}℃", f"零下{han}℃"],
    ))  # fmt: skip


MAKERS = {Language.EN: english, Language.JA: japanese, Language.ZH: chinese}


def renderings(language: Language, count: int) -> Iterator[list[str]]:
    """Give so many renderings of values, each value in all of its notations; always the same."""
    chosen, made = random.Random(f"renderings {language.value}"), 0
    while made < count:
        some = MAKERS[language](chosen)
        made += len(some)
        yield some


@pytest.mark.parametrize("language", MAKERS)
def test_every_notation_of_a_value_is_read_as_the_same(language: Language) -> None:
    wrong: list[tuple[str, str]] = []
    for some in renderings(language, RENDERINGS // len(MAKERS) + 1):
        first, *others = (FRAMES[language].format(one) for one in some)
        wrong += [
            (first, one) for one in others if weigh_spans(first, one, language) or weigh_spans(one, first, language)
        ]
    assert not wrong, f"{len(wrong)}: {wrong[:20]}"


@pytest.mark.parametrize("language", MAKERS)
def test_every_rendering_holds_a_value(language: Language) -> None:
    kinds = {SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME}
    for some in renderings(language, RENDERINGS // len(MAKERS) + 1):
        for one in some:
            spans = protected_spans(FRAMES[language].format(one), language)
            assert [span for span in spans if span.kind in kinds and not span.is_soft], one


@pytest.mark.parametrize("language", MAKERS)
def test_neighbouring_values_are_never_read_as_one(language: Language) -> None:
    """The control: what is read as the same everywhere tells nothing."""
    all_values = list(renderings(language, 300))
    for some, others in pairwise(all_values):
        first, second = FRAMES[language].format(some[0]), FRAMES[language].format(others[-1])
        assert some[0] == others[-1] or weigh_spans(first, second, language), (first, second)
