"""Read, cut and embed documents, without the store: here, or in other processes, a batch at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, Self, TypeAlias

from evolore.domain.document import AttemptOutcome, Document, MediaType, unread_day, with_upkeep
from evolore.domain.metadata import KEEP_LABELS, Labels
from evolore.domain.times import read_moment
from evolore.errors import InputError, InvalidValue, UnreadableSource
from evolore.flows.context import Context, Preparer
from evolore.flows.document_version import CutText, cut_text, fresh_keys
from evolore.flows.rebase import text_sha256
from evolore.ports import ItemKeys, SourceText
from evolore.text.secret_signs import named_tags, screened
from evolore.text.sections import front_matter

_BATCH_BYTES: Final = 64_000
"""About a second of work with the default embedder: two workers end within that of each other."""
_BATCH_ITEMS: Final = 32
_UNKNOWN_BYTES: Final = 16_000
_RAY: Final = "ray"
NO_MEMORY: Final = "'{name}' needs more memory than there is: split it, or allow the process more."
_ENDED_TWICE: Final = (
    "'{name}' ended every process that read it, by a crash or for want of memory: add it alone, or leave it out."
)

_DATES: Final = (
    *("updated", "updatedat", "date", "lastmod", "lastmodified", "lastupdated", "modified", "published"),
    *("created", "createdat"),
)
"""What a document's date is stated under, in the order in which one decides; case, ``-``, ``_`` and blanks do not count."""
_NO_DATES: Final = frozenset(("", "~", "null", "none", "true", "false", "yes", "no"))
_BETWEEN: Final = re.compile(r"[\s_-]")
_LONGEST_DATE: Final = 60

Item: TypeAlias = Path | str | SourceText
"""A file, an address, or a text at hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """Who does the work."""

    count: int = 1  #: How many processes, at least 1; 1 without Ray is this process.
    on_ray: bool = False  #: Whether they are Ray's, on the cluster it is connected to, else on this machine.

    @classmethod
    def of(cls, given: int | str) -> Self:
        """Read a number, or ``"ray:4"`` for as many of Ray's.

        >>> Workers.of("ray:2")
        Workers(count=2, on_ray=True)
        """
        named, _, number = str(given).rpartition(":")
        if isinstance(given, bool) or named not in {"", _RAY} or not (number.isascii() and number.isdecimal()):
            raise InvalidValue(f"workers is {given!r}: use a number of processes such as 2, or 'ray:2' for Ray's.")
        if int(number) < 1:
            raise InvalidValue(f"workers is {given!r}: use at least 1.")
        return cls(count=int(number), on_ray=named == _RAY)

    @property
    def is_here(self) -> bool:
        """Whether the work is done in this process."""
        return self.count == 1 and not self.on_ray


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareTask:
    """A document to prepare."""

    place: int  #: Which it is of those that are added.
    item: Item  #: What it is.
    name: str  #: What it is called in messages, and mostly in the store.
    labels: Labels = KEEP_LABELS  #: What it is filed under; a text at hand is filed already.
    known: Document | None = None  #: What the store held of it when it was looked up; None for nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyDoc:
    """A document that is ready to be written, as far as that was worth it."""

    text: SourceText  #: What was read.
    #: Its tree; None where the store holds the text already, or a chat model has to be asked.
    cut: CutText | None = None
    #: What is indexed of its leaves, by their places; None where the store holds an earlier version, whose leaves are
    #: kept where they stay, and where there are more than are held in memory at once.
    keys: Mapping[int, ItemKeys] | None = None


def prepare(
    preparer: Preparer, tasks: Sequence[PrepareTask], tell: Callable[[float], None] | None = None
) -> tuple[ReadyDoc | InputError, ...]:
    """Read, cut and embed documents, or say why not; the same files yield the same result in every process."""
    return tuple(_prepared(preparer, task, tell) for task in tasks)


def _prepared(preparer: Preparer, task: PrepareTask, tell: Callable[[float], None] | None) -> ReadyDoc | InputError:
    try:
        text = read_item(preparer, task.item, task.labels, task.known)
        if task.known is not None and task.known.source_sha256 == text_sha256(text.text):
            return ReadyDoc(text=text)
        cut = cut_text(preparer, text)
        if task.known is not None or len(cut.tree.leaves) > preparer.max_leaves_at_once:
            return ReadyDoc(text=text, cut=cut)
        batches = fresh_keys(preparer, cut, tell=tell)
        return ReadyDoc(text=text, cut=cut, keys={place: key for batch in batches for place, key in batch.items()})
    except InputError as error:
        return error
    except MemoryError:
        return UnreadableSource(NO_MEMORY.format(name=task.name))


def read_item(preparer: Preparer, item: Item, labels: Labels, known: Document | None) -> SourceText:
    """Read, file, screen and describe a document.

    Raises:
        InputError: It cannot be read, or it holds a secret and the settings refuse those.
    """
    text = (
        item
        if isinstance(item, SourceText)
        else preparer.addresses.read(item)
        if isinstance(item, str)
        else preparer.reader.read(item)
    )
    if labels != KEEP_LABELS:
        text = replace(text, metadata=labels.metadata, tags=labels.tags)
    fields, metadata, found = screened(
        {"text": text.text, "title": text.title, **named_tags(text.tags or ())},
        text.metadata or {},
        preparer.secrets,
        of=f"'{text.source}'",
    )
    if found:
        filed = None if text.metadata is None else metadata
        said, title = fields.pop("text"), fields.pop("title")
        tags = text.tags and tuple(dict.fromkeys(fields.values()))
        text = replace(text, text=said, title=title, metadata=filed, tags=tags, secrets=found)
    return _described(text, known)


def _described(text: SourceText, known: Document | None) -> SourceText:
    """Return a text with its date, and with what its front matter states of its upkeep among its metadata."""
    front = front_matter(text.text if text.media_type is MediaType.MARKDOWN else "")
    metadata = with_upkeep(text.metadata, front, known.metadata if known else {})
    unread = unread_day(front)
    notes = (f"No day to verify by was kept: {unread!r} is no date such as 2026-12-31.",) if unread else ()
    return dated(replace(text, metadata=metadata, notes=(*text.notes, *notes)))


def dated(text: SourceText) -> SourceText:
    """Date a text as what it is filed under says, or else its front matter, or else the properties of its file.

    The first that is stated decides. One that cannot be read is reported in the notes and dates nothing.
    """
    stated = None if text.occurred_at else _stated(text)
    if stated is None:
        return text
    name, written = stated
    try:
        return replace(text, occurred_at=read_moment(written, name))
    except InvalidValue as error:
        return replace(text, notes=(*text.notes, f"No date was kept: {error}"))


def _stated(text: SourceText) -> tuple[str, str] | None:
    """Return the date that a text is stated to have, and under which name."""
    own = text.text if text.media_type is MediaType.MARKDOWN else ""
    for stated in (text.metadata or {}, front_matter(own), {"date": text.file_date}):
        known = {_BETWEEN.sub("", name.casefold()): (name, str(value)) for name, value in stated.items()}
        for name, value in (known[one] for one in _DATES if one in known):
            if value.strip().casefold() not in _NO_DATES:
                return name, value[:_LONGEST_DATE]
    return None


def prepare_each(
    context: Context,
    tasks: Sequence[PrepareTask],
    *,
    workers: Workers,
    telling: Callable[[PrepareTask], Callable[[float], None]],
) -> Generator[tuple[PrepareTask, ReadyDoc | InputError]]:
    """Prepare documents one after the other or by workers, ahead of those that are written by a window only.

    Args:
        context: The ports; only this process reads the store.
        tasks: Which; what the store knows of them is looked up here.
        workers: Who does it.
        telling: Is called when a task begins and returns what receives its progress, where this process does it.

    Yields:
        Each with its result, in order; what Ray tries again comes last.

    Raises:
        InvalidValue: The embedder cannot be handed to workers.
        InvalidSetting: No worker can be started.
        MissingExtra: Ray is asked for and not installed.
    """
    if workers.is_here:
        for task in tasks:
            tell = telling(task)
            known = _looked_up(context, [task])
            yield known[0], prepare(context, known, tell)[0]
        return
    from evolore.jobs.workers import spread  # noqa: PLC0415 - what starts processes takes a while to import

    work = partial(prepare, _portable(context))
    with closing(spread(work, _batches(context, tasks), count=workers.count, on_ray=workers.on_ray)) as done:
        for task, prepared in done:
            if isinstance(prepared, ReadyDoc) and context.chat_model is not None and _wants_model(prepared.cut):
                prepared = ReadyDoc(text=prepared.text)  # noqa: PLW2901 - only this process keeps to the day's budget
            yield task, prepared or UnreadableSource(_ENDED_TWICE.format(name=task.name))


def _wants_model(cut: CutText | None) -> bool:
    """Return whether a chat model would have been asked where to cut."""
    attempts = () if cut is None else (attempt for chunk in cut.tree.chunks for attempt in chunk.attempts)
    return any(attempt.outcome is AttemptOutcome.NO_MODEL for attempt in attempts)


def _portable(context: Context) -> Preparer:
    return Preparer(
        embedder=context.embedder,
        reader=context.reader,
        addresses=context.addresses,
        chunker=context.chunker,
        max_leaves_at_once=context.max_leaves_at_once,
        secrets=context.secrets,
        estimates=context.estimates,
    )


def _batches(context: Context, tasks: Sequence[PrepareTask]) -> Iterator[Sequence[PrepareTask]]:
    """Yield documents in batches of about as much work; what the store knows is looked up as they are taken."""
    ahead = iter(tasks)
    while some := list(islice(ahead, _BATCH_ITEMS)):
        batch: list[PrepareTask] = []
        size = 0
        for task in _looked_up(context, some):
            batch.append(task)
            size += _UNKNOWN_BYTES if (known := bytes_of(task.item)) is None else known
            if size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def bytes_of(item: Item) -> int | None:
    """Return how large a file or text is; None for what is at an address."""
    if isinstance(item, SourceText):
        return len(item.text.encode("utf-8", "surrogatepass"))
    try:
        return item.stat().st_size if isinstance(item, Path) else None
    except OSError:  # reading it says why
        return 0


def _looked_up(context: Context, tasks: Sequence[PrepareTask]) -> list[PrepareTask]:
    with context.store.read(context.namespace) as reader:
        known = [reader.document_by_source(task.name) for task in tasks]
    return [replace(task, known=one) for task, one in zip(tasks, known, strict=True)]
