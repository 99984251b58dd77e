"""Every question about the sessions of coding agents names a turn, and words of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "data" / "agent_sessions"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["sessions.jsonl", "blind_sessions.jsonl"])
def test_evidence_is_in_the_turn_that_is_named(name: str) -> None:
    held = rows(name)
    turns = {turn["id"]: (row["project"], turn["agent"]) for row in held for turn in row.get("turns", ())}
    asked = [row for row in held if "question" in row]
    wrong = [
        (place, one["turn"])
        for place, row in enumerate(asked)
        for one in row["evidence"]
        if row["project"] != turns[one["turn"]][0] or one["says"] not in turns[one["turn"]][1]
    ]
    assert not wrong
    counted = (sum("session" in row for row in held), len(asked), sum("nothing" in row for row in held))
    assert counted == (10, 50, 60)


def test_the_halves_share_no_project_and_no_prompt() -> None:
    first, second = rows("sessions.jsonl"), rows("blind_sessions.jsonl")
    assert not {row["project"] for row in first} & {row["project"] for row in second}
    prompts = [{row.get("question") or row.get("nothing") for row in half} - {None} for half in (first, second)]
    assert not prompts[0] & prompts[1]
