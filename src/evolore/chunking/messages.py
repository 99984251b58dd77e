"""What review items say, in the language of the text they are about."""

from __future__ import annotations

from evolore.domain.language import Language

_INSIDE_WORDS = {
    Language.EN: "A stretch of {length} characters has no end of a sentence or block; it was cut inside words.",
    Language.JA: "{length}文字の範囲に文やブロックの終わりがないため、単語の途中で切りました。",
    Language.ZH: "一段 {length} 个字符的文字没有句子或段落的结尾，只能在词语中间切开。",
}
_AT_GAPS = {
    Language.EN: (
        "A stretch of {length} characters has no end of a sentence or block; it was cut at the best gaps under the limit."
    ),
    Language.JA: "{length}文字の範囲に文やブロックの終わりがないため、上限に収まる最もよい切れ目で切りました。",
    Language.ZH: "一段 {length} 个字符的文字没有句子或段落的结尾，已在上限以内最合适的间隙切开。",
}
_BREAK_IT_UP = {
    Language.EN: "Break it into paragraphs or sentences, or raise max_size to {size}.",
    Language.JA: "段落や文に分けるか、max_sizeを{size}まで大きくしてください。",
    Language.ZH: "请把它分成段落或句子，或把 max_size 提高到 {size}。",
}
_BROKEN = {
    Language.EN: "A chat model finds that this passage does not stand alone: {reason}",
    Language.JA: "チャットモデルは、この部分だけでは意味が完結しないと判断しました: {reason}",
    Language.ZH: "对话模型认为这一段不能独立成立：{reason}",
}
_LOOK_AT_IT = {
    Language.EN: "Read it beside its neighbours, and join or divide its paragraphs in the document.",
    Language.JA: "前後の部分と合わせて読み、文書の段落をつなぐか分けてください。",
    Language.ZH: "请结合前后段落阅读，并在文档中合并或拆分段落。",
}


def _in(texts: dict[Language, str], language: Language) -> str:
    return texts.get(language, texts[Language.EN])


def hard_split_reason(length: int, language: Language, *, falls_in_word: bool) -> str:
    """Say that a stretch was cut hard."""
    return _in(_INSIDE_WORDS if falls_in_word else _AT_GAPS, language).format(length=length)


def hard_split_suggestion(size: int, language: Language) -> str:
    """Say what to do about a stretch that was cut hard."""
    return _in(_BREAK_IT_UP, language).format(size=size)


def broken_reason(reason: str, language: Language) -> str:
    """Say that a passage was found broken, and why."""
    return _in(_BROKEN, language).replace("{reason}", reason)


def broken_suggestion(language: Language) -> str:
    """Say what to do about a broken passage where the model did not."""
    return _in(_LOOK_AT_IT, language)
