"""Sorting neighbours, and the sentences that lie among them, into matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.text.linkage import agglomerate, mean_of, numbered

if TYPE_CHECKING:
    from evolore.text.linkage import Labels
    from evolore.text.vectors import Floats

_FEWEST_NEIGHBOURS = 2
_FEWEST_SENTENCES = 2
_FEWEST_ITEMS = 4
_ROUNDS = 20
_LINKAGES = (0.0, 0.5, 1.0)
"""The sum of the log-odds between two groups, its mean, and what lies between: none finds the best division always."""

_TINY = 1e-9


def joint_groups(odds: Floats, *, neighbours: int, most: int, fewest: int = _FEWEST_NEIGHBOURS) -> Labels:
    """Sort an episode's neighbours and sentences together into the matters that their log-odds speak for.

    Sought is the division with the largest sum of log-odds within its groups (correlation clustering); three ways to
    join, each followed by moving single items while that gains, and the best of them. A group holds two sentences and
    as many neighbours as are asked for at least, four items in all: what falls short is shared out among the others.

    Args:
        odds: Log-odds of every pair, neighbours first, shape (n, n), symmetric, 0 on the diagonal.
        neighbours: How many of them are neighbours.
        most: How many groups there are at the most, at least 1.
        fewest: How many neighbours a group holds at least, 1 or more. One alone is easily where it does not belong.

    Returns:
        A number from 0 for each item, in the order of the first item of each group; shape (n,).
    """
    best = np.zeros(len(odds), dtype=np.int64)
    best_gain = _within(odds, best)
    if not neighbours:
        return best
    for linkage in _LINKAGES:
        labels = _move(agglomerate(odds, linkage=linkage), odds, may_open=True)
        labels = _fill(labels, odds, neighbours, most=most, fewest=fewest)
        labels = _fill(_move(labels, odds, may_open=False), odds, neighbours, most=most, fewest=fewest)
        gain = _within(odds, labels)
        if gain > best_gain + _TINY:
            best, best_gain = labels, gain
    return best


def _move(labels: Labels, odds: Floats, *, may_open: bool) -> Labels:
    """Move items one by one to the group with the largest sum of log-odds, or into one of their own, while that gains."""
    labels = labels.copy()
    for _ in range(_ROUNDS):
        moved = False
        for item in range(len(labels)):
            count = int(labels.max()) + 1
            sums = np.bincount(labels, weights=odds[item], minlength=count + may_open)
            best = int(sums.argmax())
            if sums[best] > sums[labels[item]] + _TINY:
                labels[item], moved = best, True
        labels = numbered(labels)
        if not moved:
            break
    return labels


def _fill(labels: Labels, odds: Floats, neighbours: int, *, most: int, fewest: int) -> Labels:
    """Share out groups that hold too little, and the smallest of those beyond ``most``."""
    labels = labels.copy()
    while True:
        count = int(labels.max()) + 1
        if count == 1:
            return labels
        around = np.bincount(labels[:neighbours], minlength=count)
        inside = np.bincount(labels[neighbours:], minlength=count)
        short = (around < fewest) | (inside < _FEWEST_SENTENCES) | (around + inside < _FEWEST_ITEMS)
        if not short.any() and count <= most:
            return labels
        worst = int(np.where(short, around + inside, (around + inside) + len(labels) * short.any()).argmin())
        others = [group for group in range(count) if group != worst]
        kept = labels.copy()
        for item in np.flatnonzero(labels == worst):
            labels[item] = max(others, key=lambda group: (round(mean_of(odds[item], kept == group), 9), -group))
        labels = numbered(labels)


def _within(odds: Floats, labels: Labels) -> float:
    return float(odds[labels[:, None] == labels].sum()) / 2.0
