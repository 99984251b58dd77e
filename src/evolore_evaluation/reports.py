"""Reports that an evaluation prints: figures by set, under which heads, and the settings they were measured with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version as installed_version
from typing import Protocol, TypeAlias

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
"""A value that JSON can hold."""

_MOST_CATEGORY_ROWS = 24
_NOT_SNAKE = re.compile(r"\W+")


class Progress(Protocol):
    """Receives the progress of an evaluation."""

    def __call__(self, set_name: str, done: int, total: int, /) -> None:
        """Report that ``done`` of ``total`` steps of a set are done."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SetResult:
    """The figures of one data set."""

    name: str  #: The file's name without its endings.
    #: Snake-case names; fractions in [0, 1], counts, ratios, milliseconds (``_ms``, ``ms_per_``).
    metrics: Mapping[str, float]
    #: The same by category of question, categories in snake case.
    categories: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])

    def flat_metrics(self) -> dict[str, float]:
        """Return all figures under one name each, a category's as ``recall_at_10_multi_hop``."""
        flat = dict(self.metrics)
        for category, metrics in self.categories.items():
            flat |= {f"{name}_{category}": value for name, value in metrics.items()}
        return flat


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one evaluation found."""

    #: What was measured: ``segmentation``, ``staleness``, ``learning``, ``chunks``
    #: or ``retrieval``.
    system: str
    settings: Mapping[str, Json]  #: What the figures depend on, so that two people can compare.
    sets: tuple[SetResult, ...]  #: One result a data set, in the order measured.
    version: str = field(default_factory=lambda: installed_version("evolore"))  #: The version of Evolore at work.

    def to_json(self) -> dict[str, Json]:
        """Return ``{"system", "version", "settings", "sets": [{"set", "metrics"}]}``, ready for ``json.dumps``."""
        return {
            "system": self.system,
            "version": self.version,
            "settings": dict(self.settings),
            "sets": [{"set": result.name, "metrics": result.flat_metrics()} for result in self.sets],
        }

    def rows(self) -> tuple[tuple[str, Mapping[str, float]], ...]:
        """List a label and its figures for every set, each followed by its categories where it has 2 to 24."""
        rows: list[tuple[str, Mapping[str, float]]] = []
        for result in self.sets:
            rows.append((result.name, result.metrics))
            if 1 < len(result.categories) <= _MOST_CATEGORY_ROWS:
                rows.extend((f"  {category}", metrics) for category, metrics in result.categories.items())
        return tuple(rows)


def snake_case(label: str) -> str:
    """Make a label a part of a metric's name.

    >>> snake_case("Multi-hop")
    'multi_hop'
    """
    return _NOT_SNAKE.sub("_", label.lower()).strip("_")
