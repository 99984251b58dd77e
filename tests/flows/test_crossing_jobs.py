"""Jobs that make no candidate, and those of older versions that crossed documents by heading."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.domain.evolution import FORMER_OPERATOR, JobState, Operator
from evolore.errors import InvalidValue
from evolore.evolution.settings import EvolutionSettings
from evolving.complaints import BETTER, TEXT, complained, open_memory, text_of
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

DETAIL, MERGE = Operator.MUTATION_DETAIL, Operator.CROSSOVER_MERGE
ONE = EvolutionSettings(operators=(DETAIL,))


def as_older(folder: Path) -> None:
    """Have the store say of what was rewritten that it was crossed by heading."""
    with closing(sqlite3.connect(folder / "store" / "evolore.db")) as store, store:
        for table, column in (("evolution_steps", "body"), ("promotions", "operator")):
            store.execute(f"update {table} set {column} = replace({column}, ?, ?)", (DETAIL.value, FORMER_OPERATOR))


def test_what_was_crossed_by_heading_is_listed_as_a_merge_and_can_be_taken_back(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=ONE) as memory:
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
    as_older(tmp_path)
    with open_memory(tmp_path, model=ScriptedEditor()) as memory:
        assert [one.operator for one in memory.evolution.show(job.id).candidates] == [MERGE]
        (entry,) = memory.evolution.history()
        assert (entry.operator, entry.to_seed()["mutationType"], entry.after) == (MERGE, "CROSSOVER_MERGE", BETTER)
        assert memory.store.doctor().findings == ()
        memory.store.export(tmp_path / "out.jsonl")
        memory.evolution.rollback(entry.promotion_id, reason="Seven it is.")
        assert text_of(memory) == TEXT
    with open_memory(tmp_path / "other") as other:
        other.store.import_(tmp_path / "out.jsonl")
        assert [one.operator for one in other.evolution.history()] == [MERGE]


def test_what_waits_though_it_was_crossed_by_heading_can_be_taken_over(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=ONE) as memory:
        (job,) = memory.evolve()
    as_older(tmp_path)
    with open_memory(tmp_path, model=ScriptedEditor()) as memory:
        assert [one.operator for one in memory.evolution.candidates().candidates] == [MERGE]
        memory.evolution.approve(job.id)
        assert text_of(memory) == BETTER


def test_a_job_that_was_begun_to_cross_by_heading_ends_without_a_candidate(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=ONE) as memory:
        (job,) = memory.evolve(calls=0)
        assert job.state is JobState.RUNNING
    as_older(tmp_path)
    editor = ScriptedEditor()
    with open_memory(tmp_path, model=editor) as memory:
        (job,) = memory.evolve()
        assert job.state is JobState.ORIGINAL_STAYS
        assert job.reason == "no candidate could be made: no operator is left"
        assert editor.asked == []


def test_no_job_is_begun_to_cross_by_heading(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor()) as memory:
        with pytest.raises(InvalidValue, match=r"operators.*CROSSOVER_SECTIONS.*CROSSOVER_MERGE"):
            memory.evolve("refunds.md", "news.md", operators=[FORMER_OPERATOR])
        assert memory.evolution.jobs() == ()


def test_a_job_without_evidence_says_that_detail_has_nothing_to_cite(tmp_path: Path) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=ONE) as memory:
        memory.add_text(TEXT, source="refunds.md", media_type=MediaType.MARKDOWN)
        (job,) = memory.evolve("refunds.md")
        assert job.reason == "no candidate could be made: nothing was found that could be cited"


def test_a_document_too_long_to_be_shown_is_not_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.evolution.requests.LONGEST_DOCUMENT", 10)
    with open_memory(
        tmp_path, model=ScriptedEditor(), evolution=EvolutionSettings(operators=(Operator.MUTATION_CLARITY,))
    ) as memory:
        memory.add_text(TEXT, source="refunds.md", media_type=MediaType.MARKDOWN)
        (job,) = memory.evolve("refunds.md")
        assert "too long to be shown" in job.reason
