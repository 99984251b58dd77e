"""What a candidate says that was not there: whether it adds anything, and whether it is nearly another candidate."""

from __future__ import annotations

from collections import Counter

from evolore.text.tokens import analyse

_NEARLY = 0.95


def adds_nothing(before: str, after: str) -> bool:
    """Tell whether a text says no word that another does not, as often: it leaves out, or puts in another order, at most.

    >>> adds_nothing("Wait 30 s. Then call.", "Then call. Wait 30 s.")
    True
    >>> adds_nothing("Wait 30 s.", "Wait 30 s. Then wait again.")
    False
    """
    return not Counter(analyse(after)) - Counter(analyse(before))


def change_alike(one: str, other: str, *, original: str) -> bool:
    """Tell whether two texts are the same, or change nearly the same words of an original, as often.

    >>> change_alike("Wait 40 s. Then call.", "Wait 40 s! Then call.", original="Wait 30 s. Then call.")
    True
    >>> change_alike("Wait 40 s. Then call.", "Then call. Wait 30 s.", original="Wait 30 s. Then call.")
    False
    """
    first, second = _changes(one, original), _changes(other, original)
    same, every = (first & second).total(), (first | second).total()
    return one.split() == other.split() or (every > 0 and same / every >= _NEARLY)


def _changes(text: str, original: str) -> Counter[tuple[str, bool]]:
    words, before = Counter(analyse(text)), Counter(analyse(original))
    return Counter(
        {
            (word, is_new): count
            for is_new, some in ((True, words - before), (False, before - words))
            for word, count in some.items()
        }
    )
