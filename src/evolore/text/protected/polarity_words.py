"""Words that deny, soften, permit and require, in three languages: what tells which way a statement points."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from evolore.domain.language import Language

_EN = {
    "denies": (
        r"not|never|no|none|nobody|no one|nothing|nowhere|neither|cannot|unable|impossible|[a-z]+n't|dont|cant|wont|"
        r"prohibit(?:s|ed|ing)?|prohibition|forbid(?:s|ding)?|forbidden|disallow(?:s|ed)?|bann?(?:s|ed)?|barred|"
        r"ineligible|unacceptable|inadmissible|unsuitable|non-[a-z]+|refuse[sd]?|rejects?|rejected|exclude[sd]?|excluding|invalid"
    ),
    "only_looks": (
        r"no (?:more|less|fewer|later|earlier|sooner|longer than|(?:[a-z]{2,8}er) than)|not only|not just|not merely|no doubt|no problem|no matter|whether or not|or not|why not|no wonder|no\. ?\d+|"
        r"(?:no|not|never)(?: be)? (?:more|less|fewer|later|earlier|longer|sooner|before|until|older|younger|higher|lower|greater|smaller) ?(?:than)?|"
        r"(?:must|may|can|should|do(?:es)?|shall|will|to)? ?not (?:to )?exceed(?:ing)?|cannot exceed|never exceeds?|"
        r"(?:do not|don't|never) (?:forget|hesitate|worry)|nothing but|none but|no other|not least|if not|not (?:yet )?turned|without fail"
    ),
    "softens": (
        r"out of|away|off|left|leave[sd]?|leaving|only|alone|sole(?:ly)?|exclusive(?:ly)?|unless|except\w*|but|without|free(?! to)|refus\w+|"
        r"reject\w*|declin\w+|den(?:y|ies|ied|ial)|exclu\w+|instead|rather|stop\w*|stay\w*|disagree\w*|lack\w*|fail\w*|prevent\w*|avoid\w*|"
        r"ban\w*|less|otherwise|yet|ignor\w+|disregard\w*|dismiss\w*|omit\w*|apart|abstain\w*|refrain\w*|void|keep\w*|kept|zero|exempt\w*|"
        r"wrong|optional\w*|voluntar\w*|remain\w*|rare\w*|seldom|hardly|scarcely|barely|secret\w*|confidential\w*|private\w*|closed?|closing|"
        r"shut|locked|sealed|end(?:s|ed|ing)?|expir\w+|cease\w*|discontinu\w*|cancel\w*|drop\w*|remov\w*|empt(?:y|ied|ies)|bin|discard\w*|"
        r"thrown?|throw\w*|lose[sr]?|lost|loss|miss(?:es|ed|ing)?|harm\w*|danger\w*|poison\w*|toxic|bad(?:ly)?|unknown|blind|waive\w*|forgo|"
        r"skip\w*|limit\w*|restrict\w*|reserved|outside|other than|beyond|opposite|vice versa|contrary|broken|faulty|defective|out|"
        r"(?:un|dis|mis|non-?)[a-z]{4,}|in(?:valid|complete|correct|sufficient|eligible|accessible|active|admissible)\w*|"
        r"im(?:possible|permissible|proper)\w*|ir(?:relevant|reversible)|il(?:legal|legible)|[a-z]{3,}less|guarantee|surviv\w*|failures?|protect\w*|"
        r"unattended|nearby|present|guard\w*|somewhere else|elsewhere|another"
    ),
    "permits": (
        r"may|can|could|allow(?:s|ed)?|permit(?:s|ted)?|permissible|possible|welcome|free to|able to|accept(?:s|ed|able)?|open to|okay|ok|"
        r"admitted|eligible|entitled|fine|enjoy|feel free"
    ),
    "requires": r"must|have to|has to|had to|need(?:s|ed)?|requir\w+|mandatory|compulsory|obligatory|shall|necessary|permission|in advance|beforehand|yourself|manual\w*|make sure|obliged",
    "eases": (
        r"(?:need|needs) not|need(?:s|ed)? no|no need|not (?:need|have to|required|necessary|mandatory|compulsory|obliged|obligatory)|"
        r"n't (?:need|have to|required|necessary)|no [a-z]+(?: [a-z]+)? (?:is|are) (?:needed|required|necessary)|unnecessary|optional"
    ),
    "doubles": (
        r"(?:not|never|[a-z]+n't|no|nobody|none|neither|cannot|hardly)\W+(?:\w+\W+){0,3}?(?:un[a-z]{4,}|in(?:valid|complete|correct|admissible|frequent\w*)|den(?:y|ied)|disput\w+|rare\w*|seldom|without|fail\w*|forbidden|"
        r"prohibited|refuse\w*|lack\w*|object\w*|unless|except|exclude\w*|contest\w*|oppos\w+|disagree\w*|doubt\w*)"
    ),
    "absents": r"no [a-z]+ (?:is|are)|there (?:is|are) no|(?:do not|don't|does not|doesn't) (?:hold|have|ask|charge)",
    "supposes": r"(?:if|that|which|who|whoever|unless|when|those|anything|whatever)(?![A-Za-z])[^,;.]{0,36}(?<![A-Za-z])(?:not|never|[a-z]+n't|no)",
    "includes": r"as well|also|too|still (?:be|allowed|admitted|accept\w*|fine|valid|possible|applies|works?)|even (?:if|when|without|on|for|late)|including|regardless|whether or not|of course|feel free|free to|happily|several times",
    "conditions": r"if|unless|without|until|before|after|when|once|otherwise|or else|as long as|provided|except|other than|but|than|apart from",
}
_JA = {
    "denies": (
        r"ない|なく(?=て|、|なる|なり|なっ|は|も|す|$|[\u4e00-\u9fffァ-ヺ])|なかっ|なけれ|ません|(?<=[わかさたなはまやらがざだばぱいきしちにひみりぎじびぴえけせてねへめれげぜべぺ来])ず(?=、|。|に|$|\s)|ざる|"
        r"禁止|禁[じず]|(?<=[かがさたなばまらわきけせてねへめれえべみ])ぬ(?=[。、]|$|[日者物もの人と方時](?!え)|[\u4e00-\u9fff])|厳禁|禁忌|不可|不要|無効|無用|対象外|お断り|断られ|除外|ご遠慮|控え(?=て|る|くだ|ま|ね)|拒否|拒絶|却下|認めぬ|(?<=[\u4e00-\u9fffァ-ヺー])なし(?=[でにの、。\s]|$)|やめ(?:て|ま)"
    ),
    "only_looks": (
        r"かもしれ(?:ない|ません)|に違いない|だけで(?:は)?なく|のみならず|ばかりでなく|(?:なければ|なくては|ないと|なきゃ|ねば)(?:なら(?:ない|ず|ません|なかった)|いけ(?:ない|ません)|だめ)|"
        r"(?:ざるを|ずには)(?:得ない|いられ)|しか(?:ない|ありません)|すみません|申し訳(?:ない|ありません|ございません)|少な(?:い|く)(?:ない|ありません)?|危ない|仕方(?:が)?ない|間もなく|まもなく|"
        r"必ず|まず|はず|わず(?=か)|いずれ|思わず|絶えず|相変わらず|かかわらず|関わらず|問わず|限らず|変わ(?:ら|り)(?:ない|ません|ず)|を(?:超え|上回ら|こえ)(?:ない|ず|ては(?:いけ|なら)(?:ない|ません)|ません)|を下回(?:らない|らず|りません|ってはなら(?:ない|ません))|"
        r"(?:ませ|まし)んか|ないか(?=確認|を確認|チェック|どうか)|忘れ(?:ない|ず)(?:で|に)|に(?:も)?満たない|妨げない|差し支え(?:は)?(?:ない|ありません)|問題(?:は)?(?:ない|なく|ありません)|(?:ても|でも)(?:かま|構)(?:わない|いません)|なくす|なくし|(?:より|の|まで|る)前(?:に|は)[^。、]{0,10}ない|つな(?:い|が)|損ない|補ない|行ない|担ない|伴ない|失ない|もったいない|みっともない|未満|[\d%歳才回個人年月日割](?:に|も|まで)?(?:なってい|満た|達してい|なら|あり|行か|届か)?(?:ない|ません|なかった)|時間を置かず|間をおかず"
    ),
    "softens": (
        r"不|未|無|非(?!常)|禁|[中停廃]止|除|外|のみ|だけ|しか|限|避|控|却下|拒|残|省|抜き|なし|やめ|差し支え|断|誤|欠|離|免|空|失|遠慮|いいえ|閉|珍し|異な|違[いう反]|終|止|代わり|ではなく|任意|任せ|捨|処分|廃棄|破棄|"
        r"毒|危険|壊|害|逆|反対|秘|隠|別|ほか|他の|さもな|おそれ|防|手動|保つ|保ち|まま|館内|専|以外|例外|割引|まれ|稀|少な|難|困難|打ち切|消え|なくな|去|却|辞|お預|滞|散"
    ),
    "permits": r"できます|できる|でき(?=、|。|ま)|可能(?!性)|(?<!不)可(?=$|[。、\s)）])|てもよい|ても良い|てもかま|ても構|てもいい|許可され(?!た)|許され|認められ(?=て|る|ま(?!せん))|歓迎|自由(?!に選)|お勧め|使え(?=ま(?!せん)|る)|れます|られます|入れます|問題(?:は)?(?:ない|ありません)",
    "requires": r"必要(?!(?:は|が)?(?:ない|なく|ありません|なし))|必須|必ず|なければなら|なくてはなら|ねばなら|なければいけ|義務|べき|こと(?=。|$)|要(?=り?ます|る|り(?!ま?せん)|す)|あらかじめ|事前|以降|してから|した後|先に|会員が",
    "eases": r"必要(?:は|が)?(?:ない|なく|ありません|なし)|必要なし|不要|いりません|要りません|なくても(?:よい|良い|いい|かま|構)|免除|なしで(?!は)(?:も)?|任意",
    "doubles": r"(?:珍し|少な|否定|否認|拒否|断[らっ]|反対|異議|不[^、。]{1,3}|まれ|疑い?)[^、。]{0,5}(?:ない|なく|ません|ず|なかった)",
    "absents": r"(?:は|が)(?:ありません|ない(?=$|。)|なし(?=$|。))|いただきません|行いません",
    "supposes": r"(?<!少)なく(?=[\u4e00-\u9fffァ-ヺ])|無断|(?:ない|ません)(?:と|場合|とき|ときは|かぎり|限り|うち|まま|もの|人|方|生徒|社員|者)|なければ(?!なら|いけ)|なしで|ず(?:に)?(?:いる|おく)と",
    "includes": r"も(?:可能|対象|含|でき|使え|参加|入れ|受け|お受け|開|やって|自由)|(?<!ま)まだ|引き続き|自由に|いつでも|何度も|(?:ても|でも)(?:かま|構|よい|いい|問題)|少しなら|おすすめ|お勧め",
    "conditions": r"なければ|ないと|ないなら|なら|ないかぎり|ない限り|でなければ|なしで|たら|れば|場合|とき|際|前に|後|以外|しか|まで|ないうち|せずに|ずに|無しに|なしに|ないよう",
}
_ZH = {
    "denies": (
        r"不|没有|没|無|勿|别(?![人的墅处])|(?<![\u4e00-\u9fff])无|无(?=[人需须法权权效从用])|未(?=[经能获得被曾必成])|[并从均仍还都尚]未|还没|禁止|严禁|禁用|严禁|切忌|谢绝|拒绝|恕(?!不)|作废|无效|驳回|并非|非法|概不"
    ),
    "only_looks": (
        r"不仅|不但|不只|不光|不管|不论|无论|不得不|不断|不同|不错|不少于|不低于|(?:不|别|勿|莫)(?:得|能|可|许|准|应|要)?(?:超过|多于|高于|大于|晚于|早于|低于|少于|短于|长于)|不少|不久|不过|不妨|不如|差不多|对不起|不客气|不足|不到|不满|未满|\(不含|"
        r"未来|非常|非但|特别|分别|性别|级别|区别|类别|个别|告别|识别|别名|别忘|别的|不要忘记|不要忘|能不能|是不是|有没有|会不会|要不要|要不|是否|没问题|没(?:有)?关系|无故|不要紧|不停|不变|无线|不限于|少不了|不小心|"
        r"(?:不要|勿|别|不得|不可|不能|请勿|莫)在?[^,。;]{0,12}(?:之前|以前)|不得不|不一致|不良|不过|不一样|不定"
    ),
    "softens": (
        r"不|未|无|非(?!常)|禁|免|除|仅|只|才|(?<![甲乙丙双对])方可|拒|停|缺|断|误|外|否|空|失|别|勿|没|另|自愿|自己决定|少见|罕见|难|绝|尚|跳|避|关|闭|封|结束|终止|过期|到期|扔|丢|弃|毒|害|损|坏|反|例外|以外|除非|"
        r"代替|而是|秘|密|保密|手动|人工|代订|专|限|保持|破|裂|滞销|差|假|伪|擅自|走楼梯|逾期|迟|剩|舍|撤|退|抵制|罢|辞|漏|少|免费|馆内|室内|留在|其中"
    ),
    "permits": r"可以|可(?=[在以由入用进拍携借提延办申预重取]|于|[\u4e00-\u9fff]{1,2})|能(?![力源])|允许|准许|许可(?!证)|欢迎|有权|(?<!不)得以|随意|尽管|照样|仍可|也可|可选|开放|接受|受理|放心",
    "requires": r"必须|(?<!无)须(?!知)|(?<!不)需要|必需|务必|应当|应(?!优先|有|用)|(?<!不|只|无)(?<!没有)要(?!不|是|么|求)|确保|许可",
    "eases": r"不必|无需|无须|不需要?|不用|毋须|免(?=交|于|费)|可不(?!得|能|可|准|许)|可免|没有必要|非必需|自愿|不要求",
    "doubles": r"(?:不|没有|没|无|并不|并未|未|并没有)[^,。]{0,2}(?:少见|罕见|否认|反对|稀奇|例外|难|拒绝|无|不|异议|怀疑|稀罕)",
    "absents": r"没有|无(?!法)|不收|免",
    "supposes": r"(?:不|未|没有?)[^,。;]{1,14}?(?:就|则|便|的(?=[,，]|学生|人|员工|选手|,)|的话|时(?=,))|否则|未经",
    "includes": r"也(?:能|可|会|要|在|属|算|予|包|一样|可以|不限|参|有)|仍(?:可|能|予|继|需|会)|照(?:样|常|发|付|赔|旧)|同样|随便|尽管|欢迎|鼓励|可(?:以)?放心|继续|最好在|常要|即使",
    "conditions": r"除非|否则|如果|若|假如|没有|未经|不[^,。]{1,8}(?:就|则|便)|之前|以前|才|只有|除|以外|之外|凡|时|的话|一旦|直到|等|再",
}
_TABLES = {Language.EN: _EN, Language.JA: _JA, Language.ZH: _ZH}

# Each line: two ways a thing can be, the one the opposite of the other.
_OPPOSITES = {
    Language.EN: """
allowed|permitted|permissible|legal / forbidden|prohibited|banned|illegal|barred|off limits
mandatory|compulsory|obligatory|required / optional|voluntary
valid|effective|in force|full effect|has effect|binding / no effect|invalid|void|ineffective
free|free of charge|no charge|no cost|costs? nothing / fee applies|charged|for a fee|costs? extra|at a charge|paid
open|opens?|opened / closed?|closes|shut
included?|includes|including / excluded?|excludes|excluding
known / unknown
automatic|automatically / manual|manually|by hand|yourself
accept(?:s|ed)?|admit(?:s|ted)? / refuse[sd]?|reject(?:s|ed)?|decline[sd]?|turned away
often|frequently|common(?:ly)? / rarely|seldom|hardly ever
safe|harmless / dangerous|unsafe|harmful|poisonous|toxic
enabled?|turn(?:s|ed)? on|switch(?:es|ed)? on / disabled?|turn(?:s|ed)? off|switch(?:es|ed)? off
public|publicly / private|confidential|secret
possible / impossible
transferable / non-transferable
eligible / ineligible
in order|in operation / out of order|broken|defective
everyone|everybody / nobody|no one
admits?|admitted|confirmed / denied|denies
well / badly
unless|except|excluding|but not|other than|apart from / even when|even if|including|as well as
encouraged?|recommended|welcome / discouraged|forbidden|prohibited|unwelcome
""",
    Language.JA: """
可能|可(?=$|[。、\\s)]) / 不可能|不可
有効(?!期)|効力があ / 無効|失効|効力(?:は|が)?(?:ない|ありません)
有料|料金がかか / 無料|無償|料金(?:は|が)?かからな
必須|必ず|義務|必要です / 任意|自由|不要です
許可|許され|認められてい / 禁止|禁じ|厳禁
自動 / 手動|手作業
対象です|も対象|含まれます|含みます / 対象外|含まれません|含みません|除き|除外
開い|開け|開放 / 閉じ|閉ま|閉め|閉鎖|閉館
公開 / 非公開|秘密|内緒
安全 / 危険|有毒|毒
継続|続けて|まだ / 終了|中止|停止|もう
知っています|知らされています|既知 / 知りません|知らされていません|不明|未知
お勧め|推奨|歓迎 / 控え|遠慮|禁止
成功 / 失敗
承認|受理|受け付けます|受けます / 却下|拒否|受け付けません|断り|断る
増や|増加 / 減ら|減少
全員|誰でも|すべての人 / 誰も
よく|頻繁 / めったに|まれに
除き|除いて|以外|除く / 含め|含んで|ときも|場合も|(?<!だけ)でも(?:構|かま|でき|可)
通常どおり|通常通り / 休止|中止|停止
""",
    Language.ZH: """
允许|准许|可以|可用 / 禁止|严禁|不准|不许|不得|禁用|勿
有效(?!期)|生效|发生效力 / 无效|失效|作废
免费|不收费|免票|免收|无需付费|无需缴费|不收 / 收费|付费|需要付费|要收|须缴费|需要缴费
必须|强制|务必 / 自愿|可选|不必|无需
开放|打开|开启 / 关闭|封闭|停用|不开放
包括|包含|含 / 不包括|不含|除外|不保
知道|知情|已知 / 不知|不知情|未知
自动 / 手动|人工
接受|受理|同意|算数 / 拒绝|不接受|不受理|不予|谢绝|不算
经常|常常|总是 / 很少|偶尔|从不
安全|无害 / 危险|有害|有毒
公开 / 保密|不公开|秘密
启用|开启 / 禁用|停用|关闭
继续|仍 / 停止|结束|终止|不再
承认 / 否认
畅销 / 滞销
鼓励|欢迎|建议|优先 / 禁止|避免|不建议|谢绝
照常 / 停止|暂停|中止
除[^,。]{1,8}外|除非|例外|除外|以外 / 即使|包括|也一样|同样|在内
所有人|任何人都|人人 / 无人|没有人|没人
""",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Polarity:
    """The patterns of a language.

    Args:
        denies: What denies or forbids.
        only_looks: What looks like a denial and is none.
        softens: What may stand for a denial: "only", "closed", "instead".
        permits: What allows.
        requires: What obliges, or names a condition.
        eases: What frees from an obligation.
        doubles: A denial of a denial: "not uncommon".
        absents: What says that something is not there, or not asked for.
        supposes: A denial in a condition: "if it is not cancelled".
        includes: What takes in more: "also", "even", "still".
        conditions: What makes a denial one under a condition.
        opposites: Pairs of which one is the opposite of the other.
    """

    denies: re.Pattern[str]
    only_looks: re.Pattern[str]
    softens: re.Pattern[str]
    permits: re.Pattern[str]
    requires: re.Pattern[str]
    eases: re.Pattern[str]
    doubles: re.Pattern[str]
    absents: re.Pattern[str]
    supposes: re.Pattern[str]
    includes: re.Pattern[str]
    conditions: re.Pattern[str]
    opposites: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]


@cache
def polarity_of(language: Language) -> Polarity:
    """Give the patterns of a language; those of English for one that has none."""
    spoken = language if language in _TABLES else Language.EN
    patterns = {name: _compiled(words, spoken) for name, words in _TABLES[spoken].items()}
    pairs = [line.split(" / ") for line in _OPPOSITES[spoken].strip().splitlines()]
    opposites = tuple((_compiled(one, spoken), _compiled(other, spoken)) for one, other in pairs)
    return Polarity(opposites=opposites, **patterns)


def _compiled(words: str, language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z'-])(?:{words})(?![A-Za-z'-])" if language is Language.EN else words, re.IGNORECASE)
