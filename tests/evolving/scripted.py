"""A chat model for tests of jobs: it edits, answers, judges and asks by rules, from the data of each request alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from evolore.domain.chat import ChatModelInfo, ChatReply, ChatUsage
from evolore.text.fences import unfenced

Data: TypeAlias = Any
"""What stands between the marks of a request, or in a reply: JSON."""

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.domain.chat import ChatOutcome, ChatRequest

OLD = "Refunds take 7 business days."
NEW = "Refunds take 10 business days."
USAGE = ChatUsage(calls=1, prompt_tokens=100, reply_tokens=20)


@dataclass
class ScriptedEditor:
    """Writes ``new`` in the place of ``old``, and prefers the answer that says ``wanted``.

    Args:
        old: What an edit replaces.
        new: What stands there then.
        wanted: What makes an answer the better one.
        fail: Gives a failure or a reply of its own for some requests; None lets it answer.
    """

    old: str = OLD
    new: str = NEW
    wanted: str = "10 business days"
    fail: Callable[[ChatRequest], ChatOutcome | None] | None = None
    asked: list[ChatRequest] = field(default_factory=list)

    @property
    def info(self) -> ChatModelInfo:
        return ChatModelInfo(id="scripted-editor-1")

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        return [self._reply(request) for request in requests]

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[Any]:
        raise NotImplementedError

    def _reply(self, request: ChatRequest) -> ChatOutcome:
        self.asked.append(request)
        other = None if self.fail is None else self.fail(request)
        if other is not None:
            return other
        data: Data = unfenced(request.messages[-1].text)
        body = getattr(self, f"_{request.purpose.replace('.', '_')}")(data)
        return ChatReply(text=json.dumps(body, ensure_ascii=False), usage=USAGE)

    def _evolution_write(self, data: Data) -> Data:
        ids = [one["id"] for one in data["evidence"] if self.wanted in one["text"]] or [
            one["id"] for one in data["evidence"]
        ]
        edits = [
            {
                "kind": "replace",
                "place": section["place"],
                "text": section["text"].replace(self.old, self.new),
                "reason": f"The number is old ({data['aim']}).",
                "evidence": ids[:1],
            }
            for section in data["document"]["sections"]
            if self.old in section["text"]
        ]
        return {"edits": edits}

    def _evolution_judge_claims(self, data: Data) -> Data:
        del data
        return {"lost": [], "invented": []}

    def _evolution_answers(self, data: Data) -> Data:
        return {
            "answers": [
                {"number": one["number"], **self._recall_answer({**data, "question": one["question"]})}
                for one in data["questions"]
            ]
        }

    def _evolution_reword(self, data: Data) -> Data:
        return {
            "complaints": [
                {
                    "number": one["number"],
                    "questions": [
                        f"{opening} {one['question'] or one['comment'].rstrip('.') + '?'}"
                        for opening in ("Please tell me,", "I wonder,", "Once more,", "For a friend,")
                    ],
                }
                for one in data["complaints"]
            ]
        }

    def _evolution_judge_facts(self, data: Data) -> Data:
        is_told = any(self.wanted in one["text"] for one in data["evidence"])

        def held(answer: str) -> str:
            return "unrelated" if not is_told else "says" if self.wanted in answer else "contradicts"

        return {
            "pairs": [
                {"number": one["number"], "reason": "So.", "first": held(one["first"]), "second": held(one["second"])}
                for one in data["pairs"]
            ]
        }

    def _recall_answer(self, data: Data) -> Data:
        words = set(data["question"].lower().rstrip("?").split())
        best = max(
            ((number, line) for number, one in enumerate(data["passages"], 1) for line in one["text"].splitlines()),
            key=lambda one: len(words & set(one[1].lower().rstrip(".").split())),
        )
        return {"in_sources": True, "sentences": [{"text": best[1], "passages": [best[0]]}]}

    def _evolution_judge(self, data: Data) -> Data:
        return {"pairs": [{"number": one["number"], **self._judged(one)} for one in data["pairs"]]}

    def _judged(self, data: Data) -> Data:
        first, second = self.wanted in data["first"], self.wanted in data["second"]
        preferred = "tie" if first == second else "first" if first else "second"
        score = {True: 5, False: 3}
        return {
            "reason": "It says so.",
            "first": dict.fromkeys(("helpfulness", "correctness", "coherence"), score[first]),
            "second": dict.fromkeys(("helpfulness", "correctness", "coherence"), score[second]),
            "preferred": preferred,
        }

    def _evolution_questions(self, data: Data) -> Data:
        return {
            "questions": [
                {"number": one["number"], "question": f"How is it in case {one['number']} of {data['title']}?"}
                for one in data["claims"]
            ]
        }
