"""Denials: how often a sentence says that something is not so, or must not be."""

from __future__ import annotations

import re
from functools import cache

from evolore.domain.language import Language
from evolore.text.protected.folding import fold_text

_ENGLISH = (
    r"(?<![A-Za-z])(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|cannot|without|hardly|unable|impossible|avoid(?:s|ed|ing)?|"
    r"prohibit(?:s|ed)?|prohibition|forbid(?:s|den)?|forbids|disallow(?:s|ed)?|banned|ban|refrain|prevent(?:s|ed)?|lacks?|fails? to|failed to|"
    r"refus(?:e|es|ed)|den(?:y|ies|ied)|"
    r"unsupported|unavailable|invalid|ineligible|non-?refundable|non-[a-z]+|un(?:allowed|authori[sz]ed|necessary|paid|safe|encrypted)|"
    r"exclud(?:e|es|ed|ing)|except(?:ion)?|unless|rather than|instead of|[A-Za-z]+n't|(?:dont|cant|wont))(?![A-Za-z])"
)
_NO_ENGLISH = (
    r"(?<![A-Za-z])(?:not only|no doubt|no problem|no matter|whether or not|or not|why not|not just|no wonder|if not|no\. ?\d|"
    r"(?:no|not) (?:be )?(?:more|less|fewer|later|earlier|longer) than|(?:must|may|can|should|do(?:es)?|shall|will|to) ?not (?:to )?exceed(?:ing)?|cannot exceed|never exceeds?|not exceed(?:ing)?|"
    r"do not forget|don't forget|do not hesitate|don't hesitate|not yet sure|no longer than|at no extra|nothing but|why don't|don't worry)(?![A-Za-z])"
)
_JAPANESE = (
    r"ない|なく(?=て|、|なる|なり|なっ|は|も|す|$)|なかっ|なけれ|ません|ませぬ|(?<=[わかさたなはまやらがざだばぱいきしちにひみりぎじびぴえけせてねへめれげぜべぺ来])ず(?=、|。|に|$|\s)|ざる|ぬ(?=。|よう|まま|もの)|"
    r"禁止|禁じ|厳禁|不可|不要|不能|不正|不明|無効|無し|なし(?![いうえおとで]{0,1}[^にでの、。\s])|未(?=[\u4e00-\u9fff])|非(?=[\u4e00-\u9fff])|避け|控え|やめて|おやめ|対象外|除[くいき]|以外"
)
_NO_JAPANESE = (
    r"かもしれ(?:ない|ません)|に違いない|だけで(?:は)?なく|のみならず|ばかりでなく|ではなくて?も|(?:なければ|なくては|ないと|なきゃ)(?:なら(?:ない|ず|ません|なかった)|いけ(?:ない|ません)|だめ)|"
    r"(?:ざるを|ずには)(?:得ない|いられ)|しか(?:ない|ありません)|すみません|申し訳(?:ない|ありません|ございません)|少な(?:い|く)|危ない|仕方(?:が)?ない|問題(?:は)?(?:ない|ありません)|間もなく|まもなく|"
    r"必ず|まず|はず|わず(?=か)|いずれ|思わず|絶えず|相変わらず|かかわらず|関わらず|問わず|限らず|とは限(?:らない|りません)|を(?:超え|上回ら|こえ)(?:ない|ず|ては(?:いけ|なら)(?:ない|ません)|ません)|を下回(?:らない|らず|りません|ってはなら(?:ない|ません))|"
    r"(?:ませ|まし)んか|ないか(?=確認|を確認|チェック|どうか)|忘れ(?:ない|ず)(?:で|に)|非常|未満|未来|未明|無料|無事|行わな?ければ"
)
_CHINESE = r"不|没有|没|无(?![锡线论])|無|未|勿|别(?![人的墅处])|莫|非(?=[\u4e00-\u9fff])|禁止|严禁|禁用|避免|除外|除了|以外|之外|除非|切忌|谢绝|杜绝"
_NO_CHINESE = (
    r"不仅|不但|不只|不光|不管|不论|无论|不得不|不断|不同|不错|不少于|不低于|不超过|不得超过|不能超过|不高于|不多于|不小于|不大于|不晚于|不早于|不得低于|不得少于|不能低于|不少|不久|不过|不妨|不如|差不多|对不起|不客气|不足|不到|不满|未满|"
    r"未来|未必|非常|非但|特别|分别|性别|级别|区别|类别|个别|告别|识别|别名|别忘|不要忘记|不要忘|能不能|是不是|有没有|会不会|要不要|是否|没问题|没关系|无线|除了.{1,12}(?:还|也|外)|不限于|务必不忘|不丹"
)


@cache
def _patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    match language:
        case Language.JA:
            return re.compile(_JAPANESE), re.compile(_NO_JAPANESE)
        case Language.ZH:
            return re.compile(_CHINESE), re.compile(_NO_CHINESE)
        case _:
            return re.compile(_ENGLISH, re.IGNORECASE), re.compile(_NO_ENGLISH, re.IGNORECASE)


def denials(sentence: str, language: Language) -> tuple[str, ...]:
    """Give what denies or forbids in a sentence, as it is written; what only looks so is left out.

    >>> denials("Do not call it twice.", Language.EN), denials("必ず押してください。", Language.JA)
    (('not',), ())
    """
    denies, only_looks = _patterns(language)
    plain = only_looks.sub(lambda match: " " * len(match.group()), fold_text(sentence))
    return tuple(match.group() for match in denies.finditer(plain))
