"""Review of a rewrite: what changes, why, how it did, and the decision about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Response

from evolore.domain.contest import JudgeReply, NoVerdict, SameAnswer, Verdict
from evolore.domain.evolution import JobState, Match
from evolore.domain.feedback import Feedback
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.errors import NotFound
from evolore.evolution.contest_plan import CandidateResult
from evolore.evolution.fact_proof import CORRECTION
from evolore.flows.evolve.approve import objections
from evolore.flows.evolve.show import AnswerPair, CandidateView, EvolutionJob, TextDiff
from evolore.server.listings import context_of, jobs_before, reading
from evolore.server.pages.differences import Row, rows_of
from evolore.server.pages.page import Page, PageRoute, Read, SentReview
from evolore.server.pages.stored import Three, compared, episodes_named

if TYPE_CHECKING:
    from evolore.store.reading import StoreReader

router = APIRouter(prefix="/evolution/jobs", route_class=PageRoute)
_MOST_TEXT = 2_000_000
_MOST_WAITING = 200
_DECIDED = frozenset({JobState.WAITING, JobState.ORIGINAL_STAYS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedPage:
    """A text that is proposed, as the page shows it."""

    three: Three  #: The texts.
    language: Language  #: What they are in.
    rows: tuple[Row, ...]  #: The proposal beside its base.
    has_moved: bool  #: Whether the document changed since, and a decision is still to be taken.
    others: tuple[Row, ...]  #: What others changed since, beside the base; none if unchanged.
    merged: tuple[Row, ...]  #: The proposal made in the document as it is now, beside that; none where that cannot be.
    change: TextDiff  #: Edits, with reasons and evidence, and why they do not fit.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderComplaint:
    """What readers said of the answers to a question."""

    question: str  #: The question; empty for a rating of the document itself.
    answer: str  #: The last answer they got; empty for none, or one that was forgotten.
    comments: tuple[str, ...]  #: What they wrote, each once, oldest first.
    people: int  #: How many rated it BAD; all without a name count as one.


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedOrder:
    """What the judge said in one order."""

    prefers: str  #: ``old``, ``new``, ``tie``, ``same`` or ``none``.
    old: float | None = None  #: Its score of the old text's answer, 3-15; None without one.
    new: float | None = None  #: Its score of the new one's.
    reason: str = ""  #: Why.


@router.get("/{job_id}")
def review(page: Read, job_id: str, candidate: str = "") -> Response:
    """Show what a job proposes, and ask for a decision."""
    return _drawn(page, page.memory.evolution.show(job_id), candidate)


def _drawn(page: Page, job: EvolutionJob, candidate: str = "", **more: Any) -> Response:  # noqa: ANN401 - what the template is given
    chosen = job.candidate(candidate) or next(iter(job.candidates), None)
    shown = () if chosen is None else _shown(page, job, chosen)
    evidence = [one for view in shown for edit in view.change.edits for one in edit.evidence]
    doubts = () if chosen is None else chosen.doubts
    waiting = [one.id for one in jobs_before(page.memory, states=[JobState.WAITING], limit=_MOST_WAITING)]
    values: dict[str, Any] = {
        "job": job,
        "complaints": _complaints(page, job),
        "place": waiting.index(job.id) + 1 if job.id in waiting else 0,
        "waiting": len(waiting),
        "next_job": _after(waiting, job.id),
        "doubts": [one for one in doubts if not one.startswith(CORRECTION)],
        "corrections": [one.removeprefix(CORRECTION) for one in doubts if one.startswith(CORRECTION)],
        "candidate": chosen,
        "shown": shown,
        "evidence": episodes_named(
            page.memory, [*evidence, *(chosen.proof.evidence if chosen and chosen.proof else ())]
        ),
        "judged": [] if chosen is None else _judged_pairs(chosen),
        "tally": None if chosen is None else _tally(chosen.result),
        "can_decide": job.state in _DECIDED and chosen is not None,
        "can_reject": job.state in {JobState.WAITING, JobState.RUNNING},
        "has_moved": any(one.has_moved for one in shown),
        "edited": None,
        "reason": "",
        "warnings": (),
        "warned": (),
    }
    return page.html("rewrite.html", **{**values, **more})


def _after(waiting: Sequence[str], job_id: str) -> str:
    """Return the job that waits next, of those begun before it and else the newest; empty for no other."""
    others = [one for one in waiting if one != job_id]
    return next((one for one in others if one < job_id), next(iter(others), ""))


def _decided(page: Page, job_id: str, said: str) -> Response:
    """Go to the next rewrite that waits, with a link to the one that was decided; stay where none waits."""
    waiting = [one.id for one in jobs_before(page.memory, states=[JobState.WAITING], limit=_MOST_WAITING)]
    following = _after(waiting, job_id)
    return page.go(f"/evolution/jobs/{following or job_id}", said=said, **({"decided": job_id} if following else {}))


def _complaints(page: Page, job: EvolutionJob) -> tuple[ReaderComplaint, ...]:
    """Return what readers complained of, what most people did first; also after what they said was set free again."""
    by_question: dict[str, list[Feedback]] = {}
    with reading(page.memory) as reader:
        said = {one.id: one for it in job.documents for one in reader.feedback(document_id=it.id)}
        for one in (said[id_] for id_ in job.feedback_ids if id_ in said):
            if one.rating is Rating.BAD:
                by_question.setdefault(one.question or "", []).append(one)
        found = [_complaint(reader, question, some) for question, some in by_question.items()]
    return tuple(sorted(found, key=lambda one: -one.people))


def _complaint(reader: StoreReader, question: str, said: Sequence[Feedback]) -> ReaderComplaint:
    last = next((one.query_id for one in reversed(said) if one.query_id), None)
    asked = None if last is None else reader.query(last)
    answer = None if asked is None or asked.answer_id is None else reader.answer(asked.answer_id)
    return ReaderComplaint(
        question=question,
        answer="" if answer is None else answer.text,
        comments=tuple(dict.fromkeys(one.comment for one in said if one.comment)),
        people=len({one.principal for one in said}),
    )


def _shown(page: Page, job: EvolutionJob, chosen: CandidateView) -> tuple[ProposedPage, ...]:
    changes = page.memory.evolution.diff(job.id, candidate=chosen.id)
    threes = compared(page.memory, chosen.texts)
    is_open = job.state.is_open or job.state in _DECIDED  # a change that was taken over is no move by others
    return tuple(_one(three, change, is_open=is_open) for three, change in zip(threes, changes, strict=True))


def _one(three: Three, change: TextDiff, *, is_open: bool) -> ProposedPage:
    language = Language.EN if three.document is None else three.document.language
    has_moved = three.has_moved and is_open
    merged = change.merged if has_moved else None
    return ProposedPage(
        three=three,
        language=language,
        rows=rows_of(three.base, three.proposed, language),
        others=rows_of(three.base, three.present, language) if has_moved else (),
        has_moved=has_moved,
        merged=() if merged is None else rows_of(three.present, merged, language),
        change=change,
    )


def _judged_pairs(chosen: CandidateView) -> list[tuple[Match, AnswerPair, JudgedOrder, JudgedOrder]]:
    """Return each match with both answers, and what the judge said in both orders."""
    return [(one, pair, *_both_orders(one)) for one, pair in zip(chosen.matches, chosen.answers, strict=True)]


def _both_orders(match: Match) -> tuple[JudgedOrder, JudgedOrder]:
    replies = [*match.replies[:2], None, None]
    return _judged(replies[0], is_old_first=True), _judged(replies[1], is_old_first=False)


def _judged(reply: JudgeReply | None, *, is_old_first: bool) -> JudgedOrder:
    match reply:
        case Verdict():
            first, second = reply.first.total, reply.second.total
            old, new = (first, second) if is_old_first else (second, first)
            side = {"first": "old" if is_old_first else "new", "second": "new" if is_old_first else "old"}
            return JudgedOrder(prefers=side.get(reply.preferred.value, "tie"), old=old, new=new, reason=reply.reason)
        case SameAnswer():
            return JudgedOrder(prefers="same")
        case NoVerdict():
            return JudgedOrder(prefers="none", reason=reply.reason)
        case None:
            return JudgedOrder(prefers="none")


def _tally(result: CandidateResult | None) -> tuple[float, float, float, int] | None:
    """Return the win rate of the matches that say most, the ends of its interval, and how many were played."""
    if result is None:
        return None
    for tally, interval in ((result.confirm, result.confirm_interval), (result.screen, result.screen_interval)):
        if tally.played:
            return float(tally.win_rate), interval.low, interval.high, tally.played
    return None


@router.post("/{job_id}/approve")
def approve(
    page: SentReview,
    job_id: str,
    candidate: Annotated[str, Form(max_length=20)] = "",
    reason: Annotated[str, Form(max_length=10_000)] = "",
    version: Annotated[int | None, Form()] = None,
    rebase: Annotated[bool, Form()] = False,  # noqa: FBT002 - a field of a form
    canary: Annotated[bool, Form()] = False,  # noqa: FBT002 - likewise
) -> Response:
    """Accept a candidate, as it was shown."""
    job = page.memory.evolution.show(job_id)
    if version is not None and job.documents and job.documents[0].version != version and not rebase:
        return _drawn(page, job, candidate, warnings=(page.text("rewrite.moved_since"),))
    done = page.memory.evolution.approve(
        job.id,
        candidate=candidate,
        reason=reason,
        rebase=rebase,
        canary=True if canary else None,
        principal=page.principal,
    )
    return _decided(page, job.id, "superseded" if done.promotion is None else "approved")


@router.post("/{job_id}/edit")
def edit(
    page: SentReview,
    job_id: str,
    text: Annotated[str, Form(max_length=_MOST_TEXT)],
    candidate: Annotated[str, Form(max_length=20)] = "",
    reason: Annotated[str, Form(max_length=10_000)] = "",
    sure: Annotated[str, Form(max_length=_MOST_TEXT)] = "",
) -> Response:
    """Check by the gates a text that the reviewer edited; accept it where they pass it, or it was confirmed."""
    job = page.memory.evolution.show(job_id)
    chosen = job.candidate(candidate) or next(iter(job.candidates), None)
    shown = () if chosen is None else _shown(page, job, chosen)
    text = _lines_as(text, shown[0].three.base if shown else "")
    number = chosen.id if chosen else ""
    warned = objections(context_of(page.memory), job.id, text, candidate=number)
    if warned and sure.replace("\r\n", "\n") != "\n".join(warned):  # forms end lines so
        return _drawn(page, job, candidate, edited=text, warned=warned, reason=reason)
    done = page.memory.evolution.approve(job.id, candidate=number, text=text, reason=reason, principal=page.principal)
    return _decided(page, job.id, "superseded" if done.promotion is None else "approved_edited")


@router.post("/{job_id}/preview")
def preview(
    page: SentReview,
    job_id: str,
    text: Annotated[str, Form(max_length=_MOST_TEXT)],
    candidate: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Show what a text that is being edited changes; nothing is checked or kept."""
    job = page.memory.evolution.show(job_id)
    chosen = job.candidate(candidate) or next(iter(job.candidates), None)
    if chosen is None or not chosen.texts:
        raise NotFound(f"The job {job.id} proposes no text, so there is nothing to preview: its page says why.")
    view = _shown(page, job, chosen)[0]
    text = _lines_as(text, view.three.base)
    return page.html("preview.html", rows=rows_of(view.three.base, text, view.language), view=view, text=text)


def _lines_as(text: str, like: str) -> str:
    """Return a text from a form, which ends lines as forms do, with the ends of lines that the document has."""
    plain = text.replace("\r\n", "\n")
    plain = plain.replace("\n", "\r\n") if "\r\n" in like else plain
    return plain if not like.endswith("\n") or plain.endswith("\n") else plain + "\n"


@router.post("/{job_id}/reject")
def reject(page: SentReview, job_id: str, reason: Annotated[str, Form(max_length=10_000)] = "") -> Response:
    """Reject what a job proposes."""
    job = page.memory.evolution.reject(job_id, reason=reason, principal=page.principal)
    return _decided(page, job.id, "rejected")


@router.post("/{job_id}/rollback")
def roll_back(
    page: SentReview,
    job_id: str,
    promotion: Annotated[str, Form(max_length=100)],
    reason: Annotated[str, Form(max_length=10_000)] = "",
) -> Response:
    """Roll back a change."""
    page.memory.evolution.rollback(promotion, reason=reason, principal=page.principal)
    return page.go(f"/evolution/jobs/{job_id}", said="rolled_back")
