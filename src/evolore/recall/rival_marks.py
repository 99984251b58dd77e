"""Marks of two accounts of one matter, by which one tells whether the newer took the older one's place."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from evolore.recall.signs import read_signs
from evolore.recall.slots import is_of_another
from evolore.text.tokens import analyse, query_tokens

if TYPE_CHECKING:
    from evolore.domain.language import Language

_MOST_READ = 600
_REMEMBERED = 1 << 13

_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|[〇零一二三四五六七八九十百千万两]+(?=[点時时号日月年円元块歳岁人名回次個个度分秒枚件本台冊階楼層周週天折割つ室番期版])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|quarter|dozen|noon|midnight)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|august|september|"
    r"october|november|december|spring|summer|autumn|winter|morning|evening|night|afternoon|noon|midnight|weekend|hourly|daily|weekly|monthly|"
    r"yearly|fortnight\w*|tomorrow|today)\b|[月火水木金土日]曜|毎[日週月年朝晩]|[春夏秋冬朝晩昼夜]|周[一二三四五六日天末]|星期|每[天周月年]|[早晚中下上]午|凌晨|初[一二三四五六七八九十]",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'’-]+|[A-Za-z][A-Za-z0-9_.+#/-]*[0-9_./+#-][A-Za-z0-9_./+#-]*|\b[A-Z]{2,}\b")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_.+#/-]+|[ァ-ヴー]{2,}")
_ASKS_NUMBER = re.compile(
    r"\bhow (?:much|many|long|often|old|big|fast|high|far|tall|big|large|heavy|hot|warm)\b|\b(?:price|cost|rent|fee|rate|salary|limit|size|"
    r"version|port|number|password|code|pin|address|percentage|discount|temperature|timeout|quota)\b|いくら|いくつ|何[人円番分回階個本歳才名枚件台冊度割点]|"
    r"どのくらい|どれくらい|どれぐらい|どのぐらい|料金|値段|家賃|番号|価格|上限|身長|体重|バージョン|ポート|多少|几[个块人岁楼次层]|多[久大长远高快重]|价格|房租|号码|密码|上限|折扣|版本|端口",
    re.IGNORECASE,
)
_ASKS_TIME = re.compile(
    r"\bwhen\b|\bwhat (?:time|day|date)\b|\bwhich (?:day|days|date|month|week)\b|いつ|何[時曜日月年]|何曜日|何日|什么时候|几[点号月天]|哪[天年]|星期几|周几|多久",
    re.IGNORECASE,
)
_ASKS_MANNER = re.compile(
    r"\bhow (?:do|does|can|should|is|are|to)\b|\b(?:recipe|rules?|steps?|procedure|process|instructions?|what's in|what is in|what are the)\b|"
    r"どうやって|どうやれば|どうすれば|方法|手順|やり方|仕方|作り方|使い方|中身|決まり|ルール|内容|怎么|如何|步骤|流程|规定|规矩|做法|守则|哪些|有什么",
    re.IGNORECASE,
)
_ASKS_PERSON = re.compile(r"\bwho(?:se|m)?\b|誰|だれ|谁|哪位", re.IGNORECASE)
_ASKS_PLACE = re.compile(r"\bwhere\b|どこ|何処|哪[里儿]|在哪|什么地方|哪个(?:城市|房间|地方)", re.IGNORECASE)
_OWN = re.compile(r"\b(?:my|our|i|we|me|us|mine|ours)\b|私|僕|俺|うち|我|咱|当社|弊社", re.IGNORECASE)
_THEIRS = re.compile(r"\b(?:his|her|hers|their|theirs|its)\b|彼|彼女|他家|她家|他们|她们|人家|别人", re.IGNORECASE)
_QUESTION = re.compile(r"[?？]\s*$")

MARKS = (
    "asked_new", "asked_old", "alike",
    "holds_new", "holds_old", "lost", "gained",
    "shared", "fresh", "old_more", "longer", "says_little",
    "number_missing", "number_new", "number_same", "name_new", "name_missing", "time_missing", "manner_short",
    "changes", "unchanged", "dropped", "doubtful", "quoted", "mentions", "others", "another", "theirs", "question",
    "changes_no_doubt", "plain_rename", "changes_shared", "lost_no_shared",
    "another_speaker", "older_named", "newer_named",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a text holds."""

    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    has_time: bool


@lru_cache(maxsize=_REMEMBERED)
def read(text: str) -> Reading:
    text = unicodedata.normalize("NFKC", text[:_MOST_READ])
    return Reading(
        words=frozenset(t for t in analyse(text)),
        numbers=frozenset(m.group().lower() for m in _NUMBER.finditer(text)),
        names=frozenset(m.group().lower() for m in (*_NAME.finditer(text), *(_LATIN.finditer(text) if not text.isascii() else ()))),
        has_time=bool(_TIME.search(text)),
    )


class Marker:
    """Marks pairs of accounts for one question."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.lower = question.lower()
        self.reading = read(question)
        self.asked = frozenset(t for t in query_tokens(question) if len(t) > 1 or t.isdigit())
        self.wants_number = bool(_ASKS_NUMBER.search(question))
        self.wants_time = bool(_ASKS_TIME.search(question))
        self.wants_manner = bool(_ASKS_MANNER.search(question))
        self.wants_name = bool(_ASKS_PERSON.search(question) or _ASKS_PLACE.search(question))
        self.is_own = bool(_OWN.search(question))

    def marks(self, older: str, newer: str, language: Language, *, old_speaker: str | None, new_speaker: str | None, asked_new: float, asked_old: float, alike: float) -> list[float]:
        q, o, n = self.reading, read(older), read(newer)
        signs = read_signs(newer, language)
        asked = self.asked
        total = max(len(asked), 1)
        ow, nw = o.words - q.words, n.words - q.words
        old_l = older.lower()
        others = any(x not in self.lower and x not in old_l for x in signs.others)
        another = is_of_another(newer, older, self.question)
        shared = len(ow & nw)
        n_other, o_other = math.log1p(len(nw)), math.log1p(len(ow))
        numbers_new = n.numbers - o.numbers - q.numbers
        names_new = n.names - o.names - q.names
        changes = signs.changes
        lost = len((asked & o.words) - n.words) / total
        gained = len((asked & n.words) - o.words) / total
        return [
            asked_new, asked_old, alike,
            len(asked & n.words) / total, len(asked & o.words) / total, lost, gained,
            min(shared, 4) / 4, math.log1p(len(nw - ow)) / 3, math.log1p(len(ow - nw)) / 3, n_other - o_other, float(n_other < 1.7),
            float(self.wants_number and not n.numbers and bool(o.numbers)), float((self.wants_number or self.wants_time) and bool(numbers_new)),
            float(bool(n.numbers & o.numbers - q.numbers)), float(bool(names_new)), float(bool(o.names - q.names) and not names_new),
            float(self.wants_time and not (n.has_time or n.numbers)), float(self.wants_manner and len(ow) > 1.5 * len(nw)),
            float(changes), float(signs.unchanged), float(signs.dropped), float(signs.doubtful), float(signs.quoted), float(signs.mentions),
            float(others), float(another), float(self.is_own and bool(_THEIRS.search(newer))), float(bool(_QUESTION.search(newer))),
            float(changes and not (signs.doubtful or signs.dropped or signs.quoted or others)), float(bool(names_new) and changes),
            float(changes) * min(shared, 4) / 4, float(lost > 0 and not shared),
            float(old_speaker is not None and new_speaker is not None and old_speaker != new_speaker),
            float(self._is_named(old_speaker) and old_speaker != new_speaker), float(self._is_named(new_speaker) and old_speaker != new_speaker),
        ]  # fmt: skip

    def _is_named(self, speaker: str | None) -> bool:
        return speaker is not None and bool(speaker) and speaker.lower() in self.lower
