"""The commands that check, mend, copy, move and reembed a store."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from evolore.cli.add import prepare
from evolore.cli.printing import counted, lingering_lines, naming_bar
from evolore.cli.session import EXIT_INPUT, CliRun
from evolore.errors import InvalidValue
from evolore.ports import EmbeddingModel
from evolore.text.display import one_line

if TYPE_CHECKING:
    from evolore.domain.health import (
        Audit,
        ChainCheck,
        Diagnosis,
        Finding,
        MovedNamespace,
        Shard,
        Upgrade,
        Verification,
    )
    from evolore.domain.turn import MovedIn
    from evolore.flows.reembed import AbandonedReembed, Reembedded

_SHOWN_IDS = 20
_SOURCE_AND_TARGET = 2


def verify(
    session: CliRun,
    all_namespaces: Annotated[bool, Option("--all", help="Check every namespace of the store.")] = False,
) -> None:
    """Check that every event, and every text that is left, is as it was written.

    Exits with 1 when one is not.
    """
    with session.memory() as memory:
        found = memory.store.verify(all_namespaces=all_namespaces)
        if not any(chain.events for chain in found.chains):
            memory.store.doctor(all_namespaces=True)  # refuses a place without a store: a mistyped one is not whole
        session.show(found, lambda: _render_verification(found))
        if not found.is_whole:
            raise typer.Exit(EXIT_INPUT)


def doctor(
    session: CliRun, repair: Annotated[bool, Option("--repair", help="Repair what is derived or left over.")] = False
) -> None:
    """Look for everything that is wrong in a store, and say what to do about it.

    Looks at every namespace, or at the one that is named. Repairing deletes no text that was ever visible; do it while
    no documents are added. Exits with 1 when something is wrong that was not repaired.
    """
    with session.memory() as memory:
        found = memory.store.doctor(repair=repair, all_namespaces=session.namespace is None)
        session.show(found, lambda: _render_diagnosis(found))
        if not found.is_whole:
            raise typer.Exit(EXIT_INPUT)


def audit(
    session: CliRun,
    unused_for: Annotated[
        int, Option("--unused-for", metavar="DAYS", help="How old a statement is that no question led to.")
    ] = 90,
) -> None:
    """List what a namespace holds that should perhaps not be there, each with the command that mends it.

    Secrets, near-duplicates, statements that no recorded question led to, what does not hold any more or is overdue, open
    contradictions. Nothing is changed, and no text is shown. Exits with 1 when a secret is found.
    """
    with session.memory() as memory:
        found = memory.store.audit(unused_days=unused_for)
        session.show(found, lambda: _render_audit(found))
        if any(one.kind.value == "secret" for one in found.findings):
            raise typer.Exit(EXIT_INPUT)


def _render_audit(found: Audit) -> None:
    for kind, group in groupby(found.findings, key=lambda one: one.kind.value):
        some = list(group)
        for one in some[:_SHOWN_IDS]:
            typer.echo(f"{kind}: {one_line(one.id)}: {one_line(one.reason)}\n  {one_line(one.command)}")
        if len(some) > _SHOWN_IDS:
            typer.echo(f"  and {len(some) - _SHOWN_IDS:,} more; --json lists them")
    typer.echo(f"Looked at {counted(found.texts, 'text')}. Findings: {len(found.findings):,}.")


def backup(session: CliRun, target: Annotated[Path, Argument(metavar="TARGET", help="The folder to make.")]) -> None:
    """Copy the whole store, all its namespaces, into a new folder, while it is in use.

    The copy is of one moment, and is a store like any other.
    """
    with session.memory() as memory:
        made = memory.store.backup(target)
        session.show(made, lambda: typer.echo(f"Copied to {made.path}, {made.bytes:,} bytes."))


def upgrade(
    session: CliRun,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would be added, and change nothing.")] = False,
    target: Annotated[
        Path | None, Option("--backup", metavar="FOLDER", help="Where the backup goes; by default beside the store.")
    ] = None,
    no_backup: Annotated[bool, Option("--no-backup", help="Make no backup.")] = False,
) -> None:
    """Back a store of an older version up, and bring its tables up to those of this version.

    All of it is added, or nothing.
    """
    if target is not None and no_backup:
        raise typer.BadParameter("Leave out --backup or --no-backup.")
    with session.memory() as memory:
        done = memory.store.upgrade(backup=target or not no_backup, dry_run=dry_run)
        session.show(done, lambda: _render_upgrade(done))


def _render_upgrade(done: Upgrade) -> None:
    if not done.steps:
        typer.echo(f"The store has schema {done.new_schema}, this version's: nothing to do.")
        return
    if done.backup is not None:
        typer.echo(f"Backed up to {done.backup.path}, {done.backup.bytes:,} bytes.")
    for step in done.steps:
        within = "" if step.adds == "table" else f" to {step.table}, {counted(step.rows, 'row')}"
        typer.echo(f"  {step.adds} {step.name}{within}")
    verb = "Would upgrade" if done.is_dry_run else "Upgraded"
    typer.echo(f"{verb} from schema {done.old_schema} to {done.new_schema}: {counted(len(done.steps), 'addition')}.")
    if done.is_dry_run:
        typer.echo(f"It needs at most {done.needed_bytes:,} bytes of free disk. Nothing was changed.")


def copy(
    session: CliRun,
    places: Annotated[
        list[str],
        Argument(
            metavar="[SOURCE] TARGET", help="Each a folder or postgresql://user@host/database; the target is made."
        ),
    ],
) -> None:
    """Copy the whole store, all its namespaces, to another place: a folder or a PostgreSQL database, either way.

    Without SOURCE it is the store of `--store`. The copy is of one moment; a digest of both says that every row is the
    same. Cut off, it goes on when it is run again.
    """
    if len(places) > _SOURCE_AND_TARGET:
        raise typer.BadParameter(f"Name the target, or the source and the target; {len(places)} places were named.")
    *source, target = places
    session = replace(session, store=source[0]) if source else session
    with session.memory() as memory:
        made = memory.store.copy(target)
        session.show(
            made,
            lambda: typer.echo(
                f"Copied {made.rows:,} rows to {made.place}, {made.bytes:,} bytes; sha256 {made.sha256}."
            ),
        )


def shards(
    session: CliRun,
    make: Annotated[
        bool, Option("--make", help="Make all schemas; more of them than before, where shards= says so.")
    ] = False,
) -> None:
    """List the schemas over which a store is spread: node of a Citus cluster, bytes, namespaces.

    The address says how many: postgresql://user@host/database?shards=64.
    """
    with session.memory() as memory:
        found = memory.store.shards(make=make)
        session.show(found, lambda: _render_shards(found))


def _render_shards(found: Sequence[Shard]) -> None:
    for one in found:
        typer.echo(f"{one.schema}: node {one.node or '-'}, {one.bytes:,} bytes, {counted(one.namespaces, 'namespace')}")


def move_namespace(
    session: CliRun,
    name: Annotated[str, Argument(metavar="NAME", help="The namespace.")],
    to: Annotated[str, Option(metavar="SCHEMA", help="The schema it is to lie in, as `store shards` names it.")],
) -> None:
    """Move a namespace to another schema of a store that is spread over several, while it is in use.

    It is one transaction; a digest says that every row is the same there. Who writes to the namespace meanwhile waits.
    """
    with session.memory() as memory:
        done = memory.store.move_namespace(name, to=to)
        session.show(done, lambda: _render_move(done))


def _render_move(done: MovedNamespace) -> Iterator[str]:
    rows = f"{counted(done.rows, 'row')} of {one_line(done.namespace)}"
    yield f"Moved {rows} from {done.source} to {done.target}; sha256 {done.sha256}."
    yield from lingering_lines(done.lingering_in)


def export_namespace(
    session: CliRun,
    target: Annotated[Path, Argument(metavar="FILE", help="The file to make; `-` for standard output.")],
    vectors: Annotated[
        bool, Option("--vectors", help="Write vectors too; otherwise they are made again on import.")
    ] = False,
) -> None:
    """Write a namespace as JSON lines: documents with all versions, episodes, edges, review items, events.

    With `-`, the counts go nowhere.
    """
    with session.memory() as memory:
        is_stream = str(target) == "-"
        done = memory.store.export(sys.stdout.buffer if is_stream else target, with_vectors=vectors)
        if not is_stream:
            counts = _counts(done.documents, done.episodes, done.events)
            session.show(done, lambda: typer.echo(f"Exported {counts} of {one_line(done.namespace)}."))


def export_subject(
    session: CliRun,
    target: Annotated[Path, Argument(metavar="FILE", help="The file to make; `-` for standard output.")],
    speaker: Annotated[str | None, Option(help="Whose, by what they said.")] = None,
    principal: Annotated[str | None, Option(metavar="NAME", help="Whose, by whom it was done for, instead.")] = None,
) -> None:
    """Write all that is one person's as JSON lines: what they said, asked, were answered and rated, with dates.

    It is what `forget` of the same name erases. It is for the person, and not to be imported again. With `-`, the counts go
    nowhere.
    """
    from evolore.flows.transfer import new_file  # noqa: PLC0415 - `--help` need not pay for it

    with session.memory() as memory:
        found = memory.export_subject(speaker=speaker, principal=principal)
        is_stream = str(target) == "-"
        with new_file(sys.stdout.buffer if is_stream else target) as stream:
            stream.writelines(f"{line}\n".encode() for line in found.lines())
            stream.flush()
        if not is_stream:
            counts = ", ".join(counted(count, kind, _PLURALS[kind]) for kind, count in found.counts.items())
            shown = {"counts": found.counts, "file": str(target)}
            session.show(shown, lambda: typer.echo(f"Exported {counts or 'nothing'}."))


_PLURALS = {
    "statement": "statements",
    "question": "questions",
    "answer": "answers",
    "rating": "ratings",
    "feedback": "ratings of documents",
}


def import_namespace(
    session: CliRun,
    source: Annotated[
        Path, Argument(metavar="FILE", help="What `export` wrote, `-` for standard input; or what --from names.")
    ],
    kind: Annotated[
        str | None,
        Option(
            "--from",
            metavar="PROGRAM",
            help="Of another program: jsonl, mem0, langgraph, chatgpt, claude, slack, mbox, claude-code, codex.",
        ),
    ] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="With --from: count, and change nothing.")] = False,
) -> None:
    """Load an export into a namespace that was not written to yet: all of it, or nothing.

    With --from it is of another program, and every message or memory becomes a statement with its time, speaker and
    conversation. That may be done again: what is there already is not said again.
    """
    with session.memory() as memory:
        if kind is not None:
            moved = memory.store.move_in(source, kind, dry_run=dry_run)
            session.show(moved, lambda: _render_moved(moved))
            return
        if dry_run:
            raise InvalidValue("--dry-run is of --from: an export of ours is taken in whole, or not at all.")
        done = memory.store.import_(sys.stdin.buffer if str(source) == "-" else source)
        counts = _counts(done.documents, done.episodes, done.events)
        text = f"Imported {counts} into {one_line(done.namespace)}; {done.embedded:,} texts embedded."
        session.show(done, lambda: typer.echo(text))
        prepare(memory, quiet=session.as_json)


_MOST_UNREAD = 20


def _render_moved(moved: MovedIn) -> None:
    verb = "Would remember" if moved.is_dry_run else "Remembered"
    known = f"; {moved.known:,} were here already" if moved.known else ""
    typer.echo(f"{verb} {counted(moved.statements, 'statement')} of {counted(moved.sessions, 'conversation')}{known}.")
    for one in moved.unread[:_MOST_UNREAD]:
        typer.echo(f"Not read: {one_line(one.place)}: {one_line(one.reason)}.", err=True)
    if len(moved.unread) > _MOST_UNREAD:
        typer.echo(f"Not read: {len(moved.unread) - _MOST_UNREAD:,} more.", err=True)


def _counts(documents: int, episodes: int, events: int) -> str:
    return f"{counted(documents, 'document')}, {counted(episodes, 'episode')} and {counted(events, 'event')}"


def _render_verification(found: Verification) -> None:
    for chain in found.chains:
        typer.echo(_chain_line(chain))
        for id_ in chain.altered[:_SHOWN_IDS]:
            typer.echo(f"  not as it was written: {one_line(id_)}")
        if len(chain.altered) > _SHOWN_IDS:
            typer.echo(f"  and {len(chain.altered) - _SHOWN_IDS:,} more; --json lists them")


def _chain_line(chain: ChainCheck) -> str:
    counts = f"{counted(chain.events, 'event')}, {counted(chain.texts, 'text')} compared, {chain.erased:,} forgotten"
    if chain.is_whole:
        verdict = "whole"
    elif chain.broken_event is None:
        verdict = "texts were changed"
    else:
        verdict = f"broken at event {chain.broken_event:,}"
    return f"{one_line(chain.namespace)}: {verdict}; {counts}."


def _render_diagnosis(found: Diagnosis) -> None:
    for finding in found.findings:
        typer.echo(_finding_lines(finding))
    looked_at = ", ".join(map(one_line, found.namespaces)) or "nothing"
    left = sum(not finding.is_repaired for finding in found.findings)
    typer.echo(f"Checked: {looked_at}. {f'Findings: {left}.' if left else 'Nothing is wrong.'}")


def _finding_lines(finding: Finding) -> str:
    where = "" if finding.namespace is None else f"{one_line(finding.namespace)}: "
    named = f" ({one_line(', '.join(finding.examples))}{', …' if finding.count > len(finding.examples) else ''})"
    remedy = "Repaired." if finding.is_repaired else finding.remedy
    count = f"{finding.count:,} × " if finding.count > 1 else ""
    reason = f"{where}{count}{one_line(finding.reason)}{named if finding.examples else ''}"
    return f"{finding.kind.value}: {reason}\n  {remedy}"


def reembed(
    session: CliRun,
    to: Annotated[
        str | None, Option(metavar="[use|e5|use+e5|openai|model2vec]", help="The embedder the store is to have.")
    ] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what there is to do, and change nothing.")] = False,
    abandon: Annotated[
        bool, Option("--abandon", help="Abandon what was begun, and delete the vectors made for it.")
    ] = False,
) -> None:
    """Change the embedding model of a store, all its namespaces, while it is in use.

    Recall and all writes go on with the old model until every text is embedded with the new one; then the store
    switches at once. Whenever it is stopped, the same command goes on where it was. Afterwards set `embedder` to the
    new one, in the settings file or as EVOLORE_EMBEDDER: the store is refused with another.
    """
    with session.memory() as memory:
        if abandon:
            if to is not None or dry_run:
                raise InvalidValue("--abandon takes no other option: leave out --to and --dry-run.")
            given_up = memory.store.abandon_reembed()
            session.show(given_up, lambda: _render_abandoned(given_up))
            return
        if to is None:
            raise InvalidValue("Name the embedder the store is to have: --to use, e5, use+e5, openai or model2vec.")
        with _saying_what_stands(), naming_bar("reembed", quiet=session.as_json or dry_run) as show:

            def progress(*, done: int, texts: int) -> None:
                if show is not None:
                    show("reembed", done, texts)

            done = memory.store.reembed(to, dry_run=dry_run, progress=progress)
        session.show(done, lambda: _render(done, to))


def _render(done: Reembedded, to: str) -> Iterator[str]:
    if done.is_dry_run:
        yield (
            f"The store's embedding model is {_named(done.old_model)}. Of {counted(done.texts, 'text')}, "
            f"{done.remaining:,} would be embedded with {_named(done.new_model)}. Nothing was changed."
        )
        return
    if done.old_model == done.new_model:
        yield f"The store's embedding model is {_named(done.new_model)} already."
    else:
        yield (
            f"Changed from {_named(done.old_model)} to {_named(done.new_model)}: {counted(done.texts, 'text')}, "
            f"{done.embedded:,} embedded now. Set embedder = {to!r} in your settings: the store is refused with another."
        )
    if done.lingering_in:
        yield (
            f"Another process reads an older state of the store: {', '.join(done.lingering_in)} is not smaller yet. "
            "The same command, once it stops, frees the space."
        )


def _render_abandoned(given_up: AbandonedReembed) -> None:
    if given_up.model is None:
        typer.echo("No change of the embedding model was begun. Nothing was changed.")
    else:
        vectors = counted(given_up.deleted_vectors, "vector")
        typer.echo(
            f"Abandoned the change to {_named(given_up.model)}: {vectors} deleted. The store is as it was before."
        )


def _named(model: EmbeddingModel) -> str:
    return f"{model.id} ({model.dimension} dimensions)"


@contextmanager
def _saying_what_stands() -> Generator[None]:
    """When stopped by the user, say what was done and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write(
            "The vectors made so far are kept, and recall goes on as before: the same command goes on from here, "
            "`evolore store reembed --abandon` undoes it.\n"
        )
        raise
