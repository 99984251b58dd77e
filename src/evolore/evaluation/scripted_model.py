"""A scripted chat model: answers every request of evolution from its data, by rules, with known error rates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evolore.domain.chats import ONE_CALL, ChatFailure, ChatFailureKind, ChatModelInfo, ChatReply, ChatUsage
from evolore.evaluation.evolution_history import without_ids
from evolore.evaluation.scripted_knowledge import drawn
from evolore.evaluation.scripted_reader import ScriptedReader
from evolore.evaluation.scripted_writer import ScriptedWriter, aims_of, reason_for
from evolore.evolution.chat_requests import read_data
from evolore.evolution.edits import place_of
from evolore.text.sections import read_sections
from evolore.text.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.chats import ChatOutcome, ChatRequest, LogProbsOutcome
    from evolore.evaluation.evolution_sets import PlantedDocument
    from evolore.evaluation.scripted_knowledge import Knowledge, Task, Way
    from evolore.evaluation.scripted_rates import ScriptedRates
    from evolore.flows.evolving.viewing import CandidateView
    from evolore.text.fences import Data

MODEL_ID = "scripted-1"


class ScriptedModel:
    """A chat model that answers from the data of a request and from what it knows of a planted knowledge base.

    The same request has the same reply. It never calls anybody.

    Args:
        knowledge: What it knows.
        rates: How often it errs.
        seed: What its errors are drawn from.
    """

    def __init__(self, knowledge: Knowledge, rates: ScriptedRates, *, seed: str = "0") -> None:
        self._rates = rates
        self._seed = seed
        self.writer = ScriptedWriter(knowledge, rates, seed)
        self._reader = ScriptedReader(knowledge, rates, seed)
        self.ways: dict[str, Way] = {}
        """How each text that it wrote came about."""

    @property
    def info(self) -> ChatModelInfo:
        """The model's name."""
        return ChatModelInfo(id=MODEL_ID)

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        """Give each request's reply, in the order of the requests."""
        return [self._reply(request) for request in requests]

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        """Give a failure for each text: it has no probabilities."""
        return [ChatFailure(kind=ChatFailureKind.NOT_OFFERED) for _ in texts]

    def _reply(self, request: ChatRequest) -> ChatOutcome:
        task = read_data(request)
        answers = {
            "evolution.write": self._write,
            "evolution.judge_claims": self._reader.check_claims,
            "evolution.judge": self._reader.judge,
            "evolution.questions": self._reader.ask,
            "recall.answer": self._reader.answer,
        }
        made = answers.get(request.purpose)
        if made is None:
            return ChatFailure(kind=ChatFailureKind.REFUSED, usage=ONE_CALL)
        told = made({**task, "attempt": str(request.seed)})
        text = json.dumps(told, ensure_ascii=False)
        # The ids of evidence are new in every run, and what is drawn must not hang on them.
        shown = json.dumps({key: value for key, value in task.items() if key != "evidence"}, ensure_ascii=False)
        if drawn(self._seed, "malformed", request.purpose, shown, str(request.seed)) < self._rates.malformed:
            text = text[: len(text) // 2]
        prompt = sum(estimate_tokens(without_ids(message.text)) for message in request.messages)
        return ChatReply(
            text=text, usage=ChatUsage(calls=1, prompt_tokens=prompt, reply_tokens=estimate_tokens(without_ids(text)))
        )

    def way_of(self, candidate: CandidateView) -> Way | None:
        """Tell how a candidate that it wrote came about; None where it did not write it."""
        return next(
            (way for some in candidate.edits for edit in some if (way := self.ways.get(edit.text.strip()))), None
        )

    def rewrite(self, document: PlantedDocument, comments: Sequence[str]) -> tuple[str, Way] | None:
        """Write a document anew for people who complained, with all that is known of it; None where nothing comes of it.

        It errs as it does in edits, and nothing is kept from it.
        """
        if drawn(self._seed, "malformed", "rewrite", document.id) < self._rates.malformed:
            return None
        sections: list[Data] = [
            {"place": place_of(one), "path": " > ".join(one.path), "text": one.text.rstrip()}
            for one in read_sections(document.text)
        ]
        task: Task = {
            "aim": next(iter(aims_of(document.defect)), ""),
            "document": {"title": document.title, "sections": sections},
            "complaints": [{"comment": one} for one in comments],
            "evidence": [{"id": str(place), "text": one.text} for place, one in enumerate(document.evidence)],
        }
        edit = self.writer.write(task)
        if edit is None:
            return None
        old = next(one for one in read_sections(document.text) if place_of(one) == edit.place)
        return document.text.replace(old.text.rstrip(), edit.text.rstrip(), 1), edit.way

    def _write(self, task: Task) -> Data:
        edit = self.writer.write(task)
        if edit is None:
            return {"edits": []}
        self.ways[edit.text.strip()] = edit.way
        evidence: list[Data] = list(edit.evidence)
        return {
            "edits": [
                {
                    "kind": "replace",
                    "place": edit.place,
                    "text": edit.text,
                    "reason": reason_for(task),
                    "evidence": evidence,
                }
            ]
        }
