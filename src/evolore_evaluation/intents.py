"""Measuring how often a question's intent is guessed right, by the protocol of docs/evaluation.md."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median
from time import process_time_ns
from typing import TYPE_CHECKING

from evolore.domain.query import Intent
from evolore.flows.embedding import embed
from evolore.flows.intent import IntentSpaces, guess_intent
from evolore.models.embedders import shipped_intents
from evolore.ports import TextRole
from evolore.text.scripts import detect_language
from evolore_evaluation.halves import LabelledText, MeasuredScope, group_by_label
from evolore_evaluation.predictions import writing_predictions
from evolore_evaluation.records import check_count, find_sets, read_named, set_name
from evolore_evaluation.reports import Report, SetResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evolore.ports import Embedder
    from evolore.recall.question import IntentGuess
    from evolore_evaluation.predictions import WritePrediction
    from evolore_evaluation.records import Record
    from evolore_evaluation.reports import Json, Progress

_NANOSECONDS_PER_MS = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Guessed:
    """A question, what was guessed, and the CPU time that took without embedding it, in milliseconds."""

    known: KnownIntent
    guess: IntentGuess
    ms: float


def evaluate_intents(
    paths: Sequence[Path],
    *,
    embedder: Embedder,
    blind: bool = False,
    limit: int | None = None,
    predictions: Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Measure intents on sets of ``{id, lang, text, intent}``, whose lines may hold a ``note``.

    ``accuracy`` is the share guessed right; ``macro_f1`` the mean F1 of the intents that are there or were guessed.
    Only the text is given to what is measured. Languages of a set are also given apart, and so are questions whose
    note begins with "tricky:" and the rest.

    Args:
        paths: Files, or folders of them.
        embedder: What embeds questions and prototypes.
        blind: Measure the blind half too, and give the figures of either half apart. Rules are not tuned on it: look
            rarely, and keep a log.
        limit: Measure on the first so many questions of each set.
        predictions: Write ``{"set", "id", "intent", "confidence"}`` here as JSON lines.
        progress: Told after every question.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
        EmbedderBroken: The vectors are not what an embedder must give.
    """
    check_count(limit, "limit")
    scope = MeasuredScope(blind=blind, limit=limit, progress=progress)
    found = find_intent_sets(paths)
    with writing_predictions(predictions) as write:
        trial = _IntentTrial(embedder, IntentSpaces(shipped_intents), write)
        results = tuple(_measure_set(path, scope, trial) for path in found)
    settings: dict[str, Json] = {"embedder": embedder.model.id, "blind": blind, "limit": limit}
    return Report(system="intents", settings=settings, sets=results)


@dataclass(frozen=True, slots=True)
class _IntentTrial:
    """Guesses the intent of one question after another, and keeps what was predicted."""

    embedder: Embedder
    spaces: IntentSpaces
    write: WritePrediction

    def run(self, set_name: str, known: KnownIntent) -> _Guessed:
        vector = embed(self.embedder, [known.text], role=TextRole.QUERY)[0]
        began = process_time_ns()
        guess = guess_intent(known.text, vector, model=self.embedder.model, spaces=self.spaces)
        ms = (process_time_ns() - began) / _NANOSECONDS_PER_MS
        self.write({"set": set_name, "id": known.id, "intent": guess.intent, "confidence": guess.confidence})
        return _Guessed(known=known, guess=guess, ms=ms)


def _measure_set(path: Path, scope: MeasuredScope, trial: _IntentTrial) -> SetResult:
    name = set_name(path)
    guessed = scope.measure(name, scope.chosen(read_known_intents(path)), partial(trial.run, name))
    groups = group_by_label(guessed, lambda one: one.known, blind=scope.blind)
    metrics = _figures(guessed)
    if guessed:
        metrics["p50_ms"] = median(one.ms for one in guessed)
    return SetResult(name=name, metrics=metrics, categories={label: _figures(group) for label, group in groups.items()})


def _figures(guessed: Sequence[_Guessed]) -> dict[str, float]:
    figures = {"queries": float(len(guessed))}
    if guessed:
        pairs = [(one.known.intent, one.guess.intent) for one in guessed]
        figures["accuracy"] = sum(true is found for true, found in pairs) / len(pairs)
        figures["macro_f1"] = _macro_f1(pairs)
        figures["mean_confidence"] = sum(one.guess.confidence for one in guessed) / len(guessed)
    return figures


def _macro_f1(pairs: Sequence[tuple[Intent, Intent]]) -> float:
    f1: Mapping[Intent, float] = {
        intent: 2 * sum(pair == (intent, intent) for pair in pairs) / sum(pair.count(intent) for pair in pairs)
        for intent in Intent
        if any(intent in pair for pair in pairs)
    }
    return sum(f1.values()) / len(f1)


_FORM = '{"id", "lang", "text", "intent"}'
_TRICKY = "tricky:"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownIntent(LabelledText):
    """A question and what it is after.

    Args:
        id: Its name in its set.
        language: What it is written in, as its set says or as it looks; it groups figures and decides nothing.
        text: The question.
        intent: What it is after.
        is_tricky: Whether its wording points to another intent: its note begins with "tricky:".
    """

    intent: Intent


def find_intent_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of questions with known intents that the paths name, as ``find_sets`` does and raises."""
    return find_sets(paths, fits=lambda first: {"text", "intent"} <= set(first.fields), form=_FORM)


def read_known_intents(path: Path) -> tuple[KnownIntent, ...]:
    """Read a whole set; questions without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, its intent is none, or two have one id.
    """
    return read_named(path, _known_intent)


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
