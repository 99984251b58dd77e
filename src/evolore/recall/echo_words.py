"""Words that decide whether one text repeats another: those that carry nothing, and those that turn what is said."""

from __future__ import annotations

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
