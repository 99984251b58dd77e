"""Run ``evolore evolve`` with a stand-in for a chat model, which corrects one value: ``offline_writer.py OLD NEW``.

It asks no network. The tutorial "An assistant that mends its handbook" uses it; with a chat model of your own, run
``evolore evolve`` instead.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from evolore import Memory
from evolore.domain.chat import ChatRequest
from evolore.models.offline_chat import ScriptedChatModel

Task = dict[str, Any]
WAYS = ("A customer asks", "Please look up", "Quick question", "Once more")


def main(old: str, new: str) -> None:
    """Let every document that is due be rewritten, and print what came of it."""
    with Memory.open(chat_model=ScriptedChatModel([replying(old, new)])) as memory:
        for job in memory.evolve():
            print(f"{job.id}  {job.state.value}: {job.decision}, {job.reason}")


def replying(old: str, new: str) -> Callable[[ChatRequest], str]:
    """Return what answers each request of a job."""
    answering: dict[str, Callable[[Task], Task]] = {
        "evolution.write": lambda task: write(task, old, new),
        "evolution.judge_claims": lambda _: {"lost": [], "invented": []},
        "evolution.reword": reword,
        "evolution.answers": lambda task: answer(task, (old, new)),
        "evolution.judge_facts": lambda task: judge(task, new),
    }

    def reply(request: ChatRequest) -> str:
        sent = request.messages[-1].text
        return json.dumps(answering[request.purpose](json.loads(sent[sent.index("{") : sent.rindex("}") + 1])))

    return reply


def write(task: Task, old: str, new: str) -> Task:
    """Put the new value in the section that has the old one, where evidence says so."""
    sections = [one for one in task["document"]["sections"] if old in one["text"]]
    evidence = [one["id"] for one in task["evidence"] if new in one["text"]]
    if task["aim"] != "detail" or not sections or not evidence:
        return {"edits": []}
    edit = {"kind": "replace", "place": sections[0]["place"], "text": sections[0]["text"].replace(old, new)}
    return {"edits": [edit | {"reason": f"A newer source says {new}.", "evidence": evidence}]}


def reword(task: Task) -> Task:
    """Ask each complaint's question in other words."""
    return {
        "complaints": [
            {"number": one["number"], "questions": [f"{way}: {one['question']}" for way in WAYS]}
            for one in task["complaints"]
        ]
    }


def answer(task: Task, values: tuple[str, ...]) -> Task:
    """Answer with the first line that has the old or the new value."""
    lines = [(one["number"], line) for one in task["passages"] for line in one["text"].splitlines()]
    said = [{"text": line, "passages": [number]} for number, line in lines if any(value in line for value in values)][
        :1
    ]
    return {
        "answers": [{"number": one["number"], "in_sources": bool(said), "sentences": said} for one in task["questions"]]
    }


def judge(task: Task, new: str) -> Task:
    """Say which of two answers has the new value."""
    verdict = {True: "says", False: "contradicts"}
    return {
        "pairs": [
            {"number": one["number"]} | {side: verdict[new in one[side]] for side in ("first", "second")}
            for one in task["pairs"]
        ]
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
