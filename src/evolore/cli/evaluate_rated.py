"""``evolore evaluate``, of answers and what follows from their ratings: what recall learns, what a rewrite must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evolore.cli.measuring import BlindOption, LimitOption, PathsArgument, PredictionsOption, run_measure
from evolore.cli.session import JsonOption

if TYPE_CHECKING:
    from evolore.evaluation.reports import Progress, Report


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (learning, answers, edits):
        app.command()(command)


def learning(
    paths: PathsArgument,
    tokens: Annotated[
        int, typer.Option(help="How many tokens of context the reader of a first answer is handed.")
    ] = 2000,
    adversary: Annotated[
        int, typer.Option(help="How often one person rates against the evidence afterwards, in each memory.")
    ] = 0,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what recall learns from rated questions: evidence found before and after, on related and on other matters.

    A set has lines `{id, lang, items, questions}`. Half of the questions are asked and rated; then come these in other
    words, and the other half. With your settings, in a fresh temporary store.
    """
    from evolore.evaluation.learning import evaluate_learning  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_learning(
            paths, tokens=tokens, adversary=adversary, limit=limit, predictions=predictions, progress=progress
        )

    run_measure(measure, as_json=as_json)


def answers(
    paths: PathsArgument,
    documents: Annotated[
        int | None,
        typer.Option(help="Take in only so many documents beside those that answer the questions; by default all."),
    ] = None,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure answers without a chat model: whether they hold what is wanted, and say so where the sources do not.

    A set has lines `{type: doc}` and `{type: q}`, or `{kind: document}` and `{kind: question}`. What answers a third of the
    questions is left out, and questions of the other sets are asked too. With your settings, in a fresh temporary store.
    """
    from evolore.evaluation.answers import evaluate_answers  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_answers(paths, documents=documents, limit=limit, predictions=predictions, progress=progress)

    run_measure(measure, as_json=as_json)


def edits(
    paths: PathsArgument,
    blind: BlindOption = False,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the gates a rewrite must pass: harmful rewrites caught, false alarms on harmless ones, by kind and language.

    A set has lines `{id, lang, before, after, ok, what}`, and maybe `evidence` and `operator`. No model is asked.
    """
    from evolore.evaluation.edits import evaluate_edits  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_edits(paths, blind=blind, limit=limit, predictions=predictions, progress=progress)

    run_measure(measure, as_json=as_json)
