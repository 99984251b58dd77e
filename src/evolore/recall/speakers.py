"""Speakers: whose words a question asks for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


def match_speakers(question: str, speakers: npt.NDArray[np.int32], names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Tell which items were said by someone the question names.

    A speaker is named when every token of the name stands in the question, in any order. Costs a look at each name,
    and a pass over the items.

    Args:
        question: The question as it was asked.
        speakers: The number of the name of who said each item, -1 for nobody, shape (items,).
        names: Who they are.

    Returns:
        A flag per item, shape (items,).

    >>> match_speakers("What did Ann buy?", np.array([0, 1, -1]), ["Ann", "Bob"]).tolist()
    [True, False, False]
    """
    asked = set(analyse(question))
    # The last flag answers for the name that is none.
    is_named = np.zeros(len(names) + 1, dtype=np.bool_)
    is_named[[number for number, name in enumerate(names) if _is_named(name, asked)]] = True
    return is_named[speakers]


def _is_named(name: str, asked: set[str]) -> bool:
    tokens = _tokens(name)
    return bool(tokens) and asked.issuperset(tokens)


@lru_cache(maxsize=1 << 14)
def _tokens(name: str) -> tuple[str, ...]:
    return tuple(analyse(name))
