"""Measuring answers without a chat model, and how well missing evidence is recognised, by docs/protocols.md."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from evolore import config
from evolore.config import Settings
from evolore.domain.answer import Answer, AnswerKind
from evolore.domain.document import MediaType
from evolore.memory import Memory
from evolore.memory.opening import embedder_of
from evolore.ports import Embedder, SourceText
from evolore.text.scripts import detect_language
from evolore_evaluation.measure import ALL_VISIBLE, Measure, MeasuredSet, Run, groups_by
from evolore_evaluation.records import Record, check_count, find_sets, read_records
from evolore_evaluation.reports import Json, Report

_FOREIGN = 60
"""So many questions of each other set are asked of a memory."""

_WITHHELD = 3
"""Of one in so many questions the documents that answer it are left out."""

_BATCH = 256

_AT = (5, 10, 20, 30)
"""The share of other questions refused is reported at these percentages of answerable ones refused."""


class AnswerGroup(StrEnum):
    """Whether a memory holds what answers a question.

    ``ANSWERABLE``: all documents that answer it. ``WITHHELD``: all documents but these. ``FOREIGN``: it is
    a question to another set of the same language.
    """

    ANSWERABLE = "answerable"
    WITHHELD = "withheld"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredAnswer:
    """A question as it was answered."""

    question: AskedQuestion  #: Which.
    group: AnswerGroup  #: Whether the memory holds what answers it.
    answer: Answer  #: What was said.
    cites_evidence: bool  #: Whether a citation is of a document that answers it.

    @property
    def is_refused(self) -> bool:
        """Whether it was said that the sources do not say it."""
        return self.answer.kind is AnswerKind.NOT_IN_SOURCES

    @property
    def holds_answer(self) -> bool:
        """Whether the answer holds all that is wanted; if unstated, whether it cites the evidence."""
        return not self.is_refused and (
            self.question.is_answered_by(self.answer.text) if self.question.wanted else self.cites_evidence
        )


def evaluate_answers(
    paths: Sequence[Path], run: Run = ALL_VISIBLE, *, documents: int | None = None, embedder: Embedder | None = None
) -> Report:
    """Measure on corpora and knowledge bases what answers without a chat model hold, and when they say that nothing does.

    The documents that answer a third of the questions, chosen by a hash of their ids, are left out of the memory; a
    question of which some documents are left out and others not is not asked, nor one that another document of a knowledge
    base answers as well. Besides, 60 questions of each other set of
    the run are asked that are in the language of this one.

    Figures: ``holds_answer``, the share of answerable questions whose answer holds all that is wanted or, if unstated,
    cites evidence; ``cites_evidence``; ``refused``, the share of them wrongly said not to be in the sources;
    ``refused_foreign`` and ``refused_withheld``, those rightly said so; ``auc_foreign`` and ``auc_withheld``, how well the
    likelihood separates them from answerable ones, and ``refused_foreign_at_5`` etc., how many are refused by a
    threshold that refuses 5, 10, 20, 30 % of the answerable; ``characters``, the mean length of an answer.

    Args:
        paths: Files, or folders of them.
        run: How many questions of each set are asked, in the order of the hash; predictions are ``{"set", "id", "group",
            "kind", "likelihood", "answer", "holds"}``.
        documents: Take in only so many documents beside those that answer the questions.
        embedder: What embeds; by default the settings' own.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(documents, "documents")
    chosen = config.load()
    chosen = chosen.model_copy(update={"answer": replace(chosen.answer, chat_calls=0)})
    embedder = embedder_of(embedder, settings=chosen)
    sets = {path: _first(read_answer_set(path), run.limit) for path in find_answer_sets(paths)}
    measure = Measure(
        system="answers",
        read=lambda path: list(_asked(sets, path)),
        begin=partial(_answering, embedder, chosen, documents),
        figures=figures,
        groups=lambda found: groups_by(found, lambda one: [detect_language(one.question.text).value]),
    )
    described: dict[str, Json] = {
        "embedder": embedder.model.id,
        "documents": documents,
        "limit": run.limit,
        "answer": asdict(chosen.answer),
    }
    return measure.report(sets, run, described)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ask:
    """A question that is put to the memory of a set."""

    of: AnswerSet
    question: AskedQuestion
    group: AnswerGroup


def _asked(sets: Mapping[Path, AnswerSet], path: Path) -> Iterator[_Ask]:
    """Return the questions to a set, and some of each other set that are in its languages."""
    one = sets[path]
    for question, group in unanswered_elsewhere(one, grouped(one.questions)):
        yield _Ask(of=one, question=question, group=group)
    languages = {detect_language(question.text) for question in one.questions}
    for other, some in sets.items():
        fitting = [
            question for question in some.questions if other != path and detect_language(question.text) in languages
        ]
        yield from (_Ask(of=one, question=question, group=AnswerGroup.FOREIGN) for question in fitting[:_FOREIGN])


def _answering(
    embedder: Embedder, settings: Settings, documents: int | None, asked: MeasuredSet[_Ask]
) -> Callable[[_Ask], MeasuredAnswer]:
    """Fill a memory with the documents of a set, and return what asks it."""
    store = asked.new_folder() / "store"
    memory = asked.stack.enter_context(Memory.open(store, namespace="answers", embedder=embedder, settings=settings))
    sources = _taken_in(memory, asked.cases, documents)

    def attempt(one: _Ask) -> MeasuredAnswer:
        answer = memory.answer(one.question.text, record=False)
        cited = {sources.get(id_) for id_ in answer.document_ids}
        measured = MeasuredAnswer(
            question=one.question,
            group=one.group,
            answer=answer,
            cites_evidence=one.group is AnswerGroup.ANSWERABLE and not cited.isdisjoint(one.question.documents),
        )
        asked.write(
            {
                "id": one.question.id,
                "group": one.group.value,
                "kind": answer.kind.value,
                "likelihood": answer.likelihood,
                "answer": answer.text,
                "holds": measured.holds_answer,
            }
        )
        return measured

    return attempt


def _first(one: AnswerSet, limit: int | None) -> AnswerSet:
    return replace(one, questions=tuple(sorted(one.questions, key=lambda question: _number(question.id))[:limit]))


def _number(name: str) -> int:
    """Return a number that is the same in every run."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big")


def grouped(questions: Sequence[AskedQuestion]) -> Iterator[tuple[AskedQuestion, AnswerGroup]]:
    """Sort questions by whether what answers them is taken in; those of which a part is are left out."""
    held = withheld(questions)
    for one in questions:
        if not held & one.documents:
            yield one, AnswerGroup.ANSWERABLE
        elif one.documents <= held:
            yield one, AnswerGroup.WITHHELD


def unanswered_elsewhere(
    one: AnswerSet, asked: Iterable[tuple[AskedQuestion, AnswerGroup]]
) -> Iterator[tuple[AskedQuestion, AnswerGroup]]:
    """Leave withheld questions out whose answer another document of a knowledge base says as well.

    In a corpus, the few words of an answer are in many documents that do not answer.
    """
    held = withheld(one.questions)
    stay = [each for each in one.documents if each.media_type is MediaType.MARKDOWN and each.source not in held]
    for question, group in asked:
        is_checked = group is AnswerGroup.WITHHELD and bool(question.wanted)
        if not is_checked or not any(question.is_answered_by(each.text) for each in stay):
            yield question, group


def withheld(questions: Sequence[AskedQuestion]) -> frozenset[str]:
    """Return the documents that are left out."""
    chosen = (one for one in questions if _number(f"withheld {min(one.documents)}") % _WITHHELD == 0)
    return frozenset(document for one in chosen for document in one.documents)


def _taken_in(memory: Memory, asked: Sequence[_Ask], most: int | None) -> dict[str, str]:
    """Add documents, and return by the id of each what it is called in its set."""
    if not asked:
        return {}
    one = asked[0].of
    left_out = withheld(one.questions)
    wanted = {source for ask in asked if ask.group is AnswerGroup.ANSWERABLE for source in ask.question.documents}
    others = [document for document in one.documents if document.source not in wanted | left_out][:most]
    taken = [*(document for document in one.documents if document.source in wanted), *others]
    found: dict[str, str] = {}
    for start in range(0, len(taken), _BATCH):
        added = memory.add(*taken[start : start + _BATCH]).documents
        found |= {each.document.id: each.document.source for each in added}
    return found


def figures(found: Sequence[MeasuredAnswer]) -> dict[str, float]:
    """Sum up; figures of a group that is empty are left out."""
    groups = {group: [one for one in found if one.group is group] for group in AnswerGroup}
    answerable = groups[AnswerGroup.ANSWERABLE]
    known = _likelihoods(answerable)
    metrics: dict[str, float] = {f"{group.value}_questions": len(some) for group, some in groups.items()}
    if answerable:
        metrics |= {
            "holds_answer": _share([one.holds_answer for one in answerable]),
            "cites_evidence": _share([one.cites_evidence for one in answerable]),
            "refused": _share([one.is_refused for one in answerable]),
            "characters": float(np.mean([len(one.answer.text) for one in answerable])),
        }
    for group in (AnswerGroup.FOREIGN, AnswerGroup.WITHHELD):
        if some := groups[group]:
            metrics[f"refused_{group.value}"] = _share([one.is_refused for one in some])
            if answerable:
                others = _likelihoods(some)
                least = {share: float(np.quantile(known, share / 100.0)) for share in _AT}
                refused = {share: _share([one < threshold for one in others]) for share, threshold in least.items()}
                at = {f"refused_{group.value}_at_{share}": figure for share, figure in refused.items()}
                metrics |= {f"auc_{group.value}": area(known, others), **at}
    return metrics


def area(above: Sequence[float], below: Sequence[float]) -> float:
    """Return how often one of the first is larger than one of the second, a tie counting half: the area under the ROC curve.

    >>> area([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    one, other = np.array(above)[:, np.newaxis], np.array(below)[np.newaxis]
    return float(((one > other) + 0.5 * (one == other)).mean())


def _likelihoods(found: Sequence[MeasuredAnswer]) -> list[float]:
    return [one.answer.likelihood or 0.0 for one in found]


def _share(values: Sequence[bool]) -> float:
    return float(np.mean(values))


_FORM = '{"type": "doc", …} and {"type": "q", …}, or of {"kind": "document", …} and {"kind": "question", …}'
_BLANKS = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"(?<=\w) (?=[,.)])|(?<=\() ")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question to a set of documents."""

    id: str  #: Its id.
    text: str  #: What is asked.
    documents: frozenset[str]  #: The sources of the documents that answer it together; at least one.
    #: What an answer holds: of each of these one wording; none if unstated.
    wanted: tuple[tuple[str, ...], ...] = ()

    def is_answered_by(self, text: str) -> bool:
        """Return whether a text holds all that is wanted; letters of another case or width are the same."""
        folded = _folded(text)
        return all(any(_folded(wording) in folded for wording in wordings) for wordings in self.wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSet:
    """Documents, and questions to them."""

    documents: tuple[SourceText, ...]  #: In their order.
    questions: tuple[AskedQuestion, ...]  #: Those of which a document that answers them is known.


def find_answer_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of such sets that the paths name, as ``find_sets`` does and raises."""
    return find_sets(paths, fits=lambda first: _kind(first) is not None, form=_FORM)


def read_answer_set(path: Path) -> AnswerSet:
    """Read a whole set; lines of other kinds are passed over.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form.
    """
    records = tuple(read_records(path))
    documents = (_document(record) for record in records if _kind(record) in {"doc", "document"})
    asked = (_question(record) for record in records if _kind(record) in {"q", "question"})
    return AnswerSet(
        documents=tuple(one for one in documents if one.text.strip()),
        questions=tuple(one for one in asked if one.documents),
    )


def _kind(record: Record) -> str | None:
    kind = record.fields.get("type", record.fields.get("kind"))
    return kind if kind in ("doc", "q", "document", "question") else None


def _document(record: Record) -> SourceText:
    return SourceText(
        source=record.name("id"),
        text=record.text("good" if isinstance(record.fields.get("good"), str) else "text"),
        title=record.optional_name("title") or "",
        media_type=MediaType.MARKDOWN if "kind" in record.fields else MediaType.PLAIN,
    )


def _question(record: Record) -> AskedQuestion:
    documents = (record.name("document"),) if "kind" in record.fields else record.names("gold")
    return AskedQuestion(
        id=record.name("id"), text=record.text("text"), documents=frozenset(documents), wanted=record.wordings("answer")
    )


def _folded(text: str) -> str:
    return _BEFORE_MARK.sub("", _BLANKS.sub(" ", unicodedata.normalize("NFKC", text).casefold()))
