"""The commands."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from evolore.cli.evaluate import evaluate_app
from evolore.cli.labels import read_pairs
from evolore.cli.moving import register as register_moving
from evolore.cli.session import (
    EXIT_INPUT,
    EXIT_TRY_AGAIN,
    EXIT_USAGE,
    JsonOption,
    NamespaceOption,
    Session,
    StoreOption,
    parse_time,
    print_error,
)

MetaOption = Annotated[
    list[str] | None,
    typer.Option(
        "--meta",
        metavar="NAME=VALUE",
        help="Metadata to file it under: a text, a number, true or false. May be repeated.",
    ),
]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag to file it under. May be repeated.")
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="NAME=VALUE", help="Only what has this metadata. May be repeated."),
]
WithTagOption = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Only what has this tag. May be repeated.")
]
SinceOption = Annotated[
    str | None, typer.Option(help="Only what happened, or else was recorded, then or later. UTC without a zone.")
]
UntilOption = Annotated[
    str | None, typer.Option(help="Only what happened, or else was recorded, before then. UTC without a zone.")
]

app = typer.Typer(
    name="evolore",
    help="A long-term memory and knowledge base that keeps itself in order.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(evaluate_app, name="evaluate")


def run() -> None:
    """Run the command line on the arguments of the process."""
    for stream in (sys.stdout, sys.stderr):
        # A text in another script must not end in a traceback on a terminal that cannot show it.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    if "--json" in sys.argv[1:]:
        _run_as_json()
    else:
        app()


def _run_as_json() -> None:
    """Answer a wrong use or a refusal as JSON too."""
    try:
        sys.exit(app(standalone_mode=False))
    except typer.Abort:
        print_error("Aborted", "Nothing was changed.")
        sys.exit(EXIT_INPUT)
    except TyperException as error:
        print_error("UsageError", str(error))
        sys.exit(EXIT_USAGE)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it with the flag
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - only this option needs it

        typer.echo(f"evolore {version('evolore')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """A long-term memory and knowledge base that keeps itself in order."""
    del version


@app.command()
def add(
    paths: Annotated[list[Path], typer.Argument(help="Files, or folders to walk.", metavar="PATH…")],
    meta: MetaOption = None,
    tag: TagOption = None,
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
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add documents: Markdown, text, HTML; files and folders.

    Each document is added whole or not at all. A changed file becomes the next version of its document; an unchanged
    one is left alone, but for `--meta` and `--tag`, which replace what it was filed under. Exits with 1 when a file
    could not be added; the others are. `--sync forget` erases, as `forget` does and without asking, every document
    that came from a file in the folders given and whose file is gone.
    """
    from evolore.cli.adding import AddDisplay, render_added  # noqa: PLC0415 - `--help` should not pay for it
    from evolore.cli.preparing import prepare  # noqa: PLC0415 - likewise

    session = Session(store, namespace, as_json)
    with session.explaining(), session.memory() as memory:
        metadata = read_pairs(meta, "--meta") if meta else None
        with AddDisplay(quiet=as_json) as display:
            added = memory.add(
                *paths,
                metadata=metadata,
                tags=tag or None,
                include=include or (),
                exclude=exclude or (),
                sync=sync,
                progress=display,
            )
        session.show(added, lambda: render_added(added, display.seconds))
        if any(document.new_leaves for document in added.documents):
            prepare(memory, quiet=as_json)
        if added.failures:
            raise typer.Exit(EXIT_INPUT)
        if added.receipt is not None and added.receipt.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)


@app.command()
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
    """Remember a statement, and print its id."""
    session = Session(store, namespace, as_json)
    with session.explaining(), session.memory() as memory:
        episode = memory.remember(
            sys.stdin.read() if text == "-" else text,
            occurred_at=parse_time(at, "--at"),
            speaker=speaker,
            session=session_name,
            arousal=arousal,
            about=about,
            metadata=read_pairs(meta, "--meta"),
            tags=tag or (),
        )
        session.show(episode, lambda: typer.echo(episode.id))


@app.command()
def recall(
    question: Annotated[str, typer.Argument(help="What you want to know; `-` reads it from standard input.")],
    limit: Annotated[int, typer.Option(help="How many passages at the most.")] = 5,
    as_of: Annotated[
        str | None, typer.Option(help="The moment to ask from: what came later is not seen. UTC without a zone.")
    ] = None,
    where: WhereOption = None,
    tag: WithTagOption = None,
    session_name: Annotated[str | None, typer.Option("--session", help="Only statements of this conversation.")] = None,
    speaker: Annotated[str | None, typer.Option(help="Only statements of this speaker.")] = None,
    source: Annotated[
        str | None, typer.Option(help="Only passages of this document, or of the documents in this folder.")
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each score is the sum of.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the passages that answer a question, best first.

    Options that begin with "Only" may be combined; what does not match all of them takes no part.
    """
    from evolore.cli.show import render_recall  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.explaining(), session.memory() as memory:
        text = sys.stdin.read() if question == "-" else question
        found = memory.recall(
            text,
            limit=limit,
            as_of=parse_time(as_of, "--as-of"),
            where=read_pairs(where, "--where"),
            tags=tag or (),
            session=session_name,
            speaker=speaker,
            source=source,
            since=parse_time(since, "--since"),
            until=parse_time(until, "--until"),
        )
        session.show(found, lambda: render_recall(found, explain=explain))


@app.command()
def tree(
    document: Annotated[str, typer.Argument(help="A document: its id, the beginning of it, or its path.")],
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a document's outline: codes, sizes, tiers, and the bits each boundary gains."""
    from evolore.cli.show import render_tree  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.explaining(), session.memory() as memory:
        found = memory.tree(document)
        session.show(found, lambda: render_tree(found))


@app.command("list")
def list_items(
    limit: Annotated[int, typer.Option(help="How many statements at the most, newest first.")] = 20,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the documents and the newest statements."""
    from evolore.cli.show import render_listing  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.explaining(), session.memory() as memory:
        listing = memory.list(limit=limit)
        session.show(listing, lambda: render_listing(listing))


@app.command()
def show(
    item_id: Annotated[str, typer.Argument(metavar="ID", help="An id, or the beginning of one.")],
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one document or episode."""
    from evolore.cli.show import render_item  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.explaining(), session.memory() as memory:
        item = memory.show(item_id)
        session.show(item, lambda: render_item(item))


@app.command()
def stats(store: StoreOption = None, namespace: NamespaceOption = None, as_json: JsonOption = False) -> None:
    """Count what the namespace holds."""
    from evolore.cli.show import render_stats  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.explaining(), session.memory() as memory:
        counted = memory.stats()
        session.show(counted, lambda: render_stats(counted))


def _is_terminal() -> bool:
    return sys.stdin.isatty()


@app.command()
def forget(
    item_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="A document's or statement's id, or its beginning.")
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
    """Erase documents and statements everywhere; on a terminal it asks first.

    Name exactly one of: an id, --source, --session, --speaker, --everything, or a filter of --where, --tag, --since
    and --until, which may be combined. A filter takes statements and, with --where or --tag, whole documents.

    Exits with 4 when another process still reads an older state of the store, so that erased bytes linger in a file.
    """
    from evolore.cli.show import item_line, receipt_line, render_receipt  # noqa: PLC0415 - `--help` need not pay for it

    session = Session(store, namespace, as_json)
    with session.explaining(), session.memory() as memory:
        erase = partial(
            memory.forget,
            item_id,
            document=source,
            session=session_name,
            speaker=speaker,
            where=read_pairs(where, "--where"),
            tags=tag or (),
            since=parse_time(since, "--since"),
            until=parse_time(until, "--until"),
            everything=everything,
        )
        if not (yes or dry_run) and _is_terminal():
            would_go = receipt_line(erase(dry_run=True))
            named = would_go if item_id is None else item_line(memory.show(item_id))
            typer.confirm(f"Erase {named} for good?", abort=True)
        receipt = erase(dry_run=dry_run)
        session.show(receipt, lambda: render_receipt(receipt))
        if receipt.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)


register_moving(app)
