"""What a review item says of two statements that do not fit together, in the language of the newer one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.episodes.differences import ANOTHER_DAY, DifferenceKind
from evolore.episodes.slot_marks import Mark

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 400

_REASON = {
    Language.EN: "Two statements do not fit together ({why}).\nEarlier: “{older}”\nLater: “{newer}”",
    Language.JA: "二つの記述が両立しません（{why}）。\n以前:「{older}」\n以後:「{newer}」",
    Language.ZH: "两条记录互相矛盾（{why}）。\n较早：“{older}”\n较晚：“{newer}”",
}
_SUGGESTION = {
    Language.EN: "Say which holds: `evolore review settle {item} --keep newer`, `older` or `both`. Until then both are found.",
    Language.JA: "どちらが正しいかを決めてください: `evolore review settle {item} --keep newer`(または`older`、`both`)。"
    "それまでは両方が見つかります。",
    Language.ZH: "请确定哪一条成立：`evolore review settle {item} --keep newer`（或 `older`、`both`）。在此之前两条都会被找到。",
}
SAME_TIME = "both are stated for the same time"
_WORDS: Mapping[str, tuple[str, str]] = {
    DifferenceKind.QUESTION: ("一方は質問、他方は説明", "一个在问，另一个在说"),
    DifferenceKind.SUPPOSED: ("一方は予定や仮定、他方は事実", "一个是计划或假设，另一个是事实"),
    DifferenceKind.TIME: ("一方は過去のこと、他方は現在のこと", "一个说过去，另一个说现在"),
    DifferenceKind.NUMBER: ("数が違う", "数字不同"),
    DifferenceKind.NEGATION: ("一方が否定している", "一个否定了另一个"),
    DifferenceKind.OPPOSITE: ("反対のこと、または同類の別のもの", "相反，或是同类中的另一个"),
    DifferenceKind.NAME: ("名前が違う", "名称不同"),
    DifferenceKind.ORDER: ("同じ語が別の役割をしている", "相同的词，不同的角色"),
    ANOTHER_DAY: ("曜日が違う", "星期不同"),
    SAME_TIME: ("どちらも同じ時点について述べている", "两条说的是同一时间"),
    Mark.CONTRADICTION: ("両立しない内容", "两者不能同时成立"),
    Mark.NUMBER: ("同じものの数が違う", "同一事物的数字不同"),
    Mark.ROLE: ("同じ役割の名前が違う", "同一角色的名称不同"),
    Mark.NAME: ("同じものの名前が違う", "同一事物的名称不同"),
    Mark.OPPOSITE: ("同じものについて別の種類を述べている", "同一事物说成了同类中的另一个"),
    Mark.NEGATION: ("一方が何かを否定している", "一个否定了某事"),
    Mark.CHANGE: ("変わったと述べている", "说有了变化"),
    Mark.CHANGE_OF_ATTRIBUTE: ("同じ属性について述べている", "说的是同一属性"),
    Mark.END: ("終わったと述べている", "说某事已结束"),
    Mark.EVIDENCE: ("記録に基づいている", "以记录为依据"),
    Mark.CORRECTION: ("訂正している", "作了更正"),
    Mark.PLAN: ("以前の方は予定を述べている", "较早的一条说的是计划"),
    Mark.SUBJECT: ("同じものについて述べている", "说的是同一事物"),
    Mark.START: ("始まりが同じ", "开头相同"),
}
"""What tells of a conflict, in Japanese and Chinese; a text that is missing stays English."""
_PHRASE = re.compile("|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)))
_SIDES = re.compile(r': "(?P<ours>.*)" / "(?P<theirs>.*)"|\("(?P<only>.*)"\)', re.DOTALL)


def conflict_reason(older: str, newer: str, why: str, language: Language) -> str:
    """Quote both sides, each at most 400 characters long, and say what differs."""
    return (
        _REASON.get(language, _REASON[Language.EN])
        .replace("{why}", conflict_words(why, language))
        .replace("{older}", _quoted(older))
        .replace("{newer}", _quoted(newer))
    )


def conflict_words(why: str, language: Language) -> str:
    """Say in a language why two statements do not fit together; what there is no word for stays English.

    >>> conflict_words('another number: "7" / "8"', Language.JA)
    '数が違う:「7」/「8」'
    """
    if language not in _QUOTES:
        return why
    sides = _SIDES.search(why)
    named = _PHRASE.findall(why[: sides.start()] if sides else why)
    if not named:
        return why
    place, comma, colon, left, right = _QUOTES[language]
    told = comma.join(_WORDS[phrase][place] for phrase in named)
    if sides is None:
        return told
    quotes = [f"{left}{side}{right}" for side in (sides["ours"], sides["theirs"], sides["only"]) if side]
    return f"{told}{colon}{'/'.join(quotes)}"


_QUOTES = {Language.JA: (0, "、", ":", "「", "」"), Language.ZH: (1, "，", "：", "“", "”")}
"""Which word of a pair it is, what stands between two and before quotes, and how it quotes."""


def conflict_suggestion(language: Language) -> str:
    """Say what a person can do about it."""
    return _SUGGESTION.get(language, _SUGGESTION[Language.EN]).replace("{item}", "ID")


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
