"""Print how often ten times as many unrelated items change the first related hit.

Run it as ``.venv/bin/python benchmarks/unrelated_items.py``. Related are the everyday facts of ``tests/data/life``, in
stores of 1, 3, 10 and 100; unrelated are notes about basalt, spectra and valves, told later. Each question about a fact
is asked before and after. *Changed*: another fact of the same person is the first of them afterwards. *Right*: it is
the fact that answers, before and after. *Lost*: something unrelated comes first where only one fact is there.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.embedders import embedder_named
from evolore_evaluation.measure import RememberingEmbedder
from harness import new_memory

FACTS = Path(__file__).parent.parent / "tests" / "data" / "life" / "everyday"
SIZES = {1: 60, 3: 20, 10: 16, 100: 1}
"""How many facts a store holds, and how many such stores are tried a language."""

TIMES = 10
LIMIT = 50
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
UNRELATED = {
    "en": (
        "Basalt sample {n} from shaft {m} holds olivine and feldspar.",
        "The spectrum of star {n} shows lines of ionised calcium at band {m}.",
        "Valve {n} of the turbine was tightened to {m} newton metres.",
    ),
    "ja": (
        "玄武岩の試料{n}は坑道{m}から採取され、橄欖石を含む。",
        "恒星{n}のスペクトルには帯域{m}に電離カルシウムの線が見える。",
        "タービンの弁{n}を{m}ニュートンメートルで締めた。",
    ),
    "zh": (
        "玄武岩样品{n}取自{m}号竖井，含有橄榄石。",
        "恒星{n}的光谱在{m}波段显示电离钙谱线。",
        "涡轮机{n}号阀门拧紧到{m}牛米。",
    ),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """What somebody told, and the question about it."""

    text: str
    question: str


def facts_of(language: str) -> list[Fact]:
    """Read the facts of a language, person by person."""
    lines = (FACTS / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    found: list[Fact] = []
    for record in map(json.loads, lines):
        asked = {question["evidence"][0]: question["text"] for question in record["questions"]}
        found += [Fact(item["text"], asked[item["id"]]) for item in record["items"] if item["id"] in asked]
    return found


def unrelated(language: str, count: int, random: Random) -> list[str]:
    """Invent notes about other things."""
    return [
        random.choice(UNRELATED[language]).format(n=random.randrange(1000), m=random.randrange(1000))
        for _ in range(count)
    ]


def first_of(memory: Memory, question: str, texts: frozenset[str]) -> tuple[str, bool]:
    """Give the first hit that is one of these texts, and whether it is the first of all."""
    found = [hit.episode.text for hit in memory.recall(question, limit=LIMIT).hits]
    return next((text for text in found if text in texts), ""), found[0] in texts


def try_store(facts: list[Fact], others: list[str], embedder: RememberingEmbedder) -> Counter[str]:
    """Ask before and after the unrelated items are told."""
    texts = frozenset(fact.text for fact in facts)
    counted: Counter[str] = Counter(questions=len(facts))
    with new_memory(embedder=embedder) as memory:
        told = [Statement(text=fact.text, occurred_at=BEGAN + timedelta(hours=hour)) for hour, fact in enumerate(facts)]
        memory.remember_many(told)
        before = [first_of(memory, fact.question, texts)[0] for fact in facts]
        later = BEGAN + timedelta(days=30)
        memory.remember_many(
            [Statement(text=text, occurred_at=later + timedelta(hours=hour)) for hour, text in enumerate(others)]
        )
        for fact, was in zip(facts, before, strict=True):
            now, is_first = first_of(memory, fact.question, texts)
            counted["changed"] += now != was
            counted["right before"] += was == fact.text
            counted["right after"] += now == fact.text
            counted["lost"] += len(facts) == 1 and not is_first
    return counted


def main() -> None:
    """Try stores of each size in each language, and print."""
    embedder = RememberingEmbedder(embedder_named("use"))
    for language in UNRELATED:
        facts, random = facts_of(language), Random(3)
        for size, stores in SIZES.items():
            counted: Counter[str] = Counter()
            for start in range(0, min(len(facts), size * stores), size):
                chosen = facts[start : start + size]
                if len(chosen) == size:
                    counted += try_store(chosen, unrelated(language, TIMES * size, random), embedder)
            names = ("questions", "changed", "right before", "right after", "lost")
            print(f"{language}, {size} facts: " + ", ".join(f"{name} {counted[name]}" for name in names), flush=True)


if __name__ == "__main__":
    main()
