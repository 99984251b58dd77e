"""The demo of evolution: complaints about a small knowledge base become a proved rewrite, with a scripted model, offline."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from evolore import config
from evolore.answers.settings import AnswerSettings
from evolore.chunking.settings import ChunkSettings, TierSettings
from evolore.domain.chat import ChatSettings
from evolore.domain.evolution import Promotion
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.domain.result import Result
from evolore.episodes.settings import EpisodeSettings, IntegrationSettings
from evolore.errors import InvalidValue
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.evolve.show import EvolutionJob
from evolore.memory import Memory
from evolore.models.offline_chat import ScriptedChatModel
from evolore.queries.settings import QuerySettings
from evolore_evaluation.evolution.demo_model import DemoBase, DemoRating

LANGUAGES = (Language.EN, Language.JA, Language.ZH)
"""The languages in which there are demo documents."""

_OWN_SETTINGS = {
    "answer": AnswerSettings(chat_calls=0),  # what a document says is seen best where no model writes the answer
    "chat": ChatSettings(),
    "chunking": ChunkSettings(),
    "tiers": TierSettings(),
    "tokenizer": None,
    "reranker": None,
    "read_only": False,
    "episodes": EpisodeSettings(),
    "integration": IntegrationSettings(),
    "queries": QuerySettings(),
    "evolution": EvolutionSettings(),
}
"""The demo goes by the defaults, not by the user's settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStep(Result):
    """One step of the loop."""

    name: str  #: What it is.
    command: str  #: What one would type for it; empty for none.
    told: tuple[str, ...]  #: What it did, a line each.


def play_evolution(*, store: Path | None = None, language: Language | str = Language.EN) -> Iterator[DemoStep]:
    """Play the loop of evolution on demo documents, and report each step when it is done, without network.

    Args:
        store: A folder that is not there yet, in which the memory is kept, with the documents beside it in another whose
            name ends in ``-documents``; by default both are thrown away.
        language: What the documents are written in: ``"en"``, ``"ja"`` or ``"zh"``.

    Raises:
        InvalidValue: There are no demo documents in the language, or the folder is there already.
    """
    if language not in LANGUAGES:
        raise InvalidValue(f"{str(language)!r} has no demo documents: give one of {', '.join(LANGUAGES)}.")
    base = DemoBase(Language(language))
    with _places(store) as (kept, folder):
        settings = config.load().model_copy(update=_OWN_SETTINGS)
        model = ScriptedChatModel([base.reply])
        with Memory.open(kept, namespace="default", embedder="use", chat_model=model, settings=settings) as memory:
            yield from _Play(memory, base, folder).steps()


@contextmanager
def _places(store: Path | None) -> Generator[tuple[Path, Path]]:
    """Return where the memory is kept and where the documents are, for the length of a block where nothing is to stay."""
    if store is None:
        with TemporaryDirectory(prefix="evolore-demo-") as folder:
            yield Path(folder) / "memory.evolore", Path(folder) / "documents"
        return
    documents = store.with_name(f"{store.name}-documents")
    for one in (store, documents):
        if one.exists():
            raise InvalidValue(
                f"{one} is there already: name a folder that is not, so that the demo changes nothing of yours."
            )
    yield store, documents


class _Play:
    """Plays the loop on an empty memory."""

    def __init__(self, memory: Memory, base: DemoBase, folder: Path) -> None:
        self._memory = memory
        self._base = base
        self._folder = folder
        self._bad = [one for one in base.ratings if one.rating is Rating.BAD]
        self._questions = {one.id: one.text for one in base.questions}
        self._asked = self._questions[self._bad[0].question]
        self._source = next(one.source for one in base.documents if one.id == self._bad[0].document)

    def steps(self) -> Iterator[DemoStep]:
        """Play one step after the other."""
        yield self._add()
        yield self._ask("ask", self._asked)
        rated = [self._rated(one) for one in self._base.ratings]
        yield DemoStep(name="rate", command="evolore rate ANSWER bad --comment …", told=tuple(rated))
        yield DemoStep(name="what is open", command="evolore evolution stats", told=tuple(self._open()))
        (job,) = self._memory.evolve()
        yield DemoStep(name="evolve", command="evolore evolve", told=tuple(self._evolved(job)))
        yield DemoStep(name="the proof", command=f"evolore evolution show {job.id}", told=tuple(_proof(job)))
        (diff,) = self._memory.evolution.diff(job.id)
        changed = tuple(line for line in diff.lines[2:] if line[:1] in "+-")
        yield DemoStep(name="the difference", command=f"evolore evolution diff {job.id}", told=changed)
        promotion = self._memory.evolution.approve(job.id, reason="The bulletin says so.", principal="desk").promotion
        assert promotion is not None
        versions = [f"{self._source} is at version {one.after} now" for one in promotion.documents]
        yield DemoStep(name="approve", command=f"evolore evolution approve {job.id}", told=tuple(versions))
        yield self._ask("ask again", self._asked)
        yield self._roll_back(promotion)
        yield self._ask("and once more", self._asked)

    def _add(self) -> DemoStep:
        for one in self._base.documents:
            path = self._folder / one.source
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one.text, encoding="utf-8")
        added = self._memory.add(self._folder).documents
        told = [f"{Path(one.document.source).name}: {one.document.title}" for one in added]
        return DemoStep(name="add", command="evolore add documents", told=tuple(told))

    def _ask(self, name: str, question: str) -> DemoStep:
        answer = self._memory.answer(question, record=False)
        cited = ", ".join(dict.fromkeys(f"[{one.number}] {Path(one.source).name}" for one in answer.citations))
        return DemoStep(
            name=name, command=f'evolore answer "{question}"', told=(question, *answer.text.splitlines(), cited)
        )

    def _rated(self, one: DemoRating) -> str:
        question = self._questions[one.question]
        answer = self._memory.answer(question, principal=one.principal)
        self._memory.rate(answer.id, one.rating, comment=one.comment or None, principal=one.principal)
        why = f" “{one.comment}”" if one.comment else ""
        return f"{one.principal} asks: {question} {one.rating.value.upper()}{why}"

    def _open(self) -> Iterator[str]:
        found = self._memory.evolution.stats()
        yield f"{found.bad} BAD and {found.good} GOOD; from {found.threshold} people on, a document is taken up"
        for id_ in found.eligible_document_ids:
            yield f"taken up next: {Path(getattr(self._memory.show(id_), 'source', '')).name}"

    def _evolved(self, job: EvolutionJob) -> Iterator[str]:
        yield f"a job about {self._source} read what people complained of and what is newer in the memory"
        for one in job.candidates:
            for edit in (edit for some in one.edits for edit in some):
                yield f"candidate {one.id}, {one.operator.value}: {edit.kind.value} {edit.place}"
            yield from (f"the gates note: {doubt}" for doubt in one.doubts)
        yield f"{job.decision.replace('_', ' ')}: {job.reason}; {job.usage.calls} calls of the scripted model"

    def _roll_back(self, promotion: Promotion) -> DemoStep:
        done = self._memory.evolution.rollback(promotion.id, reason="Only to show it.", principal="desk")
        told = [f"{self._source} says again what version {one.before} said" for one in done.promotion.documents]
        told.append(f"{len(done.reopened)} complaints are open again")
        command = f"evolore evolution rollback {promotion.id} --reason …"
        return DemoStep(name="roll back", command=command, told=tuple(told))


def _proof(job: EvolutionJob) -> Iterator[str]:
    """Explain by what the candidate is proved: as a correction by its evidence, else by its matches."""
    chosen = job.candidate()
    if chosen is not None and chosen.proof is not None:
        reworded = sum(one.question.is_reworded for one in chosen.proof.matches)
        won = sum(one.is_won for one in chosen.proof.matches)
        yield f"{len(chosen.proof.matches) - reworded} questions that people complained of, and {reworded} rewordings of them"
        yield "each was answered from the old text and from the new one, and both answers held against the evidence, twice"
        yield f"the new one says what the evidence says and the old one does not in {won} of {len(chosen.proof.matches)}"
    elif chosen is not None and chosen.result is not None:
        confirm = chosen.result.confirm
        yield f"fresh questions: {confirm.wins} won, {confirm.losses} lost, {confirm.ties} tied"
