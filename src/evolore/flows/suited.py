"""What recall is told for an embedder that ships, where nobody told it otherwise."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from evolore.recall.settings import RecallSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.ports import EmbeddingModel

_SHIPPED: Mapping[str, RecallSettings] = {
    # Its cosines lie closer together, and it tells vague questions better by itself than with any help: chosen on MADial.
    "multilingual-e5": RecallSettings(
        dense_weight=1.0, vague_below=0.5, vague_weight=3.0, vague_centre=0.0, likeness_weight=0.0
    ),
}
"""By how a model's name begins."""


def suited(settings: RecallSettings, model: EmbeddingModel) -> RecallSettings:
    """Put what suits a model in place of defaults that nobody changed.

    Args:
        settings: As they were given.
        model: What embeds.
    """
    shipped = next((those for name, those in _SHIPPED.items() if model.id.startswith(name)), None)
    if shipped is None:
        return settings
    given, default, better = asdict(settings), asdict(RecallSettings()), asdict(shipped)
    return replace(settings, **{name: better[name] for name in given if given[name] == default[name]})
