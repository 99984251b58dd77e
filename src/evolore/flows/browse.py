"""``list``, ``show``, ``tree`` and ``stats``: read what is stored."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from evolore.domain.checks import check_count, check_text, check_time
from evolore.domain.document import BEGINNING, Chunk, Document, DocumentTree, OutlineNode, Place, Upkeep
from evolore.domain.episode import Episode
from evolore.domain.outline import OutlineCode
from evolore.domain.result import Result
from evolore.errors import AmbiguousId, NotFound

if TYPE_CHECKING:
    from evolore.domain.filters import Filter
    from evolore.flows.context import Context
    from evolore.ports import StoreStats
    from evolore.store.reading import StoreReader

_NAMED = 3
"""So many documents whose source ends like what was asked for are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Result):
    """What a namespace holds."""

    documents: tuple[Document, ...]  #: All of them, oldest first.
    statements: tuple[Episode, ...]  #: The newest, newest first.


def list_items(context: Context, wanted: Filter, *, limit: int, is_overdue: bool = False) -> Listing:
    """List every document and the newest statements that have the metadata and tags a filter asks for."""
    check_count(limit, "limit")
    if is_overdue:
        return Listing(documents=overdue(context, wanted), statements=())
    with context.store.read(context.namespace) as reader:
        return Listing(documents=reader.documents(wanted), statements=reader.statements(wanted, limit=limit))


def overdue(context: Context, wanted: Filter | None = None) -> tuple[Document, ...]:
    """List the documents that are past their day to be verified, oldest first; only those that a filter asks for."""
    today = context.clock.now().date()
    with context.store.read(context.namespace) as reader:
        return tuple(one for one in reader.documents(wanted) if Upkeep.of(one.metadata).is_overdue(today))


def show(context: Context, item_id: str) -> Document | Episode:
    """Return the document or episode that an id, the beginning of one, or a document's source or path names."""
    with context.store.read(context.namespace) as reader:
        with _naming_alike(reader, item_id):
            whole_id = resolve(reader, item_id)
        for item in (reader.document(whole_id), *reader.episodes([whole_id])):
            if item is not None:
                return item
    raise NotFound(f"{whole_id} is still being added: try again when that is done.")


def tree(context: Context, document: str, *, with_text: bool = False, as_of: datetime | None = None) -> DocumentTree:
    """Return the outline of the document that an id, the beginning of one, a source or a file's path names."""
    check_time(as_of=as_of)
    with context.store.read(context.namespace) as reader:
        with _naming_alike(reader, document):
            found = document_named(reader, document)
        if as_of is None:
            return _tree(reader, found, with_text=with_text)
        return _earlier_tree(reader, found, as_of, with_text=with_text)


def _earlier_tree(reader: StoreReader, document: Document, as_of: datetime, *, with_text: bool) -> DocumentTree:
    found = reader.outline_at(document.id, as_of)
    if found is None:
        raise NotFound(
            f"{document.source} was not there at {as_of.isoformat()}: the present version is of "
            f"{document.recorded_at.isoformat()}."
        )
    then, chunks = found
    leaves = [text for chunk, _, text in chunks if chunk.is_leaf]
    beginnings = {place: _beginning(text) for place, text in enumerate(leaves)}
    return DocumentTree(
        document=then,
        nodes=_nodes(((chunk, id_) for chunk, id_, _ in chunks), beginnings),
        text="".join(leaves) if with_text else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion(Result):
    """One version of a document, and what it changed."""

    number: int  #: Counts the document's contents from 1.
    recorded_at: datetime  #: When it was taken in.
    characters: int  #: How long its text is.
    lines: tuple[str, ...] = ()  #: What it changed of the version before, as a unified diff; none for the first.


def document_versions(
    context: Context, document: str, *, before: int | None = None, limit: int
) -> tuple[DocumentVersion, ...]:
    """List a document's versions, the newest first: those before a number."""
    check_count(limit, "limit")
    with context.store.read(context.namespace) as reader:
        found = document_named(reader, document)
        every = [one for one in reader.versions(found.id) if before is None or one[0] < before]
        return tuple(
            DocumentVersion(
                number=number,
                recorded_at=at,
                characters=characters,
                lines=_changed_lines(reader, found.id, number) if number > 1 else (),
            )
            for number, at, characters in every[:limit]
        )


def _changed_lines(reader: StoreReader, document_id: str, number: int) -> tuple[str, ...]:
    before, after = (reader.document_text(document_id, one) or "" for one in (number - 1, number))
    names = {"fromfile": f"version {number - 1}", "tofile": f"version {number}"}
    return tuple(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2, **names))


def place(context: Context, item: str) -> Place:
    """Return the place in its document of the passage that an id, or the beginning of one, names."""
    with context.store.read(context.namespace) as reader:
        (found,) = reader.episodes([resolve(reader, item)]) or (None,)
        document = reader.document(found.document_id) if found and found.document_id else None
        if found is None or document is None or found.outline is None:
            raise NotFound(f"{item!r} is no passage of a document's present version: `evolore list` shows documents.")
        return _tree(reader, document, with_text=False).place(found.outline)


def _tree(reader: StoreReader, document: Document, *, with_text: bool) -> DocumentTree:
    leaves = reader.leaf_episodes(document.id)
    return DocumentTree(
        document=document,
        nodes=_nodes(reader.chunks(document.id), {leaf.position: _beginning(leaf.text) for leaf in leaves}),
        text="".join(leaf.text for leaf in leaves) if with_text else None,
    )


def by_source_or_path(reader: StoreReader, name: str) -> Document | None:
    """Return the document that a source or a file's path names.

    Raises:
        InvalidValue: It is blank, or holds what no name can.
    """
    check_text(name, "The document's name")
    return reader.document_by_source(name) or reader.document_by_source(str(Path(name).resolve()))


def document_named(reader: StoreReader, name: str) -> Document:
    """Return the document that a source, a file's path, an id or the beginning of one names."""
    found = by_source_or_path(reader, name) or reader.document(resolve(reader, name))
    if found is None:
        raise NotFound(f"{name!r} is a statement, not a document: `evolore show` shows it.")
    return found


def _nodes(chunks: Iterable[tuple[Chunk, str | None]], beginnings: dict[int, str]) -> tuple[OutlineNode, ...]:
    """Return each chunk with its beginning: an inner node's is that of the leaf that comes next."""
    nodes: list[OutlineNode] = []
    leaves_before = 0
    for chunk, id_ in chunks:
        nodes.append(OutlineNode(chunk=chunk, episode_id=id_, beginning=beginnings.get(leaves_before, "")))
        leaves_before += chunk.is_leaf
    return tuple(nodes)


def _beginning(text: str) -> str:
    flat = " ".join(text[: 4 * BEGINNING].split())
    return flat if len(flat) <= BEGINNING else flat[: BEGINNING - 1] + "…"


def chunk_text(context: Context, document_id: str, outline: OutlineCode) -> str:
    """Return the text of one chunk of a document."""
    with context.store.read(context.namespace) as reader:
        text = reader.chunk_text(resolve(reader, document_id), outline)
    if text is None:
        raise NotFound(f"Document {document_id!r} has no chunk {outline}: `evolore outline tree` shows its outline.")
    return text


def conversation(context: Context, session: str, *, limit: int | None = None) -> tuple[Episode, ...]:
    """Return the statements of a session as they were said, in their order."""
    if limit is not None:
        check_count(limit, "limit")
    with context.store.read(context.namespace) as reader:
        return reader.conversation(session, limit=limit)


def members(context: Context, item_id: str) -> tuple[Episode, ...]:
    """Return the statements that an episode was made of, oldest first."""
    with context.store.read(context.namespace) as reader:
        whole = resolve(reader, item_id)
        return reader.members([whole]).get(whole, ())


def standing_for(context: Context, item_id: str) -> tuple[str, ...]:
    """Return the episodes that represent an episode now: itself, or those it was merged or split into."""
    with context.store.read(context.namespace) as reader:
        whole = resolve(reader, item_id)
        return reader.standing_for([whole]).get(whole, ())


def stats(context: Context) -> StoreStats:
    """Count what the namespace holds."""
    with context.store.read(context.namespace) as reader:
        return reader.stats()


def resolve(reader: StoreReader, item_id: str) -> str:
    """Return the id that an id, the beginning of one, or a document's source or file's path names."""
    unknown = f"Nothing here has the id {item_id!r}, and no document is called so: `evolore list` shows what there is."
    try:
        return complete(item_id, reader.resolve, unknown=unknown)
    except NotFound:
        document = by_source_or_path(reader, item_id)
        if document is None:
            raise
        return document.id


@contextmanager
def _naming_alike(reader: StoreReader, name: str) -> Generator[None]:
    """Name the documents whose source ends like a name that names nothing.

    Only where documents are read: who may rate or write alone learns no source by guessing.
    """
    try:
        yield
    except NotFound as error:
        near = reader.sources_ending(name.strip().lstrip("./"), limit=_NAMED)
        if not near:
            raise
        raise NotFound(f"{error} Did you mean {' or '.join(map(repr, near))}?") from None


def complete(item_id: str, candidates: Callable[[str], tuple[str, ...]], *, unknown: str) -> str:
    """Return the one id that is ``item_id``, regardless of case, or else begins with it."""
    check_text(item_id, "The id")
    wanted = item_id.strip().lower()
    found = candidates(wanted)
    if not found:
        raise NotFound(unknown)
    if wanted in found:
        return wanted
    if len(found) > 1:
        raise AmbiguousId(f"{item_id!r} begins several ids, such as {' and '.join(found)}: write more of it.")
    return next(iter(found))
