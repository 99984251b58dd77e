"""Ask, where the gates doubt, whether one text follows from the other: a model in a folder, or the chat model."""

from __future__ import annotations

from collections.abc import Sequence

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatFailure
from evolore.domain.language import Language
from evolore.errors import EvoloreError
from evolore.evolution.gates.entailment import (
    ENTAILMENT_PROMPT,
    both_ways,
    doubted_pairs,
    entailment_request,
    read_entailment_reply,
    settled,
)
from evolore.evolution.gates.verdicts import Ruling
from evolore.evolution.requests import Unusable
from evolore.flows.evolve.log import Desk, pause_after_failures
from evolore.ports import Entailed, Entailment, EntailmentFailure


class ChatEntailment:
    """Has a chat model judge pairs, all of them in one call.

    Args:
        asker: Asks the chat model within its budget.
        language: What the texts are written in; None for not known.
    """

    def __init__(self, asker: Asker, *, language: Language | None = None) -> None:
        self._asker, self._language = asker, language

    @property
    def name(self) -> str:
        """The model's name, and the version of what it is asked."""
        return f"{self._asker.model_id}/{ENTAILMENT_PROMPT}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Entailed:
        """Return probabilities of 0 and 1 for each pair; or what went wrong."""
        words = prompt_words(ENTAILMENT_PROMPT.name, ENTAILMENT_PROMPT.version)
        (outcome,) = self._asker.complete([entailment_request(words, pairs, language=self._language)])
        if isinstance(outcome, ChatFailure):
            return EntailmentFailure(reason=outcome.kind.value, detail=outcome.detail)
        read = read_entailment_reply(outcome.text, len(pairs))
        return EntailmentFailure(reason="unusable_reply", detail=read.reason) if isinstance(read, Unusable) else read


class _Pausing(ChatEntailment):
    """Pauses the job where the model could not be asked: silence is no answer."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.asker)
        self._desk = desk

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Entailed:
        judged = super().judge(pairs)
        pause_after_failures(self._desk)
        return judged


def entailment_at(desk: Desk) -> Entailment | None:
    """Return who is asked about doubts in a job: a model of the settings, else the chat model where they allow it."""
    context = desk.context
    if context.entailment is not None:
        return context.entailment
    return _Pausing(desk) if context.settings.evolution.entailment_by_chat else None


def without_settled_doubts(
    verdicts: Sequence[Ruling], before: str, after: str, *, language: Language, entailment: Entailment | None
) -> list[Ruling]:
    """Return what gates said, without the doubts that are cleared up, and with those that are confirmed as refusals.

    Without a model to ask, without an answer, and where something is refused already, all stays as it is.
    """
    unchanged = list(verdicts)
    if entailment is None or not all(one.passes for one in verdicts):
        return unchanged
    pairs = doubted_pairs(verdicts, before, after, language)
    if not pairs:
        return unchanged
    judged = _asked(entailment, both_ways(pairs))
    if isinstance(judged, EntailmentFailure):
        return unchanged
    return [settled(one, pairs, judged, entailment.name) for one in verdicts]


def _asked(entailment: Entailment, pairs: Sequence[tuple[str, str]]) -> Entailed:
    try:
        return entailment.judge(pairs)
    except EvoloreError:
        raise
    except Exception as error:  # noqa: BLE001 - one of the user's own may raise anything: a doubt then stays
        return EntailmentFailure(reason="raised", detail=type(error).__name__)
