"""``evolore review``: what a person should look at."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evolore.cli.session import JsonOption, NamespaceOption, Session, StoreOption
from evolore.domain.review import ExportFormat, Keep, Priority, ReviewCategory, ReviewStatus

review_app = typer.Typer(
    help="The review queue: what a person should look at.", no_args_is_help=True, add_completion=False
)

ItemArgument = Annotated[str, typer.Argument(metavar="ID", help="A review item's id, or its beginning.")]
CategoryOption = Annotated[ReviewCategory | None, typer.Option(help="Only of this kind.")]
PriorityOption = Annotated[Priority | None, typer.Option(help="Only of this priority.")]
AboutOption = Annotated[str | None, typer.Option("--source", help="Only about the document with this source or id.")]
DaysOption = Annotated[
    int | None, typer.Option("--unresolved-for", metavar="DAYS", help="Only open ones filed so many days ago or more.")
]
NoteOption = Annotated[str | None, typer.Option(help="What was done or found.")]


@review_app.command("list")
def list_items(
    status: Annotated[ReviewStatus | None, typer.Option(help="Only these; by default the open ones.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Resolved ones too.")] = False,
    category: CategoryOption = None,
    priority: PriorityOption = None,
    source: AboutOption = None,
    unresolved_for: DaysOption = None,
    limit: Annotated[int | None, typer.Option(help="How many at the most.")] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what waits: the most urgent first, and of those the oldest first."""
    from evolore.cli.reviewing import render_items  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        items = memory.review_list(
            status=status or (None if everything else ReviewStatus.OPEN),
            category=category,
            priority=priority,
            document=source,
            unresolved_for_days=unresolved_for,
            limit=limit,
        )
        session.show({"items": items}, lambda: render_items(items))


@review_app.command()
def show(
    item_id: ItemArgument,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one review item: what happened, where, what was tried, and what can be done."""
    from evolore.cli.reviewing import render_review_item  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        item = memory.review_show(item_id)
        session.show(item, lambda: render_review_item(item))


@review_app.command()
def resolve(
    item_id: ItemArgument,
    note: NoteOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Resolve a review item; what it was filed for is not filed again."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        item = memory.review_resolve(item_id, note=note)
        session.show(item, lambda: typer.echo(f"Resolved {item.id}."))


@review_app.command()
def settle(
    item_id: ItemArgument,
    keep: Annotated[str, typer.Option(metavar=f"<{'|'.join(Keep)}>", help="Which of the two statements holds.")],
    note: NoteOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Settle a contradiction: the newer statement holds, the older, or both. `undo` takes it back."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        settled = memory.settle(item_id, keep=keep, note=note)

        def render() -> None:
            typer.echo(
                f"{settled.older.id} is {settled.older.state.value}, {settled.newer.id} is {settled.newer.state.value}."
            )
            typer.echo(f"Take it back with: evolore undo {settled.event_id}")

        session.show(settled, render)


@review_app.command()
def reopen(
    item_id: ItemArgument,
    note: NoteOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Open a resolved review item again."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        item = memory.review_reopen(item_id, note=note)
        session.show(item, lambda: typer.echo(f"Opened {item.id} again."))


@review_app.command()
def note(
    text: Annotated[str, typer.Argument(help="What to look at; `-` reads it from standard input.")],
    priority: Annotated[Priority, typer.Option(help="How soon.")] = Priority.NORMAL,
    about: Annotated[
        str | None, typer.Option(help="The document (source, path or id), passage or statement (id) it is about.")
    ] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """File a note by hand, and print its id."""
    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        item = memory.review_note(sys.stdin.read() if text == "-" else text, priority=priority, about=about)
        session.show(item, lambda: typer.echo(item.id))


@review_app.command()
def export(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A new file; `-` prints it instead.")],
    form: Annotated[ExportFormat, typer.Option("--format", help="How it is written.")] = ExportFormat.JSONL,
    status: Annotated[ReviewStatus | None, typer.Option(help="Only these; by default all.")] = None,
    category: CategoryOption = None,
    priority: PriorityOption = None,
    source: AboutOption = None,
    unresolved_for: DaysOption = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the review queue as JSON lines or CSV: open and resolved items."""
    session = Session(store, namespace, as_json)
    is_printed = str(path) == "-"
    with session.memory() as memory:
        count = memory.review_export(
            sys.stdout.buffer if is_printed else path,
            format=form,
            status=status,
            category=category,
            priority=priority,
            document=source,
            unresolved_for_days=unresolved_for,
        )
        if not is_printed:
            session.show({"path": path, "items": count}, lambda: typer.echo(f"Review items in {path}: {count}."))


@review_app.command()
def check(
    source: AboutOption = None,
    sample: Annotated[int, typer.Option(help="How many passages to choose.")] = 20,
    calls: Annotated[int, typer.Option(help="How many calls of the chat model may be made.")] = 4,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a chat model read some passages, and file those that do not stand alone.

    It needs a chat model: the setting `chat.model` names one and, in Python, `Memory.open(…, chat_model=…)` takes one.
    """
    from evolore.cli.reviewing import render_checked  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.check_chunks(source, sample=sample, calls=calls)
        session.show(found, lambda: render_checked(found))


@review_app.command()
def confirm(
    calls: Annotated[int, typer.Option(help="How many calls of the chat model may be made.")] = 4,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a chat model which side of open contradictions holds. `undo` takes back what it settles.

    It needs a chat model: the setting `chat.model` names one and, in Python, `Memory.open(…, chat_model=…)` takes one.
    """
    from evolore.cli.confirmed import render_confirmed  # noqa: PLC0415 - `--help` should not pay for it

    session = Session(store, namespace, as_json)
    with session.memory() as memory:
        found = memory.confirm_conflicts(calls=calls)
        session.show(found, lambda: render_confirmed(found))
