"""What a candidate says anew: whether it adds anything, says anything twice, or nearly is another candidate."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evolore.text.sentences import sentence_spans
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from evolore.domain.language import Language

_NEARLY = 0.95
_FEWEST_WORDS = 2


def adds_nothing(before: str, after: str) -> bool:
    """Tell whether a text says no word that another does not, as often: it leaves out, or puts in another order, at most.

    >>> adds_nothing("Wait 30 s. Then call.", "Then call. Wait 30 s.")
    True
    >>> adds_nothing("Wait 30 s.", "Wait 30 s. Then wait again.")
    False
    """
    return not Counter(analyse(after)) - Counter(analyse(before))


def said_again(before: str, after: str, language: Language) -> tuple[str, ...]:
    """List the sentences of a text that another says more often, in their order; headings and what hardly says a word aside.

    >>> from evolore.domain.language import Language
    >>> said_again("Call the desk. Go.", "Call the desk. Go. Call the desk.", Language.EN)
    ('Call the desk.',)
    """
    first, second = _sentences(before, language), _sentences(after, language)
    return tuple(one for one, count in first.items() if second[one] > count)


def _sentences(text: str, language: Language) -> Counter[str]:
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    told = (span.of(lines).strip() for span in sentence_spans(lines, language=language))
    return Counter(one for one in told if len(analyse(one)) >= _FEWEST_WORDS)


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
