"""Similarity of the episodes around one, on the calibrated scale of their language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeState
from evolore.episodes import merging
from evolore.episodes.calibration import Calibration, chance, log_odds_of_pairs, words_of
from evolore.episodes.contradictions import contradiction
from evolore.episodes.differences import DifferenceKind
from evolore.episodes.updates import happened, names_another
from evolore.flows.calibrate import Scales
from evolore.flows.context import Context
from evolore.flows.remember.world import LIKE, Known, World
from evolore.text.tokens import token_weights
from evolore.text.vectors import logistic

_RELATED = frozenset((EdgeKind.BRANCH,))
_DECIMALS = 4
_FEWEST_SHARED = 2
_LEAST_SHARED = 0.6
"""What two turns share at least to be linked: so many tokens, and so much of a word."""

_SHARED_NEIGHBOURS = 3
"""With so many neighbours in common, two episodes that are linked are strongly connected."""


_NEIGHBOURS = 16
"""How many of the nearest may be linked."""

COMPARED = 6
"""With how many of them wordings are compared: what a statement repeats is among the first."""

_LEAST_LINK = 0.88
"""Above this probability two are linked: log-odds of 2."""

MOST_LINKS = 6
MOST_LINKS_IN = 24
"""How many links of likeness lead from one episode to others; how many lie at one before no other is linked to it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Like:
    """An episode and how alike it is."""

    known: Known  #: The episode.
    cosine: float  #: The centred cosine, rounded to 1e-4.
    probability: float  #: That both are about one matter.
    link: float  #: The same, among so many: the more there are, the likelier one of them is near by chance.
    s_dup: float  #: On the scale where 0.85 is a copy.
    is_strong: bool = False  #: Whether the two are strongly connected already.


class Likeness:
    """Compares episodes of a world."""

    def __init__(self, context: Context, world: World) -> None:
        model = context.embedder.model
        self._scales = Scales(context.calibrations, model, world.calibrations(model.id))
        self._world = world

    def calibration(self, one: Episode) -> Calibration:
        """Return the scale of an episode's language."""
        return self._scales.of(one.language)

    def near(self, one: Known) -> list[Like]:
        """Return the nearest visible episodes that an episode may merge or be linked with, the likest first.

        Other parts of what it was split from are left out.
        """
        found = self._world.near(one.vector, count=_NEIGHBOURS, but={one.id, *self._relatives(one.id)})
        if not found:
            return []
        scale = self.calibration(one)
        around = self._centred(found)
        own = scale.centred(one.vector[np.newaxis])[0]
        products: npt.NDArray[np.float64] = np.einsum("ij,j->i", around, own, dtype=np.float64)
        cosines = [round(float(product), _DECIMALS) for product in products]
        chances, alike = scale.probability(cosines), scale.s_dup(cosines)
        texts = [one.text, *(known.text for known in found)]
        odds = log_odds_of_pairs(np.array(cosines), texts, scale) - chance(self._world.count)
        links = np.round(logistic(odds), _DECIMALS).tolist()
        strong = self._strongly_connected(one.id, [known.id for known in found])
        likes = [
            Like(
                known=known,
                cosine=cosine,
                probability=probability,
                link=link,
                s_dup=s_dup,
                is_strong=known.id in strong,
            )
            for known, cosine, probability, link, s_dup in zip(
                found, cosines, chances.tolist(), links, alike.tolist(), strict=True
            )
        ]
        return sorted(likes, key=lambda like: (-like.cosine, like.known.id))

    def _centred(self, found: Sequence[Known]) -> npt.NDArray[np.float32]:
        """Return the vectors of some episodes, each seen from the centre of its language, shape (found, dimension)."""
        vectors = np.stack([known.vector for known in found])
        for language in {known.language for known in found}:
            places = [place for place, known in enumerate(found) if known.language is language]
            vectors[places] = self._scales.of(language).centred(vectors[places])
        return vectors

    def decide(self, one: Known, likes: Sequence[Like]) -> merging.Integration:
        """Return what becomes of an episode; passages of documents are never merged."""
        fitting = [like for like in likes if like.known.is_statement and _is_dated(like.known) is _is_dated(one)]
        return merging.decide(_said(one), [_candidate(like) for like in fitting[:COMPARED]])

    def conflict(self, older: Known, newer: Known, like: Like) -> str | None:
        """Explain in words why two statements do not fit together; None where they do.

        Only those of one speaker and language, probably of one matter. Rules only report it. Things that numbers
        name apart, and two things that happened, fit together unless one is denied.
        """
        is_comparable = older.language is newer.language and older.speaker == newer.speaker
        if not is_comparable or like.probability <= merging.LEAST_LINK:
            return None
        if names_another(older.text, newer.text, newer.language):
            return None
        found = contradiction(older.text, newer.text, newer.language)
        if found is None:
            return None
        is_denied = found.kind is DifferenceKind.NEGATION
        return found.reason if is_denied or not happened(older.text, older.language) else None

    def links(self, one: Known, likes: Sequence[Like]) -> tuple[Edge, ...]:
        """Return the edges from an episode to those it is about one matter with, the likest first, few at each end."""
        wanted = [like for like in likes if like.link > _LEAST_LINK and _may_link(one, like.known)]
        if not wanted:
            return ()
        ids = [like.known.id for like in wanted]
        degrees = dict.fromkeys(ids, 0)
        joined: set[str] = set()
        for edge in self._world.edges([one.id, *ids], kinds=LIKE):
            for end, other in ((edge.source_id, edge.target_id), (edge.target_id, edge.source_id)):
                if end in degrees:
                    degrees[end] += 1
                if end == one.id:
                    joined.add(other)
        free = [like for like in wanted if degrees[like.known.id] < MOST_LINKS_IN and like.known.id not in joined]
        return tuple(_link(one, like) for like in free[: max(0, MOST_LINKS - len(joined))])

    def _relatives(self, id_: str) -> set[str]:
        """Return the other parts of what an episode was split from."""
        edges = self._world.edges([id_], kinds=_RELATED)
        return {end for edge in edges for end in (edge.source_id, edge.target_id)} - {id_}

    def _strongly_connected(self, id_: str, ids: Sequence[str]) -> set[str]:
        """Return those that a link joins with an episode, and that share several neighbours with it."""
        around: dict[str, set[str]] = {}
        for edge in self._world.edges([id_, *ids], kinds=LIKE):
            around.setdefault(edge.source_id, set()).add(edge.target_id)
            around.setdefault(edge.target_id, set()).add(edge.source_id)
        own = around.get(id_, set())
        return {other for other in ids if other in own and len(own & around[other]) >= _SHARED_NEIGHBOURS}


def _may_link(one: Known, other: Known) -> bool:
    """Return whether two say enough to be of one matter: small talk does not, and turns have to share words.

    The vector of a turn holds who said it, so the turns of one speaker lie near each other, whose content may differ.
    """
    if not all(merging.can_repeat(known.text, known.language) for known in (one, other)):
        return False
    if one.speaker is None and other.speaker is None:
        return True
    shared = sorted(words_of(one.text) & words_of(other.text))
    return len(shared) >= _FEWEST_SHARED and float(token_weights(shared).sum()) >= _LEAST_SHARED


def _is_dated(one: Known) -> bool:
    """Return whether it is known when something happened: one text cannot say both of itself."""
    return one.occurred_at is not None


def _said(one: Known) -> merging.MergedText:
    return merging.MergedText(
        text=one.text,
        language=one.language,
        speaker=one.speaker,
        about=one.about,
        moment=one.moment.date(),
        holds=one.state is EpisodeState.ACTIVE,
    )


def _candidate(like: Like) -> merging.Candidate:
    return merging.Candidate(
        id=like.known.id,
        said=_said(like.known),
        s_dup=like.s_dup,
        probability=like.probability,
        is_connected=like.is_strong,
    )


def _link(one: Known, like: Like) -> Edge:
    kind = EdgeKind.ECHO if like.s_dup >= merging.MERGE_SIMILARITY else EdgeKind.SEMANTIC
    return Edge(source_id=one.id, target_id=like.known.id, kind=kind, weight=like.link)
