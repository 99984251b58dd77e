"""What a review item says of two statements that do not fit together, in the language of the newer one."""

from __future__ import annotations

from evolore.domain.language import Language

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


def conflict_reason(older: str, newer: str, why: str, language: Language) -> str:
    """Quote both sides, each at most 400 characters long, and say what differs."""
    return (
        _REASON.get(language, _REASON[Language.EN])
        .replace("{why}", why)
        .replace("{older}", _quoted(older))
        .replace("{newer}", _quoted(newer))
    )


def conflict_suggestion(language: Language) -> str:
    """Say what a person can do about it."""
    return _SUGGESTION.get(language, _SUGGESTION[Language.EN]).replace("{item}", "ID")


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
