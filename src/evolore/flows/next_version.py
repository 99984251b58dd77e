"""A text as the next version of a document: cut, and embedded where it is new."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from evolore.domain.knowledge import MediaType
from evolore.errors import NotFound
from evolore.flows.chunking import cut_document
from evolore.flows.keys import EMBED_BATCH, keys_of
from evolore.ports import IndexedText, NewDocument, SourceText
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evolore.domain.evolving import ProposedText
    from evolore.domain.knowledge import Chunk, ChunkTree, Document
    from evolore.domain.language import Language
    from evolore.flows.context import Context
    from evolore.ports import ItemKeys


def next_version(context: Context, proposed: ProposedText) -> NewDocument:
    """Make a proposed text ready to be written, without a call of a chat model; passages that stay are not embedded again.

    Raises:
        NotFound: Its document is not there any more.
    """
    context = replace(context, chat_model=None)
    present = None
    if proposed.document_id is not None:
        with context.store.read(context.namespace) as reader:
            present = reader.document(proposed.document_id)
        if present is None:
            raise NotFound(f"The document {proposed.document_id} is not there any more: it was forgotten.")
    source_text = SourceText(
        source=proposed.source if present is None else present.source,
        text=proposed.text,
        media_type=MediaType.MARKDOWN if present is None else present.media_type,
        title=proposed.title if present is None else present.title,
    )
    cut = cut_text(context, source_text)
    new = NewDocument(
        source_text=source_text,
        title=cut.title,
        language=cut.language,
        content_sha256=sha256(source_text.text.encode("utf-8")).hexdigest(),
        tree=cut.tree,
        keys={},
        kept=kept_leaves(context, cut, present) if present else {},
        previous_id=present.id if present else None,
        previous_version=present.version if present else 0,
        is_from_source=False,
    )
    return _with_keys(context, new)


def shadow_version(context: Context, proposed: ProposedText) -> NewDocument:
    """Make a proposed text ready to stand beside its document, filed under the same names: every passage of it anew.

    Raises:
        NotFound: Its document is not there any more.
    """
    new = next_version(context, proposed)
    if new.previous_id is None:
        return new
    with context.store.read(context.namespace) as reader:
        present = reader.document(new.previous_id)
    if present is None:
        raise NotFound(f"The document {new.previous_id} is not there any more: it was forgotten.")
    labelled = replace(new.source_text, metadata=present.metadata, tags=present.tags)
    alone = replace(new, source_text=labelled, kept={}, previous_id=None, previous_version=0)
    return _with_keys(context, alone)


def _with_keys(context: Context, new: NewDocument) -> NewDocument:
    keys = {place: key for batch in fresh_keys(context, new) for place, key in batch.items()}
    return replace(new, keys=keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutText:
    """A document's text, cut."""

    text: str
    title: str
    language: Language
    tree: ChunkTree
    chat_calls: int

    def leaf_text(self, leaf: Chunk) -> str:
        """Give what a leaf says."""
        return leaf.span.of(self.text)


def cut_text(context: Context, source_text: SourceText) -> CutText:
    """Cut a text, and say what it is called and which language it is in."""
    language = detect_language(source_text.text)
    tree, calls = cut_document(context, source_text, language)
    headings = next((chunk.heading_path for chunk in tree.chunks if chunk.heading_path), ())
    title = source_text.title.strip() or (headings[0] if headings else source_text.source.rsplit("/", 1)[-1])
    return CutText(text=source_text.text, title=title, language=language, tree=tree, chat_calls=calls)


def kept_leaves(context: Context, cut: CutText, present: Document) -> dict[int, str]:
    """Match new leaves with present ones of the same words under the same headings, each at most once.

    Where the title or the language changed, what is indexed of every leaf did too.
    """
    if (present.title, present.language) != (cut.title, cut.language):
        return {}
    with context.store.read(context.namespace) as reader:
        leaves = reader.leaf_episodes(present.id)
    waiting: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for episode in reversed(leaves):
        waiting.setdefault((episode.text, episode.heading_path), []).append(episode.id)
    kept: dict[int, str] = {}
    for place, leaf in enumerate(cut.tree.leaves):
        same = waiting.get((cut.leaf_text(leaf), leaf.heading_path))
        if same:
            kept[place] = same.pop()
    return kept


def fresh_keys(
    context: Context, new: NewDocument, tell: Callable[[int, int], None] | None = None
) -> Iterator[dict[int, ItemKeys]]:
    """Embed the leaves that are not kept, some at a time."""
    fresh = [place for place in range(len(new.tree.leaves)) if place not in new.kept]
    for start in range(0, len(fresh), EMBED_BATCH):
        batch = fresh[start : start + EMBED_BATCH]
        keys = keys_of(context, [_indexed(new, new.tree.leaves[place]) for place in batch])
        if tell is not None:
            tell(start + len(batch), len(fresh))
        yield dict(zip(batch, keys, strict=True))


def _indexed(new: NewDocument, leaf: Chunk) -> IndexedText:
    return IndexedText(
        text=leaf.span.of(new.source_text.text),
        language=new.language,
        title=new.title,
        heading_path=leaf.heading_path,
    )
