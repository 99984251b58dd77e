from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.document import Span
from evolore.domain.episode import Episode, EpisodeKind
from evolore.domain.language import Language
from evolore.domain.outline import OutlineCode, Relation
from evolore.domain.query import Expansion, Hit, HitRelation
from evolore.flows.recall import related


def hit(rank: int, document: str | None, code: str | None, *, expanded: str | None = None) -> Hit:
    episode = Episode(
        id=f"{rank:026}",
        kind=EpisodeKind.CHUNK if document else EpisodeKind.STATEMENT,
        text="Text",
        language=Language.EN,
        recorded_at=datetime(2026, 3, 1, tzinfo=UTC),
        document_id=document,
        outline=OutlineCode.parse(code) if code else None,
        span=Span(0, 4) if code else None,
    )
    wider = Expansion(outline=OutlineCode.parse(expanded), span=Span(0, 4)) if expanded else None
    return Hit(episode=episode, rank=rank, score=1.0 / rank, expansion=wider)


def test_a_hit_tells_its_relation_to_the_nearest_better_one_of_its_document() -> None:
    places = (
        ("a", "1.2.1"),
        ("b", "1.2.2"),
        (None, None),
        ("a", "3.1"),
        ("a", "1.3.4"),
        ("a", "1.3.5"),
        ("a", "1.2.9"),
    )
    hits = [hit(rank, document, code) for rank, (document, code) in enumerate(places, 1)]
    assert [one.relation for one in related(hits)] == [
        None,
        None,
        None,
        HitRelation(rank=1, relation=Relation.NONE),
        HitRelation(rank=1, relation=Relation.COUSIN),
        HitRelation(rank=5, relation=Relation.SIBLING),
        HitRelation(rank=1, relation=Relation.SIBLING),
    ]


def test_an_expanded_hit_stands_where_its_chunk_does() -> None:
    found = related([hit(1, "a", "1.2.1"), hit(2, "a", "4.1", expanded="4"), hit(3, "a", "1.2.1", expanded="1")])
    assert [one.relation and one.relation.relation for one in found] == [None, Relation.NONE, Relation.ANCESTOR]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.lists(st.integers(1, 3), min_size=1, max_size=3)), max_size=9))
def test_no_better_hit_shares_more_of_the_outline_than_the_one_named(places: list[tuple[str, list[int]]]) -> None:
    hits = [hit(rank, where, ".".join(map(str, parts))) for rank, (where, parts) in enumerate(places, 1)]

    def shared(one: int, other: int) -> int:
        pairs = list(zip(places[one][1], places[other][1], strict=False))
        return next((place for place, (left, right) in enumerate(pairs) if left != right), len(pairs))

    for place, one in enumerate(related(hits)):
        better = [other for other in range(place) if places[other][0] == places[place][0]]
        assert (one.relation is None) == (not better)
        if one.relation is not None:
            code = hits[one.relation.rank - 1].episode.outline
            assert shared(place, one.relation.rank - 1) == max(shared(place, other) for other in better)
            assert code is not None
            assert one.episode.outline is not None
            assert one.relation.relation is one.episode.outline.relation_to(code)
