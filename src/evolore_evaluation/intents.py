"""Measuring how often a question's intent is guessed right, by the protocol of docs/protocols.md."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from evolore.domain.query import Intent
from evolore.flows.embedding import embed
from evolore.flows.intent import IntentSpaces, guess_intent
from evolore.models.embedders import shipped_intents
from evolore.ports import TextRole
from evolore.text.scripts import detect_language
from evolore_evaluation.halves import LabelledText, group_by_label
from evolore_evaluation.measure import ALL_VISIBLE, Measure, cpu_timed
from evolore_evaluation.records import SetForm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evolore.ports import Embedder
    from evolore.recall.question import IntentGuess
    from evolore_evaluation.measure import MeasuredSet, Run
    from evolore_evaluation.records import Record
    from evolore_evaluation.reports import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class _Guessed:
    """A question, what was guessed, and the CPU time that took without embedding it, in milliseconds."""

    known: KnownIntent
    guess: IntentGuess
    ms: float


def evaluate_intents(
    paths: Sequence[Path],
    run: Run = ALL_VISIBLE,
    *,
    embedder: Embedder,
) -> Report:
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
    measure = Measure(
        system="intents",
        read=lambda path: run.chosen(INTENT_SETS.read(path)),
        begin=partial(_guessing, embedder, IntentSpaces(shipped_intents)),
        figures=_figures,
        groups=lambda guessed: group_by_label(guessed, lambda one: one.known, blind=run.blind),
        whole=_figures_and_time,
    )
    settings = {"embedder": embedder.model.id, "blind": run.blind, "limit": run.limit}
    return measure.report(INTENT_SETS.find(paths), run, settings)


def _guessing(
    embedder: Embedder, spaces: IntentSpaces, asked: MeasuredSet[KnownIntent]
) -> Callable[[KnownIntent], _Guessed]:
    def attempt(known: KnownIntent) -> _Guessed:
        vector = embed(embedder, [known.text], role=TextRole.QUERY)[0]
        guess, ms = cpu_timed(lambda: guess_intent(known.text, vector, model=embedder.model, spaces=spaces))
        asked.write({"id": known.id, "intent": guess.intent, "confidence": guess.confidence})
        return _Guessed(known=known, guess=guess, ms=ms)

    return attempt


def _figures_and_time(guessed: Sequence[_Guessed]) -> dict[str, float]:
    return _figures(guessed) | ({"p50_ms": median(one.ms for one in guessed)} if guessed else {})


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
