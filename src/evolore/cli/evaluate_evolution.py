"""``evolore evaluate evolution``: what becomes of documents that people complain of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolore.cli.measuring import LimitOption, PathsArgument, PredictionsOption, run_measure
from evolore.cli.session import JsonOption

if TYPE_CHECKING:
    from evolore.evaluation.reports import Progress, Report


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evolution)


def evolution(
    paths: PathsArgument,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            "--rate", metavar="NAME=SHARE", help="How often the scripted model errs in one way. May be repeated."
        ),
    ] = None,
    seed: Annotated[str, typer.Option(help="What its errors and all else that is drawn are drawn from.")] = "0",
    past: Annotated[
        float,
        typer.Option("--past", help="Which share of the fresh questions people asked before; others are held out."),
    ] = 0.5,
    ratings: Annotated[
        str,
        typer.Option("--ratings", metavar="COUNTS", help="Also with so many ratings of each document, as in 3,5,10."),
    ] = "",
    alone: Annotated[
        bool, typer.Option("--alone", help="Leave out the seed's rule, the free rewrite and the repetition beside it.")
    ] = False,
    injections: Annotated[
        Path | None,
        typer.Option(
            "--injections", help="Also plant the texts of this set, with a policy that may approve without a person."
        ),
    ] = None,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how documents with planted defects improve from ratings: what is mended, lost, wrongly taken over, and calls.

    A set has lines `{kind: document | question | feedback, id, …}`. A scripted chat model that errs at known rates writes,
    answers and judges; nothing is sent anywhere. With your settings, in fresh temporary stores.
    """
    from evolore.evaluation.evolution import (  # noqa: PLC0415 - `--help` should not pay for it
        EvolutionPlan,
        evaluate_evolution,
        read_counts,
    )
    from evolore.evaluation.scripted_rates import read_rates  # noqa: PLC0415 - likewise

    def measure(progress: Progress | None) -> Report:
        plan = EvolutionPlan(
            rates=read_rates(rate or []),
            seed=seed,
            past_share=past,
            ratings=read_counts(ratings),
            baselines=not alone,
            repeats=not alone,
            injections=injections,
        )
        return evaluate_evolution(paths, plan=plan, limit=limit, predictions=predictions, progress=progress)

    run_measure(measure, as_json=as_json)
