"""What kind of value a question asks for: a number, a time, or how something is done."""

from __future__ import annotations

import re
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedValue:
    """What kind of value is asked for; more than one may be.

    Args:
        number: How much, how many, which version.
        time: When, on which day.
        manner: How, by which rules or steps, of which parts.
    """

    number: bool
    time: bool
    manner: bool


def read_asked_value(question: str) -> AskedValue:
    """Tell from a question's wording.

    >>> read_asked_value("How much is the rent?").number
    True
    """
    return AskedValue(
        number=_NUMBER.search(question) is not None,
        time=_TIME.search(question) is not None,
        manner=_MANNER.search(question) is not None,
    )
