"""Measuring which statements merge, which are flagged and which are superseded, by the protocol of docs/evaluation.md."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from math import sqrt
from typing import TYPE_CHECKING

from evolore.domain.episode import EpisodeState
from evolore.domain.language import Language
from evolore.episodes.calibration import Calibration
from evolore.episodes.contradictions import contradiction
from evolore.episodes.explicit_keys import KeyedStatement, states_of_key
from evolore.episodes.merging import Candidate, IntegrationKind, MergedText, decide
from evolore.episodes.updates import find_update
from evolore.flows.embedding import embed
from evolore.models.embedders import shipped_calibration
from evolore.ports import TextRole
from evolore_evaluation.predictions import writing_predictions
from evolore_evaluation.records import check_count, find_sets, read_named, set_name
from evolore_evaluation.reports import Report, SetResult, snake_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from evolore.ports import Embedder
    from evolore_evaluation.predictions import WritePrediction
    from evolore_evaluation.records import Record
    from evolore_evaluation.reports import Json, Progress

_BATCH = 64
_Z = 1.96
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


def evaluate_pairs(
    paths: Sequence[Path],
    *,
    embedder: Embedder,
    blind: bool = False,
    limit: int | None = None,
    predictions: Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Measure decisions on pairs of texts; each figure with its 95 % interval (``_low``, ``_high``, Wilson's).

    ``merge_precision`` and ``merge_recall``: of pairs rated 0–5, a duplicate is 4.5 or more, a merely related pair 1.5
    to 3.5; others count for neither. ``contradictions_merged``: the share of contradictions that were merged.
    ``flagged_precision`` and ``flagged_recall``: of pairs labelled by what they say, those of which both cannot hold.
    ``superseded_precision`` and ``superseded_recall``: of pairs of an older and a newer statement, those whose older one
    is superseded, the newer one said a day later; of those with keys apart (``superseded_keyed``), and of those that only
    state it (``superseded_stated``). Languages are given apart, with ``blind`` the halves too.

    Args:
        paths: Files, or folders of them.
        embedder: What embeds the texts.
        blind: Measure the blind half too, and give the figures of either half apart. Nothing is tuned on it: look
            rarely, and keep a log.
        limit: Measure on the first so many pairs of each set.
        predictions: Write ``{"set", "id", "merged", "flagged", "superseded", "reason"}`` here as JSON lines.
        progress: Told after every batch of pairs.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
        EmbedderBroken: The vectors are not what an embedder must give.
    """
    check_count(limit, "limit")
    found = find_pair_sets(paths)
    judge = _Judge(embedder, _scales(embedder))
    with writing_predictions(predictions) as write:
        results = tuple(_measure_set(path, blind, limit, judge, write, progress) for path in found)
    described: dict[str, Json] = {
        "embedder": embedder.model.id,
        "blind": blind,
        "limit": limit,
    }
    return Report(system="pairs", settings=described, sets=results)


def _scales(embedder: Embedder) -> Mapping[Language, Calibration]:
    shipped = shipped_calibration(embedder.model)
    return {language: Calibration.from_arrays(arrays) for language, arrays in shipped.items()}


@dataclass(frozen=True, slots=True)
class _Judge:
    """Decides of pairs what integration would."""

    embedder: Embedder
    scales: Mapping[Language, Calibration]

    def judge(self, pairs: Sequence[LabelledPair]) -> list[_JudgedPair]:
        firsts = embed(self.embedder, [pair.first for pair in pairs], role=TextRole.PASSAGE)
        seconds = embed(self.embedder, [pair.second for pair in pairs], role=TextRole.PASSAGE)
        judged: list[_JudgedPair] = []
        for pair, first, second in zip(pairs, firsts, seconds, strict=True):
            scale = self.scales.get(pair.language) or Calibration.unknown(len(first))
            cosine = scale.cosines(first[None], second[None])[0, 0]
            known = Candidate(
                id="first",
                said=MergedText(text=pair.first, language=pair.language),
                s_dup=float(scale.s_dup(cosine)),
                probability=float(scale.probability(cosine)),
            )
            judged.append(self._judged(pair, known, float(cosine)))
        return judged

    def _judged(self, pair: LabelledPair, known: Candidate, likeness: float) -> _JudgedPair:
        made = decide(MergedText(text=pair.second, language=pair.language), [known])
        flag = _flag(pair, likeness)
        return _JudgedPair(
            pair=pair,
            is_merged=made.kind in _MERGED,
            is_flagged=bool(flag),
            is_superseded=_is_superseded(pair, likeness),
            reason=flag or made.reason,
        )


def _flag(pair: LabelledPair, likeness: float) -> str:
    """Return why both texts of a pair cannot hold; empty where nothing tells."""
    found = contradiction(pair.first, pair.second, pair.language)
    if found:
        return found.reason
    update = find_update(pair.first, pair.second, pair.language, likeness=likeness) if pair.is_update else None
    return "" if update is None else update.reason


def _is_superseded(pair: LabelledPair, likeness: float) -> bool:
    """Return whether the second, said a day later, replaces the first, surely or likely: by one key, or by its wording."""
    if pair.first_about is None or pair.second_about is None:
        update = find_update(pair.first, pair.second, pair.language, likeness=likeness)
        return pair.is_stated and update is not None
    if pair.first_about != pair.second_about:
        return False
    older = KeyedStatement(id="first", text=pair.first, at=_THEN)
    newer = KeyedStatement(id="second", text=pair.second, at=_LATER)
    return states_of_key([older, newer])[0].state is EpisodeState.SUPERSEDED


def _measure_set(
    path: Path,
    blind: bool,  # noqa: FBT001 - private, called once
    limit: int | None,
    judge: _Judge,
    write: WritePrediction,
    progress: Progress | None,
) -> SetResult:
    name = set_name(path)
    pairs = [pair for pair in read_pairs(path) if blind or not pair.is_blind][:limit]
    judged: list[_JudgedPair] = []
    for start in range(0, len(pairs), _BATCH):
        judged += judge.judge(pairs[start : start + _BATCH])
        if progress:
            progress(name, len(judged), len(pairs))
    for one in judged:
        write(
            {
                "set": name,
                "id": one.pair.id,
                "merged": one.is_merged,
                "flagged": one.is_flagged,
                "superseded": one.is_superseded,
                "reason": one.reason,
            }
        )
    groups = _groups(judged, blind=blind)
    return SetResult(name=name, metrics=_figures(judged), categories={label: _figures(some) for label, some in groups})


def _groups(judged: Sequence[_JudgedPair], *, blind: bool) -> list[tuple[str, list[_JudgedPair]]]:
    """Sort pairs by language, then, with both halves, by half and by language of a half."""
    labels: list[Callable[[_JudgedPair], str]] = [_language]
    if blind:
        labels += [_half, _language_of_half]
    groups: dict[str, list[_JudgedPair]] = {}
    for label in labels:
        for one in sorted(judged, key=label):
            groups.setdefault(label(one), []).append(one)
    return list(groups.items())


def _language(one: _JudgedPair) -> str:
    return snake_case(one.pair.language.value)


def _half(one: _JudgedPair) -> str:
    return "blind" if one.pair.is_blind else "visible"


def _language_of_half(one: _JudgedPair) -> str:
    return f"{_half(one)}_{_language(one)}"


def _figures(judged: Sequence[_JudgedPair]) -> dict[str, float]:
    figures = {"pairs": float(len(judged))}
    rated = [one for one in judged if one.pair.relation in {PairRelation.DUPLICATE, PairRelation.RELATED}]
    figures |= _found("merge", ((one.is_merged, one.pair.relation is PairRelation.DUPLICATE) for one in rated))
    contradictions = [one for one in judged if one.pair.relation in CONFLICTS]
    if contradictions:
        figures |= _share("contradictions_merged", sum(one.is_merged for one in contradictions), len(contradictions))
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
        figures |= _share(f"{name}_precision", right, found)
    if wanted:
        figures |= _share(f"{name}_recall", right, wanted)
    return figures


def _share(name: str, count: int, total: int) -> dict[str, float]:
    low, high = wilson(count, total)
    return {name: count / total, f"{name}_low": low, f"{name}_high": high}


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, by Wilson (1927): sound also where the share is 0 or 1.

    >>> [round(end, 3) for end in wilson(20, 20)]
    [0.839, 1.0]

    Args:
        count: How many of them.
        total: Of how many, at least 1.
    """
    share, square = count / total, _Z * _Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = _Z / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total * total))
    return max(0.0, middle - half), min(1.0, middle + half)


_FORM = '{"lang", "a", "b", "score"}, {"lang", "a", "b", "label"} or {"lang", "old", "new", "label"}'
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
class LabelledPair:
    """Two texts and how they relate.

    Args:
        id: Its name in its set, or its place from 1.
        language: What they are written in, as the set says or as the first looks.
        first: The one said first.
        second: The one said later.
        relation: How the second relates to the first.
        first_about: The key the first states, where the set gives one.
        second_about: Likewise of the second.
        is_of_one_speaker: Whether one person said both, as far as the set tells.
        is_named: Whether the set gives it an id; without one it is in no half.
    """

    id: str
    language: Language
    first: str
    second: str
    relation: PairRelation
    first_about: tuple[str, str] | None = None
    second_about: tuple[str, str] | None = None
    is_of_one_speaker: bool = True
    is_named: bool = False

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
        return self.is_named and zlib.crc32(self.id.encode("utf-8", "surrogatepass")) % 2 == 1


def find_pair_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of labelled pairs that the paths name, as ``find_sets`` does and raises."""
    return find_sets(paths, fits=_fits, form=_FORM)


def _fits(first: Record) -> bool:
    names = set(first.fields)
    is_pair = {"a", "b"} <= names and bool({"score", "label"} & names)
    return is_pair or {"old", "new", "label"} <= names


def read_pairs(path: Path) -> tuple[LabelledPair, ...]:
    """Read a whole set; pairs without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, or two have one id.
    """
    return read_named(path, _pair)


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


def _relation(record: Record, *, is_update: bool) -> PairRelation:
    if "score" in record.fields and not is_update:
        return _rated(record)
    allowed = _UPDATES if is_update else _INFERENCES
    label = record.optional_name("label")
    if label not in allowed:
        raise record.refuse("label", f"one of {', '.join(sorted(allowed))}")
    return PairRelation(label)


def _rated(record: Record) -> PairRelation:
    score = record.fields["score"]
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0.0 <= score <= _MOST:
        raise record.refuse("score", "a number from 0 to 5")
    if score >= _DUPLICATE:
        return PairRelation.DUPLICATE
    return PairRelation.RELATED if _RELATED[0] <= score <= _RELATED[1] else PairRelation.BETWEEN


def _key(record: Record, name: str) -> tuple[str, str] | None:
    if record.fields.get(name) is None:
        return None
    parts = record.texts(name)
    if len(parts) != _KEY_PARTS:
        raise record.refuse(name, 'a subject and an attribute, such as ["office", "city"]')
    return parts[0], parts[1]
