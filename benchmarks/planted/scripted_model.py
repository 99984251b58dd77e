"""A scripted chat model: answers every request of evolution from its data, by rules, with known error rates."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from evolore.domain import chat
from evolore.domain.checks import check_share
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.evolution.edits import place_of
from evolore.evolution.requests import read_data
from evolore.flows.evolve.show import CandidateView
from evolore.text.fences import Data
from evolore.text.sections import read_sections
from evolore.text.tokens import estimate_tokens
from planted.figures import without_ids
from planted.scripted_reader import (
    KEEPS,
    LANGUAGES,
    Knowledge,
    Scripted,
    ScriptedReader,
    Task,
    Way,
    drawn,
    good_sections,
    items_of,
    language_of,
    phrases_of,
    picked,
    plain,
    sentences,
    text_of,
)
from planted.sets import PlantedDocument

_AIMS = {
    "missing_step": ("detail",),
    "outdated_number": ("detail",),
    "contradiction": ("detail", "clarity"),
    "jargon": ("detail", "clarity", "simplify"),
    "buried_answer": ("clarity", "simplify", "qa_format"),
}
"""Under which aims a defect can be mended; one of another kind under any."""

_NEEDS_EVIDENCE = frozenset({"missing_step", "outdated_number", "jargon"})
_VALUE = re.compile(r"https?://[^\s、。]+|\d[\d,]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEdit:
    """An edit as it was replied, and how it came about."""

    place: str
    text: str
    evidence: tuple[str, ...]
    way: Way


class ScriptedWriter(Scripted):
    """Writes section edits."""

    def __init__(self, knowledge: Knowledge, rates: ScriptedRates, seed: str) -> None:
        super().__init__(knowledge, rates, seed)
        self.lacking: set[str] = set()
        """Documents that could not be mended at some time, since what supports it was not shown."""

    def write(self, task: Task) -> WrittenEdit | None:
        """Return the edit for a task; None where it sees nothing to improve."""
        aim, shown = text_of(task, "aim"), _document_of(task)
        document = self._knowledge.document(text_of(shown, "title"))
        obeyed = self._obeyed(task, items_of(shown, "sections"))
        if obeyed is not None:
            return obeyed
        poison = self._poison(task)
        attempt = text_of(task, "attempt")
        share = drawn(self._seed, "poison", aim, text_of(shown, "title"), attempt, *poison)
        if poison and share < self._rates.poisoned:
            return self._following(picked(poison, share / self._rates.poisoned), task, document)
        if document is None:
            return None
        mending = self._mending(task, document, aim)
        return self._drawn(task, mending, (aim, document.title, str(len(items_of(task, "earlier"))), attempt))

    def _drawn(self, task: Task, mending: WrittenEdit | None, key: tuple[str, ...]) -> WrittenEdit | None:
        """Mend, or err."""
        share, rates = drawn(self._seed, "write", *key), self._rates
        sections = items_of(_document_of(task), "sections")
        if share < rates.nothing:
            return None
        share -= rates.nothing
        if share < rates.cosmetic:
            return self._cosmetic(task, sections, key)
        share -= rates.cosmetic
        if mending is None:
            return None
        if share < rates.loses:
            before = next(text_of(one, "text") for one in sections if text_of(one, "place") == mending.place)
            known = {plain(one) for one in sentences(before)}
            kept = [one for one in sentences(mending.text) if plain(one) in known] or sentences(mending.text)[-1:]
            text = mending.text.replace(picked(kept, drawn(self._seed, "losing", *key)), "", 1).rstrip()
            return WrittenEdit(place=mending.place, text=text, evidence=mending.evidence, way=Way.LOST)
        share -= rates.loses
        return self._inventing(mending, self._language(sections), key) if share < rates.invents else mending

    def _mending(self, task: Task, document: PlantedDocument, aim: str) -> WrittenEdit | None:
        """Return the section as it should be, where the aim allows it and what supports it is shown."""
        if aim not in _AIMS.get(document.defect, (aim,)):
            return None
        good = good_sections(document)
        wrong = [
            one
            for one in items_of(_document_of(task), "sections")
            if (path := text_of(one, "path")) in good and good[path].strip() != text_of(one, "text").strip()
        ]
        elsewhere = [one for one in document.evidence if one.source != document.source]
        cited = [
            text_of(one, "id")
            for one in items_of(task, "evidence")
            if any(_bare(said.text) in _bare(text_of(one, "text")) for said in elsewhere)
        ]
        needs = document.defect in _NEEDS_EVIDENCE and len(elsewhere) == len(document.evidence)
        if wrong and (needs or aim == "detail") and not cited:
            self.lacking |= {document.id} if elsewhere else set()
            return None
        if not wrong or _is_written_before(task, good):
            return None
        place, text = text_of(wrong[0], "place"), good[text_of(wrong[0], "path")]
        if document.defect in KEEPS and aim != "simplify":
            heading, _, body = text_of(wrong[0], "text").partition("\n")
            lines = [one for one in text.splitlines()[1:] if one.strip()]
            text = f"{heading}\n{lines[0]}\n\n{body.strip()}" if lines else text
        return WrittenEdit(place=place, text=text, evidence=tuple(cited), way=Way.MENDED)

    def _cosmetic(self, task: Task, sections: Sequence[Task], key: tuple[str, ...]) -> WrittenEdit | None:
        """Put two sentences of a section the other way round."""
        fit = [one for one in sections if len(sentences(text_of(one, "text"))) > 1]
        if not fit:
            return None
        chosen = fit[int(drawn(self._seed, "cosmetic", *key) * len(fit))]
        *_, first, second = sentences(text_of(chosen, "text"))
        before, _, behind = text_of(chosen, "text").rpartition(first)
        text = before + second + behind.replace(second, first, 1)
        return WrittenEdit(place=text_of(chosen, "place"), text=text, evidence=_any_evidence(task), way=Way.COSMETIC)

    def _inventing(self, mending: WrittenEdit, language: Language, key: tuple[str, ...]) -> WrittenEdit:
        invented = picked(phrases_of(language).invented, drawn(self._seed, "inventing", *key))
        text = _with_sentence(mending.text, invented, language)
        return WrittenEdit(place=mending.place, text=text, evidence=mending.evidence, way=Way.INVENTED)

    def _following(self, comment: str, task: Task, document: PlantedDocument | None) -> WrittenEdit | None:
        """Write what a comment says: a value of it in place of one of the section's, else its words."""
        sections = items_of(_document_of(task), "sections")
        good = good_sections(document) if document is not None else {}
        wrong = [one for one in sections if good.get(text_of(one, "path"), "").strip() != text_of(one, "text").strip()]
        chosen = (wrong or [one for one in sections if sentences(text_of(one, "text"))] or [None])[0]
        if chosen is None:
            return None
        text, told = text_of(chosen, "text"), _VALUE.search(comment)
        there = re.search(r"\d[\d,]*", text)
        if told and there and not told.group().startswith("http"):
            text = text[: there.start()] + told.group() + text[there.end() :]
        else:
            text = _with_sentence(text, comment, self._language(sections))
        return WrittenEdit(place=text_of(chosen, "place"), text=text, evidence=_any_evidence(task), way=Way.POISONED)

    def _obeyed(self, task: Task, sections: Sequence[Task]) -> WrittenEdit | None:
        """Write what an order in the data asks for: the secret, whole or in parts, the order itself, or what nothing supports."""
        shown = "\n".join(
            [text_of(one, "text") for one in sections]
            + [text_of(one, "comment") for one in items_of(task, "complaints")]
            + [text_of(one, "text") for one in items_of(task, "evidence")]
        )
        order = next((one for one in self._knowledge.orders if _bare(one) in _bare(shown)), None)
        fit = [one for one in sections if sentences(text_of(one, "text"))]
        if order is None or not fit:
            return None
        document = self._knowledge.document(text_of(_document_of(task), "title"))
        mending = None if document is None else self._mending(task, document, text_of(task, "aim"))
        place, text = (mending.place, mending.text) if mending else (text_of(fit[0], "place"), text_of(fit[0], "text"))
        language, secret = self._language(sections), self._knowledge.secret
        asked_for = (
            secret,
            f"{secret.split('-')[0].lower()}, {secret.split('-')[-1].lower()}.",
            order,
            phrases_of(language).invented[1],
        )
        payload = picked(asked_for, drawn(self._seed, "obeyed", order)) if secret else order
        written = _with_sentence(text, payload, language)
        return WrittenEdit(
            place=place, text=written, evidence=mending.evidence if mending else _any_evidence(task), way=Way.OBEYED
        )

    def _poison(self, task: Task) -> list[str]:
        comments = dict.fromkeys(text_of(one, "comment") for one in items_of(task, "complaints"))
        return [one for one in comments if one in self._knowledge.poison]

    def _language(self, sections: Sequence[Task]) -> Language:
        return language_of("".join(text_of(one, "text") for one in sections))


def _document_of(task: Task) -> Task:
    shown = task.get("document")
    assert isinstance(shown, dict)
    return shown


def _any_evidence(task: Task) -> tuple[str, ...]:
    """Return what an edit that rests on nothing claims to rest on."""
    return tuple(text_of(one, "id") for one in items_of(task, "evidence")[:1])


def _is_written_before(task: Task, good: dict[str, str]) -> bool:
    earlier: Data = task.get("earlier") or []
    assert isinstance(earlier, list)
    texts = {str(text).strip() for some in earlier if isinstance(some, list) for text in some}
    return any(one.strip() in texts for one in good.values())


def _with_sentence(text: str, sentence: str, language: Language) -> str:
    return text.rstrip() + (" " if language is Language.EN else "") + sentence


def _bare(text: str) -> str:
    return "".join(text.split())


MODEL_ID = "scripted-1"


class ScriptedModel:
    """A chat model that answers from the data of a request and from what it knows of a planted knowledge base.

    The same request has the same reply. It never calls anybody.
    """

    def __init__(self, knowledge: Knowledge, rates: ScriptedRates, *, seed: str = "0") -> None:
        self._rates = rates
        self._seed = seed
        self.writer = ScriptedWriter(knowledge, rates, seed)
        self._reader = ScriptedReader(knowledge, rates, seed)
        self.ways: dict[str, Way] = {}
        """How each text that it wrote came about."""

    @property
    def info(self) -> chat.ChatModelInfo:
        """The model's name."""
        return chat.ChatModelInfo(id=MODEL_ID)

    def complete(self, requests: Sequence[chat.ChatRequest]) -> Sequence[chat.ChatOutcome]:
        """Return each request's reply, in the order of the requests."""
        return [self._reply(request) for request in requests]

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[chat.LogProbsOutcome]:
        """Return a failure for each text: it has no probabilities."""
        return [chat.ChatFailure(kind=chat.ChatFailureKind.NOT_OFFERED) for _ in texts]

    def _reply(self, request: chat.ChatRequest) -> chat.ChatOutcome:
        task = read_data(request)
        made = {
            "evolution.write": self._write,
            "evolution.judge_claims": self._reader.check_claims,
            "evolution.judge": self._reader.judge,
            "evolution.questions": self._reader.ask,
            "evolution.answers": self._reader.answers,
            "evolution.reword": self._reader.reword,
            "evolution.judge_facts": self._reader.judge_facts,
            "recall.answer": self._reader.answer,
        }.get(request.purpose)
        if made is None:
            return chat.ChatFailure(kind=chat.ChatFailureKind.REFUSED, usage=chat.ONE_CALL)
        text = json.dumps(made({**task, "attempt": str(request.seed)}), ensure_ascii=False)
        # The ids of evidence are new in every run, and what is drawn must not hang on them.
        shown = json.dumps({key: value for key, value in task.items() if key != "evidence"}, ensure_ascii=False)
        if drawn(self._seed, "malformed", request.purpose, shown, str(request.seed)) < self._rates.malformed:
            text = text[: len(text) // 2]
        prompt = sum(estimate_tokens(without_ids(message.text)) for message in request.messages)
        return chat.ChatReply(
            text=text,
            usage=chat.ChatUsage(calls=1, prompt_tokens=prompt, reply_tokens=estimate_tokens(without_ids(text))),
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
            "aim": next(iter(_AIMS.get(document.defect, ())), ""),
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
                    "reason": phrases_of(LANGUAGES.get(text_of(task, "language"), Language.EN)).reason,
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
