"""What a canary costs recall, and how often one trips whose text is no worse: ``python benchmarks/canary.py``.

Recall is timed in one store: without a canary, and with one, for who sees the old text and for who sees the new, in
turns. False alarms are counted with ratings that come late, and a look after each of them, as `rate` has it.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import median
from time import process_time

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.evolution import Base, NewJob, Operator, ProposedText, TrialAnswer
from evolore.evolution.canary import CanaryStatus, folded_canary
from evolore.evolution.job_steps import JobCandidate
from evolore.evolution.settings import CanarySettings, EvolutionSettings
from evolore.flows.evolve.canary import begin
from evolore.flows.evolve.log import JobLog
from evolore.flows.evolve.promote import Approval
from evolore.flows.shadows import sees_new
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from harness import new_memory

DOCUMENTS, SECTIONS, ROUNDS = 300, 12, 60
CANARIES, ANSWERS = 100, 300
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SETTINGS = CanarySettings(stages=(25, 100))


def text(number: int) -> str:
    """Give a document of some sections."""
    parts = (
        f"## Part {part}\n\n"
        + " ".join(f"Rule {part}.{rule} of unit {number} holds for case {rule * number}." for rule in range(12))
        for part in range(SECTIONS)
    )
    return f"# Unit {number}\n\n" + "\n\n".join(parts)


def begun(memory: Memory, document_id: str) -> str:
    """Put a new text of a document before a quarter of all people."""
    context = memory._context  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - a job without a model
    with context.store.write(context.namespace) as writer:
        base = Base(document_id=document_id, version=1)
        job_id = writer.begin_job(NewJob(bases=(base,), seed="1"), at=context.clock.now())
        assert job_id is not None
    texts = (ProposedText(text=text(7).replace("holds", "stands"), document_id=document_id, base_version=1),)
    candidate = JobCandidate(candidate="1", operator=Operator.MUTATION_CLARITY, texts=texts, edits=((),))
    return begin(context, JobLog(context, job_id), candidate, Approval(texts=texts, by=None)).id


def timed(memory: Memory, who: str, number: int) -> float:
    """Give the processor time of one recall in milliseconds."""
    began = process_time()
    memory.recall(f"what holds for case {number * 7} of unit {number}?", principal=who)
    return 1000 * (process_time() - began)


def cost() -> None:
    """Print what recall takes."""
    settings = Settings(evolution=EvolutionSettings(canary=SETTINGS))
    with new_memory(embedder=HashingEmbedder(), settings=settings) as memory:
        for number in range(DOCUMENTS):
            memory.add_text(text(number), source=f"unit-{number}.md", media_type=MediaType.MARKDOWN)
        count = memory.stats().leaves
        timed(memory, "x", 1)
        alone = [timed(memory, "x", number) for number in range(ROUNDS)]
        context = memory._context  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - the one look that every recall takes
        with context.store.read(context.namespace) as reader:
            began = process_time()
            for _ in range(1000):
                reader.shadows()
            look = 1000 * (process_time() - began)
        document = next(one for one in memory.list().documents if one.source == "unit-7.md")
        id_ = begun(memory, document.id)
        names = [f"person {number}" for number in range(400)]
        old, new = (next(one for one in names if sees_new(id_, 25, one) is is_new) for is_new in (False, True))
        timed(memory, old, 1)
        pairs = [(timed(memory, old, number), timed(memory, new, number)) for number in range(ROUNDS)]
        print(f"recall over {count:,} passages, median of {ROUNDS}, processor time")
        print(f"  no canary                     {median(alone):7.2f} ms, of it the look for one {look:.0f} µs")
        print(f"  one canary, sees the old text {median(one for one, _ in pairs):7.2f} ms")
        print(f"  one canary, sees the new text {median(one for _, one in pairs):7.2f} ms")


def trips(seed: int, *, rate: float, worse: float, delay: int) -> bool:
    """Tell whether a canary trips at any of its looks, one after each BAD rating."""
    draw, answers, due = Random(seed), list[TrialAnswer](), list[tuple[int, int]]()
    for number in range(ANSWERS):
        who = f"{seed} person {draw.randrange(ANSWERS)}"
        is_new = sees_new(f"canary {seed}", 25, who)
        at = START + timedelta(minutes=number)
        answers.append(TrialAnswer(at=at, principal=who, is_new=is_new, is_bad=False))
        if draw.random() < rate * (worse if is_new else 1.0):
            due.append((number + draw.randrange(delay + 1), number))
        for one in [one for one in due if one[0] <= number]:
            due.remove(one)
            rated = answers[one[1]]
            answers[one[1]] = TrialAnswer(at=rated.at, principal=rated.principal, is_new=rated.is_new, is_bad=True)
            state = folded_canary(f"canary {seed}", SETTINGS, moves=(), answers=answers)
            if state.status is CanaryStatus.TRIPPED:
                return True
    return False


def alarms() -> None:
    """Print how often canaries trip."""
    print(f"canaries of {CANARIES} that trip within {ANSWERS} answers at 25 %, ratings up to so many answers late")
    for rate, worse in ((0.1, 1.0), (0.2, 1.0), (0.2, 2.0)):
        for delay in (0, 100):
            count = sum(trips(seed, rate=rate, worse=worse, delay=delay) for seed in range(CANARIES))
            print(f"  BAD rates {rate:.2f}, {rate * worse:.2f}; {delay:3} late: {count}")


if __name__ == "__main__":
    {"cost": cost, "alarms": alarms}[sys.argv[1]]() if sys.argv[1:] else (cost(), alarms())
