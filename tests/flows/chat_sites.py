"""Every place that asks a chat model: what is there before, what is asked for, and what must be as it was."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, cast

from evolore.config import Settings
from evolore.domain.chat import ChatSettings
from evolore.domain.evolution import Operator
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.recall.settings import IntentSettings, RerankSettings
from flows import evolving_sites

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from evolore.ports import ChatModel

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
THOUGHTS = [
    f"the {name} was brought to the {place} by the {day} boat and nobody there had asked for it"
    for name in ("oven", "stone", "flour", "lamp")
    for place, day in (("harbour", "monday"), ("mill", "tuesday"), ("school", "friday"), ("island", "sunday"))
]
RUN_ON = " ".join(THOUGHTS)
PAGE = "\n\n".join(
    f"Part {number} tells of {word}. " + f"The {word} is old. " * 30
    for number, word in enumerate(("ovens", "mills", "boats", "lamps", "stones", "roads"))
)
NOTES = ("We moved in May.", "The oven came in June.", "Mika painted the door.", "The mill stands still.")
QUESTION = "When did we move?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One place that asks.

    Args:
        name: What it is called.
        prepare: Fills a memory, without a chat model.
        ask: Does what asks.
        state: What must not change when the model fails; of what ``ask`` gave, and of the memory.
        told: Why it went on without the model; empty where it did not.
        good: A reply that does change it.
        is_log_probs: Whether it asks for log-probabilities.
        needs_model: Whether nothing is asked for at all without a model.
    """

    name: str
    prepare: Callable[[Memory], None]
    ask: Callable[[Memory], object]
    state: Callable[[Memory, object], object]
    told: Callable[[Memory, object], str]
    good: Callable[[str], str]
    is_log_probs: bool = False
    needs_model: bool = False

    def __str__(self) -> str:
        return self.name

    def run(self, folder: Path, model: ChatModel | None = None, chat: ChatSettings | None = None) -> Asked:
        """Fill a memory, ask, and say what came of it."""
        fill(folder, self.prepare)
        return self.run_filled(folder, model, chat)

    def run_filled(self, folder: Path, model: ChatModel | None = None, chat: ChatSettings | None = None) -> Asked:
        """Ask a memory that is filled, and say what came of it."""
        with opened(folder, model, chat or ChatSettings()) as memory:
            has_model = memory._context.chat_model is not None
            given = self.ask(memory) if has_model or not self.needs_model else None
            is_whole = memory.store.verify().is_whole and memory.store.doctor().is_whole
            return Asked(state=self.state(memory, given), told=self.told(memory, given), is_whole=is_whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of asking."""

    state: object
    told: str
    is_whole: bool


def fill(folder: Path, prepare: Callable[[Memory], None]) -> None:
    """Make the memory that is asked."""
    with opened(folder, None, ChatSettings()) as memory:
        prepare(memory)


def opened(folder: Path, model: ChatModel | None, chat: ChatSettings) -> Memory:
    """Open a memory in which every place asks that can."""
    settings = Settings(
        chat=chat,
        intent=IntentSettings(chat_calls=5),
        rerank=RerankSettings(chat_calls=5, items=3, blend=1.0),
    )
    clock = SteppingClock(DAY + timedelta(days=30), step=timedelta(seconds=1))
    return Memory.open(folder / "m", embedder=HashingEmbedder(), clock=clock, settings=settings, chat_model=model)


def content(body: Mapping[str, object]) -> str:
    """Give what a server was sent as data."""
    return cast("list[dict[str, str]]", body["messages"])[-1]["content"]


def data(user: str) -> object:
    """Read the data of a request, as a model does that keeps to its marks."""
    return json.loads(user.splitlines()[1])


def _nothing(memory: Memory) -> None:
    del memory


def _add(memory: Memory) -> object:
    return memory.add_text(RUN_ON, source="talk.txt")


def _document(memory: Memory, given: object) -> object:
    del given
    tree = memory.outline.tree("talk.txt")
    leaves = [node.chunk for node in tree.nodes if node.chunk.is_leaf]
    assert "".join(memory.outline.chunk_text(tree.document.id, leaf.outline) for leaf in leaves) == RUN_ON
    return [leaf.span for leaf in leaves], tree.document.version


def _attempts(memory: Memory, given: object) -> str:
    del given
    nodes = memory.outline.tree("talk.txt").nodes
    return " ".join(sorted({attempt.outcome.value for node in nodes for attempt in node.chunk.attempts} - _NO_FAILURE))


_NO_FAILURE = {"cut", "no_boundary", "improved", "unchanged"}


def _restored(user: str) -> str:
    text = cast("dict[str, str]", data(user))["text"]
    for thought in THOUGHTS:
        text = text.replace(thought, f"{thought.capitalize()}.")
    return json.dumps({"text": text})


def _page(memory: Memory) -> None:
    memory.add_text(PAGE, source="page.txt")


def _check(memory: Memory) -> object:
    return memory.review.check_chunks(sample=100, calls=100, chunks_per_call=2)


def _reviewed(memory: Memory, given: object) -> object:
    del given
    return [node.chunk.span for node in memory.outline.tree("page.txt").nodes], len(memory.review.list(status=None))


def _skips(memory: Memory, given: object) -> str:
    del memory
    skips = getattr(given, "skips", ())
    return " ".join(f"{skip.reason} {skip.detail}" for skip in skips)


def _judged(user: str) -> str:
    passages = cast("dict[str, list[dict[str, object]]]", data(user))["passages"]
    verdicts = [{"number": one["number"], "whole": False, "reason": "It breaks off."} for one in passages]
    return json.dumps({"verdicts": verdicts})


def _notes(memory: Memory) -> None:
    for number, text in enumerate(NOTES):
        memory.remember(text, occurred_at=DAY + timedelta(days=number))


def _recall(memory: Memory) -> object:
    return memory.recall(QUESTION)


def _intent(memory: Memory, given: object) -> object:
    statements = [(one.text, one.state) for one in memory.list().statements]
    return getattr(given, "intent", None), getattr(given, "intent_confidence", None), statements


def _intent_reason(memory: Memory, given: object) -> str:
    del memory
    return getattr(given, "intent_reason", "")


def _order(memory: Memory, given: object) -> object:
    statements = [(one.text, one.state) for one in memory.list().statements]
    return [hit.episode.text for hit in getattr(given, "hits", ())], statements


def _reranking(memory: Memory, given: object) -> str:
    del memory
    reranking = getattr(given, "reranking", None)
    return "" if reranking is None else str(reranking.failure or "")


def _backwards(user: str) -> str:
    passages = cast("dict[str, list[dict[str, object]]]", data(user)).get("passages", [])
    return json.dumps({"order": [one["id"] for one in reversed(passages)]})


def _contradiction(memory: Memory) -> None:
    texts = ("The Lyon office is open on Sunday.", "The Lyon office is not open on Sunday.")
    for number, text in enumerate(texts):
        memory.remember(text, occurred_at=DAY + timedelta(days=number), speaker="Mika")
    assert len(memory.review.list(category="contradiction")) == 1


def _confirm(memory: Memory) -> object:
    return memory.review.confirm_conflicts()


def _waiting(memory: Memory, given: object) -> object:
    del given
    items = memory.review.list(category="contradiction", status=None)
    return (
        [(one.text, one.state, one.valid_to) for one in memory.list().statements],
        [(one.status, one.note, one.resolution) for one in items],
    )


def _newer(user: str) -> str:
    pairs = cast("list[dict[str, object]]", data(user))
    verdicts = [{"pair": one["pair"], "verdict": "newer_holds", "reason": "It is said later."} for one in pairs]
    return json.dumps({"verdicts": verdicts})


def _evolving(name: str, ask: Callable[[Memory], object], good: Callable[[str], str]) -> Site:
    return Site(
        name=name,
        prepare=evolving_sites.prepare,
        ask=ask,
        state=evolving_sites.state,
        told=evolving_sites.told,
        good=good,
        needs_model=True,
    )


_CANDIDATES = {
    Operator.MUTATION_CLARITY: evolving_sites.edits,
    Operator.MUTATION_DETAIL: evolving_sites.edits,
    Operator.CROSSOVER_MERGE: evolving_sites.edits,
    Operator.CROSSOVER_EXTRACT: evolving_sites.extraction,
}
"""The other mutations are asked for at the same place as these, by another word."""


def _answer(memory: Memory) -> object:
    return memory.answer(QUESTION)


def _answered(memory: Memory, given: object) -> object:
    cited = [(one.quote, one.span) for one in getattr(given, "citations", ())]
    return (
        getattr(given, "text", None),
        getattr(given, "kind", None),
        cited,
        [(one.text, one.state) for one in memory.list().statements],
    )


def _answer_reason(memory: Memory, given: object) -> str:
    del memory
    return getattr(given, "reason", "")


def _said(user: str) -> str:
    passages = cast("dict[str, list[dict[str, object]]]", data(user)).get("passages", [])
    sentences = [{"text": "The move was in May.", "passages": [passages[0]["number"]]}] if passages else []
    return json.dumps({"in_sources": bool(sentences), "sentences": sentences})


SITES = (
    Site(name="tier 2", prepare=_nothing, ask=_add, state=_document, told=_attempts, good=_restored),
    Site(
        name="tier 3",
        prepare=_nothing,
        ask=_add,
        state=_document,
        told=_attempts,
        good=_restored,
        is_log_probs=True,
    ),
    Site(name="review", prepare=_page, ask=_check, state=_reviewed, told=_skips, good=_judged, needs_model=True),
    Site(
        name="intent",
        prepare=_notes,
        ask=_recall,
        state=_intent,
        told=_intent_reason,
        good=lambda _: '{"intent": "relational", "confidence": 0.75}',
    ),
    Site(name="reranking", prepare=_notes, ask=_recall, state=_order, told=_reranking, good=_backwards),
    Site(
        name="confirmation",
        prepare=_contradiction,
        ask=_confirm,
        state=_waiting,
        told=_skips,
        good=_newer,
        needs_model=True,
    ),
    *(_evolving(operator.value, evolving_sites.proposing(operator), _CANDIDATES[operator]) for operator in _CANDIDATES),
    _evolving("matches", evolving_sites.judging, evolving_sites.verdict),
    _evolving("answers to one text", evolving_sites.answering, evolving_sites.answers),
    _evolving("claims", evolving_sites.claiming, evolving_sites.objection),
    _evolving("questions", evolving_sites.questioning, evolving_sites.questions),
    Site(name="answer", prepare=_notes, ask=_answer, state=_answered, told=_answer_reason, good=_said),
)
