"""Measuring how well boundaries are found, by the protocol of docs/evaluation.md."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from time import process_time
from typing import TYPE_CHECKING, Protocol

from evolore.chunking.segmentation import SegmentationSettings, segment
from evolore.errors import InvalidValue
from evolore.evaluation.boundary_metrics import boundary_ratio, pk, window_diff
from evolore.evaluation.predictions import writing_predictions
from evolore.evaluation.remembering import RememberingEmbedder
from evolore.evaluation.reports import Report, SetResult
from evolore.evaluation.segmentation_sets import find_segmentation_sets, mean_segment_characters, read_segmented_texts
from evolore.evaluation.sets import check_count, set_name
from evolore.text.tokens import ANALYSER_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evolore.evaluation.predictions import WritePrediction
    from evolore.evaluation.reports import Json, Progress
    from evolore.evaluation.segmentation_sets import SegmentedText
    from evolore.ports import Embedder

_MEGABYTE = 1_000_000
_SHORTEST_SECONDS = 1e-9
_AT_SEGMENTS = "_at_segments"
_RUNS = ("", "_at_target", _AT_SEGMENTS)
"""What each text is cut with, as it ends the names of its figures: nothing known, the target size, the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cuts:
    boundaries: Mapping[str, tuple[int, ...]]
    cpu_seconds: float


class Segmenter(Protocol):
    """What is measured: it finds boundaries between units."""

    def __call__(
        self, units: Sequence[str], *, target_characters: float | None = None, segments: int | None = None
    ) -> Sequence[int]:
        """Give the first unit of each segment but the first.

        Args:
            units: The sentences of a text, with nothing between them.
            target_characters: The length a segment should have, where it is known.
            segments: How many segments there are, where it is known.
        """
        ...


def evaluate_segmentation(
    paths: Sequence[Path],
    *,
    target_characters: float | None = None,
    limit: int | None = None,
    predictions: Path | None = None,
    progress: Progress | None = None,
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
        target_characters: The target size; by default each set's own mean segment length. Give what a development
            part printed when the held-out part is measured.
        limit: Measure on the first so many texts of each set; the target is still that of the whole set.
        predictions: Write ``{"set", "id", "boundaries", "boundaries_at_target", "boundaries_at_segments"}`` here as
            JSON lines; ``boundaries`` are those of the run that knew nothing.
        progress: Told after every text.
        segmenter: What is measured; by default ``evolore.chunking.segment`` at its default settings.
        embedder: Gives that default the sentences' vectors to weigh too.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(limit, "limit")
    _check_target(target_characters)
    found = find_segmentation_sets(paths)
    with writing_predictions(predictions) as write:
        results = [
            _measure_set(
                path,
                segmenter=segmenter or default_segmenter(embedder),
                target_characters=target_characters,
                limit=limit,
                write=write,
                progress=progress,
            )
            for path in found
        ]
    settings: dict[str, Json] = {
        "analyser": ANALYSER_VERSION,
        "segmentation": asdict(SegmentationSettings()) if segmenter is None else None,
        "embedder": None if embedder is None else embedder.model.id,
        "target_characters": target_characters,
        "limit": limit,
    }
    return Report(system="segmentation", settings=settings, sets=tuple(results))


def _measure_set(
    path: Path,
    *,
    segmenter: Segmenter,
    target_characters: float | None,
    limit: int | None,
    write: WritePrediction,
    progress: Progress | None,
) -> SetResult:
    every, name = read_segmented_texts(path), set_name(path)
    target = mean_segment_characters(every) if target_characters is None else target_characters
    texts = every[:limit]
    cuts: list[_Cuts] = []
    for text in texts:
        cuts.append(_cut(text, segmenter, target))
        boundaries = cuts[-1].boundaries
        write({"set": name, "id": text.id} | {f"boundaries{run}": boundaries[run] for run in _RUNS})
        if progress:
            progress(name, len(cuts), len(texts))
    metrics: dict[str, float] = {"documents": len(texts), "target_characters": target}
    for run in _RUNS:
        metrics |= _score(texts, [cut.boundaries[run] for cut in cuts], run)
    megabytes = sum(text.bytes for text in texts) / _MEGABYTE
    metrics["megabytes_per_second"] = megabytes / max(sum(cut.cpu_seconds for cut in cuts), _SHORTEST_SECONDS)
    return SetResult(name=name, metrics=metrics)


def _cut(text: SegmentedText, segmenter: Segmenter, target_characters: float) -> _Cuts:
    started = process_time()
    unaided = segmenter(text.sentences)
    cpu_seconds = process_time() - started
    at_target = segmenter(text.sentences, target_characters=target_characters)
    at_segments = segmenter(text.sentences, segments=len(text.boundaries) + 1)
    found = (tuple(map(int, boundaries)) for boundaries in (unaided, at_target, at_segments))
    return _Cuts(boundaries=dict(zip(_RUNS, found, strict=True)), cpu_seconds=cpu_seconds)


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
    """Give what cuts with ``evolore.chunking.segment`` at its default settings; each text is embedded once."""
    remembering = None if embedder is None else RememberingEmbedder(embedder)

    def cut(
        units: Sequence[str], *, target_characters: float | None = None, segments: int | None = None
    ) -> Sequence[int]:
        return segment(units, target_characters=target_characters, segments=segments, embedder=remembering).boundaries

    return cut


def _check_target(target_characters: float | None) -> None:
    if target_characters is not None and not 0 < target_characters < math.inf:
        raise InvalidValue(f"The target size is {target_characters}: give a number of characters above 0.")
