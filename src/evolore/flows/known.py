"""An episode as integration sees it, written or only planned, and the vectors of those that are planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episodes import EpisodeKind, EpisodeState
from evolore.domain.metadata import Labels, Metadata

if TYPE_CHECKING:
    from datetime import datetime

    import numpy.typing as npt

    from evolore.domain.episodes import Episode
    from evolore.domain.language import Language
    from evolore.ports import NewStatement

    Vector = npt.NDArray[np.float32]

_STORED = np.dtype("<f2")
_DECIMALS = 4
_EQUAL = 1e-4
_FIRST_ROWS = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known:
    """An episode as integration sees it, written or planned.

    Args:
        id: Its id; of a planned one a name that no id has.
        text: What it says.
        language: The language it is in.
        vector: As it is stored, shape (dimension,).
        moment: When it happened or, where that is unknown, was recorded.
        occurred_at: When it happened, where known.
        speaker: Who said it.
        session: The conversation it belongs to.
        position: Its place there.
        place_of: The planned statement whose place that is: it is known once that is written. None where it is known.
        about: The subject and attribute it states.
        state: Whether it holds.
        valid_from: From when on.
        valid_to: Until when.
        confidence: 0-1.
        arousal: 0-1, None where nobody said.
        merge_count: How often something was merged into it.
        labels: What it is filed under.
        is_statement: Whether it was said, or made of what was; passages of documents are never changed.
        is_made: Whether it was made by a merge or a split.
    """

    id: str
    text: str
    language: Language
    vector: Vector
    moment: datetime
    occurred_at: datetime | None = None
    speaker: str | None = None
    session: str | None = None
    position: int = 0
    place_of: str | None = None
    about: tuple[str, str] | None = None
    state: EpisodeState = EpisodeState.ACTIVE
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confidence: float = 0.5
    arousal: float | None = None
    merge_count: int = 0
    labels: Labels
    is_statement: bool = True
    is_made: bool = False


def as_stored(vector: Vector) -> Vector:
    """Round a vector as the store does, so that what is planned decides as what is written will."""
    return vector.astype(_STORED).astype(np.float32)


def known_statement(handle: str, new: NewStatement, *, at: datetime) -> Known:
    """Make what integration sees of a statement that is not written yet."""
    said = new.statement
    return Known(
        id=handle,
        text=said.text,
        language=new.language,
        vector=as_stored(new.keys.vector),
        moment=said.occurred_at or at,
        occurred_at=said.occurred_at,
        speaker=said.speaker,
        session=said.session,
        place_of=handle,
        about=said.about,
        valid_from=said.occurred_at,
        arousal=said.arousal,
        labels=Labels(metadata=Metadata(said.metadata), tags=said.tags),
    )


def known_episode(episode: Episode, vector: Vector) -> Known:
    """Make what integration sees of an episode of the store."""
    return Known(
        id=episode.id,
        text=episode.text,
        language=episode.language,
        vector=vector,
        moment=episode.occurred_at or episode.recorded_at,
        occurred_at=episode.occurred_at,
        speaker=episode.speaker,
        session=episode.session,
        position=episode.position,
        about=episode.about,
        state=episode.state,
        valid_from=episode.valid_from,
        valid_to=episode.valid_to,
        confidence=episode.confidence,
        arousal=episode.arousal,
        merge_count=episode.merge_count,
        labels=Labels(metadata=Metadata(episode.metadata), tags=episode.tags),
        is_statement=episode.kind is EpisodeKind.STATEMENT,
        is_made=episode.is_made,
    )


class PlannedRows:
    """The vectors of what is planned, in one piece that grows."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self.ids: set[str] = set()
        self._rows: Vector | None = None

    def append(self, id_: str, vector: Vector) -> None:
        """Add one."""
        count = len(self._ids)
        if self._rows is None or count == len(self._rows):
            grown = np.zeros((max(_FIRST_ROWS, 2 * count), vector.size), dtype=np.float32)
            grown[:count] = self._rows[:count] if self._rows is not None else grown[:count]
            self._rows = grown
        self._rows[count] = vector
        self._ids.append(id_)
        self.ids.add(id_)

    def nearest(self, vector: Vector, *, count: int) -> list[tuple[float, str]]:
        """Give the nearest with their cosines, in no order."""
        if self._rows is None:
            return []
        likeness: Vector = self._rows[: len(self._ids)] @ vector
        places = at_least(likeness, count)
        return [(rounded(float(likeness[place])), self._ids[place]) for place in places.tolist()]


def at_least(likeness: Vector, count: int) -> npt.NDArray[np.int64]:
    """Give the places of the largest, and of all that equal the last of them: who of those counts, their ids tell."""
    if likeness.size <= count:
        return np.arange(likeness.size)
    least = np.partition(likeness, likeness.size - count)[likeness.size - count]
    return np.flatnonzero(likeness >= least - _EQUAL)


def rounded(cosine: float) -> float:
    """Round a cosine as everything that is compared with a threshold is."""
    return round(float(cosine), _DECIMALS)
