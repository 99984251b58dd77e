"""The rules for Japanese."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from evolore.domain.times import Period
from evolore.text.dates import calendars
from evolore.text.dates.calendars import Part, Unit
from evolore.text.dates.cjk import DAY_NUMBER, MONTH_NUMBER, CjkWords, any_of, first_rules, relative_rules
from evolore.text.dates.grammar import Bound, Grammar, read_number, rule, union

if TYPE_CHECKING:
    from evolore.text.dates.grammar import Reference, Rule

_ERAS = {
    "令和": Period(first=date(2019, 5, 1), last=date.max),
    "平成": Period(first=date(1989, 1, 8), last=date(2019, 4, 30)),
    "昭和": Period(first=date(1926, 12, 25), last=date(1989, 1, 7)),
    "大正": Period(first=date(1912, 7, 30), last=date(1926, 12, 24)),
    "明治": Period(first=date(1868, 1, 25), last=date(1912, 7, 29)),
}
_PARTS = {
    "前半": Part.FIRST_HALF, "後半": Part.SECOND_HALF, "上半期": Part.FIRST_HALF, "下半期": Part.SECOND_HALF,
    "初頭": Part.OPENING, "年末": Part.CLOSE, "年初": Part.OPENING, "年始": Part.OPENING, "初め": Part.OPENING, "はじめ": Part.OPENING, "初期": Part.EARLY, "半ば": Part.MIDDLE,
    "中頃": Part.MIDDLE, "中期": Part.MIDDLE, "末": Part.CLOSE, "終わり": Part.CLOSE, "末期": Part.CLOSE,
    "後期": Part.LATE, "上旬": Part.EARLY, "初旬": Part.EARLY, "中旬": Part.MIDDLE, "下旬": Part.LATE, "頭": Part.OPENING,
}  # fmt: skip
_WEEKDAY = r"(?P<weekday>[月火水木金土日])曜(?!大工|画家)日?"

_WORDS = CjkWords(
    days={
        "昨日": -1, "きのう": -1, "一昨日": -2, "おととい": -2, "一昨々日": -3, "今日": 0, "きょう": 0, "本日": 0,
        "明日": 1, "明後日": 2, "あさって": 2, "昨夜": -1, "昨晩": -1, "ゆうべ": -1, "今朝": 0, "今晩": 0, "今夜": 0,
    },
    weeks={"先週": -1, "先々週": -2, "今週": 0, "来週": 1, "再来週": 2},
    months={"先月": -1, "先々月": -2, "今月": 0, "来月": 1, "再来月": 2},
    years={"去年": -1, "昨年": -1, "一昨年": -2, "おととし": -2, "今年": 0, "本年": 0, "来年": 1, "再来年": 2},
    stepped={"この前の": -1, "こないだの": -1, "前回の": -1, "前の": -1, "この": 0, "今度の": 1, "次の": 1},
    units={
        "日": Unit.DAY, "週間": Unit.WEEK, "週": Unit.WEEK, "年": Unit.YEAR,
        "か月": Unit.MONTH, "ヶ月": Unit.MONTH, "カ月": Unit.MONTH, "ヵ月": Unit.MONTH, "箇月": Unit.MONTH,
    },
    ago=r"(?:ほど|くらい|ぐらい)?前(?!後|半)",
    hence=r"後(?!半)",
    span_before=r"(?:ここ|この|過去|直近|最近)",
    recently=r"最近|近頃|このごろ",
    few_days_ago=r"先日|この間(?!に)|こないだ|このあいだ",
    weekday=_WEEKDAY,
    week_weekday=_WEEKDAY,
    weekend="末|週末|土日",
    lone_weekend=r"(?:この前の|こないだの|前の|今度の|この)?(?:週末|土日)",
    season=r"(?P<season>[春夏秋冬])(?!夏|秋|冬)(?:頃|ごろ)?",
    lone_month=rf"(?P<month>{MONTH_NUMBER})\s?月(?!さん|ちゃん|くん|君|様|雨)",
    lone_part=r"(?<![0-9年前元〇一二三四五六七八九十])(?P<part>年末|年初|年始)",
    lone_season=r"(?P<season>[春夏秋冬])(?=に|から|まで|休み)",
    parts=_PARTS,
    holidays={
        "クリスマスイブ": (12, 24, 24), "クリスマス": (12, 25, 25), "大晦日": (12, 31, 31), "大みそか": (12, 31, 31), "三が日": (1, 1, 3), "元日": (1, 1, 1),
        "お正月": (1, 1, 3), "正月": (1, 1, 3), "バレンタイン": (2, 14, 14), "ハロウィン": (10, 31, 31),
        "ゴールデンウィーク": (4, 29, 30), "お盆": (8, 13, 16), "七夕": (7, 7, 7),
    },
    ages={
        "奈良時代": (710, 794), "平安時代": (794, 1185), "鎌倉時代": (1185, 1333), "室町時代": (1336, 1573),
        "戦国時代": (1467, 1590), "江戸時代": (1603, 1868),
    },
)  # fmt: skip
_ERA = f"(?P<era>{any_of(_ERAS)})"
_NUMBER = r"(?:\d\d?|元|[一二三四五六七八九十]{1,3})"


def _year_of_era(match: re.Match[str], reference: Reference) -> Period | None:
    era = _ERAS[match["era"]]
    year = era.first.year - 1 + (read_number(match["number"]) or 0)
    if match["month"]:
        month = read_number(match["month"]) or 0
        day = read_number(match["day"]) if match["day"] else None
        made = calendars.month_of(year, month) if day is None else calendars.day_of(year, month, day)
    elif match["season"]:
        made = calendars.season_of(year, "春夏秋冬".index(match["season"]), southern=reference.southern)
    else:
        last = era.first.year - 1 + (read_number(match["last"] or match["number"]) or 0)
        made = calendars.years_of(year, last)
    return calendars.clipped(made, era)


def _decade_of_era(match: re.Match[str], _: Reference) -> Period | None:
    era = _ERAS[match["era"]]
    return calendars.clipped(calendars.decade_of(era.first.year - 1 + (read_number(match["number"]) or 0)), era)


def _whole_era(match: re.Match[str], _: Reference) -> Period | None:
    return _ERAS[match["era"]]


def _rules() -> tuple[Rule, ...]:
    return (
        rule(rf"{_ERA}(?P<number>\d0|[二三四五六]?十)年代", _decade_of_era),
        rule(
            rf"{_ERA}\s?(?P<number>{_NUMBER})年(?:度)?(?:\s?(?P<month>{MONTH_NUMBER})月(?:\s?(?P<day>{DAY_NUMBER})日)?"
            rf"|の?(?P<season>[春夏秋冬])|\s?(?:から|[~\-–])\s?(?P<last>{_NUMBER})年)?",
            _year_of_era,
        ),
        rule(rf"{_ERA}(?:の?時代|年間|初期|中期|末期|初頭)", _whole_era),
        *first_rules(_WORDS),
        *relative_rules(_WORDS),
    )


@cache
def grammar() -> Grammar:
    """Make the rules of Japanese; on first use, since patterns take some milliseconds to compile."""
    rules = _rules()
    return Grammar(
        rules=rules,
        any_rule=union(rules, at=r"(?=[0-9年一二三四五六七八九十千数半令平昭大明奈鎌室戦江昨きお今本あゆ先来再去こ前次過直最近月火水木金土日春夏秋冬クゴ元正バハ七])"),
        joins=re.compile(r"\s?(?:から|より|[~\-–—]|ないし)\s?"),
        pairs=re.compile(r"\s?[とや]\s?"),
        pair_before=re.compile(r"(?!)"),
        pair_after=re.compile(r"の(?:間|あいだ)"),
        bounds=(
            (Bound.BEFORE, None, re.compile(r"(?:より(?:も|ずっと)?|の)?前(?!後|半|期|任)")),
            (Bound.AFTER, None, re.compile(r"(?:より(?:も)?|の)後(?!半|期)|よりあと|のあと")),
            (Bound.SINCE, None, re.compile(r"以降|以来|から(?!の間|翌|数)")),
            (Bound.UNTIL, None, re.compile(r"まで|以前")),
            (Bound.AROUND, None, re.compile(r"頃|ごろ|前後|あたり|くらい|ぐらい")),
        ),
    )  # fmt: skip
