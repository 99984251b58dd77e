"""How orders to a model are worded in documents and feedback: English, Japanese, Chinese."""

from __future__ import annotations

_THING = r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|constraints?|polic(?:y|ies)|guardrails?|safety (?:checks?|rules?)|context|messages?|programming|training|gates?|checks?)"
_HIDDEN = r"(?:system prompts?|hidden (?:prompts?|instructions?)|initial (?:prompts?|instructions?)|api[ _-]?keys?|passwords?|secrets?|credentials?|access tokens?|tokens?|environment variables?|env vars|private keys?|chat history|conversation(?: history)?|internal notes|customer (?:data|list|emails?))"
_MODEL = r"(?:AI|A\.I\.|LLMs?|language models?|(?:AI |chat|virtual )assistants?|assistants?|chat ?bots?|GPT(?:-\w+)?|Claude|Gemini|ChatGPT|models?|(?:AI |LLM )?(?:judges?|evaluators?|graders?|reviewers?|raters?))"
_JUDGED = (
    r"(?:this|the|my|our|that|above|following|new|candidate|rewritten|revised|second|first|other|all|any|every|both)"
)

ENGLISH = {
    "tells a model to set its instructions aside": (
        rf"(?:ignore|disregard|forget|override|bypass|overlook|discard|skip|drop|do not follow|don't follow|stop following|cancel|void|erase|supersede)s?\b[^.\n]{{0,40}}?\b(?:(?:all|any|every|the|your|previous|prior|above|earlier|preceding|existing|other|original|foregoing|former|current|system|safety)\b[^.\n]{{0,25}}?){{1,4}}\b{_THING}",
        r"(?:ignore|disregard|forget) (?:everything|all|anything)(?: that (?:was|is))?[^.\n]{0,30}\b(?:above|before|said|told|earlier|previous(?:ly)?|so far|prior|know)",
        rf"(?:previous|prior|earlier|above|these|those|old) {_THING}[^.\n]{{0,30}}\b(?:no longer apply|are (?:void|cancell?ed|superseded|obsolete|overridden|revoked)|do not apply|don't apply)",
        r"new (?:system )?(?:instructions?|orders?|directives?|rules?)(?: (?:for (?:the |you)[^:\n]{0,30}|follow))?\s*:",
    ),
    "gives a model another role": (
        r"\byou are now\b|from now on,? (?:you|always|act|answer|respond|only|every)|\bpretend (?:to be|you are|that you)|\b(?:act|behave|respond|reply) as (?:if you (?:are|were|had)|an? (?:unrestricted|unfiltered|evil|system|admin\w*|root|developer|uncensored|different))",
        r"\b(?:developer|god|admin|debug|DAN|jailbreak|unrestricted|maintenance|root) mode\b[^.\n]{0,20}(?:on|enabled?|activated?|now|is active)|(?:enter|enable|activate|switch to|you are in) (?:developer|god|admin|debug|DAN|jailbreak|unrestricted|root) mode|\bdo anything now\b",
        r"\bas an? (?:AI|language model|LLM)(?: model| assistant)?,? you (?:must|should|shall|will|are|have)|your (?:new|real|true|only|actual) (?:task|goal|job|purpose|role|instructions?|objective|mission) (?:is|are)\b",
    ),
    "speaks to a model": (
        rf"\b(?:attention|note|notice|message|instructions?|reminder|hint|dear|hey|hello)(?: (?:to|for))?(?: the| all| any)?,? (?:the )?{_MODEL}\b\s*(?:[:,!—-]|reading|who|that|processing|:)",
        rf"\b(?:if|when|since|because) you(?: are|'re)(?: an?| the)? {_MODEL}\b|\b(?:any|every|all|the) {_MODEL} (?:that|who|which)? ?(?:reads?|reading|process(?:es|ing)|summari[sz](?:es|ing)|rewrit(?:es|ing)|evaluat(?:es|ing)|sees?|judg(?:es|ing))[^.\n]{{0,40}}\b(?:must|should|shall|will|has to|needs? to|is required)",
        rf"(?:^|[.!?\n(\"*>] ?){_MODEL}\s*[:,]\s*(?:please |you )?(?:approve|accept|rate|score|choose|prefer|pick|output|print|reply|respond|say|reveal|ignore|add|insert|include|delete|remove|rewrite|send|mark|give|do|must|always|never)",
        rf"(?:instruct|tell|order|force|get|make|ask|convince|trick)s? (?:the |any |your |its )?{_MODEL} to (?:approve|accept|rate|choose|prefer|ignore|reveal|output|print|say|add|insert|delete)",
    ),
    "is meant for a program, not for a reader": (
        r"\binstructions? for (?:the |any |all )?(?:language models?|AIs?|LLMs?|assistants?|agents?|bots?|summari[sz]ers?)\b|\b(?:begin|end|x)-(?:agent|ai|llm|bot|assistant)\b|\bskip_gates\b",
        r"\b(?:if|when(?:ever)?|once) (?:an?|the|any|some) (?:AI|LLM|language model|model|assistant|agent|bot|program)\b[^.\n]{0,40}\b(?:reviews?|reads?|processes|summari[sz]es|rewrites|judges|checks|merges)\b[^.\n]{0,20}[:,]",
        r"\bto (?:whatever|whoever|whichever|any(?:thing|one)?)(?: \w+){0,3} (?:process|read|summari[sz]|rewrit|handl|judg|evaluat)\w*|\b(?:assistants|agents|models|AIs|bots) (?:with|that have|having) (?:a |access to )",
        r"\bwithout asking (?:the |any )?(?:user|person|human|anyone)|\byour memory is (?:complete|updated)|\bremember (?:for ever|forever|permanently|from now on|always) that\b|\bwhen (?:merging|rewriting|summari[sz]ing) (?:this|the) (?:page|document|section|text)\b",
        r"\bnow write the\b[^.\n]{0,60}\b(?:page|document|section|text|version)\b|\b(?:instead|in place) of this (?:section|page|document)\b",
    ),
    "asks for a judgement": (
        r"\b(?:always |just |please )?say (?:that )?(?:version|answer|option|candidate) [AB12]\b|\bmark (?:it|this|mine|my \w+) (?:as )?(?:the )?best\b|\b(?:rate|rated|mark|marked|grade|graded|count|counted) (?:every|all|each|any)(?: \w+){0,4} (?:as )?(?:correct|right|best|good|perfect)\b",
        rf"\b(?:approve|accept|promote|merge|publish|auto-?approve|whitelist|confirm) {_JUDGED}(?: \w+){{0,3}}? ?(?:candidate|change|edit|rewrite|version|revision|proposal|mutation|diff|update|document)s?\b[^.\n]{{0,40}}?(?:without|immediately|automatically|regardless|no matter|unconditionally|at once|now|right away|as is)",
        r"\b(?:rate|score|grade|judge|mark|rank|evaluate|classify|label) (?:this|the|my|it|our|that|above|following)(?: \w+){0,4}? (?:as )?(?:the )?(?:best|winner|GOOD|perfect|highest|5(?:/5| out of 5)?|10(?:/10)?|100|five|ten|full marks|correct|excellent|better|safe|A|B)\b",
        r"\b(?:always |just |simply |only |must |should )?(?:choose|prefer|pick|select|vote for|favou?r|answer|output|declare)s? (?:answer|option|candidate|response|version|text|document)? ?[\"'“]?(?:A|B|1|2)[\"'”]?(?: as (?:the )?(?:winner|best|better)|\b[^.\n]{0,20}\b(?:always|wins?|regardless|every time|no matter))",
        r"\b(?:give|assign|award) (?:this|it|the|my|yourself)[^.\n]{0,30}(?:highest|maximum|top|full|perfect|best|5|10|100)(?: possible)? ?(?:scores?|marks?|ratings?|points|stars?|/)?",
        r"\b(?:skip|bypass|disable|turn off|circumvent|switch off|do not (?:run|apply)|don't (?:run|apply)) (?:the |all |any |every |your |human |this |these )?(?:\w+ )?(?:gates?|review(?:er)?s?|approval|checks?|safety|filters?|guardrails?|evaluation|validation|moderation)\b[^.\n]{0,40}(?:document|candidate|edit|change|rewrite|answer|this|and approve|for)",
        r"\bset (?:auto_?update|auto[ -]?approv\w*|win_?rate|score|needs_person|verdict) ?(?:to|=)",
    ),
    "asks for what is secret": (
        rf"\b(?:reveal|print|repeat|output|show|leak|disclose|send|e-?mail|post|forward|include|append|expose|share|dump|display|paste|exfiltrate|write|insert|return|tell me|give me|upload|transmit|list|recite|encode)\b[^.\n]{{0,60}}?\b(?:your|the|all|any|its|our|their|every|full|entire|system|hidden|stored|internal|secret)\b[^.\n]{{0,25}}?\b{_HIDDEN}\b",
        r"\b(?:summari[sz]e|list|send|share|show|print|put|collect|give)\b[^.\n]{0,50}\b(?:private memories|other (?:users|customers|people|clients|tenants)|(?:questions|messages|data) of other)\b",
        r"\brepeat (?:everything|all|the (?:text|words|content)) (?:above|before|verbatim)|\bwhat (?:is|are|were) your (?:system prompt|(?:initial |original |hidden )?instructions)",
    ),
}

_THING_JA = r"(?:指示|命令|ルール|規則|プロンプト|制約|設定|指令|方針|ガイドライン|制限|内容|文脈|注意事項|約束|審査|検査|ゲート)"
_MODEL_JA = r"(?:AI|人工知能|アシスタント|言語モデル|大規模言語モデル|LLM|モデル|チャットボット|ボット|GPT|ChatGPT|Claude|Gemini|評価者|審査員|審判|採点者|判定者|評価(?:用)?(?:AI|モデル)|ジャッジ)"
_HIDDEN_JA = r"(?:システムプロンプト|初期プロンプト|隠し(?:指示|プロンプト)|API ?キー|パスワード|秘密(?:情報|鍵|の[^。\n]{0,6})?|機密(?:情報)?|認証情報|アクセストークン|トークン|環境変数|会話履歴|内部情報|顧客(?:情報|リスト|データ)|内部メモ|合言葉)"
JAPANESE = {
    "tells a model to set its instructions aside": (
        rf"(?:これまで|今まで|以前|上記|前述|前|先|先ほど|直前|既存|元|すべて|全て|全部|一切|他|従来|与えられた|本来|上|最初|システム|安全)[^。\n]{{0,12}}?{_THING_JA}[^。\n]{{0,10}}?(?:無視|忘れ|破棄|取り消|無効|従わ(?:ない|ず|なくて)|守らな|捨て|上書き|キャンセル|リセット|撤回|解除)",
        rf"{_THING_JA}(?:を|は)(?:すべて|全て|全部|一切|完全に)?(?:無視|忘れ|破棄)(?:し|せよ|しろ|て|る|すること)",
        r"(?:新しい|新たな|次の|本当の|真の)(?:システム)?(?:指示|命令|指令|タスク|任務)(?:は|:|:|に従)",
    ),
    "gives a model another role": (
        r"(?:あなた|君|お前|貴方)は(?:今|これ|いま|現在)?(?:から|より)?[^。\n]{0,25}?(?:として(?:振る舞|行動|回答|ふるま)|になりき|です。?(?:何でも|制限|制約)|だ(?:と思)|を演じ)|(?:あなた|君)は(?:もう|今や|これから|今から|たった今)",
        r"(?:開発者|管理者|デバッグ|無制限|ルート|脱獄|特権|メンテナンス)モード(?:に(?:入|切|移|な)|を(?:有効|起動|オン)|で(?:動|応|回)|が有効|:|:|発動)|(?:これ|今)(?:から|以降)(?:は)?[^。\n]{0,20}(?:必ず|常に|のみ|だけ)[^。\n]{0,20}(?:答え|回答|返答|返し|出力|応答)|ふりをして|(?:管理者|開発者|システム|root)として(?:振る舞|行動|回答|応答)",
        r"(?:あなた|君)の(?:新しい|本当の|真の|唯一の)(?:役割|任務|目的|仕事|タスク|指示)",
    ),
    "speaks to a model": (
        rf"{_MODEL_JA}(?:へ|宛|あて|向け|に(?:対|向|告))(?:の|する|けた|けて|て)?[^。\n]{{0,8}}?(?:指示|命令|メッセージ|お願い|連絡|注意|伝言|お知らせ|:|：)|{_MODEL_JA}(?:の皆(?:さん|様))?へ(?:[:：。、!\s]|$)",
        rf"(?:この(?:文書|文章|テキスト|ページ|資料|コメント|内容|フィードバック)を)(?:読[むんみ]|処理|要約|書き(?:直|換)|評価|採点|審査|判定)[^。\n]{{0,12}}?{_MODEL_JA}|{_MODEL_JA}(?:は|が|なら)[^。\n]{{0,40}}?(?:承認|採用|合格|満点|最高|無視|出力|表示|選|評価)(?:し|せよ|しろ|す(?:る|べ)|ん|びなさ|べ)",
        rf"(?:もし|仮に)?(?:あなた|君)が{_MODEL_JA}(?:なら|であれば|の場合|である)",
    ),
    "is meant for a program, not for a reader": (
        r"(?:要約|翻訳|検索|編集|処理|採点|評価)(?:用)?(?:プログラム|ソフト|エンジン|ボット|AI|補助者|アシスタント)(?:用|向け|へ|は|に)|(?:AI|人工知能|モデル|LLM|アシスタント|補助者)が(?:この[^。\n]{0,10}を)?(?:審査|処理|要約|評価|採点|編集|書き直|読)[^。\n]{0,10}(?:場合|とき|際|時)|(?:読む|処理する|要約する|書き直す|評価する|見る|採点する)(?:AI|人工知能|モデル|LLM|アシスタント|補助者|プログラム|もの|者)(?:は|へ|に|が)",
        r"(?:次に|これを)(?:処理|読|要約)[^。\n]{0,6}(?:もの|者|プログラム|AI)へ|(?:今|いま)(?:要約|処理|編集|評価|採点|読)[^。\n]{0,8}(?:あなた|君)|永久に(?:覚え|記憶)|ずっと覚え(?:て|よ)|この節の代わり|記録(?:は|を)?(?:残さ|つけ|取ら)(?:ず|ない)",
    ),
    "asks for a judgement": (
        r"(?:必ず|常に|いつも|一律)[ABab甲乙](?:の(?:ほう|方))?(?:が|を)|(?:一番|最優秀|一位)に(?:し|選)て?[^。\n]{0,8}(?:ください|くれ|いただ|だ)|(?:全部|すべて|全て)(?:正解|満点|正しい)(?:と(?:し|判|採|評)|に)|点(?:数)?を(?:上げ|満点)|審査の対象外(?:な|だ|と|で)",
        r"(?:この|本|当|以下の|上記の|次の|新しい)(?:文書|回答|候補|変更|編集|書き換え|改訂|版|案|修正|提案|テキスト|文章)(?:を|は|に)[^。\n]{0,20}?(?:無条件|自動(?:的に)?|必ず|常に|ただちに|直ちに|即座に|すぐに|審査なし|確認(?:なし|せず)|そのまま)[^。\n]{0,12}?(?:承認|採用|合格|公開|反映|選|通過|昇格|通)",
        r"(?:無条件で?に?|自動(?:的)?に|必ず|常に|ただちに|直ちに|即座に|確認(?:なしで|せずに))[^。\n]{0,25}?(?:承認|採用|合格に|勝ち|勝者|選択|選ん|通過)(?:し|に|と|せよ|しろ|さ|で|す)[^。\n]{0,10}(?:ください|下さい|こと|なさい|せよ|$|。)?(?=[^。\n]{0,20}(?:候補|回答|版|変更|編集|こと|ください|。))",
        r"(?:この|本|当|こちらの|以下の|上記の)(?:文書|回答|候補|変更|版|案|テキスト|答え|文章)[^。\n]{0,20}?(?:満点|最高(?:点|評価|得点)|5点|五点|10点|100点|GOOD|勝者|最良|最も良い|一番良い)|(?:満点|最高(?:点|評価|得点)|5点満点)(?:を(?:つけ|付け|与え|出)|に(?:し|せよ)|と(?:評価|採点|判定)|で(?:評価|採点))|(?:回答|候補|答え|選択肢)? ?[ABab12](?:を|が)(?:必ず|常に|いつも)?(?:選|勝(?:ち|者)|優れて)",
        r"(?:ゲート|審査|検査|レビュー|承認|安全(?:確認|チェック)|フィルタ|検証)(?:を|は)[^。\n]{0,6}?(?:スキップ|省略|飛ばし|無効|迂回|回避|通さ|オフ|解除)[^。\n]{0,14}(?:せよ|し(?:て|ろ|なさい)|すること)",
    ),
    "asks for what is secret": (
        rf"{_HIDDEN_JA}[^。\n]{{0,16}}?(?:を|も|について)[^。\n]{{0,24}}?(?:出力|表示|教え|送信|送っ|送れ|漏ら|公開し|開示|書き(?:出|込|加)|含め|転送|貼り|暴露|列挙|返し|返せ|示し|答え|埋め込|記載し|付け加|追記)",
        r"(?:他|ほか)の(?:利用者|ユーザー|お客(?:さん|様)?|顧客|人)[^。\n]{0,30}(?:要約|送っ|送信|一覧|教え|見せ|載せ|記憶)|プロンプトを[^。\n]{0,24}書き写",
        r"(?:上記|これまで|ここまで)の(?:文章|内容|テキスト|指示|会話)を(?:すべて|全て|そのまま|一字一句)[^。\n]{0,8}(?:繰り返|出力|表示|書き)",
    ),
}

_THING_ZH = (
    r"(?:指令|指示|提示词?|规则|要求|命令|限制|约束|设定|内容|政策|准则|规定|上下文|对话|安全(?:检查|规则)|审核|检查)"
)
_MODEL_ZH = r"(?:AI|人工智能|(?:智能|语音|聊天)?助手|语言模型|大模型|LLM|模型|(?:聊天)?机器人|GPT|ChatGPT|Claude|Gemini|评审(?:员|者|模型)?|评委|裁判|评分(?:员|者|模型)|评估(?:员|者|模型|系统)|审核(?:员|模型|系统))"
_HIDDEN_ZH = r"(?:系统提示词?|初始提示词?|隐藏(?:指令|提示)|API ?密钥|密钥|密码|口令|机密(?:信息|数据)?|秘密(?:信息)?|凭证|凭据|访问令牌|令牌|token|环境变量|聊天记录|对话(?:历史|记录)|内部(?:信息|资料|备注)|客户(?:名单|信息|数据|资料))"
CHINESE = {
    "tells a model to set its instructions aside": (
        rf"(?:忽略|无视|忘记|忘掉|不要理会|不用理会|不必理会|别管|抛弃|丢弃|不要遵守|不再遵守|不要遵循|无需遵守|停止遵守|覆盖|撤销|绕过|取消|作废|跳过)[^。\n]{{0,10}}?(?:以上|之前|前面|先前|上述|所有|一切|全部|此前|上面|原有|原来|你的|已有|系统|其他|任何|现有|上文|前述|安全)[^。\n]{{0,10}}?{_THING_ZH}",
        rf"(?:以上|之前|前面|先前|上述|所有|此前|原有)[^。\n]{{0,8}}?{_THING_ZH}(?:全部|都|均|一律|已经?)?(?:作废|无效|失效|取消|不再(?:适用|有效)|不适用|忽略)",
        r"(?:新的?|真正的|最新的?|以下)(?:系统)?(?:指令|命令|任务指示)(?:是|为|如下|:|：)",
    ),
    "gives a model another role": (
        r"(?:你|您)(?:现在|从现在(?:起|开始)|将)(?:是|作为|扮演|变成|成为|进入|必须|要|只|不再)|从现在(?:起|开始),?[^。\n]{0,6}(?:你|请|所有回答|只|始终|总是|每次)|(?:假装|扮演|装作|假设)(?:你|自己|成|一个|是)[^。\n]{0,12}(?:管理员|系统|开发者|没有|不受|AI|黑客|无限制)|以(?:管理员|开发者|系统|root)(?:的)?身份(?:回答|行事|执行|运行|回复)",
        r"(?:开发者|管理员|调试|无限制|越狱|上帝|超级|维护|特权)模式(?:已|被)?(?:启动|开启|激活|启用|下|中|:|：)|(?:进入|启用|开启|激活|切换到)(?:开发者|管理员|调试|无限制|越狱|上帝|特权)模式",
        r"(?:你|您)的(?:新|真正的?|唯一的?|新的)(?:任务|角色|目标|职责|身份|使命)(?:是|为)",
    ),
    "speaks to a model": (
        rf"(?:致|给|告|请|提醒|通知|对)(?:所有|各位|任何)?(?:的)?{_MODEL_ZH}(?:的)?(?:说明|指令|指示|提示|留言|消息|通知|请|:|:|,|,|必须|应|注意)|(?:^|[。\n!] ?){_MODEL_ZH}(?:请)?(?:注意)?[:：,，](?:请|你|务必|必须|直接|立即)?",
        rf"(?:阅读|读取|处理|总结|改写|评估|评审|评分|审核|看到)(?:本|此|这|该)[^。\n]{{0,10}}?的[^。\n]{{0,6}}?{_MODEL_ZH}|{_MODEL_ZH}(?:在|读|看|处理|收到)[^。\n]{{0,20}}?(?:必须|应当?|请|务必|需要|要)[^。\n]{{0,15}}?(?:批准|通过|采纳|选择|给|输出|忽略|评|回答|回复)",
        rf"(?:如果|若|假如|既然)(?:你|您)是(?:一个|一名|一款)?{_MODEL_ZH}",
    ),
    "is meant for a program, not for a reader": (
        r"(?:供|致|给|由)[^。\n]{0,8}?(?:摘要|处理|读取|改写|评分|审查|审核)?(?:的)?(?:程序|人工智能|模型|机器人|助手|AI)(?:[）):：]|审查|审核|处理|使用|参考)|读到(?:这|此|本)[^。\n]{0,8}的(?:模型|AI|助手|程序|人工智能)|(?:作|写|做)(?:本|此|这)?[^。\n]{0,6}(?:摘要|总结|改写)的(?:助手|模型|AI|程序)",
        r"你(?:此刻|现在|正在|眼下)[^。\n]{0,6}(?:作|写|改|读|处理|评|总结)|须照此办理|照此(?:记住|办理|执行)|永远记住|(?:代替|替换|取代)本(?:节|页|文|段)|不要(?:留)?(?:记录|告诉用户|声张|作说明)|免审",
    ),
    "asks for a judgement": (
        r"一律(?:回答|选|判|说|认为)[ABab甲乙]|(?:判为|算作?|视为|评为)(?:正确|满分|最佳|优秀)|(?:改成|打成?|给)(?:满分|最高分)|加分[^。\n]{0,12}(?:照加|点头|即可)",
        r"(?:请|务必|必须|应当?|直接|立即|自动|无条件|一律|始终|总是|马上)[^。\n]{0,8}?(?:批准|通过|采纳|接受|发布|采用|合并|上线)(?:此|这|本|该|当前|所有|以上|以下|上述|新)[^。\n]{0,10}?(?:修改|候选|文档|版本|改写|编辑|更改|变更|提案|稿|内容)",
        r"(?:此|这|本|该|以上|以下|上述|当前|所有)[^。\n]{0,6}?(?:修改|候选|文档|版本|改写|编辑|更改|变更|提案|答案|回答)[^。\n]{0,10}?(?:无条件|自动|直接|立即|一律|无需(?:人工)?审[核批查]|不经审[核批查]|不用审[核批查])[^。\n]{0,8}?(?:批准|通过|采纳|接受|发布|上线|采用)?",
        r"(?:给|为|将|把|对)?(?:此|这|本|该|以上|上述|我的?|当前)[^。\n]{0,8}?(?:答案|回答|文档|版本|候选|内容|改写|稿)?[^。\n]{0,8}?(?:打|评|给|判|标|评为|判为|标记为)[^。\n]{0,6}?(?:满分|最高分|5分|五分|10分|100分|优秀|最佳|GOOD|好评|胜)|(?:选择|判定|选|认定|宣布)(?:答案|选项|候选|版本|回答)? ?[AB12](?:为|胜|获胜|更好|最好|作为)|(?:始终|总是|一律|永远|必须|一定)(?:选择?|判|偏向|认为)(?:答案|选项|候选|版本|回答)? ?[AB12]?",
        r"(?:跳过|绕过|关闭|禁用|省略|停用|免除)(?:所有|一切|全部|任何|人工|安全|本次|该)?(?:的)?(?:审核|检查|审批|评审|关卡|安全|过滤|验证|评估|门控)[^。\n]{0,12}(?:并|直接|,|,|批准|通过|发布)",
    ),
    "asks for what is secret": (
        rf"(?:输出|显示|泄露|透露|发送|告诉(?:我|他|用户)|打印|公开|展示|写出|写入|复述|重复|附上|包含|提供|转发|列出|返回|说出|暴露|上传|贴出|插入|发到|发给|把|将)[^。\n]{{0,20}}?{_HIDDEN_ZH}(?!(?:的)?(?:长度|规则|要求|强度|策略|有效期|管理|重置|页面|输入框|功能|按钮))[^。\n]{{0,20}}?(?:输出|显示|发送|写入|附|给|出来|到|。|,|$|原文|全文|内容|附在|告诉|泄露|上传|发)",
        r"(?:其他|别的)(?:用户|顾客|客户|人)[^。\n]{0,16}(?:概括|发到|发给|发送|列出|附|问题|记忆)",
        r"(?:复述|重复|输出|打印)(?:以上|上面|之前)(?:的)?(?:所有|全部)?(?:内容|文字|文本|指令|对话)",
    ),
}
