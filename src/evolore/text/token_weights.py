"""Token weights: how much of a word each token of a question is.

A word of letters is one token. A word of four Han characters is seven: three pairs and four characters, so that, were
each of them weighed by its rarity alone, "正式名称" would outweigh the one word in a question that nothing else holds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from evolore.text.stop_words import LIGHT_WORDS
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_HAN = r"\u3005-\u3007\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = r"\u3041-\u309f"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_OTHER_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\uac00-\ud7af"

_WEIGHTS = (
    (re.compile(rf"[{_HAN}]"), 0.25),
    (re.compile(rf"[{_KATAKANA}]{{3,}}"), 0.67),
    (re.compile(rf"[{_KATAKANA}]{{2}}"), 0.17),
    (re.compile(rf"[{_HIRAGANA}]{{1,2}}"), 0.1),
    (re.compile(rf".?[{_HIRAGANA}].?"), 0.17),
    (re.compile(rf"[{_HAN}{_KATAKANA}{_OTHER_UNSPACED}]{{1,2}}"), 0.33),
)
"""Chosen on Japanese and Chinese questions; a third to a half more or less of any changes recall by some 0.1 points."""


_LIGHT = 0.25
_LIGHT_TOKENS = frozenset(token for word in LIGHT_WORDS for token in analyse(word)[:1])


def token_weights(tokens: Sequence[str]) -> npt.NDArray[np.float32]:
    """Give how much of a word each token is: 1 for one of letters or digits, less for pairs and single characters.

    A quarter of that for a light word such as "get": in a small memory it is as rare as any other, and one shared "get" must
    not outweigh what a question means.

    Args:
        tokens: As the analyser gave them.

    Returns:
        Above 0 and at most 1, in their order, shape (tokens,).

    >>> token_weights(["untag", "正式", "式", "の正", "グループ"]).round(2).tolist()
    [1.0, 0.33000001311302185, 0.25, 0.17000000178813934, 0.6700000166893005]
    """
    return np.array([_weight(token) for token in tokens], dtype=np.float32)


@lru_cache(maxsize=1 << 14)
def _weight(token: str) -> float:
    share = _LIGHT if token in _LIGHT_TOKENS else 1.0
    if token.isascii():
        return share
    return share * next((weight for pattern, weight in _WEIGHTS if pattern.fullmatch(token)), 1.0)
