"""Speakers: whose words a question asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence


def match_speakers(question: str, speakers: Sequence[str | None]) -> npt.NDArray[np.bool_]:
    """Tell which items were said by someone the question names.

    A speaker is named when every token of the name stands in the question, in any order. Costs one pass over the
    speakers to tell them apart, and a second only when one is named.

    Args:
        question: The question as it was asked.
        speakers: Who said each item; None where nobody did.

    Returns:
        A flag per item, shape (items,).

    >>> match_speakers("What did Ann buy?", ["Ann", "Bob", None]).tolist()
    [True, False, False]
    """
    asked = set(analyse(question))
    named = {speaker for speaker in set(speakers) if speaker is not None and _is_named(speaker, asked)}
    if not named:
        return np.zeros(len(speakers), dtype=np.bool_)
    return np.fromiter((speaker in named for speaker in speakers), dtype=np.bool_, count=len(speakers))


def _is_named(speaker: str, asked: set[str]) -> bool:
    tokens = analyse(speaker)
    return bool(tokens) and asked.issuperset(tokens)
