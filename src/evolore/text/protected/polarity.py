"""Words that deny, soften, permit and require, and how often a sentence says that something is not so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from evolore.domain.language import Language
from evolore.text.values.spans import fold_text
from evolore.text.word_files import read_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Polarity:
    """The patterns of a language."""

    denies: re.Pattern[str]  #: What denies or forbids.
    only_looks: re.Pattern[str]  #: What looks like a denial and is none.
    softens: re.Pattern[str]  #: What may express a denial: "only", "closed", "instead".
    permits: re.Pattern[str]  #: What allows.
    requires: re.Pattern[str]  #: What obliges, or names a condition.
    eases: re.Pattern[str]  #: What frees from an obligation.
    doubles: re.Pattern[str]  #: A denial of a denial: "not uncommon".
    absents: re.Pattern[str]  #: What says that something is not there, or not asked for.
    supposes: re.Pattern[str]  #: A denial in a condition: "if it is not cancelled".
    includes: re.Pattern[str]  #: What takes in more: "also", "even", "still".
    conditions: re.Pattern[str]  #: What makes a denial one under a condition.
    opposites: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]  #: Pairs of which one is the opposite of the other.


@cache
def polarity_of(language: Language) -> Polarity:
    """Return the patterns of a language; those of English for one that has none."""
    words = read_words("evolore.text", "polarity", language)
    patterns = {name: _compiled(text, language) for name, text in words.patterns(but=("opposites",)).items()}
    pairs = [line.split(" / ") for line in words.lines("opposites")]
    opposites = tuple((_compiled(one, language), _compiled(other, language)) for one, other in pairs)
    return Polarity(opposites=opposites, **patterns)


def _compiled(words: str, language: Language) -> re.Pattern[str]:
    is_spaced = language not in {Language.JA, Language.ZH}
    return re.compile(rf"(?<![A-Za-z'-])(?:{words})(?![A-Za-z'-])" if is_spaced else words, re.IGNORECASE)


_ENGLISH = (
    r"(?<![A-Za-z])(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|cannot|hardly|unable|impossible|"
    r"prohibit(?:s|ed)?|forbid(?:s|den)?|forbidden|disallow(?:s|ed)?|banned|[A-Za-z]+n't|(?:dont|cant|wont))(?![A-Za-z])"
)
_NO_ENGLISH = (
    r"(?<![A-Za-z])(?:not only|no doubt|no problem|no matter|whether or not|or not|why not|not just|no wonder|if not|no\. ?\d|not (?:un|in|im|dis)[a-z]+|"
    r"(?:no|not) (?:be )?(?:more|less|fewer|later|earlier|longer) than|(?:must|may|can|should|do(?:es)?|shall|will|to) ?not (?:to )?exceed(?:ing)?|cannot exceed|never exceeds?|not exceed(?:ing)?|"
    r"(?:do not|don't|never) (?:forget|hesitate|worry)|at no extra|nothing but|costs? nothing|for nothing|no charge|no cost|why don't)(?![A-Za-z])"
)
_WEAK_ENGLISH = (
    r"(?<![A-Za-z])(?:out of|away|off limits|off|left|leav(?:e|es|ing)|only|alone|unless|except(?:ion|ed)?|but|without|nothing|free|refus\w+|reject\w*|"
    r"declin\w+|den(?:y|ies|ied)|exclu\w+|instead|rather|stop\w*|disagree\w*|lack\w*|fail\w*|prevent\w*|avoid\w*|ban\w*|less|otherwise|yet|still|harmless|safely|"
    r"skip\w*|ignor\w+|omit\w*|apart|refrain\w*|void|keep|un(?:til|less)|un(?:decided|able|paid|avail\w+|allowed|authori\w+|necessary|safe|likely|permitted|supported|changed|tested)|in(?:valid|complete|correct|sufficient|eligible|accessible|active)|im(?:possible|permissible)|dis(?:able|allow|agree)\w*|non-?[a-z]+|zero|exempt\w*|wrong|optional|voluntary|drop\w*|remain\w*|uncommon|unusual|survived?)(?![A-Za-z])"
)
_JAPANESE = (
    r"ない|なく(?=て|、|なる|なり|なっ|は|も|す|$)|なかっ|なけれ|ません|(?<=[わかさたなはまやらがざだばぱいきしちにひみりぎじびぴえけせてねへめれげぜべぺ来])ず(?=、|。|に|$|\s)|ざる|"
    r"禁止|禁[じず]|厳禁|不可|不要|無効|(?<=[\u4e00-\u9fffァ-ヺー])なし(?=[でにの、。\s]|$)"
)
_NO_JAPANESE = (
    r"かもしれ(?:ない|ません)|に違いない|だけで(?:は)?なく|のみならず|ばかりでなく|(?:なければ|なくては|ないと|なきゃ|ねば)(?:なら(?:ない|ず|ません|なかった)|いけ(?:ない|ません)|だめ)|"
    r"(?:ざるを|ずには)(?:得ない|いられ)|しか(?:ない|ありません)|すみません|申し訳(?:ない|ありません|ございません)|少な(?:い|く)(?:ない|ありません)?|危ない|仕方(?:が)?ない|間もなく|まもなく|珍しく(?:は)?(?:ない|ありません|なく)|"
    r"必ず|まず|はず|わず(?=か)|いずれ|思わず|絶えず|相変わらず|かかわらず|関わらず|問わず|限らず|とは限(?:らない|りません)|を(?:超え|上回ら|こえ)(?:ない|ず|ては(?:いけ|なら)(?:ない|ません)|ません)|を下回(?:らない|らず|りません|ってはなら(?:ない|ません))|"
    r"(?:ませ|まし)んか|ないか(?=確認|を確認|チェック|どうか)|忘れ(?:ない|ず)(?:で|に)|に(?:も)?満たない|妨げない|差し支え(?:は)?(?:ない|ありません)|問題(?:は)?(?:ない|なく|ありません)|なくす|なくし|では?なく(?:て)?、?(?=[^。]*(?:に|を|が|へ|で))"
)
_WEAK_JAPANESE = r"不|未|無|非(?!常)|禁|[中停廃]止|除|外|のみ|だけ|しか|限|避|控|却下|拒|満た|残|省|抜き|なし|やめ|よくあ|差し支え|断|誤|欠|離|免|空|失|遠慮|お断り|いいえ|ノー|閉|珍し|異な|違[いう反]"
_CHINESE = r"不|没有|没|無|勿|别(?![人的墅处的])|(?<![\u4e00-\u9fff])无|无(?=[人需须法权权效])|未(?=[经能获得被])|尚未|还没|禁止|严禁|禁用|切忌|谢绝"
_NO_CHINESE = (
    r"不仅|不但|不只|不光|不管|不论|无论|不得不|不断|不同|不错|不少于|不低于|不超过|不得超过|不能超过|不高于|不多于|不小于|不大于|不晚于|不早于|不得低于|不得少于|不能低于|不少|不久|不过|不妨|不如|差不多|对不起|不客气|不足|不到|不满|未满|\(不含|"
    r"未来|未必|非常|非但|特别|分别|性别|级别|区别|类别|个别|告别|识别|别名|别忘|别的|不要忘记|不要忘|能不能|是不是|有没有|会不会|要不要|要不|是否|没问题|没(?:有)?关系|无故|不[^,。]{1,6}(?:时|的话)(?=,|。)|不要紧|不停|不变|无线|不限于|少不了|(?:并)?不(?:少见|罕见|稀奇)"
)
_WEAK_CHINESE = r"不|未|无|非(?!常)|禁|免|除|仅|只|才|拒|停|缺|断|误|外|否|空|失|别|勿|没|另|自愿|少见|难|绝|尚|仍|跳"


@cache
def _patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    match language:
        case Language.JA:
            words = (_JAPANESE, _NO_JAPANESE, _WEAK_JAPANESE)
        case Language.ZH:
            words = (_CHINESE, _NO_CHINESE, _WEAK_CHINESE)
        case _:
            words = (_ENGLISH, _NO_ENGLISH, _WEAK_ENGLISH)
    denies, only_looks, may_deny = (re.compile(one, re.IGNORECASE) for one in words)
    return denies, only_looks, may_deny


def denials(sentence: str, language: Language) -> tuple[str, ...]:
    """Return what denies or forbids in a sentence, as it is written; what only looks so is left out.

    >>> denials("Do not call it twice.", Language.EN), denials("必ず押してください。", Language.JA)
    (('not',), ())
    """
    denies, only_looks, _ = _patterns(language)
    plain = only_looks.sub(lambda match: " " * len(match.group()), fold_text(sentence))
    return tuple(match.group() for match in denies.finditer(plain))


def weak_denials(sentence: str, language: Language) -> tuple[str, ...]:
    """Return what may express a denial, in small letters: "only if" says what "not unless" does.

    >>> weak_denials("Call it only once.", Language.EN)
    ('only',)
    """
    _, only_looks, may_deny = _patterns(language)
    plain = only_looks.sub(_without_weight, fold_text(sentence))
    return tuple(match.group().casefold() for match in may_deny.finditer(plain))


_TURNED_ROUND = re.compile("not |珍し|少な|(?:并)?不(?:少|罕|稀)", re.IGNORECASE)


def _without_weight(match: re.Match[str]) -> str:
    """Keep what is a denial turned round, such as "not uncommon", and drop what is none."""
    return match.group() if _TURNED_ROUND.match(match.group()) else " " * len(match.group())
