"""``add``: read, cut, embed and write documents, one transaction each; report or forget files that are gone."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Protocol
from unicodedata import normalize

from evolore.domain.document import Document
from evolore.domain.evolution import PromotionStanding, refuse_shadow_source
from evolore.domain.filters import Target
from evolore.domain.metadata import KEEP_LABELS, Labels
from evolore.domain.result import Result
from evolore.domain.secret import FoundSecret
from evolore.errors import InputError, InvalidValue, NotFound, StoreBusy, UnreadableSource
from evolore.flows.context import Context
from evolore.flows.document_version import CutText, cut_text, fresh_keys, link_passages, new_document
from evolore.flows.prepare import NO_MEMORY, Item, PrepareTask, ReadyDoc, Workers, bytes_of, prepare_each, read_item
from evolore.flows.rebase import RebasePlan, SettledSection, line_of, plan_rebase, standings, text_sha256, told
from evolore.ports import FoundAtAddress, ItemKeys, LeftOut, LeftOutReason, NewDocument, PathFilter, Receipt, SourceText
from evolore.text.sections import short_title

HERE = Workers()
_ATTEMPTS = 4
_MOST_COPIES = 3
_FIRST_ZONE = timedelta(hours=14)
"""So long before it begins in UTC, a day begins somewhere."""

_LEADS_OUT = (
    "'{path}' is a link to a file outside the folder: name that file itself, or follow links with `--follow-links` "
    "(`follow_links=True` in Python) where you trust everybody who writes into the folder."
)


class AddOutcome(StrEnum):
    """What adding a document did."""

    ADDED = "added"
    CHANGED = "changed"
    RELABELLED = "relabelled"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedDocument:
    """One document that is in the store now."""

    document: Document  #: As it is stored.
    outcome: AddOutcome  #: Whether it is new, changed, or was there already.
    new_leaves: int = 0  #: How many leaves were embedded and indexed; the others were kept.
    review_items: int = 0  #: How many places a person should look at.
    chat_calls: int = 0  #: How many calls of the chat model cutting it took.
    notes: tuple[str, ...] = ()  #: What reading it left out, in sentences.
    #: What looks like a secret in it, by kind and place; never the secret.
    secrets: tuple[FoundSecret, ...] = ()
    #: Where its source changed, the sections that were promoted: which hold, which wait for a person, and which the
    #: source says itself now.
    promotions: tuple[PromotionStanding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFailure:
    """One file that could not be added, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Added(Result):
    """What ``add`` did."""

    documents: tuple[AddedDocument, ...] = ()  #: Those that are in the store, in the order of the files.
    failures: tuple[SourceFailure, ...] = ()  #: The files that could not be added.
    #: With ``sync``: the documents whose files are no longer in the folders, oldest first.
    vanished: tuple[Document, ...] = ()
    #: With ``sync="forget"``: of the vanished documents' erasure; None where none had vanished.
    receipt: Receipt | None = None
    left_out: tuple[LeftOut, ...] = ()  #: What was passed over in folders, by reason, the most first.


class AddProgress(Protocol):
    """Hears how far an ``add`` has come."""

    def __call__(
        self, source: str, *, documents_done: int, documents: int, bytes_done: int, bytes_total: int, bytes_skipped: int
    ) -> None:
        """Report the progress.

        Args:
            source: What is read, cut or embedded now.
            documents_done: How many documents are done.
            documents: How many there are.
            bytes_done: How many bytes of their files are done, as far as the passages of ``source`` are embedded.
            bytes_total: How many there are; 0 where that is not known, as of addresses.
            bytes_skipped: How many of those that are done took no embedding: of what is unchanged or cannot be added, and
                of what an interrupted call had written.
        """
        ...


def add_files(
    context: Context,
    paths: Sequence[Path],
    *,
    where: PathFilter,
    labels: Labels = KEEP_LABELS,
    only: Sequence[Path] | None = None,
    sync: SyncMode | None = None,
    progress: AddProgress | None = None,
    workers: Workers = HERE,
) -> Added:
    """Add files and folders; a file that cannot be read is listed and the others are added."""
    files = context.reader.find(paths, where=where)
    if only is not None:
        files = _among(files, only)
    left_out = context.reader.left_out(paths, where=where) if only is None else ()
    outside = context.reader.outside(paths, where=where) if only is None else ()
    failures = [
        SourceFailure(source=_printable(path), reason=_LEADS_OUT.format(path=_printable(path))) for path in outside
    ]
    named = [(_printable(one), one) for one in files]
    documents = _linked(context, _each(context, named, labels, failures, progress, workers))
    gone, receipt = settle_vanished(context, paths, where=where, sync=sync)
    return Added(
        documents=tuple(documents), failures=tuple(failures), vanished=gone, receipt=receipt, left_out=left_out
    )


def add_addresses(
    context: Context,
    addresses: Sequence[str],
    *,
    where: PathFilter,
    labels: Labels = KEEP_LABELS,
    progress: AddProgress | None = None,
    workers: Workers = HERE,
) -> Added:
    """Add what is at addresses; a file that cannot be read is listed and the others are added."""
    found = [context.addresses.find(one, where=where) for one in addresses]
    each = dict.fromkeys(one for some in found for one in some.addresses)
    failures: list[SourceFailure] = []
    named = [(context.addresses.name(one), one) for one in each]
    documents = _linked(context, _each(context, named, labels, failures, progress, workers))
    return Added(documents=tuple(documents), failures=tuple(failures), left_out=left_out_of(found))


def left_out_of(found: Iterable[FoundAtAddress]) -> tuple[LeftOut, ...]:
    """Count what was passed over at several addresses, the most first."""
    counts: Counter[tuple[LeftOutReason, str]] = Counter()
    for one in (one for some in found for one in some.left_out):
        counts[one.reason, one.name] += one.count
    return tuple(LeftOut(reason=reason, name=name, count=count) for (reason, name), count in counts.most_common())


def _each(
    context: Context,
    named: Sequence[tuple[str, Item]],
    labels: Labels,
    failures: list[SourceFailure],
    progress: AddProgress | None,
    workers: Workers,
    *,
    gathered: type[InputError] = InputError,
) -> list[AddedDocument]:
    """Prepare and write one after the other, and gather what fails by a kind of error."""
    documents: list[AddedDocument] = []
    tasks = [PrepareTask(place=place, name=name, item=item, labels=labels) for place, (name, item) in enumerate(named)]
    teller = _Teller(progress, tasks)
    with closing(prepare_each(context, tasks, workers=workers, telling=teller.begin)) as each:
        for task, prepared in each:
            if not workers.is_here:
                teller.begin(task)
            new_leaves = 0
            try:
                if isinstance(prepared, InputError):
                    raise prepared
                is_fresh = workers.is_here and prepared.text.source == task.name
                present = task.known if is_fresh else _present(context, prepared.text.source)
                documents.append(_add(context, prepared, present, teller))
                new_leaves = documents[-1].new_leaves
            except gathered as error:
                failures.append(SourceFailure(source=task.name, reason=str(error)))
            except MemoryError:
                failures.append(SourceFailure(source=task.name, reason=NO_MEMORY.format(name=task.name)))
            teller.end(is_new=new_leaves > 0)
    return documents


def _among(files: Sequence[Path], only: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files that are one of some, or lie below one; both may lie below links."""
    chosen = {Path(os.path.realpath(one)) for one in only}
    return tuple(
        one for one in files if (real := Path(os.path.realpath(one))) in chosen or not chosen.isdisjoint(real.parents)
    )


def _printable(path: Path) -> str:
    """Write a path as text that can be printed and stored, also where its bytes are not UTF-8."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def add_texts(
    context: Context, texts: Iterable[SourceText], *, progress: AddProgress | None = None, workers: Workers = HERE
) -> Added:
    """Add documents whose texts are at hand; one with the source of an earlier one is its next version."""
    named = [(one.source, one) for one in texts]
    for source, _ in named:
        refuse_shadow_source(source)
    failures: list[SourceFailure] = []
    # A wrong text is the caller's error; that it ended processes is reported with the others that were added.
    documents = _each(context, named, KEEP_LABELS, failures, progress, workers, gathered=UnreadableSource)
    documents = _linked(context, documents)
    return Added(documents=tuple(documents), failures=tuple(failures))


def add_again(context: Context, documents: Sequence[Document]) -> bool:
    """Read the files of documents again, add those that changed, and return whether any did; what cannot be read is left."""
    read: list[SourceText] = []
    for one in documents:
        if one.is_file:
            with suppress(InputError, MemoryError):
                read.append(read_item(context, Path(one.source), KEEP_LABELS, one))
    known = {one.source: one for one in documents}
    changed = [
        one for one in read if one.source in known and not _is_unchanged(known[one.source], one, text_sha256(one.text))
    ]
    ready = ((one.source, ReadyDoc(text=one)) for one in changed)
    done = [_add(context, one, _present(context, source), _Teller(None, ())) for source, one in ready]
    _linked(context, done)
    return bool(done)


def _linked(context: Context, added: Sequence[AddedDocument]) -> list[AddedDocument]:
    """Link the passages that are new with what is of the same matter, and note which new documents copy others."""
    link_passages(context, [one.document.id for one in added if one.new_leaves])
    fresh = {one.document.content_sha256 for one in added if one.outcome is AddOutcome.ADDED}
    if not fresh:
        return list(added)
    with context.store.read(context.namespace) as reader:
        same = reader.sources_of_contents(fresh)
    return [_with_copies(one, same) if one.outcome is AddOutcome.ADDED else one for one in added]


def _with_copies(one: AddedDocument, same: Mapping[str, Sequence[str]]) -> AddedDocument:
    others = [source for source in same[one.document.content_sha256] if source != one.document.source]
    if not others:
        return one
    named = ", ".join(others[:_MOST_COPIES]) + (" and others" if len(others) > _MOST_COPIES else "")
    own = normalize("NFC", one.document.source)
    is_alike = any(normalize("NFC", source) == own for source in others)
    alike = " (the names look alike, but their letters are coded differently: Unicode NFC and NFD)" if is_alike else ""
    note = (
        f"It says the same as {named}{alike}: a copy, or renamed. Forget one of them, or add the folder with `--sync forget` "
        "(`sync=` in Python) if the old file is gone."
    )
    return replace(one, notes=(*one.notes, note))


class _Teller:
    """Reports the progress of an ``add``, one document after the other."""

    def __init__(self, progress: AddProgress | None, tasks: Sequence[PrepareTask]) -> None:
        self._progress = progress
        sizes = [bytes_of(task.item) for task in tasks] if progress is not None else []
        self._sizes = [size or 0 for size in sizes] if None not in sizes else [0] * len(sizes)
        self._total = sum(self._sizes)
        self._source, self._size = "", 0
        self._documents_done = self._done = self._skipped = self._skipped_before = 0

    def begin(self, task: PrepareTask) -> Callable[[float], None]:
        """Begin a document, and return what hears which share of it is done."""
        if self._progress is not None:
            self._source, self._size = task.name, self._sizes[task.place]
        self._skipped_before = self._skipped
        self.tell(0.0)
        return self.tell

    def tell(self, share: float) -> None:
        if self._progress is not None:
            self._progress(
                self._source,
                documents_done=self._documents_done,
                documents=len(self._sizes),
                bytes_done=self._done + round(self._size * share),
                bytes_total=self._total,
                bytes_skipped=self._skipped,
            )

    def skip(self, share: float) -> None:
        """Report that the document is cut, and which share of it was written before."""
        self._skipped = self._skipped_before + round(self._size * share)
        self.tell(share)

    def end(self, *, is_new: bool) -> None:
        """End a document."""
        self._documents_done += 1
        self._done += self._size
        if not is_new:
            self._skipped = self._skipped_before + self._size


def _add(context: Context, prepared: ReadyDoc, present: Document | None, teller: _Teller) -> AddedDocument:
    notes = () if present is None else _promotions_back(context, present, prepared.text.text)
    present = _present(context, prepared.text.source) if notes else present
    done = _add_text(context, prepared, present, teller)
    return replace(done, notes=(*done.notes, *notes)) if notes else done


def _promotions_back(context: Context, present: Document, text: str) -> tuple[str, ...]:
    """Follow what a source does to promotions, where it changed or does not say all of them yet."""
    if present.source_sha256 == present.content_sha256 == text_sha256(text):
        return ()
    with context.store.read(context.namespace) as reader:
        if not line_of(reader, present.id):
            return ()
    from evolore.flows.evolve.rollback import follow_file  # noqa: PLC0415 - only few documents have promotions

    return follow_file(context, present, text)


def _add_text(context: Context, prepared: ReadyDoc, present: Document | None, teller: _Teller) -> AddedDocument:
    prepared = _without_date_ahead(context, prepared)
    source_text, cut = prepared.text, prepared.cut
    content_sha256 = text_sha256(source_text.text)
    for attempt in range(_ATTEMPTS):
        present = _present(context, source_text.source) if attempt else present
        if present and _is_unchanged(present, source_text, content_sha256):
            clear_leftovers(context, source_text.source)
            labelled = _label(context, present, source_text.labels)
            if labelled is not None:
                return labelled
            continue
        before = _standings(context, present)
        plan = _planned(context, present, source_text)
        if present and _is_followed(present, source_text, content_sha256):
            followed = _follow(context, present, plan, source_text.labels)
            if followed is not None:
                return replace(followed, promotions=_told(context, followed.document, before))
            continue
        text = source_text.text if plan is None else plan.text
        if cut is None or cut.source_text.text != text:
            cut = cut_text(context, replace(source_text, text=text))
        new = replace(
            new_document(context, cut, present),
            keys=dict(prepared.keys or {}) if present is None else {},
            source_sha256=content_sha256,
            stretches=plan.kept if plan else None,
        )
        # A writer that lost a race writes everything at once, so that its parts cannot be removed again.
        document = _written(context, new, cut, plan, teller, in_parts=not attempt)
        if document is not None:
            return AddedDocument(
                document=document,
                outcome=AddOutcome.CHANGED if present else AddOutcome.ADDED,
                new_leaves=len(new.tree.leaves) - len(new.kept),
                review_items=len(cut.tree.review_items) + (len(plan.items) if plan else 0),
                chat_calls=cut.chat_calls,
                notes=source_text.notes,
                secrets=source_text.secrets,
                promotions=_told(context, document, before),
            )
    raise StoreBusy(f"Others kept changing {source_text.source} while it was added: try again.")


def _without_date_ahead(context: Context, prepared: ReadyDoc) -> ReadyDoc:
    """Leave out a date that lies ahead; what was made with it is made again."""
    text = prepared.text
    if text.occurred_at is None or text.occurred_at <= context.clock.now() + _FIRST_ZONE:
        return prepared
    note = f"No date was kept: {text.occurred_at.isoformat()} lies ahead."
    return ReadyDoc(text=replace(text, occurred_at=None, notes=(*text.notes, note)))


def _written(
    context: Context, new: NewDocument, cut: CutText, plan: RebasePlan | None, teller: _Teller, *, in_parts: bool
) -> Document | None:
    """Write a document with its review items, and embed the leaves that have no keys; None when another writer was faster."""
    fresh = len(new.tree.leaves) - len(new.kept)
    with suppress(SettledSection):
        if in_parts and fresh > context.max_leaves_at_once:
            return _write_in_parts(context, new, cut, plan, teller)
        if not new.keys:
            batches = fresh_keys(context, cut, new.kept, teller.tell)
            new = replace(new, keys={place: key for batch in batches for place, key in batch.items()})
        return _put(context, new, plan)
    return None


def _planned(context: Context, present: Document | None, source_text: SourceText) -> RebasePlan | None:
    if present is None:
        return None
    with context.store.read(context.namespace) as reader:
        return plan_rebase(reader, present, source_text.text, source_text.media_type)


def _standings(context: Context, document: Document | None) -> tuple[PromotionStanding, ...]:
    """Return what there is of what was promoted in a document; nothing where its source says all it says."""
    if document is None:
        return ()
    with context.store.read(context.namespace) as reader:
        return standings(reader, document)


def _told(context: Context, document: Document, before: tuple[PromotionStanding, ...]) -> tuple[PromotionStanding, ...]:
    return told(before, _standings(context, document)) if before else ()


def _is_followed(present: Document, source_text: SourceText, content_sha256: str) -> bool:
    """Return whether a source says now what the document says already, because it was promoted."""
    return _is_unchanged(replace(present, source_sha256=present.content_sha256), source_text, content_sha256)


def _follow(context: Context, present: Document, plan: RebasePlan | None, labels: Labels) -> AddedDocument | None:
    """Record that the source says now what was promoted; None when others changed the document meanwhile."""
    try:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            at = context.clock.now()
            if not writer.note_source(present, at=at):
                return None
            if plan is not None:
                plan.write(writer, at=at)
    except SettledSection:
        return None
    return _label(context, present, labels)


def _label(context: Context, present: Document, labels: Labels) -> AddedDocument | None:
    """File a document whose content is unchanged under other names; None when others changed it meanwhile."""
    if labels.metadata in (None, present.metadata) and labels.tags in (None, present.tags):
        return AddedDocument(document=present, outcome=AddOutcome.UNCHANGED)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        document = writer.label_document(present, labels, at=context.clock.now())
    return None if document is None else AddedDocument(document=document, outcome=AddOutcome.RELABELLED)


def _present(context: Context, source: str) -> Document | None:
    with context.store.read(context.namespace) as reader:
        return reader.document_by_source(source)


def _is_unchanged(present: Document, source_text: SourceText, content_sha256: str) -> bool:
    """Return whether a source says what it said last: a change that was taken over since stays on top."""
    same_title = short_title(source_text.title) in {"", present.title}
    return same_title and source_text.media_type is present.media_type and present.source_sha256 == content_sha256


class SyncMode(StrEnum):
    """What to do about documents whose files left the folders that are added."""

    REPORT = "report"
    FORGET = "forget"


def sync_mode(word: str | None) -> SyncMode | None:
    """Read the word for it."""
    if word is None:
        return None
    try:
        return SyncMode(word)
    except ValueError as error:
        raise InvalidValue(f"sync is {word!r}: use 'report' or 'forget'.") from error


def path_filter(include: Sequence[str], exclude: Sequence[str], *, follow_links: bool = False) -> PathFilter:
    """Gather patterns."""
    for patterns in (include, exclude):
        if isinstance(patterns, str):
            raise InvalidValue(f"{patterns!r} is one pattern: use a list of patterns, such as [{patterns!r}].")
    return PathFilter(include=tuple(include), exclude=tuple(exclude), follow_links=follow_links)


def settle_vanished(
    context: Context, paths: Sequence[Path], *, where: PathFilter, sync: SyncMode | None
) -> tuple[tuple[Document, ...], Receipt | None]:
    """Find the documents whose files are no longer in the folders, and forget them where that is asked for.

    Returns:
        The documents, oldest first, and the receipt of their erasure.
    """
    if sync is None:
        return (), None
    vanished = _vanished(context, paths, where)
    if not vanished or sync is SyncMode.REPORT:
        return vanished, None
    try:
        gone = Target(item_ids=tuple(document.id for document in vanished))
        return vanished, context.store.erase(context.namespace, gone, principal=context.principal)
    except NotFound:  # another process has just forgotten some: the rest is looked up again
        return settle_vanished(context, paths, where=where, sync=sync)


def _vanished(context: Context, paths: Sequence[Path], where: PathFilter) -> tuple[Document, ...]:
    with context.store.read(context.namespace) as reader:
        documents = reader.documents()
    gone = set(context.reader.gone([document.source for document in documents], below=paths, where=where))
    return tuple(document for document in documents if document.source in gone)


def _put(context: Context, new: NewDocument, plan: RebasePlan | None) -> Document | None:
    with context.store.write(context.namespace, principal=context.principal) as writer:
        at = context.clock.now()
        document = writer.put_document(new, at=at)
        if document is not None and plan is not None:
            plan.write(writer, at=at)
        return document


def clear_leftovers(context: Context, source: str) -> None:
    """Delete what was left half-written of a source."""
    with context.store.read(context.namespace) as reader:
        is_staged = reader.staged(source) is not None
    if is_staged:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            writer.clear_staging(source, at=context.clock.now())


def _write_in_parts(
    context: Context, new: NewDocument, cut: CutText, plan: RebasePlan | None, teller: _Teller
) -> Document | None:
    """Write a document part by part; if it is stopped, the next call continues after the last part."""
    with context.store.write(context.namespace, principal=context.principal) as writer:
        begun = writer.begin_staging(new, at=context.clock.now())
    if begun is None:
        return None
    staging_id, written = begun
    new = replace(new, staging_id=staging_id)
    teller.skip(cut.share_until(new.tree.leaves[max(written)]) if written else 0.0)
    for keys in _parts(fresh_keys(context, cut, written.union(new.kept), teller.tell), context.max_leaves_at_once):
        with context.store.write(context.namespace, principal=context.principal) as writer:
            if not writer.stage_leaves(replace(new, keys=keys), at=context.clock.now()):
                return None
    return _put(context, new, plan)


def _parts(batches: Iterator[dict[int, ItemKeys]], most: int) -> Iterator[dict[int, ItemKeys]]:
    """Gather batches into parts of at most so many leaves, where a batch is not more itself."""
    part: dict[int, ItemKeys] = {}
    for batch in batches:
        if part and len(part) + len(batch) > most:
            yield part
            part = {}
        part |= batch
    if part:
        yield part
