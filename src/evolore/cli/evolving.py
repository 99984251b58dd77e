"""The commands by which documents improve: jobs, what they propose, approval and rollback."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evolore.cli.options import ByOption, DocumentArgument
from evolore.cli.session import EXIT_TRY_AGAIN, JsonOption, NamespaceOption, Session, StoreOption

JobArgument = Annotated[
    str, typer.Argument(metavar="JOB", help="A job's id as `evolore jobs` lists it, or its beginning.")
]
CandidateOption = Annotated[
    str,
    typer.Option(
        "--candidate",
        metavar="N",
        help="A candidate's number; by default the one that is put before you.",
        show_default=False,
    ),
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is kept.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for command in (evolve, jobs, diff, approve, reject, rollback, generations):
        app.command()(command)


def evolve(
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DOCUMENT",
            help="Documents to rewrite in any case, by id, source or path; by default those that enough people rated BAD.",
        ),
    ] = None,
    operator: Annotated[
        list[str] | None,
        typer.Option("--operator", metavar="NAME", help="How candidates are made. May be repeated."),
    ] = None,
    calls: Annotated[
        int | None, typer.Option("--calls", help="How many calls of the chat model may be made, all jobs together.")
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", help="What everything drawn in new jobs is drawn from.")] = None,
    by: ByOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have documents rewritten that people rated BAD, try what is better, and put it before you; nothing changes by itself.

    A job that pauses, because a budget is spent or the model does not answer, goes on with the next call; the exit code
    is 4 then.
    """
    from evolore.cli.evolved import render_jobs  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.evolve(*documents or (), operators=operator or (), calls=calls, seed=seed, principal=by)
        session.show(
            {"jobs": found}, lambda: render_jobs(found, none="Nothing to do: no document has enough BAD ratings.")
        )
        if any(one.stopped for one in found):
            raise typer.Exit(EXIT_TRY_AGAIN)


def jobs(
    job_id: Annotated[
        str | None,
        typer.Argument(metavar="JOB", help="A job's id, or its beginning, to see all of it; by default a list."),
    ] = None,
    state: Annotated[
        list[str] | None, typer.Option("--state", metavar="STATE", help="Only jobs in this state, such as `waiting`.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many at the most, the newest first.")] = 20,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the jobs, or show one: its candidates, how each did, what was decided and why."""
    from evolore.cli.evolved import render_job, render_jobs  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        if job_id is not None:
            one = memory.job(job_id)
            session.show(one, lambda: render_job(one))
            return
        found = memory.jobs(states=state or (), limit=limit)
        session.show({"jobs": found}, lambda: render_jobs(found, none="There is no job here."))


def diff(
    job_id: JobArgument,
    candidate: CandidateOption = "",
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a candidate changes; where a document moved meanwhile, also what that changed, and whether both fit."""
    from evolore.cli.evolved import render_diff  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.diff(job_id, candidate=candidate)
        session.show({"texts": found}, lambda: render_diff(found))


def approve(
    job_id: JobArgument,
    candidate: CandidateOption = "",
    edited: Annotated[
        Path | None,
        typer.Option("--edited", metavar="FILE", help="Take over the text in this file instead, as you edited it."),
    ] = None,
    rebase: Annotated[
        bool, typer.Option("--rebase", help="Make its edits in the document as it is now, where it changed meanwhile.")
    ] = False,
    canary: Annotated[
        bool | None,
        typer.Option(
            "--canary/--no-canary",
            help="Put it before a growing share of people first; by default as the settings say.",
            show_default=False,
        ),
    ] = None,
    reason: ReasonOption = "",
    by: ByOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a candidate over as the next version of its documents: all of them, or none.

    Where a document changed since the job began, nothing is taken over, and the exit code is 4.
    """
    from evolore.cli.evolved import render_approved  # noqa: PLC0415 - `--help` should not pay for it
    from evolore.cli.files import read_text  # noqa: PLC0415 - likewise

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        text = None if edited is None else read_text(edited)
        done = memory.approve(
            job_id, candidate=candidate, text=text, rebase=rebase, canary=canary, reason=reason, principal=by
        )
        session.show(done, lambda: render_approved(memory, done))
        if done.promotion is None:
            raise typer.Exit(EXIT_TRY_AGAIN)


def reject(
    job_id: JobArgument,
    reason: ReasonOption,
    by: ByOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say no to what a job proposes, or end one that runs; the document stays as it is."""
    from evolore.cli.evolved import render_jobs  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        done = memory.reject(job_id, reason=reason, principal=by)
        session.show(done, lambda: render_jobs([done], none=""))


def rollback(
    promotion_id: Annotated[
        str, typer.Argument(metavar="PROMOTION", help="A promotion's id or its job's, or the beginning of either.")
    ],
    reason: ReasonOption,
    by: ByOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Restore the texts before a promotion, byte for byte, as versions of their own; its feedback is open again."""
    from evolore.cli.evolved import render_rolled_back  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        done = memory.rollback(promotion_id, reason=reason, principal=by)
        session.show(done, lambda: render_rolled_back(memory, done))


def generations(
    document: DocumentArgument,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how a document came to read as it does: every promotion, oldest first, and what was taken back."""
    from evolore.cli.evolved import render_generations  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.generations(document)
        session.show({"generations": found}, lambda: render_generations(found))
