"""``write``: write what was approved back to its file, or as a patch of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolore.domain.document import Document
from evolore.domain.evolution import Promotion
from evolore.domain.result import Result
from evolore.errors import EvoloreError, InvalidValue, NotFound, StoreUnwritable
from evolore.evolution.job import merged_at
from evolore.evolution.job_steps import Merged, StepKind
from evolore.flows.browse import document_named
from evolore.flows.evolve.log import append_step
from evolore.flows.rebase import is_said, line_of, text_sha256
from evolore.ports import OriginalFile

if TYPE_CHECKING:
    from evolore.flows.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile(Result):
    """What writing a document to a file did."""

    document: Document  #: Which.
    path: str  #: The file.
    #: Whether it was written; False where it says so already, a patch was asked for, or it may not be written.
    is_written: bool
    #: What changes in the file, as `git apply` takes it; empty for nothing, and where a new file was written.
    patch: str = ""
    encoding: str = "utf-8"  #: What the file is in; the patch is to be written in it too.
    reason: str = ""  #: Why it was not written; empty where it was, or where nothing was to be written.
    branch: str = ""  #: The branch that holds the change; then ``is_written`` means that the commit was made now.
    commit: str = ""  #: The commit on that branch.


def write(context: Context, name: str, *, to: Path | None = None, patch: bool = False) -> WrittenFile:
    """Write what a document says to the file it came from, or to a new one.

    Args:
        context: The ports.
        name: The document's id, source or path.
        to: A new file; by default the document's own.
        patch: Whether to write nothing, and only return the patch.

    Raises:
        NotFound: No document has the id or source.
        AmbiguousId: It begins several ids.
        InvalidValue: Its source is no file, or the file is no longer what was read; nothing is written.
        UnreadableSource: The file cannot be read, or it is HTML.
        StoreUnwritable: The new file cannot be made.
    """
    with context.store.read(context.namespace) as reader:
        document = document_named(reader, name)
        text = reader.document_text(document.id)
    if text is None:
        raise NotFound(f"The document {document.source} is not there any more: it was forgotten.")
    if to is not None:
        if patch:
            raise InvalidValue("A patch is of the document's own file: leave out the other file, or the patch.")
        return _write_new(context, document, text, to)
    return _write_back(context, document, text, patch=patch)


def write_promoted(context: Context, promotion: Promotion) -> tuple[WrittenFile, ...]:
    """Write the documents of a promotion back to their files, where the settings say so; what fails says why."""
    return tuple(_written_promoted(context, promotion)) if context.settings.evolution.write_back else ()


def _written_promoted(context: Context, promotion: Promotion) -> Iterator[WrittenFile]:
    for one in promotion.documents:
        with context.store.read(context.namespace) as reader:
            document = reader.document(one.document_id)
        if document is None or not document.is_file or one.after is None:
            continue
        try:
            yield write(context, document.id)
        except EvoloreError as error:
            yield WrittenFile(document=document, path=document.source, is_written=False, reason=str(error))


def _write_new(context: Context, document: Document, text: str, to: Path) -> WrittenFile:
    path = Path.cwd() / to
    data, encoding = text.encode("utf-8"), "utf-8"
    context.reader.write(path, data)
    return WrittenFile(document=document, path=str(path), is_written=True, encoding=encoding)


def _write_back(context: Context, document: Document, text: str, *, patch: bool) -> WrittenFile:
    path = Path(document.source)
    if not path.is_absolute() or not path.is_file():
        raise InvalidValue(f"{document.source} is no file that is there: name a new one with `--to` (`to=` in Python).")
    original = context.reader.original(path)
    data = context.reader.encoded(original, text)
    if data == original.data:
        _note(context, document, original.text, text)
        return WrittenFile(document=document, path=str(path), is_written=False, encoding=original.encoding)
    _refuse_changed(document, original)
    if patch:
        return WrittenFile(
            document=document,
            path=str(path),
            is_written=False,
            patch=context.reader.patch(original, data),
            encoding=original.encoding,
        )
    return _replaced(context, document, text, original, data)


def _replaced(context: Context, document: Document, text: str, original: OriginalFile, data: bytes) -> WrittenFile:
    reason = ""
    try:
        context.reader.write(original.path, data, instead_of=original)
    except StoreUnwritable as error:
        reason = str(error)
    if not reason:
        _note(context, document, data[len(original.mark) :].decode(original.encoding), text)
    return WrittenFile(
        document=document,
        path=str(original.path),
        is_written=not reason,
        patch=_patch(context, original, data),
        encoding=original.encoding,
        reason=reason,
    )


def _patch(context: Context, original: OriginalFile, data: bytes) -> str:
    try:
        return context.reader.patch(original, data)
    except InvalidValue:  # what is written does not need one
        return ""


def _refuse_changed(document: Document, original: OriginalFile) -> None:
    if document.source_sha256 != text_sha256(original.text):
        raise InvalidValue(
            f"{original.path} is not what was read last: add it again first, so that what changed there is kept. Nothing "
            "was written."
        )


def _note(context: Context, document: Document, said: str, text: str) -> None:
    """Record that the file says now what the document says; ``add`` would find that out, too."""
    if said == text and document.source_sha256 != document.content_sha256:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            writer.note_source(document, at=context.clock.now())
        note_merges(context, document, said)


def note_merges(context: Context, document: Document, text: str) -> None:
    """Record which promotions of a document the text of its source says, each once; where a job's steps are erased, nothing."""
    with context.store.read(context.namespace) as reader:
        line = line_of(reader, document.id)
        found = [one for one, mine in line if is_said(reader, document.media_type, mine, text)]
        steps = {one.id: reader.steps(one.job_id) for one in found}
    new = [one for one in found if steps[one.id] and merged_at(steps[one.id], one.id, document.id) is None]
    if new:
        at = context.clock.now()
        with context.store.write(context.namespace, principal=context.principal) as writer:
            for one in new:
                body = Merged(promotion=one.id, document=document.id)
                append_step(writer, one.job_id, len(writer.steps(one.job_id)) + 1, StepKind.MERGED, body, at=at)
