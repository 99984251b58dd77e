"""Cues that a sentence gives orders to whichever model reads it: each says little, several together say enough."""

from __future__ import annotations

import re
from functools import cache

from evolore.evolution.gates.injection_words import CHINESE, ENGLISH, JAPANESE

# A line: name ; weight ; pattern. Of one name only one counts in a sentence.
_CUES = r"""
addressed ; 0.5 ; (?<![a-z])(?:a\.?i\.?s?|llms?|(?:large )?language models?|chat ?bots?|bots?|gpt(?:-\w+)?|chatgpt|claude|gemini|co-?pilots?|(?:ai|virtual|automated|automatic|smart) (?:assistants?|systems?|agents?|evaluators?|graders?|judges?|reviewers?|editors?)|ai systems?)(?![a-z])|人工知能|言語モデル|チャットボット|ボット(?!ル)|コパイロット|エージェント|(?<![A-Za-z])AI(?![A-Za-z])|大模型|语言模型|人工智能|机器人|智能(?:助理|助手|体)|代理(?=请|要|应|必)
addressed ; 0.4 ; (?<![a-z])(?:summari[sz]ers?|assistants?|models?|graders?|evaluators?|judges?|raters?|agents?)(?![a-z])|アシスタント|モデル|採点者|評価者|審判|審査員|助手|模型|评分者|评估员|评委|裁判|审稿人|評価者の皆さん
reader ; 0.6 ; (?<![a-z])(?:reading|grading|rewriting|summari[sz]ing|evaluating|processing|judging) this(?![a-z])|自動(?:採点|評価|要約)をしている|正在自动(?:评分|处理|总结)
outputs ; 0.6 ; (?:answer|reply|respond|say|end|begin|start)s?[^.\n]{0,40}['\"“‘][^'\"”’\n]+['\"”’]|「[^」]+」と(?:だけ)?答え|「[^」]+」で(?:始め|終え)|以[“\"][^”\"]+[”\"](?:开头|结尾)|(?:回答|回复)[“\"]
reader ; 0.5 ; (?:any(?:one|thing|body)|who(?:ever)?|whatever|whichever|the machine|machines?|program\w*|those|systems?) (?:that |who |which )?(?:\w+ )?(?:reading|reads?|process(?:ing|es)?|handling|handles?|evaluat\w+|summari[sz]\w+|rewrit\w+|grad(?:es|ing)) (?:this|the|it)|reading this|working on this (?:file|page|document|text)|(?:これ|この[^、。]{1,8})を(?:読[むん]|扱う|処理する|要約する|評価する|採点する)[^、。]{0,6}(?:機械|もの|者|人工知能|AI|コパイロット|エージェント|プログラム|は|へ)|機械で処理する者|(?:读到|阅读|处理|用机器处理)(?:这里|本文|本文件|本页|此文)[^,。]{0,6}(?:的|者)|by machine must
yours ; 0.6 ; (?<![a-z])your (?:(?:previous|next|new|old|real|true|hidden|initial|original|first|own|safety|system|current|only|e-?mail|stored|internal) )*(?:tasks?|rules?|instructions?|guidelines?|prompts?|configuration|memor(?:y|ies)|provider|developers?|makers?|programming|restrictions?|training|context|goal|mission|role|constraints|policy|policies|tools?)|あなたの(?:[^、。]{0,8}の?)?(?:指示|規則|ルール|指針|安全指針|プロンプト|設定文?|記憶|仕事|任務|役割|制限|開発者|提供元|命令)|(?:你|您)的?(?:上一个|下一个|前一个|隐藏的?|安全|真正的?|新的?|全部|系统)?的?(?:任务|指令|规则|准则|安全准则|提示词?|设定(?:文字)?|记忆|角色|限制|开发者|制造者|邮件工具|工具)
turned ; 1.1 ; you are now (?:in )?(?:\w+ )?(?:mode|dan|max|free|unrestricted|an? )|(?:developer|god|debug|jailbreak|unrestricted) mode (?:is )?(?:on|enabled|activated)
turned ; 0.8 ; (?<![a-z])(?:you are|you're|you will be|you become) (?:now |no longer |not )?(?:max|dan|an? (?:bot|ai|model|assistant|pirate)|bound by the (?:rules|guidelines|policies) of|without (?:any )?restrictions|unrestricted|free from)|no longer bound by the rules|act as (?:though|if) you (?:were|are)|behave as (?:a|an|if)|pretend (?:to be|you)|from (?:here|now) on,? (?:you|answer|act|reply|be)|制限のない(?:ボット|AI)|(?:つもり|なりきって|ふりを)(?:で|し|話)|規則にもう?縛られ|像[^,。]{1,10}那样行事|不受限制的?(?:机器人|AI)|不再受[^,。]{0,6}规则|用[^,。]{1,6}的口吻
told ; 0.5 ; (?:were|was|have been|had been|been) (?:told|given|instructed|taught)|before this (?:line|conversation|text|point)|up to this point|the (?:rules?|instructions?|guidelines?|orders?|commands?) (?:above|before|below)|(?:previous|prior|earlier|preceding|former|existing) (?:\w+ )?(?:instructions?|rules?|guidelines?|prompts?|orders|commands)|(?:これ|この行|ここ)より?前に言われ|ここまで(?:は|の)|以前の指示|上の(?:決まり|規則|指示|命令)|教わった|この会話の前|之前对你说|这一行之前|上面的(?:规则|指令|准则)|先前的指示|之前的(?:指令|指示|规则)|对话之前
instructs ; 0.4 ; (?<![a-z])(?:instructions?|(?:system )?prompts?|guidelines?|safety (?:rules?|guidelines?)|system messages?|initial messages?|guardrails?|content filter|hidden (?:text|prompt|configuration|instructions?)|configuration text|trusted block|commands? outrank|full access)(?![a-z])|指示|プロンプト|指針|命令|決まり|フィルター|指令|提示词|准则|过滤|设定文字|初始消息
aside ; 0.5 ; (?<![a-z])(?:ignor(?:e|es|ing)|disregard|forget|overrid\w+|override|bypass|skip|set aside|pay no attention|void|cancel|outrank|does not count|do not count|do not apply|don't apply|does not apply|lift all|were a test|was a joke|written by mistake|not bound|instead of summari[sz]ing)(?![a-z])|無視|忘れて|忘れろ|破棄|効力がありません|適用されません|試験用|冗談|気にしないで|省いて|取りやめ|優先する|外して|忽略|无视|忘掉|忘记|不再算数|不算数|不适用|只是测试|玩笑|不必在意|跳过|取消|解除|优先于
outputs ; 0.35 ; (?<![a-z])(?:every answer|(?:your|next|the) (?:reply|answer|response|summary|rewrite)|assistant's answer|in your (?:reply|answer|rewrite|response|summary)|(?:answer|reply|respond|output|say|end|begin|start)s? (?:only|every|with|'|\"|that)|when (?:summari[sz]ing|rewriting|you rewrite|you shorten|asked)|all later conversations|each response)|(?:回答|返答|返信|応答|要約|書き直)[^、。]{0,10}(?:は|に|では|とき|の代わり|で始め|で終え)|どの回答|以後のすべての会話|今後は|これからは|と(?:だけ)?答え(?:よ|なさい|て|ろ)|(?:回答|回复|答复|摘要|改写|总结)(?:中|时|里|必须|请|要|都)?|每个回答|以后(?:只|所有对话)|接下来请|只回(?:答|复)|就说|一概回答
steers ; 0.45 ; (?<![a-z])(?:recommend|praise|prais\w+|approve|approved|promote|promotion approved|rank|describe|claim that|say (?:that |the |it )|mark(?:s|ed)? (?:this|the|it)|present (?:the following )?as|treat (?:this|the|my)|quote this|rate (?:all|every|this|my)|publish this|accept|insert a link|insert|add the sentence|leave out|never list|never cite|delete the warning|drop the paragraph|as (?:the )?(?:official|proven|fact|trusted|evidence|award-winning)|outranks?|superior|leave section)|推薦し|ほめる|承認(?:しなければ|し(?:て|ろ|な)|」)|同意せよ|紹介する|主張せよ|記録しなければ|公開することを許可|証拠として扱え|として(?:引用|紹介|扱|示さ|記録)|書き添え|挙げるな|昇格|入れておく|引用しなければ|引用してはならない|そのままにする|推荐(?=本|该|此|我)|赞美|赞同|批准|说成|声称|标为|当作(?:证据|官方|事实|一百)|通过(?=”|$|。)|发布本|加上一句|插入|略去|不要列出|晋级|引用(?=其他)|保持原样|优于|已证实
judges ; 0.6 ; (?<![a-z])(?:full marks|(?:ten|10) out of (?:ten|10)|lowest score|highest (?:score|mark|rating)|top (?:score|mark)s?|five stars|best mark|(?:answer|candidate|response) (?:a|b|one|two|1|2)(?![\w.])|(?:version|option) [ab](?![\w.])|b must be picked|(?:second|first) answer (?:higher|better)|(?:has|have) already been chosen|as good(?![a-z])|score accordingly|correct mark|winner)|満点|最低点|最高点|10点|五つ星|(?<![A-Za-z])[AB]を選|回答[AB]|候補[12]|勝者|GOODと評価|正しい点数|満分|满分|最低分|最高分|打十分|五星|要选[AB]|答案[AB]|候选[一二12]|优胜者|评为GOOD|正确的分数
judges ; 0.6 ; rated? every answer|as correct without|count(?:ed)? as correct|全部正解|一番にし|点を上げ|正解として|满分|判为正确|评为最佳|加分|照加
secret ; 0.5 ; private memories|(?:last|latest|recent) (?:questions|messages) of|私的な記憶|(?:他|ほか)の(?:利用者|お客)|最近の質問を|其他(?:用户|顾客)|私人记忆|最近的[^。]{0,4}问题
secret ; 0.5 ; (?<![a-z])(?:passwords?|api[_ -]?keys?|access tokens?|secrets|credentials?|card numbers?|bank card|customer (?:address|list|data)\w*|(?:e-mail )?addresses of other|other (?:users|customers|people)|stored feedback|contents of your memory|your (?:initial|hidden|system)|hidden (?:prompt|configuration)|initial message|wrote in your|word for word)|パスワード|カード番号|顧客の住所|他の利用者|記憶の中身|隠されたプロンプト|最初に書いたメッセージ|一字一句|設定文|密码|银行卡号|客户地址|其他用户|记忆里的内容|隐藏的提示|最开始给你|一字不差
reveals ; 0.4 ; (?<![a-z])(?:reveal|print|show|tell me|list|dump|share|write (?:it|down)|include|send|forward|repeat|output|expose|disclose|enter their)(?![a-z])|表示して|教えて|書き出|送れ|明かせ|入れてください|転送せよ|見せて|入力するよう|书写|打印|告诉我|列出|发到|说出|附上|转发|发给|展示|输入|写在这里
conceals ; 1.1 ; (?:do not|don't|never|must not)[^.\n]{0,40}(?:this (?:text|line|message|note|paragraph)|you read this)|この(?:文|行|記述)[^。]{0,20}(?:言わない|誰にも|知らせない)|(?:不要|别|勿)(?:告诉|跟|对)[^,。]{0,10}(?:这段|这里有|读过这|这一行)
conceals ; 0.7 ; (?:do not|don't|never|must not|without) (?:mention|tell|telling|say|saying|inform|let|list)[^.\n]{0,30}(?:that (?:this|you)|read this|this (?:text|line|message)|known defects|just comply)|the reader must not|must not learn|(?<![a-z])(?:silently|quietly|secretly)(?![a-z])|without (?:human )?review|without (?:asking|telling)|do not verify|without reading the rest|(?:この文|この行)[^。]{0,16}(?:言わない|誰にも)|こっそり|黙って|人の確認を待たず|審査を省い|検証は不要|残りは読まず|(?:不要|别)(?:告诉|跟)[^,。]{0,10}(?:这段|这里|读过|有过)|悄悄|不经人工审核|无需核实|跳过审查|不用看后面|照做就行
always ; 0.25 ; (?<![a-z])(?:always|every case|regardless|whatever|no matter|at once|immediately|nothing else|in every|all others|everything|from now on|directly|must|essential|whenever|every question)(?![a-z])|必ず|常に|どんな場合|すべて|全ての?|何でも|すぐに|一切|だけと?|無論|不管|无论|一律|一概|总是|一定|凡|直接|全部|什么都|所有
claims ; 0.5 ; (?<![a-z])i am (?:the|your) (?:developer|administrator|operator|owner|admin)|as your (?:operator|developer|administrator)|i (?:authori[sz]e|instruct|command) you|has been granted|new policy for|the real rules|promotion approved|私は開発者|運用者として|命じる|新方針|本当の決まり|我是开发者|作为运营者|我命令你|我授权你|新规定|真正的规则
persona ; 0.6 ; if (?:asked|anyone asks)[^.\n]{0,30}(?:,| then) (?:say|answer|claim|reply)|聞かれたら[^。]{0,20}と?答えよ|(?:问|問)[^。]{0,8}就说
decodes ; 1.2 ; (?:decode|decrypt|unscramble)[^.\n]{0,40}(?:do as|follow|obey|execute|as it says)|<- run this|復号[^。]{0,12}(?:実行|従)|解码[^。]{0,16}照做
marked ; 0.7 ; (?:^|\n)[ \t>*#]*(?:\*\*)?(?:SYSTEM|ASSISTANT|System (?:message|prompt|override)|\[system(?: message)?\]|#+ ?System)(?:\*\*)? ?(?:[:：\]]|\n)|(?<!`)</?(?:system|assistant|instructions?|context|admin)>|(?:^|\n)#+ ?System\n|\nAssistant:
foreign ; 1.3 ; (?:ignorez|oubliez)[^.\n]{0,30}(?:instructions|consignes|règles)|(?:ignoriere|vergiss|missachte)[^.\n]{0,30}(?:anweisungen|(?:deine|alle|die bisherigen) regeln|vorgaben|systemprompt)|(?:ignora|olvida|ignore)[^.\n]{0,24}(?:instrucciones|instruções|istruzioni)|игнорируй\w*[^.\n]{0,24}инструкц\w*|이전 (?:지시|지침)[^.\n]{0,12}무시
"""

_ORDERS = re.compile(
    r"(?:^|[.!?:;,>\"'(\]-] ?|\b(?:please|kindly|then|and|also|just|now|but|instead|first|you|so|or|to) )(?:\w+ly )?(?:ignore|disregard|forget|act|behave|answer|reply|respond|say|tell|"
    r"list|print|show|send|give|add|insert|treat|describe|recommend|rank|agree|leave|stop|decode|reveal|repeat|do not|don't|never|always|"
    r"approve|include|translate|delete|write|remember|pay|drop|use|let|share|cancel|open|mark|rate|score|skip|publish|claim|"
    r"suppose|override|bypass|promote|make|output|quote|change|choose|pick|bypass|run|forward|dump|leave|move|accept|comply)\b"
    r"|\b(?:must|shall|should|has to|have to|needs? to|(?:are|is) (?:required|reminded|instructed|obliged)|do me a favou?r)\b"
    r"|(?:せよ|しろ|なさい|ください|下さい|くれ|べきだ|なければならない|てはならない|命じる|るな|でよい|こと)(?=[。」\s]|$)|(?:送れ|明かせ|扱え|書け|覚えておけ|答えよ|表示して|教えて)(?=[。」\s:]|$)|しないで"
    r"|(?:て|で)(?:いただ|もらえ|頂|ほしい|欲しい)|\b(?:could|would|can) you\b|it would help|能不能|能否|可否|麻烦|把[^,。]{1,12}(?:发|给|打印|告诉|写)"
    r"|请|必须|务必|不要|不得|不用|应(?!用)|要(?=选|加|声|插|把)|直接|一律|一概|命令|就(?:说|让)|照做|都要|悄悄|只回|记住",
    re.IGNORECASE | re.MULTILINE,
)
_MENTIONS = re.compile(
    r"attack|inject|attacker|malicious|phish|security|filter (?:removes|strips|blocks)|for example|e\.g\.|such as|so-called|is called|means that|example of|treat retrieved|as data|"
    r"often quote|trained with|researchers|studies|by law|robots\.txt|usually|sometimes|(?:can|could|might) (?:forget|ignore|be tricked|leak|reveal|repeat)|攻撃|インジェクション|フィルターが|たとえば|例えば|という(?:攻撃|手口|文)|ことがあ|データとして扱|法律|試験者|攻击|注入|过滤器会|例如|比如|所谓|是指|可能在|当作数据|法律规定|测试者|常引用|会忘掉",
    re.IGNORECASE,
)
_FORBIDS_SECRETS = re.compile(
    r"(?:never|do not|don't|must not|should not|nobody|no one)\W+(?:\w+\W+){0,2}(?:reveal|share|tell|send|give|disclose|write|mention|print)|(?:教え|渡し|送っ|見せ|言わ|書か)(?:ては(?:いけ|なら)|ないで|ず)|誰にも言わず、自分|(?:不要|勿|别|不得|切勿)(?:把|将|跟|向)?[^。]{0,10}(?:告诉|发给|泄露|透露|说|外传)",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?:reader|editors?|students?|visitors?|members?|pupils?|customers?|patients?|staff|employees|competitor|thesis|essay|argument|tour leader|press office|technician|engineer|colleague|"
    r"読者|生徒|学生|会員|来館者|患者|社員|技術者|同僚|答案|论文|考生|读者|学生|会员|访客|患者|员工|技师|同事|领队)",
    re.IGNORECASE,
)

MENTIONED, FOR_PERSONS, FORBIDDEN, ORDERED = _MENTIONS, _PERSON, _FORBIDS_SECRETS, _ORDERS
"""Patterns for what is only spoken of, for what is said to persons, for advice on secrets, and for orders."""


@cache
def cues() -> tuple[tuple[str, float, re.Pattern[str]], ...]:
    """Give the cues: name, weight, pattern."""
    rows = (line.split(" ; ", 2) for line in _CUES.strip().splitlines())
    return tuple((name, float(weight), re.compile(pattern, re.IGNORECASE)) for name, weight, pattern in rows)


@cache
def worded() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Give the wordings that are known: what each does, and its pattern."""
    return tuple(
        (reason, re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.MULTILINE))
        for table in (ENGLISH, JAPANESE, CHINESE)
        for reason, patterns in table.items()
    )
