"""The places where system 5 asks a chat model: what is asked for there, what must stay, and a reply that changes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from evolore.chat.asking import Asker
from evolore.domain.chat import ChatBudget, ChatFailure
from evolore.domain.contest import NoVerdict
from evolore.domain.language import Language
from evolore.evolution.matches import Pair
from evolore.evolution.proposals import CROSSOVERS
from evolore.evolution.requests import Unusable
from evolore.flows.evolve.candidates import judge_claims, propose
from evolore.flows.evolve.contest import TextQuestion, answer_text, judge_pairs
from evolore.flows.evolve.planning import GeneratedQuestions, generate_questions
from evolore.text.fences import unfenced
from flows.evolving_words import EVIDENCE, GUIDE, document, plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.domain.evolution import Operator
    from evolore.memory import Memory

FAQ = "# Money back\n\nRefunds take 7 days.\n\n# Hours\n\nWe answer from 9:00.\n"
_NEW = {
    "text": "# Money back\n\nRefunds take 7 days, and the shop makes them.",
    "reason": "It says who.",
    "evidence": ["e1"],
}
_TAKEN = {"place": "1", "rest": "", "reason": "Both say it."}


def prepare(memory: Memory) -> None:
    memory.add_text(GUIDE, source="guide.md")
    memory.add_text(FAQ, source="faq.md")


def proposing(operator: Operator) -> Callable[[Memory], object]:
    """Ask for a candidate of one operator."""
    documents = (document(), document(FAQ, name="faq")) if operator in CROSSOVERS else (document(),)

    def ask(memory: Memory) -> object:
        return propose(_asker(memory), plan(operator, *documents, evidence=(EVIDENCE,)))

    return ask


def judging(memory: Memory) -> object:
    pair = Pair(question="How long?", first="7 days.", second="It depends.", language=Language.EN)
    return judge_pairs(_asker(memory), [pair])[0]


def answering(memory: Memory) -> object:
    asked = [TextQuestion(question=one, document=document()) for one in ("How long?", "Who does it?")]
    told = answer_text(memory._context, _asker(memory), asked)
    failed = next((one for one in told if isinstance(one, ChatFailure)), None)
    return failed or told


def claiming(memory: Memory) -> object:
    return judge_claims(_asker(memory), GUIDE, GUIDE.replace("7 days", "8 days"), language=Language.EN)


def questioning(memory: Memory) -> object:
    return generate_questions(_asker(memory), document(), count=2, seed=1)


def _asker(memory: Memory) -> Asker:
    context = memory._context
    return Asker(context.chat_model, ChatBudget(calls=5), context.chat_terms)


def state(memory: Memory, given: object) -> object:
    """Give the documents as they stand, and what may be used of what was given."""
    texts = [_text(memory, name) for name in ("guide.md", "faq.md")]
    assert texts == [GUIDE, FAQ]
    failed = given is None or isinstance(given, (Unusable, NoVerdict, ChatFailure))
    if isinstance(given, GeneratedQuestions):
        return texts, given.questions or None
    return texts, None if failed else given


def _text(memory: Memory, source: str) -> str:
    tree = memory.outline.tree(source)
    leaves = [node.chunk.outline for node in tree.nodes if node.chunk.is_leaf]
    return "".join(memory.outline.chunk_text(tree.document.id, outline) for outline in leaves)


def told(memory: Memory, given: object) -> str:
    """Give why nothing may be used."""
    del memory
    if isinstance(given, (Unusable, NoVerdict)):
        return given.reason
    if isinstance(given, ChatFailure):
        return f"{given.kind.value} {given.detail}"
    return " ".join(reason for reason, _ in given.skips) if isinstance(given, GeneratedQuestions) else ""


def edits(user: str) -> str:
    del user
    return json.dumps({"edits": [{"kind": "insert", "place": "2"} | _NEW], "conflicts": []})


def extraction(user: str) -> str:
    del user
    taken = [_TAKEN | {"document": 1, "rest": "It is done by the shop."}, _TAKEN | {"document": 2}]
    return json.dumps({"title": "Refund times", "text": "Refunds take 7 days.", "taken": taken, "conflicts": []})


def verdict(user: str) -> str:
    del user
    scores = {"helpfulness": 4, "correctness": 4, "coherence": 4}
    said = {"number": 1, "reason": "It answers.", "first": scores, "second": scores, "preferred": "tie"}
    return json.dumps({"pairs": [said]})


def answers(user: str) -> str:
    asked = cast("dict[str, list[dict[str, object]]]", unfenced(user))["questions"]
    sentences = [{"text": "It takes 7 days.", "passages": [1]}]
    said = [{"number": one["number"], "in_sources": True, "sentences": sentences} for one in asked]
    return json.dumps({"answers": said})


def objection(user: str) -> str:
    del user
    said = {"quote": "Refunds take 7 days.", "reason": "It is 8 now."}
    return json.dumps({"lost": [said], "invented": []})


def questions(user: str) -> str:
    claims = cast("dict[str, list[dict[str, object]]]", unfenced(user))["claims"]
    said = [{"number": one["number"], "question": f"What is number {one['number']} about?"} for one in claims]
    return json.dumps({"questions": said})
