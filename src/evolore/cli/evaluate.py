"""``evolore evaluate``: the same measurements on anyone's data."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer import Argument, Option

from evolore.cli.printing import naming_bar
from evolore.cli.session import CliRun, JsonOption, as_command, print_json

if TYPE_CHECKING:
    from evolore.ports import Embedder
    from evolore_evaluation.measure import Run
    from evolore_evaluation.reports import Report


Measurement: TypeAlias = "Callable[[Run], Report]"
"""Measures so much of each set."""


class Retriever(StrEnum):
    """What finds the chunks of a question."""

    BM25 = "bm25"
    EMBEDDER = "embedder"


evaluate_app = typer.Typer(
    help="Measure a system on data sets: yours, or published ones.", no_args_is_help=True, add_completion=False
)


PathsArgument = Annotated[
    list[Path], Argument(metavar="PATH", help="Data sets in JSON lines, also gzipped, or folders of them.")
]
PredictionsOption = Annotated[
    Path | None, Option("--predictions", help="Write what was predicted to this file, as JSON lines.")
]
LimitOption = Annotated[
    int | None, Option("--limit", help="Use only so many texts or questions of each set; by default all.")
]
BlindOption = Annotated[bool, Option("--blind", help="Measure the blind half too, and report both separately.")]


def _measuring(*, blind: object = None) -> Callable[[Callable[..., Measurement]], Callable[..., None]]:
    """Make commands of what returns a measurement; the options of every measurement follow its own."""
    shared: dict[str, tuple[object, object]] = {
        **({} if blind is None else {"blind": (blind, False)}),
        "limit": (LimitOption, None),
        "predictions": (PredictionsOption, None),
        "as_json": (JsonOption, False),
    }

    def made(measured: Callable[..., Measurement]) -> Callable[..., None]:
        def run(**given: Any) -> None:  # noqa: ANN401 - as typer reads them
            options = {name: given.pop(name) for name in shared}
            run_measure(measured(**given), **options)

        listed = [*signature(measured, eval_str=True).parameters.values()]
        listed += [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for name, (kind, default) in shared.items()
        ]
        return evaluate_app.command()(as_command(run, measured, listed))

    return made


@_measuring()
def segmentation(
    paths: PathsArgument,
    target: Annotated[
        float | None, Option(help="Mean segment size in characters; by default each set's own.", show_default=False)
    ] = None,
    embedder: Annotated[
        bool, Option("--embedder", help="Also weigh the sentences' vectors, made by the default embedder.")
    ] = False,
) -> Measurement:
    """Measure where texts are cut: Pk and WindowDiff (lower is better), boundary ratio, speed.

    A set has lines `{id, lang, sentences, boundaries}`.
    """
    from evolore_evaluation.segmentation import evaluate_segmentation  # noqa: PLC0415 - `--help` should not pay for it

    return partial(
        evaluate_segmentation, paths, target_characters=target, embedder=default_embedder() if embedder else None
    )


@_measuring()
def chunks(
    paths: PathsArgument,
    retriever: Annotated[
        Retriever, Option(help="What finds the chunks of a question: word statistics, or vectors.")
    ] = Retriever.BM25,
    top: Annotated[int, Option(help="How many chunks are retrieved for a question.")] = 5,
    target: Annotated[
        int | None,
        Option(help="Leaf size aimed at, in characters; by default as in your settings.", show_default=False),
    ] = None,
) -> Measurement:
    """Measure how well chunks fit questions: recall, precision, IoU of what is retrieved, PΩ, chunk size, speed.

    Corpora have lines `{corpus_id, text}`, questions `{id, question, references, corpus_id}` with references
    `{start_index, end_index}` in characters. All corpora are cut with your settings and lie in one index.
    """
    from evolore_evaluation.chunks import evaluate_chunks  # noqa: PLC0415 - `--help` should not pay for it

    return partial(
        evaluate_chunks,
        paths,
        top=top,
        target_size=target,
        embedder=default_embedder() if retriever is Retriever.EMBEDDER else None,
    )


@_measuring(blind=BlindOption)
def staleness(paths: PathsArgument) -> Measurement:
    """Measure how often what holds now, or held when the question asks for, ranks above what does not.

    A set has lines `{id, lang, kind, as_of, items, query, better, worse}`. Each case is remembered and asked in a fresh
    temporary store, with your settings.
    """
    from evolore_evaluation.staleness import evaluate_staleness  # noqa: PLC0415 - `--help` should not pay for it

    return partial(evaluate_staleness, paths)


@_measuring(blind=BlindOption)
def pairs(paths: PathsArgument) -> Measurement:
    """Measure which statements merge, are flagged as conflicting, or are superseded: precision and recall.

    A set has lines `{lang, a, b, score}`, `{lang, a, b, label}` or `{id, lang, old, new, label, about}`. The default
    embedder makes the vectors.
    """
    from evolore_evaluation.pairs import evaluate_pairs  # noqa: PLC0415 - `--help` should not pay for it

    return partial(evaluate_pairs, paths, embedder=default_embedder())


@_measuring()
def retrieval(
    paths: PathsArgument,
    maintain: Annotated[
        bool, Option("--maintain", help="Maintain each memory before it is asked, as `evolore maintain` does.")
    ] = False,
    without: Annotated[
        list[str] | None, Option(help="Leave a term, such as graph, out of the scores; may be repeated.")
    ] = None,
    corrections: Annotated[
        Path | None, Option(help="Read the evidence of some questions from this audit of their labels.")
    ] = None,
) -> Measurement:
    """Measure recall: evidence found among the first 1, 5, 10, 20, nDCG, MRR, by category and session, and time.

    A memory set has lines `{id, lang, items, questions}`, a corpus set `doc` and `q` lines; LongMemEval's `.json` is read as
    it is. Each set is taken into a fresh temporary store; your own store is not touched.
    """
    from evolore_evaluation.retrieval import evaluate_retrieval  # noqa: PLC0415 - `--help` should not pay for it

    return partial(evaluate_retrieval, paths, maintain=maintain, without=without or (), corrections=corrections)


@_measuring()
def learning(
    paths: PathsArgument,
    tokens: Annotated[int, Option(help="How many tokens of context the reader of a first answer is handed.")] = 2000,
    adversary: Annotated[
        int, Option(help="How often one person rates against the evidence afterwards, in each memory.")
    ] = 0,
    attack: Annotated[
        str, Option(help="What that person does: `asks` the same again and praises, or `rates` what others asked.")
    ] = "asks",
) -> Measurement:
    """Measure what recall learns from rated questions: evidence found before and after, on related and on other matters.

    A set has lines `{id, lang, items, questions}`. Half of the questions are asked and rated; then come these in other
    words, and the other half. With your settings, in a fresh temporary store.
    """
    from evolore_evaluation.learning import evaluate_learning  # noqa: PLC0415 - `--help` should not pay for it

    return partial(evaluate_learning, paths, tokens=tokens, adversary=adversary, way=attack)


@_measuring()
def answers(
    paths: PathsArgument,
    documents: Annotated[
        int | None, Option(help="Add only so many documents beside those that answer the questions; by default all.")
    ] = None,
) -> Measurement:
    """Measure answers without a chat model: whether they hold what is wanted, and say so where the sources do not.

    A set has lines `{type: doc}` and `{type: q}`, or `{kind: document}` and `{kind: question}`. What answers a third of the
    questions is left out, and questions of the other sets are asked too. With your settings, in a fresh temporary store.
    """
    from evolore_evaluation.answers import evaluate_answers  # noqa: PLC0415 - `--help` should not pay for it

    return partial(evaluate_answers, paths, documents=documents)


def default_embedder() -> Embedder:
    """Return the embedder that is measured with where the settings have no say."""
    from evolore.models.use import UseEmbedder  # noqa: PLC0415 - `--help` should not pay for it

    return UseEmbedder()


def run_measure(
    measure: Measurement, *, limit: int | None, predictions: Path | None, as_json: bool, blind: bool = False
) -> None:
    """Measure, with a bar where there is a terminal, and print what was found; errors are reported as any command's."""
    from evolore_evaluation.measure import Run  # noqa: PLC0415 - `--help` should not pay for it

    with CliRun(None, None, as_json).explaining(), naming_bar(quiet=as_json) as progress:
        report = measure(Run(blind=blind, limit=limit, predictions=predictions, progress=progress))
    if as_json:
        print_json(report.to_json())
        return
    from rich.console import Console  # noqa: PLC0415 - JSON needs none

    from evolore_evaluation.terminal import render_table  # noqa: PLC0415 - likewise

    Console().print(render_table(report))
