"""Why a newer account of a matter does not outdate an older one: it tells of something else, or of no change."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.recall.asked_state import AskedState
from evolore.recall.signs import read_signs
from evolore.recall.slots import is_of_another
from evolore.text.tokens import content_tokens

if TYPE_CHECKING:
    from evolore.recall.rival_pairs import Candidates
    from evolore.recall.signs import Signs

_LITTLE = 4
_MUCH_MORE = 1.5
"""A mention says at most so much beside the question's words, and the full account so many times as much."""


class PushedBy(StrEnum):
    """Why something was pushed down."""

    NEWER = "there is a newer account of the same matter"
    CHANGE = "a newer account of the same matter took its place"
    SUBJECT = "a newer statement has the same subject and attribute"
    SUPERSEDED = "it is marked as superseded"
    OLDER_ASKED = "the question is after an earlier state"
    UNCHANGED = "it only says that nothing changed"
    DROPPED = "it tells of a plan that came to nothing"
    QUOTED = "it repeats somebody else's words"
    OTHERS = "it is about somebody or something else"
    MENTION = "it mentions the matter in passing"
    FELT = "another account of the matter is far more strongly felt"


class RivalReader:
    """Reads candidates' texts for why one does not outdate another.

    Args:
        candidates: Their texts.
        question: What is asked.
    """

    def __init__(self, candidates: Candidates, question: str) -> None:
        self._candidates = candidates
        self._question = question
        self._lower = question.lower()

    def signs(self, candidate: int) -> Signs:
        """Give what a candidate's wording says of change."""
        return read_signs(self._candidates.texts[candidate], self._candidates.languages[candidate])

    def is_mention(self, candidate: int) -> bool:
        """Tell whether a candidate mentions its matter in passing, and says of no change."""
        signs = self.signs(candidate)
        return signs.mentions and not signs.changes

    def objection(self, older: int, newer: int) -> PushedBy | None:
        """Say why the newer does not outdate the older; None where nothing speaks against it."""
        signs = self.signs(newer)
        if signs.dropped or signs.doubtful:
            return PushedBy.DROPPED
        if self._is_of_others(older, newer):
            return PushedBy.OTHERS
        if signs.quoted:
            return PushedBy.QUOTED
        if signs.unchanged:
            return PushedBy.UNCHANGED
        return PushedBy.MENTION if self.is_mention(newer) else None

    def reason_to_sink(self, older: int, newer: int, state: AskedState) -> PushedBy | None:
        """Say why the newer should stand below the older, though it came later; None where it need not.

        An objection is enough only where the newer looks like an update, says itself that it is none, or says little.
        """
        objection, signs = self.objection(older, newer), self.signs(newer)
        match objection:
            case PushedBy.DROPPED:
                sinks = (signs.dropped or signs.changes) and state is not AskedState.PAST
            case PushedBy.QUOTED:
                sinks = signs.changes
            case PushedBy.MENTION:
                sinks = state is not AskedState.PAST and self._says_little(older, newer)
            case _:
                sinks = True
        return objection if sinks else None

    def _is_of_others(self, older: int, newer: int) -> bool:
        old_text, new_text = self._candidates.texts[older], self._candidates.texts[newer]
        old_lower = old_text.lower()
        if any(other not in self._lower and other not in old_lower for other in self.signs(newer).others):
            return True
        return is_of_another(new_text, old_text, self._question)

    def _says_little(self, older: int, newer: int) -> bool:
        little = self._said_besides(newer)
        return little <= _LITTLE and self._said_besides(older) >= _MUCH_MORE * little

    def _said_besides(self, candidate: int) -> int:
        return len(set(content_tokens(self._candidates.texts[candidate])) - set(content_tokens(self._question)))
