"""The chat model is asked what statements state, outside any transaction; what it says is checked against their words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatBudget, ChatFailure
from evolore.episodes.key_extraction import MOST_AT_ONCE, PROMPT_VERSION, Shown, extract_prompt, read_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.fact import StatedFact
    from evolore.flows.context import Context
    from evolore.ports import NewStatement

_MOST_KNOWN = 60


def with_chat_keys(context: Context, new: Sequence[NewStatement]) -> tuple[list[NewStatement], str]:
    """Give statements with what a chat model says they state besides what patterns read, and why it could not say it.

    It is asked only where ``integration.extract_keys`` says so and there is a model, and never about statements with an
    explicit key. What it does not answer stays as patterns read it.
    """
    model = context.chat_model
    wanted = [place for place, one in enumerate(new) if one.statement.about is None]
    if model is None or not context.integration_settings.extract_keys or not wanted:
        return list(new), ""
    with context.store.read(context.namespace) as reader:
        known = reader.fact_keys(limit=_MOST_KNOWN)
    batches = [wanted[start : start + MOST_AT_ONCE] for start in range(0, len(wanted), MOST_AT_ONCE)]
    shown = [[_shown(new[place]) for place in batch] for batch in batches]
    words = prompt_words("extract_keys", PROMPT_VERSION)
    asker = Asker(model, ChatBudget(calls=len(batches)), context.chat_terms)
    made, unread = list(new), ""
    outcomes = asker.complete([extract_prompt(words, those, known) for those in shown])
    for batch, those, outcome in zip(batches, shown, outcomes, strict=True):
        if isinstance(outcome, ChatFailure):
            unread = unread or f"{outcome.kind.value}: {outcome.detail}".rstrip(": ")
            continue
        for place, facts in zip(batch, read_keys(outcome.text, those, known), strict=True):
            made[place] = replace(made[place], facts=_joined(made[place].facts, facts))
    return made, unread


def _shown(one: NewStatement) -> Shown:
    return Shown(text=one.statement.text, language=one.language, speaker=one.statement.speaker)


def _joined(read: tuple[StatedFact, ...], told: tuple[StatedFact, ...]) -> tuple[StatedFact, ...]:
    """Give what patterns read, and what the model told of other keys."""
    keys = {fact.key for fact in read}
    return read + tuple(fact for fact in told if fact.key not in keys)
