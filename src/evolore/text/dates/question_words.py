"""What questions say about time beside dates: order, events, "when", names that hold numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from evolore.domain.asked_times import Relation
from evolore.domain.language import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """Patterns for one language.

    Args:
        when: What asks for a time.
        first: What asks for the first of several.
        last: And for the last.
        events: Clauses that stand for a date, in the group ``event``, and how what is sought lies to them.
        no_event: What shows that such a clause is none.
        titles: Names that may hold a date and do not mean it.
        talk: What only asks to be told: "what did we talk about", "what happened".
        subject: What names a subject where it stands beside a date and such words.
    """

    when: re.Pattern[str]
    first: re.Pattern[str]
    last: re.Pattern[str]
    events: tuple[tuple[Relation, re.Pattern[str]], ...]
    no_event: re.Pattern[str]
    titles: re.Pattern[str]
    talk: re.Pattern[str]
    subject: re.Pattern[str]


_QUOTES = r"(?<![:：])(?<![:：]\s)(?:\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|‘[^’\n]{1,60}’)"
_CJK_QUOTES = rf"[《〈『][^》〉』\n]{{1,60}}[》〉』]|(?<![:：])「[^」\n]{{1,30}}」|{_QUOTES}"


def _english() -> QuestionWords:
    return QuestionWords(
        when=re.compile(
            r"(?:^|[,.?!;:]\s*|\b(?:and|so|know|remember|tell me|say|recall)\s+)when(?:ever)?\b(?!\s+(?:i|you|we|they|he|she|it)\s)|"
            r"\b(?:what|which)\s+(?:year|month|day|date|week|season|decade|century|time)\b|\bhow\s+long\s+ago\b|\bsince\s+when\b",
            re.IGNORECASE,
        ),
        first=re.compile(
            r"\b(?:the|for\s+the|my|our|his|her|their|your|[a-z]+['’]s)\s+(?:very\s+)?(?:first|earliest|oldest)\b"
            r"(?!\s+(?:name|lady|world|aid|class|language|person|half|century|amendment|quarter|floor|degree))|"
            r"\bfirst\s+time\b|\b(?:did|was|were|has|have|had)\s+\w+(?:\s+\w+)?\s+first\s+\w+|\boriginally\b",
            re.IGNORECASE,
        ),
        last=re.compile(
            r"\b(?:latest|newest|most\s+recent(?:ly)?|last\s+time)\b|"
            r"\b(?:did|was|were|has|have|had)\s+\w+(?:\s+\w+)?\s+last\s+\w+(?<!\blast\sweek)(?<!\blast\smonth)(?<!\blast\syear)(?<!\blast\snight)",
            re.IGNORECASE,
        ),
        events=tuple(
            (relation, re.compile(rf"\b(?:{words})\s+(?P<event>(?!\w+ing\s*\?)[^,.?!;\n]{{3,80}})", re.IGNORECASE))
            for relation, words in (
                (Relation.BEFORE, r"(?<!the\s)(?:right\s+|just\s+)?before|prior\s+to|until"),
                (Relation.AFTER, r"(?<!look\s)(?<!looks\s)(?<!looking\s)(?<!named\s)(?:right\s+|just\s+)?after|(?<!\w\s)since"),
            )
        ),
        no_event=re.compile(r"^(?:a(?:ll)?|while|that|this|then|it|them|long)(?:\s+(?:while|long\s+time|few\s+\w+))?$|^all\b", re.IGNORECASE),
        titles=re.compile(
            rf"{_QUOTES}|(?<!\d)[12]\d{{3}}\s?:\s(?=[A-Z])|"
            r"(?<![.?!]\s)(?<!^)(?-i:\b(?!(?:In|On|Since|From|Until|By|During|After|Before|Between|The|"
            r"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter|Christmas|Q\d)[a-z.]*\b)"
            r"[A-Z][a-z]+)\s(?:[12]\d{3})(?![-–\d])",
        ),
        talk=re.compile(
            r"\b(?:what(?:['’]?s)?|which|who|how|where|why|when|tell|told|tells?|remind(?:ed)?|remember(?:ed)?|recall|show|give|take|walk|run|talk(?:s|ed|ing)?|"
            r"chat(?:ted|ting)?|discuss(?:ed)?|convers\w+|mention(?:ed|s)?|sa(?:y|id|ying)|writ(?:e|ing|ten)|wrote|note[sd]?|record(?:ed)?|log(?:ged)?|"
            r"diary|journal|entr(?:y|ies)|happen(?:ed|ing|s)?|went|go(?:es|ing|ne)?|do|did|does|done|doing|been|be|was|were|is|are|am|had|have|has|get|got|up|to|"
            r"on|in|at|of|for|from|with|by|and|or|the|a|an|that|this|there|it|i|me|my|mine|you|your|we|us|our|they|about|any(?:thing)?|some(?:thing)?|every(?:thing)?|"
            r"all|stuff|things?|events?|news|new|else|again|back|over|during|around|through|between|look(?:ed)?|like|know|let|please|can|could|would|"
            r"will|just|then|so|ok|hey|well|exactly|actually|even|only|day|days|week|weekend|month|time|bit|life|busy|keep|kept|down|happened|summar\w+|list|"
            r"recap|sum|review|things?|much|main|main(?:ly)?|most(?:ly)?|part|whole|rest|off|out|not|no|yes|if|as|but)\b",
            re.IGNORECASE,
        ),
        subject=re.compile(r"[^\W_]{2,}"),
    )  # fmt: skip


def _japanese() -> QuestionWords:
    return QuestionWords(
        when=re.compile(r"いつ(?!も|の間|か(?!ら)|でも)|何(?:年|月|日|曜日|世紀)(?![間前後])|何年何月"),
        first=re.compile(r"初めて|はじめて|最初の|最初に|一番(?:古い|最初|早い)|いちばん(?:古い|最初|早い)|最古の"),
        last=re.compile(r"最新|一番新しい|いちばん新しい|最後に|最後の|直近の|前回"),
        events=(
            (Relation.BEFORE, re.compile(r"(?P<event>[^、。？?！!\s]{2,40}?)(?:する|の|より)?(?:以前|前日?)(?:に|は|の|、|まで|$)(?!後)")),
            (Relation.AFTER, re.compile(r"(?P<event>[^、。？?！!\s]{2,40}?)(?:の)?(?:後|あと)(?:に|は|で|の|、|$)|(?P<event2>[^、。？?！!\s]{2,40}?)(?:て|で)(?:から|以来)")),
        ),
        no_event=re.compile(r"誰|何|どこ|どの|どんな|いつ|^(?:それ|その|この|これ|私|僕|俺|名|人|目の|一人)$|[最名人午]$|[「『\"]"),
        titles=re.compile(_CJK_QUOTES),
        talk=re.compile(
            r"何|話|事|出来事|教|覚|言|書|記録|日記|思|聞|起|過|様子|感|一日|一週間|一ヶ月|私|僕|俺|自分|我々|頃|間|最後|最初|全部|振|返|内容|報告|知|喋|語|出|残|見|前|後|中|"
            r"時|日|月|週|年|方|ネタ|メモ|ノート|トピック|まとめ|リスト|ログ"
        ),
        subject=re.compile(r"[\u3400-\u9fff\u30a1-\u30fa]|[A-Za-z]{2,}"),
    )  # fmt: skip


def _chinese() -> QuestionWords:
    return QuestionWords(
        when=re.compile(r"什么时候|什麼時候|何时|何時|哪[一]?[年月天日]|几月|几号|哪个(?:月|星期|世纪)|多久(?:以|之)?前"),
        first=re.compile(r"第一次|最早|最初|首次|首个|第一[个份]"),
        last=re.compile(r"最新|最后一次|最近一次|上一?次|最后一[个份]"),
        events=(
            (Relation.BEFORE, re.compile(r"(?P<event>[^，。？?！!、\s]{2,40}?)(?:之前|以前|前(?![天年几些阵后後半面途台]))")),
            (Relation.AFTER, re.compile(r"(?P<event>[^，。？?！!、\s]{2,40}?)(?:之后|之後|以后|以後|后(?![天年来面果悔续半背])|以来)")),
        ),
        no_event=re.compile(r"^\d+$|什么|哪|为何|谁|怎么|[皇太王幕背身落先之]$|^(?:我|你|他|她|它|那|这|我们|你们|他们|那我们|目|然|此)$|[「『“\"]"),
        titles=re.compile(_CJK_QUOTES),
        talk=re.compile(
            r"什么|甚么|啥|哪些|哪|发生|聊|说|讲|谈|提|记录|记|写|事情|事儿|事|话题|话|我们|咱们|咱|我|你们|你|干嘛|干了|干|做|在|有|没|的|了|呢|吗|嘛|吧|怎么|怎样|怎|咋样|咋|样|都|也|些|"
            r"告诉|再|一遍|一下|回顾|总结|回忆|想起|想|起|内容|那|这|天|几|新鲜|日子|忙|经历|到|和|跟|给|是|情况|知道|里|时候|时间|期间|过得|过|如何|还|记得|得|第|个|来|去|点|下|日记|"
            r"帮|查|看|列|出|主要|大概|一|会|能|可以|请|吃|活动|动静|头|左右|前后|上|整|全|周|月|年|号|日|多少|变化|生"
        ),
        subject=re.compile(r"[\u3400-\u9fff]|[A-Za-z]{2,}"),
    )  # fmt: skip


@cache
def question_words(language: Language) -> QuestionWords:
    """Give the patterns of a language; English ones where it has none."""
    if language is Language.JA:
        return _japanese()
    return _chinese() if language is Language.ZH else _english()
