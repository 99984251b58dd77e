"""Measuring how well it is estimated how strongly texts are felt, by the protocol of docs/evaluation.md."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median
from time import process_time_ns
from typing import TYPE_CHECKING

import numpy as np

from evolore.flows.embedding import embed
from evolore.models.embedders import shipped_arousal
from evolore.ports import TextRole
from evolore.recall.arousal import ArousalSpaces
from evolore.text.scripts import detect_language
from evolore_evaluation.halves import LabelledText, MeasuredScope, group_by_label
from evolore_evaluation.predictions import writing_predictions
from evolore_evaluation.records import check_count, find_sets, read_named, set_name
from evolore_evaluation.reports import Report, SetResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from evolore.ports import Embedder
    from evolore.recall.arousal import EstimateArousal
    from evolore_evaluation.predictions import WritePrediction
    from evolore_evaluation.records import Record
    from evolore_evaluation.reports import Json, Progress

_NANOSECONDS_PER_MS = 1e6
_NEAR = 0.2
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimated:
    """A text, the estimate, and the CPU time that took without embedding it, in milliseconds."""

    rated: RatedText
    estimate: float
    ms: float


def evaluate_arousal(
    paths: Sequence[Path],
    *,
    embedder: Embedder,
    blind: bool = False,
    limit: int | None = None,
    predictions: Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Measure estimates of arousal on sets of ``{id, lang, text, arousal}``, whose lines may hold ``tricky``.

    ``rank_correlation`` is Spearman's, left out where all ratings or all estimates are one; ``mean_error`` the mean
    absolute one; ``within_0_2`` the share of estimates at most 0.2 away. Only the text is given to what is measured.
    Languages of a set are also given apart, and so are tricky texts and the rest.

    Args:
        paths: Files, or folders of them.
        embedder: What embeds the texts.
        blind: Measure the blind half too, and give the figures of either half apart. Nothing is tuned on it: look
            rarely, and keep a log.
        limit: Measure on the first so many texts of each set.
        predictions: Write ``{"set", "id", "arousal"}`` here as JSON lines.
        progress: Told after every text.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
        EmbedderBroken: The vectors are not what an embedder must give.
    """
    check_count(limit, "limit")
    scope = MeasuredScope(blind=blind, limit=limit, progress=progress)
    found = find_arousal_sets(paths)
    estimate = ArousalSpaces(shipped_arousal).estimates(embedder.model)
    with writing_predictions(predictions) as write:
        trial = _ArousalTrial(embedder, estimate, write)
        results = tuple(_measure_set(path, scope, trial) for path in found)
    settings: dict[str, Json] = {"embedder": embedder.model.id, "blind": blind, "limit": limit}
    return Report(system="arousal", settings=settings, sets=results)


@dataclass(frozen=True, slots=True)
class _ArousalTrial:
    """Estimates one text after another, and keeps what was predicted."""

    embedder: Embedder
    estimate: EstimateArousal
    write: WritePrediction

    def run(self, set_name: str, rated: RatedText) -> _Estimated:
        vector = embed(self.embedder, [rated.text], role=TextRole.PASSAGE)[0]
        began = process_time_ns()
        estimate = self.estimate(rated.text, vector, language=detect_language(rated.text))
        ms = (process_time_ns() - began) / _NANOSECONDS_PER_MS
        self.write({"set": set_name, "id": rated.id, "arousal": estimate})
        return _Estimated(rated=rated, estimate=estimate, ms=ms)


def _measure_set(path: Path, scope: MeasuredScope, trial: _ArousalTrial) -> SetResult:
    name = set_name(path)
    estimated = scope.measure(name, scope.chosen(read_rated_texts(path)), partial(trial.run, name))
    groups = group_by_label(estimated, lambda one: one.rated, blind=scope.blind)
    metrics = _figures(estimated)
    if estimated:
        metrics["p50_ms"] = median(one.ms for one in estimated)
    return SetResult(name=name, metrics=metrics, categories={label: _figures(group) for label, group in groups.items()})


def _figures(estimated: Sequence[_Estimated]) -> dict[str, float]:
    figures = {"texts": float(len(estimated))}
    if estimated:
        true = np.array([one.rated.arousal for one in estimated])
        found = np.array([one.estimate for one in estimated])
        errors = np.abs(true - found)
        correlation = _rank_correlation(true, found)
        if correlation is not None:
            figures["rank_correlation"] = correlation
        figures["mean_error"] = float(errors.mean())
        figures["within_0_2"] = float((errors <= _NEAR + _ROUNDING).mean())
        figures["mean_estimate"] = float(found.mean())
    return figures


def _rank_correlation(true: npt.NDArray[np.float64], found: npt.NDArray[np.float64]) -> float | None:
    """Return Spearman's rank correlation, ties at their mean rank; None where either is constant."""
    ranks = (_ranks(true), _ranks(found))
    if any(float(one.std()) == 0.0 for one in ranks):
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2.0)[places]


_FORM = '{"id", "lang", "text", "arousal"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedText(LabelledText):
    """A text and how strongly it is felt.

    Args:
        id: Its name in its set.
        language: What it is written in, as its set says or as it looks; it groups figures and decides nothing.
        text: What is said.
        arousal: How strongly felt it is, 0-1.
        is_tricky: Whether its wording is louder, or quieter, than what is felt.
    """

    arousal: float


def find_arousal_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of rated texts that the paths name, as ``find_sets`` does and raises."""
    return find_sets(paths, fits=lambda first: {"text", "arousal"} <= set(first.fields), form=_FORM)


def read_rated_texts(path: Path) -> tuple[RatedText, ...]:
    """Read a whole set; texts without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, its arousal is none, or two have one id.
    """
    return read_named(path, _rated_text)


def _rated_text(record: Record, number: int) -> RatedText:
    text = record.filled("text")
    return RatedText(
        id=record.optional_name("id") or str(number),
        language=record.optional_name("lang") or detect_language(text).value,
        text=text,
        arousal=record.share("arousal"),
        is_tricky=record.fields.get("tricky") is True,
    )
