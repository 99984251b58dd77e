"""What names a time by the moment it is said, so that the same words said on another day mean another time."""

from __future__ import annotations

import re

MOMENTS = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|now|currently|recently|ago|(?:this|last|next|past|coming) "
    r"(?:morning|evening|night|week|weekend|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|今[日朝晩夜週月年天晚]|昨[日夜晩天晚]|一?昨[日年]|明[日朝晩天晚年]|[来先再前]週|[来先]月|[来去昨]年|さっき|最近|"
    r"[上下本这][个個]?[周週月]|星期|礼拜|刚才|现在|最近|[月火水木金土日]曜"
)
"""What names a time by the moment it is said."""
