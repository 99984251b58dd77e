"""Giving what was found its shape: a level, echoes and siblings folded, a limit in hits and in tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.levels import Level
from evolore.flows.answer_sources import word_rarity
from evolore.flows.budget import count_tokens, within_budget
from evolore.flows.echoes import EchoFolder
from evolore.flows.hierarchy import Expander, seen_among
from evolore.flows.passages import PassageCiter
from evolore.flows.wholes import Wholes
from evolore.recall.asked_words import AskedWords

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from evolore.domain.answers import Hit, Query
    from evolore.flows.found import Found
    from evolore.ports import IndexView, StoreReader, Tokenizer
    from evolore.recall.evidence import Evidence
    from evolore.recall.settings import RecallSettings

_FEW = 8
"""How many hits are read first where a budget decides how many are given."""


def shape(
    query: Query,
    found: Found,
    evidence: Evidence,
    *,
    view: IndexView,
    reader: StoreReader,
    seen: npt.NDArray[np.int32],
    settings: RecallSettings,
    tokenizer: Tokenizer | None,
) -> tuple[Hit, ...]:
    """Give the hits of a question as it wants them.

    Args:
        query: The question.
        found: Its hits, ranked, read as far as they are asked for.
        evidence: What is known of the items.
        view: The indexes.
        reader: Where texts are read.
        seen: The items it may see.
        settings: When hits are folded.
        tokenizer: What counts tokens; None for an estimate.
    """
    if query.level is not Level.EPISODE:
        wholes = Wholes(
            found=found, evidence=evidence, reader=reader, level=query.level, most=settings.whole_max_characters
        )
        return _as_many_as_fit(query, wholes.first, tokenizer)
    first = PassageCiter(
        found.first,
        asked=lambda: AskedWords.of(query.text, word_rarity(query, view)),
        longest=settings.whole_statement_tokens,
    ).first
    if settings.fold_echoes if query.fold_echoes is None else query.fold_echoes:
        first = EchoFolder(first, least=settings.echo_share).first
    if not (settings.expand if query.expand is None else query.expand):
        return _as_many_as_fit(query, first, tokenizer)
    # Only siblings that would have been shown are folded: those that fit, each for itself.
    limit = query.limit if query.tokens is None else len(_as_many_as_fit(query, first, tokenizer))
    budget = query.tokens
    expander = Expander(
        reader,
        settings=settings,
        is_seen=seen_among(view, seen.tolist()),
        fits=None if budget is None else lambda text: count_tokens(text, tokenizer) <= budget,
    )
    return _fitting(query, expander.expand(first, limit=limit), tokenizer)


def _as_many_as_fit(
    query: Query, first: Callable[[int], tuple[Hit, ...]], tokenizer: Tokenizer | None
) -> tuple[Hit, ...]:
    """Give the limit of hits, or as many as fit the budget; little more is read than is given."""
    count = query.limit if query.tokens is None else min(query.limit, _FEW)
    while True:
        hits = first(count)
        fitting = _fitting(query, hits, tokenizer)
        if len(fitting) < len(hits) or len(hits) < count or count >= query.limit:
            return fitting
        count = min(query.limit, 2 * count)


def _fitting(query: Query, hits: tuple[Hit, ...], tokenizer: Tokenizer | None) -> tuple[Hit, ...]:
    return hits if query.tokens is None else within_budget(hits, query.tokens, tokenizer=tokenizer)
