"""``calibrate``: estimate what similarities mean from a namespace's own texts; shipped values serve until then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from evolore.domain.episode import Episode
from evolore.domain.language import Language
from evolore.domain.result import Result
from evolore.episodes.calibration import Calibration, Sample, fit, is_due, thinned
from evolore.flows.item_keys import vectors_of
from evolore.ports import EmbeddingModel, IndexedText, IndexView, StoredCalibration
from evolore.ports.changes import Parameters
from evolore.recall.visibility import standing
from evolore.text.vectors import Vectors

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.store.reading import StoreReader

FEWEST_TEXTS = 40
"""A calibration of fewer texts would say more of them than of the language."""

_MOST_TEXTS = 3000
_MOST_COPIES = 200
_READ_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated(Result):
    """What was found of one language."""

    language: Language  #: The language.
    texts: int  #: How many texts there are, or a sample of at most 3,000.
    version: int | None  #: The number of the calibration that holds from now on; None where it stays as it was.
    slope: float  #: How fast the log-odds of one matter rise with the centred cosine.
    offset: float  #: The log-odds at a centred cosine of 0.
    copy_cosine: float  #: The centred cosine from which on a text may be a copy: half of the copies lie nearer.
    reason: str = ""  #: Why it stays as it was; empty where it does not.


def calibrate(context: Context, *, force: bool = True, is_dry_run: bool = False) -> tuple[Calibrated, ...]:
    """Find the calibration of each language that a namespace holds enough texts of.

    What was decided before stays as it is; what is decided later goes by the new one. Those before are kept.
    """
    context.store.require(context.namespace)
    model = context.embedder.model
    with context.store.index(context.namespace) as (view, reader):
        texts = _by_language(view, reader)
        stored = reader.calibrations(model.id)
        scales = Scales(context.calibrations, model, stored)
        known = {language: scales.of(language) for language in texts}
        vectors = {
            language: view.vectors.rows_of(np.array([view.numbers[one.id] for one in episodes], dtype=np.int32))
            for language, episodes in texts.items()
        }
    found: list[Calibrated] = []
    for language in sorted(texts, key=lambda one: one.value):
        episodes, before = texts[language], known[language]
        if len(episodes) < FEWEST_TEXTS:
            found.append(_told(language, len(episodes), None, before, f"fewer than {FEWEST_TEXTS} texts"))
        elif not force and not is_due(before.texts if language in stored else 0, len(episodes)):
            found.append(_told(language, len(episodes), None, before, "not half as many again as the last time"))
        else:
            sample = _sample(context, episodes, vectors[language])
            new = fit(sample, before=context.calibrations.shipped(model, language))
            version = None if is_dry_run else _write(context, language, new)
            found.append(_told(language, len(episodes), version, new, "only tried" if is_dry_run else ""))
    return tuple(found)


def calibrate_foreign(context: Context) -> None:
    """Calibrate every namespace if the model ships no calibration: until then similarities mean nothing."""
    if context.settings.maintenance.auto_calibrate and not context.calibrations.ships(context.embedder.model):
        for name in context.store.namespaces():
            with context.store.read(name) as reader:
                is_enough = len(reader.newest_episodes(limit=FEWEST_TEXTS)) == FEWEST_TEXTS
            if is_enough:  # else no index is opened for nothing
                calibrate(replace(context, namespace=name), force=False)


def _write(context: Context, language: Language, new: Calibration) -> int:
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return writer.put_calibration(
            context.embedder.model.id, language, to_parameters(new), texts=new.texts, at=context.clock.now()
        )


def _by_language(view: IndexView, reader: StoreReader) -> Mapping[Language, Sequence[Episode]]:
    """Read the visible texts; of many, a sample spread evenly."""
    there = standing(view)
    numbers = np.arange(len(view.episode_ids)) if there is None else np.flatnonzero(there)
    if numbers.size > _MOST_TEXTS:
        numbers = numbers[np.linspace(0, numbers.size - 1, _MOST_TEXTS).astype(np.int64)]
    ids = [view.episode_ids[number] for number in numbers.tolist()]
    found: dict[Language, list[Episode]] = {}
    for start in range(0, len(ids), _READ_AT_ONCE):
        for episode in reader.episodes(ids[start : start + _READ_AT_ONCE]):
            found.setdefault(episode.language, []).append(episode)
    return found


def _sample(context: Context, episodes: Sequence[Episode], vectors: np.ndarray) -> Sample:
    """Build a sample of texts: what they have in common, and copies of some that miss words."""
    items = [
        IndexedText(
            text=thinned(one.text) or one.text,
            language=one.language,
            speaker=one.speaker,
            occurred_at=one.occurred_at,
            title=one.title,
            heading_path=one.heading_path,
        )
        for one in episodes[:_MOST_COPIES]
    ]
    return Sample(
        vectors=vectors,
        matters=_numbered([(one.document_id or one.session or one.id, one.heading_path) for one in episodes]),
        documents=_numbered([(one.document_id or one.session or one.id,) for one in episodes]),
        copies=vectors_of(context.embedder, items),
    )


def _numbered(names: Sequence[tuple[object, ...]]) -> np.ndarray:
    known: dict[tuple[object, ...], int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _told(language: Language, texts: int, version: int | None, scale: Calibration, reason: str) -> Calibrated:
    return Calibrated(
        language=language,
        texts=texts,
        version=version,
        slope=round(scale.slope, 4),
        offset=round(scale.offset, 4),
        copy_cosine=round(float(np.median(scale.copies)), 4),
        reason=reason,
    )


Arrays: TypeAlias = "Mapping[str, npt.NDArray[np.floating]]"
Shipped: TypeAlias = "Callable[[EmbeddingModel], Mapping[Language, Arrays]]"


def nothing_shipped(model: EmbeddingModel) -> Mapping[Language, Arrays]:  # noqa: ARG001 - stands in for one that looks
    """Return an empty mapping for every model: none was calibrated beforehand."""
    return {}


class Calibrations:
    """What ships for models, each read when it is first asked for.

    Args:
        shipped: Returns what was found beforehand for a model, by language, as ``Calibration.from_arrays`` takes it.
    """

    def __init__(self, shipped: Shipped = nothing_shipped) -> None:
        self._shipped = shipped
        self._known: dict[EmbeddingModel, dict[Language, Calibration]] = {}

    def ships(self, model: EmbeddingModel) -> bool:
        """Return whether anything was found beforehand for a model."""
        return bool(self._of(model))

    def shipped(self, model: EmbeddingModel, language: Language) -> Calibration:
        """Return what holds before anything was fitted: that of the language, else of English, else an unknown one."""
        known = self._of(model)
        return known.get(language, known.get(Language.EN) or Calibration.unknown(model.dimension))

    def centres(self, model: EmbeddingModel) -> Callable[[Language], Vectors] | None:
        """Return what reads the mean vector of texts of a language, as it ships; None where nothing ships for a model."""
        return (lambda language: self.shipped(model, language).centre) if self._of(model) else None

    def _of(self, model: EmbeddingModel) -> Mapping[Language, Calibration]:
        if model not in self._known:
            self._known[model] = {
                known: Calibration.from_arrays(arrays) for known, arrays in self._shipped(model).items()
            }
        return self._known[model]


class Scales:
    """The calibrations that hold in a namespace: what was fitted to it, and else what ships."""

    def __init__(
        self, calibrations: Calibrations, model: EmbeddingModel, stored: Mapping[Language, StoredCalibration]
    ) -> None:
        self._calibrations, self._model, self._stored = calibrations, model, stored
        self._read: dict[Language, Calibration] = {}

    def of(self, language: Language) -> Calibration:
        """Return that of a language."""
        if language not in self._read:
            stored = self._stored.get(language)
            self._read[language] = (
                self._calibrations.shipped(self._model, language)
                if stored is None
                else Calibration.from_arrays(from_parameters(stored.parameters))
            )
        return self._read[language]


def to_parameters(calibration: Calibration) -> Parameters:
    """Return a calibration as JSON holds it: numbers come back to the last bit."""
    return {name: array.astype(np.float64).tolist() for name, array in calibration.to_arrays().items()}


def from_parameters(parameters: Parameters) -> Arrays:
    """Return a calibration's arrays as ``Calibration.from_arrays`` takes them."""
    return {name: np.array(values, dtype=np.float64) for name, values in parameters.items()}
