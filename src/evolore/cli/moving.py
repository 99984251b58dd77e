"""The commands that check, mend, copy and move a store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolore.cli.preparing import prepare
from evolore.cli.printing import counted, one_line
from evolore.cli.session import EXIT_INPUT, JsonOption, NamespaceOption, Session, StoreOption

if TYPE_CHECKING:
    from evolore.domain.health import ChainCheck, Diagnosis, Finding, Verification

_ANOTHER_NAMESPACE = "Of no effect here: all namespaces are copied."
_SHOWN_IDS = 20


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(verify)
    app.command()(doctor)
    app.command()(backup)
    app.command("export")(export_namespace)
    app.command("import")(import_namespace)


def verify(
    all_namespaces: Annotated[bool, typer.Option("--all", help="Check every namespace of the store.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that every event, and every text that is left, is as it was written.

    Exits with 1 when one is not.
    """
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.verify(all_namespaces=all_namespaces)
        session.show(found, lambda: _render_verification(found))
        if not found.is_whole:
            raise typer.Exit(EXIT_INPUT)


def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Repair what is derived or left over.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look for everything that is wrong in a store, and say what to do about it.

    Looks at every namespace, or at the one that is named. Repairing deletes no text that was ever visible; do it while
    nobody adds documents. Exits with 1 when something is wrong that was not repaired.
    """
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.doctor(repair=repair, all_namespaces=namespace is None)
        session.show(found, lambda: _render_diagnosis(found))
        if not found.is_whole:
            raise typer.Exit(EXIT_INPUT)


def backup(
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The folder to make.")],
    store: StoreOption = None,
    namespace: Annotated[
        str | None, typer.Option("--namespace", envvar="EVOLORE_NAMESPACE", help=_ANOTHER_NAMESPACE)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Copy the whole store into a new folder, while it is in use.

    The copy is of one moment, and is a store like any other.
    """
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        made = memory.backup(target)
        session.show(made, lambda: typer.echo(f"Copied to {made.path}, {made.bytes:,} bytes."))


def export_namespace(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The file to make; `-` for standard output.")],
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Write vectors too; otherwise they are made anew on import.")
    ] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a namespace as JSON lines: documents with all versions, episodes, edges, review items, events.

    With `-`, the counts go nowhere.
    """
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        is_stream = str(target) == "-"
        done = memory.export_to(sys.stdout.buffer if is_stream else target, with_vectors=vectors)
        if not is_stream:
            counts = _counts(done.documents, done.episodes, done.events)
            session.show(done, lambda: typer.echo(f"Exported {counts} of {one_line(done.namespace)}."))


def import_namespace(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="What `export` wrote; `-` for standard input.")],
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take an export into a namespace that nothing was written to yet: all of it, or nothing."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        done = memory.import_from(sys.stdin.buffer if str(source) == "-" else source)
        counts = _counts(done.documents, done.episodes, done.events)
        text = f"Imported {counts} into {one_line(done.namespace)}; {done.embedded:,} texts embedded."
        session.show(done, lambda: typer.echo(text))
        prepare(memory, quiet=as_json)


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
    typer.echo(f"Looked at: {looked_at}. {f'Findings: {left}.' if left else 'Nothing is wrong.'}")


def _finding_lines(finding: Finding) -> str:
    where = "" if finding.namespace is None else f"{one_line(finding.namespace)}: "
    named = f" ({one_line(', '.join(finding.examples))}{', …' if finding.count > len(finding.examples) else ''})"
    remedy = "Repaired." if finding.is_repaired else finding.remedy
    count = f"{finding.count:,} × " if finding.count > 1 else ""
    reason = f"{where}{count}{one_line(finding.reason)}{named if finding.examples else ''}"
    return f"{finding.kind.value}: {reason}\n  {remedy}"
