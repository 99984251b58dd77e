"""The rules for Chinese, in simplified and traditional characters."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from evolore.text.dates import calendars
from evolore.text.dates.calendars import Part, Unit
from evolore.text.dates.cjk import MONTH_NUMBER, CjkWords, first_rules, relative_rules
from evolore.text.dates.grammar import Bound, Grammar, read_number, rule, union

if TYPE_CHECKING:
    from evolore.domain.times import Period
    from evolore.text.dates.grammar import Reference, Rule

_PARTS = {
    "初": Part.OPENING, "初期": Part.EARLY, "早期": Part.EARLY, "年初": Part.OPENING, "月初": Part.OPENING,
    "中期": Part.MIDDLE, "中叶": Part.MIDDLE, "后期": Part.LATE, "後期": Part.LATE, "末": Part.CLOSE,
    "末期": Part.CLOSE, "底": Part.CLOSE, "年底": Part.CLOSE, "年末": Part.CLOSE, "月底": Part.CLOSE,
    "月末": Part.CLOSE, "上半年": Part.FIRST_HALF, "下半年": Part.SECOND_HALF, "前半": Part.FIRST_HALF,
    "后半": Part.SECOND_HALF, "上旬": Part.EARLY, "中旬": Part.MIDDLE, "下旬": Part.LATE,
    "头十天": Part.EARLY, "上半月": Part.FIRST_HALF, "下半月": Part.SECOND_HALF,
}  # fmt: skip
_WEEK = ("周", "星期", "礼拜", "週", "禮拜")
_SIDES = {"上": -1, "上个": -1, "上個": -1, "上上": -2, "上上个": -2, "这": 0, "这个": 0, "這": 0, "這個": 0, "本": 0,
          "下": 1, "下个": 1, "下個": 1, "下下": 2, "下下个": 2}  # fmt: skip

_WORDS = CjkWords(
    days={
        "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "前天": -2, "大前天": -3, "今天": 0, "今日": 0, "今早": 0,
        "今晚": 0, "今晨": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "后天": 2, "後天": 2, "大后天": 3, "昨儿": -1, "昨儿个": -1, "前儿": -2, "前儿个": -2, "今儿": 0, "今儿个": 0,
    },
    weeks={side + week: step for side, step in _SIDES.items() for week in _WEEK},
    months={side + "月": step for side, step in _SIDES.items() if side not in {"上", "下", "上上", "下下", "这", "這"}}
    | {"上月": -1, "下月": 1, "这月": 0},
    years={"去年": -1, "前年": -2, "大前年": -3, "今年": 0, "本年": 0, "明年": 1, "后年": 2, "後年": 2},
    stepped={"上个": -1, "上個": -1, "上一个": -1, "这个": 0, "這個": 0, "今": 0, "下个": 1, "下一个": 1},
    units={
        "天": Unit.DAY, "日": Unit.DAY, "周": Unit.WEEK, "週": Unit.WEEK, "个星期": Unit.WEEK, "個星期": Unit.WEEK,
        "个礼拜": Unit.WEEK, "星期": Unit.WEEK, "个月": Unit.MONTH, "個月": Unit.MONTH, "年": Unit.YEAR,
    },
    ago=r"(?:多)?(?:之|以)?前(?!后|後|半)",
    hence=r"(?:之|以)?[后後](?!半|期|来)",
    span_before=r"(?:过去|過去|最近|近|这|這)",
    recently=r"最近|近来|近期|近日",
    few_days_ago=r"前几天|前幾天|前些天|前两天|前阵子|前不久",
    weekday=r"(?:星期|周|週|礼拜|禮拜)(?P<weekday>[一二三四五六日天])(?![年岁歲期])",
    week_weekday=r"(?P<weekday>[一二三四五六日天])(?![年岁歲期起])",
    weekend="末",
    lone_weekend=r"(?:这个?|刚过去的)?(?:周末|週末)",
    season=r"(?P<season>[春夏秋冬])(?:天|季|日)?(?!节|節)",
    lone_part=r"(?<![0-9年前元〇零一二三四五六七八九十])(?P<part>年末|年初|年底)",
    # Months in Chinese numerals also stand in names: 五月艾, 七月圆柱.
    lone_month=rf"(?P<month>{MONTH_NUMBER})\s?月(?<![一二三四五六七八九十]月(?=[^\W\d份的初中上下末底旬里在到至我你他她去来要有是会就都还和与间画买做开出从前后以之]))",
    lone_season=r"(?P<season>[春夏秋冬])[天季]",
    parts=_PARTS,
    holidays={
        "平安夜": (12, 24, 24), "圣诞节": (12, 25, 25), "圣诞": (12, 25, 25), "聖誕節": (12, 25, 25),
        "元旦": (1, 1, 1), "情人节": (2, 14, 14), "妇女节": (3, 8, 8), "劳动节": (5, 1, 1), "儿童节": (6, 1, 1),
        "国庆节": (10, 1, 1), "国庆": (10, 1, 1), "国庆假期": (10, 1, 7), "国庆长假": (10, 1, 7), "五一": (5, 1, 1), "五一假期": (5, 1, 5),
        "清明节": (4, 4, 6), "清明": (4, 4, 6), "万圣节": (10, 31, 31), "教师节": (9, 10, 10),
    },
    ages={
        "唐朝": (618, 907), "唐代": (618, 907), "宋朝": (960, 1279), "宋代": (960, 1279), "元朝": (1271, 1368),
        "明朝": (1368, 1644), "明代": (1368, 1644), "清朝": (1644, 1912), "清代": (1644, 1912),
    },
)  # fmt: skip


def _republic(match: re.Match[str], _: Reference) -> Period | None:
    year = 1911 + (read_number(match["number"]) or 0)
    return calendars.years_of(year, year)


def _rules() -> tuple[Rule, ...]:
    return (
        rule(r"民[国國](?P<number>\d\d?|[一二三四五六七八九十]{1,4}|元)年", _republic),
        *first_rules(_WORDS),
        *relative_rules(_WORDS),
    )


@cache
def grammar() -> Grammar:
    """Make the rules of Chinese; on first use, since patterns take some milliseconds to compile."""
    rules = _rules()
    return Grammar(
        rules=rules,
        any_rule=union(rules, at=r"(?=[0-9年〇零一二三四五六七八九十千两兩几幾数半民唐宋元明清昨前大今后後上这這本下去过過最近星周週礼禮春夏秋冬平圣聖情妇劳儿国万教])"),
        joins=re.compile(r"\s?(?:到|至|[~\-–—])\s?"),
        pairs=re.compile(r"\s?[和与與跟]\s?"),
        pair_before=re.compile(r"(?!)"),
        pair_after=re.compile(r"之?[间間]"),
        bounds=(
            (Bound.BEFORE, None, re.compile(r"(?:之|以)?前(?!后|後|半|期|任)")),
            (Bound.SINCE, re.compile(r"自从?$|自從$"), re.compile(r"(?:之|以)[来來]|以[后後]|起")),
            (Bound.AFTER, None, re.compile(r"之?[后後](?!半|期|来)")),
            (Bound.UNTIL, re.compile(r"(?:直到|截至|截止到?)$"), re.compile(r"为止|為止")),
            (Bound.AROUND, re.compile(r"(?:大约|大約|约)$"), re.compile(r"左右|前[后後]|上下")),
        ),
    )  # fmt: skip
