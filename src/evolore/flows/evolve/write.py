"""``write``: write what was approved back to its file, or as a patch of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evolore.domain.document import Document
from evolore.domain.evolution import Promotion, Standing
from evolore.domain.feedback import people
from evolore.domain.outcome import Rating
from evolore.domain.result import Result
from evolore.errors import EvoloreError, InvalidValue, NotFound, StoreUnwritable
from evolore.evolution.job import merged_at
from evolore.evolution.job_steps import Branched, Merged, StepKind, read_step
from evolore.flows.browse import document_named
from evolore.flows.context import Context
from evolore.flows.evolve.log import append_step
from evolore.flows.evolve.show import viewed
from evolore.flows.rebase import is_said, line_of, standings, text_sha256
from evolore.ports import OriginalFile, TrackedFile
from evolore.store.reading import StoreReader
from evolore.text.display import one_line


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
    """Write what a document says to the file it came from, or to a new one."""
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


_SUBJECT, _QUOTE, _SHORT_ID = 72, 200, 14


def write_branch(context: Context, name: str, *, branch: str = "") -> WrittenFile:
    """Commit what a document says on a new branch, with the other documents of the same changes.

    The commit holds each file in the encoding, with the line ends and the mode of the commit that is checked out.
    """
    settings = context.settings.evolution.git
    with context.store.read(context.namespace) as reader:
        document = document_named(reader, name)
        documents, promotions = _together(reader, document)
        texts = {one.id: reader.document_text(one.id) or "" for one in documents}
        if not document.is_file:
            raise InvalidValue(f"{document.source} was read from no file: name one with `--to` (`to=` in Python).")
        tracked = {one.id: context.reader.tracked(Path(one.source)) for one in documents if one.is_file}
        root = tracked[document.id].root
        inside = [one for one in documents if one.id in tracked and tracked[one.id].root == root]
        left_out = [one.source for one in documents if one not in inside]
        message = _message(reader, promotions, left_out, co_author=settings.co_author)
    every = [(tracked[one.id], _encoded(context, one, tracked[one.id], texts[one.id])) for one in inside]
    changed = [(file, data) for file, data in every if data != file.original.data]
    done = WrittenFile(document=document, path=document.source, is_written=False)
    if not changed:
        return done
    branch, at = branch or _branch_name(document, promotions), context.clock.now()
    commit, is_new = context.reader.commit(changed, branch=branch, message=message, author=settings.author, at=at)
    _record_branch(context, promotions, Branched(root=str(root), branch=branch, commit=commit))
    return replace(done, is_written=is_new, branch=branch, commit=commit)


def _together(reader: StoreReader, document: Document) -> tuple[list[Document], list[Promotion]]:
    """Return the promotions that a document holds and its source does not say, with all documents that they changed."""
    documents, promotions = {document.id: document}, dict[str, Promotion]()
    waiting = [document]
    while waiting:
        held = {one.promotion_id for one in standings(reader, waiting.pop()) if one.standing is Standing.HELD}
        new = [found for id_ in sorted(held - promotions.keys()) if (found := reader.promotion(id_)) is not None]
        promotions |= {one.id: one for one in new}
        ids = dict.fromkeys(one.document_id for promotion in new for one in promotion.documents)
        others = [found for id_ in ids if id_ not in documents and (found := reader.document(id_)) is not None]
        documents |= {one.id: one for one in others}
        waiting += others
    return list(documents.values()), sorted(promotions.values(), key=lambda one: one.id)


def _encoded(context: Context, document: Document, tracked: TrackedFile, text: str) -> bytes:
    """Return the bytes that a commit is to hold of a file."""
    committed = tracked.original.text
    plain = committed.replace("\r\n", "\n")
    data = context.reader.encoded(tracked.original, text)
    # Git may end lines otherwise in the work tree, from which the text was read.
    ways = {text_sha256(one) for one in (committed, plain, plain.replace("\n", "\r\n"))}
    if data != tracked.original.data and document.source_sha256 not in ways:
        raise InvalidValue(
            f"{document.source} has another text in the last commit than was read last: commit your change of it or check "
            "out the branch you mean, and add it again. If a filter of git (such as LFS) stores another text, take the patch."
        )
    return data


def _branch_name(document: Document, promotions: list[Promotion]) -> str:
    stem = re.sub(r"\W+", "-", Path(document.source).stem).strip("-") or "document"
    return "-".join([f"evolore/{stem}", *(one.job_id[:_SHORT_ID] for one in promotions[-1:])])


def _message(reader: StoreReader, promotions: list[Promotion], left_out: list[str], *, co_author: str) -> str:
    """Return the message of a commit: reasons, evidence, how many people rated, and what it comes from; no names of people."""
    edits = [line for one in promotions for line in _edits(reader, one)]
    reason = edits[0].partition(": ")[2] if edits else "Write what was approved"
    ratings = [rating for one in promotions for rating in reader.feedback(job_id=one.job_id)]
    told = [f"BAD ratings by people: {people(one for one in ratings if one.rating is Rating.BAD)}"]
    told += ["A person edited the text that was proposed."] if any(one.is_edited for one in promotions) else []
    told += [f"Not in this commit, as it is no file of this repository: {_short(one)}" for one in left_out]
    trailers = [f"Evolore-Job: {one}" for one in dict.fromkeys(one.job_id for one in promotions)]
    trailers += [f"Evolore-Promotion: {one.id}" for one in promotions]
    trailers += [f"Co-authored-by: {co_author}"] if co_author else []
    return "\n\n".join("\n".join(some) for some in ([_cut(reason, _SUBJECT)], edits, told, trailers) if some) + "\n"


def _edits(reader: StoreReader, promotion: Promotion) -> Iterator[str]:
    """Yield the reason of each edit of what was promoted, behind its place, and its evidence indented."""
    chosen = viewed(reader, promotion.job_id).candidate(promotion.candidate_id)
    if chosen is None:  # what it rests on was forgotten
        return
    for text, edits in zip(chosen.texts, chosen.edits, strict=True):
        for edit in edits:
            named = _named(reader, text.document_id) or _short(text.source)
            yield f"- {named} {edit.place or 'opening'}: {one_line(edit.reason)}"
            for one in reader.episodes(edit.evidence):
                yield f'  Evidence: {_named(reader, one.document_id) or "a statement"}: "{_cut(one.text, _QUOTE)}"'


def _named(reader: StoreReader, document_id: str | None) -> str:
    found = None if document_id is None else reader.document(document_id)
    return "" if found is None else _short(found.source)


def _short(source: str) -> str:
    """Return a source without the folders of this machine."""
    return one_line(Path(source).name if Path(source).is_absolute() else source)


def _cut(text: str, most: int) -> str:
    text = one_line(text)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _record_branch(context: Context, promotions: list[Promotion], body: Branched) -> None:
    """Record where a change was committed; where a job's steps are erased, nothing."""
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        for job_id in dict.fromkeys(one.job_id for one in promotions):
            steps = writer.steps(job_id)
            if steps and body not in [read_step(one) for one in steps if one.kind == StepKind.BRANCHED.value]:
                append_step(writer, job_id, len(steps) + 1, StepKind.BRANCHED, body, at=at)
