"""What every group of verbs stands on: the ports, bound to one namespace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.flows.context import Context


class Bound:
    """A namespace of a store, with the ports that work on it.

    Args:
        context: The ports it works through.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    def _for(self, principal: str | None) -> Context:
        return replace(self._context, principal=principal)
