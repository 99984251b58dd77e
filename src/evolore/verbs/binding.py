"""What every group of verbs stands on: the ports, bound to one namespace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.flows.question_queue import QuestionQueue

if TYPE_CHECKING:
    from evolore.flows.context import Context


class Bound:
    """A namespace of a store, with the ports that work on it.

    Args:
        context: The ports it works through.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._questions = QuestionQueue(context)

    def _for(self, principal: str | None) -> Context:
        """Give the ports on somebody's behalf, for a verb that writes: what was asked before is written before it."""
        self._questions.write()
        return replace(self._context, principal=principal)

    def _with_questions(self) -> Context:
        """Give the ports for a verb that reads what was asked: that is written before, where it can be."""
        self._questions.write_quietly()
        return self._context
