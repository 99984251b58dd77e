"""Kills of processes that run a background job or send a message: ``python -m crash.job_kills [ROUNDS]``.

After each kill another process goes on. Nothing is lost, no job is done twice, and no message comes more than twice.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from crash.processes import Started
from evolore.server.background import Background
from evolore.server.notifications import Notice, Notifications
from evolore.server.reach import Reach
from evolore.store.service import DONE, BackgroundJob, Outgoing
from serving.memories import Hands, memories_of
from serving.receiver import receiver

FAULTS = ("lost", "done twice", "told too often")
_FILES = 8
_STEPS = tuple(f"{number} of {_FILES}" for number in range(_FILES))


def kill_a_job(store: Path, step: str) -> bool:
    """Kill a process once its job says a line; tell whether it came so far."""
    return _killed("serving.job_runner", str(store), step)


def kill_a_sender(store: Path) -> bool:
    """Kill a process once its message was taken by the target, and before it could write so."""
    return _killed("serving.message_sender", str(store))


def _killed(module: str, *arguments: str) -> bool:
    with Started(module, *arguments) as process:
        came = process.stdout.readline() == "there\n"
        process.kill()
    return came


def round_of(folder: Path, step: str) -> Counter[str]:
    """Kill at a step of a job, and of the message about it; let others finish; count what is wrong."""
    (notes := folder / "notes").mkdir(parents=True)
    for number in range(_FILES):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nShelf {number} holds {number * 7} boxes.\n", "utf-8")
    store, clock, counts = folder / "store", Hands(), Counter[str]()
    with receiver() as hook, memories_of(store, clock=clock) as memories:
        background, messages = (
            Background(memories, now=clock, reach=Reach(add_from=(notes,))),
            Notifications(memories, now=clock, private_webhooks=True),
        )
        job = background.begin("add", "default", body={"path": str(notes)})
        counts["killed jobs"] += kill_a_job(store, step)
        clock.move(seconds=31)
        while background.run_next() is not None:
            pass
        messages.make("default", kind="webhook", address=hook.address, secret="a secret of some length")
        messages.tell(Notice.BUDGET, "default", "1", {"percent": 80})
        counts["killed senders"] += kill_a_sender(store)
        clock.move(minutes=3)
        while messages.send_next() is not None:
            pass
        ended = memories.service.get(BackgroundJob, id=job.id)
        documents = memories.of("default").list().documents
        counts["lost"] += ended is None or ended.state != DONE or len(documents) != _FILES
        counts["lost"] += memories.service.count(Outgoing, state=DONE) != 1 or not hook.posts
        counts["done twice"] += {one.version for one in documents} != {1} or (ended is not None and ended.attempts != 2)
        counts["told too often"] += len(hook.posts) > 2
        counts["duplicates"] += len(hook.posts) - 1
    counts["rounds"] += 1
    return counts


def run(folder: Path, rounds: int) -> Counter[str]:
    """Spread so many kills over the steps of a job."""
    counts: Counter[str] = Counter()
    for number in range(rounds):
        counts += round_of(folder / str(number), _STEPS[number % len(_STEPS)])
    return counts


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with TemporaryDirectory() as folder:
        counts = run(Path(folder), rounds)
    sys.stdout.write(json.dumps(dict(counts)) + "\n")
    sys.exit(any(counts[fault] for fault in FAULTS))


if __name__ == "__main__":
    main()
