"""What an answer is said to rest on may be said anew: what people said of it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolving.complaints import complained

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory


def asked(memory: Memory) -> tuple[str, dict[str, str]]:
    """Ask; give the question and an episode that was handed over of each document."""
    found = memory.recall("refunds news May business days card", record=True, principal="zoe")
    assert found.query_id is not None
    sources = {one.id: one.source for one in memory.list().documents}
    ids = {sources[hit.episode.document_id or ""]: hit.episode.id for hit in reversed(found.hits)}
    return found.query_id, ids


def said(memory: Memory, query_id: str) -> set[tuple[str | None, str, str]]:
    documents = {one.id: one.source for one in memory.list().documents}
    return {
        (one.principal, documents[one.document_id], one.rating.value)
        for one in memory.evolution.feedback()
        if one.query_id == query_id
    }


def test_feedback_leaves_documents_that_an_answer_does_not_rest_on_any_more(tmp_path: Path) -> None:
    with complained(tmp_path) as memory:
        query_id, ids = asked(memory)
        memory.rate(query_id, "bad", cited=[ids["refunds.md"]], principal="zoe")
        assert said(memory, query_id) == {("zoe", "refunds.md", "bad")}
        memory.rate(query_id, "bad", cited=[ids["news.md"]], principal="zoe")
        assert said(memory, query_id) == {("zoe", "news.md", "bad")}


def test_what_others_said_of_the_answer_follows_what_it_rests_on(tmp_path: Path) -> None:
    with complained(tmp_path) as memory:
        query_id, ids = asked(memory)
        memory.rate(query_id, "good", cited=[ids["refunds.md"]], principal="zoe")
        memory.rate(query_id, "bad", comment="no", principal="ann")
        memory.rate(query_id, "bad", cited=[ids["news.md"]], principal="zoe")
        assert said(memory, query_id) == {("zoe", "news.md", "bad"), ("ann", "news.md", "bad")}
        (kept,) = (one for one in memory.evolution.feedback("news.md") if one.principal == "ann")
        assert kept.comment == "no"


def test_control_what_is_rated_again_with_the_same_citations_stays_processed_or_not(tmp_path: Path) -> None:
    with complained(tmp_path) as memory:
        query_id, ids = asked(memory)
        memory.rate(query_id, "bad", cited=[ids["refunds.md"], ids["news.md"]], principal="zoe")
        before = {one.id for one in memory.evolution.feedback()}
        memory.rate(query_id, "bad", principal="zoe")
        assert {one.id for one in memory.evolution.feedback()} == before
        assert {source for _, source, _ in said(memory, query_id)} == {"refunds.md", "news.md"}
