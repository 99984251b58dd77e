"""Sentences rated by how strongly felt they are, in three languages: what the estimate of arousal is fitted to."""

from __future__ import annotations

from evolore.domain.language import Language


def of(language: Language) -> tuple[tuple[str, float], ...]:
    """Give the sentences and ratings (0-1) of a language; English serves every language without its own."""
    match language:
        case Language.JA:
            from evolore.recall.arousal_prototypes.ja import RATED  # noqa: PLC0415 - fitting alone reads them
        case Language.ZH:
            from evolore.recall.arousal_prototypes.zh import RATED  # noqa: PLC0415 - likewise
        case _:
            from evolore.recall.arousal_prototypes.en import RATED  # noqa: PLC0415 - likewise
    rows = (line.partition(" ") for line in RATED.strip().splitlines())
    return tuple((text, int(rating) / 100) for rating, _, text in rows)
