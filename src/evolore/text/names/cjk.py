"""Names in Japanese and Chinese text: what is quoted, katakana words, and compounds of Han characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language

if TYPE_CHECKING:
    from collections.abc import Iterator

_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30fe"
_DOTS = r"\u00b7\u2022\u2027"
_QUOTED = re.compile(r"[「『《〈“]([^「」『』《》〈〉“”\n]{2,40})[」』》〉”]")
_SENTENCE_MARKS = re.compile(r"[。、，！？；!?;,]")
# The dot between the words of a foreign name is \u30fb in Japanese, where it also lists things, and one of _DOTS in Chinese.
_KANA_RUN = re.compile(rf"[{_KATAKANA}]{{2,}}(?:[・=][{_KATAKANA}]+)*")
_HAN_RUN = re.compile(rf"[{_HAN}]{{2,}}(?:[{_DOTS}][{_HAN}]+)*")
_DOT = re.compile(f"[{_DOTS}]")
_SHORTEST_KATAKANA = 3
_LONGEST_COMPOUND = 8

# Characters that end a compound: particles, conjunctions, pronouns, common verbs. Without a dictionary this cuts some
# names too ("和平"); in return what is left between them is mostly one word or name.
_CHINESE_CUTS = re.compile(
    r"[的了是在和与及或于为对从到由被把将以其这那有而并但也都就又等之他她它们我你您个位名所该此各每很最更还只已曾后前中上下内外时年月日"
    r"不没无会能可要想说去来给让使向往跟同如则虽当至吗呢吧啊么怎哪谁几少些着过得地一二三四五六七八九十]"
)
_JAPANESE_CUTS = re.compile(
    r"(?:時代|年間|年代|[年月日時分秒中後前内外等的化性第各約同本当該毎]|[一二三四五六七八九十〇]+)"
)


def quoted_titles(text: str) -> Iterator[str]:
    """Give what stands in corner or angle brackets or in curved quotation marks, unless it is a sentence."""
    for match in _QUOTED.finditer(text):
        if not _SENTENCE_MARKS.search(match[1]):
            yield match[1]


def kana_names(text: str) -> Iterator[str]:
    """Give words in katakana of three characters or more; words joined by a dot are one name."""
    for match in _KANA_RUN.finditer(text):
        if len(match.group()) >= _SHORTEST_KATAKANA:
            yield match.group()


def han_names(text: str, *, language: Language) -> Iterator[str]:
    """Give compounds of Han characters: in Japanese what stands between kana, in Chinese between common words.

    Args:
        text: In NFKC.
        language: Whose words bound a compound.
    """
    cuts = _JAPANESE_CUTS if language is Language.JA else _CHINESE_CUTS
    for run in _HAN_RUN.finditer(text):
        for part in cuts.split(run.group()):
            words = _DOT.split(part)
            yield from (word for word in words if 2 <= len(word) <= _LONGEST_COMPOUND)  # noqa: PLR2004 - one is no compound
            if len(words) > 1 and all(words):
                yield part
