"""Figures of judged rewrites: what is refused and doubted of values, negations and harmless ones, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evaluation.pairs import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evolore.evaluation.edit_sets import LabelledEdit

VALUES = frozenset({"number", "unit", "date_time", "url", "email", "code"})
"""The kinds of corruption that change a protected span."""

GROUPS = ("values", "negation", "harmless", "condition", "name", "omission", "addition")
"""What rewrites are sorted into: what must be caught, what must be let pass, and the rest."""

_TOLD = GROUPS[:3]


def group_of(edit: LabelledEdit) -> str:
    """Give what a rewrite belongs to: "values" and "harmless" for several kinds, else its kind."""
    if edit.is_harmless:
        return "harmless"
    return "values" if edit.kind in VALUES else edit.kind


def level_figures(judged: Sequence[tuple[LabelledEdit, bool, bool]]) -> dict[str, float]:
    """Give how many values, negations and harmless rewrites are refused, and refused or doubted, with Wilson's interval.

    Args:
        judged: Rewrites, each with whether the gates refuse it, and whether they refuse or doubt it.
    """
    figures: dict[str, float] = {}
    for group in _TOLD:
        some = [one for one in judged if group_of(one[0]) == group]
        if some:
            figures[f"{group}_n"] = float(len(some))
            for place, name in ((1, "refused"), (2, "doubted")):
                count = sum(bool(one[place]) for one in some)
                low, high = wilson(count, len(some))
                label = f"{group}_{name}"
                figures |= {label: count / len(some), f"{label}_low": low, f"{label}_high": high}
    return figures


def level_lines(rows: Sequence[tuple[str, Mapping[str, float]]]) -> Iterator[str]:
    """Tell for each set, half and language what is refused, and refused or doubted, of how many, with the interval."""
    for label, metrics in rows:
        if "what_" in label:
            continue
        for group in (group for group in _TOLD if f"{group}_n" in metrics):
            shares = [_share(metrics, f"{group}_{name}") for name in ("refused", "doubted")]
            counted = f"{metrics[f'{group}_n']:,.0f}"
            yield f"{label.strip()}: {group} refused {shares[0]}, refused or doubted {shares[1]}, of {counted}"


def _share(metrics: Mapping[str, float], name: str) -> str:
    share, low, high = (100 * metrics[f"{name}{end}"] for end in ("", "_low", "_high"))
    return f"{share:.1f} % ({low:.1f} to {high:.1f})"
