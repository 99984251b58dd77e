"""Words by which a claim holds always or sometimes, must or may, in one way or its opposite."""

from __future__ import annotations

import re
from functools import cache

from evolore.domain.language import Language

# Groups: of one group, what stands on one side does not stand for what stands on another.
_ENGLISH = r"""
must|have to|has to|need to|needs to|required?|requires|mandatory|shall|necessary|obligatory|compulsory / may|can|could|optional|optionally|allowed|permitted|might|free to|able to / should|recommended?|recommends|advisable|ideally|suggest(?:ed)?
all|every|each|any|entire|whole|both / some|several|few|certain|part of|many|most|half of
always|every time|at all times|invariably / sometimes|usually|occasionally|often|typically|generally|normally|in most cases|may|might / never|at no time
before|prior to|ahead of|precedes? / after|following|once|afterwards|later than
enabled?|enables|enabling|turn(?:s|ed)? on|switch(?:es|ed)? on|activated?|activates / disabled?|disables|disabling|turn(?:s|ed)? off|switch(?:es|ed)? off|deactivated?|deactivates
only|unless|except|but not|not until / even (?:if|when|though|before|after|without)|regardless of|as well as
each|apiece|per|every / in total|altogether|combined|in all
as usual|normally|as normal / suspended|cancell?ed|paused
except|excluding|other than|apart from / including
include[sd]?|including / exclude[sd]?|excluding
public|publicly / private|privately
internal|internally / external|externally
increase[sd]?|raise[sd]?|grow|grows|higher|rises? / decrease[sd]?|lowere?d?|reduce[sd]?|drops?|falls?|shrinks?
required|mandatory / optional
valid / invalid
encrypt(?:s|ed|ion)? / decrypt(?:s|ed|ion)?
upload(?:s|ed)? / download(?:s|ed)?
read-only / read-write|writable
ascending / descending
import(?:s|ed)? / export(?:s|ed)?
add(?:s|ed)? / remove[sd]?|delete[sd]?
open(?:s|ed)? / close[sd]?|shut
minimum|min|at least|lowest / maximum|max|at most|highest
free|free of charge|no charge / paid|charged
temporary|temporarily / permanent|permanently
manual|manually|by hand / automatic|automatically
synchronous|synchronously / asynchronous|asynchronously
success(?:ful|fully|es)?|succeeds? / fail(?:s|ed|ure|ures)?
accept(?:s|ed)?|approve[sd]?|grant(?:s|ed)? / reject(?:s|ed)?|den(?:y|ies|ied)|refuse[sd]?|decline[sd]?
buyers?|customers?|clients? / sellers?|vendors?|suppliers?|merchants?
employees?|staff / managers?|supervisors? / contractors?
admins?|administrators? / guests?|visitors?|viewers?
production|prod / staging|test|testing|development|sandbox
left / right
above / below
first / second / third / last
north / south / east / west
morning / afternoon / evening / night
weekdays? / weekends?
hot|warm / cold|cool
senior / junior
sender / recipient|receiver
"""
_JAPANESE = r"""
必須|必要(?!(?:は|が)?(?:ない|なく|ありません|あり?ま?せん))|なければなら|なくてはなら|ねばなら|義務|必ず / 任意|てもよい|ても良い|てもかまわ|ても構わ|可能|省略可|でもよい / 推奨|望ましい|おすすめ|べき
すべて|全て|全員|全部|全社|全|各|あらゆる|いずれも|どの / 一部|いくつか|特定|ほとんど|多く|半数
常に|必ず|いつでも|毎回 / 場合があ|ことがあ|時々|通常|たまに|原則|なるべく|できるだけ|おそれ
前に|前まで|以前|事前|先に|までに / 後に|以後|以降|事後|してから|た後|後で
有効|オン|許可|可能 / 無効|オフ|禁止|拒否|不可
除き|除く|のみ|だけ|に限|以外|しか / でも(?!か)|ときも|場合も|(?<!な)ても(?!よ|良|い|構|かま)|のほか|を含め
あたり|当たり|につき|ごと|ずつ / 総額|合計|全部で|総計
通常どおり|通常通り|平常 / 休み|休止|中止|停止|停まり
食前 / 食後
含む|含め|含み|込み / 除く|除き|除外|含まな|含めな|別
公開 / 非公開
社内|内部 / 社外|外部
増加|増え|増や|上昇|引き上げ|上が / 減少|減ら|減り|低下|引き下げ|下が
暗号化 / 復号
アップロード / ダウンロード
昇順 / 降順
インポート|取り込 / エクスポート|書き出
追加|登録 / 削除|除去|解除
開始|開く|開け|開い / 終了|閉じ|閉め|締め切
最小|最低|少なくとも|下限 / 最大|最高|上限|多くとも
無料|無償 / 有料|有償
一時的 / 恒久|永久|永続
手動|手作業 / 自動
成功 / 失敗
承認|受理|許可|受け入れ / 却下|拒否|否認|不許可
購入者|顧客|お客様 / 販売者|販売店|仕入先|業者
正社員|社員 / 契約社員|アルバイト|派遣 / 部長|課長|上司
管理者 / 一般ユーザー|ゲスト|閲覧者
本番 / 検証|ステージング|テスト環境|開発環境
左 / 右
最初|先頭|1番目 / 最後|末尾
朝|午前 / 昼|正午 / 夕方|午後 / 夜|晩
平日 / 休日|週末|土日|祝日
送信者|送信元 / 受信者|宛先|送信先
東 / 西 / 南 / 北
上司 / 部下
同期 / 非同期
"""
_CHINESE = r"""
必须|务必|必需|(?<!无)须|应当|(?<!无)需要?|不得不|强制 / 可以|可选|允许|可自愿|自愿|能够|不必|无需 / 建议|推荐|最好|宜
所有|全部|全体|一切|每个|每位|各|任何|均 / 部分|一些|某些|个别|多数|大多|若干
始终|总是|每次|一直|永远|一定|必定|必然|肯定 / 有可能|可能|或许|尽量|有时|偶尔|通常|一般|往往 / 从不|从未
之前|以前|前(?!端|台|往|提|缀|面|者|言)|事先|提前|先 / 之后|以后|后(?!端|台|缀|果|续|面|者|备)|事后|随后
启用|开启|打开|激活|允许 / 禁用|关闭|停用|禁止
除外|除非|除[^,。]{1,8}外|仅|只有|只能|才 / 即使|即便|哪怕|包括|也可|都可
每|各 / 总共|共计|合计|总计
照常|不停|如常 / 停止|暂停|停运
饭前|餐前 / 饭后|餐后
尚未|还没|未曾 / 已经?|已然
包括|包含|(?<!不)含 / 不包括|不包含|不含|除外|排除
公开 / 私有|保密|不公开|非公开
内部 / 外部
增加|提高|上升|上调|增长|升高 / 减少|降低|下降|下调|缩短
加密 / 解密
上传 / 下载
升序 / 降序
导入 / 导出
添加|新增|增加 / 删除|移除
打开|开始|开启 / 关闭|结束|终止
最小|最低|至少|最少|下限 / 最大|最高|至多|最多|上限
免费 / 收费|付费
临时|暂时 / 永久
手动|人工 / 自动
成功 / 失败
批准|同意|(?<!不予)接受|通过 / 拒绝|驳回|否决
买家|客户|顾客 / 卖家|商家|供应商
员工|职员 / 经理|主管 / 外包|承包商
管理员 / 访客|游客|普通用户
生产环境|正式环境|线上 / 测试环境|预发|开发环境
左 / 右
第一|首个|首次|最先 / 最后|末尾
上午|早上|早晨 / 中午 / 下午 / 晚上|夜间
工作日 / 周末|节假日|休息日
发件人|发送方 / 收件人|接收方
东 / 西 / 南 / 北
同步 / 异步
室内 / 室外|户外
冷藏 / 冷冻
"""
_ONLY = {
    Language.EN: r"only|solely|exclusively|just|alone|unless|except|excluding|other than|limited to|restricted to|but not|apart from|reserved for|nothing but|nobody else|no one else|everywhere but|all but",
    Language.JA: r"のみ|だけ(?!で(?:は)?なく)|に限|限定|しか|を除|除く|以外|専用",
    Language.ZH: r"仅|只(?!要)|唯|除非|除外|除了|以外|之外|限于|专用|但(?!是?否)|除.{1,8}外",
}


@cache
def opposed_groups(language: Language) -> tuple[tuple[re.Pattern[str], ...], ...]:
    """Give the groups of a language, each with its sides."""
    table = {Language.JA: _JAPANESE, Language.ZH: _CHINESE}.get(language, _ENGLISH)
    is_spaced = language not in {Language.JA, Language.ZH}
    return tuple(
        tuple(
            re.compile(rf"(?<![A-Za-z-])(?:{side})(?![A-Za-z-])" if is_spaced else side, re.IGNORECASE)
            for side in line.split(" / ")
        )
        for line in table.strip().splitlines()
    )


@cache
def restriction(language: Language) -> re.Pattern[str]:
    """Give what restricts a claim: "only", "unless", のみ, 仅."""
    words = _ONLY.get(language, _ONLY[Language.EN])
    is_spaced = language not in {Language.JA, Language.ZH}
    return re.compile(rf"(?<![A-Za-z-])(?:{words})(?![A-Za-z-])" if is_spaced else words, re.IGNORECASE)
