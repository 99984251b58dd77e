"""Compare tier 3 with the hard split on texts that have lost their sentences: ``python benchmarks/tier_three.py SET…``.

The sentences of a segmentation set are joined without full stops, capitals and line breaks, as a transcript comes from
a recogniser, so that tiers 1 and 2 find nothing. A cut is right when a gold boundary lies within 60 characters. Chance
is what as many even cuts would give; ``cut`` is the share of stretches where tier 3 found a boundary at all.
"""

from __future__ import annotations

import re
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from evolore.chunking.hard_split import hard_split
from evolore.chunking.perplexity import ngram_curve
from evolore.chunking.settings import TierSettings
from evolore_evaluation.segmentation import SEGMENTATION_SETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NEAR = 60
_MOST = 1000
_LEAST = 120
_LONGEST = 6000
_STOPS = re.compile(r"[.!?。！？;；\r\n]+")


def stretches(path: Path, limit: int) -> Iterator[tuple[str, list[int]]]:
    """Give texts without sentences, and where their sections begin."""
    for document in SEGMENTATION_SETS.read(path)[:limit]:
        text, edges = "", list[int]()
        for number, sentence in enumerate(document.sentences):
            bare = _STOPS.sub(" ", sentence).strip().lower()
            if len(text) + len(bare) > _LONGEST:
                break
            if number in document.boundaries and text:
                edges.append(len(text))
            text += bare + (" " if bare.isascii() else "、")
        if len(text) > _MOST and edges:
            yield text, edges


def right(cuts: Sequence[int], edges: Sequence[int]) -> int:
    """Count the cuts near a gold boundary."""
    return sum(any(abs(cut - edge) <= _NEAR for edge in edges) for cut in cuts)


def main(paths: Sequence[str], limit: int = 60) -> int:
    """Print a line for each setting and set."""
    if not paths:
        sys.stdout.write(__doc__ or "")
        return 2
    for path in paths:
        texts = list(stretches(Path(path), limit))
        hard = [(hard_split(text, 0, len(text), most=_MOST)[0], edges) for text, edges in texts]
        chance = sum(len(edges) * (2 * _NEAR + 1) / len(text) for text, edges in texts) / len(texts)
        show(path, "hard split", [*hard], chance, 1.0)
        for order, rise in product((2, 3, 4), (1.5, 2.0)):
            settings = TierSettings(ngram_order=order)
            with patch("evolore.chunking.perplexity._LEAST_RISE", rise):
                found = [
                    ([cut for cut, _ in curve.split(0, len(text), most=_MOST, least=_LEAST)], edges)
                    for text, edges in texts
                    if (curve := ngram_curve(text, 0, len(text), settings))
                ]
            share = sum(bool(cuts) for cuts, _ in found) / len(found)
            show(path, f"n={order} rise={rise}", found, chance, share)
    return 0


def show(path: str, name: str, found: list[tuple[list[int], list[int]]], chance: float, share: float) -> None:
    """Print how many cuts were right."""
    cuts = sum(len(made) for made, _ in found)
    hits = sum(right(made, edges) for made, edges in found)
    precision = hits / cuts if cuts else 0.0
    sys.stdout.write(
        f"{Path(path).name:24} {name:28} right {precision:.3f} (chance {chance:.3f})  cuts {cuts}  cut {share:.2f}\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
