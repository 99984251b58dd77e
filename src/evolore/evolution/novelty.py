"""Find what a candidate adds, and what of it is in feedback alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evolore.domain.language import Language
from evolore.text.protected import protected_spans
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import analyse

_NEARLY = 0.95
_FEWEST_WORDS = 2


def adds_nothing(before: str, after: str) -> bool:
    """Return whether a text says no word that another does not, as often: it leaves out, or puts in another order, at most.

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
    """Return whether two texts are the same, or change nearly the same words of an original, as often.

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


_WORDS = 4
_SIGNS = 7
_WORD = re.compile(r"[^\W\d_぀-ヿ㐀-鿿]+|\d+|[぀-ヿ㐀-鿿]")
_CJK = re.compile(r"[぀-ヿ㐀-鿿]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackEchoes:
    """What a candidate has of feedback, and of nothing else."""

    #: Protected values, as the candidate writes them, such as numbers, dates and names; and whole sentences.
    values: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  #: Runs of words.


def echoes_of(
    before: str, after: str, comments: Iterable[str], *, language: Language, evidence: Sequence[str] = ()
) -> FeedbackEchoes:
    """List what is in a candidate and in a comment, but neither in the original nor in the evidence.

    Values count one by one, other words where four in a row are the same, in Japanese and Chinese seven signs.

    >>> from evolore.domain.language import Language
    >>> echoes_of("Wait a day.", "Wait 90 days.", ["It is 90 days!"], language=Language.EN)
    FeedbackEchoes(values=('90 days',), words=())
    """
    known = "\n".join((before, *evidence))
    there = {span.canonical for span in protected_spans(known, language)}
    new = {span.canonical: span.quote for span in protected_spans(after, language) if span.canonical not in there}
    known_runs, new_runs = set(_runs(known)), set(_runs(after))
    comments = tuple(comments)
    told = "\n\n".join(comments)
    values = [new[span.canonical] for span in protected_spans(told, language) if span.canonical in new]
    said = (one for comment in comments for one in _sentences(comment, language))
    values += [one for one in said if _bare(one) in _bare(after) and _bare(one) not in _bare(known)]
    words = [_joined(run) for run in _runs(told) if run in new_runs and run not in known_runs]
    return FeedbackEchoes(values=tuple(dict.fromkeys(values)), words=tuple(dict.fromkeys(words)))


def _bare(text: str) -> str:
    return "".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _joined(run: tuple[str, ...]) -> str:
    return "".join(run) if _CJK.match(run[0]) else " ".join(run)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    for start in range(len(words)):
        length = _SIGNS if _CJK.match(words[start]) else _WORDS
        run = tuple(words[start : start + length])
        if len(run) == length:
            yield run
