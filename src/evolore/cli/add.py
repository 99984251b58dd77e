"""The commands that put something in and take it out, and how they show what they do."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import current_thread, main_thread
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Self, assert_never

import typer
from rich.filesize import decimal
from typer import Argument, Option

from evolore.cli.printing import counted, counting_bar, naming_bar, short_source
from evolore.cli.session import (
    EXIT_INPUT,
    EXIT_TRY_AGAIN,
    CliRun,
    MetaOption,
    NoMetaOption,
    NoTagsOption,
    SinceOption,
    SyncOption,
    TagOption,
    UntilOption,
    WhereOption,
    WithTagOption,
    read_pairs,
    refuse_both,
)
from evolore.domain.evolution import PromotionStanding, Standing
from evolore.domain.secret import places_of
from evolore.domain.times import read_moment
from evolore.errors import InvalidValue, NotFound
from evolore.ports import LeftOut, LeftOutReason
from evolore.sources.formats import CONVERTED_BY
from evolore.text.display import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from evolore.flows.add import Added
    from evolore.memory import Memory


def add(
    session: CliRun,
    paths: Annotated[
        list[str],  # a path would lose a stroke of an address
        Argument(help="Files, folders to walk, or addresses such as s3://bucket/guides.", metavar="PATH"),
    ],
    meta: MetaOption = None,
    tag: TagOption = None,
    no_meta: NoMetaOption = False,
    no_tags: NoTagsOption = False,
    include: Annotated[
        list[str] | None,
        Option(metavar="PATTERN", help="Add of folders only what fits, such as: 'guides/**/*.md'. Repeatable."),
    ] = None,
    exclude: Annotated[
        list[str] | None, Option(metavar="PATTERN", help="Leave out of folders what fits. Repeatable.")
    ] = None,
    sync: SyncOption = None,
    follow_links: Annotated[
        bool, Option("--follow-links", help="Add files outside the folders, too, that links in the folders lead to.")
    ] = False,
    workers: Annotated[
        str, Option(metavar="N", help="How many processes read, cut and embed; `ray:N` for so many of Ray's.")
    ] = "1",
) -> None:
    """Add documents: Markdown, text, HTML, PDF, Office, books, mail, notebooks; files and folders.

    Data and programs (CSV, JSON, code) come from a folder only where `--include` names their ending.

    Each document is added whole or not at all. A changed file becomes the next version of its document; an unchanged
    one is left alone, but for `--meta` and `--tag`, which replace what it was filed under, and `--no-meta` and
    `--no-tags`, which take it away. Exits with 1 when a file
    could not be added; the others are. `--sync forget` erases, as `forget` does and without asking, every document
    that came from a file in the folders given and whose file is gone.
    """
    with session.memory() as memory:
        refuse_both(meta, "--meta", no_meta, "--no-meta")
        refuse_both(tag, "--tag", no_tags, "--no-tags")
        with AddDisplay(quiet=session.as_json) as display:
            added = memory.add(
                *paths,
                metadata=read_pairs(meta, "--meta") if meta or no_meta else None,
                tags=tag or (() if no_tags else None),
                include=include or (),
                exclude=exclude or (),
                sync=sync,
                follow_links=follow_links,
                workers=workers,
                progress=display,
            )
        session.show(added, lambda: render_added(added, display.seconds))
        if any(document.new_leaves for document in added.documents):
            prepare(memory, quiet=session.as_json)
        if added.failures:
            raise typer.Exit(EXIT_INPUT)
        if added.receipt is not None and added.receipt.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)


def remember(
    session: CliRun,
    text: Annotated[str, Argument(help="What to remember; `-` reads it from standard input.")],
    at: Annotated[str | None, Option(help="When it happened: a date or time, UTC without a zone.")] = None,
    speaker: Annotated[str | None, Option(help="Who said it.")] = None,
    session_name: Annotated[str | None, Option("--session", help="The conversation it belongs to.")] = None,
    arousal: Annotated[float | None, Option(help="How strongly felt, 0 to 1.")] = None,
    about: Annotated[
        tuple[str, str] | None, Option(metavar="SUBJECT ATTRIBUTE", help="What it states, such as: --about office city")
    ] = None,
    meta: MetaOption = None,
    tag: TagOption = None,
    kind: Annotated[str, Option(help="`procedure` for steps; --about or line 1 is the goal.")] = "statement",
    outcome: Annotated[
        str | None, Option(metavar="worked|failed", help="How a procedure turned out; the same text tells the next.")
    ] = None,
) -> None:
    """Remember a statement, and print its id; its outcome goes to standard error.

    What repeats a known statement becomes one with it, what does not fit together with one is filed for review, and
    with `--about` the later statement takes the place of the earlier. `undo` takes each of these back.
    """
    from evolore.cli.maintenance import render_remembered  # noqa: PLC0415 - `--help` need not pay for it
    from evolore.domain.episode import Statement  # noqa: PLC0415 - likewise

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
            kind=kind,
            outcome=outcome,
        )
        remembered = memory.remember_many([statement]).only
        session.show(remembered, lambda: render_remembered(remembered))


def correct(
    session: CliRun,
    item_id: Annotated[str, Argument(metavar="ID", help="The statement's id, or its beginning.")],
    text: Annotated[
        str | None, Argument(help="What it should say; `-` reads it from standard input.", show_default=False)
    ] = None,
) -> None:
    """Correct one statement: a new version takes its place, and its id is printed. Without a text it is retired.

    The old version is found as superseded; what is retired is not found any more, but not erased. `undo` takes either back.
    """
    from evolore.cli.maintenance import render_remembered  # noqa: PLC0415 - `--help` need not pay for it

    with session.memory() as memory:
        done = memory.correct(item_id, sys.stdin.read() if text == "-" else text)

        def render() -> None:
            if done.statement is None:
                typer.echo(f"Retired {done.old_id}. Undo it with: evolore undo {done.event_ids[0]}")
            else:
                render_remembered(done.statement)

        session.show(done, render)


def _ask(named: str) -> None:
    if not sys.stdin.isatty():
        raise InvalidValue(
            f"Nothing was erased: {named} would go for good, and there is no terminal to ask in; add --yes."
        )
    typer.confirm(f"Erase {named} for good?", abort=True)


def forget(
    session: CliRun,
    item_id: Annotated[
        str | None,
        Argument(
            metavar="ID",
            help="The id of a document, statement, question or answer, its beginning, or a document's path.",
        ),
    ] = None,
    source: Annotated[str | None, Option(help="The document with this source, path or id.")] = None,
    session_name: Annotated[str | None, Option("--session", help="All statements of this conversation.")] = None,
    speaker: Annotated[
        str | None, Option(help="All that is this person's: statements, questions, answers, ratings.")
    ] = None,
    of_principal: Annotated[
        str | None,
        Option("--principal", metavar="NAME", help="The same of a principal: what was done on their behalf."),
    ] = None,
    where: WhereOption = None,
    tag: WithTagOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    everything: Annotated[bool, Option("--everything", help="All that the namespace holds.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would go, and change nothing.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Erase documents and statements everywhere; it asks first, unless you say `--yes`.

    Name exactly one of: an id, --source, --session, --speaker, --principal, --everything, or a filter of --where, --tag, --since
    and --until, which may be combined. A filter takes statements and, with --where or --tag, whole documents.

    Exits with 4 when erased bytes may linger in a file, as while another process reads an older state of the store.
    """
    from evolore.cli.show import item_line, receipt_line, render_receipt  # noqa: PLC0415 - `--help` need not pay for it

    with session.memory() as memory:
        erase = partial(
            memory.forget,
            item_id,
            document=source,
            session=session_name,
            speaker=speaker,
            of_principal=of_principal,
            where=read_pairs(where, "--where"),
            tags=tag or (),
            since=read_moment(since, "--since"),
            until=read_moment(until, "--until"),
            everything=everything,
        )
        if not (yes or dry_run):
            would_go = erase(dry_run=True)
            is_item = item_id is not None and would_go.documents + would_go.episodes > 0
            named = receipt_line(would_go)
            with suppress(NotFound):  # what is half-written cannot be shown
                named = item_line(memory.show(item_id or "")) if is_item else named
            _ask(named)
        receipt = erase(dry_run=dry_run)
        session.show(receipt, lambda: render_receipt(receipt))
        if receipt.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)


def expire(
    session: CliRun,
    older_than: Annotated[
        float | None, Option("--older-than", metavar="DAYS", help="What is older than so many days.")
    ] = None,
    tag: WithTagOption = None,
    session_name: Annotated[str | None, Option("--session", help="What belongs to this conversation.")] = None,
    questions: Annotated[
        bool, Option("--questions", help="Questions of that age too, with answers and ratings.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would go, and change nothing.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Erase the statements that meet every rule given, as `forget` does; it asks first, unless you say `--yes`.

    Documents stay. The settings under `retention` have `maintain` do so by itself.

    Exits with 4 when erased bytes may linger in a file, as while another process reads an older state of the store.
    """
    from evolore.cli.show import receipt_line, render_expired  # noqa: PLC0415 - `--help` need not pay for it

    with session.memory() as memory:
        if tag is not None and len(tag) > 1:
            raise InvalidValue(f"--tag is given {len(tag)} times: let things go by one tag at a time.")
        only = tag[0] if tag else None
        erase = partial(memory.expire, older_than_days=older_than, tag=only, session=session_name, questions=questions)
        if not (yes or dry_run):
            would_go = erase(dry_run=True)
            if would_go.receipt is not None:
                _ask(receipt_line(would_go.receipt))
        done = erase(dry_run=dry_run)
        session.show(done, lambda: render_expired(done))
        if done.receipt is not None and done.receipt.lingering_in:
            raise typer.Exit(EXIT_TRY_AGAIN)


INSTALL = '`pip install "evolore[files]"`'
_SHOWN_NAME = 24
_SHOWN_KINDS = 5
_SECONDS_BETWEEN_LINES = 10


class AddDisplay:
    """A progress bar on a terminal, a line every ten seconds elsewhere; when stopped, says what is in the store.

    SIGTERM stops as Ctrl-C does.
    """

    def __init__(self, *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet, self._clock = quiet, clock
        self._started = self._shown = self._since = clock()
        self._done = self._documents = self._worked = 0
        self._rate = 0.0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._ends = False

    @property
    def seconds(self) -> float:
        """How long it has been going."""
        return self._clock() - self._started

    def __call__(
        self, source: str, *, documents_done: int, documents: int, bytes_done: int, bytes_total: int, bytes_skipped: int
    ) -> None:
        """Show how far it has come; the time left is by what was embedded in the last ten seconds."""
        self._done, self._documents = documents_done, documents
        done, total = (bytes_done, bytes_total) if bytes_total else (documents_done, documents)
        now, worked = self._clock(), done - bytes_skipped
        is_due = now - self._shown >= _SECONDS_BETWEEN_LINES
        if worked <= self._worked:  # until now it was read and cut
            self._since = now
        if is_due:
            self._rate = (worked - self._worked) / ((now - self._since) or 1)
            self._shown, self._since, self._worked = now, now, worked
        size = f", {decimal(done)} of {decimal(total)}" if bytes_total else ""
        left = f", {timedelta(seconds=round((total - done) / self._rate))} left" if self._rate > 0 else ""
        count, name = f"{documents_done:,} of {documents:,}", one_line(source.rsplit("/", 1)[-1][-_SHOWN_NAME:])
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total, name=name, told=f"{count}{size}{left}")
        elif is_due and not self._quiet:
            sys.stderr.write(f"{count} documents{size}{left}; now {name}\n")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        self._ends = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and current_thread() is main_thread()
        if self._ends:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        if not self._quiet and sys.stderr.isatty():
            self._bar = counting_bar("{task.fields[name]}", "{task.fields[told]}")
            self._task = self._bar.add_task("add", total=None, name="", told="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._ends:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if self._bar is not None:
            self._bar.stop()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            sys.stderr.write(
                f"{self._done} of {self._documents} documents are in the store, whole; "
                "the same command goes on with the others.\n"
            )


def render_added(added: Added, seconds: float) -> None:
    """Print the files that failed, what is to be said of others, and a summary line."""
    for failure in added.failures:
        sys.stderr.write(f"not added: {one_line(failure.reason)}\n")
    for one in added.documents:
        secrets = (f"It seems to hold a secret: {one_line(places_of(one.secrets))}.",) if one.secrets else ()
        for note in (*one.notes, *secrets):
            sys.stderr.write(f"note: {one_line(one.document.source)}: {note}\n")
        for standing in one.promotions:
            sys.stderr.write(f"{_standing_line(short_source(one.document.source), standing)}\n")
    word = "vanished" if added.receipt is None else "forgotten"
    for document in added.vanished:
        sys.stderr.write(f"{word}: {short_source(document.source)}\n")
    if added.receipt is not None and added.receipt.lingering_in:
        sys.stderr.write(
            f"Erased bytes may linger in {', '.join(added.receipt.lingering_in)}: "
            "`evolore store doctor --repair` takes them out.\n"
        )
    print(summary(added, seconds))  # noqa: T201 - the command's output
    if added.left_out:
        print(left_out_line(added.left_out))  # noqa: T201 - likewise


def _standing_line(source: str, one: PromotionStanding) -> str:
    """Describe in one line what became of a promoted section whose document's source changed."""
    section = f"{source}: {one_line(' > '.join(one.section)) or 'a section'}"
    match one.standing:
        case Standing.HELD:
            return f"promoted text holds: {section}"
        case Standing.WAITING:
            return f"your file and a promotion both changed {section}; the promoted text waits: evolore review show {one.review_id}"
        case Standing.IN_SOURCE:
            return f"said by the source: {section}"
        case Standing.GONE:
            return f"promoted text is gone: {section}"
        case _:
            assert_never(one.standing)


def left_out_line(left_out: Sequence[LeftOut]) -> str:
    """List in one line what was passed over in folders, and why."""
    parts = [_left_out(reason, [one for one in left_out if one.reason is reason]) for reason in LeftOutReason]
    return f"Left out: {'; '.join(filter(None, parts))}."


def _left_out(reason: LeftOutReason, some: Sequence[LeftOut]) -> str:  # noqa: C901 - a line a reason
    count = sum(one.count for one in some)
    names = [f"{one.count:,} {one_line(one.name) or 'without an ending'}" for one in some[:_SHOWN_KINDS]]
    if len(some) > _SHOWN_KINDS:
        names.append(f"{sum(one.count for one in some[_SHOWN_KINDS:]):,} others")
    if not count:
        return ""
    what = counted(count, "archive" if reason is LeftOutReason.ARCHIVE else "file")
    kinds = f"{what}{{}} ({', '.join(names)})"
    match reason:
        case LeftOutReason.EXTRA:
            told = kinds.format(f" that {INSTALL} reads")
        case LeftOutReason.ON_REQUEST:
            include = " ".join(f"--include '*{one.name}'" for one in some[:_SHOWN_KINDS])
            told = f"{kinds.format(' of data or programs')}, to be taken in with {include}"
        case LeftOutReason.ARCHIVE:
            told = kinds.format(" to unpack first")
        case LeftOutReason.KIND:
            ways = [f"{one.name} after {CONVERTED_BY[one.name]}" for one in some if one.name in CONVERTED_BY]
            told = kinds.format(" of a kind that is not read") + (f", but {', '.join(ways)}" if ways else "")
        case LeftOutReason.HIDDEN:
            told = counted(count, "hidden file")
        case LeftOutReason.PATTERN:
            told = f"{counted(count, 'file')} by --include or --exclude"
        case LeftOutReason.HIDDEN_FOLDER | LeftOutReason.LINKED_FOLDER | LeftOutReason.SKIPPED_FOLDER:
            kind = counted(count, f"{reason.value.removesuffix('_folder')} folder")
            told = f"{kind} ({', '.join(dict.fromkeys(one_line(one.name) for one in some[:_SHOWN_KINDS]))})"
        case _:
            assert_never(reason)
    return told


def summary(added: Added, seconds: float) -> str:
    """Report in one line what was done."""
    from evolore.flows.add import AddOutcome  # noqa: PLC0415 - `--help` need not pay for it

    counts = {outcome.value: sum(document.outcome is outcome for document in added.documents) for outcome in AddOutcome}
    passages = sum(document.new_leaves for document in added.documents)
    review_items = sum(document.review_items for document in added.documents)
    parts = [f"{count} {name}" for name, count in counts.items() if count or name == AddOutcome.ADDED]
    if added.failures:
        parts.append(f"{len(added.failures)} failed")
    if added.vanished:
        parts.append(f"{len(added.vanished)} {'vanished' if added.receipt is None else 'forgotten'}")
    review = f", {review_items} to review" if review_items else ""
    return f"Documents: {', '.join(parts)}. New passages: {passages}{review}. {seconds:.1f} s."


def prepare(memory: Memory, *, quiet: bool) -> None:
    """Build what is due, with a bar on a terminal; Ctrl-C leaves it to a later command."""
    try:
        with naming_bar("building the index", quiet=quiet) as show:
            memory.store.prepare(progress=show and partial(show, "building the index"))
    except KeyboardInterrupt:
        sys.stderr.write("Everything is in the store; recall is slower until its index files are built.\n")
        raise
