"""What a text says that could answer a question: its words, numbers, names and times."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from evolore.text.tokens import analyse

_MOST_READ = 600
_REMEMBERED = 1 << 13

_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*"
    r"|(?<![〇零一二三四五六七八九十百千万两])[〇零一二三四五六七八九十百千万两]++(?=[点時时號号日月年円元块歳岁人名回次個个度分秒枚件本台冊階楼層周週天折割つ室番期版])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|quarter|dozen|noon|"
    r"midnight)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|august|september|"
    r"october|november|december|spring|summer|autumn|winter|morning|evening|night|afternoon|noon|midnight|weekend|hourly|"
    r"daily|weekly|monthly|yearly|fortnight\w*|tomorrow|today)\b"
    r"|[月火水木金土日]曜|毎[日週月年朝晩]|[春夏秋冬朝晩昼夜]|周[一二三四五六日天末]|星期|每[天周月年]|[早晚中下上]午|凌晨|初[一二三四五六七八九十]",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'’-]+|(?<![A-Za-z])[A-Za-z][A-Za-z0-9_.+#/-]*[0-9_./+#-][A-Za-z0-9_./+#-]*|\b[A-Z]{2,}\b"
)
_FOREIGN = re.compile(r"[A-Za-z][A-Za-z0-9_.+#/-]+|[ァ-ヴー]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidValues:
    """What a text says.

    Args:
        words: Its tokens.
        numbers: Its numbers, in figures or words.
        names: What is written like a name or an identifier, in lower case.
        has_time: Whether it names a day, a season or a time of day.
    """

    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    has_time: bool


@lru_cache(maxsize=_REMEMBERED)
def read_values(text: str) -> SaidValues:
    """Read what a text says; of a long one the first 600 characters.

    >>> sorted(read_values("From Monday we use Postgres 16.").names)
    ['monday', 'postgres']
    """
    read = unicodedata.normalize("NFKC", text[:_MOST_READ])
    names = [match.group().lower() for match in _NAME.finditer(read)]
    if not read.isascii():
        names += [match.group().lower() for match in _FOREIGN.finditer(read)]
    return SaidValues(
        words=frozenset(analyse(read)),
        numbers=frozenset(match.group().lower() for match in _NUMBER.finditer(read)),
        names=frozenset(names),
        has_time=_TIME.search(read) is not None,
    )
