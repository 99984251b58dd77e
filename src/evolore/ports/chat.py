"""What completes chats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.chats import ChatModelInfo, ChatOutcome, ChatRequest, LogProbsOutcome


class ChatModel(Protocol):
    """Completes chats.

    One request is one call: an adapter overlaps the calls of a batch, and repeats none by itself. Whoever asks decides
    about a second try and pays for it from its budget. What one request fails of is a value at its place; an exception
    means that all of the batch failed.
    """

    @property
    def info(self) -> ChatModelInfo:
        """The model at work; asking calls nothing."""
        ...

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        """Give each request's reply or failure, in the order of the requests."""
        ...

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        """Tell how likely each text is, in their order; a failure ``NOT_OFFERED`` where the model cannot."""
        ...
