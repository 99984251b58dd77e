"""Show what failed questions do to the context entropy of episodes: ``python benchmarks/context_entropy.py FILE…``.

The files are segmentation sets. Their sections are mixed into episodes as ``benchmarks/splitting.py`` mixes them: of one
section (clean), of two documents with as many neighbours of each (even), and of two documents of which the second has one
or two neighbours beside six (6:1, 6:2). About the second context (of a clean episode: about its one) so many questions
are asked and fail, each leaving an edge ``query_retrieval``: sentences of that section's text. Printed per language is
the share of episodes that would split without any, and how much larger it is after 5, 10 and 20, with query edges left
out, as by default, and with them counted. Neighbours are compared on a scale fitted to all of the set, as ``maintain`` does.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episode import EdgeKind
from evolore.domain.language import Language
from evolore.episodes.calibration import Piece, log_odds_of
from evolore.flows.embedding import embed
from evolore.models.embedders import embedder_named
from evolore.ports import TextRole
from evolore.queries.contexts import context_entropy
from evolore.queries.settings import QuerySettings
from evolore.text.scripts import detect_language
from evolore.text.vectors import logistic
from evolore_evaluation.measure import RememberingEmbedder
from evolore_evaluation.segmentation import SEGMENTATION_SETS
from splitting import Mix, MixedEpisode, fitted_to, mix_episodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.episodes.calibration import Calibration
    from evolore.ports import Embedder
    from evolore.text.vectors import Vectors

DEFAULT = QuerySettings()
FAILED = (0, 5, 10, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An episode's neighbours, and the sentences that questions about one of its contexts are.

    Args:
        kind: How it was mixed.
        neighbours: Texts.
        asked: Texts, at least one.
    """

    kind: str
    neighbours: tuple[str, ...]
    asked: tuple[str, ...]


def cases(episodes: Sequence[MixedEpisode]) -> Iterator[Case]:
    """Give the cases of a set."""
    clean = [one for one in episodes if one.mix is Mix.CLEAN]
    for one in clean:
        yield Case(kind="clean", neighbours=_texts(one), asked=one.sentences)
    for one in episodes:
        if one.mix is Mix.FAR2:
            asked = tuple(said for said, topic in zip(one.sentences, one.topics, strict=True) if topic == 1)
            yield Case(kind="even", neighbours=_texts(one), asked=asked)
    large = [one for one in clean if len(one.neighbours) == 6]
    for one, other in pairwise(large):
        if one.neighbours[0].document != other.neighbours[0].document:
            for few in (1, 2):
                around = _texts(one) + _texts(other)[:few]
                yield Case(kind=f"6:{few}", neighbours=around, asked=other.sentences)


def _texts(episode: MixedEpisode) -> tuple[str, ...]:
    return tuple(one.text for one in episode.neighbours)


def splits(case: Case, embedder: Embedder, calibration: Calibration) -> Iterator[tuple[int, bool, bool]]:
    """Tell for each number of failed questions whether the episode splits, without them and with them."""
    around = embed(embedder, case.neighbours, role=TextRole.PASSAGE)
    pieces = [Piece(text=text, vector=vector) for text, vector in zip(case.neighbours, around, strict=True)]
    likeness = logistic(log_odds_of(pieces, [], calibration))
    neighbours = [(str(place), EdgeKind.SEMANTIC) for place in range(len(case.neighbours))]
    vectors: Vectors = embed(embedder, case.asked, role=TextRole.QUERY)
    nearness = calibration.probability(calibration.cosines(vectors, around))
    for count in FAILED:
        rows = np.arange(count) % len(case.asked)
        questions = [(f"q{place}", EdgeKind.QUERY_RETRIEVAL) for place in range(count)]
        left_out = context_entropy(neighbours, likeness, settings=DEFAULT)
        counted = context_entropy(neighbours, likeness, questions=questions, nearness=nearness[rows], settings=DEFAULT)
        yield count, left_out.is_even, counted.is_even


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=60, help="how many episodes of each kind and set")
    parser.add_argument("--embedder", default="use")
    asked = parser.parse_args()
    embedder = RememberingEmbedder(embedder_named(asked.embedder))
    found: dict[tuple[str, str, int], list[tuple[bool, bool]]] = defaultdict(list)
    for path in SEGMENTATION_SETS.find(asked.paths):
        episodes = mix_episodes(SEGMENTATION_SETS.read(path), limit=asked.limit)
        fitted = fitted_to(embedder, episodes)
        for case in cases(episodes):
            language = detect_language("\n".join(case.neighbours))
            for count, left_out, counted in splits(case, embedder, fitted.get(language) or fitted[Language.EN]):
                found[language.value, case.kind, count].append((left_out, counted))
    print(f"{'language':9}{'kind':7}{'episodes':>9}{'split':>7}   caused by 5, 10, 20: left out     counted")
    for language, kind in sorted({(language, kind) for language, kind, _ in found}):
        rates = [np.mean(np.array(found[language, kind, count]), axis=0) for count in FAILED]
        left_out, counted = ([f"{rate[side] - rates[0][side]:+.3f}" for rate in rates[1:]] for side in (0, 1))
        episodes = len(found[language, kind, 0])
        print(
            f"{language:9}{kind:7}{episodes:9}{rates[0][0]:7.3f}            "
            f"{' '.join(left_out):>22}  {' '.join(counted)}"
        )


if __name__ == "__main__":
    main()
