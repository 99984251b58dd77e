"""Which of the best candidates are about the same matter, and which of two came later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.text.tokens import analyse, query_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.language import Language
    from evolore.recall.decay_settings import DecaySettings
    from evolore.recall.matter import MatterSpace

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_SECONDS_PER_DAY = 86_400.0

_NEAREST = 3
"""A rival is among the so many nearest, from either side: in a large memory much is alike."""

_FIRST = 5
"""One of two rivals is among the first so many: what is read matters, and what would take its place."""

_SHARED_WORD = 0.1
"""What sharing a word of the question adds to a cosine where the nearest are chosen."""

_FEW = 10
_MANY = 20
"""From how many candidates on they are alike by themselves, and until when that is taken into account by degrees."""

_MOST_READ = 600
"""Characters of a text that are searched for words of the question."""

_CERTAIN = 0.6
"""How likely about one matter two are at the least, where one holds words of the question and the other none of them."""

_SEVERAL = 2
_ALIKE = 0.95
"""How likely about one matter two are at the least, where one holds all of several words that are asked for, the other not."""

_LEAST_COMMON = 4
_COMMON_SHARE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """The best items of a ranking, best first; all have the shape (n,) unless said otherwise.

    Args:
        scores: What they were ranked by, in standard deviations of the words' scores.
        vectors: Unit vectors, shape (n, dimension).
        times: When each happened or was recorded, in seconds.
        numbers: Item numbers: of two of the same time the higher came later.
        has_time: Whether the time says when it was said; false for a document's chunk without a date.
        arousal: 0–1, NaN where it is not known.
        speakers: The number of who said it, -1 for nobody.
        names: Their names, None for nobody.
        groups: The number of its session or document; items that stand alone have one of their own.
        subjects: The number of the subject and attribute it states, -1 for none.
        is_superseded: Whether it is marked so.
        languages: What each is written in.
        texts: What each says.
    """

    scores: Floats
    vectors: Floats
    times: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.int32]
    has_time: Flags
    arousal: Floats
    speakers: npt.NDArray[np.int32]
    groups: npt.NDArray[np.int32]
    names: Sequence[str | None]
    subjects: npt.NDArray[np.int32]
    is_superseded: Flags
    languages: Sequence[Language]
    texts: Sequence[str]

    @property
    def count(self) -> int:
        """How many there are."""
        return self.scores.size


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """What two candidates are to each other, shape (n, n) each.

    Args:
        probability: That they are about the same matter.
        is_same: Whether they are taken to be, and may be rivals.
        shares_words: Whether both hold a word of the question that few others hold.
        has_same_subject: Whether both state the same attribute of the same subject.
        is_newer: Whether the second came after the first.
        gap_days: How long after, 0 where it did not.
        alike: The centred cosine of the two.
        asked: The centred cosine of each with the question, shape (n,).
        centred: The centred vectors, shape (n, dimension).
        held: Which words of the question each holds.
        is_all: Whether all that was found is compared, because it is little.
    """

    probability: Floats
    is_same: Flags
    shares_words: Flags
    has_same_subject: Flags
    is_newer: Flags
    gap_days: npt.NDArray[np.float64]
    alike: Floats
    asked: Floats
    centred: Floats
    held: Sequence[frozenset[str]]
    is_all: bool


def find_pairs(
    candidates: Candidates, question: str, vector: Floats, *, space: MatterSpace, settings: DecaySettings
) -> Pairs:
    """Compare all candidates with each other and with the question; costs their number squared times the dimension."""
    said = [frozenset(analyse(text[:_MOST_READ])) for text in candidates.texts]
    held = [_asked_words(question) & words for words in said]
    later = candidates.times - candidates.times[:, np.newaxis]
    is_newer = (later > 0) | ((later == 0) & (candidates.numbers > candidates.numbers[:, np.newaxis]))
    words = _share_words(held)
    centred = space.centred(candidates.vectors, candidates.languages)
    question_vectors = space.centred(np.tile(vector, (candidates.count, 1)), candidates.languages)
    asked = np.asarray(np.einsum("ij,ij->i", centred, question_vectors), dtype=np.float32)
    alike = np.asarray(centred @ centred.T, dtype=np.float32)
    cosines = _standing_out(alike)
    probability = np.maximum(space.probabilities(cosines), np.float32(settings.matter) * words)
    known = (candidates.subjects[:, np.newaxis] >= 0) & (candidates.subjects >= 0)
    same_subject = known & (candidates.subjects[:, np.newaxis] == candidates.subjects)
    probability[known] = same_subject[known]
    np.fill_diagonal(probability, 0.0)
    np.fill_diagonal(same_subject, val=False)
    is_all = candidates.count < settings.candidates
    if is_all:
        is_same = ~known & ~np.eye(candidates.count, dtype=np.bool_) & (probability >= settings.matter)
        is_sure = (probability >= (_CERTAIN if space.centres else np.inf)) & ~_is_one_answering(
            question, held, candidates.scores
        )
        is_same &= _hold_alike(held, is_known=bool(space.centres)) | is_sure
        is_told = _is_all_told(question, held, candidates.scores) & ~_are_repeated(said, is_newer)
        is_same &= ~is_told | (space.probabilities(cosines) >= _ALIKE)
    else:
        near = _are_near(cosines + np.float32(_SHARED_WORD) * words)
        is_same = (probability >= settings.matter) & near & _are_read(candidates.scores)
    is_same &= ~_are_apart(candidates)
    return Pairs(
        probability=probability,
        is_same=(is_same | same_subject) & candidates.has_time & candidates.has_time[:, np.newaxis],
        shares_words=words,
        has_same_subject=same_subject,
        is_newer=is_newer,
        gap_days=np.maximum(later, 0.0) / _SECONDS_PER_DAY,
        alike=alike,
        asked=asked,
        centred=centred,
        held=held,
        is_all=is_all,
    )


def _standing_out(cosines: Floats) -> Floats:
    """Take off what many candidates have in common by having been found: only what stands out among them is a rival."""
    count = len(cosines)
    share = min(max((count - _FEW) / (_MANY - _FEW), 0.0), 1.0)
    if share <= 0.0:
        return cosines
    between = cosines[np.triu_indices(count, 1)]
    common = max(float(np.median(between)), 0.0) + float(between.std())
    return cosines - np.float32(share * common)


def _are_apart(candidates: Candidates) -> Flags:
    """Tell which were said by two persons, or in one session, where what follows does not outdate but goes on."""
    speakers, groups = candidates.speakers, candidates.groups
    known = (speakers >= 0) & (speakers[:, np.newaxis] >= 0)
    return (known & (speakers != speakers[:, np.newaxis])) | (groups == groups[:, np.newaxis])


def _are_read(scores: Floats) -> Flags:
    """Tell of which pairs at least one is among the first."""
    first = (
        scores >= np.partition(scores, -_FIRST)[-_FIRST]
        if len(scores) > _FIRST
        else np.ones_like(scores, dtype=np.bool_)
    )
    return first | first[:, np.newaxis]


def _are_near(likeness: Floats) -> Flags:
    others = likeness.copy()
    np.fill_diagonal(others, -np.inf)
    if len(others) <= _NEAREST + 1:
        return np.isfinite(others)
    least = -np.partition(-others, _NEAREST - 1, axis=1)[:, _NEAREST - 1 : _NEAREST]
    is_near = others >= least
    return is_near & is_near.T


def _asked_words(question: str) -> frozenset[str]:
    return frozenset(token for token in query_tokens(question) if len(token) > 1)


def _are_repeated(said: Sequence[frozenset[str]], is_newer: Flags) -> Flags:
    """Tell of which pairs the older holds all words of the newer: what that leaves out may be what is no longer so."""
    holds = np.array([[bool(later) and later <= earlier for later in said] for earlier in said], dtype=np.bool_)
    is_one = holds.reshape(is_newer.shape) & is_newer
    return is_one | is_one.T


def _hold_alike(held: Sequence[frozenset[str]], *, is_known: bool) -> Flags:
    """Tell which pairs both hold words of the question, or both none; the very same, where vectors tell nothing sure."""
    holds = [bool(words) if is_known else words for words in held]
    return np.array([[one == other for other in holds] for one in holds], dtype=np.bool_).reshape(len(held), len(held))


def _is_one_answering(question: str, held: Sequence[frozenset[str]], scores: Floats) -> Flags:
    """Tell of which pairs the higher holds all that is asked for and the lower nothing: it is about something else."""
    asked = _asked_words(question)
    holds_all = np.array([words == asked for words in held], dtype=np.bool_)
    holds_none = np.array([not words for words in held], dtype=np.bool_)
    is_one = holds_all[:, np.newaxis] & holds_none & (scores[:, np.newaxis] > scores)
    return is_one | is_one.T


def _is_all_told(question: str, held: Sequence[frozenset[str]], scores: Floats) -> Flags:
    """Tell of which pairs the higher holds all of several words that are asked for and the lower only some of them."""
    asked = _asked_words(question)
    if len(asked) < _SEVERAL:
        return np.zeros((len(held), len(held)), dtype=np.bool_)
    holds_all = np.array([words == asked for words in held], dtype=np.bool_)
    is_one = holds_all[:, np.newaxis] & ~holds_all & (scores[:, np.newaxis] > scores)
    return is_one | is_one.T


def _share_words(held: Sequence[frozenset[str]]) -> Flags:
    most = max(_LEAST_COMMON, int(_COMMON_SHARE * len(held)))
    shares = np.zeros((len(held), len(held)), dtype=np.bool_)
    for word in frozenset[str]().union(*held):
        has = np.array([word in words for words in held], dtype=np.bool_)
        if has.sum() <= most:
            shares |= has & has[:, np.newaxis]
    return shares
