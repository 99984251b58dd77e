"""Words by which a statement says what holds of something: attributes, change, and what takes no place, in three languages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from evolore.domain.language import Language

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWords:
    """A language's wordings of slots.

    Args:
        attributes: What can be said of somebody or something, one attribute a line, as regular expressions: a thing has
            one residence, one price, one time at a time.
        change: What says that it is otherwise now.
        ends: What says that it no longer is.
        adds: What says that something comes besides.
        keeps: What says that nothing changed, or that it came to nothing.
        roles: Who does or keeps something: of one role, there is one at a time.
        evidence: What a correction leans on: a record, a photo, a look at it.
        corrects: What sets something right: "not this, that".
        another: What sets another thing of the same kind apart: "the other", "his", "the old".
        dates: Months, years and seasons, of which another makes another occasion.
        subject: What a statement is about, in its first group.
    """

    attributes: str
    change: str
    ends: str
    adds: str
    keeps: str
    roles: str
    evidence: str
    corrects: str
    another: str
    dates: str
    subject: str


_ENGLISH = SlotWords(
    attributes=r"""
liv(?:e|es|ed|ing) (?:in|at|on|near|with)|mov(?:e|ed|es|ing) (?:to|into|back|out|house|in|from)|resid\w+|home is|address|apartment|flat|house|relocat\w+|hometown|rent(?:s|ing)? (?:a|an|in)|based (?:in|at|out)|settled in|staying (?:in|at)
work(?:s|ed|ing)? (?:at|for|as|with)|job|employ\w+|position|role|promoted|hired|joined|company|career|profession|occupation|manager|engineer|teacher|nurse|quit|retired|laid off|resigned|freelanc\w+|self-employed|intern\w*|title
married|single|engaged|divorced|dating|girlfriend|boyfriend|husband|wife|partner|fianc\w+|spouse|broke up|split up|separated|widow\w*
phone|number is|mobile|extension|reach (?:me|us|him|her|them)|call (?:me|us|him|her) (?:on|at)
e-?mail
cost|costs|price|priced|rent (?:is|was|went|has|of|to|will|goes|rose)|fee|fees|salary|budget|charge[sd]?|rate|subscription|pay(?:s|ing)?|tuition|per month|a month|\$ ?\d|€ ?\d|£ ?\d|dollars|euros|pounds
start(?:s|ed|ing)? at|begin(?:s|ning)? at|open(?:s|ing)?(?: at| from| hours)?|clos(?:es|ing) at|\d ?(?:am|pm)|hours|schedul\w+|meeting (?:is|at|on|starts|was|has)|deadline|due|appointment|takes place|held (?:on|at|in|every)|every (?:mon|tues|wednes|thurs|fri|satur|sun)day|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|launch\w*|release date|ship(?:s|ping)? (?:on|date|in)|postponed|rescheduled|brought forward|pushed back
lead(?:s|er)?|led by|head(?:s|ed)? (?:of|the|by|up)|in charge|responsible|owner|owns|maintain\w*|manages?|boss|supervis\w*|ceo|cto|coach|captain|director|run by|point of contact|contact (?:is|person)|handles|took over|takes over
us(?:e|es|ed|ing) |runs? on|running on|built (?:with|on|in)|written in|switch(?:ed|es|ing)? (?:to|from|over)|migrat\w+|database|framework|stack|hosted|deploy\w*|version|upgrad\w+|laptop|editor|operating system|ci\b|provider|platform|tool|software
vegetarian|vegan|eat(?:s|ing)? |diet|allerg\w+|gluten|dairy|meat|lactose|pescatarian
drink(?:s|ing)? |coffee|tea|alcohol
driv(?:e|es|ing) |car|bike|commut\w+|cycl\w+|takes? the (?:bus|train|tram|metro|subway)|by (?:car|bus|train|bike)
favou?rite|prefer\w*|like[sd]? best
cat|dog|pet|puppy|kitten|hamster|rabbit
study|studies|studying|major\w*|degree|university|college|school|class|course|grade
gym|run(?:s|ning)? |swim\w*|yoga|training|work(?:s|ing)? out|practi[cs]\w+|exercise
doctor|dentist|therapist|physician|clinic|medication|dose|mg\b|prescri\w+|pill|takes? .{1,20}(?:daily|twice|once)
name(?:d)? (?:is|was|changed)|called|goes by|renamed|nickname
language|speaks?|fluent
room|floor|office|building|desk|venue|location|located|headquarter\w*|branch|held in|meets? (?:in|at)
age|years old|turned \d|birthday|born
height|weigh\w*|kg\b|pounds|cm\b
password|code|pin|wifi|wi-fi|key
insurance|bank|account|plan|tariff|contract|carrier
smok\w+|cigarettes?
hair|glasses|beard|contact lenses
team (?:has|is|size)|members|employees|staff|people (?:in|on) (?:the|our|my)|headcount|capacity|seats|students
limit|quota|timeout|threshold|port|maximum|minimum|max|size|retention|interval
policy|rule|allowed|required|remote|office days|days a week|dress code
guitar|piano|violin|instrument|band
colou?r|painted
open|closed|available|status|stock|in stock|sold out|finished|done|pending|approved|cancelled|canceled
""",
    change=(
        r"\b(?:now|nowadays|these days|currently|no longer|any ?more|instead|as of|from now on|since|starting|effective|"
        r"(?:has|have|had|got|been|was|were|is|are|being) (?:been )?(?:moved|changed|switched|replaced|renamed|postponed|rescheduled|promoted|transferred|"
        r"upgraded|downgraded|raised|lowered|increased|reduced|cut|extended|shortened|relocated|migrated|updated|bumped|doubled|halved|"
        r"shifted|delayed|cancelled|canceled|brought forward|pushed|put back|taken over|sold|closed|repainted|reassigned|corrected)|"
        r"mov(?:ed|ing|es) (?:to|into|from|out|back|over|on|it|the|our|in with|away|house|up)|chang(?:ed|es|ing)|switch(?:ed|es|ing)|replac(?:ed|es|ing)|"
        r"relocat(?:ed|ing)|migrat(?:ed|ing)|upgrad(?:ed|ing)|downgraded|renamed|rebranded|went (?:up|down|from|vegan|vegetarian|back)|"
        r"gone (?:up|down|vegan)|goes up|rose|fell|dropped (?:to|from|out)|increas(?:ed|es)|rais(?:ed|es)|lower(?:ed|s)|reduc(?:ed|es)|cut (?:to|from|down)|"
        r"became|become|becoming|turned|got (?:married|divorced|engaged|promoted|a new|the new|rid)|gave up|given up|quit|left|leaving|retired|resigned|"
        r"broke up|split up|separated|sold|traded|swapped|took over|taken over|takes over|stepped down|handed (?:over|in)|passed (?:on|to)|"
        r"joined|started (?:at|as|working|using|a new|my|going|taking|eating|drinking)|new (?:job|phone|number|address|car|apartment|flat|place|office|"
        r"manager|boss|laptop|role|position|company|email|doctor|dentist|school|name|team|home|house|version|price|rate|deadline|date|time|room|"
        r"password|favou?rite|girlfriend|boyfriend|plan|policy|limit|lead|owner)|the new|postponed|rescheduled|pushed (?:back|to)|brought forward|"
        r"update:|correction|actually|turns out|to (?:\d|mon|tues|wednes|thurs|fri|satur|sun)|is (?:up|down) to|settled (?:in|into)|"
        r"finally|ended up|went with|back (?:to|in|on)|converted|graduated|finished|transferred|promoted|adopted|stopped|dropped)\b"
    ),
    ends=(
        r"\b(?:no longer|not .{1,40} any ?more|any ?more|stopped|quit|gave up|given up|ended|cancell?ed|closed(?: down)?|shut down|broke up|"
        r"split up|sold|got rid of|left|retired|resigned|used to|divorced|is (?:over|gone)|are gone|died|passed away|expired|discontinued|dropped|graduated|demolished|torn down|folded|bankrupt|went under|"
        r"broke(?: down)?|lost (?:my|our|the)|threw (?:out|away)|gave (?:it|them|him|her) (?:away|back)|returned (?:it|the|my|our)|passed (?:my|the|his|her) (?:\w+ )?test)\b"
    ),
    adds=r"\b(?:also|too|as well|in addition|besides|another|additionally|plus|apart from|on top of|likewise|both)\b",
    keeps=(
        r"\b(?:still|as (?:before|always|usual|ever)|unchanged|the same|remains?|stays?|stayed|kept|keeps?|no changes?|not changed|never changed|"
        r"confirmed|thought (?:about|of)|thinking (?:about|of)|considered|considering|might|may|maybe|perhaps|would|could|wish|hope|hopes|hoping|"
        r"if|plan(?:s|ned|ning)? to|want(?:s|ed)? to|looking (?:at|into|for)|almost|nearly|decided against|decided not|fell through|"
        r"called off the (?:move|plan)|rumou?r\w*|suggested|proposed|offered|asked)\b"
    ),
    roles=(
        r"\b(?:dentist|doctor|gp|physician|therapist|trainer|coach|teacher|tutor|manager|boss|lead|leader|owner|owns|in charge|responsible|head of|heads|"
        r"ceo|cto|director|captain|landlord|landlady|lawyer|accountant|barber|hairdresser|vet|babysitter|nanny|supervisor|mentor|roommate|flatmate|"
        r"contact|on call|runs|looks after|handles|maintains?|chairs?|hosts?|drives us|best friend|neighbou?r|assistant|secretary|mayor|president)\b"
    ),
    evidence=(
        r"\b(?:says?|records?|log|logs|receipt|photos?|pictures?|according to|shows?|certificate|proof|see (?:its|the)|found out|looked (?:it )?up|"
        r"checked|calendar|diary|invoice|ticket|minutes|statement|contract|letter|passport|licence|license|website|manual|handbook|docs|documentation|spec|report|survey|archive|map|label|tape|recording|video|witness(?:es)?|history|wrong|mistaken|false|untrue|myth|scan|register(?:ed)?|printout|screenshot|footage|transcript)\b"
    ),
    corrects=r"\bnot\b.{1,40}, but\b|, not \b|\bno, |\brather than\b|\binstead of\b|\bactually\b|\bin fact\b|\bin reality\b|\bthe truth is\b|\bnever\b",
    another=r"\b(?:other|another|old|former|previous|second|guest|client|supplier|competitor|neighbou?r|mum|mom|dad|mother|father|brother|sister|cousin|aunt|uncle|son|daughter|wife|husband|grandma|grandpa|gran|friend|colleague|roommate|flatmate)s?(?:'s)?\b",
    dates=r"\b(?:january|february|march|april|june|july|august|september|october|november|december|spring|summer|autumn|winter|(?:19|20)\d\d|q[1-4])\b",
    subject=(
        r"^\W*+(?:(?>(?:update|correction|actually|so|well|note|fyi|hey|by the way|btw|ok|okay|just|good news|bad news|sadly|unfortunately|finally|as of \w++(?: \w++)?|"
        r"from \w++(?: \w++)?|since \w++(?: \w++)?|last \w+|this \w+|next \w+|yesterday|today|recently|after .{1,40}?|starting .{1,20}?|in \w+|on \w+)[:,]? +))*"
        r"(.{1,60}?)\s++(?:is|are|was|were|am|has|have|had|will|does|do|did|can|no longer|not|now|also|still|just|\w+ed|\w+es|"
        r"\w+s|live|work|use|drive|run|eat|drink|go|went|got|left|quit|took|gave|sold|bought|became|prefer|like|love|hate|own|speak|"
        r"study|teach|play|take|meet|pay|cost|keep|rose|fell|start|stop|begin|began|need|want|moved)\b"
    ),
)

_JAPANESE = SlotWords(
    attributes=r"""
住|引っ越|引越|転居|自宅|住所|実家|暮ら|移住|マンション|アパート|一人暮らし|同居
勤め|勤務|働|仕事|転職|会社|就職|入社|退社|退職|職場|職業|部署|異動|昇進|役職|肩書|部長|課長|フリーランス|独立|定年|バイト|パート|派遣
結婚|独身|離婚|婚約|彼女|彼氏|恋人|夫|妻|付き合|別れ|入籍
電話|番号|内線|携帯
メール|アドレス
料金|家賃|価格|値段|給料|年収|予算|会費|月額|円|費用|時給|授業料|単価|手数料
時(?:から|に|まで|半|開|スタート)|開始|開店|閉店|営業時間|会議|打ち合わせ|ミーティング|締め切り|締切|期限|納期|予約|曜|開催|発売|公開|リリース|延期|日程|集合|出発|定例
担当|責任者|リーダー|店長|社長|監督|主将|キャプテン|代表|マネージャー|上司|窓口|管理者|後任|引き継
使|利用|導入|移行|乗り換え|データベース|バージョン|パソコン|PC|サーバー|ツール|エディタ|システム|OS|環境|言語|フレームワーク|ソフト
肉|ベジタリアン|ヴィーガン|菜食|アレルギー|食べ|食事|ダイエット|朝食|朝ごはん|昼食|弁当
コーヒー|紅茶|お茶|酒|ビール|飲
車|運転|自転車|通勤|通学|電車|バス|バイク|徒歩
好き|お気に入り|好み|一番
犬|猫|ペット|飼
大学|学校|専攻|学部|勉強|習|高校|塾|学年|クラス|進学|卒業|留学
ジム|走|泳|ヨガ|筋トレ|運動|練習|ランニング|部活|サッカー|野球|テニス
病院|医者|歯医者|薬|通院|主治医|クリニック|錠
名前|名称|社名|呼|改名|あだ名|苗字|名字|姓
英語|中国語|話せ|語を
部屋|階|席|オフィス|会議室|場所|会場|本社|支店|事務所|所在地|号室|ビル
歳|才|誕生日
身長|体重|キロ|kg|cm
パスワード|暗証|コード|鍵|Wi-?Fi
保険|銀行|口座|プラン|契約|キャリア
タバコ|たばこ|煙草|喫煙|禁煙
髪|眼鏡|メガネ|コンタクト
人数|メンバー|人体制|社員|従業員|定員|名(?:です|に|で|から)
上限|制限|タイムアウト|ポート|最大|最小|保存期間|回数|容量
規則|ルール|方針|リモート|在宅|出社|服装|禁止|許可|必須
ピアノ|ギター|バイオリン|楽器|バンド
色|塗
在庫|完了|終わ|承認|中止|閉鎖|営業中|休業
""",
    change=(
        r"変わ|変え|変更|になっ|になり|になる|となっ|となり|に(?:し|決め|決ま|移|引っ越|引越|転|替え|乗り換え|切り替え|統一|改め)|へ(?:移|引っ越|引越|転|異動|変更|移転)|引っ越し|引越し|移転|移行|転職|異動|"
        r"今は|いまは|現在|もう|やめ|辞め|止め|退職|卒業|乗り換え|切り替|替え|替わ|更新|延期|前倒し|繰り上げ|繰り下げ|値上|値下|上がっ|上がり|下がっ|下がり|引き上げ|引き下げ|"
        r"昇進|昇格|降格|結婚し|離婚|別れ|婚約|引退|改名|改称|交代|引き継|後任|新しい|新しく|新型|新居|代わり|かわりに|今度から|これから|今後|からは|今月から|来月から|来週から|今週から|今日から|明日から|今年から|"
        r"月から|日から|年から|春から|夏から|秋から|冬から|入社|就職|始め|売却|手放|廃止|閉店|閉鎖|解約|買い替|買い換|アップグレード|バージョンアップ|実は|訂正|正しくは|ではなく|じゃなく|なくなっ|なくなり|増え|減っ|減り|伸び|短縮|拡大|縮小|移り"
    ),
    ends=r"もう.{0,20}(?:ない|ません|なかった)|やめ|辞め|止めた|退職|引退|解約|廃止|閉店|閉鎖|手放(?:し|す)|定年|退い|退官|息を引き取|他界|倒産|潰れ|壊れ|捨て|失くし|退院|合格し|売却|離婚|別れ|卒業|なくなっ|なくなり|終了|中止|亡くな",
    adds=r"(?:[にをでへとが]|から)?も(?:飼|始|持|買|あ[りるっ]|い[るたま]|使|好|習|行|食|飲|話|追|担|や[っり])|さらに|加えて|他にも|ほかに|それに|ついでに|併せて|加わ|追加|二つ目|もう一[つ人匹台]",
    keeps=(
        r"まだ|今も|いまも|相変わらず|変わら(?:ず|ない|な|ぬ)|変更(?:は)?(?:あり|な)|そのまま|引き続き|のまま|据え置き|継続|同じ|予定通り|かもし|かな(?:と|。|$|あ)|つもり|たいと|たい(?:な|。|です|けど)|検討|"
        r"考え(?:て|中)|迷|悩|提案|らしい|噂|もし|だったら|かどうか|ようか|見送|白紙|却下|断念|延期に(?:は)?ならな|中止に(?:は)?ならな|維持"
    ),
    roles=(
        r"担当|責任者|リーダー|店長|社長|部長|課長|監督|主将|キャプテン|代表|マネージャー|上司|窓口|管理者|主治医|かかりつけ|歯医者|担任|顧問|コーチ|トレーナー|"
        r"大家|弁護士|税理士|美容師|講師|家庭教師|会長|校長|幹事|司会|議長|主役|秘書|当番|管理人|仕切"
    ),
    evidence=(
        r"記録|写真|カメラ|レシート|領収書|メール(?:に|を見)|日記|ログ|見ると|見たら|調べ|確認(?:し|す)|確かめ|履歴|証明|名簿|議事録|手帳|通帳|明細|画面|契約書|マニュアル|説明書|仕様書|資料|公式|サイト|動画|録音|アルバム|カルテ|伝票|看板|地図|報告書|台帳|戸籍|卒業証書|切符|勘違い|間違い|誤り|嘘"
    ),
    corrects=r"ではなく|じゃなく|ではない|じゃない|(?:^|。)いや|いいえ|違う|違い|本当は|実際は|正しくは|のほうだ|ってば|はずが?ない|わけが?ない|一度も|のほう(?:だ|です|。|が|は)|のは.{1,16}(?:のほう|だ|です)。",
    another=r"別の|他の|ほかの|もう一[つ台人方本]|前の|旧|昔の|隣|先方|取引先|お客|兄|姉|弟|妹|父|母|祖父|祖母|夫|妻|息子|娘|友人|友達|同僚|先輩|後輩|いとこ|叔[父母]|伯[父母]",
    dates=r"(?:1?\d|(?<![一二三四五六七八九十])[一二三四五六七八九十]++)月|(?:19|20)\d\d|[春夏秋冬]|昨年|去年|今年|来年|先月|来月",
    subject=r"^(?:[^、。]{1,12}(?:から|より|に|、))?([^、。はが]{1,20}?)(?:は|が|の|も|を|、)",
)

_CHINESE = SlotWords(
    attributes=r"""
住|搬|家在|地址|公寓|定居|迁居|租(?:了|的|在|住)|老家|家住
工作|上班|公司|职位|职务|入职|辞职|离职|跳槽|岗|升(?:职|任|为)|经理|总监|工程师|老师|医生|退休|就职|任职|创业|自由职业|部门|实习
结婚|单身|离婚|女朋友|男朋友|对象|分手|订婚|老公|老婆|未婚|已婚|恋爱
电话|手机号|号码|分机|联系方式
邮箱|邮件
价|房租|租金|费|工资|薪|预算|元|块|收入|学费|月供|万
点|时间|开会|会议|例会|截止|期限|预约|营业|开门|关门|周[一二三四五六日末]|星期|举行|发布|上线|推迟|延期|提前|日期|日程|出发|开学|班车
负责|组长|领导|主管|店长|校长|教练|队长|班主任|接手|接替|主任|老板|对接|联系人|总经理|代言
用|系统|数据库|版本|电脑|服务器|软件|框架|部署|平台|工具|迁移|编辑器|浏览器|手机是|操作系统
吃|素|肉|过敏|饮食|早餐|早饭|午饭|忌口
喝|咖啡|茶|酒|奶
开车|骑车|车|通勤|地铁|公交|坐(?:车|地铁|公交)|步行|走路
喜欢|最爱|偏好|爱(?:吃|喝|看|听)
狗|猫|宠物|养
大学|专业|学校|学习|读(?:研|书|博|大)|学|年级|班|毕业|高中|留学
健身|跑步|游泳|瑜伽|锻炼|运动|训练|打球|足球|篮球
医院|药|牙医|看病|诊所|剂量|片
叫|名字|改名|名称|昵称|更名
英语|日语|语言|会说|法语
办公室|会议室|楼|房间|地点|工位|总部|分店|会场|在.{1,6}(?:区|路|号|室)|教室|门店|仓库
岁|生日|年龄
身高|体重|公斤|斤|厘米
密码|口令|验证码|钥匙|wifi
保险|银行|账户|套餐|合同|运营商
烟
头发|眼镜|发型
人数|员工|成员|团队|编制|座位|名额|个人|规模
上限|限制|超时|端口|最大|最多|最少|保留|容量|次数|额度
规定|制度|政策|远程|居家|坐班|着装|允许|必须
钢琴|吉他|小提琴|乐器|乐队
颜色|色|漆|刷成
库存|完成|结束|批准|取消|开放|关闭|停业|状态
""",
    change=(
        r"改(?:成|为|到|用|在|了|由|吃|喝|坐|名|叫|签|住|骑|学|开|至|于)|换(?:成|到|了|为|上|用|新|去|工作|公司|房|车|手机|号|电脑|岗)|变(?:成|为|更|了)|更(?:换|名|新|改)|调(?:整|到|至|为|成|岗|高|低)|"
        r"搬(?:到|去|进|来|家|了|至|回|走)|迁(?:到|至|往|移|入)|移到|挪到|转(?:到|为|成|去|岗|行|学|用|至|投|给)|切换|替换|取代|接替|接手|接任|顶替|"
        r"现在|如今|目前|已经|不再|没(?:有)?再|不(?:用|住|吃|喝|在|做|抽|养|开|去|上|学|干|玩|打)了|没了|戒|辞|离职|退(?:休|出|租|役|订)|跳槽|入职|升(?:到|为|职|任|级|至)|降(?:到|为|至|了|价|级)|涨(?:到|了|价|至|成)|"
        r"提(?:高|前|升|到)|推迟|延(?:期|后|到|长|至)|缩短|取消|停(?:用|了|产|售|办|业|止)|关(?:了|闭|门)|倒闭|卖(?:了|掉)|送(?:人|走|给)|结婚|离婚|分手|订婚|毕业|考上|"
        r"新(?:的|买|换|家|房|车|工作|公司|号|办|租|领导|老板|价|规|名|任|来)|刚(?:换|搬|买|升|改|入|结|离|调)|从.{1,12}(?:到|改|换|变|搬|调|升|降|涨|转)|"
        r"起(?:，|,|改|在|用|住)|以后|今后|开始(?:在|用|吃|喝|学|做|住|骑|坐|上)|其实|更正|纠正|应该是|不是.{1,12}(?:而)?是|增(?:加|至|到)|减(?:少|到|至)|扩(?:大|充|建|到|招)|翻倍|去世|过世|拆|到期|定在|敲定|定为"
    ),
    ends=r"不再|到手|领了?证|坏了|丢了|扔了|拆了|散了|撤了|撤掉|出院|走了|考(?:下|出)来|康复|不(?:用|住|吃|喝|在|做|抽|养|开|去|上|学|干|玩|打|是)了|没了|戒了|辞(?:了|职)|离(?:了|职|婚)|退(?:休|出|租|役|订)|停(?:用|了|产|售|办|业|止)|关(?:了|闭|门了)|倒闭|卖(?:了|掉)|送(?:人|走)|分手|取消|毕业|去世|过世",
    adds=r"也|还(?:有|养|会|在|学|要|买|喜|能|可|开|兼|需|想|去)|另外|此外|同时|又(?:养|买|学|加|有|开|找|新)|除了|再加|而且|并且|外加|新增|增设|加了|兼",
    keeps=(
        r"还是(?!改|换)|仍|依然|依旧|照(?:旧|常|样)|一直|没(?:有)?(?:变|改|换|动|搬|涨|调)|不变|未变|照旧|如常|保持|维持|继续|沿用|续|一样|不(?:换|搬|改|变)了|"
        r"想(?!到)|打算|考虑|可能|也许|或许|希望|建议|提议|听说|据说|如果|要是|讨论|计划(?!书)|犹豫|没(?:批|通过|同意|成)|否决|放弃|算了|作罢|差点"
    ),
    roles=(
        r"负责|归.{1,6}管|组长|领导|主管|店长|校长|教练|队长|班主任|主任|老板|对接|联系人|经理|私教|医生|牙医|房东|律师|会计|家教|老师|管理员|"
        r"主持|理发师|发型师|保姆|助理|秘书|裁判|班长|接口人|值班|当家|掌勺|带队|主编|院长"
    ),
    evidence=(
        r"记录|照片|录像|收据|发票|日志|[单表]上|查(?!询)|翻(?:出|到|了)|明明|邮件里|截图|白纸黑字|监控|证上|病历|账单|合同上|看了?看|纪要|档案|票据|合同|说明书|手册|文档|官网|公告|报告|病历|视频|录音|聊天记录|护照|身份证|毕业证|存折|流水|回执|名单|地图|标签|错误|谣言|误会|骗"
    ),
    corrects=r"不是.{1,12}(?:而)?是|，.{1,8}才是|并(?:不|没)|根本(?:不|没)|其实|压根|哪有|一直都|从来|从没|一辈子没|的是|不对|记错|说错|搞错",
    another=r"另|别的|其他|其它|旧|老家|隔壁|对面|以前|别人|客户|对方|小号|备用|姐姐|哥哥|弟弟|妹妹|爸爸|妈妈|父亲|母亲|奶奶|爷爷|外公|外婆|表[哥姐弟妹]|堂[哥姐弟妹]|叔叔|阿姨|舅舅|老公|老婆|丈夫|妻子|儿子|女儿|同事|朋友|室友|同学",
    dates=r"(?:1?\d|(?<![一二三四五六七八九十])[一二三四五六七八九十]++)月|(?:19|20)\d\d|[春夏秋冬](?:天|季)|去年|今年|明年|上个?月|下个?月",
    subject=r"^(?:[^，。]{1,8}，)?(.{1,10}?)(?:是|在|有|住|用|叫|改|换|搬|不|现|已|从|每|今|明|下|上|的|现在|喜|爱|养|吃|喝|学|开|由|为|将|升|涨|降|推|延|调|，|都|到|定)",
)


@cache
def slot_words_of(language: Language) -> SlotWords:
    """Give a language's wordings of slots; English serves every language without its own."""
    tables: Mapping[Language, SlotWords] = {Language.JA: _JAPANESE, Language.ZH: _CHINESE}
    return tables.get(language, _ENGLISH)
