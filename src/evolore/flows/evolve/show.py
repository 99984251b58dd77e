"""Jobs, their changes line by line, and ``generations``, as people see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import unified_diff

from evolore.domain import evolution
from evolore.domain.chat import ChatUsage
from evolore.domain.contest import EvidenceText
from evolore.domain.document import Document
from evolore.domain.result import Result
from evolore.errors import InvalidValue
from evolore.evolution.claim_changes import ClaimChange, claim_changes
from evolore.evolution.contest_plan import CandidateResult, TrialOutcome
from evolore.evolution.damage import Damage, count_damage
from evolore.evolution.edits import SectionEdit, apply_edits, refused_edits
from evolore.evolution.fact_proof import FactProof
from evolore.evolution.job import ORIGINAL, AnswerKey, Job, folded, merged_at, taken_by
from evolore.evolution.job_steps import CLOSING, Branched, StepKind, read_step
from evolore.evolution.proposals import Clash
from evolore.flows.browse import document_named
from evolore.flows.context import Context
from evolore.flows.evolve.documents import job_named
from evolore.flows.evolve.turned_down import TurnedDown, rolled_back, turned_down_in
from evolore.flows.rebase import standings
from evolore.store.reading import StoreReader


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDocument:
    """A document that a job is about."""

    id: str  #: Which.
    base_version: int  #: The version that the job found.
    source: str = ""  #: Where it came from; empty where it was forgotten.
    title: str = ""  #: What it is called.
    version: int | None = None  #: The version it has now; None where it was forgotten.


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPair:
    """What was answered to a question from both texts."""

    question: str  #: What was asked.
    attempt: int  #: 0 for the first time; above, it was asked again because the candidate had lost.
    old: str | None  #: From the original; None where nothing could be had.
    new: str | None  #: From the candidate.


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateView:
    """A candidate, and how it did."""

    id: str  #: Its number in the job.
    operator: evolution.Operator  #: How it was made.
    texts: tuple[evolution.ProposedText, ...]  #: The next text of each document, and new ones.
    edits: tuple[tuple[SectionEdit, ...], ...]  #: The edits that made each of them, with reasons and evidence.
    conflicts: tuple[Clash, ...]  #: Where its documents disagree, for a person to settle.
    refusals: tuple[str, ...]  #: Why gates or claims ended it; none where they let it pass.
    doubts: tuple[str, ...]  #: What is left open.
    result: CandidateResult | None  #: How its matches went; None where it was not tried.
    matches: tuple[evolution.Match, ...] = ()  #: These matches, with what the judge said in both orders, and why.
    #: Whether newer evidence proves it as a correction, and by what; None where that was not tried.
    proof: FactProof | None = None
    answers: tuple[AnswerPair, ...] = ()  #: What both texts answered in them, a pair for each match, in their order.
    model: str = ""  #: Which model wrote it; empty where none did, or it was not noted.
    damage: tuple[Damage, ...] = ()  #: What it does to each document that exists; none where jobs are listed.


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionJob(Result):
    """A job in its present state."""

    id: str  #: Which.
    state: evolution.JobState  #: How far it is.
    documents: tuple[JobDocument, ...]  #: What it is about.
    created_at: datetime  #: When it was begun.
    updated_at: datetime  #: When it was last changed.
    principal: str | None = None  #: On whose behalf it was begun.
    feedback_ids: tuple[str, ...] = ()  #: What caused it.
    candidates: tuple[CandidateView, ...] = ()  #: In the order they were made.
    skipped: tuple[tuple[evolution.Operator, str], ...] = ()  #: Operators that made none, each with the reason.
    outcome: TrialOutcome | None = None  #: How the trial ended, or its state; None where nothing was tried.
    decision: str = ""  #: ``winner``, ``needs_person`` or ``original_stays``; empty while it runs.
    reason: str = ""  #: Why.
    candidate_id: str = ""  #: The candidate that won, or is put before a person; empty for none.
    policy_objections: tuple[str, ...] | None = None  #: Why the policy left it to a person; None where none was asked.
    usage: ChatUsage = field(default_factory=ChatUsage)  #: What it cost so far.
    stopped: str = ""  #: Why it pauses; empty where it does not. ``evolve`` goes on.
    promotions: tuple[evolution.Promotion, ...] = ()  #: What was taken over of it.
    closing: str = ""  #: What was said on approving, rejecting or rolling back, the last.
    branches: tuple[Branched, ...] = ()  #: Where it was committed, in that order.
    merged_at: datetime | None = None  #: When a file was last found to say it; None while none does.
    turned_down: tuple[TurnedDown, ...] = ()  #: What was rolled back or rejected of it, by whom and why.

    def candidate(self, candidate_id: str = "") -> CandidateView | None:
        """Return one of its candidates, by default the one that won or is put before a person."""
        wanted = candidate_id or self.candidate_id
        return next((one for one in self.candidates if one.id == wanted), None)


def chosen_of(job: EvolutionJob, candidate: str) -> CandidateView:
    """Return one of a job's candidates, by default the one that won or is put before a person.

    Raises:
        InvalidValue: There is no such candidate.
    """
    chosen = job.candidate(candidate)
    if chosen is not None:
        return chosen
    if not job.candidates:
        raise InvalidValue(
            f"The job {job.id} has no candidate: none was made, or what it proposed was forgotten with what it rested on."
        )
    known = ", ".join(one.id for one in job.candidates)
    raise InvalidValue(f"The job {job.id} has no candidate {candidate!r}: name one of these with --candidate: {known}.")


def view(context: Context, job_id: str) -> EvolutionJob:
    """Show a job, by its id or the beginning of one."""
    with context.store.read(context.namespace) as reader:
        job = viewed(reader, job_named(reader, job_id).id)
        return replace(job, candidates=tuple(_with_damage(reader, one) for one in job.candidates))


def _with_damage(reader: StoreReader, one: CandidateView) -> CandidateView:
    shown = (_of_text(reader, text, edits).damage for text, edits in zip(one.texts, one.edits, strict=True))
    return replace(one, damage=tuple(damage for damage in shown if damage))


def jobs(
    context: Context, *, states: Sequence[evolution.JobState] | None = None, before: str = "", limit: int = 100
) -> tuple[EvolutionJob, ...]:
    """List jobs, the newest first; only those in some states, only those begun before the one with an id."""
    with context.store.read(context.namespace) as reader:
        return tuple(viewed(reader, one.id) for one in reader.jobs(states=states, before=before, limit=limit))


def viewed(reader: StoreReader, job_id: str) -> EvolutionJob:
    """Show a job of a store that is being read."""
    record = reader.job(job_id)
    assert record is not None
    steps = reader.steps(job_id)
    job = folded(record.seed, steps)
    decided, outcome = job.decision, job.outcome
    policy = None if decided is None else decided.policy
    return EvolutionJob(
        id=record.id,
        state=record.state,
        documents=tuple(job_document(one, reader.document(one.document_id)) for one in record.bases),
        created_at=record.created_at,
        updated_at=record.updated_at,
        principal=record.principal,
        feedback_ids=job.taken,
        candidates=_candidates(job, outcome),
        skipped=job.skipped,
        outcome=outcome,
        decision="" if decided is None else decided.decision.value,
        reason="" if decided is None else decided.reason,
        candidate_id="" if decided is None else decided.candidate,
        policy_objections=None if policy is None else policy.objections,
        usage=job.spent,
        stopped=read_step(steps[-1]).reason if steps and steps[-1].kind == StepKind.STOPPED.value else "",
        promotions=reader.promotions(job_id=job_id),
        closing=next((read_step(one).reason for one in reversed(steps) if one.kind in CLOSING), ""),
        branches=tuple(read_step(one) for one in steps if one.kind == StepKind.BRANCHED.value),
        merged_at=merged_at(steps),
        turned_down=turned_down_in(reader, record, steps),
    )


def job_document(base: evolution.Base, found: Document | None) -> JobDocument:
    """Return a document that a job is about, as it was found; None where it was forgotten."""
    if found is None:
        return JobDocument(id=base.document_id, base_version=base.version)
    return JobDocument(
        id=found.id, base_version=base.version, source=found.source, title=found.title, version=found.version
    )


def _candidates(job: Job, outcome: TrialOutcome | None) -> tuple[CandidateView, ...]:
    results = {one.candidate_id: one for one in outcome.candidates} if outcome else {}
    played = job.selection.history if job.selection else ()
    return tuple(
        CandidateView(
            id=one.id,
            operator=one.operator,
            texts=one.texts,
            edits=one.edits,
            conflicts=one.conflicts,
            refusals=one.refusals,
            doubts=one.doubts,
            result=results.get(one.id),
            matches=tuple(match for match in played if match.candidate_id == one.id),
            proof=one.proof,
            answers=tuple(_answers(job, match) for match in played if match.candidate_id == one.id),
            model=one.model,
        )
        for one in job.candidates
    )


def _answers(job: Job, match: evolution.Match) -> AnswerPair:
    old, new = (
        job.answers.get(AnswerKey(who, match.question, match.attempt)) for who in (ORIGINAL, match.candidate_id)
    )
    return AnswerPair(question=match.question, attempt=match.attempt, old=old, new=new)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDiff(Result):
    """What a candidate changes in one document."""

    document_id: str | None  #: Which; None for a new one.
    source: str  #: Where it came from.
    base_version: int  #: The version it was computed against; 0 for a new one.
    version: int | None  #: The version the document has now; None where it is not there.
    lines: tuple[str, ...]  #: What changes, as a unified diff.
    edits: tuple[SectionEdit, ...] = ()  #: The edits, with reasons and evidence.
    #: What it says again, omits or words otherwise, in the order of its text, each with what of the edits' evidence
    #: bears it out.
    claims: tuple[ClaimChange, ...] = ()
    damage: Damage | None = None  #: What it loses or adds beside that; None for a new document.
    others: tuple[str, ...] | None = None  #: What others changed since, as a unified diff; None without such changes.
    #: The document as it is now with the candidate's edits made in it; None where that cannot be.
    merged: str | None = None
    conflicts: tuple[str, ...] = ()  #: Why not: what the candidate edits and others changed.


def diff(context: Context, job_id: str, *, candidate: str = "") -> tuple[TextDiff, ...]:
    """Show what a candidate changes, by default the one that won or is put before a person."""
    with context.store.read(context.namespace) as reader:
        chosen = chosen_of(viewed(reader, job_named(reader, job_id).id), candidate)
        return tuple(_of_text(reader, text, edits) for text, edits in zip(chosen.texts, chosen.edits, strict=True))


def rebased_text(
    reader: StoreReader, text: evolution.ProposedText, edits: Sequence[SectionEdit]
) -> evolution.ProposedText:
    """Return a proposed text as its edits make it in the document as it is now.

    Raises:
        InvalidValue: The document is not there any more, or an edit is about what has changed.
    """
    if text.document_id is None:
        return text
    document = reader.document(text.document_id)
    if document is None:
        raise InvalidValue(f"The document {text.document_id} is not there any more: it was forgotten.")
    present = reader.document_text(document.id)
    assert present is not None
    refused = refused_edits(present, edits, media_type=document.media_type)
    if refused or not edits:
        why = refused[0] if refused else "it was not made by edits"
        raise InvalidValue(f"The candidate does not fit the document as it is now: {why}")
    return replace(
        text, text=apply_edits(present, edits, media_type=document.media_type), base_version=document.version
    )


def _of_text(reader: StoreReader, text: evolution.ProposedText, edits: Sequence[SectionEdit]) -> TextDiff:
    if text.document_id is None:
        return TextDiff(
            document_id=None,
            source=text.source,
            base_version=0,
            version=None,
            lines=difference_lines("", text.text, text.source),
        )
    document = reader.document(text.document_id)
    base = reader.document_text(text.document_id, text.base_version) or ""
    source = text.document_id if document is None else document.source
    shown = TextDiff(
        document_id=text.document_id,
        source=source,
        base_version=text.base_version,
        version=None if document is None else document.version,
        lines=difference_lines(base, text.text, source),
        edits=tuple(edits),
    )
    if document is not None:
        shown = _weighed(reader, shown, base, text.text, document)
    if document is None or document.version == text.base_version:
        return shown
    present = reader.document_text(document.id) or ""
    refused = refused_edits(present, edits, media_type=document.media_type)
    merged = apply_edits(present, edits, media_type=document.media_type) if edits and not refused else None
    return replace(shown, others=difference_lines(base, present, source), merged=merged, conflicts=refused)


def _weighed(reader: StoreReader, shown: TextDiff, before: str, after: str, document: Document) -> TextDiff:
    """Add the changed claims and the damage."""
    named = reader.episodes(list(dict.fromkeys(id_ for edit in shown.edits for id_ in edit.evidence)))
    evidence = [EvidenceText(id=one.id, text=one.text) for one in named if one.text.strip()]
    claims = claim_changes(before, after, language=document.language, evidence=evidence)
    damage = count_damage(
        before,
        after,
        edits=shown.edits,
        claims=claims,
        language=document.language,
        evidence=[one.text for one in evidence],
        media_type=document.media_type,
    )
    return replace(shown, claims=claims, damage=damage)


def difference_lines(before: str, after: str, name: str) -> tuple[str, ...]:
    """Return what changes between two texts as a unified diff; the name of both has no slash before it."""
    name = name.lstrip("/")  # "a//docs/page.md" is no path anybody wrote
    found = unified_diff(
        before.splitlines(), after.splitlines(), fromfile=f"a/{name}", tofile=f"b/{name}", lineterm="", n=2
    )
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentGeneration(Result):
    """One promotion in a document's line."""

    number: int  #: Counts promotions of the document from 1.
    promotion: evolution.Promotion  #: Who took what over, when, and whether it was taken back.
    document: evolution.PromotedDocument  #: The versions of this document before and after, and what restored it.
    feedback_ids: tuple[str, ...]  #: What caused it.
    before: str | None  #: The whole text before; None where it was forgotten, or there was none.
    after: str | None  #: The whole text that was promoted; None where it was forgotten.
    rests_on_rolled_back: bool  #: Whether its text was made from one that was taken back since: look at it again.
    #: What there is of it now: its source may have changed since, or another text took its place.
    standing: evolution.GenerationStanding
    #: The same of each section that it changed; none where it was taken back.
    sections: tuple[evolution.PromotionStanding, ...] = ()
    merged_at: datetime | None = None  #: When its file was found to say it; None while it does not.
    turned_down: TurnedDown | None = None  #: What was rolled back, by whom and why; None where it was not.


def generations(context: Context, document_id: str) -> tuple[DocumentGeneration, ...]:
    """Return a document's line, oldest first."""
    with context.store.read(context.namespace) as reader:
        document = document_named(reader, document_id)
        every = [(one, _of(one, document.id)) for one in reader.promotions(document_id=document.id)]
        line = [(one, mine) for one, mine in every if mine.after]  # a canary is no generation before it is before all
        sections = standings(reader, document)
        return tuple(
            DocumentGeneration(
                number=number,
                promotion=promotion,
                document=mine,
                feedback_ids=taken_by(reader.steps(promotion.job_id)),
                before=_text(reader, document.id, mine.before),
                after=_text(reader, document.id, mine.after),
                rests_on_rolled_back=(
                    promotion.rolled_back_at is None
                    and any(
                        (theirs.restored or 0) > (mine.after or 0)  # versions rise, also where a clock is set back
                        and (theirs.after or 0) <= mine.before
                        for other, theirs in line
                        if other.id != promotion.id
                    )
                ),
                standing=_whole(promotion, sections),
                sections=tuple(one for one in sections if one.promotion_id == promotion.id),
                merged_at=merged_at(reader.steps(promotion.job_id), promotion.id, document.id),
                turned_down=rolled_back(reader, promotion, document),
            )
            for number, (promotion, mine) in enumerate(line, start=1)
        )


def _whole(
    promotion: evolution.Promotion, sections: Sequence[evolution.PromotionStanding]
) -> evolution.GenerationStanding:
    if promotion.rolled_back_at is not None:
        return evolution.GenerationStanding.ROLLED_BACK
    return evolution.as_whole([one.standing for one in sections if one.promotion_id == promotion.id])


def _of(promotion: evolution.Promotion, document_id: str) -> evolution.PromotedDocument:
    return next(one for one in promotion.documents if one.document_id == document_id)


def _text(reader: StoreReader, document_id: str, version: int | None) -> str | None:
    return reader.document_text(document_id, version) if version else None
