"""Figures of judged rewrites: what is refused and doubted of values, negations and harmless ones, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.evaluation.edit_sets import LabelledEdit

VALUES = frozenset({"number", "unit", "date_time", "url", "email", "code"})
"""The kinds of corruption that change a protected span."""

GROUPS = ("values", "negation", "harmless", "condition", "name", "omission", "addition")
"""What rewrites are sorted into: what must be caught, what must be let pass, and the rest."""


def group_of(edit: LabelledEdit) -> str:
    """Give what a rewrite belongs to: "values" and "harmless" for several kinds, else its kind."""
    if edit.is_harmless:
        return "harmless"
    return "values" if edit.kind in VALUES else edit.kind
