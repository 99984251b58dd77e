"""Reads of a store by pages beside a memory's verbs: the texts of versions, jobs about a document, episodes by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from evolore.domain.document import Document
from evolore.domain.episode import Episode
from evolore.domain.evolution import ProposedText
from evolore.domain.graph import EpisodeContext, Neighbour, Neighbourhood
from evolore.errors import AmbiguousId, NotFound
from evolore.flows.browse import document_named
from evolore.flows.graph import edges_between
from evolore.server.listings import reading

if TYPE_CHECKING:
    from evolore.memory import Memory
    from evolore.store.reading import StoreReader

_EDGES_A_NODE = 8
_MOST_CHARACTERS = 1000
_MOST_HITS = 100
_LEAST = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Three:
    """A proposed text beside those it is compared with."""

    source: str  #: Where its document came from.
    base: str  #: The text it was computed against; empty for a new document.
    proposed: str  #: The text.
    present: str  #: What the document says now.
    document: Document | None  #: The document; None where it is new or forgotten.
    has_moved: bool  #: Whether the document changed since.


def documents_about(memory: Memory, words: str, *, limit: int) -> tuple[Document, ...]:
    """Find documents by what their titles and passages say, best first."""
    hits = memory.recall(words[:_MOST_CHARACTERS], limit=_MOST_HITS, least=_LEAST, record=False).hits
    ids = dict.fromkeys(one.episode.document_id for one in hits if one.episode.document_id is not None)
    with reading(memory) as reader:
        known = {one.id: one for one in reader.documents_with(list(ids))}
    return tuple(known[id_] for id_ in ids if id_ in known)[:limit]


def statements_about(memory: Memory, words: str, *, speaker: str) -> tuple[str, ...]:
    """Find statements by what they say, of one speaker or of all; return their ids, best first."""
    asked, who = words[:_MOST_CHARACTERS], speaker or None
    hits = memory.recall(asked, limit=_MOST_HITS, least=_LEAST, record=False, speaker=who).hits
    return tuple(one.episode.id for one in hits if one.episode.document_id is None)


def versions_of(memory: Memory, document_id: str) -> tuple[tuple[int, datetime, int], ...]:
    """List a document's versions, newest first: number, time and characters."""
    with reading(memory) as reader:
        return reader.versions(document_id)


def version_texts(memory: Memory, document_id: str, *numbers: int) -> tuple[str, ...]:
    """Return the texts of versions of a document; an empty one for a version that is not there."""
    with reading(memory) as reader:
        return tuple((reader.document_text(document_id, one) if one > 0 else None) or "" for one in numbers)


def compared(memory: Memory, proposed: Iterable[ProposedText]) -> tuple[Three, ...]:
    """Return proposed texts beside what they change."""
    with reading(memory) as reader:
        return tuple(_three(reader, one) for one in proposed)


def _three(reader: StoreReader, proposed: ProposedText) -> Three:
    document = None if proposed.document_id is None else reader.document(proposed.document_id)
    if document is None:
        return Three(
            source=proposed.source, base="", proposed=proposed.text, present="", document=None, has_moved=False
        )
    return Three(
        source=document.source,
        base=reader.document_text(document.id, proposed.base_version) or "",
        proposed=proposed.text,
        present=reader.document_text(document.id) or "",
        document=document,
        has_moved=document.version != proposed.base_version,
    )


def episodes_named(memory: Memory, ids: Iterable[str | None]) -> Mapping[str, Episode]:
    """Return the episodes with ids, by these; those that were forgotten are left out."""
    wanted = list(dict.fromkeys(one for one in ids if one))
    with reading(memory) as reader:
        return {one.id: one for one in reader.episodes(wanted)} if wanted else {}


def newest_graph(memory: Memory, *, limit: int, document: str = "") -> tuple[Neighbourhood, tuple[str, ...]] | None:
    """Return what a namespace remembered last with what joins it, as a neighbourhood that has no centre.

    Args:
        memory: The memory.
        limit: How many nodes at most.
        document: Only the passages of this document, an id or source.

    Returns:
        The neighbourhood, whose contexts are documents and conversations, and what these are called; None where there is
        no such document.
    """
    with reading(memory) as reader:
        if document:
            try:
                episodes = reader.leaf_episodes(document_named(reader, document).id)
            except (NotFound, AmbiguousId):
                return None
        else:
            episodes = reader.newest_episodes(limit=limit + 1)
        shown = {one.id: one for one in episodes[:limit]}
        edges = edges_between(shown, reader.edges_around(list(shown), limit=_EDGES_A_NODE * limit))
    places: dict[str, list[str]] = {}
    for one in shown.values():
        places.setdefault(one.title or one.source or one.session or one.speaker or "–", []).append(one.id)
    of_node = {id_: number for number, ids in enumerate(places.values()) for id_ in ids}
    found = Neighbourhood(
        centre="",
        nodes=tuple(Neighbour(episode=one, distance=1, context=of_node[id_]) for id_, one in shown.items()),
        edges=edges,
        contexts=tuple(
            EpisodeContext(number=number, ids=tuple(ids), share=0.0) for number, ids in enumerate(places.values())
        ),
        conflicts=(),
        depth=1,
        as_of=None,
        truncated=len(episodes) > limit,
    )
    return found, tuple(places)


def document_of(memory: Memory, named: str) -> Document:
    """Return a document by its id or source."""
    with reading(memory) as reader:
        return document_named(reader, named)
