"""Measuring how often a question's intent is guessed right, and how well arousal is estimated, by docs/protocols.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evolore.domain.query import Intent
from evolore.flows.embedding import embed
from evolore.flows.intent import IntentSpaces, guess_intent
from evolore.models.embedders import shipped_arousal, shipped_intents
from evolore.ports import Embedder, TextRole
from evolore.recall.arousal import ArousalSpaces, EstimateArousal
from evolore.recall.question import IntentGuess
from evolore.text.scripts import detect_language
from evolore_evaluation.measure import ALL_VISIBLE, Found, LabelledText, MeasuredSet, Run, cpu_timed, measure_texts
from evolore_evaluation.records import Record, SetForm
from evolore_evaluation.reports import Report


def evaluate_intents(paths: Sequence[Path], run: Run = ALL_VISIBLE, *, embedder: Embedder) -> Report:
    """Measure intents on sets of ``{id, lang, text, intent}``, whose lines may hold a ``note``.

    ``accuracy`` is the share guessed right; ``macro_f1`` the mean F1 of the intents that are there or were guessed.
    Only the text is given to what is measured. Languages of a set are also given apart, and so are questions whose
    note begins with "tricky:" and the rest.

    Args:
        paths: Files, or folders of them.
        run: How much is measured; predictions are ``{"set", "id", "intent", "confidence"}``.
        embedder: What embeds questions and prototypes.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
        EmbedderBroken: The vectors are not what an embedder must return.
    """
    begin = partial(_guessing, embedder, IntentSpaces(shipped_intents))
    return measure_texts("intents", INTENT_SETS, paths, run, embedder=embedder, begin=begin, figures=_intent_figures)


def _guessing(
    embedder: Embedder, spaces: IntentSpaces, asked: MeasuredSet[KnownIntent]
) -> Callable[[KnownIntent], Found[KnownIntent, IntentGuess]]:
    def attempt(known: KnownIntent) -> Found[KnownIntent, IntentGuess]:
        vector = embed(embedder, [known.text], role=TextRole.QUERY)[0]
        guess, ms = cpu_timed(lambda: guess_intent(known.text, vector, model=embedder.model, spaces=spaces))
        asked.write({"id": known.id, "intent": guess.intent, "confidence": guess.confidence})
        return Found(text=known, value=guess, ms=ms)

    return attempt


def _intent_figures(guessed: Sequence[Found[KnownIntent, IntentGuess]]) -> dict[str, float]:
    figures = {"queries": float(len(guessed))}
    if guessed:
        pairs = [(one.text.intent, one.value.intent) for one in guessed]
        figures["accuracy"] = sum(true is found for true, found in pairs) / len(pairs)
        f1: Mapping[Intent, float] = {
            intent: 2 * sum(pair == (intent, intent) for pair in pairs) / sum(pair.count(intent) for pair in pairs)
            for intent in Intent
            if any(intent in pair for pair in pairs)
        }
        figures["macro_f1"] = sum(f1.values()) / len(f1)
        figures["mean_confidence"] = sum(one.value.confidence for one in guessed) / len(guessed)
    return figures


_TRICKY = "tricky:"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownIntent(LabelledText):
    """A question and what it is after."""

    intent: Intent  #: What it is after.


def _known_intent(record: Record, number: int) -> KnownIntent:
    text, intent = record.filled("text", "a question"), record.text("intent")
    if intent not in set(Intent):
        raise record.refuse("intent", f"one of {', '.join(Intent)}")
    note = record.fields.get("note")
    return KnownIntent(
        id=record.optional_name("id") or str(number),
        language=record.optional_name("lang") or detect_language(text).value,
        text=text,
        intent=Intent(intent),
        is_tricky=isinstance(note, str) and note.startswith(_TRICKY),
    )


INTENT_SETS = SetForm(
    line='{"id", "lang", "text", "intent"}',
    fits=lambda first: {"text", "intent"} <= set(first.fields),
    read_one=_known_intent,
)
"""Questions with known intents; those without an id are named by their place."""


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
