"""Answers that were produced elsewhere are taken down and rated like ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.answer import AnswerKind
from evolore.domain.episode import Episode
from evolore.domain.evolution import Operator
from evolore.domain.outcome import Outcome, Rating
from evolore.errors import InvalidValue, NamespaceNotFound, NotFound
from evolore.evolution.settings import EvolutionSettings
from evolving.complaints import NEWS, PEOPLE, filled, open_memory
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory

HOW_LONG = "how long do refunds take?"
TOLD = "Refunds take 7 business days."


def confidence(memory: Memory, id_: str) -> float:
    found = memory.show(id_)
    assert isinstance(found, Episode)
    return found.confidence


def test_an_answer_from_elsewhere_is_kept_and_rated_like_ours(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        document = filled(memory, questions=0)
        kept = memory.questions.record_answer(
            HOW_LONG, TOLD, cited=["refunds.md"], outcome="retrieval", principal="ann", answered_at="2026-02-01"
        )
        (cited,) = kept.citations
        assert (kept.kind, kept.document_ids, cited.version) == (AnswerKind.RECORDED, (document.id,), 1)
        assert TOLD in cited.quote
        (asked,) = memory.questions.list()
        assert (asked.text, asked.answer_id, asked.principal) == (HOW_LONG, kept.id, "ann")
        assert (asked.cited_ids, asked.outcome, asked.is_stated) == ((cited.episode_id,), Outcome.RETRIEVAL, True)
        assert asked.asked_at.date().isoformat() == "2026-02-01"
        before = confidence(memory, cited.episode_id)
        rated = memory.rate(kept.id, "bad", comment="It is ten now.", principal="ann")
        assert before > confidence(memory, cited.episode_id)
        (said,) = memory.evolution.feedback("refunds.md")
        assert (said.rating, said.question, said.comment) == (Rating.BAD, HOW_LONG, "It is ten now.")
        assert rated.feedback == (said,)


def test_complaints_about_answers_from_elsewhere_give_rise_to_a_job(tmp_path: Path) -> None:
    evolution = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=evolution) as memory:
        document = filled(memory, questions=0)
        for who in PEOPLE:
            kept = memory.questions.record_answer(f"how long for {who}?", TOLD, cited=[document.id[:-1]], principal=who)
            memory.rate(kept.id, "bad", principal=who)
        assert memory.evolution.stats().eligible_document_ids == (document.id,)
        (job,) = memory.evolve()
        assert [one.id for one in job.documents] == [document.id]


def test_passages_and_statements_may_be_cited_and_each_counts_once(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        filled(memory, questions=0)
        said = memory.remember("Ann decides about refunds over 100 euros.", speaker="Ben")
        hit = memory.recall(HOW_LONG, record=False).hits[0].episode
        kept = memory.questions.record_answer(HOW_LONG, TOLD, cited=[said.id, hit.id, said.id])
        assert [(one.number, one.episode_id) for one in kept.citations] == [(1, said.id), (2, hit.id)]
        assert [one.document_id for one in kept.citations] == [None, hit.document_id]
        bare = memory.questions.record_answer("is there coffee?", "There is.")
        assert bare.citations == ()
        assert memory.rate(bare.id, "good").feedback == ()


def test_what_cannot_be_taken_down_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        with pytest.raises(NamespaceNotFound):
            memory.questions.record_answer(HOW_LONG, TOLD)
        memory.add_text(NEWS, source="news.md")
        with pytest.raises(NotFound, match=r"nowhere\.md"):
            memory.questions.record_answer(HOW_LONG, TOLD, cited=["news.md", "nowhere.md"])
        with pytest.raises(InvalidValue, match="outcome"):
            memory.questions.record_answer(HOW_LONG, TOLD, outcome="splendid")
        with pytest.raises(InvalidValue, match="answer is blank"):
            memory.questions.record_answer(HOW_LONG, " ")
        with pytest.raises(InvalidValue):
            memory.questions.record_answer(" ", TOLD)
        with pytest.raises(InvalidValue, match="answered_at"):
            memory.questions.record_answer(HOW_LONG, TOLD, answered_at="yesterday")
        assert memory.questions.list() == ()


def test_an_answer_from_elsewhere_is_forgotten_and_moves_like_ours(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        filled(memory, questions=0)
        kept = memory.questions.record_answer(HOW_LONG, TOLD, cited=["refunds.md"])
        memory.store.export(tmp_path / "out.zip")
        memory.forget(document="refunds.md")
        with pytest.raises(NotFound):
            memory.rate(kept.id, "bad")
    with open_memory(tmp_path / "other") as memory:
        memory.store.import_(tmp_path / "out.zip")
        memory.rate(kept.id, "bad")
        assert len(memory.evolution.feedback()) == 1
