"""Print how much of earlier sessions a coding agent is shown when it is asked, and how often it is shown something for nothing.

    python benchmarks/agent_sessions.py --set [--blind] [--least L] [--show]
    python benchmarks/agent_sessions.py [--repository FOLDER] [--sessions 20] [--words 6] [--least L] [--show]

With `--set`, sessions, questions and prompts come from `tests/data/agent_sessions`, written by hand: found is what the hook prints
the labelled words of a turn for. `--blind` reads the half that was kept aside; `--show` then prints nothing of it.

Without it, sessions are made from the history of a real git repository, by default this one: five commits each, spread over the whole history;
the subject is the user's prompt, the body the agent's closing message. They run through the hooks of all four agents in turn. Then
a new session asks about each commit, with up to six words of one sentence of its body, in another order: found is what the hook
prints that sentence for. At last prompts come with which nothing here has to do: chores, and tasks of other projects. The
commits are not labelled by a person, and a question shares words with its answer: questions of people are harder.
Only sentences in Latin letters are asked about.

The bar: .85 of the questions find their evidence, .95 of the other prompts are left alone.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.integrations import chat_turns
from evolore.integrations.agents.serving import AgentMemories
from evolore.text.tokens import content_tokens, fold
from harness import command_line, store_folder

Json: TypeAlias = Any
Commit: TypeAlias = "tuple[str, str]"
SET = Path(__file__).resolve().parents[1] / "tests" / "data" / "agent_sessions"
A_SESSION = 5
BAR_FOUND, BAR_ALONE = 0.85, 0.95
EVENTS = {
    "claude-code": ("UserPromptSubmit", "Stop", "last_assistant_message"),
    "codex": ("UserPromptSubmit", "Stop", "last_assistant_message"),
    "cursor": ("beforeSubmitPrompt", "afterAgentResponse", "text"),
    "gemini": ("BeforeAgent", "AfterAgent", "prompt_response"),
}
NOTHING = """
continue
yes, go on
thanks, that looks good
ok
no, stop
commit this
push it
undo your last edit
please explain that again, shorter
what do you think?
try again
do both
the second option
looks fine, next
can you make it shorter?
show me the diff
open the file again
why?
hm, not what I meant
sounds good
weiter
はい、続けてください
ありがとう
继续
好的，谢谢
Write a React hook that debounces a value by 300 ms.
Center this div vertically with flexbox.
The navbar overlaps the hero image on iPhones, fix it.
Add dark mode to the pricing page with Tailwind.
Convert this class component to a function component.
Why does my Kubernetes pod stay in CrashLoopBackOff?
Write a Terraform module for an S3 bucket with versioning.
Set up a GitHub Action that builds the Docker image for arm64.
Make the Unity camera follow the player smoothly.
The enemies in level three spawn inside walls.
Add a double jump to the platformer.
Write a shader that makes the water look wavy.
Port this Arduino sketch to the ESP32.
The stepper motor skips steps above 800 rpm, why?
Read the temperature from the DS18B20 sensor every ten seconds.
Write a SwiftUI view for a circular progress ring.
The Android app crashes when the screen rotates.
Ask for camera permission before scanning the barcode.
Add Apple Pay to the checkout.
Our Stripe webhook fires twice for one payment.
Translate the cookie banner into Italian.
Train a small CNN on the flower photos and plot the loss.
Why is the validation accuracy stuck at 10 percent?
Normalise the audio clips to minus 14 LUFS.
Cut the silence out of this podcast with ffmpeg.
Write a Blender script that scatters trees on a hill.
Calculate the orbit of a satellite at 400 km.
Solve this sudoku with backtracking in Haskell.
Write a Minecraft plugin that heals players at dawn.
The Excel macro fails when the sheet has merged cells.
Draw the family tree with Graphviz.
Send a Discord message when the stream goes live.
The Bluetooth headset disconnects after a minute on Ubuntu.
Write a regex for German postal codes.
Make a poem about our cat for the about page.
スマホでメニューが開かない不具合を直して
ログイン画面のボタンを青にしてください
把首页的轮播图改成自动播放
购物车的合计金额不对，帮我看看运费
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A prompt and the agent's closing message, in a session of an agent in a repository."""

    folder: Path
    agent: str
    session: str
    user: str
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A prompt of a later session, words of its evidence, and words of another question's evidence as a control."""

    folder: Path
    prompt: str
    kind: str
    evidence: tuple[str, ...] = ()
    strange: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Sessions, questions about them, and prompts that nothing in them bears on."""

    turns: list[Turn]
    questions: list[Question]
    others: list[Question]


def commits(repository: Path, count: int) -> list[Commit]:
    """Return commits with a body, spread over the history."""
    told = ["git", "-C", str(repository), "log", "--no-merges", "--format=%s%x1f%b%x1e"]
    log = subprocess.run(told, capture_output=True, text=True, check=True).stdout
    rows = [one.strip("\n").split("\x1f") for one in log.split("\x1e") if "\x1f" in one]
    told_more = [(subject, " ".join(body.split())) for subject, body in rows if asked(" ".join(body.split()))]
    step = max(1, len(told_more) // count)
    return told_more[::step][:count][::-1]


def asked(body: str, most: int = 6) -> tuple[str, str] | None:
    """Return a sentence of a text, and words of it that a question may be made of."""
    sentences = [one for one in re.split(r"(?<=[.:;]) ", body) if 40 <= len(one) <= 300]
    if not sentences:
        return None
    sentence = max(sentences, key=len)
    words = {fold(one): one for one in re.findall(r"[A-Za-z][\w-]{3,}", sentence) if content_tokens(one)}
    chosen = sorted(words, key=len)[-most:]
    random.Random(sentence).shuffle(chosen)
    return (sentence, " ".join(words[one] for one in chosen)) if len(words) >= 4 else None


def of_history(repository: Path, sessions: int, words: int) -> Material:
    """Return sessions, questions and prompts made from the commits of a repository."""
    made = commits(repository, sessions * A_SESSION)
    agents = sorted(EVENTS)
    turns = [
        Turn(
            folder=repository,
            agent=agents[number // A_SESSION % len(agents)],
            session=f"s{number // A_SESSION}",
            user=f"{subject}.",
            reply=body,
        )
        for number, (subject, body) in enumerate(made)
    ]
    told = [asked(body, words) or ("", "") for _, body in made]
    questions = [
        Question(
            folder=repository,
            prompt=f"How did we handle this: {chosen}?",
            kind="commit",
            evidence=(sentence[:40],),
            strange=told[number - 1][0][:40],
        )
        for number, (sentence, chosen) in enumerate(told)
    ]
    others = [Question(folder=repository, prompt=prompt, kind="other") for prompt in NOTHING.strip().splitlines()]
    return Material(turns=turns, questions=questions, others=others)


def of_set(path: Path, under: Path) -> Material:
    """Return what a file of the label set holds, each project in a repository of its own below a folder."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for project in {row["project"] for row in rows}:
        subprocess.run(["git", "init", "-q", str(under / project)], check=True)
    asked_of = [row for row in rows if "question" in row]
    return Material(
        turns=[
            Turn(
                folder=under / row["project"],
                agent=row["agent"],
                session=row["session"],
                user=turn["user"],
                reply=turn["agent"],
            )
            for row in rows
            for turn in row.get("turns", ())
        ],
        questions=[
            Question(
                folder=under / row["project"],
                prompt=row["question"],
                kind=f"{row['kind']} {row['language']}",
                evidence=tuple(one["says"] for one in row["evidence"]),
                strange=asked_of[number - 1]["evidence"][0]["says"],
            )
            for number, row in enumerate(asked_of)
        ],
        others=[
            Question(folder=under / row["project"], prompt=row["nothing"], kind=f"{row['kind']} {row['language']}")
            for row in rows
            if "nothing" in row
        ],
    )


def ask(memories: AgentMemories, agent: str, session: str, folder: Path, **given: object) -> str:
    """Answer an event as the warm process does."""
    about = {"session_id": session, "cwd": str(folder), **given}
    return memories.answer(f"{agent}\n{json.dumps(about)}".encode(), ask_patience=lambda: None)


def one_line(text: str) -> str:
    """Return a text without line breaks and double spaces."""
    return " ".join(text.split())


def printed(told: str) -> str:
    """Return what an agent puts before its model, of a hook's answer."""
    held: Json = json.loads(told or "{}")
    return str(held.get("additional_context") or held.get("hookSpecificOutput", {}).get("additionalContext", ""))


def counts(wrong: list[str], all_of: list[Question]) -> str:
    """Return how many went wrong of each kind."""
    bad, every = Counter(wrong), Counter(one.kind for one in all_of)
    return ", ".join(f"{kind} {bad[kind]}/{number}" for kind, number in sorted(every.items()))


def remember(memories: AgentMemories, turns: list[Turn]) -> None:
    """Run sessions through the hooks of their agents."""
    for turn in turns:
        prompt, reply, name = EVENTS[turn.agent]
        ask(memories, turn.agent, turn.session, turn.folder, hook_event_name=prompt, prompt=turn.user)
        ask(memories, turn.agent, turn.session, turn.folder, hook_event_name=reply, **{name: turn.reply})


def shown_for(memories: AgentMemories, number: int, question: Question) -> str:
    """Return what a new session is shown for a prompt, in one line."""
    agent = sorted(EVENTS)[number % len(EVENTS)]
    told = ask(
        memories,
        agent,
        f"{question.kind}{number}",
        question.folder,
        hook_event_name=EVENTS[agent][0],
        prompt=question.prompt,
    )
    return one_line(printed(told))


def main() -> None:
    """Measure and print; leave with 1 where a bar is missed."""
    parser = command_line(__doc__)
    parser.add_argument("--set", action="store_true", help="use the label set instead of a repository's history")
    parser.add_argument("--blind", action="store_true", help="the half of the set that was kept aside")
    parser.add_argument("--repository", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--words", type=int, default=6, help="how many words of a sentence a question has")
    parser.add_argument(
        "--least", type=float, default=chat_turns.LEAST, help="the likelihood below which nothing is shown"
    )
    parser.add_argument("--show", action="store_true", help="show what went wrong")
    given = parser.parse_args()
    chat_turns.LEAST = given.least
    with store_folder() as store, tempfile.TemporaryDirectory() as projects:
        path = SET / ("blind_sessions.jsonl" if given.blind else "sessions.jsonl")
        made = of_set(path, Path(projects)) if given.set else of_history(given.repository, given.sessions, given.words)
        memories = AgentMemories(str(store))
        remember(memories, made.turns)
        memories.close()
        memories = AgentMemories(str(store))
        answers = [(one, shown_for(memories, number, one)) for number, one in enumerate(made.questions)]
        shown = [(one, told) for number, one in enumerate(made.others) if (told := shown_for(memories, number, one))]
        memories.close()
    missed = [(one, told) for one, told in answers if not any(one_line(said) in told for said in one.evidence)]
    strangers = sum(one_line(one.strange) in told for one, told in answers)
    found, alone = 1 - len(missed) / len(answers), 1 - len(shown) / len(made.others)
    sessions = len({turn.session for turn in made.turns})
    print(f"evidence found            {found:.2f} of {len(answers)} questions over {sessions} sessions")
    print(
        f"control                   {strangers / len(answers):.2f} of them were shown the evidence of another question"
    )
    print(f"left alone                {alone:.3f} of {len(made.others)} prompts with nothing to add")
    if given.set:
        print("missed, by kind           " + counts([one.kind for one, _ in missed], made.questions))
        print("shown for nothing         " + counts([one.kind for one, _ in shown], made.others))
    if given.show and not given.blind:
        print(
            *(f"missed: {one.prompt}\n    wanted: {one.evidence}\n    shown: {told[:1500]}" for one, told in missed),
            sep="\n",
        )
        print(*(f"shown: {one.prompt}\n    {told[:300]}" for one, told in shown), sep="\n")
    if found < BAR_FOUND or alone < BAR_ALONE:
        sys.exit(1)


if __name__ == "__main__":
    main()
