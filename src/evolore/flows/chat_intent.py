"""Asking a chat model what questions are after: each question once, within a budget."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatBudget, ChatFailure
from evolore.flows.asking import Asker
from evolore.flows.chat_terms import AT_ONCE
from evolore.flows.prompt_words import prompt_words
from evolore.recall.intent import IntentGuess
from evolore.recall.intent_prompt import PROMPT_VERSION, intent_prompt, read_intent

if TYPE_CHECKING:
    from evolore.flows.chat_terms import ChatTerms
    from evolore.ports import ChatModel

_PROMPT = "say_intent"
_MOST_KNOWN = 1000
_UNUSABLE = "unusable_reply: The reply names no intent, or its confidence is not from 0 to 1."


class ChatIntents:
    """Has a chat model say what questions are after, and remembers what it said.

    Threads may share it. Two that ask the same question at once may both pay for it. A failure is not remembered.

    Args:
        model: What to ask.
        calls: How many calls may be made in all; at least 0.
        terms: What else they may cost; a call is made once.
        most: How many questions are remembered at the most, at least 1; the one not asked for longest goes first.

    Raises:
        InvalidValue: The number of calls is below 0.
    """

    def __init__(self, model: ChatModel, *, calls: int, terms: ChatTerms = AT_ONCE, most: int = _MOST_KNOWN) -> None:
        self._asker = Asker(model, ChatBudget(calls=calls), terms)
        self._most = most
        self._known: OrderedDict[str, IntentGuess] = OrderedDict()
        self._lock = Lock()

    def of(self, question: str) -> IntentGuess | str:
        """Give what a question is after; or why the model does not say."""
        with self._lock:
            if question in self._known:
                self._known.move_to_end(question)
                return self._known[question]
        (outcome,) = self._asker.complete([intent_prompt(prompt_words(_PROMPT, PROMPT_VERSION), question)])
        if isinstance(outcome, ChatFailure):
            return f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value
        read = read_intent(outcome.text)
        if read is None:
            return _UNUSABLE
        guess = IntentGuess(intent=read[0], confidence=read[1])
        self._remember(question, guess)
        return guess

    def _remember(self, question: str, guess: IntentGuess) -> None:
        with self._lock:
            self._known[question] = guess
            while len(self._known) > self._most:
                self._known.popitem(last=False)
