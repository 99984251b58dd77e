"""Measure what becomes of wrong citations: ``python benchmarks/answer_citations.py [--every N]``.

The knowledge bases of ``tests/data/evolution`` are asked their questions with a scripted chat model. It knows a good answer
and is shown passages as any model is. It cites one that holds the answer together with the last that does not; then, asked
again, the wrong one alone; then it says the question back, citing a right one: words as far from the passage as an answer's
may be. Printed by language, in %: right citations that stay, wrong ones that are dropped, answers resting on a wrong one
alone that are not given as written, and questions said back whose citation is dropped.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore import config
from evolore.domain.answer import AnswerKind
from evolore.memory import Memory
from evolore.models.embedders import embedder_named
from evolore.models.offline_chat import ScriptedChatModel
from evolore_evaluation.answers import read_answer_set
from evolore_evaluation.measure import RememberingEmbedder
from evolore_evaluation.records import read_records
from harness import new_memory

if TYPE_CHECKING:
    from evolore.domain.chat import ChatRequest
    from evolore.ports import Embedder
    from evolore_evaluation.answers import AskedQuestion

BASES = Path(__file__).resolve().parents[1] / "tests" / "data" / "evolution"


@dataclass(slots=True)
class Script:
    """What the model is to say, and what it was shown."""

    question: AskedQuestion | None = None
    says: str = ""
    kinds: tuple[bool, ...] = ()
    shown: dict[bool, str] = field(default_factory=dict[bool, str])

    def reply(self, request: ChatRequest) -> str:
        """Cite of the passages that hold the answer the first, of the others the last, as far as they are wanted."""
        passages = json.loads(request.messages[1].text.split("\n")[1])["passages"]
        asked = self.question
        holds = [asked is not None and asked.is_answered_by(one["text"]) for one in passages]
        cited: dict[bool, int] = {}
        for place, right in enumerate(holds):
            if not right or right not in cited:
                cited[right] = place
        self.shown = {right: passages[place]["text"] for right, place in cited.items()}
        numbers = [cited[right] + 1 for right in self.kinds if right in cited]
        return json.dumps({"in_sources": bool(numbers), "sentences": [{"text": self.says, "passages": numbers}]})


def main() -> None:
    """Measure each language and print a line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--every", type=int, default=5, help="Ask every so many questions.")
    every = parser.parse_args().every
    embedder = RememberingEmbedder(embedder_named("use"))
    print("language  questions  right kept  wrong dropped  wrong alone refused  question said back dropped")
    for path in sorted(BASES.glob("*.jsonl")):
        count, figures = _measured(path, embedder, every)
        print(f"{path.stem:8}  {count:9}  {'  '.join(f'{100.0 * one:.1f}' for one in figures)}")


def _measured(path: Path, embedder: Embedder, every: int) -> tuple[int, list[float]]:
    one, script = read_answer_set(path), Script()
    good = {record.name("id"): str(record.fields.get("good_answer") or "") for record in read_records(path)}
    found: list[tuple[bool, bool, bool, bool]] = []
    model = ScriptedChatModel([script.reply])
    with new_memory(namespace="cite", embedder=embedder, settings=config.load(), chat_model=model) as memory:
        memory.add(*one.documents)
        for question in one.questions[::every]:
            if good[question.id]:
                found += _tried(memory, script, question, good[question.id])
    return len(found), np.array(found, dtype=np.float64).mean(axis=0).tolist()


def _tried(memory: Memory, script: Script, question: AskedQuestion, good: str) -> list[tuple[bool, bool, bool, bool]]:
    """Ask three times; nothing where the model is not shown a right and a wrong passage."""
    script.question = question
    quotes, _ = _said(memory, script, good, (True, False))
    if set(script.shown) != {True, False}:
        return []
    right, wrong = (any(quote in script.shown[kind] for quote in quotes) for kind in (True, False))
    _, alone = _said(memory, script, good, (False,))
    _, said_back = _said(memory, script, question.text, (True,))
    return [(right, not wrong, alone is not AnswerKind.WRITTEN, said_back is not AnswerKind.WRITTEN)]


def _said(memory: Memory, script: Script, says: str, kinds: tuple[bool, ...]) -> tuple[list[str], AnswerKind]:
    script.says, script.kinds = says, kinds
    answer = memory.answer(script.question.text if script.question else says, record=False)
    return [one.quote for one in answer.citations], answer.kind


if __name__ == "__main__":
    main()
