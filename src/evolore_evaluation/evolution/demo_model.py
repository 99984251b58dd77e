"""The demo's knowledge base, and the replies of a scripted model that knows what its documents should say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias, cast

from evolore.domain.chat import ChatRequest
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.domain.result import from_json
from evolore.domain.tables import read_tables
from evolore.evolution.requests import read_data
from evolore.text.fences import Data
from evolore.text.sections import read_sections
from evolore.text.sentences import sentence_spans
from evolore.text.tokens import analyse

PACKAGE = "evolore_evaluation.evolution"

_Task: TypeAlias = Mapping[str, Data]
_HIGH, _LOW = (dict.fromkeys(("helpfulness", "correctness", "coherence"), score) for score in (5, 3))


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoDocument:
    """A document of the demo."""

    id: str  #: Its name among the others.
    source: str  #: Its file.
    title: str  #: Its title.
    text: str  #: As it is.
    good: str  #: As it should be.
    evidence: tuple[Mapping[str, str], ...]  #: The passages that say so: ``source`` and ``text``.


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoQuestion:
    """A question to a document of the demo."""

    id: str  #: Its name among the others.
    text: str  #: What is asked.
    answer: Mapping[str, tuple[tuple[str, ...], ...]]  #: ``all_of``: a good answer holds one text of each.

    def is_answered_by(self, answer: str) -> bool:
        """Return whether an answer is good."""
        return all(any(one in answer for one in some) for some in self.answer["all_of"])


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRating:
    """What one person said of the answer to a question of the demo."""

    document: str  #: The document it is meant for.
    question: str  #: The question's id.
    principal: str  #: Who said it.
    rating: Rating  #: Whether the answer served.
    comment: str  #: Why; empty for nothing.


class DemoBase:
    """The documents, questions and ratings of the demo in one language."""

    def __init__(self, language: Language) -> None:
        text = files(PACKAGE).joinpath(f"demo_documents/{language.value}.jsonl").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()]

        def of_kind(kind: str) -> list[dict[str, object]]:
            return [line for line in lines if line["kind"] == kind]

        self.documents = from_json(tuple[DemoDocument, ...], of_kind("document"))
        self.questions = from_json(tuple[DemoQuestion, ...], of_kind("question"))
        self.ratings = from_json(tuple[DemoRating, ...], of_kind("feedback"))
        self._phrases = read_tables(PACKAGE, f"words/{language.value}.toml")["phrases"]

    def reply(self, request: ChatRequest) -> str:
        """Reply to a request of evolution as a model that makes no error."""
        replies = {
            "evolution.write": self._write,
            "evolution.judge_claims": self._judge_claims,
            "evolution.reword": self._reword,
            "evolution.answers": self._answer,
            "evolution.judge_facts": self._judge_facts,
            "evolution.judge": self._judge,
        }
        return json.dumps(replies[request.purpose](read_data(request)), ensure_ascii=False)

    def _write(self, task: _Task) -> Data:
        """Put in place of each section that is wrong what it should say, and cite what says so."""
        shown = cast("_Task", task["document"])
        document = next(one for one in self.documents if one.title == shown["title"])
        good = {" > ".join(one.path): one.text.rstrip() for one in read_sections(document.good)}
        said = [one["text"] for one in document.evidence]
        cited = [one["id"] for one in _items(task, "evidence") if any(text in str(one["text"]) for text in said)]
        edits: list[Data] = [
            {
                "kind": "replace",
                "place": one["place"],
                "text": good[str(one["path"])],
                "reason": str(self._phrases["reason"]),
                "evidence": cited,
            }
            for one in _items(shown, "sections")
            if good[str(one["path"])] != one["text"]
        ]
        return {"edits": edits}

    def _judge_claims(self, task: _Task) -> Data:
        """Name the sentences that are right and lost, and those that are new and that nothing says."""
        after, unchanged = _sentences(task, "after"), _sentences(task, "unchanged")
        good = {one for document in self.documents for one in _split(document.good)}
        lost = good.intersection(_sentences(task, "before")).difference(after, unchanged)
        invented = set(after).difference(good, _sentences(task, "before"), unchanged, _sentences(task, "evidence"))
        return {
            "lost": [{"quote": one, "reason": "It is not said any more."} for one in sorted(lost)],
            "invented": [{"quote": one, "reason": "Nothing says so."} for one in sorted(invented)],
        }

    def _reword(self, task: _Task) -> Data:
        ways = cast("Sequence[str]", self._phrases["rewording"])
        return {
            "complaints": [
                {"number": one["number"], "questions": [way.format(one["question"]) for way in ways]}
                for one in _items(task, "complaints")
            ]
        }

    def _answer(self, task: _Task) -> Data:
        """Answer each question with the sentence that answers it, else with the one that shares most of its words."""
        passages = [
            (number, sentence)
            for number, passage in enumerate(_items(task, "passages"), start=1)
            for sentence in _split(str(passage["text"]))
        ]
        answers: list[Data] = []
        for one in _items(task, "questions"):
            known, words = self._question(one), frozenset(analyse(str(one["question"])))
            number, sentence = max(
                passages, key=lambda said: (known.is_answered_by(said[1]), len(words & frozenset(analyse(said[1]))))
            )
            told: list[Data] = [{"text": sentence, "passages": [number]}]
            answers.append({"number": one["number"], "in_sources": True, "sentences": told})
        return {"answers": answers}

    def _judge_facts(self, task: _Task) -> Data:
        return {
            "pairs": [
                {"number": one["number"], "reason": "The evidence says so."}
                | {side: "says" if self._is_right(one, side) else "contradicts" for side in ("first", "second")}
                for one in _items(task, "pairs")
            ]
        }

    def _judge(self, task: _Task) -> Data:
        told: list[Data] = []
        for one in _items(task, "pairs"):
            first, second = (self._is_right(one, side) for side in ("first", "second"))
            told.append(
                {
                    "number": one["number"],
                    "reason": "It says what was asked.",
                    "first": cast("Data", _HIGH if first else _LOW),
                    "second": cast("Data", _HIGH if second else _LOW),
                    "preferred": "tie" if first is second else "first" if first else "second",
                }
            )
        return {"pairs": told}

    def _is_right(self, pair: _Task, side: str) -> bool:
        return self._question(pair).is_answered_by(str(pair[side]))

    def _question(self, task: _Task) -> DemoQuestion:
        """Return the question that is asked, maybe in other words around it."""
        return next(one for one in self.questions if one.text in str(task["question"]))


def _items(task: _Task, key: str) -> list[dict[str, Data]]:
    return cast("list[dict[str, Data]]", task[key])


def _sentences(task: _Task, key: str) -> list[str]:
    return [sentence for one in _items(task, key) for sentence in _split(str(one["text"]))]


def _split(text: str) -> list[str]:
    """Return the sentences of a text without headings."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [one for span in sentence_spans(lines) if (one := span.of(lines).strip())]
