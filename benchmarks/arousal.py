"""Print how well arousal is estimated: ``python benchmarks/arousal.py [--blind] PATH…``.

A set has lines ``{id, lang, text, arousal}``. Printed are Spearman's rank correlation, the mean error, the share of
estimates within 0.2, and the time beside the embedding, by docs/protocols.md. ``--blind`` measures the blind half too,
and prints both halves; ``--limit N`` takes so many texts of each set, ``--predictions FILE`` writes each prediction,
``--json`` prints every figure. The default embedder makes the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evolore.flows.embedding import embed
from evolore.models.embedders import shipped_arousal
from evolore.models.use import UseEmbedder
from evolore.ports import Embedder, TextRole
from evolore.recall.arousal import ArousalSpaces, EstimateArousal
from evolore.text.scripts import detect_language
from evolore_evaluation.measure import ALL_VISIBLE, MeasuredSet, Run
from evolore_evaluation.records import Record, SetForm
from evolore_evaluation.reports import Report
from labelled import Found, LabelledText, cpu_timed, measure_texts
from measuring import COUNT, SHARE, TIME, options, show

COLUMNS = {
    "texts": ("texts", COUNT),
    "rank_correlation": ("rank corr.", SHARE),
    "mean_error": ("mean error", SHARE),
    "within_0_2": ("within 0.2", SHARE),
    "mean_estimate": ("mean estimate", SHARE),
    "p50_ms": ("p50 ms", TIME),
}
_NEAR = 0.2
_ROUNDING = 1e-9


def evaluate_arousal(paths: Sequence[Path], run: Run = ALL_VISIBLE, *, embedder: Embedder) -> Report:
    """Measure estimates of arousal on sets of ``{id, lang, text, arousal}``, whose lines may hold ``tricky``.

    ``rank_correlation`` is Spearman's, left out where all ratings or all estimates are one; ``mean_error`` the mean
    absolute one; ``within_0_2`` the share of estimates at most 0.2 away. Only the text is given to what is measured.
    Languages of a set are also given apart, and so are tricky texts and the rest.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
        EmbedderBroken: The vectors are not what an embedder must return.
    """
    begin = partial(_estimating, embedder, ArousalSpaces(shipped_arousal).estimates(embedder.model))
    return measure_texts("arousal", AROUSAL_SETS, paths, run, embedder=embedder, begin=begin, figures=_arousal_figures)


def _estimating(
    embedder: Embedder, estimate: EstimateArousal, texts: MeasuredSet[RatedText]
) -> Callable[[RatedText], Found[RatedText, float]]:
    def attempt(rated: RatedText) -> Found[RatedText, float]:
        vector = embed(embedder, [rated.text], role=TextRole.PASSAGE)[0]
        found, ms = cpu_timed(lambda: estimate(rated.text, vector, language=detect_language(rated.text)))
        texts.write({"id": rated.id, "arousal": found})
        return Found(text=rated, value=found, ms=ms)

    return attempt


def _arousal_figures(estimated: Sequence[Found[RatedText, float]]) -> dict[str, float]:
    figures = {"texts": float(len(estimated))}
    if estimated:
        true = np.array([one.text.arousal for one in estimated])
        found = np.array([one.value for one in estimated])
        errors = np.abs(true - found)
        ranks = (_ranks(true), _ranks(found))
        correlation = None if any(float(one.std()) == 0.0 for one in ranks) else float(np.corrcoef(*ranks)[0, 1])
        if correlation is not None:
            figures["rank_correlation"] = correlation
        figures["mean_error"] = float(errors.mean())
        figures["within_0_2"] = float((errors <= _NEAR + _ROUNDING).mean())
        figures["mean_estimate"] = float(found.mean())
    return figures


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2.0)[places]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedText(LabelledText):
    """A text and how strongly it is felt."""

    arousal: float  #: How strongly felt it is, 0-1.


def _rated_text(record: Record, number: int) -> RatedText:
    text = record.filled("text")
    return RatedText(
        id=record.optional_name("id") or str(number),
        language=record.optional_name("lang") or detect_language(text).value,
        text=text,
        arousal=record.share("arousal"),
        is_tricky=record.fields.get("tricky") is True,
    )


AROUSAL_SETS = SetForm(
    line='{"id", "lang", "text", "arousal"}',
    fits=lambda first: {"text", "arousal"} <= set(first.fields),
    read_one=_rated_text,
)
"""Texts of which it is known how strongly they are felt; those without an id are named by their place."""


def main() -> None:
    """Measure every set, and print a table."""
    parser = options(__doc__)
    parser.add_argument("--blind", action="store_true", help="measure the blind half too, and print both halves")
    given = parser.parse_args()
    show(partial(evaluate_arousal, given.paths, embedder=UseEmbedder()), given, COLUMNS)


if __name__ == "__main__":
    main()
