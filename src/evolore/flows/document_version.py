"""A text as the next version of a document: cut, embedded where it is new, and linked with what is of the same matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.chunking.requests import ChunkAnswer, ChunkRequest, LogProbs, LogProbsRequest, RewriteRequest, Unanswered
from evolore.domain.chat import ChatBudget, ChatFailure, ChatFailureKind, ChatReply, LogProbsOutcome
from evolore.domain.checks import check_name
from evolore.domain.document import AttemptOutcome, Chunk, ChunkTree, Document, MediaType, Upkeep
from evolore.domain.episode import Edge, EdgeKind, Episode
from evolore.domain.evolution import KeptStretch, ProposedText
from evolore.domain.language import Language
from evolore.domain.metadata import Labels
from evolore.domain.times import read_moment
from evolore.episodes.merging import LEAST_LINK, MERGE_SIMILARITY
from evolore.errors import InvalidValue, NotFound, StoreBusy, StoreFailed
from evolore.flows.browse import document_named
from evolore.flows.calibrate import Scales
from evolore.flows.context import Context, Preparer
from evolore.flows.item_keys import EMBED_BATCH, keys_of
from evolore.flows.remember.similarity import MOST_LINKS, MOST_LINKS_IN
from evolore.ports import IndexedText, IndexView, ItemKeys, NewDocument, SourceText, VectorIndex
from evolore.recall.visibility import standing
from evolore.store.reading import StoreReader
from evolore.text.pipe_tables import is_table_head
from evolore.text.scripts import detect_language
from evolore.text.sections import short_title


def next_version(context: Context, proposed: ProposedText) -> NewDocument:
    """Make a proposed text ready to be written, without a call of a chat model; passages that stay are not embedded again.

    Raises:
        NotFound: Its document is not there any more.
    """
    context = replace(context, chat_model=None)
    present = occurred_at = None
    if proposed.document_id is not None:
        with context.store.read(context.namespace) as reader:
            present = reader.document(proposed.document_id)
            dates = (one.occurred_at for one in reader.leaf_episodes(proposed.document_id))
            occurred_at = max(filter(None, dates), default=None)  # a rewrite makes nothing newer
        if present is None:
            raise NotFound(f"The document {proposed.document_id} is not there any more: it was forgotten.")
    source_text = SourceText(
        source=proposed.source if present is None else present.source,
        text=proposed.text,
        media_type=MediaType.MARKDOWN if present is None else present.media_type,
        title=proposed.title if present is None else present.title,
        occurred_at=occurred_at,
    )
    new = new_document(context, cut_text(context, source_text), present)
    return _with_keys(context, replace(new, is_from_source=False))


def new_document(context: Context, cut: CutText, present: Document | None) -> NewDocument:
    """Return a text that was cut as a new document, or as the next version of one that is there; nothing of it is embedded."""
    return NewDocument(
        source_text=cut.source_text,
        title=cut.title,
        language=cut.language,
        content_sha256=sha256(cut.source_text.text.encode("utf-8")).hexdigest(),
        tree=cut.tree,
        keys={},
        kept=kept_leaves(context, cut, present) if present else {},
        previous_id=present.id if present else None,
        previous_version=present.version if present else 0,
    )


def version_of(
    context: Context, present: Document, text: str, stretches: tuple[KeptStretch, ...] | None
) -> NewDocument:
    """Make the next version of a document ready to be written, with where it says something else than its source.

    Raises:
        NotFound: The document is not there any more.
    """
    new = next_version(context, ProposedText(text=text, document_id=present.id, base_version=present.version))
    return replace(new, previous_version=present.version, stretches=stretches)


def shadow_version(context: Context, proposed: ProposedText) -> NewDocument:
    """Prepare a proposed text to be stored beside its document, under the same names, with new passages.

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
    return _with_keys(context, replace(new, source_text=labelled, kept={}, previous_id=None, previous_version=0))


def _with_keys(context: Context, new: NewDocument) -> NewDocument:
    cut = CutText(source_text=new.source_text, title=new.title, language=new.language, tree=new.tree, chat_calls=0)
    keys = {place: key for batch in fresh_keys(context, cut, new.kept) for place, key in batch.items()}
    return replace(new, keys=keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutText:
    """A document's text, cut."""

    source_text: SourceText
    title: str
    language: Language
    tree: ChunkTree
    chat_calls: int

    def leaf_text(self, leaf: Chunk) -> str:
        """Return what a leaf says."""
        return leaf.span.of(self.source_text.text)

    def share_until(self, leaf: Chunk) -> float:
        """Return which share of the text ends with a leaf."""
        return leaf.span.end / len(self.source_text.text)

    def indexed(self, leaf: Chunk) -> IndexedText:
        """Return what is indexed of a leaf, as text and where it is."""
        return IndexedText(
            text=self.leaf_text(leaf),
            language=self.language,
            occurred_at=self.source_text.occurred_at,
            title=self.title,
            heading_path=leaf.heading_path,
        )


def cut_text(context: Preparer, source_text: SourceText) -> CutText:
    """Cut a text, and say what it is called and which language it is in."""
    language = detect_language(source_text.text)
    tree, calls = cut_document(context, source_text, language)
    outermost = (chunk.heading_path[0] for chunk in tree.chunks if chunk.heading_path)
    heading = next((one for one in outermost if not is_table_head(one)), source_text.source.rsplit("/", 1)[-1])
    title = short_title(source_text.title) or tree.title or heading
    return CutText(source_text=source_text, title=title, language=language, tree=tree, chat_calls=calls)


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
    preparer: Preparer, cut: CutText, kept: Container[int] = (), tell: Callable[[float], None] | None = None
) -> Iterator[dict[int, ItemKeys]]:
    """Embed the leaves that are not kept, some at a time, and report up to which share of the text."""
    leaves = cut.tree.leaves
    fresh = [place for place in range(len(leaves)) if place not in kept]
    for start in range(0, len(fresh), EMBED_BATCH):
        batch = fresh[start : start + EMBED_BATCH]
        keys = keys_of(preparer, [cut.indexed(leaves[place]) for place in batch])
        if tell is not None:
            tell(cut.share_until(leaves[batch[-1]]))
        yield dict(zip(batch, keys, strict=True))


_OUTCOMES = {
    ChatFailureKind.NO_MODEL: AttemptOutcome.NO_MODEL,
    ChatFailureKind.NOT_OFFERED: AttemptOutcome.NOT_OFFERED,
    ChatFailureKind.OUT_OF_BUDGET: AttemptOutcome.OUT_OF_BUDGET,
    ChatFailureKind.REFUSED: AttemptOutcome.REFUSED,
    ChatFailureKind.TIMED_OUT: AttemptOutcome.TIMED_OUT,
    ChatFailureKind.FAILED: AttemptOutcome.FAILED,
}


def cut_document(context: Preparer, source_text: SourceText, language: Language) -> tuple[ChunkTree, int]:
    """Cut a document, asking the chat model where tier 1 finds no boundary, within the budget of one document.

    Returns:
        The tree, complete even if the model failed, and how many calls were made.
    """
    chunker = context.chunker
    asker = Asker(context.chat_model, ChatBudget(calls=chunker.tiers.calls_per_document), context.chat_terms)
    steps = chunker.steps(
        source_text.text, media_type=source_text.media_type, language=language, source=source_text.source
    )
    try:
        requests = next(steps)
        while True:
            requests = steps.send(_answers(asker, requests))
    except StopIteration as ended:
        tree: ChunkTree = ended.value
        return tree, asker.usage.calls


def _answers(asker: Asker, requests: Sequence[ChunkRequest]) -> tuple[ChunkAnswer, ...]:
    """Answer requests in their order, those of one kind in one batch."""
    replies = iter(_rewritten(asker, [request for request in requests if isinstance(request, RewriteRequest)]))
    told = iter(asker.log_probs([request.text for request in requests if isinstance(request, LogProbsRequest)]))
    return tuple(
        next(replies) if isinstance(request, RewriteRequest) else _of_log_probs(next(told)) for request in requests
    )


def _rewritten(asker: Asker, requests: Sequence[RewriteRequest]) -> list[ChunkAnswer]:
    if not asker.has_model:
        return [Unanswered(outcome=AttemptOutcome.NO_MODEL) for _ in requests]
    from evolore.chunking.requests import PROMPT_VERSION, read_rewrite, rewrite_prompt  # noqa: PLC0415 - checking replies is heavy

    words = prompt_words("restore_sentences", PROMPT_VERSION)
    outcomes = asker.complete([rewrite_prompt(words, request) for request in requests])
    return [
        read_rewrite(outcome.text, request)
        if isinstance(outcome, ChatReply)
        else Unanswered(outcome=_OUTCOMES[outcome.kind])
        for outcome, request in zip(outcomes, requests, strict=True)
    ]


def _of_log_probs(outcome: LogProbsOutcome) -> ChunkAnswer:
    if isinstance(outcome, ChatFailure):
        return Unanswered(outcome=_OUTCOMES[outcome.kind])
    return LogProbs(tokens=outcome.tokens)


MOST_LINKED = 2000
"""So many new passages are linked by one ``add``; ``maintain`` links the others."""

_LINKED_TOGETHER = 16
"""After so many passages recalls get their turn: each takes 1.5 ms among 1,500."""

_SPARE = 4
_DEEPER = 4
"""So many times as many are asked for where what is hidden lies before the others."""


def link_passages(context: Context, document_ids: Sequence[str]) -> int:
    """Link the passages of documents with their nearest, in a transaction of its own; return how many edges there are.

    What is interrupted, or is beyond ``MOST_LINKED``, ``maintain`` makes up for.
    """
    if not document_ids or not context.settings.integration.enabled:
        return 0
    with context.store.read(context.namespace) as reader:
        leaves = {one.id: one for id_ in document_ids for one in reader.leaf_episodes(id_)}
        linked = reader.linked(leaves)  # what a version before had too
    edges = _edges(context, [leaf for id_, leaf in leaves.items() if id_ not in linked][:MOST_LINKED])
    if not edges:
        return 0
    # The documents are written already, and reported so: a failure of derived data must not hide that.
    with (
        suppress(StoreFailed, StoreBusy),
        context.store.write(context.namespace, principal=context.principal) as writer,
    ):
        writer.link(edges, at=context.clock.now())
        return len(edges)
    return 0


def _edges(context: Context, leaves: Sequence[Episode]) -> list[Edge]:
    """Return the edges from passages to their nearest, of which none gathers more than the settings say."""
    found: list[Edge] = []
    gathered: Counter[str] = Counter()
    for start in range(0, len(leaves), _LINKED_TOGETHER):
        with context.store.index(context.namespace) as (view, reader):
            some = [one for one in leaves[start : start + _LINKED_TOGETHER] if one.id in view.numbers]
            wanted = _likest(context, view, reader, some)
            lying = reader.link_counts({edge.target_id for edge in wanted})
        for edge in wanted:
            if lying.get(edge.target_id, 0) + gathered[edge.target_id] < MOST_LINKS_IN:
                gathered[edge.target_id] += 1
                found.append(edge)
    return found


def _likest(context: Context, view: IndexView, reader: StoreReader, leaves: Sequence[Episode]) -> list[Edge]:
    model = context.embedder.model
    scales = Scales(context.calibrations, model, reader.calibrations(model.id))
    found: list[Edge] = []
    nearest = _nearest(view, [one.id for one in leaves], count=MOST_LINKS * _SPARE)
    for leaf, (near, vectors, own) in zip(leaves, nearest, strict=True):
        scale = scales.of(leaf.language)
        cosines = scale.cosines(own[np.newaxis], vectors)[0] if near else np.zeros(0)
        chances, alike = scale.probability(cosines).tolist(), scale.s_dup(cosines).tolist()
        ranked = sorted(zip(cosines.tolist(), near, chances, alike, strict=True), key=lambda one: (-one[0], one[1]))
        for _, number, chance, s_dup in ranked[:MOST_LINKS]:
            if chance > LEAST_LINK:
                kind = EdgeKind.ECHO if s_dup >= MERGE_SIMILARITY else EdgeKind.SEMANTIC
                found.append(Edge(source_id=leaf.id, target_id=view.episode_ids[number], kind=kind, weight=chance))
    return found


def _nearest(
    view: IndexView, ids: Sequence[str], *, count: int
) -> Iterator[tuple[list[int], npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
    """Yield, for each passage, the numbers and vectors of its nearest visible neighbours, and its own vector."""
    there = standing(view)
    may = np.ones(len(view.episode_ids), dtype=np.bool_) if there is None else there
    numbers = np.array([view.numbers[id_] for id_ in ids], dtype=np.int32)
    for number, vector in zip(numbers.tolist(), view.vectors.rows_of(numbers), strict=True):
        others = may.copy()
        others[number] = False
        near = nearest_among(view.vectors, vector, others, count=count)
        yield near.tolist(), view.vectors.rows_of(near), vector


def nearest_among(
    vectors: VectorIndex, vector: npt.NDArray[np.float32], may: npt.NDArray[np.bool_], *, count: int
) -> npt.NDArray[np.int32]:
    """Return about the ``count`` nearest of some items, in no order: an index that knows no others is asked for more.

    Args:
        vectors: The index.
        vector: Of unit length, shape (dimension,).
        may: Which items may be given, shape (items,).
        count: How many.
    """
    wanted = min(count, int(may.sum()))
    asked = count
    while wanted and (found := vectors.nearest(vector, count=asked)) is not None:
        kept = found[may[found]]
        if kept.size >= wanted:
            return kept
        asked *= _DEEPER
    likeness = np.where(may, vectors.similarities(vector), -np.inf)
    return np.argpartition(-likeness, wanted - 1)[:wanted].astype(np.int32) if wanted else np.zeros(0, dtype=np.int32)


def verify(context: Context, name: str, *, by: str | None = None, verify_by: date | str | None = None) -> Document:
    """Record in a document's metadata that it was verified today; its text and version stay."""
    check_name(by, "by")
    today = context.clock.now().date()
    until = read_moment(verify_by.isoformat() if isinstance(verify_by, date) else verify_by, "verify_by")
    day = None if until is None else until.date()
    if day is not None and day < today:
        raise InvalidValue(f"verify_by is {day.isoformat()}, which is over: name a day that comes.")
    with context.store.write(context.namespace, principal=context.principal) as writer:
        document = document_named(writer, name)
        done = replace(Upkeep(last_verified=today, verified_by=by or context.principal), verify_by=day)
        kept = {name: value for name, value in document.metadata.items() if name != "verified_by"}
        changed = writer.label_document(document, Labels(metadata={**kept, **done.filed()}), at=context.clock.now())
    if changed is None:
        raise StoreBusy(f"The document {document.source} changed at this moment: try again.")
    return changed
