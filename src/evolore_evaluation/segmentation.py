"""Measuring how well boundaries are found, by the protocol of docs/protocols.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Protocol

import numpy as np
import numpy.typing as npt

from evolore.chunking.division import segment
from evolore.chunking.settings import SegmentationSettings
from evolore.errors import InvalidValue
from evolore.ports import Embedder
from evolore.text.tokens import ANALYSER_VERSION
from evolore_evaluation.measure import ALL_VISIBLE, Measure, MeasuredSet, RememberingEmbedder, Run, megabytes_per_second
from evolore_evaluation.records import Record, SetForm
from evolore_evaluation.reports import Json, Report

_AT_SEGMENTS = "_at_segments"
_RUNS: tuple[str, ...] = ("", "_at_target", _AT_SEGMENTS)
"""What each text is cut with, as it ends the names of its figures: nothing known, the target size, the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cuts:
    text: SegmentedText
    target_characters: float
    boundaries: Mapping[str, tuple[int, ...]]
    cpu_seconds: float


class Segmenter(Protocol):
    """What is measured: it finds boundaries between units."""

    def __call__(
        self, units: Sequence[str], *, target_characters: float | None = None, segments: int | None = None
    ) -> Sequence[int]:
        """Return the first unit of each segment but the first."""
        ...


def evaluate_segmentation(
    paths: Sequence[Path],
    run: Run = ALL_VISIBLE,
    *,
    target_characters: float | None = None,
    segmenter: Segmenter | None = None,
    embedder: Embedder | None = None,
) -> Report:
    """Measure segmentation on sets of ``{id, lang, sentences, boundaries}``.

    Each text is cut three times: knowing nothing, with the target size, with the number of segments. Figures of a set
    are averages over its texts: ``pk`` and ``window_diff`` (lower is better), ``boundary_ratio`` over the whole set, the
    first two also ``_at_segments``, all three ``_at_target``, and ``megabytes_per_second`` of CPU time in the first run,
    tokens included, with 10⁶ bytes of UTF-8 to the megabyte.

    Args:
        paths: Files, or folders of them.
        run: How much is measured, though the target is that of the whole set; predictions are ``{"set", "id",
            "boundaries", "boundaries_at_target", "boundaries_at_segments"}``, the first of the run that knew nothing.
        target_characters: The target size; by default each set's own mean segment length. Pass what a development
            part printed when the held-out part is measured.
        segmenter: What is measured; by default ``evolore.chunking.segment`` at its default settings.
        embedder: Provides that default with the sentences' vectors to weigh too.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    if target_characters is not None and not 0 < target_characters < math.inf:
        raise InvalidValue(f"The target size is {target_characters}: give a number of characters above 0.")
    measure = Measure(
        system="segmentation",
        read=lambda path: _aimed(SEGMENTATION_SETS.read(path), target_characters)[: run.limit],
        begin=partial(_cutting, segmenter or default_segmenter(embedder)),
        figures=_figures,
    )
    settings: dict[str, Json] = {
        "analyser": ANALYSER_VERSION,
        "segmentation": asdict(SegmentationSettings()) if segmenter is None else None,
        "embedder": None if embedder is None else embedder.model.id,
        "target_characters": target_characters,
        "limit": run.limit,
    }
    return measure.report(SEGMENTATION_SETS.find(paths), run, settings)


def _aimed(texts: Sequence[SegmentedText], target: float | None) -> list[tuple[SegmentedText, float]]:
    """Return each text with the target size: the given one, or the mean segment length of all of them."""
    aim = mean_segment_characters(texts) if target is None else target
    return [(text, aim) for text in texts]


def _cutting(
    segmenter: Segmenter, texts: MeasuredSet[tuple[SegmentedText, float]]
) -> Callable[[tuple[SegmentedText, float]], _Cuts]:
    def attempt(aimed: tuple[SegmentedText, float]) -> _Cuts:
        cuts = _cut(*aimed, segmenter)
        texts.write({"id": cuts.text.id} | {f"boundaries{run}": cuts.boundaries[run] for run in _RUNS})
        return cuts

    return attempt


def _figures(cuts: Sequence[_Cuts]) -> dict[str, float]:
    figures: dict[str, float] = {"documents": len(cuts), "target_characters": cuts[0].target_characters}
    for run in _RUNS:
        figures |= _score([cut.text for cut in cuts], [cut.boundaries[run] for cut in cuts], run)
    speed = megabytes_per_second(sum(cut.text.bytes for cut in cuts), sum(cut.cpu_seconds for cut in cuts))
    return figures | {"megabytes_per_second": speed}


def _cut(text: SegmentedText, target_characters: float, segmenter: Segmenter) -> _Cuts:
    started = process_time()
    unaided = segmenter(text.sentences)
    cpu_seconds = process_time() - started
    at_target = segmenter(text.sentences, target_characters=target_characters)
    at_segments = segmenter(text.sentences, segments=len(text.boundaries) + 1)
    found = (tuple(map(int, boundaries)) for boundaries in (unaided, at_target, at_segments))
    boundaries = dict(zip(_RUNS, found, strict=True))
    return _Cuts(text=text, target_characters=target_characters, boundaries=boundaries, cpu_seconds=cpu_seconds)


def _score(texts: Sequence[SegmentedText], cuts: Sequence[Sequence[int]], run: str) -> dict[str, float]:
    pairs = list(zip(texts, cuts, strict=True))
    scores = {
        f"pk{run}": _mean([pk(text.boundaries, cut, len(text.sentences)) for text, cut in pairs]),
        f"window_diff{run}": _mean([window_diff(text.boundaries, cut, len(text.sentences)) for text, cut in pairs]),
    }
    if run != _AT_SEGMENTS:
        scores[f"boundary_ratio{run}"] = boundary_ratio([text.boundaries for text in texts], cuts)
    return scores


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def default_segmenter(embedder: Embedder | None = None) -> Segmenter:
    """Return what cuts with ``evolore.chunking.segment`` at its default settings; each text is embedded once."""
    remembering = None if embedder is None else RememberingEmbedder(embedder)

    def cut(
        units: Sequence[str], *, target_characters: float | None = None, segments: int | None = None
    ) -> Sequence[int]:
        return segment(units, target_characters=target_characters, segments=segments, embedder=remembering).boundaries

    return cut


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentedText:
    """A text in sentences, and where its segments begin."""

    id: str  #: Its name in its set.
    sentences: tuple[str, ...]  #: Its units, at least one.
    #: First sentence of each segment but the first, ascending, each in 1..len(sentences)-1.
    boundaries: tuple[int, ...]

    @property
    def characters(self) -> int:
        """How many characters its sentences have."""
        return sum(map(len, self.sentences))

    @property
    def bytes(self) -> int:
        """How many bytes its sentences have in UTF-8."""
        return sum(len(sentence.encode("utf-8", "surrogatepass")) for sentence in self.sentences)


def mean_segment_characters(texts: Sequence[SegmentedText]) -> float:
    """Return the mean length of a true segment in characters, over all segments of a set."""
    return sum(text.characters for text in texts) / sum(len(text.boundaries) + 1 for text in texts)


def _segmented_text(record: Record, _: int) -> SegmentedText:
    sentences = record.texts("sentences")
    if not sentences:
        raise record.refuse("sentences", "at least one sentence")
    boundaries = record.whole_numbers("boundaries")
    outside = [boundary for boundary in boundaries if not 0 <= boundary < len(sentences)]
    if outside:
        raise InvalidValue(
            f'{record.where}: "boundaries" holds {outside[0]}: give sentence numbers from 0 to {len(sentences) - 1}.'
        )
    # Some sets name the first sentence too; it begins the first segment and is no boundary between two.
    return SegmentedText(id=record.name("id"), sentences=sentences, boundaries=tuple(sorted({*boundaries} - {0})))


SEGMENTATION_SETS = SetForm(
    line='{"id", "lang", "sentences", "boundaries"}',
    fits=lambda first: {"sentences", "boundaries"} <= first.fields.keys(),
    read_one=_segmented_text,
)
"""Segmented texts."""


def window_size(reference: Collection[int], units: int) -> int:
    """Return k: half the mean length of a reference segment, rounded half to even, at least 2.

    >>> window_size([5, 8], 12)
    2
    """
    return max(2, round(units / (len(reference) + 1) / 2))


def pk(reference: Collection[int], predicted: Collection[int], units: int) -> float:
    """Return Pk, 0–1: how often two units k apart are in one segment for one side only (Beeferman et al. 1999).

    Returns:
        The share of the ``units - k`` windows on which the two disagree; 0 where there is no window.

    >>> pk([4], [], 8)
    0.3333333333333333
    """
    inside_reference, inside_predicted = _boundaries_in_windows(reference, predicted, units)
    return _share((inside_reference == 0) != (inside_predicted == 0))


def window_diff(reference: Collection[int], predicted: Collection[int], units: int) -> float:
    """Return WindowDiff, 0–1: how often a window of k holds another number of boundaries (Pevzner & Hearst 2002).

    Returns:
        The share of the ``units - k`` windows on which the two disagree; 0 where there is no window.

    >>> window_diff([4], [3, 4], 8)
    0.3333333333333333
    """
    inside_reference, inside_predicted = _boundaries_in_windows(reference, predicted, units)
    return _share(inside_reference != inside_predicted)


def boundary_ratio(references: Sequence[Collection[int]], predictions: Sequence[Collection[int]]) -> float:
    """Return the predicted boundaries of a set for one true one: below 1 cuts too rarely, above too often."""
    return sum(map(len, predictions)) / max(1, sum(map(len, references)))


def _boundaries_in_windows(
    reference: Collection[int], predicted: Collection[int], units: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    size = window_size(reference, units)
    return _count_in_windows(reference, units, size), _count_in_windows(predicted, units, size)


def _count_in_windows(boundaries: Collection[int], units: int, size: int) -> npt.NDArray[np.int64]:
    """Count the boundaries in (i, i + size] for every i from 0 to units - size - 1."""
    marks = np.zeros(units, dtype=np.int64)
    marks[[boundary for boundary in boundaries if 0 < boundary < units]] = 1
    before = np.cumsum(marks)
    return before[size:] - before[: max(0, units - size)]


def _share(disagreements: npt.NDArray[np.bool_]) -> float:
    return float(disagreements.mean()) if disagreements.size else 0.0
