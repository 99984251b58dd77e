"""Reranking: order the first hits again by a reranker's judgement, as one more term of their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evolore.domain.chat import ChatRequest
from evolore.domain.episode import Episode
from evolore.domain.query import Hit, Reranking, ScoreTerm
from evolore.errors import SetupError
from evolore.ports import Reranked, Reranker, RerankFailure
from evolore.recall.ranking import Term
from evolore.recall.settings import RerankSettings
from evolore.text.fences import Data, Prompt, ReplyForm
from evolore.text.vectors import Float32s, Float64s

_MOST_CHARACTERS = 2000
"""How much of each text a reranker is given: two long chunks."""

_LEAST_SPREAD = 0.07
"""The least distance assumed between the best and the worst judged item, in the unit of scores: where the scores
are about equal, the judgement decides."""


def blended(score: Float64s, judged: Float64s, *, blend: float) -> Float64s:
    """Return the scores of what was judged with the judgement in them.

    The judgement j is brought onto the range of the scores s, ``j' = min s + (j - min j) / (max j - min j) · max(max s - min s,
    1)``, and ``(1 - blend) · s + blend · j'`` is the new score. No score falls below the least of them, so that no other item comes
    between or before; a judgement that rates all alike changes nothing.
    """
    spread = judged.max() - judged.min()
    if not spread > 0.0:
        return score
    least = float(score.min())
    scale = max(float(score.max()) - least, _LEAST_SPREAD)
    placed = least + (judged - judged.min()) / spread * scale
    return np.maximum(least, (1 - blend) * score + blend * placed)


PROMPT_VERSION = 2
"""Raised with every change of the words that are asked, ``order_passages_2.md``: figures and caches name it."""

_TOKENS_PER_ID = 6
_TOKENS_AROUND = 64


class OrderReply(ReplyForm):
    """What a reply must be."""

    order: list[int]


_PROMPT = Prompt(version=PROMPT_VERSION, purpose="recall.rerank", marks="passages", form=OrderReply)


def rerank_prompt(instructions: str, question: str, texts: Sequence[str]) -> ChatRequest:
    """Ask for the order of texts, numbered from 1.

    Args:
        instructions: The words of the prompt. What question and texts say never becomes part of them.
        question: What is asked.
        texts: What is ordered.
    """
    passages: Data = [{"id": number, "text": text} for number, text in enumerate(texts, 1)]
    return _PROMPT.request(
        instructions,
        {"question": question, "passages": passages},
        most_tokens=_TOKENS_PER_ID * len(texts) + _TOKENS_AROUND,
    )


def read_order(reply: str, count: int) -> Float32s | str:
    """Return each text's score, ``count`` for the first and 1 for the last, shape (count,); or say what is wrong.

    An order that leaves one out, names one twice or names one that is not there is refused whole: how the model judged
    the rest is then unknown.
    """
    said = OrderReply.read(reply)
    if said is None:
        return 'The reply is not of the form {"order": [...]}.'
    order = said.order
    if unknown := [number for number in order if not 1 <= number <= count]:
        return f"The reply names {unknown[0]}, and there are {count} passages."
    if len(order) != count or len(set(order)) != count:
        return f"The reply names {len(set(order))} of {count} passages, {len(order) - len(set(order))} of them again."
    scores = np.empty(count, dtype=np.float32)
    scores[np.array(order, dtype=np.int64) - 1] = np.arange(count, 0, -1)
    return scores


_LEAST = 2
"""One text alone has no order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What a reranker said."""

    scores: Mapping[str, float] = field(default_factory=dict[str, float])  #: By episode; empty where it said nothing.
    report: Reranking | None = None  #: Who judged how many, or why none did; None where there is no reranker.


def judge(reranker: Reranker, question: str, hits: Sequence[Hit], *, settings: RerankSettings) -> Scored:
    """Ask a reranker about the first hits of a question; call it while no index is held, because it may take long.

    Raises:
        SetupError: The reranker cannot work as it is set up.
    """
    episodes = [hit.episode for hit in hits[: settings.items]]
    if len(episodes) < _LEAST:
        return Scored(report=Reranking(name=_name(reranker)))
    texts = [_shown(episode)[:_MOST_CHARACTERS] for episode in episodes]
    answer = _checked(_called(reranker, question, texts), len(texts))
    if isinstance(answer, RerankFailure):
        return Scored(report=Reranking(name=_name(reranker), failure=str(answer)))
    scores = dict(zip((episode.id for episode in episodes), answer, strict=True))
    return Scored(scores=scores, report=Reranking(name=_name(reranker), items=len(scores)))


def judged_anew(hits: Sequence[Hit], judged: Scored, *, settings: RerankSettings) -> tuple[Hit, ...]:
    """Order the first hits again by a judgement, as one more term of their scores.

    Args:
        hits: Best first.
        judged: What a reranker said of the first of them; nothing changes where it said nothing.
        settings: How much it counts.
    """
    first = [hit for hit in hits if hit.episode.id in judged.scores]
    if not first:
        return tuple(hits)
    scores = np.array([hit.score for hit in first], dtype=np.float64)
    said = np.array([judged.scores[hit.episode.id] for hit in first], dtype=np.float64)
    told = {
        hit.episode.id: replace(
            hit, score=score, terms=(*hit.terms, ScoreTerm(name=Term.RERANK.value, value=score - hit.score))
        )
        for hit, score in zip(first, blended(scores, said, blend=settings.blend).tolist(), strict=True)
    }
    return tuple(sorted((told.get(hit.episode.id, hit) for hit in hits), key=lambda hit: -hit.score))


def _shown(episode: Episode) -> str:
    """Return what is read of an episode: its headings or who said it, and its text."""
    above = " › ".join(dict.fromkeys(part for part in (episode.title, *episode.heading_path) if part))
    said_by = f"{episode.speaker}: " if episode.speaker else ""
    return f"{above}\n{episode.text}" if above else said_by + episode.text


def _called(reranker: Reranker, question: str, texts: Sequence[str]) -> Reranked:
    try:
        return reranker.score(question, texts)
    except SetupError:
        raise
    except Exception as error:  # noqa: BLE001 - the edge to a model that may be anyone's: its failure is an answer
        return RerankFailure(reason="failed", detail=f"{type(error).__name__}: {error}")


def _checked(answer: Reranked, count: int) -> list[float] | RerankFailure:
    """Return as many finite numbers as there were texts: models may be anyone's."""
    if isinstance(answer, RerankFailure):
        return answer
    try:
        scores = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        return RerankFailure(reason="unusable_scores", detail=f"A {type(answer).__name__} came instead of scores.")
    if scores.shape != (count,):
        return RerankFailure(reason="unusable_scores", detail=f"{count} texts got scores of shape {scores.shape}.")
    if not np.isfinite(scores).all():
        return RerankFailure(reason="unusable_scores", detail=f"{int((~np.isfinite(scores)).sum())} are no number.")
    return scores.tolist()


def _name(reranker: Reranker) -> str:
    try:
        return str(reranker.name)
    except Exception:  # noqa: BLE001 - the same edge: what does not say its name goes by its class
        return type(reranker).__name__
