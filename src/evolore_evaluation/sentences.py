"""Measuring whether texts are cut between sentences, by the protocol of docs/evaluation.md."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from evolore.chunking.chunker import Chunker
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.text.sentences import sentence_starts
from evolore_evaluation.halves import Case, MeasuredScope
from evolore_evaluation.predictions import writing_predictions
from evolore_evaluation.records import check_count, find_sets, read_named, set_name
from evolore_evaluation.reports import Report, SetResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evolore_evaluation.predictions import WritePrediction
    from evolore_evaluation.records import Record
    from evolore_evaluation.reports import Json, Progress


class SentenceSplitter(Protocol):
    """What is measured: it finds sentences."""

    def __call__(self, text: str, language: Language) -> Sequence[int]:
        """Return the offset where each sentence starts, ascending; the first is 0."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _FoundBoundaries:
    """What was found in one text, counted.

    Args:
        right: Starts of sentences found where one is.
        found: Starts found, that of the text left out.
        true: Starts there are, that of the text left out.
        is_wrong: Whether the text is divided in any other way than it should be.
        chunk_ends: How many chunks end before the text does.
        inside: How many of them end inside a sentence.
        forced: How many of those end inside a sentence that is longer than a chunk may be.
    """

    right: int
    found: int
    true: int
    is_wrong: bool
    chunk_ends: int = 0
    inside: int = 0
    forced: int = 0


@dataclass(slots=True)
class _BoundaryTally:
    """The counts of many texts, and the figures they make."""

    of: list[_FoundBoundaries] = field(default_factory=list[_FoundBoundaries])

    def boundaries(self) -> dict[str, float]:
        right = sum(one.right for one in self.of)
        found, true = sum(one.found for one in self.of), sum(one.true for one in self.of)
        precision, recall = right / found if found else 1.0, right / true if true else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return {"precision": precision, "recall": recall, "f1": f1}

    def errors(self) -> dict[str, float]:
        return {"errors": sum(one.is_wrong for one in self.of) / len(self.of)}

    def chunk_ends(self) -> dict[str, float]:
        ends = sum(one.chunk_ends for one in self.of)
        shares = {
            "chunk_ends_inside": sum(one.inside for one in self.of) / max(ends, 1),
            "chunk_ends_forced": sum(one.forced for one in self.of) / max(ends, 1),
        }
        return {"chunk_ends": float(ends)} | shares


def evaluate_sentences(
    paths: Sequence[Path],
    *,
    blind: bool = False,
    limit: int | None = None,
    predictions: Path | None = None,
    progress: Progress | None = None,
    splitter: SentenceSplitter | None = None,
) -> Report:
    """Measure sentences on sets of ``{id, lang, sentences}``, whose lines may hold the ``text`` they are marked in.

    Without a text, the sentences are joined, by spaces or, in Japanese and Chinese, by nothing, the whole is chunked at
    default settings, and ``chunk_ends_inside`` is the share of chunk ends that fall inside a sentence;
    ``chunk_ends_forced`` the share that fall inside one longer than a chunk may be. With a text, ``errors`` is the share
    of texts divided anywhere in another way than marked. Both have ``precision``, ``recall`` and ``f1`` of the starts of
    sentences, over the whole set.

    Args:
        paths: Files, or folders of them.
        blind: Measure marked texts of the blind half too, and give the figures of either half apart. Rules are not
            tuned on it: look rarely, and keep a log.
        limit: Measure on the first so many texts of each set.
        predictions: Write ``{"set", "id", "starts", "chunk_starts"}`` here as JSON lines, in characters of the text.
        progress: Told after every text.
        splitter: What is measured; by default our own. Chunks are always cut by the default chunker.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(limit, "limit")
    scope = MeasuredScope(blind=blind, limit=limit, progress=progress)
    found = find_sentence_sets(paths)
    chunker = Chunker()
    with writing_predictions(predictions) as write:
        trial = _SentenceTrial(splitter or sentence_starts, chunker, write)
        results = tuple(_measure_set(path, scope, trial) for path in found)
    settings: dict[str, Json] = {"chunking": asdict(chunker.settings), "blind": blind, "limit": limit}
    return Report(system="sentences", settings=settings, sets=results)


def _measure_set(path: Path, scope: MeasuredScope, trial: _SentenceTrial) -> SetResult:
    name, texts = set_name(path), scope.chosen(read_known_sentences(path))
    pairs = list(zip(texts, scope.measure(name, texts, partial(trial.run, name)), strict=True))
    counts = {"documents": float(len(texts)), "sentences": float(sum(len(text.spans) for text in texts))}
    return SetResult(name=name, metrics=counts | _figures(pairs), categories=_halves(pairs) if scope.blind else {})


def _halves(pairs: Sequence[tuple[KnownSentences, _FoundBoundaries]]) -> dict[str, Mapping[str, float]]:
    halves: dict[str, Mapping[str, float]] = {}
    for half in ("visible", "blind"):
        of_half = [pair for pair in pairs if pair[0].is_marked and pair[0].half == half]
        if of_half:
            halves[half] = {"documents": float(len(of_half))} | _figures(of_half)
    return halves


def _figures(pairs: Sequence[tuple[KnownSentences, _FoundBoundaries]]) -> dict[str, float]:
    marked = _BoundaryTally([found for text, found in pairs if text.is_marked])
    joined = _BoundaryTally([found for text, found in pairs if not text.is_marked])
    figures = _BoundaryTally([found for _, found in pairs]).boundaries() if pairs else {}
    if marked.of:
        figures |= marked.errors()
    if joined.of:
        figures |= joined.chunk_ends()
    return figures


@dataclass(frozen=True, slots=True)
class _SentenceTrial:
    """Divides one text after another, and keeps what was predicted."""

    splitter: SentenceSplitter
    chunker: Chunker
    write: WritePrediction

    def run(self, set_name: str, text: KnownSentences) -> _FoundBoundaries:
        starts = list(self.splitter(text.text, text.language))
        edges = [] if text.is_marked else [leaf.span.start for leaf in self.chunker.chunk(text.text).leaves]
        self.write({"set": set_name, "id": text.id, "starts": starts, "chunk_starts": edges})
        cuts = [start for start in starts if start > text.spans[0].start]
        true = len(text.spans) - 1
        right = len(_gaps(text, cuts))
        inside = _inside(text, edges[1:])
        return _FoundBoundaries(
            right=right,
            found=len(cuts),
            true=true,
            is_wrong=right != true or len(cuts) != true,
            chunk_ends=len(edges[1:]),
            inside=len(inside),
            forced=sum(len(text.spans[index]) > self.chunker.settings.max_size for index in inside),
        )


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


_FORM = '{"id", "lang", "sentences"} or {"id", "lang", "text", "sentences"}'
_UNSPACED = frozenset({Language.JA, Language.ZH})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSentences(Case):
    """A text and where its sentences are.

    Args:
        id: Its name in its set.
        text: The text, white space between sentences included.
        language: What it is written in.
        spans: Its sentences without the white space between them, in order.
        is_marked: Whether the text was given, with its sentences marked in it; else it was joined from them.
    """

    text: str
    language: Language
    spans: tuple[Span, ...]
    is_marked: bool

    @property
    def is_held_back(self) -> bool:
        """Whether it is marked, and in the blind half; what was joined is always measured."""
        return self.is_marked and self.is_blind


def find_sentence_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of texts with known sentences that the paths name, as ``find_sets`` does and raises."""
    return find_sets(paths, fits=lambda first: "sentences" in first.fields, form=_FORM)


def read_known_sentences(path: Path) -> tuple[KnownSentences, ...]:
    """Read a whole set.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, its sentences are not those of its text, or two have one id.
    """
    return read_named(path, lambda record, _: _known_sentences(record))


def _known_sentences(record: Record) -> KnownSentences:
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
