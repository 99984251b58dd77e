"""What a question taught at which time: who rated its answer good while more did than did not, else who asked it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from evolore.store.question_lessons import Lesson

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from evolore.store.question_lessons import Taught


@dataclass(frozen=True, slots=True)
class Said:
    """What one person said of an answer, and when, in seconds since 1970 UTC."""

    at: float
    who: str | None
    is_good: bool


@dataclass(frozen=True, slots=True)
class Entered:
    """An edge that entered the graph, and when."""

    at: float
    target_id: str
    weight: float


def lessons(
    *,
    principal: str | None,
    since: float,
    ratings: Iterable[Said],
    cited: Mapping[str, float],
    edges: Sequence[Entered],
) -> Taught:
    """Give what a question teaches and taught, by episode, then by who taught it, then by time.

    Args:
        principal: Who asked.
        since: When the question was recorded, seconds since 1970 UTC.
        ratings: What counts of what was said of its answer.
        cited: Since when the answer rests on each episode it cites.
        edges: What of it is in the graph.
    """
    found = _Spans()
    for begin, end, teachers in _periods(ratings, since=since):
        for target_id, cited_at in cited.items():
            for who in teachers:
                found.add((target_id, 1.0, True, who), max(begin, cited_at), end)
        for edge in edges:
            # What a rated answer rests on is taught by the rating. Where ratings made an insight of it, those who rated
            # teach the rest too, and not whoever asked: one is one.
            rated_from = max(begin, cited[edge.target_id]) if teachers and edge.target_id in cited else inf
            for who in teachers or (principal,):
                found.add((edge.target_id, edge.weight, False, who), max(begin, edge.at), min(end, rated_from))
    return found.lessons()


def _periods(ratings: Iterable[Said], *, since: float) -> Generator[tuple[float, float, tuple[str | None, ...]]]:
    """Give the times between ratings, with who rated good wherever more people did than did not."""
    balance, good, begin = 0, list[str | None](), since
    for one in sorted(ratings, key=lambda said: said.at):
        if one.at > begin:
            yield begin, one.at, tuple(good) if balance > 0 else ()
            begin = one.at
        balance += 1 if one.is_good else -1
        good += [one.who] if one.is_good else []
    yield begin, inf, tuple(good) if balance > 0 else ()


class _Spans:
    """Times at which something was taught: those that follow one another become one."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, float, bool, str | None], list[tuple[float, float]]] = {}

    def add(self, taught: tuple[str, float, bool, str | None], begin: float, end: float) -> None:
        """Add a time, which lies behind those before; one that ends before it begins is none."""
        if begin >= end:
            return
        spans = self._ends.setdefault(taught, [])
        if spans and spans[-1][1] == begin:
            begin = spans.pop()[0]
        spans.append((begin, end))

    def lessons(self) -> Taught:
        """Give them all."""
        found = [
            Lesson(target_id=id_, weight=weight, is_rated=is_rated, principal=who, taught_at=begin, taught_until=end)
            for (id_, weight, is_rated, who), spans in self._ends.items()
            for begin, end in spans
        ]
        return tuple(sorted(found, key=lambda one: (one.target_id, one.principal or "", one.taught_at)))
