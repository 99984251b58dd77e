"""Print whether texts are cut between sentences: ``python benchmarks/sentences.py [--blind] PATH…``.

A set has lines ``{id, lang, sentences}``, which are joined and chunked, or ``{id, lang, text, sentences}``, whose
sentences were marked by hand. Printed are how often chunks end inside a sentence, and the errors on marked texts, by
docs/protocols.md. ``--blind`` measures the blind half of marked texts too, and prints both halves; ``--limit N`` takes
so many texts of each set, ``--predictions FILE`` writes each prediction, ``--json`` prints every figure.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from evolore.chunking.chunker import Chunker
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.text.sentences import sentence_starts
from evolore_evaluation.measure import ALL_VISIBLE, Case, Measure, MeasuredSet, Run
from evolore_evaluation.records import Record, SetForm
from evolore_evaluation.reports import Report
from measuring import COUNT, RARE, SHARE, options, show

COLUMNS = {
    "documents": ("texts", COUNT),
    "sentences": ("sentences", COUNT),
    "precision": ("P", SHARE),
    "recall": ("R", SHARE),
    "f1": ("F1", SHARE),
    "errors": ("errors", SHARE),
    "chunk_ends": ("chunk ends", COUNT),
    "chunk_ends_inside": ("inside", RARE),
    "chunk_ends_forced": ("forced", RARE),
}


class SentenceSplitter(Protocol):
    """What is measured: it finds sentences."""

    def __call__(self, text: str, language: Language) -> Sequence[int]:
        """Return the offset where each sentence starts, ascending; the first is 0."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _FoundBoundaries:
    """What was found in one text, counted."""

    text: KnownSentences  #: The text.
    right: int  #: Starts of sentences found where one is.
    found: int  #: Starts found, that of the text left out.
    true: int  #: Starts there are, that of the text left out.
    is_wrong: bool  #: Whether the text is divided in any other way than it should be.
    chunk_ends: int  #: How many chunks end before the text does.
    inside: int  #: How many of them end inside a sentence.
    forced: int  #: How many of those end inside a sentence that is longer than a chunk may be.


def evaluate_sentences(
    paths: Sequence[Path], run: Run = ALL_VISIBLE, *, splitter: SentenceSplitter | None = None
) -> Report:
    """Measure sentences on sets of ``{id, lang, sentences}``, whose lines may hold the ``text`` they are marked in.

    Without a text, the sentences are joined, by spaces or, in Japanese and Chinese, by nothing, the whole is chunked at
    default settings, and ``chunk_ends_inside`` is the share of chunk ends that fall inside a sentence;
    ``chunk_ends_forced`` the share that fall inside one longer than a chunk may be. With a text, ``errors`` is the share
    of texts divided anywhere in another way than marked. Both have ``precision``, ``recall`` and ``f1`` of the starts of
    sentences, over the whole set.

    Args:
        paths: Files, or folders of them.
        run: How much is measured, where only marked texts have halves; predictions are ``{"set", "id", "starts",
            "chunk_starts"}``, in characters of the text.
        splitter: What is measured; by default our own. Chunks are always cut by the default chunker.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    chunker = Chunker()
    measure = Measure(
        system="sentences",
        read=lambda path: run.chosen(SENTENCE_SETS.read(path)),
        begin=partial(_dividing, splitter or sentence_starts, chunker),
        figures=lambda tried: {"documents": float(len(tried)), **_figures(tried)},
        groups=_halves if run.blind else lambda _tried: {},
        whole=_counts_and_figures,
    )
    settings = {"chunking": asdict(chunker.settings), "blind": run.blind, "limit": run.limit}
    return measure.report(SENTENCE_SETS.find(paths), run, settings)


def _halves(tried: Sequence[_FoundBoundaries]) -> dict[str, list[_FoundBoundaries]]:
    """Sort marked texts by their half."""
    marked = [one for one in tried if one.text.is_marked]
    halves = {half: [one for one in marked if one.text.half == half] for half in ("visible", "blind")}
    return {half: some for half, some in halves.items() if some}


def _counts_and_figures(tried: Sequence[_FoundBoundaries]) -> dict[str, float]:
    sentences = sum(len(one.text.spans) for one in tried)
    return {"documents": float(len(tried)), "sentences": float(sentences), **_figures(tried)}


def _figures(tried: Sequence[_FoundBoundaries]) -> dict[str, float]:
    figures: dict[str, float] = {}
    if tried:
        right, found, true = (
            sum(one.right for one in tried),
            sum(one.found for one in tried),
            sum(one.true for one in tried),
        )
        precision, recall = right / found if found else 1.0, right / true if true else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        figures |= {"precision": precision, "recall": recall, "f1": f1}
    if marked := [one for one in tried if one.text.is_marked]:
        figures["errors"] = sum(one.is_wrong for one in marked) / len(marked)
    if joined := [one for one in tried if not one.text.is_marked]:
        ends = sum(one.chunk_ends for one in joined)
        figures["chunk_ends"] = float(ends)
        figures["chunk_ends_inside"] = sum(one.inside for one in joined) / max(ends, 1)
        figures["chunk_ends_forced"] = sum(one.forced for one in joined) / max(ends, 1)
    return figures


def _dividing(
    splitter: SentenceSplitter, chunker: Chunker, texts: MeasuredSet[KnownSentences]
) -> Callable[[KnownSentences], _FoundBoundaries]:
    def attempt(text: KnownSentences) -> _FoundBoundaries:
        starts = list(splitter(text.text, text.language))
        edges = [] if text.is_marked else [leaf.span.start for leaf in chunker.chunk(text.text).leaves]
        texts.write({"id": text.id, "starts": starts, "chunk_starts": edges})
        cuts = [start for start in starts if start > text.spans[0].start]
        true = len(text.spans) - 1
        right = len(_gaps(text, cuts))
        inside = _inside(text, edges[1:])
        return _FoundBoundaries(
            text=text,
            right=right,
            found=len(cuts),
            true=true,
            is_wrong=right != true or len(cuts) != true,
            chunk_ends=len(edges[1:]),
            inside=len(inside),
            forced=sum(len(text.spans[index]) > chunker.settings.max_size for index in inside),
        )

    return attempt


def _gaps(text: KnownSentences, cuts: Iterable[int]) -> set[int]:
    """Return the sentences that some cut falls right in front of, or into the white space in front of."""
    starts = [span.start for span in text.spans]
    gaps = set(range(1, len(starts)))
    return {index for cut in cuts if (index := bisect_left(starts, cut)) in gaps and text.spans[index - 1].end <= cut}


def _inside(text: KnownSentences, cuts: Iterable[int]) -> list[int]:
    """List the sentence each cut falls into, for the cuts that fall into one; white space between two is neither's."""
    starts = [span.start for span in text.spans]
    found: list[int] = []
    for cut in cuts:
        index = bisect_right(starts, cut) - 1
        if index >= 0 and text.spans[index].start < cut < text.spans[index].end:
            found.append(index)
    return found


_UNSPACED = frozenset({Language.JA, Language.ZH})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSentences(Case):
    """A text and where its sentences are."""

    text: str  #: The text, white space between sentences included.
    language: Language  #: What it is written in.
    spans: tuple[Span, ...]  #: Its sentences without the white space between them, in order.
    is_marked: bool  #: Whether the text was given, with its sentences marked in it; else it was joined from them.

    @property
    def is_held_back(self) -> bool:
        """Whether it is marked, and in the blind half; what was joined is always measured."""
        return self.is_marked and self.is_blind


def _known_sentences(record: Record, _: int) -> KnownSentences:
    sentences = [sentence.strip() for sentence in record.texts("sentences")]
    if not sentences or not all(sentences):
        raise record.refuse("sentences", "at least one sentence, and none that is blank")
    is_marked = "text" in record.fields
    language = record.language(" ".join(sentences))
    text = record.text("text") if is_marked else ("" if language in _UNSPACED else " ").join(sentences)
    return KnownSentences(
        id=record.name("id"),
        text=text,
        language=language,
        spans=tuple(_spans(text, sentences, record)),
        is_marked=is_marked,
    )


def _spans(text: str, sentences: Sequence[str], record: Record) -> Iterator[Span]:
    end = 0
    for sentence in sentences:
        start = len(text) - len(text[end:].lstrip())
        if not text.startswith(sentence, start):
            raise InvalidValue(
                f'{record.where}: "text" goes on with {text[start : start + 20]!r} where the next of "sentences" is '
                f"{sentence[:20]!r}: give sentences that, with white space between them, are the text."
            )
        end = start + len(sentence)
        yield Span(start, end)
    if text[end:].strip():
        raise InvalidValue(
            f'{record.where}: "text" ends with {text[end:].strip()[:20]!r}, which no sentence holds: give all sentences.'
        )


SENTENCE_SETS = SetForm(
    line='{"id", "lang", "sentences"} or {"id", "lang", "text", "sentences"}',
    fits=lambda first: "sentences" in first.fields,
    read_one=_known_sentences,
)
"""Texts whose sentences are known."""


def main() -> None:
    """Measure every set, and print a table."""
    parser = options(__doc__)
    parser.add_argument("--blind", action="store_true", help="measure the blind half of marked texts too")
    given = parser.parse_args()
    show(partial(evaluate_sentences, given.paths), given, COLUMNS)


if __name__ == "__main__":
    main()
