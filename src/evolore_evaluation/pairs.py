"""Measuring which statements merge, which are flagged and which are superseded, by the protocol of docs/protocols.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path

import numpy as np

from evolore.domain.episode import EpisodeState
from evolore.domain.language import Language
from evolore.episodes.calibration import Calibration
from evolore.episodes.contradictions import contradiction
from evolore.episodes.key_extraction import KeyedStatement, states_of_key
from evolore.episodes.merging import Candidate, IntegrationKind, MergedText, decide
from evolore.episodes.updates import find_update
from evolore.evolution.matches import wilson
from evolore.flows.embedding import embed
from evolore.models.embedders import shipped_calibration
from evolore.ports import Embedder, TextRole, Vectors
from evolore_evaluation.measure import ALL_VISIBLE, Case, Measure, MeasuredSet, Run, groups_by
from evolore_evaluation.records import Record, SetForm
from evolore_evaluation.reports import Report, snake_case

_BATCH = 64
_MERGED = frozenset({IntegrationKind.DUPLICATE, IntegrationKind.MERGE})
_THEN = datetime(2026, 1, 1, tzinfo=UTC)
_LATER = _THEN + timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgedPair:
    """A pair, and what was decided of it."""

    pair: LabelledPair
    is_merged: bool
    is_flagged: bool
    is_superseded: bool
    reason: str


def evaluate_pairs(paths: Sequence[Path], run: Run = ALL_VISIBLE, *, embedder: Embedder) -> Report:
    """Measure decisions on pairs of texts; each figure with its 95 % interval (``_low``, ``_high``, Wilson's).

    ``merge_precision`` and ``merge_recall``: of pairs rated 0–5, a duplicate is 4.5 or more, a merely related pair 1.5
    to 3.5; others count for neither. ``contradictions_merged``: the share of contradictions that were merged.
    ``flagged_precision`` and ``flagged_recall``: of pairs labelled by what they say, those of which both cannot hold.
    ``superseded_precision`` and ``superseded_recall``: of pairs of an older and a newer statement, those whose older one
    is superseded, the newer one said a day later; of those with keys apart (``superseded_keyed``), and of those that only
    state it (``superseded_stated``). Languages are given apart, with ``blind`` the halves too.

    Args:
        paths: Files, or folders of them.
        run: How much is measured; predictions are ``{"set", "id", "merged", "flagged", "superseded", "reason"}``.
        embedder: What embeds the texts.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
        EmbedderBroken: The vectors are not what an embedder must return.
    """
    shipped = shipped_calibration(embedder.model)
    scales = {language: Calibration.from_arrays(arrays) for language, arrays in shipped.items()}
    measure = Measure(
        system="pairs",
        read=lambda path: run.chosen(PAIR_SETS.read(path)),
        begin=partial(_judging, embedder, scales),
        figures=_figures,
        groups=lambda judged: groups_by(judged, *(_LEVELS if run.blind else _LEVELS[:1])),
    )
    settings = {"embedder": embedder.model.id, "blind": run.blind, "limit": run.limit}
    return measure.report(PAIR_SETS.find(paths), run, settings)


def _judging(
    embedder: Embedder, scales: Mapping[Language, Calibration], pairs: MeasuredSet[LabelledPair]
) -> Callable[[LabelledPair], _JudgedPair]:
    """Return what decides of a pair as integration would; the texts are embedded in batches before."""
    vectors: dict[str, tuple[Vectors, Vectors]] = {}
    for start in range(0, len(pairs.cases), _BATCH):
        batch = pairs.cases[start : start + _BATCH]
        firsts = embed(embedder, [pair.first for pair in batch], role=TextRole.PASSAGE)
        seconds = embed(embedder, [pair.second for pair in batch], role=TextRole.PASSAGE)
        vectors.update(zip([pair.id for pair in batch], zip(firsts, seconds, strict=True), strict=True))

    def attempt(pair: LabelledPair) -> _JudgedPair:
        first, second = vectors[pair.id]
        scale = scales.get(pair.language) or Calibration.unknown(len(first))
        one = _judged(pair, scale, scale.cosines(first[None], second[None])[0, 0])
        pairs.write(
            {
                "id": pair.id,
                "merged": one.is_merged,
                "flagged": one.is_flagged,
                "superseded": one.is_superseded,
                "reason": one.reason,
            }
        )
        return one

    return attempt


def _judged(pair: LabelledPair, scale: Calibration, cosine: np.float32) -> _JudgedPair:
    known = Candidate(
        id="first",
        said=MergedText(text=pair.first, language=pair.language),
        s_dup=float(scale.s_dup(cosine)),
        probability=float(scale.probability(cosine)),
    )
    made = decide(MergedText(text=pair.second, language=pair.language), [known])
    flag = _flag(pair, float(cosine))
    return _JudgedPair(
        pair=pair,
        is_merged=made.kind in _MERGED,
        is_flagged=bool(flag),
        is_superseded=_is_superseded(pair, float(cosine)),
        reason=flag or made.reason,
    )


def _flag(pair: LabelledPair, likeness: float) -> str:
    """Return why both texts of a pair cannot hold; empty where nothing shows it."""
    found = contradiction(pair.first, pair.second, pair.language)
    if found:
        return found.reason
    update = find_update(pair.first, pair.second, pair.language, likeness=likeness) if pair.is_update else None
    return "" if update is None else update.reason


def _is_superseded(pair: LabelledPair, likeness: float) -> bool:
    """Return whether the second, said a day later, replaces the first, surely or likely: by one key, or by its wording."""
    if pair.first_about is None or pair.second_about is None:
        return pair.is_stated and find_update(pair.first, pair.second, pair.language, likeness=likeness) is not None
    if pair.first_about != pair.second_about:
        return False
    older = KeyedStatement(id="first", text=pair.first, at=_THEN)
    newer = KeyedStatement(id="second", text=pair.second, at=_LATER)
    return states_of_key([older, newer])[0].state is EpisodeState.SUPERSEDED


_LEVELS: tuple[Callable[[_JudgedPair], list[str]], ...] = (
    lambda one: [snake_case(one.pair.language.value)],
    lambda one: [one.pair.half],
    lambda one: [f"{one.pair.half}_{snake_case(one.pair.language.value)}"],
)


def _figures(judged: Sequence[_JudgedPair]) -> dict[str, float]:
    figures = {"pairs": float(len(judged))}
    rated = [one for one in judged if one.pair.relation in {PairRelation.DUPLICATE, PairRelation.RELATED}]
    figures |= _found("merge", ((one.is_merged, one.pair.relation is PairRelation.DUPLICATE) for one in rated))
    contradictions = [one for one in judged if one.pair.relation in CONFLICTS]
    if contradictions:
        merged = sum(one.is_merged for one in contradictions)
        figures |= share_with_interval("contradictions_merged", merged, len(contradictions))
    labelled = [one for one in judged if not one.pair.is_scored]
    figures |= _found("flagged", ((one.is_flagged, one.pair.relation in CONFLICTS) for one in labelled))
    updates = [one for one in judged if one.pair.is_update]
    keyed, stated = ([one for one in updates if one.pair.is_keyed is has_keys] for has_keys in (True, False))
    for name, those in (("superseded", updates), ("superseded_keyed", keyed), ("superseded_stated", stated)):
        figures |= _found(name, ((one.is_superseded, one.pair.relation is PairRelation.SUPERSEDES) for one in those))
    return figures


def _found(name: str, outcomes: Iterable[tuple[bool, bool]]) -> dict[str, float]:
    """Return precision and recall of what was found, with their intervals, and how many there are."""
    pairs = list(outcomes)
    found = sum(is_found for is_found, _ in pairs)
    wanted = sum(is_wanted for _, is_wanted in pairs)
    right = sum(is_found and is_wanted for is_found, is_wanted in pairs)
    figures: dict[str, float] = {}
    if pairs:
        figures |= {f"{name}_wanted": float(wanted), f"{name}_found": float(found)}
    if found:
        figures |= share_with_interval(f"{name}_precision", right, found)
    if wanted:
        figures |= share_with_interval(f"{name}_recall", right, wanted)
    return figures


def share_with_interval(name: str, count: int, total: int) -> dict[str, float]:
    """Return a share, of at least one, and the ends of its 95 % interval, as figures."""
    ends = wilson(count, total)
    return {name: count / total, f"{name}_low": ends.low, f"{name}_high": ends.high}


_MOST = 5.0
_DUPLICATE = 4.5
_RELATED = (1.5, 3.5)
_KEY_PARTS = 2


class PairRelation(StrEnum):
    """How the second text of a pair relates to the first."""

    DUPLICATE = "duplicate"
    RELATED = "related"
    BETWEEN = "between"
    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    ADDS = "adds"
    DIFFERENT = "different"


_INFERENCES = frozenset({PairRelation.ENTAILMENT, PairRelation.NEUTRAL, PairRelation.CONTRADICTION})
_UPDATES = frozenset({PairRelation.SUPERSEDES, PairRelation.CONTRADICTS, PairRelation.ADDS, PairRelation.DIFFERENT})
CONFLICTS = frozenset({PairRelation.CONTRADICTION, PairRelation.SUPERSEDES, PairRelation.CONTRADICTS})
"""Both cannot hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair(Case):
    """Two texts and how they relate."""

    language: Language  #: What they are written in, as the set says or as the first looks.
    first: str  #: The one said first.
    second: str  #: The one said later.
    relation: PairRelation  #: How the second relates to the first.
    first_about: tuple[str, str] | None = None  #: The key the first states, where the set names one.
    second_about: tuple[str, str] | None = None  #: The same of the second.
    is_of_one_speaker: bool = True  #: Whether one person said both, as far as the set says.
    is_named: bool = False  #: Whether it has an id in the set; without one it is in no half.

    @property
    def is_update(self) -> bool:
        """Whether the second is a later statement about what may be the same."""
        return self.relation in _UPDATES

    @property
    def is_keyed(self) -> bool:
        """Whether both state a key, the same or another."""
        return self.first_about is not None and self.second_about is not None

    @property
    def is_stated(self) -> bool:
        """Whether what the second states may take the place of what the first does."""
        return self.is_update and self.is_of_one_speaker

    @property
    def is_scored(self) -> bool:
        """Whether it was rated how alike they are."""
        return self.relation in {PairRelation.DUPLICATE, PairRelation.RELATED, PairRelation.BETWEEN}

    @property
    def is_blind(self) -> bool:
        """Whether it is in the half that rules are not tuned on: it has an id, whose CRC-32 is odd."""
        return self.is_named and super(LabelledPair, self).is_blind


def _fits(first: Record) -> bool:
    names = set(first.fields)
    return ({"a", "b"} <= names and bool({"score", "label"} & names)) or {"old", "new", "label"} <= names


def _pair(record: Record, number: int) -> LabelledPair:
    is_update = "old" in record.fields
    first, second = (record.filled(name) for name in (("old", "new") if is_update else ("a", "b")))
    name = record.optional_name("id")
    return LabelledPair(
        id=name or str(number),
        language=record.language(first),
        first=first,
        second=second,
        relation=_relation(record, is_update=is_update),
        first_about=_key(record, "about") or _key(record, "about_old"),
        second_about=_key(record, "about") or _key(record, "about_new"),
        is_of_one_speaker=record.optional_name("old_speaker") == record.optional_name("new_speaker"),
        is_named=name is not None,
    )


PAIR_SETS = SetForm(
    line='{"lang", "a", "b", "score"}, {"lang", "a", "b", "label"} or {"lang", "old", "new", "label"}',
    fits=_fits,
    read_one=_pair,
)
"""Labelled pairs; those without an id are named by their place."""


def _relation(record: Record, *, is_update: bool) -> PairRelation:
    if "score" in record.fields and not is_update:
        score = record.fields["score"]
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0.0 <= score <= _MOST:
            raise record.refuse("score", "a number from 0 to 5")
        if score >= _DUPLICATE:
            return PairRelation.DUPLICATE
        return PairRelation.RELATED if _RELATED[0] <= score <= _RELATED[1] else PairRelation.BETWEEN
    allowed = _UPDATES if is_update else _INFERENCES
    label = record.optional_name("label")
    if label not in allowed:
        raise record.refuse("label", f"one of {', '.join(sorted(allowed))}")
    return PairRelation(label)


def _key(record: Record, name: str) -> tuple[str, str] | None:
    if record.fields.get(name) is None:
        return None
    parts = record.texts(name)
    if len(parts) != _KEY_PARTS:
        raise record.refuse(name, 'a subject and an attribute, such as ["office", "city"]')
    return parts[0], parts[1]
