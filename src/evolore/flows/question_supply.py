"""Questions by which candidates are tried, where people asked too few: a chat model asks for a document's claims."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure, ChatUsage
from evolore.domain.checks import check_count
from evolore.evolution.chat_requests import Unusable
from evolore.evolution.question_writing import (
    CLAIMS_PER_CALL,
    QUESTIONS_PROMPT,
    askable_claims,
    chosen_claims,
    questions_request,
    read_questions,
)
from evolore.evolution.questions import words_of
from evolore.flows.prompt_words import prompt_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.domain.chats import ChatOutcome
    from evolore.domain.proposing import DocumentText
    from evolore.domain.trials import TrialQuestion
    from evolore.evolution.question_writing import AskableClaim
    from evolore.flows.asking import Asker

    Nearest = Callable[[Sequence[str]], Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedQuestions:
    """Questions that were made from claims.

    Args:
        questions: Each with the claim it asks for, word for word.
        skips: Why claims that were chosen have none, with how many; in the order of the reasons.
        usage: What it cost.
    """

    questions: tuple[TrialQuestion, ...]
    skips: tuple[tuple[str, int], ...] = ()
    usage: ChatUsage = field(default_factory=ChatUsage)


def generate_questions(
    asker: Asker,
    document: DocumentText,
    *,
    count: int,
    seed: int,
    known: Sequence[TrialQuestion] = (),
    nearest: Nearest | None = None,
) -> GeneratedQuestions:
    """Have questions written for claims of a document, one each, in one batch; nothing the model does raises.

    Args:
        asker: Asks the chat model within its budget: one call for every ten claims.
        document: Whose claims.
        count: How many claims to ask for, at least 1; fewer where the document has fewer that were not asked for.
        seed: Which claims are chosen, and what makes the replies the same again.
        known: Questions that there are already, whose words and claims are not used again.
        nearest: How near each of some texts is to what people complained of: the nearest claims are asked for first.

    Raises:
        InvalidValue: ``count`` is out of range.
    """
    check_count(count, "count")
    askable = askable_claims(document)
    texts = [one.text for one in askable]
    claims = chosen_claims(
        askable,
        count,
        seed=seed,
        known=[one.claim for one in known if one.claim is not None],
        nearness=dict(zip(texts, nearest(texts), strict=True)) if nearest and texts else None,
    )
    if not claims:
        return GeneratedQuestions(questions=(), skips=(("no_claims", count),))
    batches = [claims[start : start + CLAIMS_PER_CALL] for start in range(0, len(claims), CLAIMS_PER_CALL)]
    words = prompt_words(QUESTIONS_PROMPT.name, QUESTIONS_PROMPT.version)
    usage = asker.usage
    outcomes = asker.complete([questions_request(words, document, batch, seed=seed) for batch in batches])
    questions: list[TrialQuestion] = []
    skips: Counter[str] = Counter()
    for batch, outcome in zip(batches, outcomes, strict=True):
        _take(questions, skips, (document, batch, outcome), known)
    return GeneratedQuestions(questions=tuple(questions), skips=tuple(sorted(skips.items())), usage=asker.usage - usage)


def _take(
    questions: list[TrialQuestion],
    skips: Counter[str],
    told: tuple[DocumentText, Sequence[AskableClaim], ChatOutcome],
    known: Sequence[TrialQuestion],
) -> None:
    document, batch, outcome = told
    if isinstance(outcome, ChatFailure):
        skips[outcome.kind.value] += len(batch)
        return
    taken = {words_of(one.text) for one in (*known, *questions)}
    read = read_questions(outcome.text, batch, document.language, known=taken)
    if isinstance(read, Unusable):
        skips[read.reason] += len(batch)
        return
    for one in read:
        if isinstance(one, Unusable):
            skips[one.reason] += 1
        else:
            questions.append(one)
