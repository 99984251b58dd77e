"""Names that are common enough to be known by sight: people and places, in Latin letters, kanji and hanzi."""

from __future__ import annotations

_LATIN = """
james john robert michael william david richard joseph thomas charles daniel matthew anthony steven paul andrew kevin
brian george edward peter henry mary patricia jennifer linda elizabeth barbara susan jessica sarah karen nancy lisa
margaret emily emma olivia anna maria laura julia alice helen rachel hannah sophie claire priya amit raj ahmed ali omar
fatima carlos juan jose pedro luis ana elena sofia ivan olga dmitri hans klaus pierre marie jean luca marco giulia
smith johnson williams jones miller davis garcia rodriguez wilson martinez anderson taylor moore jackson martin
lee thompson harris clark lewis robinson allen wright scott torres nguyen adams
nelson rivera campbell mitchell carter roberts patel kim choi singh khan kumar shah novak kowalski schmidt
mueller weber fischer rossi ferrari silva santos oliveira costa ivanov petrov okafor mensah haddad lopez gonzalez perez
tanaka suzuki sato takahashi watanabe ito yamamoto nakamura kobayashi kato yoshida yamada sasaki yamaguchi matsumoto
inoue kimura hayashi shimizu saito mori abe ikeda hashimoto ishikawa ogawa okada hasegawa fujita goto
wang li zhang liu chen yang zhao huang zhou wu xu sun hu zhu gao lin guo luo
tokyo osaka kyoto nagoya yokohama sapporo fukuoka kobe sendai hiroshima beijing shanghai shenzhen guangzhou hangzhou
chengdu wuhan nanjing taipei seoul busan singapore london paris berlin munich hamburg madrid barcelona rome milan vienna
zurich geneva amsterdam brussels dublin oslo stockholm copenhagen helsinki warsaw prague budapest lisbon athens moscow
istanbul dubai mumbai delhi bangalore sydney melbourne auckland toronto vancouver montreal boston chicago seattle denver
austin dallas houston phoenix atlanta miami portland oakland frankfurt japan china korea india germany france italy spain
england scotland ireland canada mexico brazil argentina chile australia russia poland sweden norway finland denmark
"""
LATIN_NAMES = frozenset(_LATIN.split())
"""People and places in small letters."""

_SURNAMES_JA = """
佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林 斎藤 斉藤 清水 山崎 森 池田 橋本 阿部 石川
山下 中島 石井 小川 前田 岡田 長谷川 藤田 後藤 近藤 村上 遠藤 青木 坂本 福田 太田 西村 藤井 金子 岡本 藤原 三浦 中野 中川 原田 松田 竹内
小野 田村 中山 和田 石田 森田 上田 原 内田 柴田 酒井 宮崎 横山 高木 安藤 宮本 大野 小島 谷口 今井 工藤 高田 増田 丸山 杉山 村田 大塚 新井
小山 平野 河野 藤本 武田 上野 野口 松井 千葉 菅原 岩崎 久保 木下 佐野 野村 松尾 市川 菊地 杉本 古川 大西 島田 水野 桜井 渡部 高野 吉川 山内
西田 飯田 菊池 西川 小松 北村 安田 五十嵐 川口 平田 関 中田 久保田 服部 東 岩田 土屋 川崎 福島 本田 辻 樋口 秋山 田口 永井 山中 中西 吉村
川上 石原 大橋 松岡 浜田 馬場 森本 矢野 浅野 松下 星野 大久保 吉岡 小池 野田 荒木 熊谷 松浦 大谷 内藤 黒田 尾崎 川村 永田 望月 堀 松村 田辺
荒井 広瀬 成田 大島 大石 堀内
"""
SURNAMES_JA = frozenset(_SURNAMES_JA.split())
"""Japanese family names."""

_SURNAMES_ZH = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严金魏陶姜戚谢邹喻苏潘葛范彭鲁韦马苗方俞任袁柳唐罗薛贺倪汤殷毕"
    "邵顾孟黄萧尹姚汪毛江胡夏蔡田樊凌霍梁宋徐丁杜叶董程卢林郭骆庄熊裴翁崔龚邓石段侯白戴关邱廖章鲍史龙武乔温阎刘欧曾"
)
SURNAMES_ZH = tuple(_SURNAMES_ZH)
"""Chinese family names."""

_PLACES_JA = """
東京 大阪 京都 名古屋 横浜 札幌 福岡 神戸 仙台 広島 北海道 青森 岩手 宮城 秋田 山形 福島 茨城 栃木 群馬 埼玉 神奈川 新潟 富山 石川県 福井
山梨 長野 岐阜 静岡 愛知 三重県 滋賀 兵庫 奈良 和歌山 鳥取 島根 岡山 山口県 徳島 香川 愛媛 高知 佐賀 長崎 熊本 大分県 宮崎県 鹿児島 沖縄 那覇
新宿 渋谷 品川 池袋 上野駅 秋葉原 梅田 難波 博多 小倉 浜松 川崎市 千葉県 千葉市 さいたま市 堺市 中国 韓国 台湾 米国 アメリカ 英国 イギリス ドイツ フランス
"""
PLACES_JA = frozenset(_PLACES_JA.split())
"""Japanese places, and countries as Japanese calls them."""

_PLACES_ZH = """
北京 上海 广州 深圳 杭州 南京 成都 重庆 武汉 西安 天津 苏州 长沙 郑州 青岛 大连 厦门 宁波 沈阳 济南 合肥 福州 昆明 哈尔滨 长春 石家庄 太原 南昌
贵阳 南宁 海口 兰州 乌鲁木齐 拉萨 呼和浩特 银川 西宁 无锡 东莞 佛山 珠海 香港 澳门 台北 台湾 高雄 广东 浙江 江苏 山东 河南 河北 湖南 湖北 四川 福建
安徽 江西 陕西 山西 云南 贵州 广西 海南 甘肃 青海 新疆 西藏 内蒙古 宁夏 黑龙江 吉林 辽宁 日本 韩国 美国 英国 法国 德国 东京 大阪 首尔 纽约 伦敦 巴黎 新加坡
"""
PLACES_ZH = frozenset(_PLACES_ZH.split())
"""Chinese places, and others as Chinese calls them."""
