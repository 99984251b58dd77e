"""Subjects: whom a question is about, and which items name them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from evolore.recall.keys import ROLE_NAMES
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from evolore.recall.evidence import TermScores

_LABEL = re.compile(r"(?m)^[ \t]*([^\W\d_][\w .'’・·-]{0,30}?)[ \t]?[:：](?![/\d])")


def labels_in(question: str) -> tuple[str, ...]:
    r"""Give who speaks in a question that quotes a conversation, each once; parts such as "user" are nobody.

    >>> labels_in('Ann: "I miss it."\nuser: "So do I."')
    ('Ann',)
    """
    found = (label.strip() for label in _LABEL.findall(question))
    return tuple(dict.fromkeys(label for label in found if label.casefold() not in ROLE_NAMES))


def names_subject(
    names: Iterable[str], *, tokens: Sequence[str], terms: TermScores, count: int
) -> npt.NDArray[np.bool_]:
    """Tell which items hold every word of one of some names.

    Args:
        names: Whom the question names.
        tokens: The question's tokens.
        terms: Their scores on the items, a row each.
        count: How many items there are.

    Returns:
        A flag per item, shape (items,).
    """
    rows = {token: slice(*terms.starts[row : row + 2].tolist()) for row, token in enumerate(tokens)}
    is_named = np.zeros(count, dtype=np.bool_)
    for name in names:
        words = list(dict.fromkeys(analyse(name)))
        if words and all(word in rows for word in words):
            held = np.bincount(np.concatenate([terms.items[rows[word]] for word in words]), minlength=count)
            is_named |= held == len(words)
    return is_named
