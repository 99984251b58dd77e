"""One measurement over data sets: how much of each is measured, who is notified, and what becomes of every case."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from evolore.errors import InvalidValue
from evolore.ports import Embedder, EmbeddingModel, TextRole, Vectors
from evolore_evaluation.records import check_count, set_name
from evolore_evaluation.reports import Json, Progress, Report, SetResult

Tried = TypeVar("Tried")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a set asks of a system once."""

    id: str  #: Its name in its set.

    @property
    def is_blind(self) -> bool:
        """Whether it is in the half that nothing is tuned on: the CRC-32 of its id is odd.

        >>> Case(id="a").is_blind
        True
        """
        return zlib.crc32(self.id.encode("utf-8", "surrogatepass")) % 2 == 1

    @property
    def is_held_back(self) -> bool:
        """Whether it is measured only where the blind half is asked for."""
        return self.is_blind

    @property
    def half(self) -> str:
        """The half it is in, as figures name it.

        >>> Case(id="a").half
        'blind'
        """
        return "blind" if self.is_blind else "visible"


def groups_by(tried: Sequence[Tried], *levels: Callable[[Tried], Iterable[str]]) -> dict[str, list[Tried]]:
    """Sort what was tried into groups by label, level by level, each in the order of its labels."""
    groups: dict[str, list[Tried]] = {}
    for labels_of in levels:
        level: dict[str, list[Tried]] = {}
        for one in tried:
            for label in filter(None, labels_of(one)):
                level.setdefault(label, []).append(one)
        groups |= dict(sorted(level.items()))
    return groups


class RememberingEmbedder:
    """Embeds each text once, as long as few enough are remembered.

    Args:
        embedder: What embeds.
        most: How many vectors are remembered at most, at least 1; with one text more, all are let go of.
    """

    def __init__(self, embedder: Embedder, *, most: int = 20_000) -> None:
        self._embedder = embedder
        self._most = most
        self._known: dict[tuple[TextRole, str], Vectors] = {}

    @property
    def model(self) -> EmbeddingModel:
        """The model at work."""
        return self._embedder.model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Return unit vectors of shape (texts, dimension), in the order of the texts."""
        if not texts:
            return self._embedder.embed(texts, role=role)
        if len(self._known) + len(texts) > self._most:
            self._known.clear()
        unknown = list(dict.fromkeys(text for text in texts if (role, text) not in self._known))
        if unknown:
            vectors = self._embedder.embed(unknown, role=role)
            self._known.update(((role, text), vector) for text, vector in zip(unknown, vectors, strict=True))
        return np.stack([self._known[role, text] for text in texts])


C = TypeVar("C")
T = TypeVar("T")
AnyCase = TypeVar("AnyCase", bound=Case)
WritePrediction: TypeAlias = Callable[[Mapping[str, Json]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How much of each set is measured, and who is notified.

    Raises:
        InvalidValue: ``limit`` is below 1.
    """

    #: Whether the blind half of cases that have halves is measured too, and the figures of either half given apart.
    #: Nothing is tuned on it: look rarely, and keep a log.
    blind: bool = False
    limit: int | None = None  #: How many cases of each set are measured at most; None for all.
    predictions: Path | None = None  #: The file that keeps what was predicted, as JSON lines; None for none.
    progress: Progress | None = None  #: Called for each set before its first case and after every one.

    def __post_init__(self) -> None:
        check_count(self.limit, "limit")

    def chosen(self, cases: Iterable[AnyCase]) -> list[AnyCase]:
        """Return the cases to measure, in their order."""
        return [case for case in cases if self.blind or not case.is_held_back][: self.limit]

    def tell(self, set_name: str, done: int, total: int) -> None:
        """Report that so many steps of a set are done."""
        if self.progress:
            self.progress(set_name, done, total)

    @contextmanager
    def writing_predictions(self) -> Generator[WritePrediction]:
        """Open the file and return what writes one prediction as one JSON line; without a path nothing is kept.

        The file is opened before anything is measured, so that a bad path costs no time.

        Raises:
            InvalidValue: The file cannot be written.
        """
        if self.predictions is None:
            yield lambda _prediction: None
            return
        try:
            file = self.predictions.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise InvalidValue(
                f"Predictions cannot be written to {self.predictions}: {error.strerror}. Name another file."
            ) from error
        with file:
            yield lambda prediction: print(json.dumps(prediction), file=file)


_MEGABYTE = 1_000_000
_SHORTEST_SECONDS = 1e-9


def megabytes_per_second(size: int, seconds: float) -> float:
    """Return how fast bytes were worked through."""
    return size / _MEGABYTE / max(seconds, _SHORTEST_SECONDS)


ALL_VISIBLE = Run()
"""Every case but those of the blind half, and no progress is reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSet(Generic[C]):
    """A set while it is measured."""

    name: str  #: What it is called.
    cases: Sequence[C]  #: What is measured of it, in order.
    stack: ExitStack  #: What is closed once all cases are tried.
    tell: Callable[[int, int], None]  #: Receives how many of how many steps are done.
    keep: WritePrediction  #: Writes one prediction.

    def write(self, prediction: Mapping[str, Json]) -> None:
        """Write what was predicted for a case, after the set's name."""
        self.keep({"set": self.name, **prediction})

    def new_folder(self) -> Path:
        """Return an empty folder, which is removed once all cases are tried."""
        return Path(self.stack.enter_context(TemporaryDirectory(prefix="evolore-evaluate-")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Generic[C, T]):
    """What is measured of each case, and the figures computed from it."""

    system: str  #: As reports and commands call it.
    read: Callable[[Path], Sequence[C]]  #: Reads the cases of a set that are measured.
    #: Makes ready for a set, and returns what tries one of its cases.
    begin: Callable[[MeasuredSet[C]], Callable[[C], T]]
    figures: Callable[[Sequence[T]], Mapping[str, float]]  #: Sums up the result of some cases.
    #: Sorts the result of a set into groups whose figures are listed apart, by their labels.
    groups: Callable[[Sequence[T]], Mapping[str, Sequence[T]]] = lambda _tried: {}
    #: Sums up the result of a whole set, where that has figures of its own.
    whole: Callable[[Sequence[T]], Mapping[str, float]] | None = None
    name_of: Callable[[Path], str] = set_name  #: Names a set.
    tells_itself: bool = False  #: Whether the trial of a case reports its own progress, in steps smaller than a case.

    def report(self, sets: Iterable[Path], run: Run, settings: Mapping[str, Json]) -> Report:
        """Measure one set after another."""
        with run.writing_predictions() as keep:
            results = tuple(self.of_set(path, run, keep) for path in sets)
        return Report(system=self.system, settings=settings, sets=results)

    def of_set(self, path: Path, run: Run, keep: WritePrediction) -> SetResult:
        """Try one case of a set after another, and sum up."""
        name, cases = self.name_of(path), self.read(path)
        tell = partial(run.tell, name)
        tried: list[T] = []
        with ExitStack() as stack:
            attempt = self.begin(MeasuredSet(name=name, cases=cases, stack=stack, tell=tell, keep=keep))
            if not self.tells_itself:
                tell(0, len(cases))
            for case in cases:
                tried.append(attempt(case))
                if not self.tells_itself:
                    tell(len(tried), len(cases))
        return SetResult(
            name=name,
            metrics=(self.whole or self.figures)(tried),
            categories={label: self.figures(some) for label, some in self.groups(tried).items()},
        )
