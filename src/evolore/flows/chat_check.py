"""``chat_check``: test the chat model with one small call."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatBudget, ChatReply, ChatUsage
from evolore.domain.result import Result
from evolore.errors import ChatModelMissing
from evolore.flows.context import Context
from evolore.text.fences import Prompt, ReplyForm

_MOST_TOKENS = 512
_LONGEST_SHOWN = 200


class _Hello(ReplyForm):
    answer: str


_PROMPT = Prompt(name="say_hello", version=1, purpose="chat.check", marks="question", form=_Hello)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCheck(Result):
    """What one call of the chat model came to."""

    model: str  #: The model's name.
    answered: bool  #: Whether there was a reply.
    reply: str  #: What it said, at most 200 characters; of a failure, what went wrong.
    seconds: float  #: How long it took.
    usage: ChatUsage  #: What it cost.
    gives_prompt_log_probs: bool  #: Whether the settings say that it returns log-probabilities of a text.


def chat_check(context: Context) -> ChatCheck:
    """Make one call of the chat model with a question of our own; nothing of the memory is sent."""
    model = context.chat_model
    if model is None:
        raise ChatModelMissing(
            "There is no chat model to check: name one in the setting chat.model, such as "
            "EVOLORE_CHAT__MODEL, and where it is in chat.base_url."
        )
    asker = Asker(model, ChatBudget(calls=1), replace(context.chat_terms, pacer=None))
    began = context.clock.now()
    words = prompt_words(_PROMPT.name, _PROMPT.version)
    (outcome,) = asker.complete([_PROMPT.request(words, {"question": "Are you there?"}, most_tokens=_MOST_TOKENS)])
    seconds = (context.clock.now() - began).total_seconds()
    answered = isinstance(outcome, ChatReply)
    said = outcome.text if isinstance(outcome, ChatReply) else f"{outcome.kind.value}: {outcome.detail}".rstrip(": ")
    return ChatCheck(
        model=model.info.id,
        answered=answered,
        reply=" ".join(said.split())[:_LONGEST_SHOWN],
        seconds=seconds,
        usage=asker.usage,
        gives_prompt_log_probs=model.info.gives_prompt_log_probs,
    )
