"""A person is erased whose words were evidence and complaints of a change that went through with every policy on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from builders import exported
from evolore.domain.evolution import JobState, Operator
from evolore.evolution.policy import ApprovalPolicy
from evolore.evolution.settings import CanarySettings, EvolutionSettings
from evolving.complaints import BETTER, NEWS, PEOPLE, TEXT, text_of
from evolving.corrections import add, opened
from evolving.scripted import NEW, ScriptedEditor
from flows.test_moving_rows import rows_of
from flows.test_subjects import held

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory

WITNESS = "dora"
ON = EvolutionSettings(
    auto_update=True,
    policy=ApprovalPolicy(operators=tuple(Operator), most_changed_share=1.0, trusted_writers=(WITNESS,)),
    canary=CanarySettings(grows_by_itself=True),
    entailment_by_chat=True,
    write_back=True,
)
ON_TRIAL = replace(ON, canary=CanarySettings(is_default=True, grows_by_itself=True))
CANARIES = ("zqcanaryasked", "zqcanarycomment", "zqcanarysaid", "zqcanarywrote")


def tell_of(folder: Path, kind: str) -> None:
    """Have three people complain, one in words of her own, and a fourth tell what holds since then."""
    with opened(folder) as memory:
        add(memory, TEXT, "refunds.md", principal="ben")
        for who in PEOPLE:
            mine = who == PEOPLE[0]
            answer = memory.answer(f"how long do refunds take in case {CANARIES[0] if mine else who}?", principal=who)
            comment = f"{CANARIES[1]} was told otherwise." if mine else None
            memory.rate(answer.id, "bad", comment=comment, principal=who)
    with opened(folder, hours=1) as memory:
        if kind == "statement":
            memory.remember(f"{NEW} {CANARIES[2].title()} was there.", speaker=WITNESS, principal=WITNESS)
        else:
            add(memory, f"{NEWS}\n{CANARIES[3]} wrote it.\n", "news.md", principal=WITNESS)


def erase(memory: Memory, kind: str) -> None:
    """Erase who complained and asked, and who testified."""
    assert memory.forget(of_principal=PEOPLE[0]).lingering_in == ()
    which = {"speaker": WITNESS} if kind == "statement" else {"document": "news.md"}
    assert memory.forget(**which).lingering_in == ()  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("kind", "evolution", "state", "after"),
    [
        ("document", ON, JobState.PROMOTED, JobState.PROMOTED),
        ("document", ON_TRIAL, JobState.CANARY, JobState.ORIGINAL_STAYS),
        ("statement", ON, JobState.WAITING, JobState.PROMOTED),
    ],
    ids=["taken over by the policy", "on trial by the policy", "what somebody said, approved by a person"],
)
def test_nothing_of_the_person_is_left_and_what_was_taken_over_stays(
    tmp_path: Path, kind: str, evolution: EvolutionSettings, state: JobState, after: JobState
) -> None:
    tell_of(tmp_path, kind)
    chat = {"kept_replies": 100, "tries": 1}
    with opened(tmp_path, model=ScriptedEditor(), evolution=evolution, hours=2, chat=chat) as memory:
        (job,) = memory.evolve()
        assert job.state is state
        if state is JobState.WAITING:
            memory.evolution.approve(job.id)
        memory.maintain()
        spoken = [*CANARIES[:2], CANARIES[2 if kind == "statement" else 3]]
        before = held(tmp_path).lower()
        assert all(word.encode() in before for word in spoken)  # the control
        erase(memory, kind)
        assert b"zqcanary" not in held(tmp_path).lower()
        assert b"zqcanary" not in exported(memory, with_vectors=True).lower()
        assert "zqcanary" not in json.dumps(rows_of(memory), default=repr).lower()
        assert not rows_of(memory)["evolution_steps"]
        (job,) = memory.evolution.jobs()
        assert job.state is after
        (promotion,) = job.promotions
        ended = "what it rested on was forgotten" if after is JobState.ORIGINAL_STAYS else ""
        assert promotion.rollback_reason == ended
        assert promotion.is_by_policy is (kind == "document")
        assert text_of(memory) == (TEXT if ended else BETTER)
        assert memory.evolve() == ()
        assert memory.store.verify().is_whole
        assert memory.store.doctor().findings == ()
