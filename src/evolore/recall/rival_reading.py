"""Why a newer account of a matter does not outdate an older one: it tells of something else, or of no change."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.recall.rival_marks import PairMarker
from evolore.recall.slots import is_of_another
from evolore.text.signs import read_signs
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    from evolore.recall.rival_pairs import Candidates, Pairs
    from evolore.recall.succession import Succession
    from evolore.text.signs import Signs

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_END = re.compile(
    r"\b(?:before|prior to|until|till|preceded) (.+)|([^、。，？?\s]{1,12}?)(?:の前|より前|る前|た前|以前|之前|前|まで)",
    re.IGNORECASE,
)


class PushedBy(StrEnum):
    """Why something was pushed down."""

    NEWER = "there is a newer account of the same matter"
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
    """Reads candidates' texts for whether one takes another's place.

    Args:
        candidates: Their texts.
        question: What is asked.
        succession: What marks and vectors count for.
    """

    def __init__(self, candidates: Candidates, question: str, *, succession: Succession) -> None:
        self._candidates = candidates
        self._question = question
        self._succession = succession

    def succession(self, pairs: Pairs) -> Floats:
        """Say of rivals how surely the second, newer one takes the first one's place, -1 to 1, shape (n, n)."""
        says = np.zeros(pairs.alike.shape, dtype=np.float32)
        places = np.argwhere(pairs.is_same & pairs.is_newer)
        if places.size:
            older, newer = places.T
            marks = self._marks(places.tolist(), pairs)
            says[older, newer] = self._succession.says(marks, pairs.centred[newer], pairs.centred[older])
        says[pairs.has_same_subject & pairs.is_newer] = 1.0
        return says

    def _marks(self, places: list[list[int]], pairs: Pairs) -> Floats:
        texts, languages = self._candidates.texts, self._candidates.languages
        names = self._candidates.names
        marker = PairMarker(self._question)
        return np.array(
            [
                marker.marks(
                    texts[older],
                    texts[newer],
                    languages[newer],
                    speakers=(names[older], names[newer]),
                    nearness=(
                        float(pairs.asked[older]),
                        float(pairs.asked[newer]),
                        float(pairs.alike[older, newer]),
                    ),
                )
                for older, newer in places
            ],
            dtype=np.float32,
        )

    def asks(self) -> Flags:
        """Tell which candidates are questions themselves, shape (n,): they hold no answer."""
        return np.array([text.rstrip().endswith(("?", "？")) for text in self._candidates.texts], dtype=np.bool_)

    def end_words(self) -> frozenset[str]:
        """Give the words of what a question sets as the end of what it asks for: "before Leeds"."""
        ends = " ".join(group for match in _END.finditer(self._question) for group in match.groups() if group)
        return frozenset(token for token in query_tokens(ends) if len(token) > 1 and not _HIRAGANA.search(token))

    def objection(self, older: int, newer: int) -> PushedBy:
        """Say why the newer may not outdate the older."""
        signs = read_signs(self._candidates.texts[newer], self._candidates.languages[newer])
        if self._is_of_others(signs, older, newer):
            return PushedBy.OTHERS
        if signs.dropped or signs.doubtful:
            return PushedBy.DROPPED
        if signs.quoted:
            return PushedBy.QUOTED
        return PushedBy.UNCHANGED if signs.unchanged else PushedBy.MENTION

    def _is_of_others(self, signs: Signs, older: int, newer: int) -> bool:
        old_text, new_text = self._candidates.texts[older], self._candidates.texts[newer]
        known = f"{self._question} {old_text}".lower()
        return any(other not in known for other in signs.others) or is_of_another(new_text, old_text, self._question)
