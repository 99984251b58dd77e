"""How chat models are asked about documents that evolve: data between marks, replies of one form, and how to read both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from evolore.domain.chats import ChatMessage, ChatRequest, ChatRole
from evolore.errors import InvalidValue
from evolore.text.fences import fenced, unfenced

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.chats import ChatReply
    from evolore.text.fences import Data


class ReplyForm(BaseModel):
    """What a reply, or a part of one, must be; what is there besides is not looked at."""

    model_config = ConfigDict(extra="ignore", strict=True)


Form = TypeVar("Form", bound=ReplyForm)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptName:
    """Which words are asked with.

    Args:
        name: The file's name without its number.
        version: Its number; raised with every change of the words.
    """

    name: str
    version: int

    def __str__(self) -> str:
        return f"{self.name}_{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """Why a reply is not used; nothing of it is.

    Args:
        reason: What is wrong with it, for the person who looks at the job.
    """

    reason: str


def asked(
    purpose: str,
    prompt: PromptName,
    instructions: str,
    data: tuple[str, Data],
    *,
    form: type[ReplyForm],
    most_tokens: int,
    seed: int | None = None,
) -> ChatRequest:
    """Make a request whose user's message is nothing but data between marks.

    Args:
        purpose: What it is for.
        prompt: Which words.
        instructions: The words. Nothing that a document or a person says ever becomes part of them.
        data: The name of the marks, and what stands between them.
        form: What the reply must be.
        most_tokens: The longest reply.
        seed: What makes the reply another one, or the same again.
    """
    return ChatRequest(
        purpose=purpose,
        messages=(
            ChatMessage(role=ChatRole.SYSTEM, text=instructions),
            ChatMessage(role=ChatRole.USER, text=fenced(*data)),
        ),
        reply_schema=form.model_json_schema(),
        most_tokens=most_tokens,
        seed=seed,
        prompt_version=prompt.version,
    )


def read_data(request: ChatRequest) -> Mapping[str, Data]:
    """Give the data that a request holds: what a scripted model answers by.

    What is in it stands at the builder of each request: ``write_request``, ``merge_request``, ``extract_request``,
    ``judge_request``, ``claims_request`` and ``questions_request``.

    Raises:
        InvalidValue: The request is none of these.
    """
    try:
        data = unfenced(request.messages[-1].text)
    except ValueError as error:
        raise InvalidValue(f"The request for {request.purpose!r} holds no data between marks: {error}") from error
    if not isinstance(data, dict):
        raise InvalidValue(f"The request for {request.purpose!r} holds a {type(data).__name__}: give one with names.")
    return cast("Mapping[str, Data]", data)


def read_reply(reply: ChatReply | str, form: type[Form]) -> Form | Unusable:
    """Read a reply of a form strictly; nothing is mended by guessing."""
    text = reply if isinstance(reply, str) else reply.text
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        return Unusable(
            reason=f"The reply is not of the form asked for: {place + ': ' if place else ''}{first['msg']}."
        )
