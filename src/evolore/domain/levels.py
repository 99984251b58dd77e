"""Levels: what one hit of a recall is."""

from __future__ import annotations

from enum import StrEnum

from evolore.errors import InvalidValue


class Level(StrEnum):
    """What a hit is; a passage of a document and a turn of a conversation are episodes.

    >>> Level("turn")
    <Level.EPISODE: 'episode'>
    """

    EPISODE = "episode"
    SESSION = "session"
    DOCUMENT = "document"

    @classmethod
    def _missing_(cls, value: object) -> Level | None:
        # What an episode is called where it stands.
        return cls.EPISODE if value in {"turn", "passage"} else None


def read_level(word: str) -> Level:
    """Read the word for a level.

    Raises:
        InvalidValue: It is another word.
    """
    try:
        return Level(word)
    except ValueError as error:
        raise InvalidValue(f"level is {word!r}: give 'episode', 'session' or 'document'.") from error
