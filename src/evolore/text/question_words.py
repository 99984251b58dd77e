"""Questions in texts: which turns ask, and the words of a question."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evolore.text.forms import whole_identifiers
from evolore.text.tokens import HAN, analyse, query_tokens, token_weights
from evolore.text.word_files import lazy_pattern

ENDING_CHARACTERS = 40
"""So much of the end of a text is read."""

_ASKS = re.compile(
    r"(?:[?？⁇⁈‽]|[かのよね]な?[？?]|(?:です|ます|でしょう|でした|ました|ません)か[。．.]?|[吗呢嗎][。．.]?)[\s\"”’'）)」』!！~～]*\Z"
)


def ends_with_question(text: str) -> bool:
    """Return whether a text ends by asking something; what it states, if anything, comes before.

    >>> ends_with_question("Sounds fun! Where did you go?")
    True
    >>> ends_with_question("いつ着きますか。")
    True
    >>> ends_with_question("I asked where. He shrugged.")
    False
    """
    return _ASKS.search(text, max(0, len(text) - ENDING_CHARACTERS)) is not None


_ASKS_UNMARKED = re.compile(
    r"(?:what|which|who|whose|when|where|why|how)(?! (?:i|we|you|he|she|it|they|my|our|his|her|their|the|an?)\b)(?:'?s)?\b[^.!,;:]*\Z"
    r"|(?:is|are|do|does|did|can|could|should|will|would) (?:i|my|we|our|you|it|the|there|a|an)\b[^.!,;:]*\Z"
    r"|(?:.*(?:っけ|だったか|って何.{0,3}|教えて|おしえて|来着)|[^。！、]*(?:いつ|どこ|だれ|誰|何|なに|いくら|いくつ|どっち|どれ|どう)(?![かで]|.{0,2}も)[^。！、]*)\s*\Z"
    r"|[^。！，]*(?:(?<!没)什么|(?<![那这好了十])几|多少|哪|谁|(?<!不)怎么|咋|啥|会不会|能不能|要不要|是不是)(?!.{0,3}[都也])[^。！，些乎]*\Z",
    re.IGNORECASE | re.DOTALL,
)
"""Questions as they are typed in a chat: a word that asks, and no full stop, exclamation mark or comma."""


def asks(text: str) -> bool:
    """Return whether a short text asks, with a question mark or, as in a chat, without one.

    >>> asks("how much is my rent"), asks("ジムの会員番号教えて"), asks("我房租一个月多少钱")
    (True, True, True)
    >>> asks("when I was ten we lived in Leeds"), asks("京都には何回も行った"), asks("我什么都吃")
    (False, False, False)
    """
    return ends_with_question(text) or (len(text) < ENDING_CHARACTERS and _ASKS_UNMARKED.match(text) is not None)


_UNSEEN = 20
_IDENTIFIER = 3.0
"""How many of the rarest words an identifier counts for, to the letter: more than its pieces, as in recall."""

_DIGITS = re.compile(r"\d+")
_HAN_PAIR = lazy_pattern(rf"[{HAN}]{{2}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedWords:
    """The words of a question, with what each counts for."""

    weights: Mapping[str, float]  #: Above 0, by token.
    asks_manner: bool = False  #: Whether it asks how, by which rules or steps, of which parts.

    @classmethod
    def of(cls, question: str, rarity: Mapping[str, float]) -> AskedWords:
        """Weigh the tokens of a question."""
        tokens = query_tokens(question)
        rarest = max(rarity.values(), default=1.0)
        shares = token_weights(tokens)
        found = {one: rarity.get(one, rarest) for one in tokens}
        worth = {one: min(value, _most_worth(one, found)) for one, value in found.items()}
        whole = whole_identifiers(question)
        worth |= dict.fromkeys(_DIGITS.findall(" ".join(whole)), 0.0)  # 2, 1 and 10 are also in 2.10.1
        weights = {one: float(share) * worth[one] for one, share in zip(tokens, shares, strict=True) if worth[one]}
        weights |= dict.fromkeys(whole, _IDENTIFIER * rarest)
        return cls(weights=weights, asks_manner=_MANNER().search(question) is not None)

    def covered(self, words: frozenset[str]) -> float:
        """Return which share of what is asked some words hold, 0–1."""
        total = sum(self.weights.values())
        return sum(weight for token, weight in self.weights.items() if token in words) / total if total else 0.0


def held_words(text: str) -> frozenset[str]:
    """Return what a text holds of words that may be asked for: its tokens, and its identifiers whole.

    >>> sorted(held_words("Release 2.1"))
    ['1', '2', '=2.1', 'releas']
    """
    return frozenset((*analyse(text), *whole_identifiers(text)))


def _most_worth(token: str, found: Mapping[str, float]) -> float:
    """Return how rare a pair of Han characters may count: twice its commoner one, 0 for one that only shapes a question.

    Most pairs that no item holds cross two words ("是从", "哪两"): rare as they are, nothing is asked by them.
    """
    return 2.0 * min(found.get(one, 0.0) for one in token) if _HAN_PAIR().fullmatch(token) else math.inf


def rarity(found_in: Mapping[str, int], count: int) -> dict[str, float]:
    """Return how rare tokens are: ``ln(1 + (N - n + 20.5) / (n + 0.5))``, the BM25 form.

    The 20 represent items that are not there: of a few items, that all hold a word says little about the word.
    """
    return {
        token: float(np.log1p((max(count, number) - number + _UNSEEN + 0.5) / (number + 0.5)))
        for token, number in found_in.items()
    }


_MANNER = lazy_pattern(
    r"\bhow (?:do|does|can|should|is|are|to)\b|\b(?:recipe|rules?|steps?|procedure|process|instructions?|what's in|what is in|"
    r"what are the)\b|どうやって|どうやれば|どうすれば|方法|手順|やり方|仕方|作り方|使い方|中身|決まり|ルール|内容|怎么|如何|步骤|流程|规定|"
    r"规矩|做法|守则|哪些|有什么",
    re.IGNORECASE,
)
