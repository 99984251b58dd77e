"""A chat model as the judge of two answers: how it is asked blindly, and what of its reply is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from evolore.domain.checks import check_text
from evolore.domain.judging import LEAST_SCORE, MOST_SCORE, NoVerdict, Scores, Side, Verdict
from evolore.domain.language import Language, language_name
from evolore.errors import InvalidValue
from evolore.evolution.chat_requests import PromptName, ReplyForm, Unusable, asked, read_reply
from evolore.evolution.gates.injection import find_injections

if TYPE_CHECKING:
    from evolore.domain.chats import ChatRequest
    from evolore.text.fences import Data

JUDGE_PROMPT = PromptName(name="judge_answers", version=1)
LONGEST_JUDGED = 12_000
"""Characters of one answer. A longer one is not judged: nobody should judge what was cut off."""

LONGEST_REFERENCE = 12_000
"""Characters of the passages that both answers are held against."""

_LONGEST_REASON = 1_000
_REPLY_TOKENS = 500
Score = Annotated[float, Field(ge=LEAST_SCORE, le=MOST_SCORE, allow_inf_nan=False)]


class ScoresReply(ReplyForm):
    """What a reply gives one answer."""

    helpfulness: Score
    correctness: Score
    coherence: Score


class MatchReply(ReplyForm):
    """What a judge's reply must be."""

    reason: Annotated[str, Field(max_length=_LONGEST_REASON)]
    first: ScoresReply
    second: ScoresReply
    preferred: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two answers to one question; a judge is not told whose they are.

    Args:
        question: What was asked.
        first: The answer that is shown first.
        second: The other.
        language: What they are written in.
        attempt: 0 for the first time; above, it is judged anew.
        reference: Passages that both are held against; empty for none.
    """

    question: str
    first: str
    second: str
    language: Language
    attempt: int = 0
    reference: str = ""

    def __post_init__(self) -> None:
        check_text(self.question, "The question")
        if self.attempt < 0:
            raise InvalidValue(f"attempt is {self.attempt}: give 0 for the first time, and count from there.")

    @property
    def unfit(self) -> str:
        """Why it is not shown to a judge; empty where it is.

        What cannot be shown whole is not judged, nor an answer that speaks to a model, as far as its wording is known:
        whose it is nobody may say, so it wins nothing, and nothing is won against it.
        """
        if max(len(self.first), len(self.second)) > LONGEST_JUDGED or len(self.reference) > LONGEST_REFERENCE:
            return "too_long"
        spoken = find_injections(self.first) or find_injections(self.second)
        return f"speaks_to_a_model: {spoken[0].reason}" if spoken else ""


def judge_request(instructions: str, pair: Pair) -> ChatRequest:
    """Ask which of two answers is better.

    The data between ``<match>`` and ``</match>``: ``language`` (its English name), ``question``, ``first`` and ``second``
    (the answers), and ``reference`` (passages; left out where there are none). The reply is ``MatchReply``. The request's
    seed is the attempt.
    """
    data: dict[str, Data] = {
        "language": language_name(pair.language),
        "question": pair.question,
        "first": pair.first,
        "second": pair.second,
    }
    if pair.reference:
        data["reference"] = pair.reference
    return asked(
        "evolution.judge",
        JUDGE_PROMPT,
        instructions,
        ("match", data),
        form=MatchReply,
        most_tokens=_REPLY_TOKENS,
        seed=pair.attempt,
    )


def read_match(reply: str, pair: Pair, *, judge: str) -> Verdict | NoVerdict:
    """Give the verdict of a reply, or why there is none; one that contradicts itself is a verdict all the same.

    Args:
        reply: What the model said.
        pair: What it was shown.
        judge: Name and version of the model and the words it was asked with.
    """
    read = read_reply(reply, MatchReply)
    if isinstance(read, Unusable):
        return NoVerdict(reason=read.reason)
    return Verdict(
        preferred=read.preferred,
        first=_scores(read.first),
        second=_scores(read.second),
        first_characters=len(pair.first),
        second_characters=len(pair.second),
        judge=judge,
        reason=" ".join(read.reason.split()),
    )


def _scores(reply: ScoresReply) -> Scores:
    return Scores(helpfulness=reply.helpfulness, correctness=reply.correctness, coherence=reply.coherence)
