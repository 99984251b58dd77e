"""What a candidate says that was not there: whether it adds anything, and whether it is nearly another candidate."""

from __future__ import annotations

from collections import Counter

from evolore.text.tokens import analyse

_FEW_WORDS = 4


def adds_nothing(before: str, after: str) -> bool:
    """Tell whether a text says no word that another does not, as often: it leaves out, or puts in another order, at most.

    >>> adds_nothing("Wait 30 s. Then call.", "Then call. Wait 30 s.")
    True
    >>> adds_nothing("Wait 30 s.", "Wait 30 s. Then wait again.")
    False
    """
    return not Counter(analyse(after)) - Counter(analyse(before))


def differ_little(one: str, other: str) -> bool:
    """Tell whether two texts differ in a few words, counted as often as they stand there; another order alone is no few words.

    >>> differ_little("Wait 30 s. Then call.", "Wait 40 s. Then call.")
    True
    >>> differ_little("Wait 30 s. Then call.", "Then call. Wait 30 s.")
    False
    """
    ours, theirs = Counter(analyse(one)), Counter(analyse(other))
    differing = (ours - theirs).total() + (theirs - ours).total()
    return one.split() == other.split() or 0 < differing <= _FEW_WORDS
