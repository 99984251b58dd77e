"""What a search may ask for on behalf of a job: rewrites of sections, and how they do with the job's train questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from evolore.domain.chats import ChatFailure
from evolore.domain.judging import Order, Side, Verdict
from evolore.domain.lineage import Operator
from evolore.domain.searching import AS_GOOD, SearchTrace
from evolore.evolution.edits import place_of
from evolore.evolution.gate_settings import GateSettings
from evolore.evolution.job import JobCandidate
from evolore.evolution.questions import words_of
from evolore.evolution.reflecting import SearchHistory
from evolore.flows.answering_text import TextQuestion, answer_text
from evolore.flows.evolving.desk import is_pausing
from evolore.flows.evolving.gating import gated
from evolore.flows.evolving.search_drafts import Drafts
from evolore.flows.matches import Pair, judge_pairs
from evolore.flows.proposing import NoProposal
from evolore.flows.reflecting import ReflectionPlan, reflect
from evolore.flows.sentence_likeness import similar_by
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evolore.domain.judging import JudgeReply
    from evolore.domain.proposing import DocumentText
    from evolore.evolution.writing import Written
    from evolore.flows.evolving.desk import Desk
    from evolore.flows.evolving.search_drafts import Draft
    from evolore.text.sections import Section

Given = TypeVar("Given")
_BETTER, _WORSE = 1.0, 0.0
_FEEDBACK = {
    _BETTER: "It answers better than the document did before any rewriting.",
    AS_GOOD: "It answers no better than the document did before any rewriting.",
    _WORSE: "It answers worse than the document did before any rewriting.",
}


class SectionTask:
    """A job's document as a search sees it: texts by section, questions, and what may be asked about them.

    It knows the train questions alone, asks through the job's asker, and once a call fails asks nothing more.

    Args:
        desk: Where the job is worked on.
        document: What is rewritten.
        shown: The sections that may be.
    """

    def __init__(self, desk: Desk, document: DocumentText, shown: Sequence[Section]) -> None:
        self._desk = desk
        self._document = document
        self._failure: Exception | None = None
        self._before: dict[str, str | None] = {}
        self._asked = 0
        self.texts = {place_of(one): one.text for one in shown}
        self.drafts = Drafts(document, shown)
        self.reason = "nothing_to_improve"

    @property
    def is_over(self) -> bool:
        """Whether a call failed, or something of ours did: nothing is asked after that."""
        return self._failure is not None or any(map(is_pausing, self._desk.asker.failures))

    def raise_failure(self) -> None:
        """Raise what failed of ours while a library that catches everything was at work; nothing where nothing did."""
        if self._failure is not None:
            raise self._failure

    def score(self, texts: Mapping[str, str], questions: Sequence[str]) -> tuple[SearchTrace, ...]:
        """Say how texts do, in the order of the questions."""
        nothing = tuple(SearchTrace(question=one, score=_WORSE) for one in questions)
        return nothing if self.is_over else self._kept(lambda: self._scored(self.drafts.of(texts), questions), nothing)

    def rewrite(self, texts: Mapping[str, str], traces: Sequence[SearchTrace]) -> Mapping[str, str]:
        """Give other texts in place of some, by how they did; none where nothing could be made of it."""
        return {} if self.is_over else self._kept(lambda: self._rewritten(self.drafts.of(texts), traces), {})

    def _kept(self, do: Callable[[], Given], otherwise: Given) -> Given:
        """Do something for a library that would catch what it raises."""
        try:
            return do()
        except Exception as error:  # noqa: BLE001 - raised again behind the library
            self._failure = error
            return otherwise

    def _rewritten(self, parent: Draft, traces: Sequence[SearchTrace]) -> dict[str, str]:
        job = self._desk.job
        assert job.plan is not None
        assert job.settings is not None
        plan = ReflectionPlan(
            document=replace(self._document, text=parent.proposed.text),
            places=self.texts.keys(),
            history=SearchHistory(tried=tuple(traces), earlier=self.drafts.earlier),
            complaints=job.plan.complaints,
            evidence=job.plan.evidence,
            seed=self._desk.seed + self._asked,
        )
        self._asked += 1
        read = reflect(self._desk.asker, plan, settings=job.settings.writing)
        reason = read.reason if isinstance(read, NoProposal) else self._too_many(parent, read)
        if isinstance(read, NoProposal) or reason:
            self.reason = reason
            return {}
        self.drafts.learn(read.edits, parent)
        return {one.place: one.text for one in read.edits}

    def _too_many(self, parent: Draft, read: Written) -> str:
        """Say that too many sections are rewritten by now; nothing where not."""
        assert self._desk.job.settings is not None
        sections = len(read_sections(self._document.text, media_type=self._document.media_type))
        touched = len({one.place for one in (*parent.edits, *read.edits)})
        most = self._desk.job.settings.writing.most_sections(sections)
        return f"Rewrites touch {touched} of {sections} sections by now, and {most} may be." if touched > most else ""

    def _scored(self, draft: Draft, questions: Sequence[str]) -> tuple[SearchTrace, ...]:
        if draft.refusals is None:
            draft.refusals = self._refusals(draft) if draft.edits else ()
        left = [one for one in dict.fromkeys(questions) if one not in draft.traces]
        if draft.refusals:
            told = f"A gate refused the whole rewrite: {'; '.join(draft.refusals)}"
            return tuple(SearchTrace(question=one, score=_WORSE, feedback=told) for one in questions)
        if left:
            draft.traces.update(zip(left, self._tried(draft, left), strict=True))
        return tuple(draft.traces[one] for one in questions)

    def _refusals(self, draft: Draft) -> tuple[str, ...]:
        """Say what the free gates have against a draft, before anybody is asked about it."""
        job = self._desk.job
        candidate = JobCandidate(
            id=str(len(job.candidates) + 1),
            operator=Operator.MUTATION_REFLECTION,
            texts=(draft.proposed,),
            edits=(draft.edits,),
        )
        similar = similar_by(self._desk.context.embedder)
        body = gated(job, candidate, [self._document], settings=GateSettings(), similar=similar)
        refusals = body["refusals"]
        assert isinstance(refusals, list)
        return tuple(map(str, refusals))  # pyright: ignore[reportUnknownArgumentType]

    def _tried(self, draft: Draft, questions: Sequence[str]) -> list[SearchTrace]:
        before = self._answers_before(questions)
        if not draft.edits:
            return [
                SearchTrace(question=one, score=AS_GOOD, answer=said or "", feedback=self._complaint(one))
                for one, said in zip(questions, before, strict=True)
            ]
        after = self._answers(questions, draft.proposed.text)
        scores = self._scores(questions, before, after)
        return [
            SearchTrace(question=one, score=score, answer=said or "", feedback=_FEEDBACK[score])
            for one, said, score in zip(questions, after, scores, strict=True)
        ]

    def _complaint(self, question: str) -> str:
        assert self._desk.job.plan is not None
        said = [one.comment for one in self._desk.job.plan.complaints if one.question == question and one.comment]
        return f"People rated this answer bad{': ' if said else '.'}{'; '.join(said)}"

    def _answers_before(self, questions: Sequence[str]) -> list[str | None]:
        left = [one for one in questions if one not in self._before]
        if left:
            self._before.update(zip(left, self._answers(left, self._document.text), strict=True))
        return [self._before.get(one) for one in questions]

    def _answers(self, questions: Sequence[str], text: str) -> list[str | None]:
        document = replace(self._document, text=text)
        asked = [TextQuestion(question=one, document=document) for one in questions]
        told = answer_text(self._desk.context, self._desk.asker, asked)
        return [None if isinstance(one, ChatFailure) else one.text for one in told]

    def _scores(
        self, questions: Sequence[str], before: Sequence[str | None], after: Sequence[str | None]
    ) -> list[float]:
        """Judge each pair in both orders; what is not answered is worse, and the same words are as good."""
        asked = [
            (question, order, first, second)
            for question, first, second in zip(questions, before, after, strict=True)
            if first is not None and second is not None and words_of(first) != words_of(second)
            for order in Order
        ]
        pairs = [self._pair(*one) for one in asked]
        heard = judge_pairs(self._desk.asker, pairs)
        verdicts: dict[str, list[float]] = {}
        for (question, order, _, _), reply in zip(asked, heard, strict=True):
            verdicts.setdefault(question, []).append(_worth(reply, order))
        return [
            _WORSE if said is None else _agreed(verdicts.get(question, []))
            for question, said in zip(questions, after, strict=True)
        ]

    def _pair(self, question: str, order: Order, before: str, after: str) -> Pair:
        assert self._desk.job.plan is not None
        first, second = (before, after) if order is Order.ORIGINAL_FIRST else (after, before)
        return Pair(
            question=question,
            first=first,
            second=second,
            language=self._document.language,
            attempt=100 * self._desk.job.stops,
            reference="\n\n".join(one.text for one in self._desk.job.plan.evidence),
        )


def _worth(reply: JudgeReply, order: Order) -> float:
    """Say what a verdict is worth to the rewrite; silence proves nothing."""
    if not isinstance(reply, Verdict):
        return _WORSE
    rewritten = Side.SECOND if order is Order.ORIGINAL_FIRST else Side.FIRST
    return {rewritten: _BETTER, Side.TIE: AS_GOOD}.get(reply.counted, _WORSE)


def _agreed(verdicts: Sequence[float]) -> float:
    """Give what both orders agree on, and a tie where they do not, or nobody was asked."""
    return verdicts[0] if verdicts and len(set(verdicts)) == 1 else AS_GOOD
