"""Print how often a question's intent is guessed right: ``python benchmarks/intents.py [--blind] PATH…``.

A set has lines ``{id, lang, text, intent}``. Printed are accuracy, macro F1 of the intents, mean confidence, and the
time beside the query's embedding, by docs/protocols.md. ``--blind`` measures the blind half too, and prints both halves;
``--limit N`` takes so many questions of each set, ``--predictions FILE`` writes each prediction, ``--json`` prints every
figure. The default embedder makes the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evolore.domain.query import Intent
from evolore.flows.embedding import embed
from evolore.flows.intent import IntentSpaces, guess_intent
from evolore.models.embedders import shipped_intents
from evolore.models.use import UseEmbedder
from evolore.ports import Embedder, TextRole
from evolore.recall.question import IntentGuess
from evolore.text.scripts import detect_language
from evolore_evaluation.measure import ALL_VISIBLE, MeasuredSet, Run
from evolore_evaluation.records import Record, SetForm
from evolore_evaluation.reports import Report
from labelled import Found, LabelledText, cpu_timed, measure_texts
from measuring import COUNT, SHARE, TIME, options, show

COLUMNS = {
    "queries": ("queries", COUNT),
    "accuracy": ("accuracy", SHARE),
    "macro_f1": ("macro F1", SHARE),
    "mean_confidence": ("mean conf.", SHARE),
    "p50_ms": ("p50 ms", TIME),
}


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


def main() -> None:
    """Measure every set, and print a table."""
    parser = options(__doc__)
    parser.add_argument("--blind", action="store_true", help="measure the blind half too, and print both halves")
    given = parser.parse_args()
    show(partial(evaluate_intents, given.paths, embedder=UseEmbedder()), given, COLUMNS)


if __name__ == "__main__":
    main()
