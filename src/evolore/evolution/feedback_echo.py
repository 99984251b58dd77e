"""What a candidate repeats from feedback alone: a person's word on a document is a reason to look, and no evidence."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.text.protected import protected_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evolore.domain.language import Language

_WORDS = 4
_SIGNS = 7
_WORD = re.compile(r"[^\W\d_぀-ヿ㐀-鿿]+|\d+|[぀-ヿ㐀-鿿]")
_CJK = re.compile(r"[぀-ヿ㐀-鿿]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Echoes:
    """What a candidate has of feedback, and of nothing else.

    Args:
        values: Protected values, as the candidate writes them: numbers, dates, addresses, names.
        words: Runs of words.
    """

    values: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def echoes_of(
    before: str, after: str, comments: Iterable[str], *, language: Language, evidence: Sequence[str] = ()
) -> Echoes:
    """List what stands in a candidate and in a comment, but neither in the original nor in the evidence.

    Values count one by one, other words where four in a row are the same, in Japanese and Chinese seven signs.

    >>> from evolore.domain.language import Language
    >>> echoes_of("Wait a day.", "Wait 90 days.", ["It is 90 days!"], language=Language.EN)
    Echoes(values=('90 days',), words=())
    """
    known = "\n".join((before, *evidence))
    there = {span.value for span in protected_spans(known, language)}
    new = {span.value: span.quote for span in protected_spans(after, language) if span.value not in there}
    known_runs, new_runs = set(_runs(known)), set(_runs(after))
    told = "\n\n".join(comments)
    values = [new[span.value] for span in protected_spans(told, language) if span.value in new]
    words = [_joined(run) for run in _runs(told) if run in new_runs and run not in known_runs]
    return Echoes(values=tuple(dict.fromkeys(values)), words=tuple(dict.fromkeys(words)))


def _joined(run: tuple[str, ...]) -> str:
    return "".join(run) if _CJK.match(run[0]) else " ".join(run)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    for start in range(len(words)):
        length = _SIGNS if _CJK.match(words[start]) else _WORDS
        run = tuple(words[start : start + length])
        if len(run) == length:
            yield run
