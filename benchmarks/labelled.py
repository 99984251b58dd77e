"""What the scripts share that measure what is found of labelled texts: figures by language, half and kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time_ns
from typing import Generic, TypeVar

from evolore.ports import Embedder
from evolore_evaluation.measure import Case, Measure, MeasuredSet, Run, groups_by
from evolore_evaluation.records import SetForm
from evolore_evaluation.reports import Report, snake_case

Tried = TypeVar("Tried")
T = TypeVar("T")
NANOSECONDS_PER_MS = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledText(Case):
    """A text whose label is known."""

    language: str  #: What it is written in, as its set says or as it looks; it groups figures and decides nothing.
    text: str  #: Its text.
    is_tricky: bool = False  #: Whether its wording points to another label.


AnyText = TypeVar("AnyText", bound=LabelledText)


def group_by_label(
    tried: Sequence[Tried], text_of: Callable[[Tried], LabelledText], *, blind: bool
) -> dict[str, list[Tried]]:
    """Sort texts by language, by half, and by whether they are tricky, where a set has more than one kind."""
    has_tricky = any(text_of(one).is_tricky for one in tried)
    has_languages = len({text_of(one).language for one in tried}) > 1

    def labels(one: Tried) -> Iterator[str]:
        text = text_of(one)
        if has_languages:
            yield snake_case(text.language)
        if blind:
            yield text.half
        if has_tricky:
            kind = "tricky" if text.is_tricky else "plain"
            yield f"{text.half}_{kind}" if blind else kind

    return groups_by(tried, labels)


def cpu_timed(action: Callable[[], T]) -> tuple[T, float]:
    """Return what an action returns, and the milliseconds of CPU time it took."""
    began = process_time_ns()
    return action(), (process_time_ns() - began) / NANOSECONDS_PER_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[AnyText, T]):
    """What was found of a labelled text."""

    text: AnyText  #: The text.
    value: T  #: What was found.
    ms: float  #: The CPU time that took without embedding the text, in milliseconds.


def measure_texts(
    system: str,
    form: SetForm[AnyText],
    paths: Sequence[Path],
    run: Run,
    *,
    embedder: Embedder,
    begin: Callable[[MeasuredSet[AnyText]], Callable[[AnyText], Found[AnyText, T]]],
    figures: Callable[[Sequence[Found[AnyText, T]]], Mapping[str, float]],
) -> Report:
    """Measure what is found of labelled texts, and the median time that takes, with the figures of ``group_by_label``."""
    measure = Measure(
        system=system,
        read=lambda path: run.chosen(form.read(path)),
        begin=begin,
        figures=figures,
        groups=lambda tried: group_by_label(tried, lambda one: one.text, blind=run.blind),
        whole=lambda tried: {**figures(tried), **({"p50_ms": median(one.ms for one in tried)} if tried else {})},
    )
    settings = {"embedder": embedder.model.id, "blind": run.blind, "limit": run.limit}
    return measure.report(form.find(paths), run, settings)
