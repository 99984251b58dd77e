"""Questions in texts: which turns ask, the words of a question, and whether a text could hold the value it asks for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from evolore.text.names import find_names
from evolore.text.numerals import CARDINAL
from evolore.text.scripts import detect_language
from evolore.text.tokens import analyse, query_tokens, token_weights

ENDING_CHARACTERS = 40
"""So much of the end of a text is looked at."""

_ASKS = re.compile(
    r"(?:[?？⁇⁈‽]|[かのよね]な?[？?]|(?:です|ます|でしょう|でした|ました|ません)か[。．.]?|[吗呢嗎][。．.]?)[\s\"”’'）)」』!！~～]*\Z"
)


def ends_with_question(text: str) -> bool:
    """Tell whether a text ends by asking something: what it tells, if anything, stands before.

    Args:
        text: In English, Japanese, Chinese or another language that writes question marks.

    >>> ends_with_question("Sounds fun! Where did you go?")
    True
    >>> ends_with_question("いつ着きますか。")
    True
    >>> ends_with_question("I asked where. Nobody knew.")
    False
    """
    return _ASKS.search(text, max(0, len(text) - ENDING_CHARACTERS)) is not None


_UNSEEN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedWords:
    """The words of a question, with what each counts for.

    Args:
        weights: Above 0, by token.
        asks_number: Whether it asks how much, how many, which version.
        asks_time: Whether it asks when, on which day.
        asks_manner: Whether it asks how, by which rules or steps, of which parts.
        names: Those of the tokens that are of names.
    """

    weights: Mapping[str, float]
    asks_number: bool = False
    asks_time: bool = False
    asks_manner: bool = False
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, question: str, rarity: Mapping[str, float]) -> AskedWords:
        """Weigh the tokens of a question.

        Args:
            question: What is asked.
            rarity: How rare each of its tokens is, above 0; one that is not named counts as the rarest.
        """
        tokens = query_tokens(question)
        rarest = max(rarity.values(), default=1.0)
        shares = token_weights(tokens)
        weights = {one: float(share) * rarity.get(one, rarest) for one, share in zip(tokens, shares, strict=True)}
        named = find_names(question, language=detect_language(question))
        names = weights.keys() & {token for name in named for token in analyse(name)}
        number, time, manner = (pattern.search(question) is not None for pattern in (_NUMBER, _TIME, _MANNER))
        return cls(weights=weights, asks_number=number, asks_time=time, asks_manner=manner, names=frozenset(names))

    def covered(self, words: frozenset[str]) -> float:
        """Tell which share of what is asked some words hold, 0–1."""
        total = sum(self.weights.values())
        return sum(weight for token, weight in self.weights.items() if token in words) / total if total else 0.0

    def fits(self, text: str) -> bool:
        """Tell whether a text, of a long one the beginning, says a number or a time where one is asked for."""
        if not (self.asks_number or self.asks_time):
            return False
        says_number, says_time = _says(text)
        return says_number or (self.asks_time and says_time)


@lru_cache(maxsize=1 << 13)
def _says(text: str) -> tuple[bool, bool]:
    """Tell whether a text holds a number, and whether it names a day, a season or a time of day."""
    read = unicodedata.normalize("NFKC", text[:_MOST_READ])
    return _SAID_NUMBER.search(read) is not None, _SAID_TIME.search(read) is not None


def rarity(found_in: Mapping[str, int], count: int) -> dict[str, float]:
    """Give how rare tokens are: ``ln(1 + (N - n + 20.5) / (n + 0.5))``, the BM25 form.

    The 20 stand for items that are not there: of a few items, that all hold a word says little about the word.

    Args:
        found_in: How many items hold each.
        count: How many items there are.
    """
    return {
        token: float(np.log1p((max(count, number) - number + _UNSEEN + 0.5) / (number + 0.5)))
        for token, number in found_in.items()
    }


_NUMBER = re.compile(
    r"\bhow (?:much|many|long|often|old|big|fast|high|far|tall|large|heavy|hot|warm)\b|\b(?:price|cost|rent|fee|rate|salary|"
    r"limit|size|version|port|number|password|code|pin|address|percentage|discount|temperature|timeout|quota)\b"
    r"|いくら|いくつ|何[人円番分回階個本歳才名枚件台冊度割点]|どのくらい|どれくらい|どれぐらい|どのぐらい|料金|値段|家賃|番号|価格|上限|身長|体重|"
    r"バージョン|ポート|多少|几[个块人岁楼次层]|多[久大长远高快重]|价格|房租|号码|密码|折扣|版本|端口",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\bwhen\b|\bwhat (?:time|day|date)\b|\bwhich (?:day|days|date|month|week)\b|いつ|何[時曜日月年]|什么时候|几[点号月天]|哪[天年]|"
    r"星期几|周几|多久",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"\bhow (?:do|does|can|should|is|are|to)\b|\b(?:recipe|rules?|steps?|procedure|process|instructions?|what's in|what is in|"
    r"what are the)\b|どうやって|どうやれば|どうすれば|方法|手順|やり方|仕方|作り方|使い方|中身|決まり|ルール|内容|怎么|如何|步骤|流程|规定|"
    r"规矩|做法|守则|哪些|有什么",
    re.IGNORECASE,
)
_MOST_READ = 600
_SAID_NUMBER = re.compile(
    r"\d|(?<![〇零一二三四五六七八九十百千万两])[〇零一二三四五六七八九十百千万两]++(?=[点時时號号日月年円元块歳岁人名回次個个度分秒枚件本台冊階楼層周週天折割つ室番期版])"
    rf"|\b(?:{CARDINAL}|half|quarter|dozen|noon|midnight)\b",
    re.IGNORECASE,
)
_SAID_TIME = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|august|september|"
    r"october|november|december|spring|summer|autumn|winter|morning|evening|night|afternoon|noon|midnight|weekend|hourly|"
    r"daily|weekly|monthly|yearly|fortnight\w*|tomorrow|today)\b"
    r"|[月火水木金土日]曜|毎[日週月年朝晩]|[春夏秋冬朝晩昼夜]|周[一二三四五六日天末]|星期|每[天周月年]|[早晚中下上]午|凌晨|初[一二三四五六七八九十]",
    re.IGNORECASE,
)
