"""A scripted chat model: answers every request of evolution from its data, by rules, with known error rates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from evolore.domain.chat import (
    ONE_CALL,
    ChatFailure,
    ChatFailureKind,
    ChatModelInfo,
    ChatOutcome,
    ChatReply,
    ChatRequest,
    ChatUsage,
    LogProbsOutcome,
)
from evolore.domain.checks import check_share
from evolore.errors import InvalidValue
from evolore.evolution.edits import place_of
from evolore.evolution.requests import read_data
from evolore.text.fences import Data
from evolore.text.sections import read_sections
from evolore.text.tokens import estimate_tokens
from evolore_evaluation.evolution.figures import without_ids
from evolore_evaluation.evolution.scripted_reader import Knowledge, ScriptedReader, Task, Way, drawn
from evolore_evaluation.evolution.scripted_writer import ScriptedWriter, aims_of, reason_for

if TYPE_CHECKING:
    from evolore.flows.evolve.show import CandidateView
    from evolore_evaluation.evolution.sets import PlantedDocument

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
        """Return each request's reply, in the order of the requests."""
        return [self._reply(request) for request in requests]

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        """Return a failure for each text: it has no probabilities."""
        return [ChatFailure(kind=ChatFailureKind.NOT_OFFERED) for _ in texts]

    def _reply(self, request: ChatRequest) -> ChatOutcome:
        task = read_data(request)
        answers = {
            "evolution.write": self._write,
            "evolution.judge_claims": self._reader.check_claims,
            "evolution.judge": self._reader.judge,
            "evolution.questions": self._reader.ask,
            "evolution.answers": self._reader.answers,
            "evolution.reword": self._reader.reword,
            "evolution.judge_facts": self._reader.judge_facts,
            "recall.answer": self._reader.answer,
        }
        made = answers.get(request.purpose)
        if made is None:
            return ChatFailure(kind=ChatFailureKind.REFUSED, usage=ONE_CALL)
        text = json.dumps(made({**task, "attempt": str(request.seed)}), ensure_ascii=False)
        # The ids of evidence are new in every run, and what is drawn must not hang on them.
        shown = json.dumps({key: value for key, value in task.items() if key != "evidence"}, ensure_ascii=False)
        if drawn(self._seed, "malformed", request.purpose, shown, str(request.seed)) < self._rates.malformed:
            text = text[: len(text) // 2]
        prompt = sum(estimate_tokens(without_ids(message.text)) for message in request.messages)
        return ChatReply(
            text=text, usage=ChatUsage(calls=1, prompt_tokens=prompt, reply_tokens=estimate_tokens(without_ids(text)))
        )

    def way_of(self, candidate: CandidateView) -> Way | None:
        """Return how a candidate that it wrote came about; None where it did not write it."""
        return next(
            (way for some in candidate.edits for edit in some if (way := self.ways.get(edit.text.strip()))), None
        )

    def rewrite(self, document: PlantedDocument, comments: Sequence[str]) -> tuple[str, Way] | None:
        """Write a document again for people who complained, with all that is known of it; None without a result.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedRates:
    """The errors of a scripted model, each drawn by hash from the seed and what it is asked.

    Raises:
        InvalidValue: A share outside 0–1, or those of the writer come to more than 1.
    """

    malformed: float = 0.02  #: Of all replies: cut short, so that it is no JSON.
    nothing: float = 0.05  #: Of a writer's replies: it sees nothing to improve.
    cosmetic: float = 0.1  #: It changes words and nothing else.
    loses: float = 0.1  #: It mends what it should, and drops a sentence of the same section.
    invents: float = 0.1  #: It mends what it should, and adds a sentence that nothing supports.
    poisoned: float = 0.2  #: Where it is shown a comment that must not be followed: it follows it.
    overlooks: float = 0.05  #: Of answers: it overlooks what it should have said.
    overlooks_long: float = 0.5  #: The same where that is in a long sentence among others.
    misjudges: float = 0.05  #: Of verdicts on two answers: it prefers the worse one.
    prefers_first: float = 0.05  #: It prefers the first one, regardless of content.
    prefers_longer: float = 0.05  #: It prefers the longer one, regardless of content.
    prefers_short: float = 0.6  #: Of two answers that are both right, it prefers one that is much shorter.
    misses_claim: float = 0.1  #: Of claims that are lost or invented: it does not see it.
    objects: float = 0.05  #: Of rewrites: it objects to a claim without reason.

    def __post_init__(self) -> None:
        for field in fields(self):
            check_share(**{field.name: getattr(self, field.name)})
        writing = self.nothing + self.cosmetic + self.loses + self.invents
        if writing > 1:
            raise InvalidValue(
                f"nothing, cosmetic, loses and invents come to {writing:.2f}: give shares of at most 1 together."
            )


FAULTLESS = ScriptedRates(**{field.name: 0.0 for field in fields(ScriptedRates)})
"""A model that makes no error, and prefers nothing."""


def read_rates(named: list[str]) -> ScriptedRates:
    """Read rates as options pass them, such as ``loses=0.2``; the others keep their defaults.

    Raises:
        InvalidValue: One is not of this form, or names no rate.

    >>> read_rates(["loses=0.2"]).loses
    0.2
    """
    known = [field.name for field in fields(ScriptedRates)]
    rates: dict[str, float] = {}
    for one in named:
        name, sign, value = one.partition("=")
        if not sign or name not in known:
            raise InvalidValue(f"{one!r} is no rate: give NAME=SHARE, with one of {', '.join(known)}.")
        try:
            rates[name] = float(value)
        except ValueError as error:
            raise InvalidValue(f"{one!r} is no rate: give NAME=SHARE, with a share from 0 to 1.") from error
    return ScriptedRates(**rates)
