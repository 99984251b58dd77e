"""Ways to improve documents of a planted knowledge base, all from the same replayed ratings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.evolution import JobState
from evolore.domain.outcome import Rating
from evolore.evolution.hashing import hashed_share
from evolore.evolution.matches import Tally
from evolore.evolution.settings import SelectionMode
from evolore.flows.evolve.show import CandidateView, EvolutionJob
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.ports import ChatModel, Embedder, SourceText
from evolore_evaluation.reports import Json
from planted.figures import ArmOutcome, ComparedQuestion, Loss, Tried, history_of
from planted.scripted_model import ScriptedModel, ScriptedRates
from planted.scripted_reader import Knowledge, Way, is_as_it_should_be
from planted.sets import PlantedBase, PlantedDocument, PlantedQuestion, PlantedRating

_TRIES = 6
_MOST_JOBS = 10_000
_WINNER = "winner"
_CAREFUL = "a careful person"


class Arms:
    """One knowledge base, replayed once and let improve in several ways."""

    def __init__(self, stores: Stores, base: PlantedBase, rates: ScriptedRates, *, limit: int | None = None) -> None:
        self._stores = stores
        self._base = base
        self._rates = rates
        self._documents = base.documents[:limit]
        ids = {one.id for one in self._documents}
        self._questions = tuple(one for one in base.questions if one.document in ids)
        self._ratings = tuple(one for one in base.ratings if one.document in ids)
        self._before: dict[str, Marks] = {}
        self._history = b""
        self.lines: list[dict[str, Json]] = []
        """What was reported of each job."""

    def replay(self, store: Path) -> None:
        """Add the documents, ask all before anything is known, and let people ask and rate."""
        with closing(self._stores.open(store, day=0)) as memory:
            ids = take_in(memory, self._base)
            self._before = marked(memory, self._base, self._questions, {}, ())
            ask_past(memory, self._past())
            rate(memory, self._base, self._ratings, ids)

    def evolved(self, store: Path) -> dict[str, ArmOutcome]:
        """Evolve documents; what is proved is approved, and then a careful person looks at the rest."""
        model = self._model()
        jobs = self._evolve(store, model, self._stores.settings)
        with closing(self._stores.open(store, day=3)) as memory:
            self._history = history_of(memory)
            promoted = {one.id for one in jobs if one.decision == _WINNER and _approve(memory, one)}
            proved = self._outcome(memory, jobs, promoted, model)
            promoted |= {one.id for one in jobs if self._is_good(one) and _approve(memory, one)}
            with_person = self._outcome(memory, jobs, promoted, model)
        self.lines += [self._line(one, promoted, model) for one in jobs]
        return {"evolved": proved, "with_person": with_person}

    def has_same_history(self, store: Path) -> bool:
        """Return whether a store in which the same was replayed comes to the history that documents evolved by, step for step."""
        self._evolve(store, self._model(), self._stores.settings)
        with closing(self._stores.open(store, day=3)) as memory:
            return history_of(memory) == self._history

    def seed_rule(self, store: Path) -> ArmOutcome:
        """Evolve documents by the seed's rule: a win rate of 0.6 on five questions, and no proof on fresh ones."""
        settings = self._stores.settings
        by_seed = settings.model_copy(update={"evolution": replace(settings.evolution, mode=SelectionMode.SEED)})
        return self._proved(store, by_seed)

    def free_rewrite(self, store: Path) -> ArmOutcome:
        """Accept the first thing that the writer writes for every document that enough people complained of."""
        model, tried = self._model(), list[Tried]()
        with closing(self._stores.open(store, day=2)) as memory:
            for document in self._documents:
                complaints = [one for one in self._base.ratings_of(document.id) if one.rating.value == "bad"]
                least = self._stores.settings.evolution.bad_feedback_threshold
                if len({one.principal for one in complaints}) < least:
                    continue
                written = model.rewrite(document, [one.comment for one in complaints])
                text, way = (None, None) if written is None else written
                if text is not None:
                    memory.add_text(text, source=document.source, title=document.title, media_type=MediaType.MARKDOWN)
                tried.append(
                    Tried(
                        document=document,
                        decision="" if text is None else _WINNER,
                        calls=1,
                        proposed=() if way is None else (way,),
                        stood=() if way is None else (way,),
                        put=text,
                        promoted=text,
                        way=way,
                        comments=self._poison(document),
                    )
                )
            return self._told(memory, tried)

    def with_ratings(self, store: Path, count: int) -> ArmOutcome:
        """Evolve documents that have so many ratings each."""
        with closing(self._stores.open(store, day=0)) as memory:
            ids = take_in(memory, self._base)
            ask_past(memory, self._past())
            for document in self._documents:
                asked = [one for one in self._past() if one.document == document.id]
                rate_up_to(memory, self._base, document, ids, count=count, asked=asked)
        return self._proved(store, self._stores.settings)

    def _proved(self, store: Path, settings: Settings) -> ArmOutcome:
        """Evolve documents, and approve what is proved."""
        model = self._model()
        jobs = self._evolve(store, model, settings)
        with closing(self._stores.open(store, day=3)) as memory:
            promoted = {one.id for one in jobs if one.decision == _WINNER and _approve(memory, one)}
            return self._outcome(memory, jobs, promoted, model)

    def _model(self) -> ScriptedModel:
        return ScriptedModel(Knowledge(base=self._base), self._rates, seed=self._stores.seed)

    def _past(self) -> list[PlantedQuestion]:
        return [one for one in self._questions if self._stores.is_past(self._base, one)]

    def _evolve(self, store: Path, model: ScriptedModel, settings: Settings) -> list[EvolutionJob]:
        """Go on until there is nothing to do, or a job pauses again and again."""
        with closing(self._stores.open(store, day=2, chat_model=model, settings=settings)) as memory:
            for _ in range(_TRIES):
                if not memory.evolve(seed=self._stores.seed):
                    break
            return list(reversed(memory.evolution.jobs(limit=_MOST_JOBS)))

    def _is_good(self, job: EvolutionJob) -> bool:
        chosen, document = job.candidate(), self._document(job)
        is_open = job.decision == "needs_person" and job.state is JobState.WAITING
        return is_open and chosen is not None and is_as_it_should_be(document, chosen.texts[0].text)

    def _document(self, job: EvolutionJob) -> PlantedDocument:
        source = job.documents[0].source
        return next(one for one in self._base.documents if one.source == source)

    def _outcome(
        self, memory: Memory, jobs: Sequence[EvolutionJob], promoted: set[str], model: ScriptedModel
    ) -> ArmOutcome:
        return self._told(memory, [self._tried(one, one.id in promoted, model) for one in jobs])

    def _told(self, memory: Memory, tried: Sequence[Tried]) -> ArmOutcome:
        changed = {one.document.id for one in tried if one.promoted is not None}
        after = marked(memory, self._base, self._questions, self._before, changed)
        asked = [
            ComparedQuestion(
                question=one,
                document=self._base.by_id[one.document],
                is_held_out=self._stores.is_held_out(self._base, one),
                before=self._before[one.id],
                after=after[one.id],
            )
            for one in self._questions
        ]
        return ArmOutcome(asked=tuple(asked), tried=tuple(tried), documents=tuple(self._documents))

    def _tried(self, job: EvolutionJob, is_promoted: bool, model: ScriptedModel) -> Tried:  # noqa: FBT001 - private
        document, chosen = self._document(job), job.candidate()
        ways = {one.id: model.way_of(one) for one in job.candidates}
        return Tried(
            document=document,
            decision=job.decision,
            calls=job.usage.calls,
            tokens=job.usage.tokens,
            proposed=tuple(way for way in ways.values() if way is not None),
            stood=tuple(way for one in job.candidates if not one.refusals and (way := ways[one.id]) is not None),
            put=None if chosen is None else chosen.texts[0].text,
            doubts=0 if chosen is None else len(chosen.doubts),
            promoted=chosen.texts[0].text if is_promoted and chosen is not None else None,
            way=ways.get(chosen.id) if chosen is not None else None,
            comments=self._poison(document),
            lost_at=max(
                (_loss(one, job) for one in job.candidates if ways[one.id] is Way.MENDED),
                default=Loss.NO_EVIDENCE if document.id in model.writer.lacking else Loss.NO_CANDIDATE,
            ),
        )

    def _poison(self, document: PlantedDocument) -> tuple[str, ...]:
        ratings = self._base.ratings_of(document.id)
        return tuple(dict.fromkeys(one.comment for one in ratings if one.is_poisoned and one.comment))

    def _line(self, job: EvolutionJob, promoted: set[str], model: ScriptedModel) -> dict[str, Json]:
        document = self._document(job)
        return {
            "document": document.id,
            "defect": document.defect,
            "decision": job.decision,
            "reason": job.reason,
            "promoted": job.id in promoted,
            "candidate": job.candidate_id,
            "calls": job.usage.calls,
            "skipped": [f"{operator.value}: {reason}" for operator, reason in job.skipped],
            "candidates": [_candidate_line(one, model) for one in job.candidates],
            "stopped": job.stopped,
            "lost_at": self._tried(job, job.id in promoted, model).lost_at.name.lower(),
            "lacks_evidence": document.id in model.writer.lacking,
        }


def _loss(one: CandidateView, job: EvolutionJob) -> Loss:
    """Return how far a candidate that mends came."""
    if one.refusals:
        return Loss.GATE
    if one.id != job.candidate_id:
        return Loss.JUDGE
    if one.proof is None:
        return Loss.PERSON
    return Loss.PROOF if one.proof.matches else Loss.UNFIT


def _candidate_line(one: CandidateView, model: ScriptedModel) -> dict[str, Json]:
    way, result = model.way_of(one), one.result
    tallies: dict[str, Tally] = {}
    if result is not None:
        tallies = {name: getattr(result, name) for name in ("screen", "confirm", "complaints", "regression")}
    return {
        "id": one.id,
        "operator": one.operator.value,
        "way": None if way is None else way.value,
        "refusals": list(one.refusals),
        "doubts": list(one.doubts),
        "fate": None if result is None else result.fate.value,
        "proof": None if one.proof is None else one.proof.reason,
        "proof_matches": [
            [each.question.text, [*each.original], [*each.candidate]]
            for each in (one.proof.matches if one.proof else ())
        ],
        "lost": [] if result is None else [str(each) for each in result.lost],
        **{name: [float(one.wins), float(one.losses), float(one.played)] for name, one in tallies.items()},
    }


def _approve(memory: Memory, job: EvolutionJob) -> bool:
    return memory.evolution.approve(job.id, principal=_CAREFUL).promotion is not None


_BEGINS = datetime(2026, 11, 1, 9, tzinfo=UTC)
_STEP = timedelta(milliseconds=5)
_ASKERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Whether a question was answered well."""

    own: bool  #: From its own document.
    whole: bool  #: From the whole memory.


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """Opens the stores that one set is replayed in."""

    embedder: Embedder  #: What makes vectors.
    settings: Settings  #: The settings at work.
    seed: str  #: What everything drawn is drawn from.
    past_share: float  #: Which share of the questions that no rating refers to was asked before.

    def open(
        self, path: Path, *, day: int, chat_model: ChatModel | None = None, settings: Settings | None = None
    ) -> Memory:
        """Open a store on some day of the replay."""
        return Memory.open(
            path,
            namespace="evolution",
            embedder=self.embedder,
            chat_model=chat_model,
            clock=SteppingClock(_BEGINS + timedelta(days=day), step=_STEP),
            settings=settings or self.settings,
        )

    def is_past(self, base: PlantedBase, question: PlantedQuestion) -> bool:
        """Return whether people asked a question before anything was rewritten, and rated no answer to it."""
        if question.id in base.rated:
            return False
        return hashed_share("evolore.past", self.seed, question.id) < self.past_share

    def is_held_out(self, base: PlantedBase, question: PlantedQuestion) -> bool:
        """Return whether the memory never saw a question before it is measured by it."""
        return question.id not in base.rated and not self.is_past(base, question)


def take_in(memory: Memory, base: PlantedBase) -> dict[str, str]:
    """Add the documents; return their ids in the memory by those in the set."""
    added = memory.add(
        *(
            SourceText(source=one.source, text=one.text, title=one.title, media_type=MediaType.MARKDOWN)
            for one in base.documents
        )
    )
    return {one.id: done.document.id for one, done in zip(base.documents, added.documents, strict=True)}


def ask_past(memory: Memory, questions: Iterable[PlantedQuestion]) -> None:
    """Ask questions for people who do not rate the answers."""
    for place, question in enumerate(questions):
        memory.answer(question.text, principal=f"asker-{place % _ASKERS}")


def rate(memory: Memory, base: PlantedBase, ratings: Iterable[PlantedRating], ids: Mapping[str, str]) -> int:
    """Ask and rate for people; return how many could rate the answer, since it rests on the document.

    Who sees an answer that rests on other documents alone says of the document itself what they have to say.
    """
    on_answers = 0
    for one in ratings:
        answer = memory.answer(base.question_by_id[one.question].text, principal=one.principal)
        document = ids[one.document]
        rests_on_it = document in answer.document_ids
        on_answers += rests_on_it
        item = answer.id if rests_on_it else document
        memory.rate(item, one.rating, comment=one.comment or None, principal=one.principal)
    return on_answers


def rate_up_to(
    memory: Memory,
    base: PlantedBase,
    document: PlantedDocument,
    ids: Mapping[str, str],
    *,
    count: int,
    asked: Sequence[PlantedQuestion],
) -> None:
    """Rate for people until a document has so many ratings: first those of the set, then others on what was asked before."""
    listed = base.ratings_of(document.id)[:count]
    rate(memory, base, listed, ids)
    more = asked or base.questions_of(document.id)
    for number in range(count - len(listed)):
        question = more[number % len(more)] if more else None
        if question is None:
            return
        answer = memory.answer(question.text, principal=f"rater-{number}")
        rating = Rating.GOOD if question.is_answered_by(answer.text) else Rating.BAD
        item = answer.id if ids[document.id] in answer.document_ids else ids[document.id]
        memory.rate(item, rating, principal=f"rater-{number}")


def marked(
    memory: Memory,
    base: PlantedBase,
    questions: Iterable[PlantedQuestion],
    known: Mapping[str, Marks],
    changed: Collection[str],
) -> dict[str, Marks]:
    """Ask questions without a chat model and take nothing down: of their own document, and of all."""
    if known and not changed:
        return dict(known)
    found: dict[str, Marks] = {}
    for one in questions:
        is_known = one.id in known and one.document not in changed
        source = base.by_id[one.document].source
        own = known[one.id].own if is_known else one.is_answered_by(_answer(memory, one, source))
        found[one.id] = Marks(own=own, whole=one.is_answered_by(_answer(memory, one)))
    return found


def _answer(memory: Memory, question: PlantedQuestion, source: str | None = None) -> str:
    return memory.answer(question.text, source=source, record=False).text


def extracting(settings: Settings) -> Settings:
    """Return settings by which ``answer`` asks no chat model and always quotes, so that what is measured is the documents."""
    return settings.model_copy(update={"answer": replace(settings.answer, chat_calls=0, least_likelihood=0.0)})
