"""A chat model that follows a script: for tests of code that asks one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from evolore.domain import chat


class ScriptedFault(StrEnum):
    """What can go wrong with a call."""

    MALFORMED_JSON = "malformed_json"
    WRONG_SCHEMA = "wrong_schema"
    WRONG_LANGUAGE = "wrong_language"
    EMPTY = "empty"
    REFUSAL = "refusal"
    TIMEOUT = "timeout"
    EXCEPTION = "exception"
    TOO_FEW = "too_few"


class ScriptedFailure(RuntimeError):
    """Represent any error that a caller's own model may raise."""


_TEXTS = {
    ScriptedFault.MALFORMED_JSON: '{"text": "cut off',
    ScriptedFault.WRONG_SCHEMA: '{"verdict": [1, 2, 3]}',
    ScriptedFault.WRONG_LANGUAGE: '{"text": "Всё это написано на совсем другом языке. И это тоже. И ещё это."}',
    ScriptedFault.EMPTY: "",
}


_PIECE = 7
"""So many characters of a reply are streamed at once."""


class ScriptedChatModel:
    """Answers requests by a script, the same each time, and remembers what it was asked.

    Args:
        replies: What to answer, call by call; a fault makes the call fail, a function is given the
            request and returns the words. The last one is repeated; without any, every call is refused.
        log_probs: Returns the natural logarithm of the probability of each character of a text; None for a model that
            returns none.
        log_probs_fault: What goes wrong with every call for log-probabilities; None for nothing.
    """

    def __init__(
        self,
        replies: Iterable[str | ScriptedFault | Callable[[chat.ChatRequest], str]] = (),
        *,
        log_probs: Callable[[str], Sequence[float]] | None = None,
        log_probs_fault: ScriptedFault | None = None,
    ) -> None:
        self.requests: list[chat.ChatRequest] = []
        self.texts: list[str] = []
        self._replies = list(replies) or [ScriptedFault.REFUSAL]
        self._log_probs, self._log_probs_fault = log_probs, log_probs_fault

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return len(self.requests) + len(self.texts)

    @property
    def info(self) -> chat.ChatModelInfo:
        """The script's name, and whether it knows log-probabilities."""
        gives = self._log_probs is not None or self._log_probs_fault is not None
        return chat.ChatModelInfo(id="scripted-1", gives_prompt_log_probs=gives)

    def complete(self, requests: Sequence[chat.ChatRequest]) -> Sequence[chat.ChatOutcome]:
        """Return each request's scripted reply or failure, in their order.

        Raises:
            ScriptedFailure: The script says so.
        """
        outcomes: list[chat.ChatOutcome] = []
        is_short = False
        for request in requests:
            reply = self._replies[min(len(self.requests), len(self._replies) - 1)]
            self.requests.append(request)
            is_short |= reply is ScriptedFault.TOO_FEW
            outcomes.append(_outcome(reply, request))
        return outcomes[: -1 if is_short else None]

    def stream(self, request: chat.ChatRequest, tell: Callable[[str], None]) -> chat.ChatOutcome:
        """Return a request's scripted reply or failure, and pass it on in pieces of a few characters.

        Raises:
            ScriptedFailure: The script says so.
        """
        outcomes = self.complete([request])
        if not outcomes:
            raise ScriptedFailure("The script has too few replies.")
        (outcome,) = outcomes
        if isinstance(outcome, chat.ChatReply):
            for start in range(0, len(outcome.text), _PIECE):
                tell(outcome.text[start : start + _PIECE])
        return outcome

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[chat.LogProbsOutcome]:
        """Return each text's scripted log-probabilities, in their order.

        Raises:
            ScriptedFailure: The script says so.
        """
        self.texts.extend(texts)
        fault = self._log_probs_fault
        if fault is not None:
            return [_broken_log_probs(fault, text) for text in texts][: -1 if fault is ScriptedFault.TOO_FEW else None]
        give = self._log_probs
        if give is None:
            return [chat.ChatFailure(kind=chat.ChatFailureKind.NOT_OFFERED) for _ in texts]
        return [chat.PromptLogProbs(tokens=tuple(enumerate(give(text)))) for text in texts]


def _outcome(
    reply: str | ScriptedFault | Callable[[chat.ChatRequest], str], request: chat.ChatRequest
) -> chat.ChatOutcome:
    if isinstance(reply, ScriptedFault):
        return _fault(reply)
    text = reply if isinstance(reply, str) else reply(request)
    words = sum(len(message.text.split()) for message in request.messages)
    return chat.ChatReply(text=text, usage=chat.ChatUsage(calls=1, prompt_tokens=words, reply_tokens=len(text.split())))


def _fault(fault: ScriptedFault) -> chat.ChatOutcome:
    if fault is ScriptedFault.EXCEPTION:
        raise ScriptedFailure("The script says that this call fails.")
    if fault is ScriptedFault.REFUSAL:
        return chat.ChatFailure(kind=chat.ChatFailureKind.REFUSED, detail="I cannot help with that.")
    if fault is ScriptedFault.TIMEOUT:
        return chat.ChatFailure(kind=chat.ChatFailureKind.TIMED_OUT, detail="No reply within 60 seconds.")
    return chat.ChatReply(text=_TEXTS.get(fault, ""))


def _broken_log_probs(fault: ScriptedFault, text: str) -> chat.LogProbsOutcome:
    outcome = _fault(fault)
    if isinstance(outcome, chat.ChatFailure):
        return outcome
    places = {
        ScriptedFault.MALFORMED_JSON: ((len(text) + 7, -1.0), (-3, -2.0)),
        ScriptedFault.WRONG_SCHEMA: ((0, math.nan), (1, 4.0), (2, -math.inf)),
    }
    return chat.PromptLogProbs(tokens=places.get(fault, ()))
