"""Wholes: sessions and documents as hits. One ranks where its best episode does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.citing import GAP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

MOST_FOUND = 10
"""How many episodes of a session or document are named as what was found in it, at the most."""

_LEAST_SHARE = 0.5
"""An episode that scores less than this part of the best one beside it is not what was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """An episode's part of the text of its session or document.

    Args:
        place: Where it stands among the others, from 0.
        text: What it says.
    """

    place: int
    text: str


def first_of_each(order: npt.NDArray[np.int32], groups: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Give the best item of each group, best first.

    A group has its best item's score and rank, and nothing for having more of them: adding half of the second best
    costs recall of documents, most where they have many passages, and a soft maximum changes little or costs as well
    (``benchmarks/levels.py``).

    Args:
        order: Item numbers, best first.
        groups: The group of every item, shape (items,).
    """
    _, places = np.unique(groups[order], return_index=True)
    return order[np.sort(places)]


def best_within(members: npt.NDArray[np.int32], score: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """Give the items of a group that answer about as well as its best one, best first, ties by number.

    Args:
        members: The group's items, rising; at least one.
        score: Of every item.
    """
    ranked = members[np.argsort(-score[members], kind="stable")][:MOST_FOUND]
    best = float(score[ranked[0]])
    return ranked[: max(1, int(np.count_nonzero(score[ranked] >= _LEAST_SHARE * best)))] if best > 0 else ranked[:1]


def as_many_as_fit(pieces: Iterable[Piece], *, most: int) -> tuple[Piece, ...]:
    """Take pieces, the most wanted first, as long as they have at most ``most`` characters; the first in any case.

    One that is too long is passed over, because a shorter one may still fit.

    Args:
        pieces: May name one place several times; it is taken once.
        most: How many characters.

    Returns:
        In the order of their places.
    """
    taken: dict[int, Piece] = {}
    left = most
    for piece in pieces:
        if piece.place not in taken and (len(piece.text) <= left or not taken):
            taken[piece.place] = piece
            left -= len(piece.text)
    return tuple(sorted(taken.values(), key=lambda piece: piece.place))


def join_pieces(pieces: Sequence[Piece], *, between: str) -> str:
    """Write pieces one after the other, with ``[…]`` on a line of its own where places are left out between them."""
    parts: list[str] = []
    before: Piece | None = None
    for piece in pieces:
        if before is not None:
            parts.append(between if piece.place == before.place + 1 else f"\n{GAP}\n")
        parts.append(piece.text)
        before = piece
    return "".join(parts)
