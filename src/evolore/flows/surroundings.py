"""What lies around an episode and what it says: what decides whether it is of several matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.episodes import EdgeKind
from evolore.episodes.evidence import Piece
from evolore.flows.keys import vectors_of
from evolore.flows.known import as_stored
from evolore.ports import IndexedText
from evolore.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.flows.context import Context
    from evolore.flows.known import Known
    from evolore.flows.world import World

LIKE = frozenset((EdgeKind.SEMANTIC, EdgeKind.ECHO))
MOST_SENTENCES = 64
_PER_SENTENCE = 3
_MOST_NEIGHBOURS = 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Around:
    """A neighbour of an episode.

    Args:
        known: The neighbour.
        kind: What joins them; of one that only lies near a sentence ``SEMANTIC``.
        is_joined: Whether an edge does.
    """

    known: Known
    kind: EdgeKind
    is_joined: bool


class Surroundings:
    """Finds what an episode says and what lies around it.

    Args:
        context: The ports; sentences are embedded here.
        world: Where it stands.
    """

    def __init__(self, context: Context, world: World) -> None:
        self._context = context
        self._world = world

    def sentences(self, one: Known) -> list[Piece]:
        """Give the sentences of an episode in their order; none where there are more than 64."""
        texts = [span.of(one.text).strip() for span in sentence_spans(one.text, language=one.language)]
        texts = [text for text in texts if text]
        if len(texts) > MOST_SENTENCES:
            return []
        items = [IndexedText(text=text, language=one.language, speaker=one.speaker) for text in texts]
        # One at a time: a batch's vectors differ in the last digits, and the same words must give the same decisions.
        vectors = [as_stored(vectors_of(self._context.embedder, [item])[0]) for item in items]
        return [Piece(text=text, vector=vector) for text, vector in zip(texts, vectors, strict=True)]

    def neighbours(self, one: Known, sentences: Sequence[Piece], *, kinds: frozenset[EdgeKind] = LIKE) -> list[Around]:
        """Give what edges have gathered around an episode and what it is made of, and what lies near its sentences.

        Only what is of its language: the heaviest edges first, then sentence by sentence.
        """
        own = (one.id, *self._world.members(one.id))
        joined: dict[str, EdgeKind] = {}
        for edge in sorted(
            self._world.edges(own, kinds=kinds), key=lambda edge: (-edge.weight, edge.source_id, edge.target_id)
        ):
            for end in (edge.source_id, edge.target_id):
                joined.setdefault(end, edge.kind)
        gathered = [id_ for id_ in joined if id_ not in own and self._world.stands(id_)]
        found = {id_: joined[id_] for id_ in gathered[: _MOST_NEIGHBOURS // 2]}
        for piece in sentences:
            for near in self._world.near(piece.vector, count=_PER_SENTENCE, but=own):
                found.setdefault(near.known.id, EdgeKind.SEMANTIC)
        known = self._world.some(list(found)[:_MOST_NEIGHBOURS])
        return [
            Around(known=other, kind=found[id_], is_joined=id_ in joined)
            for id_, other in known.items()
            if other.language is one.language
        ]
