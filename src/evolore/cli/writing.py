"""The commands that put something in, and take it out."""

from __future__ import annotations

import sys
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolore.cli.labels import read_pairs, refuse_both
from evolore.cli.options import (
    MetaOption,
    NoMetaOption,
    NoTagsOption,
    SinceOption,
    TagOption,
    UntilOption,
    WhereOption,
    WithTagOption,
)
from evolore.cli.session import (
    EXIT_INPUT,
    EXIT_TRY_AGAIN,
    JsonOption,
    NamespaceOption,
    Session,
    StoreOption,
)
from evolore.domain.moments import read_moment
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.domain.episodes import Episode
    from evolore.flows.remember import Remembered


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(add)
    app.command()(remember)
    app.command()(forget)


def add(
    paths: Annotated[list[Path], typer.Argument(help="Files, or folders to walk.", metavar="PATH")],
    meta: MetaOption = None,
    tag: TagOption = None,
    no_meta: NoMetaOption = False,
    no_tags: NoTagsOption = False,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Take of folders only what fits, such as: 'guides/**/*.md'. Repeatable."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Leave out of folders what fits. Repeatable.")
    ] = None,
    sync: Annotated[
        str | None,
        typer.Option(metavar="[report|forget]", help="What to do about documents whose files left the folders."),
    ] = None,
    follow_links: Annotated[
        bool,
        typer.Option("--follow-links", help="Take files outside the folders, too, that links in the folders lead to."),
    ] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add documents: Markdown, text, HTML; files and folders.

    Each document is added whole or not at all. A changed file becomes the next version of its document; an unchanged
    one is left alone, but for `--meta` and `--tag`, which replace what it was filed under, and `--no-meta` and
    `--no-tags`, which take it away. Exits with 1 when a file
    could not be added; the others are. `--sync forget` erases, as `forget` does and without asking, every document
    that came from a file in the folders given and whose file is gone.
    """
    from evolore.cli.adding import AddDisplay, render_added  # noqa: PLC0415 - `--help` should not pay for it
    from evolore.cli.preparing import prepare  # noqa: PLC0415 - likewise

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        refuse_both(meta, "--meta", no_meta, "--no-meta")
        refuse_both(tag, "--tag", no_tags, "--no-tags")
        with AddDisplay(quiet=as_json) as display:
            added = memory.add(
                *paths,
                metadata=read_pairs(meta, "--meta") if meta or no_meta else None,
                tags=tag or (() if no_tags else None),
                include=include or (),
                exclude=exclude or (),
                sync=sync,
                follow_links=follow_links,
                progress=display,
            )
        session.show(added, lambda: render_added(added, display.seconds))
        if any(document.new_leaves for document in added.documents):
            prepare(memory, quiet=as_json)
        if added.failures:
            raise typer.Exit(EXIT_INPUT)
        if added.receipt is not None and added.receipt.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)


def remember(
    text: Annotated[str, typer.Argument(help="What to remember; `-` reads it from standard input.")],
    at: Annotated[str | None, typer.Option(help="When it happened: a date or time, UTC without a zone.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    session_name: Annotated[str | None, typer.Option("--session", help="The conversation it belongs to.")] = None,
    arousal: Annotated[float | None, typer.Option(help="How strongly felt, 0 to 1.")] = None,
    about: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="SUBJECT ATTRIBUTE", help="What it states, such as: --about office city"),
    ] = None,
    meta: MetaOption = None,
    tag: TagOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember a statement, and print its id; what became of it is said on standard error.

    What repeats a known statement becomes one with it, what does not fit together with one is filed for review, and
    with `--about` the later statement takes the place of the earlier. `undo` takes each of these back.
    """
    from evolore.cli.maintained import render_remembered  # noqa: PLC0415 - `--help` need not pay for it
    from evolore.domain.episodes import Statement  # noqa: PLC0415 - likewise

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        statement = Statement(
            text=sys.stdin.read() if text == "-" else text,
            occurred_at=read_moment(at, "--at"),
            speaker=speaker,
            session=session_name,
            arousal=arousal,
            about=about,
            metadata=read_pairs(meta, "--meta"),
            tags=tuple(tag or ()),
        )
        remembered = memory.remember_many([statement])
        session.show(
            {**_fields(remembered.episodes[0]), **_what_became(remembered)}, lambda: render_remembered(remembered)
        )


def _fields(value: Episode) -> dict[str, object]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _what_became(remembered: Remembered) -> dict[str, object]:
    return {
        "integrated": remembered.integrated[0],
        "event_ids": remembered.event_ids,
        "review_ids": remembered.review_ids,
    }


def _is_terminal() -> bool:
    return sys.stdin.isatty()


def _ask(named: str) -> None:
    if not _is_terminal():
        raise InvalidValue(f"Nothing was erased: {named} would go for good, and nobody can be asked; add --yes.")
    typer.confirm(f"Erase {named} for good?", abort=True)


def forget(
    item_id: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="The id of a document, statement, question or answer, its beginning, or a document's path.",
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(help="The document with this source, path or id.")] = None,
    session_name: Annotated[str | None, typer.Option("--session", help="All statements of this conversation.")] = None,
    speaker: Annotated[str | None, typer.Option(help="All statements of this speaker.")] = None,
    where: WhereOption = None,
    tag: WithTagOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    everything: Annotated[bool, typer.Option("--everything", help="All that the namespace holds.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase documents and statements everywhere; it asks first, unless you say `--yes`.

    Name exactly one of: an id, --source, --session, --speaker, --everything, or a filter of --where, --tag, --since
    and --until, which may be combined. A filter takes statements and, with --where or --tag, whole documents.

    Exits with 4 when another process still reads an older state of the store, so that erased bytes linger in a file.
    """
    from evolore.cli.show import item_line, receipt_line, render_receipt  # noqa: PLC0415 - `--help` need not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        erase = partial(
            memory.forget,
            item_id,
            document=source,
            session=session_name,
            speaker=speaker,
            where=read_pairs(where, "--where"),
            tags=tag or (),
            since=read_moment(since, "--since"),
            until=read_moment(until, "--until"),
            everything=everything,
        )
        if not (yes or dry_run):
            would_go = erase(dry_run=True)
            is_item = item_id is not None and would_go.documents + would_go.episodes > 0
            _ask(item_line(memory.show(item_id or "")) if is_item else receipt_line(would_go))
        receipt = erase(dry_run=dry_run)
        session.show(receipt, lambda: render_receipt(receipt))
        if receipt.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)
