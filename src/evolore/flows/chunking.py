"""How a document is cut: the chunker's requests are answered by the chat model, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.chunking.requests import LogProbs, LogProbsRequest, RewriteRequest, Unanswered
from evolore.domain.chats import ChatBudget, ChatFailure, ChatFailureKind, ChatReply
from evolore.domain.knowledge import AttemptOutcome
from evolore.flows.asking import Asker
from evolore.flows.prompt_words import prompt_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.chunking.requests import ChunkAnswer, ChunkRequest
    from evolore.domain.chats import LogProbsOutcome
    from evolore.domain.knowledge import ChunkTree
    from evolore.domain.language import Language
    from evolore.flows.context import Context
    from evolore.ports import SourceText

_OUTCOMES = {
    ChatFailureKind.NO_MODEL: AttemptOutcome.NO_MODEL,
    ChatFailureKind.NOT_OFFERED: AttemptOutcome.NOT_OFFERED,
    ChatFailureKind.OUT_OF_BUDGET: AttemptOutcome.OUT_OF_BUDGET,
    ChatFailureKind.REFUSED: AttemptOutcome.REFUSED,
    ChatFailureKind.TIMED_OUT: AttemptOutcome.TIMED_OUT,
    ChatFailureKind.FAILED: AttemptOutcome.FAILED,
}


def cut_document(context: Context, source_text: SourceText, language: Language) -> tuple[ChunkTree, int]:
    """Cut a document, asking the chat model where tier 1 finds no boundary, within the budget of one document.

    Returns:
        The tree, whole whatever the model did, and how many calls were made.
    """
    chunker = context.chunker
    asker = Asker(context.chat_model, ChatBudget(calls=chunker.tiers.calls_per_document), context.chat_terms)
    steps = chunker.steps(
        source_text.text, media_type=source_text.media_type, language=language, source=source_text.source
    )
    try:
        requests = next(steps)
        while True:
            requests = steps.send(_answers(asker, requests))
    except StopIteration as ended:
        tree: ChunkTree = ended.value
        return tree, asker.usage.calls


def _answers(asker: Asker, requests: Sequence[ChunkRequest]) -> tuple[ChunkAnswer, ...]:
    """Answer requests in their order, those of one kind in one batch."""
    rewrites = [request for request in requests if isinstance(request, RewriteRequest)]
    replies = iter(_rewritten(asker, rewrites))
    told = iter(asker.log_probs([request.text for request in requests if isinstance(request, LogProbsRequest)]))
    return tuple(
        next(replies) if isinstance(request, RewriteRequest) else _of_log_probs(next(told)) for request in requests
    )


def _rewritten(asker: Asker, requests: Sequence[RewriteRequest]) -> list[ChunkAnswer]:
    if not asker.has_model:
        return [Unanswered(outcome=AttemptOutcome.NO_MODEL) for _ in requests]
    from evolore.chunking.prompts import PROMPT_VERSION, read_rewrite, rewrite_prompt  # noqa: PLC0415 - checking replies is heavy

    words = prompt_words("restore_sentences", PROMPT_VERSION)
    outcomes = asker.complete([rewrite_prompt(words, request) for request in requests])
    return [
        read_rewrite(outcome.text, request)
        if isinstance(outcome, ChatReply)
        else Unanswered(outcome=_OUTCOMES[outcome.kind])
        for outcome, request in zip(outcomes, requests, strict=True)
    ]


def _of_log_probs(outcome: LogProbsOutcome) -> ChunkAnswer:
    if isinstance(outcome, ChatFailure):
        return Unanswered(outcome=_OUTCOMES[outcome.kind])
    return LogProbs(tokens=outcome.tokens)
