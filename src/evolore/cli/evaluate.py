"""``evolore evaluate``: the same measurements on anyone's data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evolore.cli.measuring import (
    BlindOption,
    LimitOption,
    PathsArgument,
    PredictionsOption,
    default_embedder,
    run_measure,
)
from evolore.cli.session import JsonOption
from evolore.evaluation.retriever import Retriever

if TYPE_CHECKING:
    from evolore.evaluation.reports import Progress, Report

evaluate_app = typer.Typer(
    help="Measure a system on data sets: yours, or published ones.", no_args_is_help=True, add_completion=False
)


@evaluate_app.command()
def segmentation(
    paths: PathsArgument,
    target: Annotated[
        float | None,
        typer.Option(help="Mean segment size in characters; by default each set's own.", show_default=False),
    ] = None,
    embedder: Annotated[
        bool, typer.Option("--embedder", help="Also weigh the sentences' vectors, made by the default embedder.")
    ] = False,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure where texts are cut: Pk and WindowDiff (lower is better), boundary ratio, speed.

    A set has lines `{id, lang, sentences, boundaries}`.
    """
    from evolore.evaluation.segmentation import evaluate_segmentation  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_segmentation(
            paths,
            target_characters=target,
            limit=limit,
            predictions=predictions,
            progress=progress,
            embedder=default_embedder() if embedder else None,
        )

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def chunks(
    paths: PathsArgument,
    retriever: Annotated[
        Retriever, typer.Option(help="What finds the chunks of a question: word statistics, or vectors.")
    ] = Retriever.BM25,
    top: Annotated[int, typer.Option(help="How many chunks are retrieved for a question.")] = 5,
    target: Annotated[
        int | None,
        typer.Option(help="Leaf size aimed at, in characters; by default as in your settings.", show_default=False),
    ] = None,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how well chunks fit questions: recall, precision, IoU of what is retrieved, PΩ, chunk size, speed.

    Corpora have lines `{corpus_id, text}`, questions `{id, question, references, corpus_id}` with references
    `{start_index, end_index}` in characters. All corpora are cut with your settings and lie in one index.
    """
    from evolore.evaluation.chunks import evaluate_chunks  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_chunks(
            paths,
            top=top,
            target_size=target,
            limit=limit,
            predictions=predictions,
            progress=progress,
            embedder=default_embedder() if retriever is Retriever.EMBEDDER else None,
        )

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def sentences(
    paths: PathsArgument,
    blind: Annotated[
        bool, typer.Option("--blind", help="Measure the blind half of marked texts too, and give both halves apart.")
    ] = False,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure whether cuts fall between sentences: chunk ends inside one, and errors on texts marked by hand.

    A set has lines `{id, lang, sentences}`, which are joined and chunked, or `{id, lang, text, sentences}`.
    """
    from evolore.evaluation.sentences import evaluate_sentences  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_sentences(paths, blind=blind, limit=limit, predictions=predictions, progress=progress)

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def intents(
    paths: PathsArgument,
    blind: BlindOption = False,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how often a question's intent is guessed right: accuracy, macro F1, and the time it takes.

    A set has lines `{id, lang, text, intent}`. The default embedder makes the vectors.
    """
    from evolore.evaluation.intents import evaluate_intents  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_intents(
            paths,
            embedder=default_embedder(),
            blind=blind,
            limit=limit,
            predictions=predictions,
            progress=progress,
        )

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def arousal(
    paths: PathsArgument,
    blind: BlindOption = False,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure estimates of how strongly texts are felt: rank correlation, mean error, share within 0.2, time.

    A set has lines `{id, lang, text, arousal}`. The default embedder makes the vectors.
    """
    from evolore.evaluation.arousal import evaluate_arousal  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_arousal(
            paths,
            embedder=default_embedder(),
            blind=blind,
            limit=limit,
            predictions=predictions,
            progress=progress,
        )

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def staleness(
    paths: PathsArgument,
    blind: BlindOption = False,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how often what holds now, or held when the question asks for, stands above what does not.

    A set has lines `{id, lang, kind, as_of, items, query, better, worse}`. Each case is remembered and asked in a fresh
    temporary store, with your settings.
    """
    from evolore.evaluation.staleness import evaluate_staleness  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_staleness(paths, blind=blind, limit=limit, predictions=predictions, progress=progress)

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def life(
    paths: PathsArgument,
    blind: BlindOption = False,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what a memory finds in its first days: everyday facts, times, senses of a word, the founding scenario.

    A set has lines `{id, items, questions}`, whose questions have `words`, `first` and `last`, `sense`, or `better`.
    Each memory is filled and asked in a fresh temporary store, with your settings.
    """
    from evolore.evaluation.life import evaluate_life  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_life(paths, blind=blind, limit=limit, predictions=predictions, progress=progress)

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def pairs(
    paths: PathsArgument,
    blind: BlindOption = False,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure which statements merge, are flagged as conflicting, or are superseded: precision and recall.

    A set has lines `{lang, a, b, score}`, `{lang, a, b, label}` or `{id, lang, old, new, label, about}`. The default
    embedder makes the vectors.
    """
    from evolore.evaluation.pairs import evaluate_pairs  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        embedder = default_embedder()
        return evaluate_pairs(
            paths, embedder=embedder, blind=blind, limit=limit, predictions=predictions, progress=progress
        )

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def retrieval(
    paths: PathsArgument,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    maintain: Annotated[
        bool, typer.Option("--maintain", help="Maintain each memory before it is asked, as `evolore maintain` does.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure recall: evidence found among the first 1, 5, 10, 20, nDCG, MRR, by category and session, and time.

    A memory set has lines `{id, lang, items, questions}`, a corpus set `doc` and `q` lines. Each set is taken into a
    fresh temporary store; your own store is not touched.
    """
    from evolore.evaluation.retrieval import evaluate_retrieval  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        return evaluate_retrieval(paths, limit=limit, predictions=predictions, progress=progress, maintain=maintain)

    run_measure(measure, as_json=as_json)


@evaluate_app.command()
def graph(
    paths: PathsArgument,
    limit: LimitOption = None,
    predictions: PredictionsOption = None,
    calibrated: Annotated[
        bool, typer.Option("--calibrated", help="Refit the calibration from the set's own chunks first.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure how episodes are split: how often by what they are mixed of, the parts' sentences, recall before and after.

    A set has lines `{id, lang, sentences, boundaries}`; episodes are mixed from its sections. With your settings and the
    default embedder.
    """
    from evolore.evaluation.graph import evaluate_graph  # noqa: PLC0415 - `--help` should not pay for it

    def measure(progress: Progress | None) -> Report:
        embedder = default_embedder()
        return evaluate_graph(
            paths,
            embedder=embedder,
            limit=limit,
            predictions=predictions,
            progress=progress,
            calibrated=calibrated,
        )

    run_measure(measure, as_json=as_json)
