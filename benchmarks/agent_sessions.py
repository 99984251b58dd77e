"""Print how much of earlier sessions a coding agent is shown when it is asked, and how often it is shown something for nothing.

    python benchmarks/agent_sessions.py [--repository FOLDER] [--sessions 20] [--words 6] [--least L] [--show]

Sessions are made from the history of a real git repository, by default this one: five commits each, spread over the whole history;
the subject is the user's prompt, the body the agent's closing message. They run through the hooks of all four agents in turn. Then
a new session asks about each commit, with up to six words of one sentence of its body, in another order: found is what the hook
prints that sentence for. At last prompts come with which nothing here has to do: chores, and tasks of other projects. The
commits are not labelled by a person, and a question shares words with its answer: questions of people are harder.

The bar: .85 of the questions find their evidence, .95 of the other prompts are left alone.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.integrations import chat_turns
from evolore.integrations.agents.serving import AgentMemories
from evolore.text.tokens import content_tokens, fold
from harness import command_line, store_folder

Commit: TypeAlias = "tuple[str, str]"
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


def ask(memories: AgentMemories, agent: str, session: str, folder: Path, **given: object) -> str:
    """Answer an event as the warm process does."""
    about = {"session_id": session, "cwd": str(folder), **given}
    return memories.answer(f"{agent}\n{json.dumps(about)}".encode(), ask_patience=lambda: None)


def main() -> None:
    """Measure and print; leave with 1 where a bar is missed."""
    parser = command_line(__doc__)
    parser.add_argument("--repository", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--words", type=int, default=6, help="how many words of a sentence a question has")
    parser.add_argument(
        "--least", type=float, default=chat_turns.LEAST, help="the likelihood below which nothing is shown"
    )
    parser.add_argument("--show", action="store_true", help="show what went wrong")
    given = parser.parse_args()
    chat_turns.LEAST = given.least
    made = commits(given.repository, given.sessions * A_SESSION)
    agents = sorted(EVENTS)
    with store_folder() as store:
        memories = AgentMemories(str(store))
        for number, (subject, body) in enumerate(made):
            agent = agents[number // A_SESSION % len(agents)]
            prompt, reply, name = EVENTS[agent]
            session = f"s{number // A_SESSION}"
            ask(memories, agent, session, given.repository, hook_event_name=prompt, prompt=f"{subject}.")
            ask(memories, agent, session, given.repository, hook_event_name=reply, **{name: body})
        memories.close()
        memories = AgentMemories(str(store))
        missed: list[str] = []
        strangers = 0
        for number, (_, body) in enumerate(made):
            sentence, words = asked(body, given.words) or ("", "")
            question = f"How did we handle this: {words}?"
            told = ask(
                memories, "codex", f"q{number}", given.repository, hook_event_name="UserPromptSubmit", prompt=question
            )
            read = " ".join(told.replace("\\n", " ").split())
            another = asked(made[number - 1][1], given.words) or ("", "")
            strangers += json.dumps(another[0][:40])[1:-1] in read
            if json.dumps(sentence[:40])[1:-1] not in read:
                missed.append(f"missed: {question}\n    {sentence}")
        shown: list[str] = []
        others = NOTHING.strip().splitlines()
        for number, prompt in enumerate(others):
            told = ask(
                memories, "codex", f"n{number}", given.repository, hook_event_name="UserPromptSubmit", prompt=prompt
            )
            if told:
                shown.append(f"shown: {prompt}\n    {told[:300]}")
        memories.close()
    found, alone = 1 - len(missed) / len(made), 1 - len(shown) / len(others)
    print(f"evidence found            {found:.2f} of {len(made)} questions over {given.sessions} sessions")
    print(f"control                   {strangers / len(made):.2f} of them were shown the sentence of another commit")
    print(f"left alone                {alone:.3f} of {len(others)} prompts with nothing to add")
    if given.show:
        print(*missed, *shown, sep="\n")
    if found < BAR_FOUND or alone < BAR_ALONE:
        sys.exit(1)


if __name__ == "__main__":
    main()
