"""Memories, and questions of which is known whether the memory holds what they ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from evolore.domain.episode import Statement
from evolore.text.scripts import detect_language
from evolore_evaluation.answers import AnswerGroup, find_answer_sets, grouped, read_answer_set
from evolore_evaluation.records import set_name
from evolore_evaluation.retrieval_sets import find_retrieval_sets, read_collections
from evolore_evaluation.staleness import STALENESS_SETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evolore.ports import SourceText
    from evolore_evaluation.answers import AnswerSet, AskedQuestion
    from evolore_evaluation.retrieval_sets import Collection, Question
    from evolore_evaluation.staleness import StalenessCase

Asked = tuple[str, AnswerGroup]

QUESTIONS = 150
DOCUMENTS = 600
CASES_TOGETHER = 30
TURNS_ASKED, TURNS_ADVERSE = 50, 25
FOREIGN = 60
ADVERSARIAL = "adversarial"
WITHHELD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A memory and what it is asked.

    Args:
        name: The set it comes from.
        family: What was written by one hand; the sets of a family are left out together.
        documents: What it takes in.
        statements: What it is told.
        asked: Questions.
    """

    name: str
    family: str
    documents: tuple[SourceText, ...] = ()
    statements: tuple[Statement, ...] = ()
    asked: tuple[Asked, ...]


def number(name: str) -> int:
    """Give a number that is the same in every run."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big")


def read_trials(bases: Path, cases: Path, others: Sequence[Path]) -> tuple[Trial, ...]:
    """Read knowledge bases, cases of staleness, and other corpora and memories, with foreign questions put to each."""
    trials = [trial for path in find_answer_sets([bases]) for trial in _of_base(path)]
    trials += _of_cases([case for path in sorted(cases.glob("*.jsonl")) for case in STALENESS_SETS.read(path)])
    for path in find_retrieval_sets(others) if others else ():
        first = read_collections(path)[0]
        trials += _of_corpus(path) if first.id is None else _of_memories(path)
    return tuple(_with_foreign(trials))


def _with_foreign(trials: Sequence[Trial]) -> Iterator[Trial]:
    pools: dict[str, list[tuple[str, str]]] = {}
    for trial in trials:
        for text, group in trial.asked:
            if group is AnswerGroup.ANSWERABLE:
                pools.setdefault(detect_language(text).value, []).append((trial.family, text))
    left = {trial.name: FOREIGN for trial in trials}
    for trial in trials:
        languages = {detect_language(text).value for text, _ in trial.asked}
        pool = [text for one in sorted(languages) for family, text in pools.get(one, []) if family != trial.family]
        count = min(left[trial.name], len(trial.asked))
        left[trial.name] -= count
        chosen = sorted(pool, key=lambda text, of=trial: number(f"{of.name} {text}"))[:count]
        yield replace(trial, asked=(*trial.asked, *((text, AnswerGroup.FOREIGN) for text in chosen)))


def _of_base(path: Path) -> Iterator[Trial]:
    one, name = read_answer_set(path), f"{path.parent.name}_{set_name(path)}"
    kept = tuple(document for document in one.documents if number(f"left out {document.source}") % WITHHELD)
    yield Trial(name=name, family=path.parent.name, documents=kept, asked=tuple(_told(one, kept, one.documents)))
    cut = tuple(replace(document, text=_cut(document)) for document in one.documents)
    told = (each for each in _told(one, cut, one.documents) if each[1] is AnswerGroup.WITHHELD)
    yield Trial(name=name, family=path.parent.name, documents=cut, asked=tuple(told))


def _sections(document: SourceText) -> list[str]:
    return [f"## {part}" for part in f"\n{document.text}".split("\n## ")]


def _cut(document: SourceText) -> str:
    first, *rest = _sections(document)
    return "\n".join([first[len("## ") :], *(part for part in rest if number(part) % WITHHELD)])


def _told(one: AnswerSet, kept: Sequence[SourceText], every: Sequence[SourceText]) -> Iterator[Asked]:
    """Say of each question whether a section that stays answers it, or one that is gone does."""
    stay = [part for document in kept for part in _sections(document)]
    own = {document.source: document for document in kept}
    whole = {document.source: document for document in every}
    for question in one.questions:
        source = next(iter(question.documents))
        here = _sections(own[source]) if source in own else []
        if _answers(here, question):
            yield question.text, AnswerGroup.ANSWERABLE
        elif not _answers(stay, question) and _answers(_sections(whole[source]), question):
            yield question.text, AnswerGroup.WITHHELD


def _answers(parts: Sequence[str], question: AskedQuestion) -> bool:
    return any(question.is_answered_by(part) for part in parts)


def _of_corpus(path: Path) -> Iterator[Trial]:
    one, name = read_answer_set(path), set_name(path)
    questions = sorted(one.questions, key=lambda question: number(question.id))[:QUESTIONS]
    asked = [(question, group) for question, group in grouped(questions)]
    there = {each for question, group in asked if group is AnswerGroup.ANSWERABLE for each in question.documents}
    gone = {each for question in questions for each in question.documents} - there
    others = [document for document in one.documents if document.source not in there | gone][:DOCUMENTS]
    documents = (*(document for document in one.documents if document.source in there), *others)
    yield Trial(name=name, family=name, documents=documents, asked=tuple((each.text, group) for each, group in asked))


def _of_memories(path: Path) -> Iterator[Trial]:
    for one in read_collections(path):
        chosen = sorted(one.questions, key=lambda question: number(question.id))
        adverse = [question for question in chosen if question.category == ADVERSARIAL][:TURNS_ADVERSE]
        if adverse:
            yield _of_memory(set_name(path), one, chosen, adverse)


def _of_memory(name: str, one: Collection, chosen: Sequence[Question], adverse: Sequence[Question]) -> Trial:
    """Take in a conversation: what is asked of the wrong person is withheld."""
    told = [question for question in chosen if question.category != ADVERSARIAL][:TURNS_ASKED]
    said = tuple(item.content for item in one.items if isinstance(item.content, Statement))
    asked = [(question.query.text, AnswerGroup.ANSWERABLE) for question in told]
    asked += [(question.query.text, AnswerGroup.WITHHELD) for question in adverse]
    return Trial(name=name, family=name, statements=said, asked=tuple(asked))


def _of_cases(cases: Sequence[StalenessCase]) -> Iterator[Trial]:
    seen = sorted((case for case in cases if not case.is_blind), key=lambda case: number(case.id))
    for language in sorted({case.language for case in seen}):
        own = [case for case in seen if case.language == language]
        for start in range(0, len(own), CASES_TOGETHER):
            yield _of_some(f"staleness_{language}", own[start : start + CASES_TOGETHER])


def _of_some(name: str, cases: Sequence[StalenessCase]) -> Trial:
    statements: list[Statement] = []
    asked: list[Asked] = []
    for case in cases:
        is_gone = not number(f"left out {case.id}") % WITHHELD
        gone = case.worse | {case.better} if is_gone else frozenset[str]()
        statements += [replace(said, session=None) for id_, said in case.items if id_ not in gone]
        asked.append((case.query.text, AnswerGroup.WITHHELD if is_gone else AnswerGroup.ANSWERABLE))
    return Trial(name=name, family="staleness", statements=tuple(statements), asked=tuple(asked))
