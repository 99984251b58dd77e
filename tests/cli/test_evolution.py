"""How jobs, promotions and canaries are told on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.cli.canary import render_canaries
from evolore.cli.evolution import (
    render_approved,
    render_candidates,
    render_diff,
    render_evolution_history,
    render_feedback,
    render_gap,
    render_gaps,
    render_generations,
    render_job,
    render_jobs,
    render_rolled_back,
    render_stats,
)
from evolore.cli.printing import print_lines
from evolore.domain.evolution import Operator
from evolore.errors import NotFound
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.evolve.overview import EvolutionCandidates
from evolore.flows.evolve.show import TextDiff, difference_lines
from evolving.canaries import begun, waiting
from evolving.complaints import complained
from evolving.scripted import NEW, OLD, ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))


def test_a_job_is_told_from_proposal_to_rollback_by_the_source_of_its_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        print_lines(render_job(memory.evolution.show(job.id)))
        told = capsys.readouterr().out
        assert told.startswith(f"{job.id}  waiting         refunds.md\n  3 BAD ratings, 1 candidate, ")
        assert f"  see it with: evolore evolution diff {job.id}\n" in told
        assert "Candidate 1: MUTATION_DETAIL  <- put before you\n" in told
        damage = "damage: 0 bytes outside its edits; lost 1 value (7 business days), 0 links, 0 anchors; "
        assert damage in told
        print_lines(render_diff(memory.evolution.diff(job.id)))
        told = capsys.readouterr().out
        assert f"-{OLD} They go to the card that paid.\n+{NEW} " in told
        assert damage in told
        done = memory.evolution.approve(job.id)
        assert done.promotion is not None
        print_lines(render_approved(memory, done))
        assert capsys.readouterr().out.splitlines() == [
            "refunds.md is at version 2 now.",
            f"Undo it with: evolore evolution rollback {done.promotion.id} --reason …",
        ]
        print_lines(render_rolled_back(memory, memory.evolution.rollback(done.promotion.id, reason="Seven it is.")))
        assert capsys.readouterr().out.splitlines() == [
            "refunds.md says again what version 1 said, as version 3.",
            "The next job uses 3 pieces of feedback again.",
        ]
        print_lines(render_generations(memory.evolution.generations("refunds.md")))
        lines = capsys.readouterr().out.splitlines()
        assert lines[-2:] == [
            "     rolled back on 2026-03-02 by an unnamed person: Seven it is.",
            f"       Refunds > Time: {OLD} -> {NEW}",
        ]
        print_lines(render_job(memory.evolution.show(job.id)))
        told = [line.strip() for line in capsys.readouterr().out.splitlines()]
        assert {line.strip() for line in lines[-2:]} <= set(told)


def test_what_evolution_did_in_the_whole_memory_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        print_lines(render_stats(memory, memory.evolution.stats()))
        print_lines(render_candidates(memory.evolution.candidates()))
        document = memory.evolution.stats().eligible_document_ids[0]
        assert capsys.readouterr().out.splitlines() == [
            "3 pieces of feedback on 2 documents: 0 GOOD, 3 BAD, 3 of these not used by a job yet",
            "0 jobs, 0 with a change that holds",
            "1 document would be worked on by: evolore evolve",
            f"  {document}  refunds.md",
            f"{document}  3 people complain of refunds.md: evolore evolve",
        ]
        (job,) = memory.evolve()
        print_lines(render_candidates(memory.evolution.candidates()))
        print_lines(render_feedback(memory, memory.evolution.feedback()[:1]))
        assert capsys.readouterr().out.splitlines() == [
            f"{job.id}  candidate 1: MUTATION_DETAIL  won 100%",
            f"2026-03-02  bad   refunds.md  by ann  used by {job.id}",
            "  I was told otherwise.",
        ]
        promotion = memory.evolution.approve(job.id).promotion
        assert promotion is not None
        line = f"{promotion.id}  2026-03-02  MUTATION_DETAIL       won 100%  generation 1 of refunds.md"
        print_lines(render_evolution_history(memory.evolution.history()))
        memory.evolution.rollback(promotion.id, reason="Seven it is.")
        print_lines(render_evolution_history(memory.evolution.history()))
        print_lines(render_stats(memory, memory.evolution.stats()))
        told = capsys.readouterr().out.splitlines()
        assert told[:2] == [line, f"{line}: rolled back"]
        assert told[3] == "1 job, 0 with a change that holds"


def test_a_canary_is_told_with_how_to_take_it_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        print_lines(render_canaries(memory.evolution.canaries()))
        told = capsys.readouterr().out.splitlines()
        assert told[0].startswith(f"{promotion.id}  ")
        assert told[0].endswith("(stage 1 of 3)  refunds.md")
        assert told[-1] == f"  withdraw it with: evolore evolution rollback {promotion.id} --reason …"
        print_lines(render_rolled_back(memory, memory.evolution.rollback(promotion.id, reason="Not now.")))
        assert capsys.readouterr().out.startswith("refunds.md is before everybody as it was.\n")


def test_where_there_is_nothing_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(render_jobs([], none="There is no job here."))
    print_lines(render_canaries([]))
    print_lines(render_generations([]))
    print_lines(render_evolution_history([]))
    print_lines(render_candidates(EvolutionCandidates(eligible=(), candidates=(), results=())))
    assert capsys.readouterr().out.splitlines() == [
        "There is no job here.",
        "There is no canary here.",
        "Nothing was promoted in this document.",
        "Nothing was promoted here.",
        "No document has enough BAD ratings, and no job is open.",
    ]


def test_a_diff_is_headed_by_paths_that_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (tmp_path / "docs" / "page.md").as_posix()
    lines = difference_lines("old\n", "new\n", source)
    assert lines[:2] == (f"--- a{source}", f"+++ b{source}")
    assert difference_lines("old", "new", "page")[:2] == ("--- a/page", "+++ b/page")
    shown = TextDiff(document_id="d", source=source, base_version=1, version=1, lines=lines)
    (tmp_path / "docs").mkdir()
    (tmp_path / "other").mkdir()
    for folder, named in ((".", "/docs/page.md"), ("docs", "/page.md"), ("other", source)):
        monkeypatch.chdir(tmp_path / folder)
        print_lines(render_diff([shown]))
        assert capsys.readouterr().out.splitlines()[:2] == [f"--- a{named}", f"+++ b{named}"]


def test_an_id_that_names_nothing_is_refused_with_the_command_that_lists_them(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        with pytest.raises(NotFound, match="`evolore evolution jobs` lists them"):
            memory.evolution.show("zzz")
        with pytest.raises(NotFound, match="`evolore evolution generations DOCUMENT` lists them"):
            memory.evolution.rollback("zzz", reason="No.")


def test_a_gap_is_told_with_what_was_asked_and_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        for who, text in (("ann", "where may bicycles stay"), ("bo", "bicycles stay where")):
            said = memory.answer(text, principal=who)
            memory.rate(said.id, "bad", principal=who)
        found = memory.evolution.gaps()
        print_lines(render_gaps(found))
        told = capsys.readouterr().out
        assert "open  2 questions by 2 people in 1 week, 2 people rated BAD" in told
        assert "missing: " in told
        memory.evolution.take_gap(found[0].id, principal="mika")
        print_lines(render_gap(memory.evolution.gap(found[0].id)))
        told = capsys.readouterr().out
        assert "taken by mika" in told
        assert "# Draft: " in told
        print_lines(render_gaps(()))
        assert "nothing was asked twice" in capsys.readouterr().out
