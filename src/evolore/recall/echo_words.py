"""Words that decide whether one text repeats another: those that carry nothing, and those that turn what is said."""

from __future__ import annotations

import re

_FILLERS = "a an the oh ah uh um well so really very please also too indeed"
FILLERS = frozenset(_FILLERS.split())
"""English words without which a text says the same."""

_TURNING = """
no not never none nobody nothing neither nor without cannot hardly barely scarcely rarely seldom almost nearly
only except unless until before after instead former formerly previously ex used if maybe perhaps might
may could would should less more fewer least most half twice both either
one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million
billion dozen first second third fourth fifth last next january february march april june july august
september october november december monday tuesday wednesday thursday friday saturday sunday
week month year weekend morning evening night noon spring summer autumn winter
stopped quit ended cancelled canceled failed refused denied false wrong
"""
TURNING_WORDS = frozenset(_TURNING.split())
"""English negations, numbers, dates and qualifiers: a text that lacks one of them says something else."""

MARKED_CHARACTERS = frozenset(
    "零〇一二三四五六七八九十百千万億兆两半几数"  # numbers
    "不没沒無无非未否别勿莫禁止"  # negation, Chinese and Japanese
    "なぬずんまいせ"  # of ない, ません, ず, ぬ
    "年月日週周时時分秒前後后昨今明曜旧元曾除仅只もう"  # dates, and what holds no more
)
"""Characters of Chinese and Japanese likewise."""

MOMENTS = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|now|currently|recently|ago|(?:this|last|next|past|coming) "
    r"(?:morning|evening|night|week|weekend|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|今[日朝晩夜週月年天晚]|昨[日夜晩天晚]|一?昨[日年]|明[日朝晩天晚年]|[来先再前]週|[来先]月|[来去昨]年|さっき|最近|"
    r"[上下本这][个個]?[周週月]|星期|礼拜|刚才|现在|最近|[月火水木金土日]曜"
)
"""What names a time by the moment it is said."""
