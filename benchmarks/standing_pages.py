"""Print when standing pages go stale, and what showing one costs.

Run it as ``.venv/bin/python benchmarks/standing_pages.py [--statements N] [--rounds N]``. The facts are those of
``tests/data/life``: half of what a person tells is remembered under a name, and pages are added: one that asks what is known of the
person, and one for each question about those facts.

- *stale wrongly*: pages that are stale after as many facts of another person were remembered, under another name.
- *stale rightly*: pages of the person that are stale after one more fact of the person; pages of a fact that are after that was
  corrected, and after it was forgotten, of those that held it.
- *held*: pages of a fact that quote it, as they are added; pages of the person that quote all that was told.
- *left*: pages that still hold a word of a forgotten fact which nothing else says.
- *subjects*: of ``tests/data/subjects``, all in one store: of what a person expects on a page, how much it quotes; pages that quote all of it; look-alikes
  and statements of another subject that they quote; and replaced ones that they quote without a mark.
- *show*: milliseconds to show a page of the person in a store of so many statements, by the wall and by the processor.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.embedders import embedder_named
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line, new_memory, read_lines

FACTS = Path(__file__).parent.parent / "tests" / "data" / "life" / "everyday"
NAMES = {"en": ("Nora", "Theo"), "ja": ("星野", "田中"), "zh": ("王芳", "李强")}
ASKED = {
    "en": "What do we know about {}?",
    "ja": "{}さんについて何がわかっていますか？",
    "zh": "关于{}，我们知道什么？",
}
PEOPLE = 4
OTHER = "Sample {n} of shaft {m} weighs {k} grams and was stored on shelf {s}."


def tell(memory: Memory, items: list[dict[str, str]], name: str) -> list[str]:
    """Remember what a person tells; return the ids."""
    said = [Statement(text=one["text"], speaker=name, occurred_at=one["occurred_at"]) for one in items]
    return [one.id for one in memory.remember_many(said).episodes]


def tally(language: str, people: list[dict[str, Any]], counts: Counter[str], memory: Memory) -> None:
    """Count what becomes of one person's pages."""
    (name, other), (person, stranger) = NAMES[language], people
    half = len(person["items"]) // 2
    items, more = person["items"][:half], person["items"][half]
    ids = dict(zip((one["id"] for one in items), tell(memory, items, name), strict=True))
    texts = {one["id"]: one["text"] for one in items}
    asked = {one["evidence"][0]: one["text"] for one in person["questions"] if one["evidence"]}
    asked = {fact: text for fact, text in asked.items() if fact in ids}
    whole = memory.pages.add(ASKED[language].format(name))
    pages = {fact: memory.pages.add(text) for fact, text in asked.items()}
    counts["held"] += sum(texts[fact] in page.text for fact, page in pages.items())
    counts["facts"] += len(pages)
    counts["all held"] += sum(text in whole.text for text in texts.values())
    counts["told"] += len(texts)
    pages = {fact: page for fact, page in pages.items() if texts[fact] in page.text}
    tell(memory, stranger["items"][:half], other)
    counts["stale wrongly"] += sum(one.is_stale for one in memory.pages.list())
    counts["pages"] += len(memory.pages.list())
    for page in (whole, *pages.values()):
        memory.pages.rebuild(page.id)
    tell(memory, [more], name)
    counts["stale by news"] += memory.pages.show(whole.id).is_stale
    for number, (fact, page) in enumerate(pages.items()):
        memory.pages.rebuild(page.id)
        if number % 2:
            memory.correct(ids[fact], f"{texts[fact]} ({number})")
            counts["corrected"] += 1
            counts["stale by correction"] += memory.pages.show(page.id).is_stale
        else:
            memory.forget(ids[fact])
            counts["forgotten"] += 1
            shown = memory.pages.show(page.id)
            counts["stale by forgetting"] += shown.is_stale
            counts["left"] += texts[fact] in shown.text


def subjects(embedder: RememberingEmbedder) -> str:
    """Return what pages of customers and projects show."""
    records = read_lines(FACTS.parent.parent / "subjects" / "subjects.jsonl")
    counts: Counter[str] = Counter()
    with new_memory(embedder=embedder, settings=Settings()) as memory:
        for item in (item for one in records for item in one["items"]):
            memory.remember(item["text"], speaker=item["speaker"], occurred_at=item["occurred_at"])
        for one in records:
            page = memory.pages.add(one["question"]).text
            shown = {item["text"]: item["kind"] for item in one["items"] if item["text"] in page}
            expected = sum(item["kind"] == "holds" for item in one["items"])
            counts["expected"] += expected
            counts["shown"] += sum(kind == "holds" for kind in shown.values())
            counts["whole"] += sum(kind == "holds" for kind in shown.values()) == expected
            counts["other"] += sum(kind == "other" for kind in shown.values())
            counts["other"] += sum(
                item["text"] in page for more in records if more is not one for item in more["items"]
            )
            marks = ("replaced by [", "superseded", "置き換わった", "取代")
            counts["unmarked"] += "replaced" in shown.values() and not any(mark in page for mark in marks)
    return (
        f"subjects: shown {counts['shown']} of {counts['expected']}, whole pages {counts['whole']} of {len(records)}; of "
        f"another matter {counts['other']}, replaced without a mark {counts['unmarked']}"
    )


def main() -> None:
    """Count in each language, and time pages in a large store."""
    parser = command_line(__doc__)
    parser.add_argument("--statements", type=int, default=3_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--people", type=int, default=PEOPLE)
    options = parser.parse_args()
    embedder = RememberingEmbedder(embedder_named("use"))
    for language in NAMES:
        people = read_lines(FACTS / f"{language}.jsonl")
        counts: Counter[str] = Counter()
        for at in range(min(options.people, len(people))):
            with new_memory(embedder=embedder, settings=Settings()) as memory:
                tally(language, [people[at], people[at - 1]], counts, memory)
        print(
            f"{language}: held {counts['held']} of {counts['facts']}, of the person {counts['all held']} of {counts['told']}; "
            f"stale wrongly {counts['stale wrongly']} of {counts['pages']}; rightly: by news {counts['stale by news']} of "
            f"{min(options.people, len(people))}, by correction {counts['stale by correction']} of {counts['corrected']}, by "
            f"forgetting {counts['stale by forgetting']} of {counts['forgotten']}; left {counts['left']}"
        )
    print(subjects(embedder))
    with new_memory(embedder=embedder, settings=Settings()) as memory:
        for start in range(0, options.statements, 500):
            memory.remember_many(
                Statement(text=OTHER.format(n=n, m=n % 7, k=n % 91, s=n % 13), speaker=f"Person {n % 50}")
                for n in range(start, min(start + 500, options.statements))
            )
        tell(memory, read_lines(FACTS / "en.jsonl")[0]["items"], "Nora")
        page = memory.pages.add(ASKED["en"].format("Nora"))
        walls: list[float] = []
        used: list[float] = []
        for _ in range(options.rounds):
            wall, cpu = perf_counter(), process_time()
            memory.pages.show(page.id)
            walls.append(1000 * (perf_counter() - wall))
            used.append(1000 * (process_time() - cpu))
        middle = options.rounds // 2
        print(
            f"show, {options.statements:,} statements: p50 {sorted(walls)[middle]:.0f} ms, slowest {max(walls):.0f} ms; "
            f"processor {sorted(used)[middle]:.0f} ms, most {max(used):.0f} ms"
        )


if __name__ == "__main__":
    main()
