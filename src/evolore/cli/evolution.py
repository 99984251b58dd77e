"""The commands by which documents improve, and how jobs, candidates, differences and promotions look on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text
from typer import Argument, Option

from evolore.cli.printing import counted, short_source
from evolore.cli.session import EXIT_SETUP, EXIT_TRY_AGAIN, ByOption, CliRun, DocumentArgument
from evolore.cli.show import source_of
from evolore.domain.checks import check_count
from evolore.domain.contest import Verdict
from evolore.domain.evolution import GenerationStanding, Match, MatchOutcome
from evolore.errors import InvalidValue
from evolore.evolution.gaps import Missing
from evolore.text.display import one_line, visible

if TYPE_CHECKING:
    from evolore.domain.feedback import Feedback
    from evolore.evolution.contest_plan import CandidateResult
    from evolore.evolution.damage import Damage
    from evolore.evolution.gaps import Gap
    from evolore.evolution.matches import Tally
    from evolore.flows.evolve.approve import Approved
    from evolore.flows.evolve.overview import EvolutionCandidates, EvolutionRecord, EvolutionStats
    from evolore.flows.evolve.rollback import RolledBack
    from evolore.flows.evolve.show import CandidateView, DocumentGeneration, EvolutionJob, TextDiff
    from evolore.flows.evolve.turned_down import TurnedDown
    from evolore.flows.evolve.write import WrittenFile
    from evolore.memory import Memory

JobArgument = Annotated[
    str, Argument(metavar="JOB", help="A job's id as `evolore evolution jobs` lists it, or its beginning.")
]
CandidateOption = Annotated[
    str,
    Option(
        "--candidate",
        metavar="N",
        help="A candidate's number; by default the one that is put before you.",
        show_default=False,
    ),
]
DocumentOption = Annotated[
    str | None, Option("--document", metavar="DOCUMENT", help="Only of this document, by id, source or path.")
]
ReasonOption = Annotated[str, Option("--reason", help="Why; it is kept.")]


def evolve(
    session: CliRun,
    documents: Annotated[
        list[str] | None,
        Argument(
            metavar="DOCUMENT",
            help="Documents to rewrite in any case, by id, source or path; by default those that enough people rated BAD.",
        ),
    ] = None,
    operator: Annotated[
        list[str] | None, Option("--operator", metavar="NAME", help="How candidates are made. May be repeated.")
    ] = None,
    calls: Annotated[
        int | None, Option("--calls", help="How many calls of the chat model may be made, all jobs together.")
    ] = None,
    seed: Annotated[str | None, Option("--seed", help="What everything drawn in new jobs is drawn from.")] = None,
    by: ByOption = None,
) -> None:
    """Propose rewrites of documents that people rated BAD, test them, and ask you to approve the better ones; nothing changes by itself.

    A job that pauses, because a budget is spent or the model does not answer, goes on with the next call; the exit code
    is 4 then.
    """
    with session.memory() as memory:
        found = memory.evolve(*documents or (), operators=operator or (), calls=calls, seed=seed, principal=by)
        session.show(
            {"jobs": found},
            lambda: render_jobs(
                found,
                none="Nothing to do: no document has enough BAD ratings; `evolore evolution stats` says how many it takes.",
            ),
        )
        if any(one.stopped for one in found):
            raise typer.Exit(EXIT_TRY_AGAIN)


def gaps(
    session: CliRun,
    gap_id: Annotated[
        str | None, Argument(metavar="GAP", help="Show this one, by the id of one of its questions.")
    ] = None,
    take: Annotated[bool, Option("--take", help="Note that you take it up.")] = False,
    close: Annotated[
        str | None, Option("--close", metavar="REASON", help="Close it by hand, as where nothing is missing.")
    ] = None,
    state: Annotated[
        list[str] | None,
        Option("--state", metavar="STATE", help="Only gaps in this state: `open`, `taken` or `closed`."),
    ] = None,
    least: Annotated[int, Option("--least", help="Only gaps of at least so many questions.")] = 2,
    limit: Annotated[int, Option(help="How many at most, the dearest first.")] = 20,
    by: ByOption = None,
) -> None:
    """List what people asked and your documents do not answer, the dearest first, and what is missing."""
    with session.memory() as memory:
        own = memory.evolution
        if gap_id is None:
            if take or close is not None:
                raise typer.BadParameter("name the gap that --take and --close are about.")
            found = own.gaps(states=state or (), least=least, limit=limit)
            session.show({"gaps": found}, lambda: render_gaps(found))
            return
        if take:
            own.take_gap(gap_id, principal=by)
        if close is not None:
            own.close_gap(gap_id, reason=close, principal=by)
        one = own.gap(gap_id)
        session.show(one, lambda: render_gap(one))


def jobs(
    session: CliRun,
    state: Annotated[
        list[str] | None, Option("--state", metavar="STATE", help="Only jobs in this state, such as `waiting`.")
    ] = None,
    limit: Annotated[int, Option(help="How many at most, the newest first.")] = 20,
) -> None:
    """List the jobs."""
    with session.memory() as memory:
        found = memory.evolution.jobs(states=state or (), limit=limit)
        session.show({"jobs": found}, lambda: render_jobs(found))


def show(session: CliRun, job_id: JobArgument) -> None:
    """Show a job: its candidates, how each did, what was decided and why."""
    with session.memory() as memory:
        one = memory.evolution.show(job_id)
        session.show(one, lambda: render_job(one))


def diff(session: CliRun, job_id: JobArgument, candidate: CandidateOption = "") -> None:
    """Show what a candidate changes; if the document changed meanwhile, show that too, and whether both changes fit together."""
    with session.memory() as memory:
        found = memory.evolution.diff(job_id, candidate=candidate)
        session.show({"texts": found}, lambda: render_diff(found))


def approve(
    session: CliRun,
    job_id: JobArgument,
    candidate: CandidateOption = "",
    edited: Annotated[
        Path | None, Option("--edited", metavar="FILE", help="Approve the text in this file instead, as you edited it.")
    ] = None,
    rebase: Annotated[
        bool, Option("--rebase", help="Make its edits in the document as it is now, where it changed meanwhile.")
    ] = False,
    canary: Annotated[
        bool | None,
        Option(
            "--canary/--no-canary",
            help="Put it before a growing share of people first; by default as the settings say.",
            show_default=False,
        ),
    ] = None,
    reason: ReasonOption = "",
    by: ByOption = None,
) -> None:
    """Accept a candidate as the next version of its documents: all of them, or none.

    Where a document changed since the job began, nothing is taken over, and the exit code is 4.
    """
    from evolore.cli.files import read_text  # noqa: PLC0415 - likewise

    with session.memory() as memory:
        text = None if edited is None else read_text(edited)
        done = memory.evolution.approve(
            job_id, candidate=candidate, text=text, rebase=rebase, canary=canary, reason=reason, principal=by
        )
        session.show(done, lambda: render_approved(memory, done))
        if done.promotion is None:
            raise typer.Exit(EXIT_TRY_AGAIN)


def reject(session: CliRun, job_id: JobArgument, reason: ReasonOption, by: ByOption = None) -> None:
    """Reject what a job proposes, or end one that runs; the document stays as it is."""
    with session.memory() as memory:
        done = memory.evolution.reject(job_id, reason=reason, principal=by)
        session.show(done, lambda: render_jobs([done]))


def rollback(
    session: CliRun,
    promotion_id: Annotated[
        str, Argument(metavar="PROMOTION", help="A promotion's id or its job's, or the beginning of either.")
    ],
    reason: ReasonOption,
    by: ByOption = None,
) -> None:
    """Restore the texts before a promotion, byte for byte, as versions of their own; its feedback is open again."""
    with session.memory() as memory:
        done = memory.evolution.rollback(promotion_id, reason=reason, principal=by)
        session.show(done, lambda: render_rolled_back(memory, done))


def generations(session: CliRun, document: DocumentArgument) -> None:
    """Show how a document came to read as it does: every promotion, oldest first, and what was taken back."""
    with session.memory() as memory:
        found = memory.evolution.generations(document)
        session.show({"generations": found}, lambda: render_generations(found))


def write(
    session: CliRun,
    document: DocumentArgument,
    to: Annotated[
        Path | None, Option("--to", metavar="FILE", help="Write a new file instead, in UTF-8.", show_default=False)
    ] = None,
    patch: Annotated[
        bool, Option("--patch", help="Write nothing, and print what changes, as `git apply` takes it.")
    ] = False,
    branch: Annotated[
        bool, Option("--branch", help="Commit it on a new branch of its git repository; nothing else changes.")
    ] = False,
    name: Annotated[
        str | None, Argument(metavar="NAME", help="The branch's name; by default of the document and the job.")
    ] = None,
) -> None:
    """Write what a document says to the file it came from, in the encoding it has; only if that is still what was read.

    `--branch NAME` names the branch. It begins at the commit that is checked out, and is not pushed.

    Where the file may not be written, the patch is printed, and the exit code is 3.
    """
    with session.memory() as memory:
        if name is not None and not branch:
            raise InvalidValue(f"{name!r} names a branch: use --branch, or write one document at a time.")
        done = memory.evolution.write(document, to=to, patch=patch, branch=branch and (name or True))
        session.show(done, lambda: render_written(done))
        if done.reason:
            raise typer.Exit(EXIT_SETUP)


def stats(session: CliRun) -> None:
    """Show how much was said of documents, which of them `evolve` would work on, and how many changes resulted.

    With --json the output has the fields `feedback`, `evolution` and `documents`.
    """
    with session.memory() as memory:
        found = memory.evolution.stats()
        session.show(found.to_seed(), lambda: render_stats(memory, found))


def history(
    session: CliRun,
    document: DocumentOption = None,
    limit: Annotated[int, Option(help="How many at most, the newest.")] = 50,
) -> None:
    """List what evolution changed in all documents, the newest first; `generations` shows more of one.

    With --json the output has the whole texts before and after each change.
    """
    with session.memory() as memory:
        found = memory.evolution.history(document, limit=limit)
        session.show({"history": [one.to_seed() for one in found]}, lambda: render_evolution_history(found))


def candidates(
    session: CliRun,
    document: DocumentOption = None,
    limit: Annotated[int, Option(help="How many open jobs at most, the newest.")] = 50,
) -> None:
    """List the documents that `evolve` would work on, and the texts that open jobs propose, with their results.

    With --json the output has the fields `eligibleDocumentIds`, `candidates` and `evaluationResults`.
    """
    with session.memory() as memory:
        found = memory.evolution.candidates(document, limit=limit)
        session.show(found.to_seed(), lambda: render_candidates(found))


def feedback(
    session: CliRun,
    document: DocumentOption = None,
    unprocessed: Annotated[bool, Option("--unprocessed", help="Only feedback that no job has used yet.")] = False,
    limit: Annotated[int, Option(help="How many at most, the newest.")] = 50,
) -> None:
    """List what people said of all documents, or of one, oldest first: each rating, its comment, and the job that used it."""
    with session.memory() as memory:
        check_count(limit, "limit")
        found = memory.evolution.feedback(document, unprocessed=unprocessed)[-limit:]
        session.show({"feedback": found}, lambda: render_feedback(memory, found))


_MICROS = 1_000_000
_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_OUTCOMES = {MatchOutcome.A: "lost", MatchOutcome.B: "won"}
_SHOWN = 3
_STANDINGS = {
    GenerationStanding.PARTLY: "holds in some of its sections only",
    GenerationStanding.WAITING: "does not hold: its source changed it too, and you are asked",
    GenerationStanding.IN_SOURCE: "written to its file",
    GenerationStanding.NO_LONGER: "no longer holds: another text took its place",
}
_EVERYBODY = 100


_MISSING = {
    Missing.NO_DOCUMENT: "no document says it",
    Missing.NEARLY: "a document nearly says it",
    Missing.DISAGREE: "two documents disagree",
    Missing.NOTHING: "nothing: it is no question to your documents",
}
_WORDINGS = 3


def render_gaps(found: Sequence[Gap]) -> Iterator[str]:
    """Yield gaps, each with its first wordings."""
    for one in found:
        yield from _gap_lines(one, wordings=_WORDINGS)
    if found:
        yield "Show one, with what is nearest and a draft: evolore evolution gaps GAP"
    else:
        yield "No gap here: nothing was asked twice that your documents do not answer."


def render_gap(one: Gap) -> Iterator[str]:
    """Yield a gap with what bears on it, what to do, and the draft."""
    yield from _gap_lines(one, wordings=len(one.questions))
    for near in one.near:
        yield f"  {near.likelihood:.0%}  {one_line(short_source(near.source))}: {one_line(near.quote)}"
    named = list(dict.fromkeys(quote(near.source) for near in one.near if near.document_id is not None and near.source))
    if one.missing in {Missing.NEARLY, Missing.DISAGREE} and named:
        yield f"next: edit {named[0]}, or: evolore evolve {named[0]}"
    if one.draft:
        yield f"\n{visible(one.draft)}"


def _gap_lines(one: Gap, *, wordings: int) -> Iterator[str]:
    asked = counted(len(one.question_ids), "question")
    times = f"{asked} by {counted(one.people, 'person', 'people')} in {counted(one.weeks, 'week')}"
    bad = f", {counted(one.bad, 'person', 'people')} rated BAD" if one.bad else ""
    state = f"taken by {one_line(one.taken_by)}" if one.taken_by else one.state.value
    again = ", again" if one.is_reopened else ""
    why = f": {one_line(one.note)}" if one.note else ""
    yield f"{one.id}  {state}{again}{why}  {times}{bad}"
    if one.missing is not None:
        yield f"  missing: {_MISSING[one.missing]}"
    for text in one.questions[:wordings]:
        yield f"  - {one_line(text)}"


def render_jobs(found: Sequence[EvolutionJob], *, none: str = "There is no job here.") -> Iterator[str]:
    """Yield jobs, a few lines each: the state of each, what it is about, and what to do now."""
    for one in found:
        sources = ", ".join(short_source(document.source) or document.id for document in one.documents)
        yield f"{one.id}  {one.state.value:14}  {one_line(sources)}"
        yield from (f"  {line}" for line in (*_stands(one), *_next(one)))
    if not found:
        yield none


def render_job(one: EvolutionJob) -> Iterator[str | Text]:
    """Yield all of a job."""
    yield from render_jobs([one])
    for candidate in one.candidates:
        mark = "  <- put before you" if candidate.id == one.candidate_id else ""
        yield ""
        yield Text(f"Candidate {candidate.id}: {candidate.operator.value}{mark}", style="bold")
        yield from (f"  {line}" for line in _candidate(candidate))
    for operator, reason in one.skipped:
        yield f"\n{operator.value} made none: {one_line(reason)}"


def render_diff(found: Sequence[TextDiff]) -> Iterator[str | Text]:
    """Yield what changes, coloured where a terminal has colours, with the reason of each edit."""
    for one in found:
        for edit in one.edits:
            rests = f" It rests on {', '.join(edit.evidence)}." if edit.evidence else ""
            yield f"{edit.kind.value} {edit.place or 'the opening'}: {one_line(edit.reason)}{rests}"
        if one.damage:
            yield _damage(one.damage)
        yield from _coloured(_named_from_here(one.lines, one.source))
        if one.others is not None:
            yield f"\n{short_source(one.source)} is at version {one.version} now, and this was made for {one.base_version}:"
            yield from _coloured(_named_from_here(one.others, one.source))
            yield from (f"It does not fit: {one_line(conflict)}" for conflict in one.conflicts)
            if one.merged is not None:
                yield "Both fit: `evolore evolution approve --rebase` makes these edits in the document as it is now."


def render_approved(memory: Memory, done: Approved) -> Iterator[str]:
    """Yield what approving came to."""
    for warning in done.warnings:
        yield f"The gates object to your text: {one_line(warning)}"
    if done.promotion is None:
        yield "Not applied: a document changed since this was proposed. The next job uses its feedback again."
        return
    for one in done.promotion.documents:
        if one.after is not None:
            yield f"{source_of(memory, one.document_id)} is at version {one.after} now."
    if done.promotion.percent < _EVERYBODY:
        how = f"evolore evolution canary {done.promotion.id}"
        yield f"{done.promotion.percent} % of people see it now. See how it does with: {how}"
    for one in done.written:
        told = "says so already" if not one.reason else f"was not written: {one_line(one.reason)}"
        yield f"{short_source(one.path)} {'is written' if one.is_written else told}."
    yield f"Undo it with: evolore evolution rollback {done.promotion.id} --reason …"


def render_written(done: WrittenFile) -> None:
    """Print that a file or a branch was written, or the patch, byte for byte."""
    if done.branch:
        told = "is committed" if done.is_written else "was committed before"
        typer.echo(f"{short_source(done.path)} {told} on the branch {one_line(done.branch)}: {done.commit}")
        return
    if done.is_written:
        typer.echo(f"{short_source(done.path)} is written.")
        return
    if done.reason:
        typer.echo(f"not written: {one_line(done.reason)}", err=True)
    if done.patch:
        sys.stdout.flush()
        sys.stdout.buffer.write(done.patch.encode(done.encoding))
        sys.stdout.flush()
    elif not done.reason:
        typer.echo(f"{short_source(done.path)} says so already.")


def render_rolled_back(memory: Memory, done: RolledBack) -> Iterator[str]:
    """Yield what a rollback did."""
    for one in done.promotion.documents:
        named = source_of(memory, one.document_id)
        if one.after is None:
            yield f"{named} is before everybody as it was."
            continue
        if one.restored is None:
            yield f"{named} is left as it is: nothing of this change is there any more."
            continue
        told = f"says again what version {one.before} said" if one.before else "was erased: nothing was there before"
        yield f"{named} {told}{f', as version {one.restored}' if one.restored else ''}."
    if done.reopened:
        said = counted(len(done.reopened), "piece of feedback", "pieces of feedback")
        yield f"The next job uses {said} again."
    for other in done.descendants:
        yield f"The change {other.id} was made from the text that was rolled back: review it."


def render_generations(found: Sequence[DocumentGeneration]) -> Iterator[str]:
    """Yield a document's line, oldest first."""
    for one in found:
        promotion, document = one.promotion, one.document
        day = _day(promotion.promoted_at)
        who = "the policy" if promotion.is_by_policy else one_line(promotion.approved_by or "an unnamed person")
        yield (
            f"{one.number:3}  {day}  {promotion.operator.value:20}  version {document.before} -> {document.after}  "
            f"won {promotion.win_rate:.0%}  by {who}  {promotion.id}"
        )
        yield from (f"     {line}" for line in _standing(one))
    if not found:
        yield "Nothing was promoted in this document."


def _standing(one: DocumentGeneration) -> Iterator[str]:
    """Yield whether a promotion was rolled back, or what there is of it where it does not hold."""
    if one.promotion.rolled_back_at is not None:
        yield from _turned_down([one.turned_down], f"rolled back: {one.promotion.rollback_reason}")
    elif one.standing is not GenerationStanding.HELD:
        seen = one.merged_at if one.standing is GenerationStanding.IN_SOURCE else None
        yield f"{_STANDINGS[one.standing]}{f', seen on {_day(seen)}' if seen else ''}"
        yield from (f"see it with: evolore review show {it.review_id}" for it in one.sections if it.review_id)
    if one.rests_on_rolled_back:
        yield "made from a text that was rolled back since: review it"


def render_stats(memory: Memory, found: EvolutionStats) -> Iterator[str]:
    """Yield how much was said, and the results."""
    yield (
        f"{counted(found.good + found.bad, 'piece of feedback', 'pieces of feedback')} on "
        f"{counted(found.documents, 'document')}: {found.good:,} GOOD, {found.bad:,} BAD, "
        f"{found.pending_bad:,} of these not used by a job yet"
    )
    yield f"{counted(found.total_evolutions, 'job')}, {found.successful_evolutions:,} with a change that holds"
    number = len(found.eligible_document_ids)
    if not number:
        yield f"No document has BAD ratings of {counted(found.threshold, 'person or more', 'people or more')}."
        return
    yield f"{counted(number, 'document')} would be worked on by: evolore evolve"
    yield from (f"  {id_}  {source_of(memory, id_)}" for id_ in found.eligible_document_ids)


def render_evolution_history(found: Sequence[EvolutionRecord]) -> Iterator[str]:
    """Yield what evolution changed, a line each."""
    for one in found:
        day = _day(one.created_at)
        ending = (
            "rolled back" if one.rolled_back_at is not None else "" if one.can_roll_back else "cannot be rolled back"
        )
        if one.merged_at is not None and one.rolled_back_at is None:
            ending = f"written to its file, seen on {_day(one.merged_at)}"
        source = short_source(one.source) or one.document_id
        line = f"{one.promotion_id}  {day}  {one.operator.value:20}  won {one.win_rate:.0%}  generation {one.generation} of"
        yield f"{line} {one_line(source)}{f': {ending}' if ending else ''}"
    if not found:
        yield "Nothing was promoted here."


def render_candidates(found: EvolutionCandidates) -> Iterator[str]:
    """Yield what a job would work on, and what open jobs propose."""
    for one in found.eligible:
        people = counted(one.people, "person complains", "people complain")
        yield f"{one.id}  {people} of {one_line(short_source(one.source))}: evolore evolve"
    results = {one.candidate_id: one for one in found.results}
    for text in found.candidates:
        result = results.get(text.id)
        did = "refused" if text.is_refused else "not tried" if result is None else f"won {result.win_rate:.0%}"
        yield f"{text.job_id}  candidate {text.candidate_id}: {text.operator.value}  {did}"
    if not found.eligible and not found.candidates:
        yield "No document has enough BAD ratings, and no job is open."


def render_feedback(memory: Memory, found: Sequence[Feedback]) -> Iterator[str]:
    """Yield what people said of documents."""
    for one in found:
        day = _day(one.rated_at)
        who = one_line(one.principal or "an unnamed person")
        taken = f"used by {one.job_id}" if one.job_id else "open"
        yield f"{day}  {one.rating.value:4}  {one_line(source_of(memory, one.document_id))}  by {who}  {taken}"
        yield from (f"  {one_line(said)}" for said in (one.question, one.comment) if said)
    if not found:
        yield "No document here was rated, nor an answer that rests on one."


def _stands(one: EvolutionJob) -> Iterator[str]:
    people = f"{counted(len(one.feedback_ids), 'BAD rating')}, " if one.feedback_ids else ""
    money = f", cost {one.usage.cost_micros / _MICROS:.4f}" if one.usage.cost_micros else ""
    asked = f"{counted(one.usage.calls, 'call')}, {counted(one.usage.tokens, 'token')}{money}"
    yield f"{people}{counted(len(one.candidates), 'candidate')}, {asked}"
    if one.decision:
        chosen = f" (candidate {one.candidate_id})" if one.candidate_id else ""
        yield f"{one.decision.replace('_', ' ')}{chosen}: {one.reason}"
    for objection in one.policy_objections or ():
        yield f"the policy leaves it to you: {one_line(objection)}"
    if one.closing:
        yield from _turned_down(one.turned_down, f"{one.state.value.replace('_', ' ')}: {one.closing}")
    if one.merged_at is not None:
        yield f"written to its file, seen on {_day(one.merged_at)}"
    for branch in one.branches:
        yield f"committed on the branch {one_line(branch.branch)}: {branch.commit}"


def _day(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()


def _turned_down(some: Sequence[TurnedDown | None], otherwise: str) -> Iterator[str]:
    """Yield who turned something down and why, once, and then what; or a line of its own where that is not known."""
    found = [one for one in some if one is not None]
    yield from dict.fromkeys(one_line(one.line) for one in found)
    yield from dict.fromkeys(f"  {one_line(change.line)}" for one in found for change in one.changes)
    if not found:
        yield one_line(otherwise)


def _next(one: EvolutionJob) -> Iterator[str]:
    if one.stopped:
        yield f"paused: {one_line(one.stopped)}"
        yield "go on with: evolore evolve"
    elif one.state.value == "canary":
        yield f"see how it does with: evolore evolution canary {one.id}"
    elif one.state.value == "waiting":
        yield f"see it with: evolore evolution diff {one.id}"
        yield f"then: evolore evolution approve {one.id}, or evolore evolution reject {one.id} --reason …"


def _candidate(candidate: CandidateView) -> Iterator[str]:
    edits = [edit for some in candidate.edits for edit in some]
    for edit in edits[:_SHOWN]:
        yield f"{edit.kind.value} {edit.place or 'the opening'}: {one_line(edit.reason)}"
    if len(edits) > _SHOWN:
        yield f"and {counted(len(edits) - _SHOWN, 'more edit')}"
    yield from map(_damage, candidate.damage)
    for refusal in candidate.refusals:
        yield f"refused: {visible(refusal)}"
    for doubt in candidate.doubts:
        yield f"open: {visible(doubt)}"
    for conflict in candidate.conflicts:
        yield f"conflict: {one_line(conflict.first)} / {one_line(conflict.second)}"
    if candidate.result is not None:
        yield from _result(candidate.result)
    yield from _reasons(candidate.matches)


def _damage(one: Damage) -> str:
    """Return the damage counters in a line."""
    found = (("value", one.values_lost), ("link", one.links_lost), ("anchor", one.anchors_lost))
    lost = [
        f"{counted(len(some), name)} ({one_line('; '.join(some[:_SHOWN]))})" if some else f"0 {name}s"
        for name, some in found
    ]
    return (
        f"damage: {counted(one.stray_bytes, 'byte')} outside its edits; lost {', '.join(lost)}; "
        f"changed {counted(one.code_changed, 'code block')}; {len(one.unproved):,} without evidence; "
        f"{one.length_before:,} -> {one.length_after:,} characters"
    )


def _reasons(matches: Sequence[Match]) -> Iterator[str]:
    """Yield why the judge decided as it did: of what was lost first, then of what was won."""
    told: dict[tuple[str, int], tuple[Match, str]] = {}
    for one in matches:
        for reply in one.replies:
            if one.outcome in _OUTCOMES and isinstance(reply, Verdict) and reply.reason:
                told.setdefault((one.question, one.attempt), (one, reply.reason))
    decided = list(told.values())
    for match, reason in sorted(decided, key=lambda one: one[0].outcome.value)[:_SHOWN]:
        yield f"{_OUTCOMES[match.outcome]} {one_line(match.question)}: {one_line(reason)}"
    if len(decided) > _SHOWN:
        yield f"and {len(decided) - _SHOWN} more matches: --json says why of each"


def _result(result: CandidateResult) -> Iterator[str]:
    yield f"{result.fate.value.replace('_', ' ')}; screen {_tally(result.screen)}"
    if result.confirm.played:
        low, high = result.confirm_interval.low, result.confirm_interval.high
        yield (
            f"fresh questions {_tally(result.confirm)}: won {float(result.confirm.win_rate):.0%} "
            f"({low:.0%} to {high:.0%}), evidence {result.evidence:.1f}"
        )
    if result.complaints.played:
        yield f"what people complained of {_tally(result.complaints)}"
    if result.regression.played:
        lost = f", lost for good: {len(result.lost)}" if result.lost else ""
        yield f"answered well before {_tally(result.regression)}{lost}"


def _tally(tally: Tally) -> str:
    return f"{tally.wins} won, {tally.losses} lost, {tally.ties} tied"


def _named_from_here(lines: Sequence[str], source: str) -> list[str]:
    """Write in the two lines that head a diff what it is of as it is named from here."""
    return [*[line.replace(source.lstrip("/"), short_source(source).lstrip("/")) for line in lines[:2]], *lines[2:]]


def _coloured(lines: Sequence[str]) -> Iterator[Text]:
    return (Text(visible(line), style=_STYLES.get(line[:1], "")) for line in lines)
