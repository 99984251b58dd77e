"""The embedders that ship, by the names they have in settings and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.errors import InvalidValue
from evolore.models.shared import shared

if TYPE_CHECKING:
    from evolore.ports import Embedder


def embedder_named(given: Embedder | str) -> Embedder:
    """Give the embedder of a name, one for all who ask, or the one that is given itself.

    >>> embedder_named("use").model.dimension
    512

    Raises:
        InvalidValue: No embedder has the name.
        MissingExtra: Its extra is not installed.
    """
    match given:
        case "use":
            from evolore.models.use import UseEmbedder  # noqa: PLC0415 - only the one that is asked for is imported

            return shared(UseEmbedder)
        case "e5":
            from evolore.models.e5 import E5Embedder  # noqa: PLC0415 - likewise

            return shared(E5Embedder)
        case str():
            raise InvalidValue(f"embedder is {given!r}: give 'use', 'e5', or an embedder of your own.")
        case _:
            return given
