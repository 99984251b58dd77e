"""Each fault of a server where a search asks it to reflect: the document stays, its feedback is open, the budget holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.chat_settings import ChatSettings
from evolore.domain.evolving import JobState
from evolore.models.offline_server import OfflineChatServer, ServerFault
from evolving.complaints import PEOPLE, TEXT, text_of
from evolving.searches import answered_badly
from evolving.served import served_editor

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("openai", reason="openai is not installed")
pytest.importorskip("gepa", reason="gepa is not installed")

CALLS = 20


def reached(server: OfflineChatServer, *, timeout_seconds: float = 20.0) -> ChatSettings:
    return ChatSettings(
        model="scripted",
        base_url=server.url,
        timeout_seconds=timeout_seconds,
        tries=2,
        first_wait_seconds=0,
        job_calls=CALLS,
    )


@pytest.mark.parametrize("fault", ServerFault)
def test_a_fault_leaves_the_document_and_its_feedback_and_stays_within_the_budget(
    fault: ServerFault, tmp_path: Path
) -> None:
    with OfflineChatServer([served_editor(fault)]) as server:
        chat = reached(server, timeout_seconds=0.2 if fault is ServerFault.HANGS else 20.0)
        with answered_badly(tmp_path, chat=chat) as memory:
            (job,) = memory.evolve("refunds.md")
            assert (job.state, job.candidates) == (JobState.RUNNING, ())
            assert job.stopped
            assert text_of(memory) == TEXT
            assert {one.principal for one in memory.feedback("refunds.md", unprocessed=True)} == set(PEOPLE)
            assert job.usage.calls == server.calls
            assert 1 <= server.calls <= CALLS


def test_a_good_reply_over_the_same_way_makes_a_candidate(tmp_path: Path) -> None:
    with OfflineChatServer([served_editor()]) as server, answered_badly(tmp_path, chat=reached(server)) as memory:
        (job,) = memory.evolve("refunds.md", calls=CALLS)
        assert len(job.candidates) == 1
