"""Units in one spelling each, and how many of a smaller one they are where that is exact."""

from __future__ import annotations

import re
from decimal import Decimal

# One line a unit: its name, what it is measured in where that is exact, and its spellings; those of Latin letters are
# words of their own. Signs that stand before the number come with ``^``.
_TABLE = """
JPY ; ^¥ JPY Japanese_yen yen 円 日元 日圆
USD ; ^$ ^US$ USD US_dollars? dollars? ドル 米ドル 美元 美金
EUR ; ^€ EUR euros? ユーロ 欧元
GBP ; ^£ GBP pounds? ポンド 英镑
CNY*0.1 ; 角(?![度落色形])
JPY*0.01 ; 銭(?!湯)
cent ; cents? セント
CNY ; CNY RMB yuan 元 块钱 人民币
KRW ; ^₩ KRW ウォン 韩元
% ; % percent per_cent パーセント 百分点
pt% ; percentage_points? ポイント 个百分点
s ; seconds? secs? sec s 秒間 秒钟 秒
ms ; milliseconds? ms msec ミリ秒 毫秒
s*60 ; minutes? mins? min 分間 分钟 分(?![割析類别布配钟]|の[\\d一二三四五六七八九十])
s*3600 ; hours? hrs? hr h 時間 小时 个小时 個小時 钟头 个钟头
day ; days? d 日間 天 日(?![元曜本圆]) 号(?!线|線|楼|室)
workday ; business_days? working_days? weekdays? 営業日 平日 就業日 稼働日 个工作日 工作日
calendarday ; calendar_days? 暦日 自然日 个自然日
day*7 ; weeks? wks? 週間 週 周 个星期 星期 个礼拜
workweek ; business_weeks? working_weeks?
month ; months? mos? [ヶかカケヵ箇]月間? 个月 個月
month*12 ; years? yrs? 年間 年(?![度代生級])
quarter ; quarters? 四半期 个季度 季度
night ; nights? 泊 晚
byte ; bytes? B バイト 字节
bit ; bits? ビット
KB ; KB kB kilobytes? キロバイト
MB ; MB megabytes? メガバイト M字节
GB ; GB gigabytes? ギガバイト
TB ; TB terabytes? テラバイト
PB ; PB
KiB ; KiB
MiB ; MiB
GiB ; GiB
TiB ; TiB
kbps ; kbps Kbps
Mbps ; Mbps Mbit/s
Gbps ; Gbps Gbit/s
mm ; mm millimet(?:er|re)s? ミリメートル ミリ(?!秒) 毫米
mm*10 ; cm centimet(?:er|re)s? センチメートル センチ 厘米
mm*1000 ; m met(?:er|re)s? メートル 米(?![国ド])
mm*1000000 ; km kilomet(?:er|re)s? キロメートル 公里 千米
mm*1852000 ; nautical_miles? nmi 海里 浬
mile ; miles? mi マイル 英里
inch ; inch inches in\\. インチ 英寸
foot ; feet foot ft フィート 英尺
mg ; mg milligrams? ミリグラム 毫克
mg*1000 ; g grams? グラム 克
mg*1000000 ; kg kilograms? kilos? キログラム 公斤 千克
kilo ; キロ(?![メバワグリ])
t ; tons? tonnes? トン 吨
lb ; lbs? pounds_of_weight ポンド
ml*0.001 ; [µμ]l [µμ]L microlit(?:er|re)s? マイクロリットル 微升
ml ; ml mL milli?lit(?:er|re)s? ミリリットル 毫升
ml*1000 ; l L lit(?:er|re)s? リットル 升(?![级級])
yard2 ; square_yards? sq_yd 平方ヤード 平方码
foot2 ; square_f(?:ee|oo)t sq_ft 平方フィート 平方英尺
yard ; yards? yd ヤード 码(?!头)
oz ; oz ounces? オンス 盎司
jin ; 斤
gallon ; gallons? ガロン 加仑
pint ; pints? パイント 品脱
cup ; cups? カップ
tablespoon ; ^大さじ tablespoons? tbsp 汤匙 大匙
teaspoon ; ^小さじ teaspoons? tsp 茶匙 小匙
acre ; acres? エーカー 英亩
hectare ; hectares? ha ヘクタール 公顷
tsubo ; 坪
tatami ; 畳
mu ; 亩
m2 ; m2 sq_m square_met(?:er|re)s? 平方メートル 平米 平方米
m3 ; m3 cubic_met(?:er|re)s? 立方メートル 立方米
C ; °C degrees_Celsius degrees_C Celsius 摂氏度 摄氏度
F ; °F degrees_Fahrenheit degrees_F Fahrenheit 華氏度 华氏度
degree ; degrees? ° 度(?![目以数])
V ; V volts? ボルト 伏
A ; A amps? amperes? アンペア 安培
mA ; mA milliamps? ミリアンペア 毫安
mAh ; mAh
W ; W watts? ワット 瓦
kW ; kW kilowatts? キロワット 千瓦
MW ; MW megawatts? メガワット M瓦
kWh ; kWh kilowatt_hours? キロワット時 千瓦时 度电
Hz ; Hz ヘルツ 赫兹
kHz ; kHz
MHz ; MHz megahertz M赫
GHz ; GHz gigahertz
dB ; dB デシベル 分贝
rpm ; rpm RPM 回転(?!寿司)
knot ; knots? kn kt ノット
frame ; frames? フレーム 帧
px ; px pixels? ピクセル 像素
dpi ; dpi
kPa ; kPa キロパスカル 千帕
bar ; bars? バール 巴(?=[,。、;:)\\s]|$)
psi ; psi
hectare ; hectares? ha ヘクタール 公顷
oz ; ounces? oz オンス 盎司
gallon ; gallons? ガロン 加仑
mph ; mph miles_per_hour
kmh ; km/h kmh kph kilomet(?:er|re)s_per_hour 公里/小时
ms_ ; m/s met(?:er|re)s_per_second 米/秒
hPa ; hPa ヘクトパスカル 百帕
Pa ; Pa パスカル 帕(?!金)
MPa ; MPa メガパスカル M帕
kcal ; kcal calories? キロカロリー 千卡
person ; people persons? 人(?![事気工口民类材]) 名(?![前称簿]) 位
time ; times? 回(?![答復线線]) 次(?![のは第]) 遍 趟 度(?=[、。すとほ,]|目|$)
fold ; fold x 倍
item ; items? 件(?!名) 項目 项 個 个(?![工小月百自星礼钟季人]) つ 条 点
piece ; pieces? pcs 枚 張 张 本(?![文書人日番社社的公]) 台 基 冊 册 部(?![署門门分]) 支 把 套 只 件套
bag ; 袋 包(?![括含装裹])
box ; 箱 盒
bottle ; 瓶
glass ; 杯
can ; 缶 罐
bucket ; 桶 樽
bowl ; 碗
plate ; 皿 盘
rpage ; pages? 頁 ページ 页
row ; rows? lines? 行
char ; characters? chars? 文字 字(?![节段典]) 个字 个字符 字符
age ; years_old 歳 才 岁 周岁
floor ; floors? 階 层 楼
seat ; seats? 席
req ; requests? リクエスト 次请求
user ; users? ユーザー
point ; points? ポイント 分数
grade ; 級 级
gradeyear ; 年生 年级
share ; 割(?!り当|当|引) 成(?![功为])
discount ; 割引 折
copy ; 部数 份
case ; 例
pill ; tablets? 錠 片 粒 颗 滴
company ; 社 家(?![人庭])
piecewise ; 段階 段
"""
_LATIN = re.compile(r"[A-Za-z]")


def _read_table() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    behind: list[tuple[str, str]] = []
    before: list[tuple[str, str]] = []
    for line in _TABLE.strip().splitlines():
        name, spellings = line.split(" ; ")
        for spelling in spellings.split():
            pattern = spelling.replace("_", "[ -]")
            if spelling.startswith("^"):
                before.append((re.escape(spelling[1:]), name))
            elif _LATIN.match(spelling) or spelling.startswith("°"):
                behind.append((rf"{pattern}(?![A-Za-z])", name))
            else:
                behind.append((pattern, name))
    return behind, before


_BEHIND, _BEFORE = _read_table()
_LONGEST_FIRST = sorted(_BEHIND, key=lambda one: -len(one[0].split("(?!", maxsplit=1)[0]))
_NAMES = [name for _, name in _LONGEST_FIRST]
_ANY = re.compile("|".join(f"({pattern})" for pattern, _ in _LONGEST_FIRST))
_LOWER = re.compile("|".join(f"({pattern})" for pattern, _ in _LONGEST_FIRST), re.IGNORECASE)
SIGN_BEFORE = "|".join(pattern for pattern, _ in sorted(_BEFORE, key=lambda one: -len(one[0])))
CODE_BEFORE = r"(?:JPY|USD|EUR|GBP|CNY|RMB|KRW)(?= ?\d)"
_SIGNS = {pattern.replace("\\", ""): name for pattern, name in _BEFORE} | {
    code: code for code in ("JPY", "USD", "EUR", "GBP", "CNY", "KRW")
}
_LONG_ENOUGH = 4
"""A word of so many letters is one unit in either case; shorter ones, such as Mb and MB, may not be."""


def unit_at(text: str, place: int) -> tuple[str, int]:
    """Give the unit that stands at a place of a folded text, and where it ends; no name where there is none.

    >>> unit_at("30 minutes", 3)
    ('s*60', 10)
    """
    match = _ANY.match(text, place)
    if match is None:
        match = _LOWER.match(text, place)
        if match is None or match.end() - match.start() < _LONG_ENOUGH:
            return "", place
    return _NAMES[(match.lastindex or 1) - 1], match.end()


def unit_before(sign: str, *, is_chinese: bool) -> str:
    """Give the unit of a sign before a number; ¥ is the yuan in Chinese."""
    if sign == "¥" and is_chinese:
        return "CNY"
    return _SIGNS.get(sign, "CNY" if sign == "RMB" else sign)


def in_smallest(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """Give an amount in the smallest unit it is an exact multiple of.

    >>> in_smallest(Decimal(2), "s*60")
    (Decimal('120'), 's')
    """
    if unit == "share":
        return value * 10, "%"
    name, _, factor = unit.partition("*")
    return (value * Decimal(factor), name) if factor else (value, unit)
