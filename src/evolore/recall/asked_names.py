"""Asked names: which known names a question holds, and whose titles they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.text.names.mentions import longest_known, possible_names

if TYPE_CHECKING:
    from evolore.recall.name_graph import NameGraph


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AskedNames:
    """Names that stand in a question.

    Args:
        numbers: Their numbers, each once, rising, int32.
        is_plain: Whether each is spelled like any other word, same shape.
    """

    numbers: npt.NDArray[np.int32]
    is_plain: npt.NDArray[np.bool_]


def asked_names(question: str, graph: NameGraph) -> AskedNames:
    """Find the known names in a question: from the left, the longest."""
    mentions = possible_names(question)
    numbers = graph.numbers_of([mention.name for mention in mentions])
    number_of = {mention.name: int(number) for mention, number in zip(mentions, numbers, strict=True) if number >= 0}
    plain: dict[int, bool] = {}
    for mention in longest_known(mentions, number_of.keys()):
        number = number_of[mention.name]
        plain[number] = plain.get(number, True) and mention.is_plain
    found = sorted(plain)
    return AskedNames(
        numbers=np.array(found, dtype=np.int32),
        is_plain=np.array([plain[number] for number in found], dtype=np.bool_),
    )


def titled_as_asked(names: AskedNames, graph: NameGraph, *, plain_share: float) -> npt.NDArray[np.float32]:
    """Tell which items belong to a document whose title the question holds.

    Returns:
        1 for them, ``plain_share`` where the title is spelled like any other word, 0 for the others; shape (items,).
    """
    found = np.zeros(graph.count, dtype=np.float32)
    if names.numbers.size:
        links = graph.titled_items(names.numbers)
        is_title = graph.titles(links.ends) == names.numbers[links.rows]
        share = np.where(names.is_plain, np.float32(plain_share), np.float32(1.0))
        found[links.ends[is_title]] = share[links.rows[is_title]]
    return found
